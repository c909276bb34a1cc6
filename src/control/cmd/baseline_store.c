// SPDX-License-Identifier: Apache-2.0
//
// See baseline_store.h.
#include "control/cmd/baseline_store.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/json_writer.h"
#include "control/cmd/print_result.h"
#include "control/flow/history_keep.h"

#define WHEN_COLUMNS 16 // "2026-01-31T12:00"

static int open_store(const struct baseline_request *request, const struct cmd_options *options,
                      struct session *session, struct store **ret, struct err *err) {
    TRY(session_open(session, &options->session, err));
    return history_open(session, request->store_path, false, ret, err);
}

static struct store_place place_of(const struct baseline_request *request,
                                   const struct cmd_options *options) {
    return (struct store_place){
        .branch = request->branch, .device_uuid = request->device, .suite = options->session.suite};
}

int baseline_store_set(const struct baseline_request *request, const struct cmd_options *options,
                       const char *run_id, struct session *session, struct strbuf *out, struct err *err) {
    struct store *store = NULL;
    int code = open_store(request, options, session, &store, err);
    if (code == 0) code = store_set_baseline(store, run_id, request->branch, err);
    if (code == 0) strbuf_add_linef(out, "%s is a baseline now", run_id);
    store_close(store);
    return code;
}

static void print_json(const struct stored_baseline *baselines, size_t count, struct strbuf *out) {
    struct json_writer w = json_writer_make(out, 2);
    json_object_begin(&w, NULL);
    json_array_begin(&w, "baselines");
    for (size_t i = 0; i < count; ++i) {
        const struct stored_baseline *one = &baselines[i];
        json_object_begin(&w, NULL);
        json_write_string(&w, "branch", one->place.branch);
        json_write_string(&w, "device_uuid", one->place.device_uuid);
        json_maybe_string(&w, "device", one->run.device);
        json_write_string(&w, "suite", one->place.suite);
        json_write_string(&w, "run_id", one->run.run_id);
        json_maybe_string(&w, "commit", one->run.commit);
        json_write_string(&w, "created_utc", one->run.created_utc);
        json_object_end(&w);
    }
    json_array_end(&w);
    json_object_end(&w);
    strbuf_add_char(out, '\n');
}

static void print_table(const struct stored_baseline *baselines, size_t count, bool color,
                        struct strbuf *out) {
    struct term_table *table = term_table_new(6, "llllll");
    term_table_ranks(table, "030021");
    term_table_add(table, (const char *[]){"branch", "device", "suite", "run", "commit", "when"});
    term_table_head(table);
    for (size_t i = 0; i < count; ++i) {
        const struct stored_baseline *one = &baselines[i];
        char when[WHEN_COLUMNS + 1];
        snprintf(when, sizeof when, "%s", one->run.created_utc);
        term_table_add(
            table, (const char *[]){one->place.branch, str_or(one->run.device, one->place.device_uuid),
                                    one->place.suite, one->run.run_id, str_or(one->run.commit, ""), when});
    }
    term_table_print(table, color, out);
    term_table_free(table);
}

int baseline_store_list(const struct baseline_request *request, const struct cmd_options *options,
                        struct session *session, struct strbuf *out, struct err *err) {
    struct store *store = NULL;
    struct stored_baseline *baselines = NULL;
    size_t count = 0;
    const struct store_place place = place_of(request, options);
    int code = open_store(request, options, session, &store, err);
    if (code == 0) code = store_list_baselines(store, &place, &session->arena, &baselines, &count, err);
    store_close(store);
    if (code < 0) return code;
    if (options->is_json)
        print_json(baselines, count, out);
    else if (count)
        print_table(baselines, count, cmd_wants_color(options), out);
    else
        strbuf_add(out, "no baseline fits; 'assay baseline set RUN' makes a stored run one\n");
    return 0;
}

static int show_only(struct store *store, const struct store_place *place, const struct cmd_options *options,
                     struct strbuf *out, struct err *err) {
    struct arena arena = {0};
    struct stored_baseline *baselines = NULL;
    size_t count = 0;
    int code = store_list_baselines(store, place, &arena, &baselines, &count, err);
    if (code == 0 && count != 1)
        code = err_set(err, count ? ERR_USAGE : ERR_NO_INPUT, "%zu baselines of branch '%s' fit; %s", count,
                       str_shown(place->branch).text,
                       count ? "name one with --on and --suite"
                             : "'assay baseline list' shows those that there are");
    if (code == 0)
        code = cmd_report_stored(store, baselines[0].run.run_id, options->is_json ? "json" : "text",
                                 cmd_wants_color(options), out, err);
    arena_fini(&arena);
    return code;
}

int baseline_store_show(const struct baseline_request *request, const struct cmd_options *options,
                        struct session *session, struct strbuf *out, struct err *err) {
    struct store *store = NULL;
    struct store_place place = place_of(request, options);
    char *branch = NULL;
    int code = open_store(request, options, session, &store, err);
    if (code == 0 && !place.branch) place.branch = branch = revision_branch(session->manifest.dir);
    if (code == 0 && !place.branch)
        code = err_set(err, ERR_USAGE, "no branch is checked out here: name one with --branch");
    if (code == 0) code = show_only(store, &place, options, out, err);
    store_close(store);
    free(branch);
    return code;
}
