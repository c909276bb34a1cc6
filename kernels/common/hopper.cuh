// SPDX-License-Identifier: Apache-2.0
//
// PTX instructions of sm_90a as functions, by the names of PTX and CUTLASS: mbarrier, named barriers,
// clusters and distributed shared memory, TMA (cp.async.bulk.tensor), setmaxnreg, wgmma. Shared memory
// addresses are 32-bit; layout of tiles and matrix descriptors: hopper_descriptor.cuh. Source: PTX ISA 8.x,
// sections on mbarrier, cp.async.bulk.tensor, wgmma.
#ifndef COMMON_HOPPER_CUH
#define COMMON_HOPPER_CUH

#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <stdint.h>

#include "common/hopper_descriptor.cuh"
#include "common/mma_tf32.cuh"

// ---- mbarriers and named barriers ----

__device__ __forceinline__ void mbarrier_init(uint64_t *barrier, int arrivals) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(smem_address(barrier)), "r"(arrivals));
}

// After all inits and before other threads, the cluster or TMA use the barriers.
__device__ __forceinline__ void fence_mbarrier_init() {
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

// Arrives once and adds the bytes that TMA loads (or st.async) will deliver in this phase.
__device__ __forceinline__ void mbarrier_arrive_expect_tx(uint64_t *barrier, uint32_t bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(smem_address(barrier)),
                 "r"(bytes)
                 : "memory");
}

__device__ __forceinline__ void mbarrier_arrive(uint64_t *barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(smem_address(barrier)) : "memory");
}

// One elected lane of a converged warp arrives, without a branch, if `arrives`, which is warp-uniform.
__device__ __forceinline__ void mbarrier_arrive_warp(uint64_t *barrier, bool arrives = true) {
    asm volatile("{\n .reg .pred p, q;\n elect.sync _|p, 0xffffffff;\n setp.ne.and.u32 q, %1, 0, p;\n"
                 " @q mbarrier.arrive.shared::cta.b64 _, [%0];\n}" ::"r"(smem_address(barrier)),
                 "r"((uint32_t)arrives)
                 : "memory");
}

// Whether the phase of that parity is complete.
__device__ __forceinline__ bool mbarrier_test_wait(uint64_t *barrier, uint32_t parity) {
    uint32_t ret;
    asm volatile("{\n .reg .pred p;\n mbarrier.test_wait.parity.shared::cta.b64 p, [%1], %2;\n selp.u32 %0, "
                 "1, 0, p;\n}"
                 : "=r"(ret)
                 : "r"(smem_address(barrier)), "r"(parity)
                 : "memory");
    return ret != 0;
}

// Blocks until the phase of that parity is complete.
__device__ __forceinline__ void mbarrier_wait(uint64_t *barrier, uint32_t parity) {
    asm volatile(
        "{\n .reg .pred p;\n"
        "MBARRIER_WAIT: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n"
        " @p bra MBARRIER_DONE;\n bra MBARRIER_WAIT;\n MBARRIER_DONE:\n}" ::"r"(smem_address(barrier)),
        "r"(parity)
        : "memory");
}

// Named barriers of two warpgroups: one waits for the other, which arrives without waiting.
#define NAMED_BARRIER_THREADS 256
__device__ __forceinline__ void named_barrier_sync(int barrier) {
    asm volatile("bar.sync %0, %1;" ::"r"(barrier), "n"(NAMED_BARRIER_THREADS) : "memory");
}
__device__ __forceinline__ void named_barrier_arrive(int barrier) {
    asm volatile("bar.arrive %0, %1;" ::"r"(barrier), "n"(NAMED_BARRIER_THREADS) : "memory");
}

// ---- clusters, distributed shared memory ----

