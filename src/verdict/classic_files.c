// SPDX-License-Identifier: Apache-2.0
//
// The classic rule on two result files: which kernel of which file, which problem against which, guards first, then the
// rule on the samples (classic.c).
#include "verdict/classic.h"

#include "base/mem.h"
#include "base/strbuf.h"
#include "stats/describe.h"
#include "verdict/classic_guard.h"
#include "verdict/decision_case.h"
#include "verdict/family.h"

#include <math.h>
#include <stdlib.h>

static bool is_named(const struct result_side *side, const char *kernel) {
    return str_equal(side->label, kernel) || str_equal(side->kernel, kernel) ||
           str_equal(side->kernel_name, kernel);
}

static int refuse_side(const struct result *result, const char *kernel, struct err *err) {
    struct strbuf list = {0};
    for (size_t i = 0; i < result->side_count; i++)
        strbuf_addf(&list, "%s%s", i ? ", " : "",
                    result->sides[i].label ? result->sides[i].label : "(no label)");
    int status = kernel ? err_set(err, ERR_USAGE, "run %s holds no kernel '%s'; it holds %s", result->run_id,
                                  kernel, strbuf_text(&list))
                        : err_set(err, ERR_USAGE, "run %s holds %zu kernels; choose one with --kernel: %s",
                                  result->run_id, result->side_count, strbuf_text(&list));
    strbuf_fini(&list);
    return status;
}

int classic_side_find(const struct result *result, const char *kernel, uint32_t *ret_side, struct err *err) {
    for (uint32_t i = 0; kernel && i < result->side_count; i++) {
        if (!is_named(&result->sides[i], kernel)) continue;
        *ret_side = i;
        return 0;
    }
    if (kernel) return refuse_side(result, kernel, err);
    if (result->side_count == 1) {
        *ret_side = 0;
        return 0;
    }
    size_t candidate_count = 0;
    uint32_t candidate = 0;
    for (uint32_t i = 0; i < result->side_count; i++) {
        if (result->sides[i].role != SIDE_CANDIDATE) continue;
        candidate_count++;
        candidate = i;
    }
    if (candidate_count != 1) return refuse_side(result, NULL, err);
    *ret_side = candidate;
    return 0;
}

static bool is_same_problem(const struct result_case *a, const struct result_case *b) {
    return str_equal(a->problem.name, b->problem.name) && str_equal(a->family, b->family) &&
           a->placement == b->placement;
}

// The same problem, else the same short name (a guard then says that the problem is another); NULL: only one file has it.
static const struct result_case *partner_find(const struct result *result, const struct result_case *wanted) {
    for (size_t i = 0; i < result->case_count; i++)
        if (is_same_problem(&result->cases[i], wanted)) return &result->cases[i];
    for (size_t i = 0; wanted->short_name && i < result->case_count; i++)
        if (str_equal(result->cases[i].short_name, wanted->short_name)) return &result->cases[i];
    return NULL;
}

static void warn_counts(const struct decision_case *item, struct arena *arena, struct decision *decision) {
    bool is_base = item->base_count < CLASSIC_SAMPLES_WARN;
    if (item->guard || (!is_base && item->cand_count >= CLASSIC_SAMPLES_WARN)) return;
    family_add_note(decision, arena,
                    arena_format(arena, "%s: only %zu samples of the %s; below %d the interval is wide",
                                 item->short_name ? item->short_name : item->name,
                                 is_base ? item->base_count : item->cand_count,
                                 is_base ? "baseline" : "candidate", CLASSIC_SAMPLES_WARN));
}

// Under half of the samples effective: said, not refused.
static void warn_effective(const double *times, size_t count, const char *which,
                           const struct decision_case *item, struct arena *arena, struct decision *decision) {
    struct describe figures;
    if (item->guard || count < CLASSIC_EFFECTIVE_FROM) return;
    double *sorted = mem_alloc(count * sizeof *sorted);
    if (describe_samples(times, count, sorted, &figures) == 0 && figures.effective_count < (double)count / 2)
        family_add_note(decision, arena,
                        arena_format(arena, "%s: the %zu samples of the %s count as %.0f independent ones",
                                     item->short_name ? item->short_name : item->name, count, which,
                                     figures.effective_count));
    free(sorted);
}

