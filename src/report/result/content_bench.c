// SPDX-License-Identifier: Apache-2.0
//
// A run without a decision: each problem's figures, kernels in columns, geometric mean, best and worst
// speed-up, and a line with the conclusion.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/comma.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "report/result/case_lines.h"
#include "report/result/figure_text.h"
#include "report/result/report_parts.h"
#include "stats/describe.h"
#include "verdict/summary.h"

#define PARITY_LOW  0.97 // geometric mean speed-up below: slower; above PARITY_HIGH: faster
#define PARITY_HIGH 1.03
#define BOUND_LEVEL 0.95 // of the upper limits of percentiles

// Input of a report without a decision. It compares one side, the subject, problem by problem with each other
// side and, if there are several peers, with the fastest of them.
struct bench_view {
    const struct result *result;
    const struct summary *summaries; // case by case and side by side
    size_t subject;                  // the first candidate, else the first side
    double target;                   // NAN: none
    bool is_failures_only;
    size_t other_count, others[WORK_SIDES_MAX]; // sides; result->side_count: the fastest peer
};

static bool has_all_times(const struct bench_view *view, size_t case_index) {
    const struct summary *row = &view->summaries[case_index * view->result->side_count];
    for (size_t side = 0; side < view->result->side_count; ++side)
        if (!row[side].figures.is_set) return false;
    return true;
}

static bool is_shown(const struct bench_view *view, size_t case_index) {
    return !view->is_failures_only || !has_all_times(view, case_index);
}

static void add_figures(const struct bench_view *view, struct report_blocks *blocks) {
    const struct result *result = view->result;
    struct report_block *block = report_block_add(blocks, REPORT_LINES, "Measured");
    size_t fewest = SIZE_MAX;
    for (size_t i = 0; i < result->case_count * result->side_count; ++i) {
        const size_t number = i / result->side_count;
        const struct case_line line = {.result = result,
                                       .item = &result->cases[number],
                                       .side = (uint32_t)(i % result->side_count),
                                       .number = number + 1,
                                       .total = result->case_count,
                                       .has_label = result->side_count > 1};
        const struct case_summary *figures = &view->summaries[i].figures;
        struct strbuf text = {0};
        if (is_shown(view, number)) case_line_bench(&line, &view->summaries[i], &text);
        report_lines_add(blocks, block, strbuf_text(&text));
        strbuf_fini(&text);
        if (figures->is_set && figures->sample_count < fewest) fewest = figures->sample_count;
    }
    const size_t p95_count = describe_percentile_bound_count(0.95, BOUND_LEVEL);
    const size_t p99_count = describe_percentile_bound_count(0.99, BOUND_LEVEL);
    if (fewest < p99_count)
        report_item_addf(blocks, block, "%s: n too small for a bound (%zu samples; P95 needs %zu, P99 %zu)",
                         fewest < p95_count ? "P95 and P99" : "P99", fewest, p95_count, p99_count);
}

static bool is_unsupported(const struct bench_view *view, size_t case_index, size_t side) {
    return result_case_outcome(&view->result->cases[case_index], (uint32_t)side) == OUTCOME_UNSUPPORTED;
}

// NAN unless every peer that supports the problem has a time that counts: one without may be the fastest.
static double fastest_peer_ns(const struct bench_view *view, size_t case_index) {
    const struct result *result = view->result;
    const struct summary *row = &view->summaries[case_index * result->side_count];
    double ret_ns = NAN;
    for (size_t side = 0; side < result->side_count; ++side) {
        if (result->sides[side].role != SIDE_PEER || is_unsupported(view, case_index, side)) continue;
        if (!row[side].figures.is_set) return NAN;
        ret_ns = fmin(ret_ns, row[side].figures.median_ns);
    }
    return ret_ns;
}

// Speed-up of the subject. NAN if a side has no time.
static double speedup_of(const struct bench_view *view, size_t case_index, size_t other) {
    const struct result *result = view->result;
    const struct summary *row = &view->summaries[case_index * result->side_count];
    const double other_ns =
        other < result->side_count ? row[other].figures.median_ns : fastest_peer_ns(view, case_index);
    return other_ns / row[view->subject].figures.median_ns;
}

