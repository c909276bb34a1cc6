// SPDX-License-Identifier: Apache-2.0
//
// How fast a candidate is against the others: of each problem the mean of ln(candidate / other) over rounds
// of fresh processes, with Student's interval; of all problems the same of each round's mean. So what differs
// from process to process is in the interval, and noise within a round wins nothing.
#include <math.h>
#include <stdlib.h>

#include "control/flow/referee/referee_run.h"
#include "stats/round_stats.h"
#include "verdict/round_medians.h"

#define ALPHA 0.05

static struct referee_ratio ratio_none(const char *name) {
    return (struct referee_ratio){
        .name = name, .speedup = NAN, .speedup_low = NAN, .speedup_high = NAN, .median_ns = NAN};
}

static void set_ratio(const double *log_ratios, size_t count, struct referee_ratio *ret) {
    struct round_stats stats;
    ret->round_count = (uint32_t)count;
    if (count < 2 || round_stats_get(log_ratios, count, &stats) < 0) return;
    const struct interval slower = round_stats_interval(&stats, ALPHA);
    ret->speedup = exp(-stats.mean);
    ret->speedup_low = exp(-slower.hi);
    ret->speedup_high = exp(-slower.lo);
    ret->speed = ret->speedup_low > 1    ? SPEED_FASTER
                 : ret->speedup_high < 1 ? SPEED_SLOWER
                                         : SPEED_NO_DIFFERENCE;
}

static double median_of(const struct result_case *item, uint32_t side) {
    return item->summaries[side].is_set ? item->summaries[side].median_ns : NAN;
}

static void add_problem(struct referee *referee, const struct result_case *item) {
    struct referee_record *record = &referee->record;
    struct referee_problem *problem = &record->problems[record->problem_count++];
    const struct case_summary *own = &item->summaries[0];
    const bool is_timed = own->is_set;
    char key[PROBLEM_KEY_BYTES];
    *problem = (struct referee_problem){
        .problem = arena_strdup(&record->arena, result_case_key(item, key)),
        .median_ns = median_of(item, 0),
        .median_low_ns = is_timed ? own->median_low_ns : NAN,
        .median_high_ns = is_timed ? own->median_high_ns : NAN,
        .gflop_per_s = is_timed ? own->gflop_per_s : NAN,
        .gb_per_s = is_timed ? own->gb_per_s : NAN,
        .ceiling_pct = is_timed ? own->ceiling_pct : NAN,
        .against_count = record->against_count,
        .against = arena_array(&record->arena, record->against_count + 1, sizeof *problem->against)};
    for (size_t i = 0; i < record->against_count; ++i) {
        struct round_medians medians;
        problem->against[i] = ratio_none(record->against[i].name);
        problem->against[i].median_ns = median_of(item, (uint32_t)i + 1);
        if (round_medians_get(item, (uint32_t)i + 1, 0, &medians) < 0) continue;
        set_ratio(medians.log_ratios, medians.round_count, &problem->against[i]);
        round_medians_fini(&medians);
    }
}

// Over all problems. One that lacks rounds leaves it unknown: a mean of the others would say more than was
// measured.
static void set_overall(const struct result *result, uint32_t side, struct referee_ratio *ret) {
    double sums[ROUNDS_LIMIT] = {0};
    size_t count = ROUNDS_LIMIT;
    for (size_t i = 0; i < result->case_count; ++i) {
        struct round_medians medians;
        if (round_medians_get(&result->cases[i], side, 0, &medians) < 0) return;
        if (medians.round_count < count) count = medians.round_count;
        for (size_t r = 0; r < count; ++r) sums[r] += medians.log_ratios[r] / (double)result->case_count;
        round_medians_fini(&medians);
    }
    if (result->case_count) set_ratio(sums, count, ret);
}

void referee_add_ratios(struct referee *referee) {
    const struct result *result = &referee->run.result;
    struct referee_record *record = &referee->record;
    record->against = arena_array(&record->arena, result->side_count, sizeof *record->against);
    record->problems = arena_array(&record->arena, result->case_count + 1, sizeof *record->problems);
    for (uint32_t side = 1; side < result->side_count; ++side) {
        const char *name = arena_strdup(&record->arena, result->sides[side].label);
        record->against[record->against_count] = ratio_none(name);
        set_overall(result, side, &record->against[record->against_count++]);
    }
    for (size_t i = 0; i < result->case_count; ++i) add_problem(referee, &result->cases[i]);
    if (result->side_count > 1)
        record->baseline_hash = arena_strdup(&record->arena, build_report_version(&result->sides[1].build));
}
