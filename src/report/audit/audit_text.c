// SPDX-License-Identifier: Apache-2.0
//
// See audit_report.h: the text.
#include <math.h>
#include <stdio.h>

#include "base/comma.h"
#include "base/term.h"
#include "report/audit/audit_report.h"

#define SHOWN_MAX 20 // problems that are told without --verbose

static const char *plural(size_t count) {
    return count == 1 ? "" : "s";
}

// "<problem>, sink inputs, padded"
static void add_case_name(const struct work_case *item, struct strbuf *out) {
    strbuf_add(out, item->problem.name);
    if (!str_equal(item->distribution, OP_DISTRIBUTION_DEFAULT))
        strbuf_addf(out, ", %s inputs", item->distribution);
    if (item->memory_layout != MEMORY_LAYOUT_DENSE)
        strbuf_addf(out, ", %s", memory_layout_name(item->memory_layout));
}

void audit_case_text(const struct audit *audit, size_t case_index, bool has_color, struct strbuf *out) {
    const struct audit_counts counts = audit_count_case(audit, case_index);
    struct strbuf ends = {0};
    strbuf_addf(out, "[%zu/%zu] ", case_index + 1, audit->case_count);
    add_case_name(&audit->cases[case_index], out);
    strbuf_add(out, " ... ");
    char detected[64];
    snprintf(detected, sizeof detected, "%zu/%zu detected", counts.detected, counts.tried);
    term_add(out, has_color,
             counts.passed || counts.refused ? TERM_RED
             : counts.hidden                 ? TERM_YELLOW
                                             : TERM_GREEN,
             detected);
    if (counts.passed) comma_addf(&ends, "%zu pass%s", counts.passed, counts.passed == 1 ? "es" : "");
    if (counts.hidden) comma_addf(&ends, "%zu hidden", counts.hidden);
    if (counts.refused) comma_addf(&ends, "the right result is refused");
    strbuf_addf(out, "%s%s\n", ends.length ? ", " : "", strbuf_text(&ends));
    strbuf_fini(&ends);
}

// ---- the table ----

static void add_table(struct audit *audit, bool has_color, struct strbuf *out) {
    size_t row_count;
    const struct audit_row *rows = audit_rows(audit, &row_count);
    struct term_table *table = term_table_new(7, "llrrrrl");
    term_table_add(table, (const char *[]){"wrong result", "output", "tried", "detected", "hidden", "passed",
                                           "what the wrong kernel did"});
    term_table_rule(table);
    for (size_t i = 0; i < row_count; ++i) {
        const struct audit_counts *counts = &rows[i].counts;
        if (!counts->tried) continue; // is told below the table
        const size_t figures[] = {counts->tried, counts->detected, counts->hidden, counts->passed};
        char text[4][24];
        for (size_t k = 0; k < 4; ++k)
            snprintf(text[k], sizeof text[k], k >= 2 && !figures[k] ? "-" : "%zu", figures[k]);
        term_table_add(table, (const char *[]){rows[i].mutant, rows[i].output, text[0], text[1], text[2],
                                               text[3], rows[i].summary});
        if (counts->passed) term_table_style(table, 5, TERM_RED);
    }
    term_table_print(table, has_color, out);
    term_table_free(table);
    struct strbuf none = {0};
    for (size_t i = 0; i < row_count; ++i)
        if (!rows[i].counts.tried && !rows[i].counts.refused)
            comma_addf(&none, "%s (%s)", rows[i].mutant, rows[i].output);
    if (none.length)
        strbuf_addf(out, "not wrong on any of these problems, so not tried: %s\n", strbuf_text(&none));
    strbuf_fini(&none);
}

// ---- one wrong result of one case ----

static void add_tolerance(const struct audit_result *result, struct strbuf *out) {
    strbuf_addf(out, "%.3g + %.3g |ref|", result->atol, result->rtol);
    if (result->min_pass_fraction < 1)
        strbuf_addf(out, " for %.6g %% of the elements", 100 * result->min_pass_fraction);
    if (isfinite(result->rel_l2_max)) strbuf_addf(out, ", relative L2 %.3g", result->rel_l2_max);
    if (result->has_plain)
        strbuf_addf(out, ", 2 x rule max %.3g rms %.3g", result->two_x_max_abs, result->two_x_rms);
}

// Where a function says what is right.
static bool is_accepted(const struct audit_result *result) {
    return isnan(result->atol);
}

static void add_advice(const struct audit_result *result, struct strbuf *out) {
    struct strbuf ways = {0};
    if (result->verdict == AUDIT_REFUSED) comma_add(&ways, "widen the tolerance: one rounding must pass");
    if (result->verdict == AUDIT_PASSED)
        comma_add(&ways, is_accepted(result) ? "let 'accept' refuse it" : "narrow the tolerance");
    if (result->detected_by)
        comma_addf(&ways, "%scheck --distribution %s too, which detects it", ways.length ? "or " : "",
                   result->detected_by);
    if (!ways.length)
        comma_add(&ways, "check other problems too: on this one no inputs of the operator help");
    strbuf_addf(out, "    to do: %s\n", strbuf_text(&ways));
    strbuf_fini(&ways);
}

