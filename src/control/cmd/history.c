// SPDX-License-Identifier: Apache-2.0
//
// `assay history`: what the store has. Codes: 0; 64 to 66 for what is wrong with the command, a run or a
// file; 69 without a store in this build.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json_writer.h"
#include "control/cmd/history_import.h"
#include "control/cmd/print_result.h"
#include "control/flow/history_keep.h"

#define LIST_LIMIT 20
enum { CELL_BYTES = 64, BAR_COLUMNS = 30 };

struct history {
    struct cmd_options options;
    struct session session;
    struct store *store;
    struct store_filter filter;
    const char *store_path, *before, *format; // --store, --before, --format
    const char **words;                       // behind the action
    size_t word_count;
    struct strbuf out;
};

static const char *first_line(const char *text, char *cell, size_t capacity) {
    snprintf(cell, capacity, "%s", str_or(text, ""));
    return cell;
}

// ---- list ----

static void write_run(struct json_writer *w, const struct stored_run *run) {
    json_object_begin(w, NULL);
    json_write_string(w, "run_id", run->run_id);
    json_write_string(w, "created_utc", run->created_utc);
    json_maybe_string(w, "command", run->command);
    json_maybe_string(w, "suite", run->suite);
    json_maybe_string(w, "manifest", run->manifest);
    json_maybe_string(w, "commit", run->commit);
    json_maybe_string(w, "parent", run->parent);
    json_maybe_string(w, "branch", run->branch);
    json_maybe_string(w, "device_uuid", run->device_uuid);
    json_maybe_string(w, "device", run->device);
    json_maybe_string(w, "driver", run->driver);
    json_maybe_string(w, "host", run->host);
    json_maybe_string(w, "verdict", run->verdict);
    json_write_u64(w, "seed", run->seed);
    json_write_u64(w, "problem_count", (uint64_t)run->problem_count);
    json_object_end(w);
}

static void print_runs(const struct stored_run *runs, size_t count, bool color, struct strbuf *out) {
    struct term_table *table = term_table_new(7, "llllrll");
    term_table_add(table,
                   (const char *[]){"when", "run", "suite", "device", "problems", "commit", "verdict"});
    for (size_t i = 0; i < count; ++i) {
        char when[CELL_BYTES], device[CELL_BYTES / 2], problems[32];
        snprintf(problems, sizeof problems, "%lld", (long long)runs[i].problem_count);
        snprintf(when, sizeof when, "%.16s", runs[i].created_utc);
        term_table_add(table, (const char *[]){when, runs[i].run_id, str_or(runs[i].suite, ""),
                                               first_line(runs[i].device, device, sizeof device), problems,
                                               str_or(runs[i].commit, ""), str_or(runs[i].verdict, "")});
    }
    term_table_print(table, color, out);
    term_table_free(table);
}

static int list_runs(struct history *h, struct err *err) {
    struct stored_run *runs = NULL;
    size_t count = 0;
    if (!h->filter.limit) h->filter.limit = LIST_LIMIT;
    TRY(store_list_runs(h->store, &h->filter, &h->session.arena, &runs, &count, err));
    if (!h->options.is_json) {
        if (count == 0) strbuf_add(&h->out, "no run fits; gate, bench and run keep theirs here\n");
        if (count > 0) print_runs(runs, count, cmd_wants_color(&h->options), &h->out);
        return 0;
    }
    struct json_writer w = json_writer_make(&h->out, 2);
    json_object_begin(&w, NULL);
    json_array_begin(&w, "runs");
    for (size_t i = 0; i < count; ++i) write_run(&w, &runs[i]);
    json_array_end(&w);
    json_object_end(&w);
    strbuf_add_char(&h->out, '\n');
    return 0;
}

// ---- show ----

static int show_run(struct history *h, struct err *err) {
    if (h->word_count != 1)
        return err_set(err, ERR_USAGE, "history show takes one run: 'assay history list' has their names");
    return cmd_report_stored(h->store, h->words[0], h->options.is_json ? "json" : str_or(h->format, "text"),
                             cmd_wants_color(&h->options), &h->out, err);
}

// ---- plot ----

