// SPDX-License-Identifier: Apache-2.0
//
// The classic rule on two result files: chooses the kernel of each file, pairs the problems, applies the
// guards, then the rule on the samples (classic.c).
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/comma.h"
#include "base/mem.h"
#include "base/process/processors.h"
#include "base/strbuf.h"
#include "record/case_index.h"
#include "verdict/classic/classic.h"
#include "verdict/classic/classic_guard.h"
#include "verdict/decision_make.h"
#include "verdict/round_medians.h"

// What a side is found by, its own names first: several modules may use the same name for their kernels.
enum side_name { SIDE_NAME_LABEL, SIDE_NAME_KERNEL, SIDE_NAME_IN_MODULE, SIDE_NAME_COUNT };

static bool is_side_named(const struct result_side *side, enum side_name what, const char *name) {
    const char *own = what == SIDE_NAME_LABEL    ? side->label
                      : what == SIDE_NAME_KERNEL ? side->kernel
                                                 : side->kernel_name;
    return str_equal(own, name);
}

// Sides that have the name (NULL: any side), and the one to take: the only one, else the only candidate.
struct side_choice {
    size_t count;
    bool is_clear;
    uint32_t side; // where it is clear
};

static struct side_choice choose_side(const struct result *result, enum side_name what, const char *name) {
    struct side_choice ret = {0};
    size_t candidate_count = 0;
    uint32_t candidate = 0;
    for (uint32_t i = 0; i < result->side_count; ++i) {
        if (name && !is_side_named(&result->sides[i], what, name)) continue;
        ++ret.count;
        ret.side = i;
        if (result->sides[i].role != SIDE_CANDIDATE) continue;
        ++candidate_count;
        candidate = i;
    }
    if (ret.count > 1) ret.side = candidate;
    ret.is_clear = ret.count == 1 || candidate_count == 1;
    return ret;
}

static int refuse_side(const struct result *result, const char *kernel, size_t count, struct err *err) {
    struct strbuf list = {0};
    for (size_t i = 0; i < result->side_count; ++i)
        comma_add(&list, str_shown(str_or(result->sides[i].label, "(no label)")).text);
    const char *run = str_or(result->run_id, "without a name"), *labels = strbuf_text(&list);
    int status;
    if (!kernel)
        status = err_set(err, ERR_USAGE, "run %s holds %zu kernels; choose one with --kernel: %s", run,
                         result->side_count, labels);
    else if (count)
        status = err_set(err, ERR_USAGE, "run %s holds %zu kernels '%s'; choose one with --kernel: %s", run,
                         count, kernel, labels);
    else
        status = err_set(err, ERR_USAGE, "run %s holds no kernel '%s'; it holds %s", run, kernel, labels);
    strbuf_fini(&list);
    return status;
}

int classic_side_find(const struct result *result, const char *kernel, uint32_t *ret_side, struct err *err) {
    struct side_choice choice = {0};
    for (int what = 0; what < SIDE_NAME_COUNT && choice.count == 0; ++what)
        choice = choose_side(result, (enum side_name)what, kernel);
    if (!choice.is_clear) return refuse_side(result, kernel, choice.count, err);
    *ret_side = choice.side;
    return 0;
}

// For another tool's files, a difference in the clock under the kernel is part of the result: it is noted,
// and the comparison stays valid. The same holds for numbers of threads that --allow-different let through.
static void note_external(const struct classic_pair *pair, const struct decision_case *item,
                          struct arena *arena, struct decision *decision) {
    if (!pair->base.result->external_format || !pair->cand.result->external_format) return;
    const char *name = decision_case_name(item);
    int64_t a = pair->base_case->external_thread_count, b = pair->cand_case->external_thread_count;
    double base_hz = classic_median_clock_hz(pair->base_case, pair->base.side);
    double cand_hz = classic_median_clock_hz(pair->cand_case, pair->cand.side);
    if (classic_clock_gap_pct(base_hz, cand_hz) > CLOCKS_APART_MAX_PCT)
        decision_note(decision, arena,
                      "%s: the clock under the kernel was %.0f MHz in the baseline and %.0f MHz in "
                      "the candidate",
                      name, base_hz / 1e6, cand_hz / 1e6);
    if (a != b && !item->guard)
        decision_note(decision, arena,
                      "%s: difference let through: threads: baseline %" PRId64 ", candidate %" PRId64
                      " (0: not recorded)",
                      name, a, b);
}

