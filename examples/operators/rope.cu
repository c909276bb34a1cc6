// SPDX-License-Identifier: Apache-2.0
//
// Rotary position embedding of bf16 heads on a GPU, in place: a thread turns some numbers and their partners.
// With BUG, the partner of a number is half a head away, not half of what turns.
#include <cuda_bf16.h>

#include "gpu.cuh"

#define THREADS 256

template <int WIDTH> // numbers that a thread reads at once
__global__ static void rope_numbers(const int *positions, const float *table, __nv_bfloat16 *x,
                                    int64_t token_heads, int heads, int dim, int rotary, int distance) {
    typedef pack<__nv_bfloat16, WIDTH> numbers;
    typedef pack<float, WIDTH> factors;
    const int half = rotary / 2, threads_of_head = half / WIDTH;
    const int64_t thread = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    const int64_t token_head = thread / threads_of_head;
    launch_begins();
    if (token_head < token_heads) {
        const int first = (int)(thread % threads_of_head) * WIDTH;
        const float *row = table + (int64_t)positions[token_head / heads] * rotary;
        const factors cosines = *(const factors *)(row + first),
                      sines = *(const factors *)(row + half + first);
        __nv_bfloat16 *place = x + token_head * dim + first;
        numbers some = *(numbers *)place, partners = *(numbers *)(place + distance);
        for (int j = 0; j < WIDTH; ++j) {
            const float a = __bfloat162float(some.at[j]), b = __bfloat162float(partners.at[j]);
            some.at[j] = __float2bfloat16(a * cosines.at[j] - b * sines.at[j]);
            partners.at[j] = __float2bfloat16(b * cosines.at[j] + a * sines.at[j]);
        }
        *(numbers *)place = some;
        *(numbers *)(place + distance) = partners;
    }
    launch_ends();
}

extern "C" void rope(const int *positions, const float *table, __nv_bfloat16 *x, int tokens, int heads,
                     int dim, int rotary, cudaStream_t stream) {
#ifdef BUG
    const int distance = dim / 2;
#else
    const int distance = rotary / 2;
#endif
    const int width = dim % 8 == 0 && distance % 8 == 0 && rotary % 16 == 0 ? 8 : 1;
    const auto kernel = width == 8 ? rope_numbers<8> : rope_numbers<1>;
    const int64_t token_heads = (int64_t)tokens * heads, threads = token_heads * (rotary / 2 / width);
    kernel<<<(unsigned)((threads + THREADS - 1) / THREADS), THREADS, 0, stream>>>(
        positions, table, x, token_heads, heads, dim, rotary, distance);
}
