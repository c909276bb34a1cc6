// SPDX-License-Identifier: Apache-2.0
//
// Register-only multiply-add loops, one per vector unit, and passes over memory. Target attributes let a
// build for the baseline processor hold all of them. Twelve independent accumulators cover a latency of 6
// cycles at two multiply-adds a cycle; they converge to 1, so that no subnormal number, which is slow,
// appears.
#include "worker/backend/cpu/ceilings_cpu.h"

#include <string.h>

#include "base/clock.h"

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#define PIECE_NS        200000 // long against the clock's step, short against a scheduler's slice
#define STEPS_FIRST     1000
#define ACCUMULATORS    12
#define BYTES_MIN       4096
#define PASS_BYTES      65536 // read between two readings of the clock, at least
#define READ_LANES      4
#define READ_STEP_BYTES 128 // 4 vectors of READ_LANES words

typedef float float4 __attribute__((vector_size(16)));
typedef uint64_t word4 __attribute__((vector_size(32)));

// Stores that the compiler must keep, since nothing else uses the results.
static volatile float float_sink;
static volatile uint64_t word_sink;
// Read at run time for each accumulator: the compiler would merge equal ones.
static volatile float factor_source = 0.5f;

#define FLOATS_OF(type) (ACCUMULATORS * sizeof(type) / sizeof(float))

// name(steps): steps x ACCUMULATORS vectors a = a * factor + factor, by FMA(a, factor).
#define FMA_LOOP(name, target, type, SET1, FMA)                                                              \
    target static void name(uint64_t steps) {                                                                \
        const type f = SET1(factor_source);                                                                  \
        type a0 = SET1(factor_source), a1 = SET1(factor_source), a2 = SET1(factor_source),                   \
             a3 = SET1(factor_source), a4 = SET1(factor_source), a5 = SET1(factor_source),                   \
             a6 = SET1(factor_source), a7 = SET1(factor_source), a8 = SET1(factor_source),                   \
             a9 = SET1(factor_source), a10 = SET1(factor_source), a11 = SET1(factor_source);                 \
        for (uint64_t i = 0; i < steps; ++i) {                                                               \
            a0 = FMA(a0, f), a1 = FMA(a1, f), a2 = FMA(a2, f), a3 = FMA(a3, f);                              \
            a4 = FMA(a4, f), a5 = FMA(a5, f), a6 = FMA(a6, f), a7 = FMA(a7, f);                              \
            a8 = FMA(a8, f), a9 = FMA(a9, f), a10 = FMA(a10, f), a11 = FMA(a11, f);                          \
        }                                                                                                    \
        const type all[ACCUMULATORS] = {a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11};                   \
        float values[FLOATS_OF(type)];                                                                       \
        memcpy(values, all, sizeof values);                                                                  \
        for (size_t i = 0; i < FLOATS_OF(type); ++i) float_sink = values[i];                                 \
    }

#define SCALAR_SET1(x)   ((float4){0} + (x))
#define SCALAR_FMA(a, f) ((a) * (f) + (f))
FMA_LOOP(fma_scalar, , float4, SCALAR_SET1, SCALAR_FMA)

#if defined(__x86_64__)
#define AVX2_FMA(a, f)   _mm256_fmadd_ps(a, f, f)
#define AVX512_FMA(a, f) _mm512_fmadd_ps(a, f, f)
FMA_LOOP(fma_avx2, __attribute__((target("avx2,fma"))), __m256, _mm256_set1_ps, AVX2_FMA)
FMA_LOOP(fma_avx512, __attribute__((target("avx512f"))), __m512, _mm512_set1_ps, AVX512_FMA)
#elif defined(__aarch64__)
#define NEON_FMA(a, f) vfmaq_f32(f, a, f)
FMA_LOOP(fma_neon, , float32x4_t, vdupq_n_f32, NEON_FMA)
#endif

// run is NULL if the architecture has no such unit.
static const struct {
    const char *name;
    void (*run)(uint64_t steps);
    unsigned lanes_count;
} isas[ISA_COUNT] = {
    [ISA_SCALAR] = {"scalar", fma_scalar, 4},
#if defined(__aarch64__)
    [ISA_NEON] = {"neon", fma_neon, 4},
#else
    [ISA_NEON] = {"neon", NULL, 4},
#endif
#if defined(__x86_64__)
    [ISA_AVX2] = {"avx2", fma_avx2, 8},
    [ISA_AVX512] = {"avx512", fma_avx512, 16},
#else
    [ISA_AVX2] = {"avx2", NULL, 8},
    [ISA_AVX512] = {"avx512", NULL, 16},
#endif
};

const char *isa_name(enum isa isa) {
    return isa > ISA_INVALID && isa < ISA_COUNT ? isas[isa].name : NULL;
}

enum isa isa_parse(const char *name) {
    for (int isa = ISA_INVALID + 1; isa < ISA_COUNT; ++isa)
        if (strcmp(isas[isa].name, name) == 0) return (enum isa)isa;
    return ISA_INVALID;
}

bool isa_is_present(enum isa isa) {
    if (isa <= ISA_INVALID || isa >= ISA_COUNT || !isas[isa].run) return false;
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (isa == ISA_AVX2) return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    if (isa == ISA_AVX512) return __builtin_cpu_supports("avx512f");
#endif
    return true;
}