// Whether there is nothing to compare with: neither the other side, nor any peer, supports the problem.
static bool has_no_other(const struct bench_view *view, size_t case_index, size_t other) {
    const struct result *result = view->result;
    if (other < result->side_count) return is_unsupported(view, case_index, other);
    for (size_t side = 0; side < result->side_count; ++side)
        if (result->sides[side].role == SIDE_PEER && !is_unsupported(view, case_index, side)) return false;
    return true;
}

// A time that does not count stands in brackets. least_ns: of the row's times.
static const char *time_cell(const struct result_case *item, uint32_t side,
                             const struct case_summary *figures, double least_ns, struct arena *arena) {
    struct invalid_times times;
    const enum outcome outcome = result_case_outcome(item, side);
    if (figures->is_set) return figure_time_beside(figures->median_ns, least_ns, arena);
    if (outcome_is_wrong(outcome) || invalid_times_get(item, side, &times) < 0 || !times.count)
        return outcome_name(outcome);
    return arena_format(arena, "(%s)", figure_time(times.median_ns, arena));
}

// Columns: problem, a median per side, and the subject's speed-ups.
static void add_table(const struct bench_view *view, struct report_blocks *blocks) {
    const struct result *result = view->result;
    struct arena *arena = blocks->arena;
    struct report_block *table = report_table_add(blocks, "l", (const char *const[]){"problem"});
    for (size_t side = 0; side < result->side_count; ++side)
        report_column_add(table, 'r', result_side_name(result, side, arena));
    for (size_t k = 0; k < view->other_count; ++k)
        report_column_add(
            table, 'r',
            view->others[k] == result->side_count
                ? "over fastest"
                : arena_format(arena, "over %s", result_side_name(result, view->others[k], arena)));
    for (size_t i = 0; i < result->case_count; ++i) {
        const struct summary *row = &view->summaries[i * result->side_count];
        if (!is_shown(view, i)) continue;
        struct report_row *cells = report_row_add(blocks, table);
        size_t at = 0;
        cells->cells[at++] = result_case_name(&result->cases[i]);
        double least_ns = NAN;
        for (size_t side = 0; side < result->side_count; ++side)
            if (row[side].figures.is_set) least_ns = fmin(least_ns, row[side].figures.median_ns);
        for (size_t side = 0; side < result->side_count; ++side)
            cells->cells[at++] =
                time_cell(&result->cases[i], (uint32_t)side, &row[side].figures, least_ns, arena);
        for (size_t k = 0; k < view->other_count; ++k) {
            const double speedup = speedup_of(view, i, view->others[k]);
            cells->cells[at++] = isfinite(speedup) ? figure_ratio(speedup, arena) : "-";
        }
    }
}

// Speed-ups of the subject over one other side.
struct standing {
    double mean, best, worst;     // mean: geometric
    size_t count, missing, below; // below: problems measured that miss the target
    size_t untimed;               // of the missing ones, those that the other side supports
    size_t wrong;                 // problems on which the subject fails
    const char *best_name, *worst_name;
};

static struct standing standing_get(const struct bench_view *view, size_t other) {
    struct standing ret = {0};
    double log_sum = 0;
    for (size_t i = 0; i < view->result->case_count; ++i) {
        const struct result_case *item = &view->result->cases[i];
        const double speedup = speedup_of(view, i, other);
        ret.wrong += outcome_is_wrong(result_case_outcome(item, (uint32_t)view->subject));
        if (!isfinite(speedup)) {
            ++ret.missing;
            ret.untimed += !has_no_other(view, i, other);
            continue;
        }
        ret.below += speedup < view->target;
        log_sum += log(speedup);
        if (ret.count == 0 || speedup > ret.best) {
            ret.best = speedup;
            ret.best_name = result_case_name(item);
        }
        if (ret.count == 0 || speedup < ret.worst) {
            ret.worst = speedup;
            ret.worst_name = result_case_name(item);
        }
        ++ret.count;
    }
    ret.mean = exp(log_sum / (double)ret.count);
    return ret;
}