__device__ __forceinline__ int cluster_ctarank() {
    int ret;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(ret));
    return ret;
}
// All threads of the cluster arrive; those that will access other thread blocks' shared memory wait, the
// others may exit. Relaxed: orders no writes except barrier initialisation (fence_mbarrier_init). Wait only
// once no other thread depends on this one: under compute-sanitizer's racecheck a wait ends when all threads
// have exited or wait, not when all have arrived.
__device__ __forceinline__ void cluster_arrive_relaxed() {
    asm volatile("barrier.cluster.arrive.relaxed;" ::: "memory");
}
__device__ __forceinline__ void cluster_wait() {
    asm volatile("barrier.cluster.wait.acquire;" ::: "memory");
}
// The same offset in the shared memory of the thread block with that rank.
__device__ __forceinline__ uint32_t mapa(uint32_t shared, int rank) {
    uint32_t ret;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(ret) : "r"(shared), "r"(rank));
    return ret;
}
// Stores 16 bytes at shared memory address `at` of rank `to`, whose mbarrier counts the bytes. If `to` is
// this thread block's own rank, it is an ordinary store, which no mbarrier counts.
__device__ __forceinline__ void st_async(uint32_t at, uint32_t barrier, int to, int own, const float4 &x) {
    asm volatile(
        "{\n .reg .pred own;\n setp.eq.s32 own, %6, %7;\n"
        " @own st.shared.v4.f32 [%8], {%1, %2, %3, %4};\n"
        " @!own st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.f32 [%0], {%1, %2, %3, %4}, "
        "[%5];\n}" ::"r"(mapa(at, to)),
        "f"(x.x), "f"(x.y), "f"(x.z), "f"(x.w), "r"(mapa(barrier, to)), "r"(to), "r"(own), "r"(at)
        : "memory");
}

// ---- one thread, one warp ----

__device__ __forceinline__ int lane_id() {
    int ret;
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(ret));
    return ret;
}
__device__ __forceinline__ float log2_approx(float x) {
    float ret;
    asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(ret) : "f"(x));
    return ret;
}
__device__ __forceinline__ float rcp_approx(float x) {
    float ret;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(ret) : "f"(x));
    return ret;
}
// Broadcasts lane 0's value, hiding from the compiler that the result is warp-uniform: as a uniform register
// it would cost an extra register in FFMA.
__device__ __forceinline__ float broadcast_lane0(float x) {
    int first;
    asm volatile("mov.u32 %0, 0;" : "=r"(first));
    return __shfl_sync(~0u, x, first);
}
// from[index], which no thread writes, or `otherwise` if `from` is null, without a branch.
__device__ __forceinline__ float ld_global_nc_or(const float *from, int64_t index, float otherwise) {
    float ret;
    asm volatile(
        "{\n .reg .pred p;\n setp.ne.u64 p, %1, 0;\n mov.f32 %0, %2;\n @p ld.global.nc.f32 %0, [%3];\n}"
        : "=&f"(ret)
        : "l"(from), "f"(otherwise), "l"(from + index));
    return ret;
}
// Makes the compiler compute x here, and not where it is used.
template <typename T> __device__ __forceinline__ void keep_in_register(T &x) {
    static_assert(sizeof x == 4 || sizeof x == 8, "a register or two");
    if constexpr (sizeof x == 8)
        asm volatile("" : "+l"(x));
    else
        asm volatile("" : "+r"(x));
}
// An instruction without effect that the compiler cannot remove.
__device__ __forceinline__ void nanosleep_0() {
    asm volatile("nanosleep.u32 0;" ::: "memory");
}
// Keeps the compiler from merging the branch that leads here with the next one.
__device__ __forceinline__ void keep_branch() {
    asm volatile("" ::: "memory");
}

// ---- TMA ----

// Loads a box of the map into shared memory; elements outside of the tensor arrive as zeros, and their bytes
// count.
__device__ __forceinline__ void tma_load(uint32_t to, const CUtensorMap *map, uint64_t *barrier,
                                         const tma_coords &from) {
    asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%3, %4, %5, %6}], [%2];" ::"r"(to),
                 "l"(map), "r"(smem_address(barrier)), "r"(from.dim), "r"(from.row), "r"(from.head),
                 "r"(from.batch)
                 : "memory");
}

// Prefetches such a box into the L2.
__device__ __forceinline__ void tma_prefetch_l2(const CUtensorMap *map, const tma_coords &from) {
    asm volatile("cp.async.bulk.prefetch.tensor.4d.L2.global [%0, {%1, %2, %3, %4}];" ::"l"(map),
                 "r"(from.dim), "r"(from.row), "r"(from.head), "r"(from.batch)
                 : "memory");
}

