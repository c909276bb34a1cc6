// SPDX-License-Identifier: Apache-2.0
//
// The device function of gemm_sm80.cu: a thread block computes a tile of C, BLOCK_M x BLOCK_N, in the
// registers of its warps. Slices of A and B, 128 bytes of k, travel through STAGES buffers of shared
// memory by cp.async; fragments come from there by ldmatrix, one k step ahead of the mma.sync that uses them.
//
// A slice of A, and of a transposed B, is a K-major tile: rows of 128 bytes. A slice of a B that is not
// transposed is MN-major: its 64 terms are the rows, in parts of 128 columns. Rows and columns outside of
// the problem are zeros, and so are terms behind the last: what lies behind a row's end in memory may be
// anything.
#ifndef GEMM_GEMM_MMA_CUH
#define GEMM_GEMM_MMA_CUH

#include "common/convert_device.cuh"
#include "common/cuda_host.cuh"
#include "common/mma_sm80.cuh"
#include "common/mma_tile.cuh"
#include "common/thread_block.cuh"
#include "gemm/gemm_args.h"
#include "gemm/gemm_sm80_config.cuh"

#define GEMM_PART 128 // columns of an MN-major part

#ifndef FRAGMENT_SETS
#define FRAGMENT_SETS 1
#endif

struct gemm_mma_problem {
    struct gemm_args args;
    struct gemm_data data;
    uint32_t tiles_m, tiles_n;

    int read_data(const struct assay_tensors *tensors, struct assay_message *message) {
        return gemm_data_read(tensors, &data, message);
    }
};

// T: the elements of A and B. M, N: the block's tile; WM, WN: warps along both. S: stages.
template <typename T_, int M_, int N_, int WM_, int WN_, int S_, bool is_b_transposed_> struct gemm_shape {
    using T = T_;
    static constexpr int M = M_, N = N_, WM = WM_, WN = WN_, S = S_;
    static constexpr bool is_b_transposed = is_b_transposed_;
    static constexpr int threads = WM * WN * 32;
    static constexpr int K = GEMM_ROW_BYTES / (int)sizeof(T); // terms of a slice
    static constexpr int steps = GEMM_ROW_BYTES / 32;         // k steps of a slice
    static constexpr int chunk_elements = MMA_CHUNK_BYTES / (int)sizeof(T);
    static constexpr int row_chunks = GEMM_ROW_BYTES / MMA_CHUNK_BYTES;
    static constexpr int warp_m = M / WM, warp_n = N / WN; // of a warp's tile
    static constexpr int m_tiles = warp_m / 16, n_tiles = warp_n / 8;
    static constexpr int a_bytes = M * GEMM_ROW_BYTES, b_bytes = N * GEMM_ROW_BYTES;
    static constexpr int part_columns = N < GEMM_PART ? N : GEMM_PART;
    static constexpr int part_bytes = K * part_columns * (int)sizeof(T);
    static constexpr int shared_bytes = S * (a_bytes + b_bytes);
    // Sixteen warps a multiprocessor where their tiles leave the registers: they hide each other's
    // latency, and fragments need no second set, which is loaded a k step ahead.
    static constexpr int blocks = m_tiles * n_tiles <= 16 && threads <= 512 ? 512 / threads : 1;
    static constexpr int fragment_sets = blocks * threads >= 512 ? FRAGMENT_SETS : 2;
    using row_layout = mma_swizzled<GEMM_ROW_BYTES / MMA_CHUNK_BYTES>;
    using part_layout = mma_swizzled<part_columns *(int)sizeof(T) / MMA_CHUNK_BYTES>;
    static_assert(warp_m % 16 == 0 && warp_n % 16 == 0, "a warp owns whole fragments");
};

// Which tile of C this block computes. Eight rows of tiles are walked column by column, so that blocks
// that run together share slices of A and B in the L2.
__device__ __forceinline__ void gemm_tile_of(const gemm_mma_problem &problem, uint32_t *ret_m,
                                             uint32_t *ret_n) {
    const uint32_t number = thread_block_number(), group_rows = 8;
    const uint32_t group = number / (group_rows * problem.tiles_n), first = group * group_rows;
    const uint32_t rows = problem.tiles_m - first < group_rows ? problem.tiles_m - first : group_rows;
    const uint32_t inside = number - first * problem.tiles_n;
    *ret_m = first + inside % rows;
    *ret_n = inside / rows;
}