// The conclusion from the speed-ups: target met or missed, faster, slower, parity. target NAN: none.
static const char *standing_text(const struct standing *standing, double target, const char *other,
                                 struct arena *arena) {
    if (standing->wrong)
        return arena_format(arena, "wrong on %zu problems: no speed is claimed; assay fuzz shows where",
                            standing->wrong);
    if (standing->worst >= target && standing->missing == 0)
        return arena_format(
            arena,
            "target met: every problem at or above the manifest's target of %s; hold it with assay gate",
            figure_ratio(target, arena));
    if (standing->count == 0)
        return arena_format(arena, "target %s missed on all %zu problems: no speed-up is known",
                            figure_ratio(target, arena), standing->missing);
    const char *missed = "";
    if (isfinite(target)) {
        const char *unknown = standing->missing
                                  ? arena_format(arena, ", %zu of them without a speed-up", standing->missing)
                                  : "";
        missed = arena_format(arena, " (target %s missed on %zu of %zu problems%s, worst %s)",
                              figure_ratio(target, arena), standing->below + standing->missing,
                              standing->count + standing->missing, unknown, standing->worst_name);
    }
    if (standing->mean > PARITY_HIGH)
        return arena_format(arena, "faster than %s%s; assay gate proves it", other, missed);
    if (standing->mean < PARITY_LOW)
        return arena_format(arena, "slower than %s%s; begin with the worst problem, %s", other, missed,
                            standing->worst_name);
    return arena_format(arena, "parity with %s%s; differences of this size need rounds: assay gate", other,
                        missed);
}

// "; not supported and left out: cudnn on 2 problems": the fastest is that of the other peers there.
static const char *left_out_text(const struct bench_view *view, struct arena *arena) {
    const struct result *result = view->result;
    struct strbuf list = {0};
    for (size_t side = 0; side < result->side_count; ++side) {
        size_t count = 0;
        if (result->sides[side].role != SIDE_PEER) continue;
        for (size_t i = 0; i < result->case_count; ++i)
            count += is_unsupported(view, i, side) && isfinite(speedup_of(view, i, result->side_count));
        if (count)
            comma_addf(&list, "%s on %zu problem%s", result_side_name(result, side, arena), count,
                       count == 1 ? "" : "s");
    }
    const char *ret = list.length ? arena_format(arena, "; not supported and left out: %s", list.text) : "";
    strbuf_fini(&list);
    return ret;
}

// The speed-ups over one other side, whose name it is.
static const char *standing_line(const struct bench_view *view, const struct standing *standing,
                                 bool is_fastest, const char *other, struct arena *arena) {
    const char *subject = result_side_name(view->result, view->subject, arena);
    if (standing->count == 0)
        return arena_format(arena, "%s over %s: not known, as no problem has a valid time of %s", subject,
                            other, is_fastest ? "every peer that supports it" : "both");
    const char *missing = standing->missing
                              ? arena_format(arena, ", over %zu of %zu problems", standing->count,
                                             standing->count + standing->missing)
                              : "";
    return arena_format(arena, "%s over %s: geometric mean speed-up %s, best %s (%s), worst %s (%s)%s%s",
                        subject, other, figure_ratio(standing->mean, arena),
                        figure_ratio(standing->best, arena), standing->best_name,
                        figure_ratio(standing->worst, arena), standing->worst_name, missing,
                        is_fastest ? left_out_text(view, arena) : "");
}

