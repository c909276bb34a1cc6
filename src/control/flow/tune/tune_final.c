// SPDX-License-Identifier: Apache-2.0
//
// See tune_final.h.
#include "control/flow/tune/tune_final.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "control/flow/tune/tune_stage.h"
#include "control/tune/tune_elite.h"

// The rank of who has no time.
static enum tune_rank rank_without(enum tune_fate fate) {
    switch (fate) {
    case TUNE_FATE_WRONG: return TUNE_RANK_WRONG;
    case TUNE_FATE_NOT_BUILT: return TUNE_RANK_NOT_BUILT;
    case TUNE_FATE_PARTIAL: return TUNE_RANK_PARTIAL;
    default: return TUNE_RANK_NO_DATA;
    }
}

static enum tune_rank rank_of(enum tune_judgement judgement) {
    switch (judgement) {
    case TUNE_JUDGED_IN: return TUNE_RANK_ELITE;
    case TUNE_JUDGED_SMALL: return TUNE_RANK_SMALL_GAIN;
    case TUNE_JUDGED_SLOWER: return TUNE_RANK_SLOWER;
    default: return TUNE_RANK_UNPROVEN;
    }
}

// Rounds of the final, and how many of them decide.
static uint32_t count_rounds(const struct tune *tune, const struct tune_stage *stage, uint32_t *ret_decide) {
    const uint32_t count = tune_stage_rounds(stage);
    *ret_decide = count == stage->round_max ? tune->record.final_rounds : count / 2;
    return count;
}

// What of the final decides, and the entry's rounds; false: it has none that count. x is the caller's to
// free.
static bool read_final(const struct tune *tune, const struct tune_stage *stage, size_t entry,
                       struct tune_final *ret, double **ret_x) {
    uint32_t decide;
    const uint32_t count = count_rounds(tune, stage, &decide);
    const size_t problem_count = stage->run.result.case_count;
    *ret_x = NULL;
    if (stage->sides[entry] == TUNE_SIDE_NONE || decide < TUNE_FINAL_ROUNDS_MIN) return false;
    *ret_x = mem_alloc(problem_count * count * sizeof **ret_x);
    *ret = (struct tune_final){problem_count, count, decide, *ret_x};
    return tune_stage_get(stage, entry, count, *ret_x) == 0;
}

// Of x, which is the final's, the problems that the entry takes.
static void leave_out_unsupported(const struct tune_stage *stage, size_t entry, struct tune_final *final,
                                  double *x) {
    size_t kept = 0;
    for (size_t p = 0; p < final->problem_count; ++p) {
        if (stage->is_unsupported[entry][p]) continue;
        memmove(x + kept * final->round_count, x + p * final->round_count, final->round_count * sizeof *x);
        ++kept;
    }
    final->problem_count = kept;
}

static void judge(const struct tune *tune, const struct tune_stage *stage, size_t entry,
                  struct tune_finalist *ret) {
    struct tune_final final;
    double *x;
    ret->rank = rank_without(stage->fates[entry]);
    ret->reason = stage->reasons[entry];
    ret->unsupported_count = stage->unsupported_counts[entry];
    ret->speedup = ret->speedup_low = ret->speedup_high = NAN;
    if (read_final(tune, stage, entry, &final, &x)) {
        leave_out_unsupported(stage, entry, &final, x);
        const struct tune_claim claim = tune_final_judge(&final);
        ret->rank = ret->unsupported_count ? TUNE_RANK_PARTIAL : rank_of(claim.judgement);
        ret->speedup = claim.speedup;
        ret->speedup_low = claim.speedup_interval.lo;
        ret->speedup_high = claim.speedup_interval.hi;
        ret->slower_count = (uint32_t)claim.slower_count;
    }
    free(x);
}

// Finalists that may be chosen for a problem: the elite's first, without an elite the baseline, then the
// others.
struct choosable {
    size_t count;
    struct tune_final finals[TUNE_HEAT_SIDES];
    const char *configs[TUNE_HEAT_SIDES + 1]; // the one behind them is the baseline's
    double *x[TUNE_HEAT_SIDES];
};

static void add_choosable(const struct tune *tune, const struct tune_stage *stage, size_t finalist,
                          struct choosable *ret) {
    const size_t at = ret->count;
    ret->configs[at] = tune->record.finalists[finalist].config;
    if (read_final(tune, stage, finalist + 1, &ret->finals[at], &ret->x[at]))
        ++ret->count;
    else
        free(ret->x[at]);
}

// The baseline, as one that never differs from itself.
static void add_baseline(const struct tune *tune, const struct tune_stage *stage, struct choosable *ret) {
    const size_t problem_count = stage->run.result.case_count;
    uint32_t decide;
    const uint32_t count = count_rounds(tune, stage, &decide);
    ret->x[0] = mem_alloc((problem_count * count + 1) * sizeof(double));
    ret->finals[0] = (struct tune_final){problem_count, count, decide, ret->x[0]};
    ret->configs[0] = NULL;
    ret->count = 1;
}

static void list_choosable(const struct tune *tune, const struct tune_stage *stage, struct choosable *ret) {
    const struct tune_record *record = &tune->record;
    size_t first = 0;
    *ret = (struct choosable){0};
    while (first < record->finalist_count && record->finalists[first].rank != TUNE_RANK_ELITE) ++first;
    if (first < record->finalist_count) add_choosable(tune, stage, first, ret);
    if (!ret->count) add_baseline(tune, stage, ret);
    for (size_t i = 0; i < record->finalist_count && ret->count < TUNE_HEAT_SIDES; ++i)
        if (i != first) add_choosable(tune, stage, i, ret);
    ret->configs[ret->count] = NULL;
}

// What is best for each problem. No choices: the baseline is, everywhere.
static void choose(struct tune *tune, const struct tune_stage *stage) {
    struct tune_record *record = &tune->record;
    const struct result *result = &stage->run.result;
    struct choosable among;
    bool has_variant = false;
    list_choosable(tune, stage, &among);
    record->choices = arena_array(&record->arena, result->case_count + 1, sizeof *record->choices);
    for (size_t p = 0; p < result->case_count; ++p) {
        struct tune_problem_choice *item = &record->choices[p];
        char key[PROBLEM_KEY_BYTES];
        item->problem = arena_strdup(&record->arena, result_case_key(&result->cases[p], key));
        item->config = among.configs[tune_final_choose(among.finals, among.count, p, &item->speedup)];
        has_variant |= item->config != NULL;
    }
    record->choice_count = has_variant ? result->case_count : 0;
    for (size_t i = 0; i < among.count; ++i) free(among.x[i]);
}

int tune_final_run(struct tune *tune, const struct tune_point *points, size_t count, struct err *err) {
    struct tune_record *record = &tune->record;
    struct tune_stage stage = {
        .name = TUNE_FINAL_NAME, .round_max = 2 * record->final_rounds, .entry_count = count + 1};
    for (size_t i = 0; i < count; ++i) stage.points[i + 1] = points[i];
    int code = tune_stage_open(tune, &stage, err);
    if (code == 0) code = tune_stage_measure(tune, &stage, stage.round_max, err);
    if (code == 0) {
        record->finalists = arena_array(&record->arena, count, sizeof *record->finalists);
        record->finalist_count = count;
        for (size_t i = 0; i < count; ++i) {
            record->finalists[i].config = tune_point_text(&tune->space, &stage.points[i + 1], &record->arena);
            judge(tune, &stage, i + 1, &record->finalists[i]);
        }
        choose(tune, &stage);
    }
    const int closed = tune_stage_close(&stage, code == 0 ? err : NULL);
    return code < 0 ? code : closed;
}
