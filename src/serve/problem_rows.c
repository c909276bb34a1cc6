// SPDX-License-Identifier: Apache-2.0
//
// See problem_rows.h.
#include "serve/problem_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/natural_order.h"

static const char *const sort_words[PROBLEM_SORT_COUNT] = {
    [PROBLEM_SORT_NAME] = "problem",  [PROBLEM_SORT_TREND] = "trend",     [PROBLEM_SORT_MEDIAN] = "median",
    [PROBLEM_SORT_CHANGE] = "change", [PROBLEM_SORT_VERDICT] = "verdict", [PROBLEM_SORT_RUN] = "run",
};

// Those of a gate and of compare, the best first.
static const char *const verdicts[] = {
    "improvement",
    "same_code",
    "maintained",
    "added",
    "no_significant_difference",
    "removed",
    "undecidable",
    "invalid",
    "compiler_regression",
    "regression",
    "wrong",
};

static int read_sort(const struct serve_call *call, enum problem_sort *ret, struct err *err) {
    const char *text = request_parameter(&call->target, "sort");
    *ret = PROBLEM_SORT_NAME;
    if (!text) return 0;
    for (int i = 0; i < PROBLEM_SORT_COUNT; ++i)
        if (str_equal(text, sort_words[i])) {
            *ret = (enum problem_sort)i;
            return 0;
        }
    return err_set(err, ERR_USAGE, "sort is problem, trend, median, change, verdict or run, not '%s'",
                   str_shown(text).text);
}

int problem_order_read(const struct serve_call *call, struct problem_order *ret, struct err *err) {
    const char *order = request_parameter(&call->target, "order");
    TRY(read_sort(call, &ret->sort, err));
    ret->is_descending = str_equal(order, "descending");
    if (!order || ret->is_descending || str_equal(order, "ascending")) return 0;
    return err_set(err, ERR_USAGE, "order is ascending or descending, not '%s'", str_shown(order).text);
}

static double rank_of(const char *verdict) {
    for (size_t i = 0; verdict && i < sizeof verdicts / sizeof *verdicts; ++i)
        if (str_equal(verdict, verdicts[i])) return (double)i;
    return NAN;
}

static void find_changes(struct problem_row *row, const struct store_changes *changes) {
    size_t count = 0;
    const struct stored_change *const *all =
        store_changes_of(changes, row->newest->problem, row->newest->side, &count);
    for (size_t i = 0; i < count; ++i) {
        if (!str_equal(all[i]->after->metric, row->newest->run.metric) ||
            !str_equal(all[i]->after->device_uuid, row->newest->run.device_uuid))
            continue;
        if (!row->change) row->change = all[i];
        ++row->change_count;
    }
}

struct problem_row problem_row_make(const struct stored_result *newest, const struct store_changes *changes,
                                    const struct problem_order *order) {
    struct problem_row row = {.newest = newest, .value = NAN, .order = order};
    find_changes(&row, changes);
    switch (order->sort) {
    case PROBLEM_SORT_TREND: row.value = row.change ? row.change->step.change_pct : NAN; break;
    case PROBLEM_SORT_MEDIAN: row.value = newest->median_ns; break;
    case PROBLEM_SORT_CHANGE: row.value = newest->change_pct; break;
    case PROBLEM_SORT_VERDICT: row.value = rank_of(newest->verdict); break;
    case PROBLEM_SORT_RUN: row.text = newest->run.created_utc; break;
    case PROBLEM_SORT_NAME:
    case PROBLEM_SORT_COUNT: break;
    }
    return row;
}

static int compare_values(const struct problem_row *a, const struct problem_row *b) {
    const int factor = a->order->is_descending ? -1 : 1;
    if (isnan(a->value) || isnan(b->value)) return !!isnan(a->value) - !!isnan(b->value);
    return factor * ((a->value > b->value) - (a->value < b->value));
}

static int compare_texts(const struct problem_row *a, const struct problem_row *b) {
    const int factor = a->order->is_descending ? -1 : 1;
    if (!a->text || !b->text) return !a->text - !b->text;
    return factor * strcmp(a->text, b->text);
}

static int compare_names(const char *a_problem, const char *a_side, const char *b_problem,
                         const char *b_side) {
    const int order = natural_compare(a_problem, b_problem);
    return order ? order : natural_compare(a_side, b_side);
}

// Names, after anything else, ascend.
static int in_order(const void *left, const void *right) {
    const struct problem_row *a = left, *b = right;
    int order = compare_values(a, b);
    if (!order) order = compare_texts(a, b);
    if (order) return order;
    order = compare_names(a->newest->problem, a->newest->side, b->newest->problem, b->newest->side);
    return a->order->sort == PROBLEM_SORT_NAME && a->order->is_descending ? -order : order;
}

void problem_rows_sort(struct problem_row *rows, size_t count) {
    if (count) qsort(rows, count, sizeof *rows, in_order);
}

static int by_name(const void *left, const void *right) {
    const struct stored_side *a = left, *b = right;
    return compare_names(a->problem, a->side, b->problem, b->side);
}

void problem_sides_sort(struct stored_side *sides, size_t count) {
    if (count) qsort(sides, count, sizeof *sides, by_name);
}