static int judge_pair(const struct classic_pair *pair, const struct classic_options *options,
                      struct arena *arena, struct decision *decision, struct decision_case *ret,
                      struct err *err) {
    double *base_ns = NULL, *cand_ns = NULL;
    struct classic_sets sets = {0};
    classic_guard_state(pair, options, arena, ret);
    sets.base_count = result_case_times(pair->base_case, pair->base.side, &base_ns);
    sets.cand_count = result_case_times(pair->cand_case, pair->cand.side, &cand_ns);
    sets.base_ns = base_ns;
    sets.cand_ns = cand_ns;
    int status = classic_judge(&sets, options, arena, ret, err);
    if (status == 0) {
        classic_guard_ceilings(pair, options, arena, ret);
        decision_case_settle(ret, options->has_guards);
        warn_counts(ret, arena, decision);
        warn_effective(base_ns, sets.base_count, "baseline", ret, arena, decision);
        warn_effective(cand_ns, sets.cand_count, "candidate", ret, arena, decision);
    }
    free(base_ns);
    free(cand_ns);
    return status;
}

static void refuse_all(struct decision *decision, enum reason reason, const char *sentence, bool has_guards) {
    for (size_t i = 0; i < decision->case_count; i++) {
        struct decision_case *item = &decision->cases[i];
        bool is_about_times = item->verdict != VERDICT_ADDED && item->verdict != VERDICT_REMOVED &&
                              item->verdict != VERDICT_NONE && item->verdict != VERDICT_WRONG;
        if (!is_about_times) continue;
        decision_case_guard(item, reason, sentence);
        decision_case_settle(item, has_guards);
    }
}

static void note_ceilings(const struct classic_side *base, const struct classic_side *cand,
                          const struct classic_options *options, struct arena *arena,
                          struct decision *decision) {
    bool has_option = isfinite(options->ceiling_gflop_per_s) || isfinite(options->ceiling_gb_per_s);
    const struct environment *a = &base->result->environment, *b = &cand->result->environment;
    bool has_both = (isfinite(a->ceiling_gflop_per_s) || isfinite(a->ceiling_gb_per_s)) &&
                    (isfinite(b->ceiling_gflop_per_s) || isfinite(b->ceiling_gb_per_s));
    if (!has_option && !has_both)
        family_add_note(decision, arena,
                        "no measured ceiling in both files: throughputs are not checked against one "
                        "(assay devices --ceilings measures them)");
}

// Baseline's problems first, each against its partner; then those that only the candidate has.
static int judge_all(struct classic_side base, struct classic_side cand,
                     const struct classic_options *options, struct arena *arena, struct decision *ret,
                     struct err *err) {
    size_t common_count = 0;
    for (size_t i = 0; i < base.result->case_count; i++) {
        const struct result_case *mine = &base.result->cases[i], *other = partner_find(cand.result, mine);
        struct decision_case *item = &ret->cases[ret->case_count++];
        *item = decision_case_named(mine, arena);
        if (!other) {
            decision_case_set(item, VERDICT_REMOVED, REASON_NONE, "only the baseline has this problem");
            continue;
        }
        common_count++;
        if (decision_case_set_outcomes(item, mine, base.side, other, cand.side)) continue;
        struct classic_pair pair = {base, cand, mine, other};
        TRY(judge_pair(&pair, options, arena, ret, item, err));
    }
    for (size_t i = 0; i < cand.result->case_count; i++) {
        const struct result_case *mine = &cand.result->cases[i];
        if (partner_find(base.result, mine)) continue;
        struct decision_case *item = &ret->cases[ret->case_count++];
        *item = decision_case_named(mine, arena);
        decision_case_set(item, VERDICT_ADDED, REASON_NONE, "only the candidate has this problem");
    }
    if (common_count == 0)
        family_add_note(ret, arena, "the two files have no problem in common: nothing was compared");
    return 0;
}

int verdict_classic(struct classic_side base, struct classic_side cand, const struct classic_options *options,
                    struct arena *arena, struct decision *ret, struct err *err) {
    struct decision decision = family_empty("classic");
    decision.regression_pct = options->regression_pct;
    decision.improvement_pct = options->improvement_pct;
    decision.cases =
        arena_array(arena, base.result->case_count + cand.result->case_count, sizeof *decision.cases);
    struct classic_refusal refusal = classic_guard_files(base.result, cand.result, options, arena, &decision);
    note_ceilings(&base, &cand, options, arena, &decision);
    TRY(judge_all(base, cand, options, arena, &decision, err));
    if (refusal.reason != REASON_NONE)
        refuse_all(&decision, refusal.reason, refusal.sentence, options->has_guards);
    family_add_note(
        &decision, arena,
        "samples of two single runs: a difference below the spread between processes and days is not "
        "certified (assay gate measures in rounds)");
    family_summarize(&decision, arena);
    *ret = decision;
    return 0;
}