static int read_results(struct history *h, struct stored_result **ret, size_t *ret_count, struct err *err) {
    if (h->options.session.problem) h->filter.problem = h->options.session.problem;
    return store_list_results(h->store, &h->filter, &h->session.arena, ret, ret_count, err);
}

// What tables show of a result.
struct cells {
    char when[CELL_BYTES], median[CELL_BYTES], half_width[CELL_BYTES], change[CELL_BYTES];
};

static struct cells cells_of(const struct stored_result *one) {
    struct cells ret = {.when = ""};
    const double half_ns = (one->high_ns - one->low_ns) / 2;
    snprintf(ret.when, sizeof ret.when, "%.16s", one->run.created_utc);
    if (isfinite(one->median_ns)) term_format_time(one->median_ns, ret.median, sizeof ret.median);
    if (isfinite(half_ns) && one->median_ns > 0)
        snprintf(ret.half_width, sizeof ret.half_width, "%s%.1f %%", term_has_utf8() ? "\xc2\xb1" : "+-",
                 100 * half_ns / one->median_ns);
    if (isfinite(one->change_pct)) snprintf(ret.change, sizeof ret.change, "%+.1f %%", one->change_pct);
    return ret;
}

static double largest(const struct stored_result *results, size_t count) {
    double most = 0;
    for (size_t i = 0; i < count; ++i) most = fmax(most, results[i].median_ns);
    return most;
}

// From zero, so that lengths compare as times do.
static const char *bar(double value, double most, char cell[4 * BAR_COLUMNS]) {
    const size_t length = most > 0 && value > 0 ? (size_t)lround(BAR_COLUMNS * value / most) : 0;
    const char *mark = term_has_utf8() ? "\xe2\x96\x88" : "#";
    cell[0] = 0;
    for (size_t i = 0; i < length && i < BAR_COLUMNS; ++i) strcat(cell, mark);
    return cell;
}

static int plot(struct history *h, struct err *err) {
    struct stored_result *results = NULL;
    size_t count = 0;
    TRY(read_results(h, &results, &count, err));
    if (!h->filter.problem)
        return err_set(err, ERR_USAGE, "history plot shows one problem: name it with --problem");
    if (!count) return err_set(err, ERR_NO_INPUT, "the store has no result of this problem that fits");
    struct term_table *table = term_table_new(8, "lllrrlrl");
    const double most = largest(results, count);
    for (size_t i = 0; i < count; ++i) {
        const struct stored_result *one = &results[i];
        struct cells cells = cells_of(one);
        char line[4 * BAR_COLUMNS];
        term_table_add(table,
                       (const char *[]){cells.when, str_or(one->run.commit, ""), one->side, cells.median,
                                        cells.half_width, bar(one->median_ns, most, line), cells.change,
                                        str_or(one->verdict, "")});
    }
    term_table_print(table, cmd_wants_color(&h->options), &h->out);
    term_table_free(table);
    return 0;
}

// ---- export ----

static void csv_text(struct strbuf *out, const char *text) {
    strbuf_add(out, "\"");
    for (const char *at = str_or(text, ""); *at; ++at) strbuf_addf(out, *at == '"' ? "\"\"" : "%c", *at);
    strbuf_add(out, "\"");
}

static void csv_double(struct strbuf *out, double value) {
    if (isfinite(value))
        strbuf_addf(out, ",%.17g", value);
    else
        strbuf_add(out, ",");
}

static void export_csv(const struct stored_result *results, size_t count, struct strbuf *out) {
    strbuf_add(out,
               "created_utc,run_id,commit,branch,device_uuid,suite,problem,side,role,kernel,verdict,rounds,"
               "median_ns,low_ns,high_ns,change_pct\n");
    for (size_t i = 0; i < count; ++i) {
        const struct stored_result *one = &results[i];
        const char *const texts[] = {
            one->run.created_utc, one->run.run_id, one->run.commit, one->run.branch, one->run.device_uuid,
            one->run.suite,       one->problem,    one->side,       one->role,       one->kernel,
            one->verdict};
        for (size_t k = 0; k < sizeof texts / sizeof *texts; ++k) {
            if (k) strbuf_add(out, ",");
            csv_text(out, texts[k]);
        }
        strbuf_addf(out, ",%lld", (long long)one->round_count);
        csv_double(out, one->median_ns);
        csv_double(out, one->low_ns);
        csv_double(out, one->high_ns);
        csv_double(out, one->change_pct);
        strbuf_add(out, "\n");
    }
}

