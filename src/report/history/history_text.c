// SPDX-License-Identifier: Apache-2.0
//
// The history for people: tables, and bars in characters.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/signed_figure.h"
#include "base/term.h"
#include "record/metric.h"
#include "report/history/history_report.h"
#include "report/result/figure_text.h"

enum { CELL_BYTES = 64, BAR_COLUMNS = 30 };

// ---- runs ----

void history_runs_text(const struct stored_run *runs, size_t count, bool color, struct strbuf *out) {
    struct term_table *table = term_table_new(7, "llllrll");
    term_table_ranks(table, "0004310"); // the device first: --on asks for it
    term_table_add(table,
                   (const char *[]){"when", "run", "suite", "device", "problems", "commit", "verdict"});
    term_table_head(table);
    for (size_t i = 0; i < count; ++i) {
        char when[CELL_BYTES], problems[32];
        snprintf(problems, sizeof problems, "%lld", (long long)runs[i].problem_count);
        snprintf(when, sizeof when, "%.16s", runs[i].created_utc);
        term_table_add(table, (const char *[]){when, runs[i].run_id, str_or(runs[i].suite, ""),
                                               str_or(runs[i].device, ""), problems,
                                               str_or(runs[i].commit, ""), str_or(runs[i].verdict, "")});
    }
    term_table_print(table, color, out);
    term_table_free(table);
}

// ---- results ----

// What tables show of a result.
struct cells {
    char when[CELL_BYTES], median[CELL_BYTES], half_width[CELL_BYTES], change[CELL_BYTES];
};

static void format_median(const struct stored_result *one, char cell[CELL_BYTES]) {
    struct arena arena = {0};
    if (!isfinite(one->median_ns)) return;
    if (metric_is_counted(metric_parse(one->run.metric)))
        snprintf(cell, CELL_BYTES, "%s", figure_amount(one->run.metric, one->median_ns, &arena));
    else
        term_format_time(one->median_ns, cell, CELL_BYTES);
    arena_fini(&arena);
}

static struct cells cells_of(const struct stored_result *one) {
    struct cells ret = {.when = ""};
    const double half_ns = (one->high_ns - one->low_ns) / 2;
    snprintf(ret.when, sizeof ret.when, "%.16s", one->run.created_utc);
    format_median(one, ret.median);
    if (isfinite(half_ns) && one->median_ns > 0)
        snprintf(ret.half_width, sizeof ret.half_width, "%s%.1f %%", term_has_utf8() ? "\xc2\xb1" : "+-",
                 100 * half_ns / one->median_ns);
    if (isfinite(one->change_pct))
        snprintf(ret.change, sizeof ret.change, "%s %%", signed_figure(one->change_pct, 1).text);
    return ret;
}

void history_problems_text(const struct stored_result *results, size_t count, bool color,
                           struct strbuf *out) {
    struct term_table *table = term_table_new(7, "llrrlll");
    term_table_ranks(table, "0000012");
    term_table_add(table,
                   (const char *[]){"problem", "side", "median", "change", "verdict", "when", "commit"});
    term_table_head(table);
    for (size_t i = 0; i < count; ++i) {
        const struct stored_result *one = &results[i];
        struct cells cells = cells_of(one);
        term_table_add(table,
                       (const char *[]){one->problem, one->side, cells.median, cells.change,
                                        str_or(one->verdict, ""), cells.when, str_or(one->run.commit, "")});
    }
    term_table_print(table, color, out);
    term_table_free(table);
}

// ---- profiles ----

void history_profiles_text(const struct stored_profile *profiles, size_t count, bool color,
                           struct strbuf *out) {
    struct term_table *table = term_table_new(8, "rlllllll");
    term_table_ranks(table, "01000324");
    term_table_add(table, (const char *[]){"id", "when", "problem", "side", "bottleneck", "profiler",
                                           "commit", "device"});
    term_table_head(table);
    for (size_t i = 0; i < count; ++i) {
        const struct stored_profile *one = &profiles[i];
        char id[32], when[CELL_BYTES];
        snprintf(id, sizeof id, "%lld", (long long)one->id);
        snprintf(when, sizeof when, "%.16s", one->created_utc);
        term_table_add(table, (const char *[]){id, when, one->problem, one->side, str_or(one->bottleneck, ""),
                                               str_or(one->profiler, ""), str_or(one->commit, ""),
                                               str_or(one->device, "")});
    }
    term_table_print(table, color, out);
    term_table_free(table);
}

// ---- tunings ----