static void add_entry(const struct audit *audit, const struct audit_entry *entry, bool has_color,
                      struct strbuf *out) {
    static const char *const ends[AUDIT_VERDICT_COUNT] = {
        [AUDIT_SAME] = "is not wrong", [AUDIT_DETECTED] = "is detected", [AUDIT_HIDDEN] = "is hidden",
        [AUDIT_PASSED] = "passes",     [AUDIT_REFUSED] = "is refused",
    };
    const struct audit_result *result = &entry->result;
    const bool is_problem = audit_is_problem(audit, entry);
    const enum term_style style = is_problem                        ? TERM_RED
                                  : result->verdict == AUDIT_HIDDEN ? TERM_YELLOW
                                                                    : TERM_GREEN;
    strbuf_add(out, "  ");
    add_case_name(&audit->cases[entry->case_index], out);
    strbuf_addf(out, ": %s ", result->verdict == AUDIT_REFUSED ? "the right result" : result->mutant);
    term_add(out, has_color, style, str_or(ends[result->verdict], ""));
    strbuf_addf(out, " in '%s'", result->output);
    if (result->rule != AUDIT_RULE_NONE) strbuf_addf(out, " by %s", audit_rule_name(result->rule));
    strbuf_add_char(out, '\n');
    if (!is_problem) return;
    strbuf_addf(out, "    error max %.3g rms %.3g, a right kernel's max %.3g rms %.3g\n    allowed ",
                result->max_abs, result->rms, result->right_max_abs, result->right_rms);
    if (is_accepted(result))
        strbuf_add(out, "what 'accept' accepts");
    else
        add_tolerance(result, out);
    strbuf_add_char(out, '\n');
    add_advice(result, out);
}

static void add_unnoticed(const struct audit *audit, const struct audit_entry *entry, bool has_color,
                          struct strbuf *out) {
    const size_t count = audit_unnoticed_cases(audit, entry);
    strbuf_addf(out, "  %s: '%s' ", audit->cases[entry->case_index].problem.op->name,
                entry->result.ignored_input);
    term_add(out, has_color, TERM_RED, "never matters");
    strbuf_add(out, ": a kernel that ignores it passes on ");
    if (count > 1) strbuf_addf(out, "all %zu problems\n", count);
    if (count == 1) add_case_name(&audit->cases[entry->case_index], out), strbuf_add_char(out, '\n');
    strbuf_add(out,
               "    to do: give inputs or scalars of which results depend on it, or check other problems "
               "too\n");
}

static void add_entries(const struct audit *audit, const struct audit_view *view, struct strbuf *out) {
    const size_t problem_count = audit_problem_count(audit);
    size_t shown = 0;
    if (view->is_verbose || problem_count)
        strbuf_addf(out, "\n%s:\n", view->is_verbose ? "all of them" : "to act on");
    for (size_t i = 0; i < audit->entry_count; ++i) {
        if (!view->is_verbose && (!audit_is_problem(audit, &audit->entries[i]) || shown == SHOWN_MAX))
            continue;
        if (audit_unnoticed_cases(audit, &audit->entries[i]))
            add_unnoticed(audit, &audit->entries[i], view->has_color, out);
        else
            add_entry(audit, &audit->entries[i], view->has_color, out);
        ++shown;
    }
    if (!view->is_verbose && problem_count > shown)
        strbuf_addf(out, "  and %zu more; --verbose and --json show all\n", problem_count - shown);
}

void audit_report_text(struct audit *audit, const struct audit_view *view, struct strbuf *out) {
    add_table(audit, view->has_color, out);
    add_entries(audit, view, out);
    strbuf_add_char(out, '\n');
    audit_report_line(audit, view, out);
}

void audit_report_line(const struct audit *audit, const struct audit_view *view, struct strbuf *out) {
    const struct audit_counts all = audit_count_all(audit);
    const size_t problem_count = audit_problem_count(audit);
    size_t unnoticed = 0;
    for (size_t i = 0; i < audit->entry_count; ++i)
        unnoticed += audit_unnoticed_cases(audit, &audit->entries[i]) > 0;
    char line[96];
    snprintf(line, sizeof line, "%zu/%zu wrong results detected", all.detected, all.tried);
    term_add(out, view->has_color, problem_count ? TERM_RED : TERM_GREEN, line);
    if (all.passed) strbuf_addf(out, ", %zu pass%s", all.passed, all.passed == 1 ? "es" : "");
    if (all.hidden) strbuf_addf(out, ", %zu hidden in the rounding of a right kernel", all.hidden);
    if (all.refused) strbuf_addf(out, ", %zu right result%s refused", all.refused, plural(all.refused));
    if (unnoticed)
        strbuf_addf(out, ", %zu input%s that never matter%s", unnoticed, plural(unnoticed),
                    unnoticed == 1 ? "s" : "");
    strbuf_addf(out, "; %zu problem%s of suite %s\n", audit->case_count, plural(audit->case_count),
                str_or(audit->suite, "?"));
}
