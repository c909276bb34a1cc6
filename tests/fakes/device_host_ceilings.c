// SPDX-License-Identifier: Apache-2.0
//
// The kernels of ceiling_kernels.cu on the CPU: results as on a device with wgmma, times of a made-up one.
#include "fakes/device_host.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "device/ceiling_kernel_core.h"

#define WORD_BYTES 4

// ---- results ----

// The sum over the rows of number `at` of a word; `word` counts within a row.
static double column_sum(int32_t dtype, uint64_t seed, int operand, const uint32_t shape[2], uint32_t word,
                         uint32_t at) {
    double sum = 0;
    for (uint32_t row = 0; row < shape[0]; ++row) {
        const uint64_t bits = dev_ceiling_word(dtype, seed, operand, row * shape[1] + word);
        sum += dev_load(dtype, &bits, at);
    }
    return sum;
}

// All elements of a (rows) times b (rows) transposed, added up: column by column, as the rows do not matter.
static double product_sum(int32_t dtype, uint64_t seed, uint32_t a_rows, uint32_t b_rows,
                          uint32_t row_words) {
    const uint32_t numbers = WORD_BYTES / dev_dtype_bytes(dtype);
    const uint32_t a_shape[2] = {a_rows, row_words}, b_shape[2] = {b_rows, row_words};
    double sum = 0;
    for (uint32_t word = 0; word < row_words; ++word)
        for (uint32_t at = 0; at < numbers; ++at)
            sum += column_sum(dtype, seed, DEV_CEILING_A, a_shape, word, at) *
                   column_sum(dtype, seed, DEV_CEILING_B, b_shape, word, at);
    return sum;
}

double dev_host_wgmma_sum(int32_t dtype, uint64_t seed, uint32_t repeats) {
    return DEV_CEILING_WGMMA_GROUPS * repeats *
           product_sum(dtype, seed, DEV_CEILING_WGMMA_A_ROWS, DEV_CEILING_WGMMA_B_ROWS,
                       DEV_CEILING_WGMMA_ROW_WORDS);
}

double dev_host_mma_sum(int32_t dtype, uint64_t seed, uint32_t repeats) {
    double sum = 0;
    for (uint32_t warp = 0; warp < DEV_CEILING_THREADS / 32; ++warp)
        sum += product_sum(dtype, seed + warp, DEV_CEILING_MMA_A_ROWS, DEV_CEILING_MMA_B_ROWS,
                           DEV_CEILING_MMA_ROW_WORDS);
    return repeats * sum;
}

double dev_host_fma_sum(uint64_t seed, uint32_t repeats) {
    double sum = 0;
    for (uint32_t thread = 0; thread < DEV_CEILING_THREADS; ++thread) {
        const float factor = dev_ceiling_factor(seed, thread, 0), add = dev_ceiling_factor(seed, thread, 1);
        for (uint32_t chain = 0; chain < DEV_CEILING_FMA_CHAINS; ++chain) {
            float c = dev_ceiling_factor(seed, thread, 2 + chain);
            for (uint64_t step = 0; step < (uint64_t)repeats * DEV_CEILING_FMA_STEPS; ++step)
                c = fmaf(c, factor, add);
            sum += (double)c;
        }
    }
    return sum;
}

// ---- entries ----

static void pass_time(double work, double work_per_ns) {
    dev_host_now_ns += DEV_HOST_CEILING_START_NS + (uint64_t)(work / work_per_ns);
}

static void pass_memory_time(const struct dev_ceiling_memory *args, uint64_t blocks, double ways) {
    const bool is_cached = args->tile_count <= DEV_HOST_CACHED_TILES;
    pass_time(ways * (double)blocks * args->items * DEV_CEILING_TILE_BYTES,
              is_cached ? DEV_HOST_CACHED_PER_NS : DEV_HOST_BYTES_PER_NS);
}

// Later passes over the tiles change nothing: the first one is enough.
static uint64_t walked_bytes(const struct dev_ceiling_memory *args, uint64_t blocks) {
    const uint64_t tiles = blocks * args->items < args->tile_count ? blocks * args->items : args->tile_count;
    return tiles * DEV_CEILING_TILE_BYTES;
}