static void export_json(const struct stored_result *results, size_t count, struct strbuf *out) {
    struct json_writer w = json_writer_make(out, 2);
    json_object_begin(&w, NULL);
    json_array_begin(&w, "results");
    for (size_t i = 0; i < count; ++i) {
        const struct stored_result *one = &results[i];
        json_object_begin(&w, NULL);
        json_write_string(&w, "created_utc", one->run.created_utc);
        json_write_string(&w, "run_id", one->run.run_id);
        json_maybe_string(&w, "commit", one->run.commit);
        json_maybe_string(&w, "branch", one->run.branch);
        json_maybe_string(&w, "device_uuid", one->run.device_uuid);
        json_maybe_string(&w, "suite", one->run.suite);
        json_write_string(&w, "problem", one->problem);
        json_write_string(&w, "side", one->side);
        json_maybe_string(&w, "role", one->role);
        json_maybe_string(&w, "kernel", one->kernel);
        json_maybe_string(&w, "verdict", one->verdict);
        json_write_i64(&w, "rounds", one->round_count);
        json_maybe_double(&w, "median_ns", one->median_ns);
        json_maybe_double(&w, "low_ns", one->low_ns);
        json_maybe_double(&w, "high_ns", one->high_ns);
        json_maybe_double(&w, "change_pct", one->change_pct);
        json_object_end(&w);
    }
    json_array_end(&w);
    json_object_end(&w);
    strbuf_add_char(out, '\n');
}

static int export_results(struct history *h, struct err *err) {
    struct stored_result *results = NULL;
    size_t count = 0;
    const char *format = h->options.is_json ? "json" : str_or(h->format, "csv");
    if (!str_equal(format, "csv") && !str_equal(format, "json"))
        return err_set(err, ERR_USAGE, "history export writes csv or json, not '%s'", format);
    TRY(read_results(h, &results, &count, err));
    if (str_equal(format, "json"))
        export_json(results, count, &h->out);
    else
        export_csv(results, count, &h->out);
    return 0;
}

// ---- problems ----

static int list_problems(struct history *h, struct err *err) {
    struct stored_result *results = NULL;
    size_t count = 0;
    TRY(store_list_problems(h->store, &h->filter, &h->session.arena, &results, &count, err));
    if (h->options.is_json) export_json(results, count, &h->out);
    if (h->options.is_json) return 0;
    if (!count) {
        strbuf_add(&h->out, "no result fits; gate, bench and run keep theirs here\n");
        return 0;
    }
    struct term_table *table = term_table_new(7, "llrrlll");
    term_table_add(table,
                   (const char *[]){"problem", "side", "median", "change", "verdict", "when", "commit"});
    for (size_t i = 0; i < count; ++i) {
        const struct stored_result *one = &results[i];
        struct cells cells = cells_of(one);
        term_table_add(table,
                       (const char *[]){one->problem, one->side, cells.median, cells.change,
                                        str_or(one->verdict, ""), cells.when, str_or(one->run.commit, "")});
    }
    term_table_print(table, cmd_wants_color(&h->options), &h->out);
    term_table_free(table);
    return 0;
}

// ---- import ----

static int import(struct history *h, struct err *err) {
    const struct import_words words = {.words = h->words, .count = h->word_count};
    struct import_counts counts = {0};
    if (!h->word_count)
        return err_set(err, ERR_USAGE, "history import takes result files, or folders of runs such as runs");
    TRY(history_import(h->store, history_path(&h->session, h->store_path), &words, &counts, err));
    strbuf_addf(&h->out, "%zu new, %zu already there\n", counts.new_count, counts.known_count);
    return 0;
}

// ---- prune ----

static int prune(struct history *h, struct err *err) {
    size_t count = 0;
    if (!h->before)
        return err_set(err, ERR_USAGE, "history prune removes runs --before a date, such as 2026-01-31");
    TRY(store_prune(h->store, h->before, h->options.is_dry_run, &count, err));
    strbuf_addf(&h->out, "%zu runs %s\n", count, h->options.is_dry_run ? "would be removed" : "removed");
    return 0;
}

