// SPDX-License-Identifier: Apache-2.0
//
// What share of the multiply-add rate attention kernels on the processor reach, one thread: the modules given
// take turns in one process, each launch between two runs of a register-only loop. So a clock that moves, or
// a neighbour, reaches both alike; the time is the thread's, not the wall's. fp32, standard normal inputs.
//   gcc -std=gnu17 -O3 -Iinclude -Ikernels bench/fma_share.c -o fma_share -ldl -lm
//   fma_share [--launches N] MODULE.so...      paths with a slash, as `assay build` prints them
#include <assay/kernel.h>
#include <dlfcn.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#if defined(__x86_64__)
#include "common/vec_avx512.h"
#define SHARE_IS_PRESENT vec_avx512_is_present
#elif defined(__aarch64__)
#include "common/vec_neon.h"
#define SHARE_IS_PRESENT vec_neon_is_present
#else
#include "common/vec_plain.h"
#define SHARE_IS_PRESENT vec_plain_is_present
#endif

#define MODULES_MAX  8
#define LAUNCHES     101
#define ACCUMULATORS 12
#define LOOP_STEPS   200000 // about a millisecond

struct shape {
    const char *name;
    int64_t batch, heads, seq, dim;
    int causal;
};

static const struct shape shapes[] = {
    {"s128", 1, 1, 128, 64, 0},        {"s512", 1, 1, 512, 64, 0},      {"s512_h8", 1, 8, 512, 64, 0},
    {"s512_d128", 1, 8, 512, 128, 0},  {"s1024_h4", 1, 4, 1024, 64, 0}, {"s512_h32", 1, 32, 512, 64, 0},
    {"s512_causal", 1, 8, 512, 64, 1}, {"s2048", 1, 1, 2048, 64, 0},
};

static double thread_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static volatile float factor_source = 0.5f, sink;

// Multiply-adds of single lanes per second, in registers.
VEC_TARGET static double loop_rate(void) {
    const vec_t factor = VEC_SET1(factor_source);
    vec_t sums[ACCUMULATORS];
    for (int i = 0; i < ACCUMULATORS; ++i) sums[i] = VEC_SET1(factor_source);
    const double begin = thread_seconds();
    for (int step = 0; step < LOOP_STEPS; ++step) {
#pragma GCC unroll 12
        for (int i = 0; i < ACCUMULATORS; ++i) sums[i] = VEC_FMA(sums[i], factor, factor);
    }
    const double seconds = thread_seconds() - begin;
    for (int i = 0; i < ACCUMULATORS; ++i) sink = VEC_FIRST(sums[i]);
    return (double)LOOP_STEPS * ACCUMULATORS * VEC_LANES / seconds;
}

