// SPDX-License-Identifier: Apache-2.0
//
// bf16 to fp8 e4m3 on a GPU, with a scale for every 128 numbers of a row: a warp for each group. With BUG,
// the largest number of the last group is looked for in 128 numbers too, and so in the next row.
#include <cuda_bf16.h>
#include <cuda_fp8.h>

#include "gpu.cuh"

#define THREADS 256
#define GROUP   128
#define LARGEST 448.0f
#define MINE    (GROUP / WARP) // numbers of a thread

template <int WIDTH> // numbers that a thread reads at once
__global__ static void quantize_groups(const __nv_bfloat16 *x, __nv_fp8_storage_t *codes, float *scales,
                                       int64_t rows, int columns) {
    const int64_t groups = (columns + (int64_t)GROUP - 1) / GROUP;
    const int64_t group = ((int64_t)blockIdx.x * THREADS + threadIdx.x) / WARP;
    launch_begins();
    if (group < rows * groups) {
        const int64_t start = group / groups * columns, first = group % groups * GROUP;
#ifdef BUG
        const int64_t seen = min(rows * columns - start, first + GROUP);
#else
        const int64_t seen = min((int64_t)columns, first + GROUP);
#endif
        float mine[MINE], largest = 0;
        for (int i = 0; i < MINE; i += WIDTH) {
            const int64_t at = first + i * WARP + threadIdx.x % WARP * WIDTH;
            pack<__nv_bfloat16, WIDTH> some = {};
            if (at < seen) some = *(const pack<__nv_bfloat16, WIDTH> *)(x + start + at);
            for (int j = 0; j < WIDTH; ++j) {
                mine[i + j] = __bfloat162float(some.at[j]);
                largest = fmaxf(largest, fabsf(mine[i + j]));
            }
        }
        largest = warp_max(largest);
        const float scale = largest > 0 ? largest / LARGEST : 1;
        if (threadIdx.x % WARP == 0) scales[group] = scale;
        for (int i = 0; i < MINE; i += WIDTH) {
            const int64_t at = first + i * WARP + threadIdx.x % WARP * WIDTH;
            pack<__nv_fp8_storage_t, WIDTH> some;
            for (int j = 0; j < WIDTH; ++j)
                some.at[j] = __nv_cvt_float_to_fp8(mine[i + j] / scale, __NV_SATFINITE, __NV_E4M3);
            if (at < columns) *(pack<__nv_fp8_storage_t, WIDTH> *)(codes + start + at) = some;
        }
    }
    launch_ends();
}

extern "C" void quantize(const __nv_bfloat16 *x, __nv_fp8_storage_t *codes, float *scales, int rows,
                         int columns, cudaStream_t stream) {
    const int64_t threads = (int64_t)rows * ((columns + (int64_t)GROUP - 1) / GROUP) * WARP;
    const auto kernel = columns % MINE == 0 ? quantize_groups<MINE> : quantize_groups<1>;
    kernel<<<(unsigned)((threads + THREADS - 1) / THREADS), THREADS, 0, stream>>>(x, codes, scales, rows,
                                                                                  columns);
}