// What a thread copies of every slice of an operand: `count` chunks, a constant step apart in both
// memories. The steps between rows are multiples of 8, so that the swizzle is the same for all of them.
struct gemm_copies {
    uint64_t at;       // address of the first chunk, in the next slice
    int64_t row_bytes; // from chunk to chunk
    int64_t slice_bytes;
    uint32_t shared;  // offset of the first chunk in its tile
    uint32_t present; // bit i: chunk i is inside of the matrix
};

template <typename shape>
__device__ __forceinline__ uint64_t gemm_address(const char *matrix, int64_t index) {
    return reinterpret_cast<uint64_t>(matrix) + (uint64_t)(index * (int64_t)sizeof(typename shape::T));
}

// Rows of a K-major operand: A, or a transposed B. [first, end): of the matrix.
template <typename shape, int rows>
__device__ __forceinline__ gemm_copies gemm_row_copies(const char *matrix, int64_t stride, int64_t first,
                                                       int64_t end) {
    constexpr int step = shape::threads / shape::row_chunks;
    static_assert(rows % step == 0 && step % 8 == 0, "every thread copies the same chunk of several rows");
    const int row = (int)threadIdx.x / shape::row_chunks, chunk = (int)threadIdx.x % shape::row_chunks;
    gemm_copies ret = {gemm_address<shape>(matrix, (first + row) * stride + chunk * shape::chunk_elements),
                       step * stride * (int64_t)sizeof(typename shape::T), GEMM_ROW_BYTES,
                       shape::row_layout::at((uint32_t)row, (uint32_t)chunk) * MMA_CHUNK_BYTES, 0};
#pragma unroll
    for (int i = 0; i < rows / step; ++i) ret.present |= (uint32_t)(first + row + i * step < end) << i;
    return ret;
}

// Enqueues a slice. bytes: of this thread's chunks, 16 but behind the last term.
template <typename shape, int rows>
__device__ __forceinline__ void gemm_copy_rows(gemm_copies &copies, uint32_t tile, uint32_t bytes) {
    constexpr int step = shape::threads / shape::row_chunks;
#pragma unroll
    for (int i = 0; i < rows / step; ++i)
        cp_async_16_part(tile + copies.shared + (uint32_t)(i * step * GEMM_ROW_BYTES),
                         reinterpret_cast<const void *>(copies.at + (uint64_t)(i * copies.row_bytes)),
                         copies.present >> i & 1u ? bytes : 0u);
    copies.at += (uint64_t)copies.slice_bytes;
}

// Terms of a B that is not transposed: K rows of the block's columns [first, end). What lies behind the last
// column of the matrix may be anything: such columns are not stored.
template <typename shape>
__device__ __forceinline__ gemm_copies gemm_column_copies(const char *matrix, int64_t stride, int64_t first,
                                                          int64_t end) {
    constexpr int chunks = shape::N / shape::chunk_elements;
    constexpr int part_chunks = shape::part_columns / shape::chunk_elements, step = shape::threads / chunks;
    static_assert(shape::threads % chunks == 0 && shape::K % step == 0 && step % 8 == 0,
                  "every thread copies the same columns of several terms");
    const int term = (int)threadIdx.x / chunks, chunk = (int)threadIdx.x % chunks;
    const int64_t column = first + chunk * shape::chunk_elements;
    return {gemm_address<shape>(matrix, term * stride + column),
            step * stride * (int64_t)sizeof(typename shape::T),
            shape::K * stride * (int64_t)sizeof(typename shape::T),
            (uint32_t)(chunk / part_chunks * shape::part_bytes) +
                shape::part_layout::at((uint32_t)term, (uint32_t)(chunk % part_chunks)) * MMA_CHUNK_BYTES,
            column < end ? 0xffffffffu : 0u};
}