static bool has_clock(const struct result *result) {
    for (size_t i = 0; i < result->case_count; ++i) {
        const struct result_case *item = &result->cases[i];
        const struct samples *samples = item->round_count ? &item->rounds[0].samples[0] : NULL;
        for (size_t k = 0; samples && k < samples->count; ++k)
            if (isfinite(samples->items[k].clock_hz)) return true;
    }
    return false;
}

// Notes a side with fewer than half of its samples effective; this is no guard.
static void warn_effective(size_t count, double effective_count, const char *which,
                           const struct decision_case *item, struct arena *arena, struct decision *decision) {
    if (item->guard || count < CLASSIC_EFFECTIVE_FROM) return;
    if (effective_count < (double)count / 2)
        decision_note(decision, arena, "%s: the %zu samples of the %s count as %.0f independent ones",
                      decision_case_name(item), count, which, effective_count);
}

// ---- one problem of both files ----

// A problem that both files have, and what the rule found; everything else about it is the decision's entry.
struct judged {
    struct classic_pair pair;
    struct decision_case *item;
    size_t counts[2];
    double effective[2]; // independent samples, of baseline and candidate
};

// Medians of the valid rounds of a side. The caller frees *ret.
static size_t round_times(const struct result_case *item, uint32_t side, double **ret) {
    double *times_ns = mem_alloc((item->round_count + 1) * sizeof *times_ns);
    size_t count = 0;
    for (size_t i = 0; i < item->round_count; ++i) {
        struct round_side round;
        if (!item->rounds[i].is_valid) continue;
        if (round_side_get(&item->rounds[i].samples[side], &round) < 0) BUG("no memory for a round's median");
        if (round.count) times_ns[count++] = round.median_ns;
    }
    *ret = times_ns;
    return count;
}

// Samples of both sides, or their rounds where these are asked for and there are enough.
static void collect_times(const struct classic_pair *pair, bool counts_rounds, struct classic_sets *sets,
                          double *ret_times[2]) {
    if (counts_rounds) {
        sets->base_count = round_times(pair->base_case, pair->base.side, &ret_times[0]);
        sets->cand_count = round_times(pair->cand_case, pair->cand.side, &ret_times[1]);
        if (sets->base_count >= CLASSIC_SAMPLES_MIN && sets->cand_count >= CLASSIC_SAMPLES_MIN) return;
        free(ret_times[0]);
        free(ret_times[1]);
    }
    sets->base_count = result_case_times(pair->base_case, pair->base.side, &ret_times[0]);
    sets->cand_count = result_case_times(pair->cand_case, pair->cand.side, &ret_times[1]);
}

// The rule on the samples. Threads may do this side by side, each with memory and arena of its own.
static int judge_samples(struct judged *judged, const struct classic_options *options,
                         struct classic_memory *memory, struct arena *arena, struct err *err) {
    double *times_ns[2] = {NULL, NULL};
    struct classic_sets sets = {.memory = memory, .ret_effective = judged->effective};
    collect_times(&judged->pair, options->counts_rounds, &sets, times_ns);
    judged->counts[0] = sets.base_count;
    judged->counts[1] = sets.cand_count;
    sets.base_ns = times_ns[0];
    sets.cand_ns = times_ns[1];
    const int code = classic_judge(&sets, options, arena, judged->item, err);
    free(times_ns[0]);
    free(times_ns[1]);
    return code;
}

// What all pairs of two files share.
struct judging {
    const struct classic_options *options;
    struct arena *arena;
    struct decision *decision;
};

