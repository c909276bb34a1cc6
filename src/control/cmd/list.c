// SPDX-License-Identifier: Apache-2.0
//
// `assay list`: the kernels, suites, operators and problems that the other commands take.
#include <stdlib.h>
#include <string.h>

#include "base/json_writer.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "control/cmd/commands.h"
#include "control/plan/peer.h"
#include "control/plan/sim_shipped.h"

static const char *kernel_from(const struct manifest_kernel *kernel) {
    return kernel->source      ? kernel->source
           : kernel->library   ? kernel->library
           : kernel->build_run ? kernel->build_run
           : kernel->python    ? kernel->python
                               : "script";
}

static void list_kernel(const char *const cells[4], struct term_table *table, struct json_writer *w) {
    term_table_add(table, cells);
    json_object_begin(w, NULL);
    json_write_string(w, "name", cells[0]);
    json_maybe_string(w, "operator", cells[1]);
    json_write_string(w, "backend", cells[2]);
    json_write_string(w, "from", cells[3]);
    json_object_end(w);
}

// Of the manifest; on a simulated device also the scripts that come with assay, which serve every operator.
static void list_kernels(const struct session *session, struct term_table *table, struct json_writer *w) {
    json_array_begin(w, "kernels");
    for (size_t i = 0; i < session->manifest.kernel_count; ++i) {
        const struct manifest_kernel *kernel = &session->manifest.kernels[i];
        list_kernel((const char *[]){kernel->name, kernel->op, kernel->backend, kernel_from(kernel)}, table,
                    w);
    }
    const struct sim_kernel *script;
    const char *summary;
    for (size_t i = 0; session->sim && (script = sim_shipped_kernel_at(&session->manifest, i, &summary)); ++i)
        list_kernel((const char *[]){script->name, NULL, "sim", summary}, table, w);
    json_array_end(w);
}

static int list_suites(struct session *session, struct term_table *table, struct json_writer *w,
                       struct err *err) {
    json_array_begin(w, "suites");
    const char *summary = NULL;
    const char *name;
    for (size_t i = 0; (name = suite_name_at(&session->manifest, i, &summary)); ++i) {
        struct suite suite;
        TRY(suite_resolve(&session->manifest, name, NULL, &session->arena, &suite, err));
        char *count = mem_format("%zu problems", suite.item_count);
        const char *cells[] = {name, count, summary, NULL};
        term_table_add(table, cells);
        json_object_begin(w, NULL);
        json_write_string(w, "name", name);
        json_maybe_string(w, "summary", summary);
        json_array_begin(w, "problems");
        for (size_t k = 0; k < suite.item_count; ++k) json_write_string(w, NULL, suite.items[k].problem.name);
        json_array_end(w);
        json_object_end(w);
        free(count);
    }
    json_array_end(w);
    return 0;
}

static void list_operators(struct term_table *table, struct json_writer *w) {
    json_array_begin(w, "operators");
    const struct operator_def *op;
    for (size_t i = 0; (op = operator_at(i)); ++i) {
        const char *cells[] = {op->name, op->summary, op->example, NULL};
        term_table_add(table, cells);
        json_object_begin(w, NULL);
        json_write_string(w, "name", op->name);
        json_write_string(w, "summary", op->summary);
        json_write_string(w, "example", op->example);
        json_object_end(w);
    }
    json_array_end(w);
}

static void write_text(struct json_writer *w, const char *key, const char *words) {
    json_array_begin(w, key);
    for (const char *at = words; *at;) {
        const size_t length = strcspn(at, " ");
        char *word = mem_format("%.*s", (int)length, at);
        json_write_string(w, NULL, word);
        free(word);
        at += length + (at[length] == ' ');
    }
    json_array_end(w);
}

// With --device those that run on it.
static void list_peers(const struct session *session, struct term_table *table, struct json_writer *w) {
    json_array_begin(w, "peers");
    const struct peer *peer;
    for (size_t i = 0; (peer = peer_at(i)); ++i) {
        if (!session->options.is_device_default && !peer_runs_on(peer, session->kind->backend)) continue;
        const char *cells[] = {peer->name, peer->op, peer->backends, peer->summary};
        term_table_add(table, cells);
        json_object_begin(w, NULL);
        json_write_string(w, "name", peer->name);
        json_write_string(w, "operator", peer->op);
        write_text(w, "backends", peer->backends);
        json_write_string(w, "summary", peer->summary);
        json_object_end(w);
    }
    json_array_end(w);
}