// Stores the box at shared memory address `from`; elements outside of the tensor are not written. The same
// thread issues, commits and waits.
__device__ __forceinline__ void tma_store(const CUtensorMap *map, uint32_t from, const tma_coords &to) {
    asm volatile(
        "cp.async.bulk.tensor.4d.global.shared::cta.bulk_group [%0, {%2, %3, %4, %5}], [%1];" ::"l"(map),
        "r"(from), "r"(to.dim), "r"(to.row), "r"(to.head), "r"(to.batch)
        : "memory");
}
__device__ __forceinline__ void tma_store_commit_group() {
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
// Waits until the committed stores have read shared memory.
__device__ __forceinline__ void tma_store_wait_group_read() {
    asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}
// Waits until the committed stores are complete.
__device__ __forceinline__ void tma_store_wait_group() {
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}
// Makes this thread's writes to shared memory visible to TMA (the async proxy).
__device__ __forceinline__ void fence_proxy_async_shared() {
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
// Orders this thread's later global accesses after completed TMA stores to the same addresses.
__device__ __forceinline__ void fence_proxy_async_global() {
    asm volatile("fence.proxy.async.global;" ::: "memory");
}
// Fetches the tensor map into the cache ahead of its first use.
__device__ __forceinline__ void prefetch_tensormap(const CUtensorMap *map) {
    asm volatile("prefetch.tensormap [%0];" ::"l"(map) : "memory");
}
// Stores four 8x8 matrices of 16-bit elements; lanes 0-7 address the rows of the first, 8-15 of the second,
// and so on.
__device__ __forceinline__ void stmatrix_x4(uint32_t shared, const uint32_t (&m)[4]) {
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(shared), "r"(m[0]),
                 "r"(m[1]), "r"(m[2]), "r"(m[3])
                 : "memory");
}

// ---- registers (setmaxnreg) ----

template <int count> __device__ __forceinline__ void warpgroup_reg_alloc() {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(count));
}
template <int count> __device__ __forceinline__ void warpgroup_reg_dealloc() {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(count));
}

// ---- wgmma ----