// left: terms from this slice's first one on.
template <typename shape>
__device__ __forceinline__ void gemm_copy_columns(gemm_copies &copies, uint32_t tile, int64_t left) {
    constexpr int chunks = shape::N / shape::chunk_elements, step = shape::threads / chunks;
    const int term = (int)threadIdx.x / chunks;
#pragma unroll
    for (int i = 0; i < shape::K / step; ++i)
        cp_async_16(tile + copies.shared +
                        (uint32_t)(i * step * shape::part_columns) * sizeof(typename shape::T),
                    reinterpret_cast<const void *>(copies.at + (uint64_t)(i * copies.row_bytes)),
                    copies.present && term + i * step < left);
    copies.at += (uint64_t)copies.slice_bytes;
}

// Fragments of one k step of a warp's tile.
template <typename shape> struct gemm_fragments {
    uint32_t a[shape::m_tiles][4], b[shape::n_tiles / 2][4]; // b: two tiles of 8 columns each
};

template <typename shape>
__device__ __forceinline__ void gemm_load_fragments(gemm_fragments<shape> &ret, uint32_t a, uint32_t b,
                                                    int step, int warp_column, int lane) {
#pragma unroll
    for (int i = 0; i < shape::m_tiles; ++i)
        mma_fragment_a<typename shape::row_layout>(ret.a[i], a, i * 16, step, lane);
#pragma unroll
    for (int j = 0; j < shape::n_tiles / 2; ++j)
        if constexpr (shape::is_b_transposed) {
            mma_fragment_b<typename shape::row_layout>(ret.b[j], b, warp_column + j * 16, step, lane);
        } else {
            const int column = warp_column + j * 16, in_part = column % shape::part_columns;
            mma_fragment_b_trans<typename shape::part_layout>(
                ret.b[j], b + (uint32_t)(column / shape::part_columns * shape::part_bytes), step * 16,
                in_part / 16, lane);
        }
}

template <typename shape>
__device__ __forceinline__ void gemm_multiply(float (&c)[shape::m_tiles][shape::n_tiles][4],
                                              const gemm_fragments<shape> &f) {
#pragma unroll
    for (int i = 0; i < shape::m_tiles; ++i)
#pragma unroll
        for (int j = 0; j < shape::n_tiles; ++j)
            mma_sync(c[i][j], f.a[i], f.b[j / 2][j % 2 * 2], f.b[j / 2][j % 2 * 2 + 1], typename shape::T());
}

// Not inlined: a copy for every element of C would make jumps around it far longer than the instruction
// cache.
__device__ __noinline__ float gemm_device_gelu(float x) {
    return 0.5f * x * erfcf(-x * 0.70710678f);
}

// Two neighbouring columns of a row of C, an address that is aligned to both. T: type of C.
__device__ __forceinline__ void gemm_store_two(char *at, float low, float high, float) {
    *reinterpret_cast<float2 *>(at) = make_float2(low, high);
}
template <typename T>
__device__ __forceinline__ void gemm_store_two(char *at, float low, float high, T type) {
    *reinterpret_cast<uint32_t *>(at) = mma_pack(low, high, type);
}

// What a thread holds of C, one fragment row (two columns) after the other: apply(low, high, row,
// column) with the first one's column, where both are inside or the second one is behind the last column.
template <typename shape> struct gemm_sums {
    float c[shape::m_tiles][shape::n_tiles][4];

    template <typename function>
    __device__ __forceinline__ void for_pairs(const gemm_mma_problem &problem, int64_t row_first,
                                              int64_t column_first, function apply) {
        const int lane = (int)threadIdx.x % 32;
#pragma unroll
        for (int j = 0; j < shape::n_tiles; ++j)
#pragma unroll
            for (int i = 0; i < shape::m_tiles; ++i)
#pragma unroll
                for (int half = 0; half < 2; ++half) {
                    const int64_t row = row_first + i * 16 + half * 8 + lane / 4;
                    const int64_t column = column_first + j * 8 + lane % 4 * 2;
                    if (row < problem.args.m && column < problem.args.n)
                        apply(c[i][j][half * 2], c[i][j][half * 2 + 1], row, column);
                }
    }
};