static void conclude(const struct judged *judged, const struct judging *judging) {
    const struct classic_options *options = judging->options;
    struct arena *arena = judging->arena;
    struct decision *decision = judging->decision;
    struct decision_case *item = judged->item;
    if (item->guard) item->guard = arena_strdup(arena, item->guard); // from a thread's arena
    classic_guard_ceilings(&judged->pair, options, arena, item);
    decision_case_settle(item, options->has_guards);
    bool is_base = item->base_count < CLASSIC_SAMPLES_WARN, is_cand = item->cand_count < CLASSIC_SAMPLES_WARN;
    if (!item->guard && (is_base || is_cand))
        decision_note(decision, arena, "%s: only %s%s%s; below %d the confidence interval is wide",
                      decision_case_name(item),
                      is_base ? arena_format(arena, "%zu samples of the baseline", item->base_count) : "",
                      is_base && is_cand ? " and " : "",
                      is_cand ? arena_format(arena, "%zu samples of the candidate", item->cand_count) : "",
                      CLASSIC_SAMPLES_WARN);
    note_external(&judged->pair, item, arena, decision);
    warn_effective(judged->counts[0], judged->effective[0], "baseline", item, arena, decision);
    warn_effective(judged->counts[1], judged->effective[1], "candidate", item, arena, decision);
}

// ---- many problems, by several threads ----

#define PAIRS_A_THREAD 32 // at least: starting one takes as long as a few pairs
#define THREADS_MAX    4

// Every thread takes each THREADS-th pair, so that equal files give equal shares.
struct judge_thread {
    pthread_t thread;
    bool is_started;
    struct judged *judged;
    size_t count, first, step;
    const struct classic_options *options;
    struct classic_memory memory;
    struct arena arena; // of the messages of guards
    struct err err;
    int code;
};

static void *judge_share(void *arg) {
    struct judge_thread *me = arg;
    for (size_t i = me->first; i < me->count && me->code == 0; i += me->step)
        me->code = judge_samples(&me->judged[i], me->options, &me->memory, &me->arena, &me->err);
    bootstrap_ratio_free(&me->memory.ratio);
    return NULL;
}

static size_t thread_count_for(size_t pair_count) {
    cpu_set_t processors;
    size_t most = pair_count / PAIRS_A_THREAD;
    if (processors_parse(NULL, &processors, NULL) < 0) return 1;
    if (most > (size_t)CPU_COUNT(&processors)) most = (size_t)CPU_COUNT(&processors);
    if (most > THREADS_MAX) most = THREADS_MAX;
    return most ? most : 1;
}

// A thread that cannot be started is done here.
static int judge_pairs(struct judged *judged, size_t count, const struct judging *judging, struct err *err) {
    struct judge_thread threads[THREADS_MAX] = {0};
    const size_t step = thread_count_for(count);
    int code = 0;
    for (size_t i = step; i-- > 0;) {
        struct judge_thread *one = &threads[i];
        *one = (struct judge_thread){
            .judged = judged, .count = count, .first = i, .step = step, .options = judging->options};
        one->is_started = i > 0 && pthread_create(&one->thread, NULL, judge_share, one) == 0;
        if (!one->is_started) judge_share(one);
    }
    for (size_t i = 0; i < step; ++i) {
        if (threads[i].is_started) pthread_join(threads[i].thread, NULL);
        if (threads[i].code < 0 && code == 0)
            code = err_set(err, threads[i].err.code, "%s", threads[i].err.text);
    }
    for (size_t i = 0; i < count && code == 0; ++i) conclude(&judged[i], judging);
    for (size_t i = 0; i < step; ++i) arena_fini(&threads[i].arena);
    return code;
}

static bool has_ceilings(const struct environment *environment) {
    return environment->ceiling_count > 0 || isfinite(environment->ceiling_gflop_per_s) ||
           isfinite(environment->ceiling_gb_per_s);
}

static void note_ceilings(const struct classic_side *base, const struct classic_side *cand,
                          const struct classic_options *options, struct arena *arena,
                          struct decision *decision) {
    bool has_option = isfinite(options->ceiling_gflop_per_s) || isfinite(options->ceiling_gb_per_s);
    const struct environment *a = &base->result->environment, *b = &cand->result->environment;
    bool has_both = has_ceilings(a) && has_ceilings(b);
    bool is_external =
        base->result->external_format || cand->result->external_format; // such files have no throughputs
    if (!has_option && !has_both && !is_external)
        decision_note(decision, arena,
                      "no measured ceiling in both files: throughputs are not checked against one "
                      "(assay devices --ceilings measures them)");
}