void history_tunings_text(const struct stored_tuning *tunings, size_t count, bool color, struct strbuf *out) {
    struct term_table *table = term_table_new(8, "rlllllrl");
    term_table_ranks(table, "01003002");
    term_table_add(
        table, (const char *[]){"id", "when", "kernel", "suite", "device", "elite", "speed-up", "commit"});
    term_table_head(table);
    for (size_t i = 0; i < count; ++i) {
        const struct stored_tuning *one = &tunings[i];
        char id[32], when[CELL_BYTES], speedup[CELL_BYTES] = "";
        snprintf(id, sizeof id, "%lld", (long long)one->id);
        snprintf(when, sizeof when, "%.16s", one->created_utc);
        if (isfinite(one->speedup)) snprintf(speedup, sizeof speedup, "%.3fx", one->speedup);
        term_table_add(table, (const char *[]){id, when, one->kernel, str_or(one->suite, ""),
                                               str_or(one->device, ""), str_or(one->config, "none"), speedup,
                                               str_or(one->commit, "")});
    }
    term_table_print(table, color, out);
    term_table_free(table);
}

// ---- change points ----

// "5.2 % slower (4.8 to 5.6)", from here on; with another metric than time ", instructions". Empty without a
// change point.
static const char *change_text(const struct series_change *change, const struct stored_result *after,
                               char cell[CELL_BYTES]) {
    const bool is_slower = change && change->change_pct > 0;
    const bool is_time = str_equal(str_or(after->run.metric, "time"), "time");
    cell[0] = 0;
    if (!change) return cell;
    const double low_pct = is_slower ? change->low_pct : -change->high_pct;
    const double high_pct = is_slower ? change->high_pct : -change->low_pct;
    snprintf(cell, CELL_BYTES, "%.1f %% %s (%.1f to %.1f)%s%s", fabs(change->change_pct),
             is_slower ? "slower" : "faster", unsigned_zero(low_pct, 1), unsigned_zero(high_pct, 1),
             is_time ? "" : ", ", is_time ? "" : after->run.metric);
    return cell;
}

static void add_change(struct term_table *table, const struct series_change *change,
                       const struct stored_result *results) {
    const struct stored_result *before = &results[change->before], *after = &results[change->after];
    char when[CELL_BYTES], text[CELL_BYTES];
    snprintf(when, sizeof when, "%.16s", after->run.created_utc);
    term_table_add(table, (const char *[]){after->problem, after->side, change_text(change, after, text),
                                           str_or(before->run.commit, before->run.run_id),
                                           str_or(after->run.commit, after->run.run_id), when,
                                           str_or(after->run.device, "")});
}

void history_changes_text(const struct history_changes *changes, bool color, struct strbuf *out) {
    struct term_table *table = term_table_new(7, "lllllll");
    term_table_ranks(table, "0000012");
    term_table_add(table, (const char *[]){"problem", "side", "change", "after", "from", "when", "device"});
    term_table_head(table);
    for (size_t i = 0; i < changes->count; ++i) add_change(table, &changes->items[i], changes->results);
    term_table_print(table, color, out);
    term_table_free(table);
}

// ---- plot ----

// The largest of each metric: times and counts have a scale each.
struct scales {
    double most[METRIC_COUNT + 1]; // the last: metrics of a newer assay
};

static struct scales scales_of(const struct stored_result *results, size_t count) {
    struct scales ret = {.most = {0}};
    for (size_t i = 0; i < count; ++i) {
        double *most = &ret.most[metric_parse(results[i].run.metric)];
        *most = fmax(*most, results[i].median_ns);
    }
    return ret;
}

// From zero, so that lengths compare as times do, and as counts do.
static const char *bar(double value, double most, char cell[4 * BAR_COLUMNS]) {
    const size_t length = most > 0 && value > 0 ? (size_t)lround(BAR_COLUMNS * value / most) : 0;
    const char *mark = term_has_utf8() ? "\xe2\x96\x88" : "#";
    cell[0] = 0;
    for (size_t i = 0; i < length && i < BAR_COLUMNS; ++i) strcat(cell, mark);
    return cell;
}

static const struct series_change *change_at(const struct history_changes *changes, size_t place) {
    for (size_t i = 0; i < changes->count; ++i)
        if (changes->items[i].after == place) return &changes->items[i];
    return NULL;
}

void history_plot(const struct history_changes *changes, size_t result_count, bool color,
                  struct strbuf *out) {
    struct term_table *table = term_table_new(9, "lllrrlrll");
    term_table_ranks(table, "030200000"); // the bar is what a plot is for
    const struct scales scales = scales_of(changes->results, result_count);
    for (size_t i = 0; i < result_count; ++i) {
        const struct stored_result *one = &changes->results[i];
        const double most = scales.most[metric_parse(one->run.metric)];
        struct cells cells = cells_of(one);
        char line[4 * BAR_COLUMNS], change[CELL_BYTES];
        term_table_add(table, (const char *[]){
                                  cells.when, str_or(one->run.commit, ""), one->side, cells.median,
                                  cells.half_width, bar(one->median_ns, most, line), cells.change,
                                  str_or(one->verdict, ""), change_text(change_at(changes, i), one, change)});
    }
    term_table_print(table, color, out);
    term_table_free(table);
}
