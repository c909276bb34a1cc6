// SPDX-License-Identifier: Apache-2.0
//
// A sample report for a terminal: per problem each side's figures, distribution and course, then the medians
// of its rounds.
#include <stdlib.h>

#include "base/arena.h"
#include "base/mem.h"
#include "base/term.h"
#include "report/result/figure_text.h"
#include "report/samples/sample_internal.h"
#include "stats/float_order.h"

// Name and side, then the side's role and the problem's full name, on a second line if they do not fit. A
// single file of another tool has no role.
static void print_heading(const struct result *result, const struct sample_set *set,
                          const struct sample_report_options *options, struct strbuf *out) {
    struct arena arena = {0};
    const struct result_case *item = set->item;
    const char *role = result->external_format ? "" : side_role_name(result->sides[set->side].role);
    const char *full = item->short_name ? item->problem.name : "";
    const char *title =
        arena_format(&arena, "%s  %s", result_case_name(item), result_side_name(result, set->side, &arena));
    const char *more = arena_format(&arena, "%s%s%s", role, *role && *full ? ", " : "", full);
    title = figure_plain(title, options->has_utf8, &arena);
    more = figure_plain(more, options->has_utf8, &arena);
    term_add(out, options->has_color, TERM_BOLD, title);
    if (*more) {
        strbuf_add(out, str_width(title) + 2 + str_width(more) <= options->width ? "  " : "\n  ");
        term_add(out, options->has_color, TERM_DIM, more);
    }
    strbuf_add_char(out, '\n');
    arena_fini(&arena);
}

// Draws all samples if none counts, unless the kernel's result is wrong.
static int print_without_figures(const struct sample_set *set, const struct sample_report_options *options,
                                 struct strbuf *out) {
    const size_t taken = set->taken_count;
    bool is_right =
        set->outcome == OUTCOME_OK || set->outcome == OUTCOME_NONE || set->outcome == OUTCOME_NOT_VALID;
    if (!is_right) {
        strbuf_addf(out, "  %s: it has no times\n\n", outcome_name(set->outcome));
        return 0;
    }
    if (taken == 0) {
        strbuf_add(out, "  not measured\n\n");
        return 0;
    }
    double *times = mem_try_array(taken, sizeof *times);
    if (!times) return -1;
    size_t count = 0;
    for (size_t r = 0; r < set->item->round_count; ++r) {
        const struct samples *samples = &set->item->rounds[r].samples[set->side];
        for (size_t i = 0; i < samples->count; ++i) times[count++] = sample_time_ns(&samples->items[i]);
    }
    float_order_sort(times, count);
    struct sample_axis axis = sample_axis_make(times, taken);
    strbuf_add(out, "  no sample counts\n\n");
    int status = sample_course_print(set, &axis, options, out);
    free(times);
    strbuf_add_char(out, '\n');
    return status;
}

static int print_set(const struct result *result, const struct sample_set *set,
                     const struct sample_report_options *options, struct strbuf *out) {
    const struct result_case *item = set->item;
    print_heading(result, set, options, out);
    if (item->unusable_reason != REASON_NONE) { // another tool's file that `assay compare` would refuse
        const size_t left_out = item->left_out_count;
        strbuf_add(out, "  cannot be compared: ");
        strbuf_add_plain(out, str_or(item->unusable_text, reason_name(item->unusable_reason)),
                         options->has_utf8);
        if (left_out) strbuf_addf(out, "; %zu time%s left out", left_out, left_out == 1 ? " is" : "s are");
        strbuf_add_char(out, '\n');
    }
    if (set->n == 0) return print_without_figures(set, options, out);
    struct sample_axis axis = sample_axis_make(set->sorted_ns, set->n);
    sample_figures_print(set, options, out);
    strbuf_add_char(out, '\n');
    sample_histogram_print(set, &axis, options, out);
    strbuf_add_char(out, '\n');
    int status = sample_course_print(set, &axis, options, out);
    strbuf_add_char(out, '\n');
    return status;
}

int sample_report_text(const struct result *result, const struct sample_report_options *options,
                       struct strbuf *out, struct err *err) {
    struct sample_selection selection = {0};
    struct sample_report_options used = *options;
    if (used.width < SAMPLE_REPORT_WIDTH_MIN) used.width = SAMPLE_REPORT_WIDTH_MIN;
    TRY(sample_select(result, &used, &selection, err));
    int status = 0;
    for (size_t i = 0; i < result->case_count && status == 0; ++i) {
        struct sample_set sets[WORK_SIDES_MAX] = {0};
        if (!selection.has_case[i]) continue;
        for (size_t k = 0; k < selection.side_count && status == 0; ++k) {
            status = sample_set_get(result, &result->cases[i], selection.sides[k], &sets[k]);
            if (status == 0) status = print_set(result, &sets[k], &used, out);
        }
        if (status == 0) sample_rounds_print(result, sets, selection.side_count, &used, out);
        for (size_t k = 0; k < selection.side_count; ++k) sample_set_fini(&sets[k]);
    }
    if (result->case_count == 0) strbuf_add(out, "nothing was measured: this result holds no samples\n");
    sample_select_fini(&selection);
    return status < 0 ? err_set(err, ERR_INTERNAL, "no memory for the report of the samples") : 0;
}