static void list_problems(const struct suite *suite, struct term_table *table, struct json_writer *w) {
    json_array_begin(w, "problems");
    for (size_t i = 0; i < suite->item_count; ++i) {
        const struct suite_item *item = &suite->items[i];
        char bytes[32];
        term_format_bytes(problem_bytes(&item->problem), bytes, sizeof bytes);
        char *gflop = mem_format("%.3g GFLOP", problem_flops(&item->problem) / 1e9);
        const char *cells[] = {str_or(item->short_name, "-"), item->problem.name, gflop, bytes};
        term_table_add(table, cells);
        free(gflop);
        json_object_begin(w, NULL);
        json_maybe_string(w, "short_name", item->short_name);
        json_write_string(w, "name", item->problem.name);
        json_write_double(w, "flops", problem_flops(&item->problem));
        json_write_double(w, "bytes", problem_bytes(&item->problem));
        json_object_end(w);
    }
    json_array_end(w);
}

static int fill_list(struct session *session, const char *what, struct term_table *table,
                     struct json_writer *w, struct err *err) {
    if (str_equal(what, "kernels")) {
        list_kernels(session, table, w);
        if (!session->manifest.kernel_count && !session->has_manifest && !session->sim)
            return err_set(err, ERR_USAGE,
                           "no assay.yaml here or above, so there are no kernels; 'assay init' writes one");
        return 0;
    }
    if (str_equal(what, "suites")) return list_suites(session, table, w, err);
    if (str_equal(what, "operators")) {
        list_operators(table, w);
        return 0;
    }
    if (str_equal(what, "peers")) {
        list_peers(session, table, w);
        return 0;
    }
    if (str_equal(what, "problems")) {
        struct suite suite;
        TRY(session_suite(session, session_default_suite(session), &suite, err));
        list_problems(&suite, table, w);
        return 0;
    }
    return err_set(err, ERR_USAGE,
                   "cannot list '%s'; it is one of kernels, suites, operators, problems, peers", what);
}

static int run_list(const struct command *command, int argc, char **argv) {
    struct cmd_options options = cmd_options_default();
    struct option_table table = {.command = command->name};
    cmd_options_add(&table, &options, CMD_OPTIONS_SESSION | CMD_OPTIONS_SUITE);
    struct option_line line = {.argc = argc, .argv = argv, .word_max = 1};
    struct err err = {0};
    struct session session = {0};
    struct strbuf text = {0}, json = {0};
    struct term_table *rows = term_table_new(4, "llll");
    struct json_writer w = json_writer_make(&json, 2);
    int exit_code = 0;
    int code = cmd_parse(command, &table, &options, &line, &err);
    if (code == 1) goto out;
    if (code == 0) code = session_open(&session, &options.session, &err);
    json_object_begin(&w, NULL);
    if (code == 0) code = fill_list(&session, line.word_count ? line.words[0] : "kernels", rows, &w, &err);
    json_object_end(&w);
    if (code < 0) {
        exit_code = cmd_fail(&options, &err);
        goto out;
    }
    term_table_print(rows, cmd_wants_color(&options), &text);
    strbuf_add_char(&json, '\n');
    exit_code = cmd_print(options.is_json ? strbuf_text(&json) : strbuf_text(&text));
out:
    term_table_free(rows);
    strbuf_fini(&text);
    strbuf_fini(&json);
    session_close(&session);
    return exit_code;
}

const struct command command_list = {
    .name = "list",
    .summary = "kernels, suites, operators, problems and peers",
    .usage = "assay list [kernels|suites|operators|problems|peers] [OPTIONS]",
    .details = "Shows what the other commands take.\n\nexample\n  assay list problems --suite ci",
    .run = run_list,
    .is_on_first_screen = true,
};
