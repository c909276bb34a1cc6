// SPDX-License-Identifier: Apache-2.0
//
// Whether a kernel's time depends on its data: where a problem was measured with several input distributions,
// the slowest over the fastest of each side, and a sentence for every side.
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "report/result/figure_text.h"
#include "report/result/report_parts.h"
#include "verdict/summary.h"

#define DEPENDS_FROM 1.05 // slowest over fastest

struct data_view {
    const struct result *result;
    double *medians_ns; // case by case and side by side; NAN: none
};

// One problem on one side, over its input distributions.
struct data_spread {
    double ratio; // NAN where fewer than two of them have a time
    const struct result_case *fastest, *slowest;
    double fastest_ns, slowest_ns;
    size_t timed_count, count; // of them: with a time that counts; all
};

static bool is_same_problem(const struct result_case *a, const struct result_case *b) {
    return str_equal(a->problem.name, b->problem.name) && a->memory_layout == b->memory_layout;
}

// Whether the case is the first of a problem that comes with other inputs too.
static bool begins_a_problem(const struct result *result, size_t index) {
    const struct result_case *cases = result->cases;
    for (size_t i = 0; i < index; ++i)
        if (is_same_problem(&cases[i], &cases[index])) return false;
    for (size_t i = index + 1; i < result->case_count; ++i)
        if (is_same_problem(&cases[i], &cases[index])) return true;
    return false;
}

static struct data_spread spread_get(const struct data_view *view, size_t index, size_t side) {
    const struct result *result = view->result;
    struct data_spread ret = {.ratio = NAN, .fastest_ns = INFINITY, .slowest_ns = 0};
    for (size_t i = index; i < result->case_count; ++i) {
        const double median_ns = view->medians_ns[i * result->side_count + side];
        if (!is_same_problem(&result->cases[i], &result->cases[index])) continue;
        ++ret.count;
        if (!isfinite(median_ns)) continue;
        ++ret.timed_count;
        if (median_ns < ret.fastest_ns) ret.fastest = &result->cases[i], ret.fastest_ns = median_ns;
        if (median_ns > ret.slowest_ns) ret.slowest = &result->cases[i], ret.slowest_ns = median_ns;
    }
    if (ret.timed_count > 1) ret.ratio = ret.slowest_ns / ret.fastest_ns;
    return ret;
}

static void add_table(const struct data_view *view, struct report_blocks *blocks) {
    const struct result *result = view->result;
    struct arena *arena = blocks->arena;
    struct report_block *table =
        report_table_add(blocks, "l", (const char *const[]){"slowest inputs over fastest"});
    for (size_t side = 0; side < result->side_count; ++side)
        report_column_add(table, 'r', result_side_name(result, side, arena));
    for (size_t i = 0; i < result->case_count; ++i) {
        if (!begins_a_problem(result, i)) continue;
        struct report_row *cells = report_row_add(blocks, table);
        cells->cells[0] = result_case_name(&result->cases[i]);
        for (size_t side = 0; side < result->side_count; ++side) {
            const struct data_spread spread = spread_get(view, i, side);
            cells->cells[1 + side] = isfinite(spread.ratio)
                                         ? arena_format(arena, "%s %s", figure_ratio(spread.ratio, arena),
                                                        spread.slowest->distribution)
                                         : "-";
        }
    }
}

// "; 2 of 8 inputs have a time"; "" if all have.
static const char *coverage(const struct data_spread *spread, struct arena *arena) {
    if (spread->timed_count == spread->count) return "";
    return arena_format(arena, "; %zu of %zu inputs have a time", spread->timed_count, spread->count);
}

// What is true of all problems counts all of their inputs.
static void add_same(const char *name, const struct data_spread *worst, const struct data_spread *all,
                     struct report_blocks *blocks, struct report_block *block) {
    const char *inputs = "all inputs";
    if (all->timed_count < all->count)
        inputs = arena_format(blocks->arena, "the inputs that have a time, %zu of %zu", all->timed_count,
                              all->count);
    report_item_addf(blocks, block, "%s: the same time with %s, within 5 %% (worst %s, %s)", name, inputs,
                     figure_ratio(worst->ratio, blocks->arena), worst->slowest->problem.name);
}

// A sentence for each side, about its worst problem.
static void add_sentences(const struct data_view *view, struct report_blocks *blocks) {
    const struct result *result = view->result;
    struct arena *arena = blocks->arena;
    struct report_block *block = report_block_add(blocks, REPORT_LINES, NULL);
    for (size_t side = 0; side < result->side_count; ++side) {
        struct data_spread worst = {.ratio = NAN}, all = {0};
        for (size_t i = 0; i < result->case_count; ++i) {
            if (!begins_a_problem(result, i)) continue;
            const struct data_spread spread = spread_get(view, i, side);
            all.timed_count += spread.timed_count;
            all.count += spread.count;
            if (spread.ratio > worst.ratio || isnan(worst.ratio)) worst = spread;
        }
        if (isnan(worst.ratio)) continue;
        const char *name = result_side_name(result, side, arena);
        if (worst.ratio > DEPENDS_FROM)
            report_item_addf(
                blocks, block, "%s: its time depends on the data: %s with %s inputs, %s with %s (%s, %s%s)",
                name, figure_time(worst.slowest_ns, arena), worst.slowest->distribution,
                figure_time(worst.fastest_ns, arena), worst.fastest->distribution,
                figure_ratio(worst.ratio, arena), worst.slowest->problem.name, coverage(&worst, arena));
        else
            add_same(name, &worst, &all, blocks, block);
    }
    report_block_drop_empty(blocks, block);
}

int report_content_data(const struct result *result, struct report_blocks *blocks) {
    const size_t count = result->case_count * result->side_count;
    bool is_asked = false;
    for (size_t i = 0; i < result->case_count; ++i) is_asked |= begins_a_problem(result, i);
    if (!is_asked || !count) return 0;
    struct data_view view = {.result = result, .medians_ns = mem_try_array(count, sizeof(double))};
    int status = view.medians_ns ? 0 : -1;
    for (size_t i = 0; i < count && status == 0; ++i) {
        struct summary summary;
        status = summary_get(result, &result->cases[i / result->side_count],
                             (uint32_t)(i % result->side_count), &summary);
        if (status == 0) view.medians_ns[i] = summary.figures.is_set ? summary.figures.median_ns : NAN;
    }
    if (status == 0) {
        add_table(&view, blocks);
        add_sentences(&view, blocks);
    }
    free(view.medians_ns);
    return status;
}