enum isa isa_widest(void) {
    int isa = ISA_COUNT - 1;
    while (!isa_is_present((enum isa)isa)) --isa; // ISA_SCALAR always is
    return (enum isa)isa;
}

int ceiling_cpu_fma(enum isa isa, uint64_t budget_ns, double *ret_gflop_per_s, struct err *err) {
    if (!isa_is_present(isa))
        return err_set(err, ERR_UNAVAILABLE, "cannot measure the multiply-add peak: this processor has no %s",
                       isa_name(isa) ? isa_name(isa) : "vector unit of that number");
    const double flops_per_step = 2.0 * ACCUMULATORS * isas[isa].lanes_count;
    const uint64_t start_ns = clock_ns();
    uint64_t steps = STEPS_FIRST;
    double best = 0;
    bool is_measured = false;
    while (!is_measured || clock_ns() - start_ns < budget_ns) {
        const uint64_t piece_start_ns = clock_ns();
        isas[isa].run(steps);
        const uint64_t piece_ns = clock_ns() - piece_start_ns;
        if (piece_ns < PIECE_NS) {
            steps *= 2;
            continue;
        }
        const double rate = flops_per_step * (double)steps / (double)piece_ns;
        if (rate > best) best = rate;
        is_measured = true;
    }
    *ret_gflop_per_s = best;
    return 0;
}

// Reads every word; bytes is a multiple of READ_STEP_BYTES.
#define READ_LOOP(name, target)                                                                              \
    target static void name(const void *buffer, size_t bytes) {                                              \
        const word4 *words = buffer;                                                                         \
        word4 a = {0}, b = {0}, c = {0}, d = {0};                                                            \
        for (size_t i = 0; i < bytes / sizeof(word4); i += 4)                                                \
            a ^= words[i], b ^= words[i + 1], c ^= words[i + 2], d ^= words[i + 3];                          \
        a ^= b ^ c ^ d;                                                                                      \
        for (int i = 0; i < READ_LANES; ++i) word_sink = a[i];                                               \
    }

READ_LOOP(read_scalar, )
#if defined(__x86_64__)
READ_LOOP(read_avx2, __attribute__((target("avx2"))))
#endif

// One pass: reads bytes at from; a copy writes them at to.
typedef void pass_fn(const void *from, void *to, size_t bytes);

static void read_pass(const void *from, void *to, size_t bytes) {
    (void)to;
#if defined(__x86_64__)
    if (isa_is_present(ISA_AVX2)) {
        read_avx2(from, bytes);
        return;
    }
#endif
    read_scalar(from, bytes);
}

static void copy_pass(const void *from, void *to, size_t bytes) {
    memcpy(to, from, bytes);
    word_sink = *(volatile unsigned char *)to; // the copies are read, so none may be left out
}

// Another byte in every pass: no pass repeats what lies there.
static void write_pass(const void *from, void *to, size_t bytes) {
    static _Thread_local unsigned char byte;
    (void)from;
    memset(to, ++byte, bytes);
    word_sink = *(volatile unsigned char *)to;
}

// The fastest pass. Several passes over a small buffer are timed as one, so that reading the clock does not
// count.
static double fastest_pass_ns(pass_fn *pass, const void *from, void *to, size_t bytes, uint64_t budget_ns) {
    const size_t repeat_count = 1 + PASS_BYTES / bytes;
    const uint64_t start_ns = clock_ns();
    uint64_t best_ns = UINT64_MAX;
    do {
        const uint64_t pass_start_ns = clock_ns();
        for (size_t i = 0; i < repeat_count; ++i) pass(from, to, bytes);
        const uint64_t pass_ns = clock_ns() - pass_start_ns;
        if (pass_ns > 0 && pass_ns < best_ns) best_ns = pass_ns;
    } while (best_ns == UINT64_MAX || clock_ns() - start_ns < budget_ns);
    return (double)best_ns / (double)repeat_count;
}

static int check_bytes(size_t bytes, struct err *err) {
    if (bytes >= BYTES_MIN) return 0;
    return err_set(err, ERR_INTERNAL, "cannot measure bandwidth over %zu bytes: %d are the least", bytes,
                   BYTES_MIN);
}

int ceiling_cpu_read(const void *buffer, size_t bytes, uint64_t budget_ns, double *ret_gb_per_s,
                     struct err *err) {
    const int status = check_bytes(bytes, err);
    if (status < 0) return status;
    const size_t whole = bytes / READ_STEP_BYTES * READ_STEP_BYTES;
    *ret_gb_per_s = (double)whole / fastest_pass_ns(read_pass, buffer, NULL, whole, budget_ns);
    return 0;
}

int ceiling_cpu_copy(void *buffer, size_t bytes, uint64_t budget_ns, double *ret_gb_per_s, struct err *err) {
    const int status = check_bytes(bytes, err);
    if (status < 0) return status;
    const size_t half = bytes / 2;
    *ret_gb_per_s =
        2.0 * (double)half / fastest_pass_ns(copy_pass, buffer, (char *)buffer + half, half, budget_ns);
    return 0;
}

int ceiling_cpu_write(void *buffer, size_t bytes, uint64_t budget_ns, double *ret_gb_per_s, struct err *err) {
    const int status = check_bytes(bytes, err);
    if (status < 0) return status;
    *ret_gb_per_s = (double)bytes / fastest_pass_ns(write_pass, NULL, buffer, bytes, budget_ns);
    return 0;
}