// ---- the command ----

static const struct action {
    const char *name;
    int (*run)(struct history *h, struct err *err);
    bool may_create;
} actions[] = {{"list", list_runs, false}, {"problems", list_problems, false}, {"show", show_run, false},
               {"plot", plot, false},      {"export", export_results, false},  {"import", import, true},
               {"prune", prune, false}};

static int act(struct history *h, const char *name, struct err *err) {
    const struct action *action = NULL;
    for (size_t i = 0; i < sizeof actions / sizeof *actions; ++i)
        if (str_equal(actions[i].name, name)) action = &actions[i];
    if (!action)
        return err_set(err, ERR_USAGE,
                       "history cannot '%s'; it can list, problems, show, plot, export, import and prune",
                       str_shown(name).text);
    TRY(session_open(&h->session, &h->options.session, err));
    TRY(history_open(&h->session, h->store_path, action->may_create, &h->store, err));
    return action->run(h, err);
}

static int run_history(const struct command *command, int argc, char **argv) {
    struct history h = {.options = cmd_options_default()};
    struct option_line line = {.argc = argc, .argv = argv, .word_max = OPTION_WORDS_MAX};
    struct err err = {0};
    const struct option own[] = {
        {"store", "FILE",
         "file or postgresql:// address (default: ASSAY_STORE, the manifest's, .assay/history.db)",
         OPTION_TEXT, &h.store_path},
        {"suite", "SUITE", "runs of this suite", OPTION_TEXT, &h.filter.suite},
        {"problem", "P", "results of this problem", OPTION_TEXT, &h.options.session.problem},
        {"side", "K", "results of this side or kernel", OPTION_TEXT, &h.filter.side},
        {"commit", "C", "runs of this commit, as the list shows it", OPTION_TEXT, &h.filter.commit},
        {"branch", "B", "runs of this branch", OPTION_TEXT, &h.filter.branch},
        {"on", "DEVICE", "runs on this device, by name or UUID", OPTION_TEXT, &h.filter.device},
        {"since", "DATE", "runs from then on: 2026-01-31, or a time in UTC", OPTION_TEXT,
         &h.filter.since_utc},
        {"before", "DATE", "prune: runs before", OPTION_TEXT, &h.before},
        {"limit", "N", "the newest so many (list: 20)", OPTION_U32, &h.filter.limit},
        {"format", "F", "export: csv or json; show: text, markdown or json", OPTION_TEXT, &h.format},
        {"dry-run", NULL, "prune: only say how many", OPTION_FLAG, &h.options.is_dry_run},
        {0},
    };
    int code = cmd_parse(command, own, &h.options, &line, &err);
    if (code == CMD_HELP_PRINTED) return 0;
    h.words = (const char **)line.words + 1;
    h.word_count = line.word_count ? line.word_count - 1 : 0;
    if (code == 0) code = act(&h, line.word_count ? line.words[0] : "list", &err);
    const int exit_code = code < 0 ? cmd_fail(&h.options, &err) : cmd_print(strbuf_text(&h.out));
    strbuf_fini(&h.out);
    store_close(h.store);
    session_close(&h.session);
    return exit_code;
}

const struct command command_history = {
    .name = "history",
    .summary = "runs that were kept: list, problems, show, plot, export, import, prune",
    .usage = "assay history [list|problems|plot|export] [OPTIONS]\n"
             "       assay history show RUN\n"
             "       assay history import FILE|FOLDER...\n"
             "       assay history prune --before DATE",
    .details =
        "gate, bench, run, baseline and calibrate keep their runs in .assay/history.db beside the "
        "manifest, unless\n"
        "ASSAY_STORE names another file, postgresql://HOST/NAME, or 'none', or the manifest an address or\n"
        "'none'. A run has its whole document there.\n"
        "Codes: 0 done, 66 no such store or run, 69 this build has no store.\n"
        "\n"
        "example\n"
        "  assay history plot --problem PROBLEM --side tiled",
    .run = run_history,
    .option_groups = CMD_OPTIONS_SESSION,
};