static void run_read(const struct dev_ceiling_memory *args, uint64_t blocks) {
    pass_memory_time(args, blocks, 1);
    for (uint64_t i = 0; args->sums && i < walked_bytes(args, blocks); i += 8)
        *args->sums ^= dev_gather((const uint8_t *)args->from + i, 8);
}

static void run_write(const struct dev_ceiling_memory *args, uint64_t blocks) {
    pass_memory_time(args, blocks, 1);
    for (uint64_t i = 0; i < walked_bytes(args, blocks); i += WORD_BYTES) {
        const uint32_t word =
            dev_ceiling_tile_word(args->seed, (uint32_t)(i % DEV_CEILING_TILE_BYTES / WORD_BYTES));
        memcpy((uint8_t *)args->to + i, &word, sizeof word);
    }
}

static void run_copy(const struct dev_ceiling_memory *args, uint64_t blocks) {
    pass_memory_time(args, blocks, 2);
    memcpy(args->to, args->from, walked_bytes(args, blocks));
}

static void run_fma(const struct dev_ceiling_compute *args, uint64_t blocks, int32_t dtype) {
    (void)dtype;
    const double flop = 2.0 * DEV_CEILING_THREADS * DEV_CEILING_FMA_CHAINS * DEV_CEILING_FMA_STEPS;
    pass_time((double)blocks * args->repeats * flop, DEV_HOST_FMA_FLOP_PER_NS);
    for (uint64_t block = 0; args->sums && block < blocks; ++block)
        *args->sums += dev_host_fma_sum(args->seed + block, args->repeats);
}

static void run_matrix(const struct dev_ceiling_compute *args, uint64_t blocks, int32_t dtype) {
    const double e4m3_flop = 2.0 * DEV_CEILING_WGMMA_GROUPS * DEV_CEILING_WGMMA_A_ROWS *
                             DEV_CEILING_WGMMA_B_ROWS * DEV_CEILING_WGMMA_ROW_WORDS * WORD_BYTES;
    pass_time((double)blocks * args->repeats * e4m3_flop, DEV_HOST_E4M3_FLOP_PER_NS); // as many bytes
    for (uint64_t block = 0; args->sums && block < blocks; ++block)
        *args->sums += dev_host_wgmma_sum(dtype, args->seed + block, args->repeats);
}

static const struct {
    const char *entry;
    void (*run)(const struct dev_ceiling_memory *args, uint64_t blocks);
} memory_entries[] = {
    {"assay_ceiling_read", run_read}, {"assay_ceiling_write", run_write}, {"assay_ceiling_copy", run_copy}};

static const struct {
    const char *entry;
    void (*run)(const struct dev_ceiling_compute *args, uint64_t blocks, int32_t dtype);
    int32_t dtype;
} compute_entries[] = {{"assay_ceiling_fma", run_fma, ASSAY_FP32},
                       {"assay_ceiling_matrix_fp16", run_matrix, ASSAY_FP16},
                       {"assay_ceiling_matrix_bf16", run_matrix, ASSAY_BF16},
                       {"assay_ceiling_matrix_tf32", run_matrix, ASSAY_FP32},
                       {"assay_ceiling_matrix_e4m3", run_matrix, ASSAY_FP8_E4M3}};

bool dev_host_ceiling(const char *entry, uint64_t blocks, const void *args) {
    for (size_t i = 0; i < sizeof memory_entries / sizeof *memory_entries; ++i) {
        struct dev_ceiling_memory copy;
        if (strcmp(entry, memory_entries[i].entry) != 0) continue;
        memcpy(&copy, args, sizeof copy);
        memory_entries[i].run(&copy, blocks);
        return true;
    }
    for (size_t i = 0; i < sizeof compute_entries / sizeof *compute_entries; ++i) {
        struct dev_ceiling_compute copy;
        if (strcmp(entry, compute_entries[i].entry) != 0) continue;
        memcpy(&copy, args, sizeof copy);
        compute_entries[i].run(&copy, blocks, compute_entries[i].dtype);
        return true;
    }
    return false;
}