// Which problems of both files are compared: the same problem, else the same short name (a guard then reports
// that the problem differs). Arrays of the arena.
struct partners {
    size_t *of_base, *of_cand;
};

static struct partners partners_find(const struct result *base, const struct result *cand,
                                     struct arena *arena) {
    struct partners partners = {arena_array(arena, base->case_count, sizeof *partners.of_base),
                                arena_array(arena, cand->case_count, sizeof *partners.of_cand)};
    struct case_index indexes[2] = {case_index_make(base->cases, base->case_count),
                                    case_index_make(cand->cases, cand->case_count)};
    case_index_pair(&indexes[0], &indexes[1], partners.of_base, partners.of_cand);
    case_index_fini(&indexes[0]);
    case_index_fini(&indexes[1]);
    return partners;
}

// The baseline's problems first, each with its partner; then those that only the candidate has.
static int judge_all(const struct classic_pair *files, const struct judging *judging, struct err *err) {
    struct arena *arena = judging->arena;
    struct decision *ret = judging->decision;
    const struct partners partners = partners_find(files->base.result, files->cand.result, arena);
    struct judged *judged = arena_array(arena, files->base.result->case_count + 1, sizeof *judged);
    size_t common_count = 0, judged_count = 0;
    for (size_t i = 0; i < files->base.result->case_count; ++i) {
        const struct result_case *mine = &files->base.result->cases[i];
        struct decision_case *item = &ret->cases[ret->case_count++];
        *item = decision_case_named(mine, arena);
        if (partners.of_base[i] == CASE_INDEX_NONE) {
            decision_case_set(item, VERDICT_REMOVED, REASON_NONE, "only the baseline has this problem");
            continue;
        }
        ++common_count;
        const struct result_case *other = &files->cand.result->cases[partners.of_base[i]];
        struct classic_pair pair = {files->base, files->cand, mine, other};
        if (decision_case_set_outcomes(item, mine, pair.base.side, other, pair.cand.side)) {
            decision_case_add_message(item, &mine->checks[pair.base.side], &other->checks[pair.cand.side],
                                      arena);
            continue;
        }
        classic_guard_state(&pair, judging->options, arena, item);
        judged[judged_count++] = (struct judged){.pair = pair, .item = item};
    }
    TRY(judge_pairs(judged, judged_count, judging, err));
    for (size_t i = 0; i < files->cand.result->case_count; ++i) {
        if (partners.of_cand[i] != CASE_INDEX_NONE) continue;
        struct decision_case *item = &ret->cases[ret->case_count++];
        *item = decision_case_named(&files->cand.result->cases[i], arena);
        decision_case_set(item, VERDICT_ADDED, REASON_NONE, "only the candidate has this problem");
    }
    if (common_count == 0)
        decision_note(ret, arena, "the two files have no problem in common: nothing was compared");
    return 0;
}

// A round is a process; another tool's file, or a result with one round, comes from a single process.
static bool is_single_process(const struct result *result) {
    for (size_t i = 0; i < result->case_count; ++i)
        if (result->cases[i].round_count > 1) return false;
    return true;
}

static void note_processes(const struct result *base, const struct result *cand, struct arena *arena,
                           struct decision *decision) {
    bool is_base = is_single_process(base), is_cand = is_single_process(cand);
    const char *which = is_base && is_cand ? "each file" : is_base ? "the baseline" : "the candidate";
    if (!is_base && !is_cand) {
        decision_note(
            decision, arena,
            "samples of two runs, each with its own day: a difference below the spread between runs "
            "cannot be detected (assay gate measures both sides in turns)");
        return;
    }
    // Two notes: one would be wider than a terminal.
    decision_note(decision, arena,
                  "one process behind %s: a difference below the spread between processes cannot be detected",
                  which);
    decision_note(decision, arena,
                  "that spread is usually 1 to 2 %% (assay calibrate measures it); assay gate measures fresh "
                  "processes");
}

