// SPDX-License-Identifier: Apache-2.0
//
// A run without a decision: each problem's figures, kernels side by side, geometric mean, best, worst, and a
// line that says what that means.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/strbuf.h"
#include "control/report/result/case_lines.h"
#include "control/report/result/figure_text.h"
#include "control/report/result/report_content.h"
#include "control/verdict/summary.h"
#include "stats/describe.h"

#define PARITY_LOW  0.97 // geometric mean speed-up below: slower; above PARITY_HIGH: faster
#define PARITY_HIGH 1.03
#define BOUND_LEVEL 0.95 // of the upper limits of percentiles

// Lines end with a newline; items of a block do not.
static void add_lines(struct report_blocks *blocks, struct report_block *block, const char *text) {
    while (*text) {
        size_t length = strcspn(text, "\n");
        report_item_add(blocks, block, arena_strndup(blocks->arena, text, length));
        text += length + (text[length] == '\n');
    }
}

// All summaries of a result, case by case and side by side; the caller frees. NULL: no memory.
static struct summary *summaries_get(const struct result *result) {
    size_t count = result->case_count * result->side_count;
    struct summary *ret = mem_try_array(count ? count : 1, sizeof *ret);
    for (size_t i = 0; ret && i < count; ++i) {
        const struct result_case *item = &result->cases[i / result->side_count];
        if (summary_get(result, item, (uint32_t)(i % result->side_count), &ret[i]) < 0) {
            free(ret);
            return NULL;
        }
    }
    return ret;
}

static void add_figures(const struct result *result, const struct summary *summaries,
                        struct report_blocks *blocks) {
    struct report_block *block = report_block_add(blocks, REPORT_LINES, "Measured");
    size_t fewest = SIZE_MAX;
    for (size_t i = 0; i < result->case_count; ++i) {
        for (uint32_t side = 0; side < result->side_count; ++side) {
            const struct summary *summary = &summaries[i * result->side_count + side];
            struct case_line line = {.result = result,
                                     .item = &result->cases[i],
                                     .side = side,
                                     .number = i + 1,
                                     .total = result->case_count,
                                     .has_label = result->side_count > 1};
            struct strbuf text = {0};
            case_line_bench(&line, summary, &text);
            add_lines(blocks, block, strbuf_text(&text));
            strbuf_fini(&text);
            if (summary->figures.is_set && summary->figures.sample_count < fewest)
                fewest = summary->figures.sample_count;
        }
    }
    const size_t p95_count = describe_percentile_bound_count(0.95, BOUND_LEVEL);
    const size_t p99_count = describe_percentile_bound_count(0.99, BOUND_LEVEL);
    if (fewest < p99_count)
        report_item_add(
            blocks, block,
            arena_format(blocks->arena, "%s: n too small for a bound (%zu samples; P95 needs %zu, P99 %zu)",
                         fewest < p95_count ? "P95 and P99" : "P99", fewest, p95_count, p99_count));
}

// The side that speed-ups are said of: the only candidate, else the first.
static size_t subject_of(const struct result *result) {
    for (size_t i = 0; i < result->side_count; ++i)
        if (result->sides[i].role == SIDE_CANDIDATE) return i;
    return 0;
}

// Speed-ups of the subject over one other side.
struct standing {
    double target; // NAN: none
    double log_sum, best, worst;
    size_t count, missing, below; // below: problems measured that miss the target
    size_t wrong;                 // problems on which the subject fails
    const char *best_name, *worst_name;
};

static void standing_add(struct standing *standing, const char *name, double speedup) {
    if (!isfinite(speedup)) {
        ++standing->missing;
        return;
    }
    standing->below += speedup < standing->target;
    standing->log_sum += log(speedup);
    if (standing->count == 0 || speedup > standing->best) {
        standing->best = speedup;
        standing->best_name = name;
    }
    if (standing->count == 0 || speedup < standing->worst) {
        standing->worst = speedup;
        standing->worst_name = name;
    }
    ++standing->count;
}