static int compare_doubles(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static float normal(void) {
    const double u = ((double)rand() + 1.0) / ((double)RAND_MAX + 2.0), v = (double)rand() / (double)RAND_MAX;
    return (float)(sqrt(-2.0 * log(u)) * cos(6.283185307179586 * v));
}

struct side {
    const char *path;
    const struct assay_kernel *kernel;
    void *state, *workspace;
    double shares[LAUNCHES];
};

static void die(const char *what, const char *detail) {
    fprintf(stderr, "fma_share: %s: %s\n", what, detail);
    exit(70);
}

static void load(struct side *side, const char *path) {
    const struct assay_module *(*entry)(void);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    void *found = library ? dlsym(library, "assay_module") : NULL;
    if (!found) die(path, dlerror());
    memcpy(&entry, &found, sizeof entry);
    *side = (struct side){.path = path, .kernel = entry()->kernels};
}

// Q, K, V and O of the shape, [B][H][S][D] without gaps.
static void set_tensors(const struct shape *shape, struct assay_tensor *tensors) {
    const int32_t roles[] = {ASSAY_Q, ASSAY_K, ASSAY_V, ASSAY_O};
    const int64_t extents[] = {shape->batch, shape->heads, shape->seq, shape->dim};
    for (int t = 0; t < 4; ++t) {
        struct assay_tensor *tensor = tensors + t;
        *tensor = (struct assay_tensor){.role = roles[t], .dtype = ASSAY_FP32, .dim_count = 4};
        int64_t count = 1;
        for (int i = 3; i >= 0; --i) {
            tensor->shape[i] = extents[i];
            tensor->stride[i] = count;
            count *= extents[i];
        }
        float *data = aligned_alloc(256, ((size_t)count * sizeof(float) + 255) / 256 * 256);
        if (!data) die(shape->name, "out of memory");
        for (int64_t i = 0; i < count; ++i) data[i] = normal();
        tensor->data = data;
    }
}

static void prepare(struct side *side, const struct assay_problem *problem) {
    char text[256] = "";
    struct assay_message message = {.capacity = sizeof text, .text = text};
    const struct assay_env env = {
        .struct_size = sizeof env, .thread_count = 1, .device_index = -1, .cache_bytes = 2u << 20};
    size_t bytes = 0;
    side->state = (void *)problem;
    if (side->kernel->prepare &&
        side->kernel->prepare(problem, &env, &side->state, &bytes, &message) != ASSAY_OK)
        die(side->path, text);
    side->workspace = aligned_alloc(4096, (bytes + 4096) / 4096 * 4096);
    if (!side->workspace) die(side->path, "out of memory");
}

static void launch(struct side *side, const struct assay_tensors *tensors) {
    char text[256] = "";
    struct assay_message message = {.capacity = sizeof text, .text = text};
    if (side->kernel->launch(side->state, tensors, side->workspace, NULL, &message) != ASSAY_OK)
        die(side->path, text);
}

static void measure(const struct shape *shape, struct side *sides, int side_count, int launches) {
    struct assay_tensor items[4];
    set_tensors(shape, items);
    const struct assay_scalar scalars[] = {
        {"batch", (double)shape->batch},    {"heads", (double)shape->heads},
        {"heads_kv", (double)shape->heads}, {"seq_q", (double)shape->seq},
        {"seq_k", (double)shape->seq},      {"head_dim", (double)shape->dim},
        {"causal", (double)shape->causal},  {"scale", 1.0 / sqrt((double)shape->dim)}};
    struct assay_problem problem = {.struct_size = sizeof problem,
                                    .op = "attention",
                                    .name = shape->name,
                                    .scalars = scalars,
                                    .scalar_count = sizeof scalars / sizeof scalars[0],
                                    .features = ""};
    problem.tensors = (struct assay_tensors){sizeof problem.tensors, 4, sizeof items[0], 0, items};
    double work = 2.0 * (double)(shape->batch * shape->heads * shape->seq * shape->seq * shape->dim);
    if (shape->causal) work *= (double)(shape->seq + 1) / (double)(2 * shape->seq);
    for (int s = 0; s < side_count; ++s) {
        prepare(sides + s, &problem);
        launch(sides + s, &problem.tensors);
    }
    for (int i = 0; i < launches; ++i) {
        for (int s = 0; s < side_count; ++s) {
            const double before = loop_rate(), begin = thread_seconds();
            launch(sides + s, &problem.tensors);
            const double seconds = thread_seconds() - begin;
            sides[s].shares[i] = work / seconds / (0.5 * (before + loop_rate()));
        }
    }
    printf("%-12s", shape->name);
    for (int s = 0; s < side_count; ++s) {
        qsort(sides[s].shares, (size_t)launches, sizeof(double), compare_doubles);
        printf("  %5.1f %%", 100.0 * sides[s].shares[launches / 2]);
        if (sides[s].kernel->release) sides[s].kernel->release(sides[s].state);
        free(sides[s].workspace);
    }
    printf("\n");
    fflush(stdout);
    for (int t = 0; t < 4; ++t) free(items[t].data);
}

int main(int argc, char **argv) {
    static struct side sides[MODULES_MAX];
    int count = 0, launches = LAUNCHES;
    for (int i = 1; i < argc; ++i) {
        if (strcmp(argv[i], "--launches") == 0 && i + 1 < argc) {
            launches = atoi(argv[++i]);
            if (launches < 1 || launches > LAUNCHES) die("--launches", "from 1 to 101");
        } else if (count < MODULES_MAX) {
            load(sides + count++, argv[i]);
        }
    }
    if (!SHARE_IS_PRESENT()) die("no rate of multiply-adds", "this processor has no AVX-512");
    if (count == 0) die("no module", "usage: fma_share [--launches N] MODULE.so...");
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; ++i) measure(shapes + i, sides, count, launches);
    return 0;
}
