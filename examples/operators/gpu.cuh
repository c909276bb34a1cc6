// SPDX-License-Identifier: Apache-2.0
//
// What the CUDA kernels of this folder share: reductions in a warp, neighbours read at once, and a wait.
#ifndef GPU_CUH
#define GPU_CUH

#define WARP 32
#define ALL  0xffffffffu // lanes

static inline __device__ float warp_sum(float value) {
    for (int lane = WARP / 2; lane > 0; lane /= 2) value += __shfl_xor_sync(ALL, value, lane);
    return value;
}

static inline __device__ float warp_max(float value) {
    for (int lane = WARP / 2; lane > 0; lane /= 2) value = fmaxf(value, __shfl_xor_sync(ALL, value, lane));
    return value;
}

// Neighbours that one instruction reads or writes; rows must have a multiple of COUNT.
template <typename T, int COUNT> struct alignas(COUNT * sizeof(T) < 16 ? COUNT * sizeof(T) : 16) pack {
    T at[COUNT];
};

// Built with -DSLOWER=6 a kernel takes 6 % longer than with -DSLOWER=0, to try a gate with: the block that
// ends last waits. How long the launch has taken it reads from the clock of its multiprocessor, whose first
// block left the time. That alone takes some microseconds: compare neither with one without.
#ifdef SLOWER
#define LAUNCH_CLOCKS 2000 // of a launch before its first block and after its last one

static __device__ unsigned long long first_clock[512];
static __device__ unsigned ended;

static inline __device__ unsigned long long *my_first_clock() {
    unsigned multiprocessor;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(multiprocessor));
    return &first_clock[multiprocessor];
}

static inline __device__ void launch_begins() {
    if (threadIdx.x == 0) atomicCAS(my_first_clock(), 0ull, (unsigned long long)clock64());
}

static inline __device__ void launch_ends() {
    __syncthreads();
    if (threadIdx.x != 0 || atomicInc(&ended, gridDim.x - 1) != gridDim.x - 1) return;
    const unsigned long long took = clock64() - atomicAdd(my_first_clock(), 0ull);
    for (int i = 0; i < 512; ++i) first_clock[i] = 0;
    const unsigned long long begin = clock64(); // with SLOWER=0 the clocks are cleared, too
    while (clock64() - begin < (took + LAUNCH_CLOCKS) * SLOWER / 100) {
    }
}
#else
static inline __device__ void launch_begins() {}
static inline __device__ void launch_ends() {}
#endif

#endif