int verdict_classic(struct classic_side base, struct classic_side cand, const struct classic_options *options,
                    struct arena *arena, struct decision *ret, struct err *err) {
    struct decision decision = decision_empty("classic", &options->spec);
    decision.cases =
        arena_array(arena, base.result->case_count + cand.result->case_count, sizeof *decision.cases);
    struct classic_refusal refusal = classic_guard_files(base.result, cand.result, options, arena, &decision);
    note_ceilings(&base, &cand, options, arena, &decision);
    const bool is_external = base.result->external_format && cand.result->external_format;
    // The report shows the candidate's own warnings; those of an external baseline are added here.
    for (size_t i = 0; base.result->external_format && i < base.result->warning_count; ++i)
        decision_note(&decision, arena, "baseline: %s", base.result->warnings[i]);
    struct classic_pair files = {.base = base, .cand = cand};
    const struct judging judging = {.options = options, .arena = arena, .decision = &decision};
    TRY(judge_all(&files, &judging, err));
    for (size_t i = 0; refusal.reason != REASON_NONE && i < decision.case_count; ++i) {
        struct decision_case *item = &decision.cases[i];
        bool is_about_times = item->verdict != VERDICT_ADDED && item->verdict != VERDICT_REMOVED &&
                              item->verdict != VERDICT_NONE && item->verdict != VERDICT_WRONG;
        if (!is_about_times) continue;
        decision_case_guard(item, refusal.reason, refusal.sentence);
        decision_case_settle(item, options->has_guards);
    }
    if (is_external && has_clock(base.result) != has_clock(cand.result))
        decision_note(&decision, arena, "only the %s has clocks: they are not compared",
                      has_clock(base.result) ? "baseline" : "candidate");
    note_processes(base.result, cand.result, arena, &decision);
    decision_summarize(&decision, arena);
    *ret = decision;
    return 0;
}

// ---- was a stored baseline reproduced? ----

static struct reproduced_row make_row(const struct decision_case *item) {
    struct reproduced_row row = {
        .name = decision_case_name(item),
        .value_ns = item->median_cand_ns,
        .reference_ns = item->median_base_ns,
        .median_change_pct = item->change_pct,
        .throughput_change_pct = 100.0 * (item->median_base_ns / item->median_cand_ns - 1.0),
        .do_intervals_overlap =
            item->base_low_ns <= item->cand_high_ns && item->cand_low_ns <= item->base_high_ns,
    };
    row.is_match = fabs(row.median_change_pct) <= REPRODUCED_MEDIAN_PCT &&
                   fabs(row.throughput_change_pct) <= REPRODUCED_THROUGHPUT_PCT && row.do_intervals_overlap;
    if (item->verdict == VERDICT_NOT_VALID)
        row.invalid = str_or(item->guard, "not valid");
    else if (item->verdict == VERDICT_REMOVED)
        row.invalid = "not measured now";
    else if (item->verdict == VERDICT_WRONG)
        row.invalid = "the kernel failed its check";
    if (row.invalid) row.is_match = false;
    return row;
}

int reproduced_get(const struct result *reference, const struct result *measured, struct arena *arena,
                   struct reproduced *ret, struct err *err) {
    struct classic_options options = classic_options_default();
    struct classic_side base = {reference, 0}, cand = {measured, 0};
    struct decision decision;
    options.counts_rounds = true;
    TRY(verdict_classic(base, cand, &options, arena, &decision, err));
    *ret = (struct reproduced){.rows = arena_array(arena, decision.case_count + 1, sizeof *ret->rows)};
    size_t match_count = 0, invalid_count = 0;
    for (size_t i = 0; i < decision.case_count; ++i) {
        if (decision.cases[i].verdict == VERDICT_ADDED) continue;
        struct reproduced_row row = make_row(&decision.cases[i]);
        match_count += row.is_match;
        invalid_count += row.invalid != NULL;
        ret->rows[ret->row_count++] = row;
    }
    bool is_invalid = invalid_count > 0 || ret->row_count == 0;
    ret->exit_code = is_invalid ? 3 : match_count == ret->row_count ? 0 : 1;
    ret->sentence = arena_format(
        arena,
        "%s: %zu of %zu problems match (median within 3 %%, throughput within 5 %%, intervals overlap)%s",
        is_invalid       ? "invalid"
        : ret->exit_code ? "not reproduced"
                         : "reproduced",
        match_count, ret->row_count,
        is_invalid && is_single_process(reference)
            ? "; one process is behind the file: write it anew with 'assay baseline set'"
            : "");
    return 0;
}