// What is left to the target; nothing without one.
static const char *target_text(const struct standing *standing, struct arena *arena) {
    size_t open = standing->below + standing->missing;
    if (!isfinite(standing->target)) return "";
    return arena_format(arena, " (target %s missed on %zu of %zu problems, worst %s)",
                        figure_ratio(standing->target, arena), open, standing->count + standing->missing,
                        standing->worst_name);
}

static const char *verdict_text_of(const struct standing *standing, const char *other, struct arena *arena) {
    double mean = exp(standing->log_sum / (double)standing->count);
    if (standing->wrong)
        return arena_format(arena, "wrong on %zu problems: no speed is claimed; assay fuzz shows where",
                            standing->wrong);
    if (standing->worst >= standing->target && standing->missing == 0)
        return arena_format(
            arena,
            "target met: every problem at or above the manifest's target of %s; hold it with assay gate",
            figure_ratio(standing->target, arena));
    const char *target = target_text(standing, arena);
    if (mean > PARITY_HIGH)
        return arena_format(arena, "faster than %s%s; assay gate proves it", other, target);
    if (mean < PARITY_LOW)
        return arena_format(arena, "slower than %s%s; begin with the worst problem, %s", other, target,
                            standing->worst_name);
    return arena_format(arena, "parity with %s%s; differences of this size need rounds: assay gate", other,
                        target);
}

static void add_standing(const struct standing *standing, const char *subject, const char *other,
                         struct report_blocks *blocks, struct report_block *block) {
    struct arena *arena = blocks->arena;
    if (standing->count == 0) return;
    double mean = exp(standing->log_sum / (double)standing->count);
    const char *missing = standing->missing
                              ? arena_format(arena, ", over %zu of %zu problems", standing->count,
                                             standing->count + standing->missing)
                              : "";
    report_item_add(blocks, block,
                    arena_format(arena,
                                 "%s over %s: geometric mean speed-up %s, best %s (%s), worst %s (%s)%s",
                                 subject, other, figure_ratio(mean, arena),
                                 figure_ratio(standing->best, arena), standing->best_name,
                                 figure_ratio(standing->worst, arena), standing->worst_name, missing));
    report_item_add(blocks, block,
                    arena_format(arena, "verdict: %s", verdict_text_of(standing, other, arena)));
}

static double speedup_of(const struct summary *row, size_t subject, size_t other) {
    return row[other].figures.median_ns / row[subject].figures.median_ns;
}

// Over the fastest of the peers that have a time on this problem; NAN when none has.
static double speedup_over_fastest(const struct result *result, const struct summary *row, size_t subject) {
    double fastest_ns = NAN;
    for (size_t side = 0; side < result->side_count; ++side)
        if (result->sides[side].role == SIDE_PEER && row[side].figures.is_set)
            fastest_ns = fmin(fastest_ns, row[side].figures.median_ns);
    return fastest_ns / row[subject].figures.median_ns;
}

// Of several peers it is the fastest that counts, problem by problem.
static bool has_several_peers(const struct result *result, size_t subject) {
    size_t count = 0;
    for (size_t side = 0; side < result->side_count; ++side)
        count += result->sides[side].role == SIDE_PEER && side != subject;
    return count > 1;
}

// Columns: problem, a median per side, a speed-up of the subject over each other side, and over the fastest
// peer.
static struct report_block *table_begin(const struct result *result, size_t subject,
                                        struct report_blocks *blocks) {
    const char *head[REPORT_COLUMNS_MAX] = {"problem"};
    char alignment[REPORT_COLUMNS_MAX + 1] = "l";
    size_t at = 1;
    for (size_t side = 0; side < result->side_count && at < REPORT_COLUMNS_MAX; ++side) {
        head[at] = result_side_name(result, side, blocks->arena);
        alignment[at++] = 'r';
    }
    for (size_t side = 0; side < result->side_count && at < REPORT_COLUMNS_MAX; ++side) {
        if (side == subject) continue;
        head[at] = arena_format(blocks->arena, "over %s", result_side_name(result, side, blocks->arena));
        alignment[at++] = 'r';
    }
    if (has_several_peers(result, subject) && at < REPORT_COLUMNS_MAX) {
        head[at] = "over fastest";
        alignment[at++] = 'r';
    }
    return report_table_add(blocks, alignment, head);
}