// Two lines for each side that the subject is compared with. A side without times has none, unless a target
// was to be reached over it.
static void add_standings(const struct bench_view *view, struct report_blocks *blocks) {
    struct arena *arena = blocks->arena;
    struct report_block *block = report_block_add(blocks, REPORT_LINES, NULL);
    for (size_t k = 0; k < view->other_count; ++k) {
        const struct standing standing = standing_get(view, view->others[k]);
        const bool is_fastest = view->others[k] == view->result->side_count;
        const char *other =
            is_fastest ? "the fastest peer" : result_side_name(view->result, view->others[k], arena);
        if (standing.count == 0 && !(isfinite(view->target) && standing.untimed)) continue;
        report_item_add(blocks, block, standing_line(view, &standing, is_fastest, other, arena));
        report_item_addf(blocks, block, "verdict: %s", standing_text(&standing, view->target, other, arena));
    }
    report_block_drop_empty(blocks, block);
}

// The sides that the subject is held against; summaries are owned by the caller. -1: no memory.
static int view_fill(const struct result *result, const struct report_options *options,
                     struct summary **ret_summaries, struct bench_view *ret) {
    const size_t count = result->case_count * result->side_count;
    struct summary *summaries = *ret_summaries = mem_try_array(count ? count : 1, sizeof *summaries);
    int status = summaries ? 0 : -1;
    for (size_t i = 0; i < count && status == 0; ++i)
        status = summary_get(result, &result->cases[i / result->side_count],
                             (uint32_t)(i % result->side_count), &summaries[i]);
    *ret = (struct bench_view){
        .result = result, .summaries = summaries, .is_failures_only = options->is_failures_only};
    ret->target = isfinite(options->target_ratio) ? options->target_ratio
                  : result->target_speedup > 0    ? result->target_speedup
                                                  : NAN;
    ret->subject = report_subject(result);
    size_t peer_count = 0;
    for (size_t side = 0; side < result->side_count; ++side) {
        if (side == ret->subject) continue;
        ret->others[ret->other_count++] = side;
        peer_count += result->sides[side].role == SIDE_PEER;
    }
    if (peer_count > 1) ret->others[ret->other_count++] = result->side_count;
    return status;
}

int report_content_bench(const struct result *result, const struct report_options *options,
                         struct report_blocks *blocks) {
    struct summary *summaries = NULL;
    struct bench_view view;
    if (result->case_count == 0) return 0;
    const int status = view_fill(result, options, &summaries, &view);
    if (status == 0) {
        add_figures(&view, blocks);
        if (result->side_count > 1) {
            add_table(&view, blocks);
            add_standings(&view, blocks);
        }
        size_t shown = 0;
        for (size_t i = 0; i < result->case_count; ++i) shown += is_shown(&view, i);
        report_add_not_shown(result->case_count - shown, blocks);
    }
    free(summaries);
    return status;
}

static bool is_wrong(const struct result *result, size_t case_index) {
    for (uint32_t side = 0; side < result->side_count; ++side)
        if (outcome_is_wrong(result_case_outcome(&result->cases[case_index], side))) return true;
    return false;
}

// Against the fastest of several peers, else against the one other side.
static const char *line_of(const struct bench_view *view, struct arena *arena) {
    const struct result *result = view->result;
    size_t measured = 0, wrong = 0;
    for (size_t i = 0; i < result->case_count; ++i) {
        wrong += is_wrong(result, i);
        measured += has_all_times(view, i);
    }
    const char *line = arena_format(arena, "%zu of %zu problem%s measured", measured, result->case_count,
                                    result->case_count == 1 ? "" : "s");
    if (wrong) line = arena_format(arena, "%s, %zu wrong", line, wrong);
    if (view->other_count) {
        const size_t other = view->others[view->other_count - 1];
        const bool is_fastest = other == result->side_count;
        const struct standing standing = standing_get(view, other);
        const char *name = is_fastest ? "the fastest peer" : result_side_name(result, other, arena);
        line = arena_format(arena, "%s; %s", line, standing_line(view, &standing, is_fastest, name, arena));
    }
    return line;
}

int report_bench_line(const struct result *result, const struct report_options *options, struct arena *arena,
                      const char **ret) {
    struct summary *summaries = NULL;
    struct bench_view view;
    const int status = view_fill(result, options, &summaries, &view);
    if (status == 0) *ret = line_of(&view, arena);
    free(summaries);
    return status;
}
