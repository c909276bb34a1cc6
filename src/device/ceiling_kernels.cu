// SPDX-License-Identifier: Apache-2.0
//
// Device kernels that measure ceilings: memory, fp32 multiply-adds, matrix products. Compiled for sm_80, for
// sm_89 (fp8) and for sm_90a (wgmma) into images of their own, which only a measurement of ceilings loads
// (device_kernel_text.h). What is counted is done: loads, stores and wgmma are volatile assembly, and results
// flow into a store under a condition that no compiler can decide.
#include "device/ceiling_kernel_core.h"
#include "device/device_kernel_entry.cuh"

#ifdef __CUDA_ARCH_FEAT_SM90_ALL
#include "device/ceiling_wgmma.cuh"
#else
#include "device/ceiling_mma.cuh"
#endif

#define CEILING_ENTRY(name, args_struct, threads)                                                            \
    extern "C" __global__ void __launch_bounds__(threads)                                                    \
        assay_ceiling_##name(const __grid_constant__ struct args_struct args)

// ---- memory ----

// From the L2 or the memory, never from the L1 cache, whose lines other passes over a small range would hit.
static __device__ __forceinline__ uint4 load_vector(const uint4 *at) {
    uint4 ret;
    asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(ret.x), "=r"(ret.y), "=r"(ret.z), "=r"(ret.w)
                 : "l"(at)
                 : "memory");
    return ret;
}

static __device__ __forceinline__ void store_vector(uint4 *at, const uint4 &vector) {
    asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(at), "r"(vector.x), "r"(vector.y),
                 "r"(vector.z), "r"(vector.w)
                 : "memory");
}

// This thread's first vector of the item's tile; the others follow at a distance of a block.
static __device__ __forceinline__ uint64_t first_vector(const struct dev_ceiling_memory &args,
                                                        uint32_t item) {
    const uint64_t tile = (blockIdx.x + item * gridDim.x) % args.tile_count;
    return tile * (DEV_CEILING_TILE_VECTORS * DEV_CEILING_MEMORY_THREADS) + threadIdx.x;
}

static __device__ __forceinline__ void load_tile(uint4 (&ret)[DEV_CEILING_TILE_VECTORS], const void *from,
                                                 uint64_t first) {
    const uint4 *at = static_cast<const uint4 *>(from) + first;
#pragma unroll
    for (int i = 0; i < DEV_CEILING_TILE_VECTORS; ++i)
        ret[i] = load_vector(at + i * DEV_CEILING_MEMORY_THREADS);
}

static __device__ __forceinline__ void store_tile(void *to, uint64_t first,
                                                  const uint4 (&tile)[DEV_CEILING_TILE_VECTORS]) {
    uint4 *at = static_cast<uint4 *>(to) + first;
#pragma unroll
    for (int i = 0; i < DEV_CEILING_TILE_VECTORS; ++i)
        store_vector(at + i * DEV_CEILING_MEMORY_THREADS, tile[i]);
}

CEILING_ENTRY(read, dev_ceiling_memory, DEV_CEILING_MEMORY_THREADS) {
    uint4 tile[DEV_CEILING_TILE_VECTORS], all = make_uint4(0, 0, 0, 0);
    for (uint32_t item = 0; item < args.items; ++item) {
        load_tile(tile, args.from, first_vector(args, item));
#pragma unroll
        for (int i = 0; i < DEV_CEILING_TILE_VECTORS; ++i)
            all.x ^= tile[i].x, all.y ^= tile[i].y, all.z ^= tile[i].z, all.w ^= tile[i].w;
    }
    const uint64_t low = static_cast<uint64_t>(all.y) << 32 | all.x;
    const uint64_t high = static_cast<uint64_t>(all.w) << 32 | all.z;
    if (args.sums) atomicXor(reinterpret_cast<unsigned long long *>(args.sums), low ^ high);
}

CEILING_ENTRY(write, dev_ceiling_memory, DEV_CEILING_MEMORY_THREADS) {
    uint4 tile[DEV_CEILING_TILE_VECTORS];
#pragma unroll
    for (int i = 0; i < DEV_CEILING_TILE_VECTORS; ++i) {
        const uint32_t word = 4 * (i * DEV_CEILING_MEMORY_THREADS + threadIdx.x);
        tile[i] = make_uint4(
            dev_ceiling_tile_word(args.seed, word), dev_ceiling_tile_word(args.seed, word + 1),
            dev_ceiling_tile_word(args.seed, word + 2), dev_ceiling_tile_word(args.seed, word + 3));
    }
    for (uint32_t item = 0; item < args.items; ++item) store_tile(args.to, first_vector(args, item), tile);
}

CEILING_ENTRY(copy, dev_ceiling_memory, DEV_CEILING_MEMORY_THREADS) {
    uint4 tile[DEV_CEILING_TILE_VECTORS];
    for (uint32_t item = 0; item < args.items; ++item) {
        const uint64_t first = first_vector(args, item);
        load_tile(tile, args.from, first);
        store_tile(args.to, first, tile);
    }
}

// ---- arithmetic ----

CEILING_ENTRY(fma, dev_ceiling_compute, DEV_CEILING_THREADS) {
    const uint64_t seed = args.seed + blockIdx.x;
    const float factor = dev_ceiling_factor(seed, threadIdx.x, 0),
                add = dev_ceiling_factor(seed, threadIdx.x, 1);
    float c[DEV_CEILING_FMA_CHAINS];
#pragma unroll
    for (int i = 0; i < DEV_CEILING_FMA_CHAINS; ++i) c[i] = dev_ceiling_factor(seed, threadIdx.x, 2 + i);
    for (uint32_t repeat = 0; repeat < args.repeats; ++repeat) {
#pragma unroll
        for (int step = 0; step < DEV_CEILING_FMA_STEPS; ++step)
#pragma unroll
            for (int i = 0; i < DEV_CEILING_FMA_CHAINS; ++i) c[i] = fmaf(c[i], factor, add);
    }
    double sum = 0;
#pragma unroll
    for (int i = 0; i < DEV_CEILING_FMA_CHAINS; ++i) sum += c[i];
    if (args.sums) atomicAdd(args.sums, sum);
}

CEILING_ENTRY(matrix_fp16, dev_ceiling_compute, DEV_CEILING_THREADS) {
    ceiling_matrix<ASSAY_FP16>(args, __half{});
}

CEILING_ENTRY(matrix_bf16, dev_ceiling_compute, DEV_CEILING_THREADS) {
    ceiling_matrix<ASSAY_BF16>(args, __nv_bfloat16{});
}

CEILING_ENTRY(matrix_tf32, dev_ceiling_compute, DEV_CEILING_THREADS) {
    ceiling_matrix<ASSAY_FP32>(args, mma_tf32{});
}

#if __CUDA_ARCH__ >= 890
CEILING_ENTRY(matrix_e4m3, dev_ceiling_compute, DEV_CEILING_THREADS) {
    ceiling_matrix<ASSAY_FP8_E4M3>(args, __nv_fp8_e4m3{});
}
#endif
