// SPDX-License-Identifier: Apache-2.0
//
// Results made by hand for the tests of verdict/ and report/: sides, cases, rounds with samples around a
// centre, without a worker, a plan or a file. Samples follow a fixed pattern, so that every figure is the
// same on every run.
#ifndef MADE_RESULT_H
#define MADE_RESULT_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "record/result.h"

#define MADE_GHZ 2.5e9

// Two sides, "tiled" (baseline) and "simd" (candidate), on a named processor.
static inline void made_init(struct result *result) {
    result_init(result);
    struct environment *environment = &result->environment;
    environment->assay_version = "0.1.0";
    environment->host = "testhost";
    environment->os = "Debian GNU/Linux 12";
    environment->device = "cpu";
    environment->device_name = "Made Processor";
    environment->device_uuid = "cpu-0001";
    environment->driver = "6.1.0";
    environment->isa = "avx512";
    environment->clock_policy = "unlocked";
    environment->power_mode = "cool";
    environment->cache_mode = "rotate";
    environment->threads = "2 pinned: 0,1";
    environment->thread_count = 2;
    result->run_id = "20261121-120000-made";
    result->command = "assay gate --baseline tiled";
    result->created_utc = "2026-11-21T12:00:00Z";
    result->suite = "cpu";
    result->seed = 42;
    result->side_count = 2;
    result->sides[0] = (struct result_side){
        .role = SIDE_BASELINE, .label = "tiled", .kernel = "tiled", .op = "attention", .backend = "cpu"};
    result->sides[1] = (struct result_side){
        .role = SIDE_CANDIDATE, .label = "simd", .kernel = "simd", .op = "attention", .backend = "cpu"};
    for (int i = 0; i < 2; ++i)
        result->sides[i].build = (struct build_report){.compiler = "gcc 12.2.0",
                                                       .flags = "-O3",
                                                       .code_bytes = 4096 + 512 * i,
                                                       .stack_bytes_max = 256,
                                                       .registers = -1,
                                                       .spill_bytes = -1,
                                                       .shared_bytes = -1};
}

// Adds a case of a shipped problem; both sides checked and right.
static inline struct result_case *made_case_add(struct result *result, const char *short_name,
                                                const char *problem) {
    struct err err = {0};
    struct result_case *grown = arena_array(&result->arena, result->case_count + 1, sizeof *grown);
    if (result->case_count) memcpy(grown, result->cases, result->case_count * sizeof *grown);
    struct result_case *item = &grown[result->case_count];
    result->cases = grown;
    item->index = (uint32_t)result->case_count++;
    if (problem_parse(&operators_compiled, problem, &item->problem, &err) < 0) fail_msg("%s", err.text);
    item->work = case_work_of(&item->problem);
    item->short_name = short_name;
    item->distribution = OP_DISTRIBUTION_DEFAULT;
    item->memory_layout = MEMORY_LAYOUT_DENSE;
    item->seed = 42;
    for (size_t side = 0; side < WORK_SIDES_MAX; ++side)
        item->checks[side] =
            (struct check_result){.outcome = OUTCOME_OK, .tensor_count = 1, .workspace_bytes = 65536};
    return item;
}

// count samples of 1 launch around centre_ns, in a fixed pattern of the relative width given.
static inline struct samples made_samples(struct result *result, size_t count, double centre_ns,
                                          double width) {
    struct samples samples = {.count = count,
                              .items = arena_array(&result->arena, count, sizeof *samples.items)};
    for (size_t i = 0; i < count; ++i) {
        double at = count > 1 ? (double)((i * 7 + 3) % count) / (double)(count - 1) - 0.5 : 0;
        samples.items[i] = (struct sample){.start_ns = 1000 * i,
                                           .duration_ns = (uint64_t)llround(centre_ns * (1 + width * at)),
                                           .launches = 1,
                                           .clock_hz = MADE_GHZ};
    }
    return samples;
}

// One valid round with both sides; their medians are base_ns and cand_ns.
static inline struct result_round *made_round_add(struct result *result, struct result_case *item,
                                                  double base_ns, double cand_ns) {
    struct result_round *round = result_case_add_round(result, item, (uint32_t)item->round_count, 0);
    round->has_state = round->is_valid = true;
    round->samples[0] = made_samples(result, 21, base_ns, 0.01);
    round->samples[1] = made_samples(result, 21, cand_ns, 0.01);
    return round;
}

// Rounds whose d_r is ln(1 + change) plus a fixed pattern with that standard deviation.
static inline void made_rounds_add(struct result *result, struct result_case *item, size_t count,
                                   double change, double spread) {
    // A pattern of ten with mean 0 and variance 1, also over its first five and last five.
    static const double pattern[] = {0.6325, -1.2649, 1.2649, -0.6325, 0,
                                     0.6325, -1.2649, 1.2649, -0.6325, 0}; // neighbours are not alike
    for (size_t r = 0; r < count; ++r)
        made_round_add(result, item, 1e6, 1e6 * exp(log1p(change) + spread * pattern[r % 10]));
}

#endif
