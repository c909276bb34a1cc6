// SPDX-License-Identifier: Apache-2.0
//
// `assay history`: what the store has. Codes: 0; 64 to 66 for what is wrong with the command, a run or a
// file; 69 without a store in this build.
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "control/cmd/history_import.h"
#include "control/cmd/history_options.h"
#include "control/cmd/print_result.h"
#include "control/flow/history_keep.h"
#include "report/history/history_report.h"
#include "report/profile/profile_document.h"
#include "report/tune/tune_report.h"

#define LIST_LIMIT 20

struct history {
    struct cmd_options options;
    struct history_request request;
    struct session session;
    struct store *store;
    struct strbuf out;
};

// ---- list ----

static int list_runs(struct history *h, struct err *err) {
    struct stored_run *runs = NULL;
    size_t count = 0;
    if (!h->request.filter.limit) h->request.filter.limit = LIST_LIMIT;
    TRY(store_list_runs(h->store, &h->request.filter, &h->session.arena, &runs, &count, err));
    if (h->request.is_json)
        history_runs_json(runs, count, &h->out);
    else if (count == 0)
        strbuf_add(&h->out, "no run fits; gate, bench and run keep theirs here\n");
    else
        history_runs_text(runs, count, cmd_wants_color(&h->options), &h->out);
    return 0;
}

// ---- show ----

static int show_run(struct history *h, struct err *err) {
    return cmd_report_stored(h->store, h->request.words[0],
                             h->request.is_json ? "json" : str_or(h->request.format, "text"),
                             cmd_wants_color(&h->options), &h->out, err);
}

// ---- plot ----

static int read_results(struct history *h, struct stored_result **ret, size_t *ret_count, struct err *err) {
    return store_list_results(h->store, &h->request.filter, &h->session.arena, ret, ret_count, err);
}

static int plot(struct history *h, struct err *err) {
    struct stored_result *results = NULL;
    size_t count = 0;
    if (!h->request.filter.problem)
        return err_set(err, ERR_USAGE, "history plot shows one problem: name it with --problem");
    TRY(read_results(h, &results, &count, err));
    if (!count) return err_set(err, ERR_NO_INPUT, "the store has no result of this problem that fits");
    struct series_change *changes = NULL;
    size_t change_count = 0;
    TRY(series_find_changes(results, count, &h->session.arena, &changes, &change_count, err));
    const struct history_changes found = {results, change_count, changes};
    history_plot(&found, count, cmd_wants_color(&h->options), &h->out);
    return 0;
}

// ---- changes ----

static int list_changes(struct history *h, struct err *err) {
    struct stored_result *results = NULL;
    struct series_change *changes = NULL;
    size_t count = 0, change_count = 0;
    TRY(read_results(h, &results, &count, err));
    TRY(series_find_changes(results, count, &h->session.arena, &changes, &change_count, err));
    const struct history_changes found = {results, change_count, changes};
    if (h->request.is_json)
        history_changes_json(&found, &h->out);
    else if (!change_count)
        strbuf_addf(&h->out, "no change point in %zu results\n", count);
    else
        history_changes_text(&found, cmd_wants_color(&h->options), &h->out);
    return 0;
}

// ---- export ----

static int export_results(struct history *h, struct err *err) {
    struct stored_result *results = NULL;
    size_t count = 0;
    const char *format = h->request.is_json ? "json" : str_or(h->request.format, "csv");
    if (!str_equal(format, "csv") && !str_equal(format, "json"))
        return err_set(err, ERR_USAGE, "history export writes csv or json, not '%s'", format);
    TRY(read_results(h, &results, &count, err));
    if (str_equal(format, "json"))
        history_results_json(results, count, &h->out);
    else
        history_results_csv(results, count, &h->out);
    return 0;
}

// ---- problems ----

static int list_problems(struct history *h, struct err *err) {
    struct stored_result *results = NULL;
    size_t count = 0;
    TRY(store_list_problems(h->store, &h->request.filter, &h->session.arena, &results, &count, err));
    if (h->request.is_json)
        history_results_json(results, count, &h->out);
    else if (!count)
        strbuf_add(&h->out, "no result fits; gate, bench and run keep theirs here\n");
    else
        history_problems_text(results, count, cmd_wants_color(&h->options), &h->out);
    return 0;
}

// ---- profiles ----

static int list_profiles(struct history *h, struct err *err) {
    struct stored_profile *profiles = NULL;
    size_t count = 0;
    if (!h->request.filter.limit) h->request.filter.limit = LIST_LIMIT;
    TRY(store_list_profiles(h->store, &h->request.filter, &h->session.arena, &profiles, &count, err));
    if (h->request.is_json)
        history_profiles_json(profiles, count, &h->out);
    else if (!count)
        strbuf_add(&h->out, "no profile fits; profile and gate --explain keep theirs here\n");
    else
        history_profiles_text(profiles, count, cmd_wants_color(&h->options), &h->out);
    return 0;
}