static bool is_wrong(const struct result_case *item, size_t side) {
    return outcome_is_wrong(result_case_outcome(item, (uint32_t)side));
}

static const char *ratio_cell(double ratio, struct arena *arena) {
    return isfinite(ratio) ? figure_ratio(ratio, arena) : "-";
}

static void add_table(const struct result *result, const struct summary *summaries, size_t subject,
                      struct report_blocks *blocks) {
    struct report_block *table = table_begin(result, subject, blocks);
    for (size_t i = 0; i < result->case_count; ++i) {
        const struct summary *row = &summaries[i * result->side_count];
        struct report_row *cells = report_row_add(blocks, table);
        size_t at = 0;
        cells->cells[at++] = result_case_name(&result->cases[i]);
        for (size_t side = 0; side < result->side_count && at < table->column_count; ++side) {
            enum outcome outcome = result_case_outcome(&result->cases[i], (uint32_t)side);
            bool has_time = row[side].figures.is_set;
            cells->cells[at++] =
                has_time ? figure_time(row[side].figures.median_ns, blocks->arena) : outcome_name(outcome);
        }
        for (size_t side = 0; side < result->side_count && at < table->column_count; ++side)
            if (side != subject)
                cells->cells[at++] = ratio_cell(speedup_of(row, subject, side), blocks->arena);
        if (at < table->column_count)
            cells->cells[at++] = ratio_cell(speedup_over_fastest(result, row, subject), blocks->arena);
    }
}

// What the sentences below a table are about.
struct bench_view {
    const struct result *result;
    const struct summary *summaries;
    size_t subject;
    double target; // NAN: none
};

// The subject's standing against one other side, or against the fastest peer (other == side_count).
static void add_standing_over(const struct bench_view *view, size_t other, struct report_blocks *blocks,
                              struct report_block *block) {
    const struct result *result = view->result;
    const bool is_fastest = other == result->side_count;
    struct standing standing = {.target = view->target};
    for (size_t i = 0; i < result->case_count; ++i) {
        const struct summary *row = &view->summaries[i * result->side_count];
        standing_add(&standing, result_case_name(&result->cases[i]),
                     is_fastest ? speedup_over_fastest(result, row, view->subject)
                                : speedup_of(row, view->subject, other));
        standing.wrong += is_wrong(&result->cases[i], view->subject);
    }
    add_standing(&standing, result_side_name(result, view->subject, blocks->arena),
                 is_fastest ? "the fastest peer" : result_side_name(result, other, blocks->arena), blocks,
                 block);
}

int report_content_bench(const struct result *result, const struct report_options *options,
                         struct report_blocks *blocks) {
    if (result->case_count == 0) return 0;
    struct summary *summaries = summaries_get(result);
    if (!summaries) return -1;
    size_t subject = subject_of(result);
    double target = isfinite(options->target_ratio) ? options->target_ratio
                    : result->target_speedup > 0    ? result->target_speedup
                                                    : NAN;
    add_figures(result, summaries, blocks);
    if (result->side_count > 1) {
        add_table(result, summaries, subject, blocks);
        struct report_block *block = report_block_add(blocks, REPORT_LINES, NULL);
        const struct bench_view view = {
            .result = result, .summaries = summaries, .subject = subject, .target = target};
        for (size_t other = 0; other < result->side_count; ++other)
            if (other != subject) add_standing_over(&view, other, blocks, block);
        if (has_several_peers(result, subject)) add_standing_over(&view, result->side_count, blocks, block);
        if (block->row_count == 0) --blocks->count; // no side has times to be held against
    }
    free(summaries);
    return 0;
}
