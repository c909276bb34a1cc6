// SPDX-License-Identifier: Apache-2.0
//
// Checks the kernels that measure ceilings on a GPU against the host (their sums, the bytes they write), then
// measures and prints the ceilings, which are not stored. For a machine with a GPU:
// `build/default/tests/ceiling_check [cuda:0]`. One line a check or figure; exit code 1 when a check fails.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/ceiling_kernel_core.h"
#include "fakes/device_host.h"
#include "record/ceiling.h"
#include "worker/backend/backend.h"
#include "worker/backend/cuda/cuda_device_internal.h"

#define SEED    7u
#define BLOCKS  3u
#define REPEATS 5u
#define TILES   37u

static struct device *device;
static cuda_module module;
static int failures;

static void stop_on(int code, const struct err *err) {
    if (code >= 0) return;
    fprintf(stderr, "ceiling_check: %s\n", err->text);
    exit(1);
}

static void say(bool is_right, const char *what, const char *detail) {
    printf("%-5s %-12s %s\n", is_right ? "ok" : "FAIL", what, detail);
    failures += !is_right;
}

static void *on_device(size_t bytes) {
    struct err err = {0};
    void *data = NULL;
    stop_on(device->backend->work->scratch_alloc(device, bytes, &data, &err), &err);
    return data;
}

static void to_device(void *data, const void *host, size_t bytes) {
    struct err err = {0};
    stop_on(device->backend->work->copy_in(device, data, host, bytes, &err), &err);
}

static void to_host(void *host, const void *data, size_t bytes) {
    struct err err = {0};
    stop_on(device->backend->work->copy_out(device, host, data, bytes, &err), &err);
}

static void launch(const char *entry, uint32_t threads, const void *args, size_t bytes) {
    struct err err = {0};
    cuda_function function = NULL;
    struct cuda_device *cuda = cuda_device_of(device);
    if (cuda->driver->module_get_function(&function, module, entry)) {
        fprintf(stderr, "ceiling_check: there is no %s\n", entry);
        exit(1);
    }
    const struct kernel_launch program = kernel_launch_make(entry, BLOCKS, threads, args, bytes);
    stop_on(cuda_function_run(cuda, function, &program, &err), &err);
}

static void check_memory(void) {
    const size_t bytes = (size_t)TILES * DEV_CEILING_TILE_BYTES, words = bytes / sizeof(uint32_t);
    uint32_t *got = malloc(bytes);
    uint64_t sum = 0, expected = 0, *sums = on_device(sizeof *sums);
    struct dev_ceiling_memory args = {.seed = SEED, .tile_count = TILES, .items = TILES / BLOCKS + 1};
    void *from = args.to = on_device(bytes);
    launch("assay_ceiling_write", DEV_CEILING_MEMORY_THREADS, &args, sizeof args);
    to_host(got, from, bytes);
    bool is_right = true;
    for (size_t i = 0; i < words; ++i)
        is_right &= got[i] == dev_ceiling_tile_word(SEED, (uint32_t)(i % (DEV_CEILING_TILE_BYTES / 4)));
    say(is_right, "write", "37 tiles");
    args.from = from, args.to = on_device(bytes);
    launch("assay_ceiling_copy", DEV_CEILING_MEMORY_THREADS, &args, sizeof args);
    memset(got, 0, bytes);
    to_host(got, args.to, bytes);
    for (size_t i = 0; i < words; ++i)
        is_right &= got[i] == dev_ceiling_tile_word(SEED, (uint32_t)(i % (DEV_CEILING_TILE_BYTES / 4)));
    say(is_right, "copy", "37 tiles");
    for (uint32_t item = 0; item < args.items * BLOCKS; ++item) // some tiles are read twice
        for (size_t i = 0; i < DEV_CEILING_TILE_BYTES / 8; ++i)
            expected ^= ((const uint64_t *)(const void *)got)[i];
    to_device(sums, &sum, sizeof sum);
    args.sums = sums;
    launch("assay_ceiling_read", DEV_CEILING_MEMORY_THREADS, &args, sizeof args);
    to_host(&sum, sums, sizeof sum);
    say(sum == expected, "read", "39 tiles");
    free(got);
}

// The tolerance covers sums in fp32, and the 14 bits in which wgmma adds products of fp8; a wrong layout
// gives another sum altogether.
static void check_compute(const char *name, double tolerance, double (*sum_of)(uint64_t seed)) {
    double sum = 0, expected = 0, *sums = on_device(sizeof *sums);
    char entry[64], detail[96];
    const struct dev_ceiling_compute args = {.sums = sums, .seed = SEED, .repeats = REPEATS};
    to_device(sums, &sum, sizeof sum);
    snprintf(entry, sizeof entry, "assay_ceiling_%s", name);
    launch(entry, DEV_CEILING_THREADS, &args, sizeof args);
    to_host(&sum, sums, sizeof sum);
    for (uint32_t block = 0; block < BLOCKS; ++block) expected += sum_of(SEED + block);
    snprintf(detail, sizeof detail, "sum %.6g, expected %.6g", sum, expected);
    say(fabs(sum - expected) <= tolerance * fabs(expected), name, detail);
}

static bool is_wgmma(void) {
    return strcmp(device->info.isa, "sm_90") == 0;
}

static double fma_sum(uint64_t seed) {
    return dev_host_fma_sum(seed, REPEATS);
}

#define MATRIX_SUM(name, dtype)                                                                              \
    static double name##_sum(uint64_t seed) {                                                                \
        return is_wgmma() ? dev_host_wgmma_sum(dtype, seed, REPEATS)                                         \
                          : dev_host_mma_sum(dtype, seed, REPEATS);                                          \
    }
MATRIX_SUM(fp16, ASSAY_FP16)
MATRIX_SUM(bf16, ASSAY_BF16)
MATRIX_SUM(tf32, ASSAY_FP32)
MATRIX_SUM(e4m3, ASSAY_FP8_E4M3)

static int print_ceiling(void *arg, const struct ceiling *ceiling, struct err *err) {
    (void)arg, (void)err;
    const struct ceiling_kind *kind = ceiling_kind_find(ceiling->name);
    printf("%-12s %-10s %12.1f %-8s %5.0f MHz  %s\n", kind->label, ceiling->power_mode, ceiling->value,
           kind->unit, ceiling->clock_hz / 1e6, ceiling->detail);
    fflush(stdout);
    return 0;
}

int main(int argc, char **argv) {
    struct err err = {0};
    const struct device_request request = {.device = argc > 1 ? argv[1] : "cuda:0"};
    stop_on(device_open(&request, &device, &err), &err);
    stop_on(cuda_ceiling_kernels_load(cuda_device_of(device), &module, &err), &err);
    check_memory();
    check_compute("fma", 1e-6, fma_sum);
    check_compute("matrix_fp16", 1e-3, fp16_sum);
    check_compute("matrix_bf16", 1e-3, bf16_sum);
    check_compute("matrix_tf32", 1e-3, tf32_sum);
    if (strtoul(device->info.isa + strlen("sm_"), NULL, 10) >= 89)
        check_compute("matrix_e4m3", 0.25, e4m3_sum);
    stop_on(device->backend->measure_ceilings(device, print_ceiling, NULL, &err), &err);
    device_close(device);
    return failures > 0;
}
