// SPDX-License-Identifier: Apache-2.0
//
// See referee_report.h.
#include "report/referee/referee_report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/term.h"

void referee_report_line(const struct referee_record *record, bool has_color, struct strbuf *out) {
    const enum term_style style = record->verdict == REFEREE_RIGHT
                                      ? (record->exit_code == 0 ? TERM_GREEN : TERM_YELLOW)
                                  : record->exit_code == 1 ? TERM_RED
                                                           : TERM_YELLOW;
    strbuf_add_plain(out, record->name, true);
    strbuf_add(out, ": ");
    term_add(out, has_color, style, record->sentence);
    strbuf_addf(out, " (exit %d)\n", record->exit_code);
}

static void add_failure(const struct referee_record *record, struct strbuf *out) {
    if (record->smallest_problem && record->problem) strbuf_add_linef(out, "first on: %s", record->problem);
    if (record->smallest_message && record->message) strbuf_add_linef(out, "  %s", record->message);
    if (record->repeat) strbuf_add_linef(out, "repeat: %s", record->repeat);
    for (const char *line = record->compiler; line && *line;) {
        const size_t length = strcspn(line, "\n");
        if (length) strbuf_add_linef(out, "  %.*s", (int)length, line);
        line += length + (line[length] != 0);
    }
}

static const char *time_text(double ns, char text[32]) {
    text[0] = 0;
    if (ns > 0) term_format_time(ns, text, 32);
    return text;
}

// A row of the table; its first cells are the problem and its own time.
#define COLUMNS_MAX (3 + REFEREE_RATIOS_MAX)
struct cells {
    char texts[COLUMNS_MAX][96];
    const char *cells[COLUMNS_MAX];
};

static void add_problem(const struct referee_problem *problem, struct term_table *table) {
    struct cells row = {0};
    char low[32], high[32];
    row.cells[0] = problem->problem;
    row.cells[1] = time_text(problem->median_ns, row.texts[1]);
    if (problem->median_low_ns > 0)
        snprintf(row.texts[2], sizeof row.texts[2], "%s to %s", time_text(problem->median_low_ns, low),
                 time_text(problem->median_high_ns, high));
    row.cells[2] = row.texts[2];
    for (size_t i = 0; i < problem->against_count; ++i) {
        const struct referee_ratio *ratio = &problem->against[i];
        if (!ratio->speed) continue;
        snprintf(row.texts[3 + i], sizeof row.texts[3 + i], "%.3fx (%.3f to %.3f)", ratio->speedup,
                 ratio->speedup_low, ratio->speedup_high);
        row.cells[3 + i] = row.texts[3 + i];
    }
    term_table_add(table, row.cells);
}

static void add_times(const struct referee_record *record, bool has_color, struct strbuf *out) {
    struct cells head = {.cells = {"problem", "median", "95 %"}};
    if (!record->problem_count) return;
    char alignment[COLUMNS_MAX + 1] = "lrrrrrrrrr";
    alignment[3 + record->against_count] = 0;
    struct term_table *table = term_table_new(3 + record->against_count, alignment);
    for (size_t i = 0; i < record->against_count; ++i) {
        snprintf(head.texts[3 + i], sizeof head.texts[3 + i], "against %s", record->against[i].name);
        head.cells[3 + i] = head.texts[3 + i];
    }
    term_table_add(table, head.cells);
    term_table_head(table);
    for (size_t i = 0; i < record->problem_count; ++i) add_problem(&record->problems[i], table);
    term_table_print(table, has_color, out);
    term_table_free(table);
}

void referee_report_text(const struct referee_record *record, bool has_color, struct strbuf *out) {
    referee_report_line(record, has_color, out);
    add_failure(record, out);
    for (size_t i = 0; i < record->note_count; ++i) strbuf_add_linef(out, "note: %s", record->notes[i]);
    add_times(record, has_color, out);
    if (record->profile)
        strbuf_add_linef(out, "profile of %s: %s", record->profile->problem, record->profile->sentence);
    strbuf_add_linef(out, "%.1f s: %.1f s to build, %.1f s to check, %.1f s to measure", record->all_s,
                     record->build_s, record->check_s, record->measure_s);
}