__device__ __forceinline__ void warpgroup_arrive() {
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
__device__ __forceinline__ void warpgroup_commit_batch() {
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
template <int pending> __device__ __forceinline__ void warpgroup_wait() {
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(pending) : "memory");
}
// Pins the registers of a wgmma in flight: the compiler must neither move nor reuse them before this point.
template <int count> __device__ __forceinline__ void warpgroup_fence_operand(float (&c)[count]) {
#pragma unroll
    for (int i = 0; i < count; ++i) asm volatile("" : "+f"(c[i])::"memory");
}
template <int count> __device__ __forceinline__ void warpgroup_fence_operand(uint32_t (&c)[count]) {
#pragma unroll
    for (int i = 0; i < count; ++i) asm volatile("" : "+r"(c[i])::"memory");
}

#define WGMMA_REGS_4(c, i) "+f"(c[i]), "+f"(c[i + 1]), "+f"(c[i + 2]), "+f"(c[i + 3])
#define WGMMA_REGS_16(c, i)                                                                                  \
    WGMMA_REGS_4(c, i), WGMMA_REGS_4(c, i + 4), WGMMA_REGS_4(c, i + 8), WGMMA_REGS_4(c, i + 12)
#define WGMMA_REGS_32(c) WGMMA_REGS_16(c, 0), WGMMA_REGS_16(c, 16)
#define WGMMA_REGS_64(c) WGMMA_REGS_32(c), WGMMA_REGS_16(c, 32), WGMMA_REGS_16(c, 48)
#define WGMMA_REGS_128(c)                                                                                    \
    WGMMA_REGS_64(c), WGMMA_REGS_16(c, 64), WGMMA_REGS_16(c, 80), WGMMA_REGS_16(c, 96), WGMMA_REGS_16(c, 112)
#define WGMMA_LIST_32                                                                                        \
    "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,"        \
    "%26,%27,%28,%29,%30,%31}"
#define WGMMA_LIST_64                                                                                        \
    "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,"        \
    "%26,%27,%28,%29,%30,%31,%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,%48,"           \
    "%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63}"
#define WGMMA_LIST_128                                                                                       \
    "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,"        \
    "%26,%27,%28,%29,%30,%31,%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,%48,%49,"       \
    "%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63,%64,%65,%66,%67,%68,%69,%70,%71,%72,%73,"       \
    "%74,%75,%76,%77,%78,%79,%80,%81,%82,%83,%84,%85,%86,%87,%88,%89,%90,%91,%92,%93,%94,%95,%96,%97,"       \
    "%98,%99,%100,%101,%102,%103,%104,%105,%106,%107,%108,%109,%110,%111,%112,%113,%114,%115,%116,"          \
    "%117,%118,%119,%120,%121,%122,%123,%124,%125,%126,%127}"

// wgmma m64nNk16, both operands in shared memory, K-major: c (64 x n) = a (64 x 16) b^T (n x 16), accumulated
// if is_added. Lane l of warp w holds in c[4 i + e] row 16 w + l / 4 + 8 (e / 2), column 8 i + 2 (l % 4) + e
// % 2.
#define WGMMA_DEFINE_SS(type, name, n, count, list, at_a, at_b, at_p)                                        \
    __device__ __forceinline__ void wgmma_ss(float(&c)[count], uint64_t a, uint64_t b, int is_added, type) { \
        asm volatile("{\n .reg .pred p;\n setp.ne.b32 p, " at_p ", 0;\n"                                     \
                     "wgmma.mma_async.sync.aligned.m64n" #n "k16.f32." name "." name " " list ", " at_a      \
                     ", " at_b ", p, 1, 1, 0, 0;\n}\n"                                                       \
                     : WGMMA_REGS_##count(c)                                                                 \
                     : "l"(a), "l"(b), "r"(is_added));                                                       \
    }
WGMMA_DEFINE_SS(__half, "f16", 64, 32, WGMMA_LIST_32, "%32", "%33", "%34")
WGMMA_DEFINE_SS(__nv_bfloat16, "bf16", 64, 32, WGMMA_LIST_32, "%32", "%33", "%34")
WGMMA_DEFINE_SS(__half, "f16", 128, 64, WGMMA_LIST_64, "%64", "%65", "%66")
WGMMA_DEFINE_SS(__nv_bfloat16, "bf16", 128, 64, WGMMA_LIST_64, "%64", "%65", "%66")
WGMMA_DEFINE_SS(__half, "f16", 256, 128, WGMMA_LIST_128, "%128", "%129", "%130")
WGMMA_DEFINE_SS(__nv_bfloat16, "bf16", 256, 128, WGMMA_LIST_128, "%128", "%129", "%130")

// The same for types that are K-major only, k32 in e4m3 and k8 in tf32: 64 x k and n x k.
#define WGMMA_DEFINE_SS_K_MAJOR(type, name, shape, count, list, at_a, at_b, at_p)                            \
    __device__ __forceinline__ void wgmma_ss(float(&c)[count], uint64_t a, uint64_t b, int is_added, type) { \
        asm volatile("{\n .reg .pred p;\n setp.ne.b32 p, " at_p ", 0;\n"                                     \
                     "wgmma.mma_async.sync.aligned." shape ".f32." name "." name " " list ", " at_a          \
                     ", " at_b ", p, 1, 1;\n}\n"                                                             \
                     : WGMMA_REGS_##count(c)                                                                 \
                     : "l"(a), "l"(b), "r"(is_added));                                                       \
    }
WGMMA_DEFINE_SS_K_MAJOR(__nv_fp8_e4m3, "e4m3", "m64n64k32", 32, WGMMA_LIST_32, "%32", "%33", "%34")
WGMMA_DEFINE_SS_K_MAJOR(__nv_fp8_e4m3, "e4m3", "m64n128k32", 64, WGMMA_LIST_64, "%64", "%65", "%66")
WGMMA_DEFINE_SS_K_MAJOR(__nv_fp8_e4m3, "e4m3", "m64n256k32", 128, WGMMA_LIST_128, "%128", "%129", "%130")
WGMMA_DEFINE_SS_K_MAJOR(mma_tf32, "tf32", "m64n256k8", 128, WGMMA_LIST_128, "%128", "%129", "%130")

// wgmma m64nNk16, a in registers, b in shared memory, MN-major: c (64 x n) = a (64 x 16) b (16 x n),
// accumulated if is_added.
#define WGMMA_DEFINE_RS(type, name, n, count, list, at_a, at_b, at_p)                                        \
    __device__ __forceinline__ void wgmma_rs(float(&c)[count], const uint32_t *a, uint64_t b, int is_added,  \
                                             type) {                                                         \
        asm volatile("{\n .reg .pred p;\n setp.ne.b32 p, " at_p ", 0;\n"                                     \
                     "wgmma.mma_async.sync.aligned.m64n" #n "k16.f32." name "." name " " list ", " at_a      \
                     ", " at_b ", p, 1, 1, 1;\n}\n"                                                          \
                     : WGMMA_REGS_##count(c)                                                                 \
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(is_added));                   \
    }
WGMMA_DEFINE_RS(__half, "f16", 64, 32, WGMMA_LIST_32, "{%32,%33,%34,%35}", "%36", "%37")
WGMMA_DEFINE_RS(__nv_bfloat16, "bf16", 64, 32, WGMMA_LIST_32, "{%32,%33,%34,%35}", "%36", "%37")
WGMMA_DEFINE_RS(__half, "f16", 128, 64, WGMMA_LIST_64, "{%64,%65,%66,%67}", "%68", "%69")
WGMMA_DEFINE_RS(__nv_bfloat16, "bf16", 128, 64, WGMMA_LIST_64, "{%64,%65,%66,%67}", "%68", "%69")

#endif