static int add_profile(struct history *h, const char *name, const struct strbuf *document, struct err *err) {
    struct profile_document read;
    TRY(profile_document_read(document, name, &h->session.arena, &read, err));
    const struct profile_report report = profile_document_report(&read);
    const struct roofline_text_options text = {cmd_wants_color(&h->options), term_has_utf8(),
                                               term_width(STDOUT_FILENO)};
    profile_report_text(&report, &text, &h->out);
    return 0;
}

static int read_id(const char *action, const char *word, int64_t *ret, struct err *err) {
    unsigned long long id = 0;
    if (str_parse_u64(word, &id) < 0 || id > INT64_MAX)
        return err_set(err, ERR_USAGE, "history %s takes the id of one, not '%s'", action,
                       str_shown(word).text);
    *ret = (int64_t)id;
    return 0;
}

static int show_profile(struct history *h, struct err *err) {
    const char *word = h->request.words[0];
    struct stored_profile profile;
    struct strbuf document = {0};
    int64_t id = 0;
    TRY(read_id("profiles", word, &id, err));
    int code = store_get_profile(h->store, id, &h->session.arena, &profile, &document, err);
    if (code == 0 && h->request.is_json)
        strbuf_add_bytes(&h->out, document.text, document.length);
    else if (code == 0)
        code = add_profile(h, arena_format(&h->session.arena, "profile %s", word), &document, err);
    strbuf_fini(&document);
    return code;
}

// ---- tunings ----

static int list_tunings(struct history *h, struct err *err) {
    struct stored_tuning *tunings = NULL;
    size_t count = 0;
    if (!h->request.filter.limit) h->request.filter.limit = LIST_LIMIT;
    TRY(store_list_tunings(h->store, &h->request.filter, &h->session.arena, &tunings, &count, err));
    if (h->request.is_json)
        history_tunings_json(tunings, count, &h->out);
    else if (!count)
        strbuf_add(&h->out, "no tuning fits; tune keeps its own here\n");
    else
        history_tunings_text(tunings, count, cmd_wants_color(&h->options), &h->out);
    return 0;
}

static int add_tuning(struct history *h, const char *name, const struct strbuf *document, struct err *err) {
    struct tune_record record;
    const char *format = str_or(h->request.format, "text");
    if (!str_equal(format, "text") && !str_equal(format, "log"))
        return err_set(err, ERR_USAGE, "history tunings shows one as text or log, not as '%s'", format);
    TRY(tune_record_read(document, name, &h->session.arena, &record, err));
    if (str_equal(format, "log"))
        tune_report_log(&record, &h->out);
    else
        tune_report_text(&record, cmd_wants_color(&h->options), &h->out);
    return 0;
}

static int show_tuning(struct history *h, struct err *err) {
    const char *word = h->request.words[0];
    struct stored_tuning tuning;
    struct strbuf document = {0};
    int64_t id = 0;
    TRY(read_id("tunings", word, &id, err));
    int code = store_get_tuning(h->store, id, &h->session.arena, &tuning, &document, err);
    if (code == 0 && h->request.is_json)
        strbuf_add_bytes(&h->out, document.text, document.length);
    else if (code == 0)
        code = add_tuning(h, arena_format(&h->session.arena, "tuning %s", word), &document, err);
    strbuf_fini(&document);
    return code;
}

// ---- import ----

static int import(struct history *h, struct err *err) {
    const struct import_words words = {.words = h->request.words, .count = h->request.word_count};
    struct import_counts counts = {0};
    TRY(history_import(h->store, history_path(&h->session, h->request.store_path), &words, &counts, err));
    strbuf_addf(&h->out, "%zu new, %zu already there\n", counts.new_count, counts.known_count);
    return 0;
}

// ---- prune ----

static int prune(struct history *h, struct err *err) {
    size_t count = 0;
    if (!h->request.before)
        return err_set(err, ERR_USAGE, "history prune removes runs --before a date, such as 2026-01-31");
    TRY(store_prune(h->store, &h->request.filter, h->request.before_utc, h->request.is_dry_run, &count, err));
    strbuf_addf(&h->out, "%zu run%s %s\n", count, count == 1 ? "" : "s",
                h->request.is_dry_run ? "would be removed" : "removed");
    return 0;
}

// ---- the command ----