template <typename shape, typename T>
__device__ __forceinline__ void gemm_store(const gemm_mma_problem &problem, gemm_sums<shape> &sums,
                                           int64_t row_first, int64_t column_first) {
    sums.for_pairs(problem, row_first, column_first, [&](float low, float high, int64_t row, int64_t column) {
        const int64_t index = row * problem.args.stride_c + column;
        if (column + 1 < problem.args.n)
            gemm_store_two(problem.data.c + index * (int64_t)sizeof(T), low, high, T());
        else
            convert_device_store(problem.data.c, index, problem.args.dtype_out, low);
    });
}

template <typename shape>
__device__ __forceinline__ void gemm_add_bias(const gemm_mma_problem &problem, gemm_sums<shape> &sums,
                                              int64_t column_first) {
#pragma unroll
    for (int j = 0; j < shape::n_tiles; ++j)
#pragma unroll
        for (int e = 0; e < 2; ++e) {
            const int64_t column = column_first + j * 8 + (int)threadIdx.x % 4 * 2 + e;
            const bool is_inside = column < problem.args.n;
            const float bias =
                is_inside ? convert_device_load(problem.data.bias, column, problem.args.dtype_out) : 0.0f;
#pragma unroll
            for (int i = 0; i < shape::m_tiles; ++i) sums.c[i][j][e] += bias, sums.c[i][j][2 + e] += bias;
        }
}

// act(sums scale + bias [+ C]), a pass each, so that what is left out is jumped over once.
template <typename shape>
__device__ __forceinline__ void gemm_epilogue(const gemm_mma_problem &problem, gemm_sums<shape> &sums,
                                              int64_t row_first, int64_t column_first) {
    const struct gemm_args &args = problem.args;
    const float scale = args.has_scales ? *problem.data.a_scale * *problem.data.b_scale : 1.0f;
    const auto for_pairs = [&](auto apply) { sums.for_pairs(problem, row_first, column_first, apply); };
    if (args.has_scales)
        for_pairs([&](float &low, float &high, int64_t, int64_t) { low *= scale, high *= scale; });
    if (args.has_bias) gemm_add_bias<shape>(problem, sums, column_first);
    if (args.is_accumulating)
        for_pairs([&](float &low, float &high, int64_t row, int64_t column) {
            const int64_t index = row * args.stride_c + column,
                          next = column + 1 < args.n ? index + 1 : index;
            low += convert_device_load(problem.data.c, index, args.dtype_out);
            high += convert_device_load(problem.data.c, next, args.dtype_out);
        });
    if (args.activation == GEMM_ACTIVATION_RELU)
        for_pairs([&](float &low, float &high, int64_t, int64_t) {
            low = low < 0.0f ? 0.0f : low; // NaN stays NaN
            high = high < 0.0f ? 0.0f : high;
        });
    if (args.activation == GEMM_ACTIVATION_GELU)
        for_pairs([&](float &low, float &high, int64_t, int64_t) {
            low = gemm_device_gelu(low);
            high = gemm_device_gelu(high);
        });
    if (args.dtype_out == ASSAY_BF16)
        gemm_store<shape, __nv_bfloat16>(problem, sums, row_first, column_first);
    else if (args.dtype_out == ASSAY_FP16)
        gemm_store<shape, __half>(problem, sums, row_first, column_first);
    else
        gemm_store<shape, float>(problem, sums, row_first, column_first);
}