static const struct history_action actions[] = {
    {"list", list_runs, READS_RUNS | READS_LIMIT | READS_JSON, 0, 0, NULL, false},
    {"problems", list_problems, READS_RESULTS | READS_JSON, 0, 0, NULL, false},
    {"show", show_run, READS_FORMAT | READS_JSON, 1, 1, "one run: 'assay history list' has their names",
     false},
    {"plot", plot, READS_RESULTS | READS_LIMIT, 0, 0, NULL, false},
    {"changes", list_changes, READS_RESULTS | READS_LIMIT | READS_JSON, 0, 0, NULL, false},
    {"export", export_results, READS_RESULTS | READS_LIMIT | READS_FORMAT | READS_JSON, 0, 0, NULL, false},
    {"profiles", list_profiles, READS_RESULTS | READS_LIMIT | READS_JSON, 0, 0, "one id, or none", false},
    {"profiles", show_profile, READS_JSON, 1, 1, NULL, false},
    {"tunings", list_tunings, READS_RUNS | READS_SIDE | READS_LIMIT | READS_JSON, 0, 0, "one id, or none",
     false},
    {"tunings", show_tuning, READS_FORMAT | READS_JSON, 1, 1, NULL, false},
    {"import", import, 0, 1, OPTION_WORDS_MAX,
     "result files, a run's folder, or folders of runs such as runs", true},
    {"prune", prune, READS_RUNS | READS_BEFORE | READS_DRY_RUN, 0, 0, NULL, false},
};
enum { ACTION_COUNT = sizeof actions / sizeof *actions };

static int act(struct history *h, const char *name, struct err *err) {
    struct history_request *request = &h->request;
    const size_t found = history_action_find(actions, ACTION_COUNT, name, request->word_count);
    if (found == ACTION_COUNT)
        return err_set(err, ERR_USAGE,
                       "history cannot '%s'; it can list, problems, show, plot, changes, profiles, tunings, "
                       "export, import and prune",
                       str_shown(name).text);
    TRY(history_request_check(request, &actions[found], actions, ACTION_COUNT, err));
    TRY(session_open(&h->session, &h->options.session, err));
    TRY(history_open(&h->session, request->store_path, actions[found].may_create, &h->store, err));
    return actions[found].run(h, err);
}

static int run_history(const struct command *command, int argc, char **argv) {
    struct history h = {.options = cmd_options_default()};
    struct option_line line = {.argc = argc, .argv = argv, .word_max = OPTION_WORDS_MAX};
    struct err err = {0};
    struct history_request *request = &h.request;
    struct store_filter *filter = &request->filter;
    const struct option own[] = {
        {"store", "FILE",
         "file or postgresql:// address (default: ASSAY_STORE, the manifest's, .assay/history.db)",
         OPTION_TEXT, &request->store_path},
        {"suite", "SUITE", "runs of this suite", OPTION_TEXT, &filter->suite},
        {"problem", "P", "results of this problem", OPTION_TEXT, &filter->problem},
        {"side", "K", "results of this side or kernel", OPTION_TEXT, &filter->side},
        {"commit", "C", "runs of this commit, as the list shows it", OPTION_TEXT, &filter->commit},
        {"branch", "B", "runs of this branch", OPTION_TEXT, &filter->branch},
        {"on", "DEVICE", "runs on this device, by name or UUID", OPTION_TEXT, &filter->device},
        {"since", "DATE", "runs from then on: 2026-01-31, or a time in UTC", OPTION_TEXT, &filter->since_utc},
        {"before", "DATE", "prune: runs before, which fit the other options", OPTION_TEXT, &request->before},
        {"limit", "N", "the newest so many (list: 20)", OPTION_COUNT, &filter->limit},
        {"format", "F", "export: csv or json; show: text, markdown or json; tunings: text or log",
         OPTION_TEXT, &request->format},
        {"dry-run", NULL, "prune: only say how many", OPTION_FLAG, &request->is_dry_run},
        {"manifest", "F", "the manifest (default: assay.yaml here or above)", OPTION_TEXT,
         &h.options.session.manifest},
        {0},
    };
    int code = cmd_parse(command, own, &h.options, &line, &err);
    if (code == CMD_HELP_PRINTED) return 0;
    request->is_json = h.options.is_json;
    request->words = (const char **)line.words + 1;
    request->word_count = line.word_count ? line.word_count - 1 : 0;
    if (code == 0) code = act(&h, line.word_count ? line.words[0] : "list", &err);
    store_close(h.store);
    session_close(&h.session);
    return cmd_end(&h.options, code, &h.out, &err);
}

const struct command command_history = {
    .name = "history",
    .summary =
        "runs that were kept: list, problems, show, plot, changes, profiles, tunings, export, import, prune",
    .usage = "assay history [list|problems|plot|changes|export] [OPTIONS]\n"
             "       assay history show RUN\n"
             "       assay history profiles|tunings [ID]\n"
             "       assay history import FILE|FOLDER...\n"
             "       assay history prune --before DATE [OPTIONS]",
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
};