template <typename shape>
__global__ void __launch_bounds__(shape::threads, shape::blocks)
    gemm_mma_kernel(const __grid_constant__ gemm_mma_problem problem) {
    const struct gemm_args &args = problem.args;
    uint32_t tile_m, tile_n;
    gemm_tile_of(problem, &tile_m, &tile_n);
    const int64_t row_first = (int64_t)tile_m * shape::M, column_first = (int64_t)tile_n * shape::N;
    const uint32_t shared = smem_address(thread_block_shared<1024>());
    const int slices = (int)((args.k + shape::K - 1) / shape::K);

    gemm_copies copies_a = gemm_row_copies<shape, shape::M>(problem.data.a, args.stride_a, row_first, args.m);
    gemm_copies copies_b;
    if constexpr (shape::is_b_transposed)
        copies_b = gemm_row_copies<shape, shape::N>(problem.data.b, args.stride_b, column_first, args.n);
    else
        copies_b = gemm_column_copies<shape>(problem.data.b, args.stride_b, column_first, args.n);
    const auto load = [&](int slice) {
        const uint32_t a = shared + (uint32_t)(slice % shape::S * (shape::a_bytes + shape::b_bytes));
        if (slice < slices) {
            const int64_t left = args.k - (int64_t)slice * shape::K;
            const int64_t of_chunk = left - (int)threadIdx.x % shape::row_chunks * shape::chunk_elements;
            uint32_t bytes = MMA_CHUNK_BYTES;
            if (left < shape::K) // behind the last term are zeros
                bytes =
                    of_chunk <= 0 ? 0u : min((uint32_t)of_chunk * (uint32_t)sizeof(typename shape::T), bytes);
            gemm_copy_rows<shape, shape::M>(copies_a, a, bytes);
            if constexpr (shape::is_b_transposed)
                gemm_copy_rows<shape, shape::N>(copies_b, a + shape::a_bytes, bytes);
            else
                gemm_copy_columns<shape>(copies_b, a + shape::a_bytes, left);
        }
        cp_async_commit_group(); // also when empty: groups are counted
    };

    const int warp = (int)threadIdx.x / 32, lane = (int)threadIdx.x % 32;
    const int warp_row = warp / shape::WN * shape::warp_m, warp_column = warp % shape::WN * shape::warp_n;
    gemm_sums<shape> sums;
#pragma unroll
    for (int i = 0; i < shape::m_tiles; ++i)
#pragma unroll
        for (int j = 0; j < shape::n_tiles; ++j)
#pragma unroll
            for (int e = 0; e < 4; ++e) sums.c[i][j][e] = 0.0f;

    gemm_fragments<shape> fragments[shape::fragment_sets];
    const auto load_fragments = [&](int slice, int step) {
        const uint32_t stage = shared + (uint32_t)(slice % shape::S * (shape::a_bytes + shape::b_bytes));
        gemm_load_fragments<shape>(fragments[step % shape::fragment_sets],
                                   stage + (uint32_t)(warp_row * GEMM_ROW_BYTES), stage + shape::a_bytes,
                                   step, warp_column, lane);
    };
#pragma unroll
    for (int slice = 0; slice < shape::S - 1; ++slice) load(slice);
    if constexpr (shape::fragment_sets == 1) {
#pragma unroll 1 // longer code would not fit the instruction cache
        for (int slice = 0; slice < slices; ++slice) {
            cp_async_wait_group<shape::S - 2>();
            __syncthreads(); // the slice is there for all, and nobody reads the buffer that is filled next
            load(slice + shape::S - 1);
#pragma unroll
            for (int step = 0; step < shape::steps; ++step) {
                load_fragments(slice, step);
                gemm_multiply<shape>(sums.c, fragments[0]);
            }
        }
    } else {
        cp_async_wait_group<shape::S - 2>();
        __syncthreads();
        load_fragments(0, 0);
#pragma unroll 1 // longer code would not fit the instruction cache
        for (int slice = 0; slice < slices; ++slice) {
#pragma unroll
            for (int step = 0; step < shape::steps; ++step) {
                if (step == shape::steps - 1) {
                    cp_async_wait_group<shape::S - 2>(); // the next slice is there
                    __syncthreads();                     // for all, and nobody reads this one any more
                    load_fragments(slice + 1, 0);        // behind the last slice: of no use
                } else {
                    load_fragments(slice, step + 1);
                }
                if (step == 0) load(slice + shape::S - 1);
                gemm_multiply<shape>(sums.c, fragments[step % 2]);
            }
        }
    }
    cp_async_wait_group<0>();
    gemm_epilogue<shape>(problem, sums, row_first + warp_row, column_first + warp_column);
}

#endif
