// SPDX-License-Identifier: Apache-2.0
//
// `assay list`: the kernels, suites, operators, problems, peers and formats that other commands accept.
#include <math.h>
#include <stdio.h>

#include "base/json_writer.h"
#include "base/strbuf.h"
#include "control/cmd/list_dataset.h"
#include "control/flow/peer_version.h"
#include "control/flow/session.h"
#include "control/plan/peer.h"
#include "control/plan/sim_shipped.h"
#include "format/format.h"
#include "report/formats/report_formats.h"
#include "report/result/report.h"

struct listing {
    struct term_table *table;
    struct json_writer *w;
};

struct listed_kernel {
    const char *name, *op, *backend, *from;
    const char *summary; // NULL: none
};

// shown: where it is from, what it is, or both.
static void add_kernel(struct listing *listing, const struct listed_kernel *kernel, const char *shown) {
    term_table_add(listing->table, (const char *[]){kernel->name, kernel->op, kernel->backend, shown});
    json_object_begin(listing->w, NULL);
    json_write_string(listing->w, "name", kernel->name);
    json_maybe_string(listing->w, "operator", kernel->op);
    json_write_string(listing->w, "backend", kernel->backend);
    json_write_string(listing->w, "from", kernel->from);
    json_maybe_string(listing->w, "summary", kernel->summary);
    json_object_end(listing->w);
}

static bool has_kernel(const struct manifest *manifest, const char *name) {
    for (size_t i = 0; i < manifest->kernel_count; ++i)
        if (str_equal(manifest->kernels[i].name, name)) return true;
    return false;
}

#define SHIPPED_FROM "a kernel that comes with assay"
#define LINKED_IN    "linked in"

static const char *shipped_name(struct session *session, const struct manifest_kernel *kernel) {
    return arena_format(&session->arena, SHIPPED_PREFIX "%s", kernel->name);
}

// Those of operators that are linked in, and "assay:NAME". Where assay came without its data there are none.
static void list_shipped_kernels(struct session *session, struct listing *listing) {
    const struct operator_def *op;
    for (size_t i = 0; (op = operator_at(&session->manifest.operators, i)); ++i)
        if (op->same_precision && !has_kernel(&session->manifest, op->same_precision))
            add_kernel(listing, &(struct listed_kernel){op->same_precision, op->name, "cpu", LINKED_IN, NULL},
                       LINKED_IN);
    if (shipped_read(session->shipped, NULL) < 0) return;
    const struct manifest *shipped = &session->shipped->manifest;
    for (size_t i = 0; i < shipped->kernel_count; ++i) {
        const struct manifest_kernel *kernel = &shipped->kernels[i];
        const struct listed_kernel listed = {.name = shipped_name(session, kernel),
                                             .op = kernel->op,
                                             .backend = kernel->backend,
                                             .from = SHIPPED_FROM,
                                             .summary = kernel->summary};
        add_kernel(listing, &listed, str_or(kernel->summary, SHIPPED_FROM)); // the name says the other
    }
}

// The manifest's kernels and those that come with assay; on a simulated device these are scripts, which serve
// every operator.
static int list_kernels(struct session *session, struct listing *listing, struct err *err) {
    (void)err;
    for (size_t i = 0; i < session->manifest.kernel_count; ++i) {
        const struct manifest_kernel *kernel = &session->manifest.kernels[i];
        const char *from = kernel->source      ? kernel->source
                           : kernel->library   ? kernel->library
                           : kernel->build_run ? kernel->build_run
                           : kernel->python    ? kernel->python
                                               : "script";
        const struct listed_kernel listed = {.name = kernel->name,
                                             .op = kernel->op,
                                             .backend = kernel->backend,
                                             .from = from,
                                             .summary = kernel->summary};
        add_kernel(listing, &listed,
                   kernel->summary ? arena_format(&session->arena, "%s: %s", from, kernel->summary) : from);
    }
    const struct sim_kernel *script;
    const char *summary;
    for (size_t i = 0; session->sim && (script = sim_shipped_kernel_at(&session->manifest, i, &summary)); ++i)
        add_kernel(listing, &(struct listed_kernel){script->name, NULL, "sim", summary, NULL}, summary);
    if (!session->sim) list_shipped_kernels(session, listing);
    return 0;
}

static int list_suites(struct session *session, struct listing *listing, struct err *err) {
    struct json_writer *w = listing->w;
    const char *summary = NULL;
    const char *name;
    for (size_t i = 0; (name = suite_name_at(&session->manifest, i, &summary)); ++i) {
        struct suite suite;
        TRY(suite_resolve(&session->manifest, name, NULL, &session->arena, &suite, err));
        const char *count = arena_format(&session->arena, "%zu problems", suite.item_count);
        term_table_add(listing->table, (const char *[]){name, count, summary, NULL});
        json_object_begin(w, NULL);
        json_write_string(w, "name", name);
        json_maybe_string(w, "summary", summary);
        json_array_begin(w, "problems");
        for (size_t k = 0; k < suite.item_count; ++k) json_write_string(w, NULL, suite.items[k].problem.name);
        json_array_end(w);
        json_object_end(w);
    }
    return 0;
}

static int list_operators(struct session *session, struct listing *listing, struct err *err) {
    (void)session, (void)err;
    const struct operator_def *op;
    for (size_t i = 0; (op = operator_at(&session->manifest.operators, i)); ++i) {
        term_table_add(listing->table, (const char *[]){op->name, op->summary, op->example, NULL});
        json_object_begin(listing->w, NULL);
        json_write_string(listing->w, "name", op->name);
        json_write_string(listing->w, "summary", op->summary);
        json_write_string(listing->w, "example", op->example);
        json_object_end(listing->w);
    }
    return 0;
}

// version: of the library behind it; NULL: not known.
static void add_peer(struct session *session, struct listing *listing, const struct op_peer *peer,
                     const char *op, const char *version) {
    const char *named = peer_with_version(&session->arena, peer->name, version);
    term_table_add(listing->table, (const char *[]){named, op, peer->backends, peer->summary});
    json_object_begin(listing->w, NULL);
    json_write_string(listing->w, "name", peer->name);
    json_maybe_string(listing->w, "version", version);
    json_write_string(listing->w, "operator", op);
    cmd_write_parts(listing->w, "backends", peer->backends, " ");
    json_write_string(listing->w, "summary", peer->summary);
    json_object_end(listing->w);
}

// All peers, and the kernels that come with assay; with --device, those that run on it, in the versions that
// this machine has: to ask for them takes a process a peer.
static int list_peers(struct session *session, struct listing *listing, struct err *err) {
    (void)err;
    const bool is_any = session->options.is_device_default;
    const struct operator_def *op;
    const struct op_peer *peer;
    for (size_t i = 0; (peer = operator_peer_at(&session->manifest.operators, i, &op)); ++i) {
        if (is_any)
            add_peer(session, listing, peer, op->name, NULL);
        else if (peer_runs_on(peer, session->kind->backend))
            add_peer(session, listing, peer, op->name, peer_version_find(session, peer));
    }
    const size_t count =
        shipped_read(session->shipped, NULL) == 0 ? session->shipped->manifest.kernel_count : 0;
    for (size_t i = 0; i < count; ++i) {
        const struct manifest_kernel *kernel = &session->shipped->manifest.kernels[i];
        const struct op_peer as_peer = {.name = shipped_name(session, kernel),
                                        .backends = kernel->backend,
                                        .summary = str_or(kernel->summary, SHIPPED_FROM)};
        if (is_any || str_equal(kernel->backend, session->kind->backend))
            add_peer(session, listing, &as_peer, kernel->op, NULL);
    }
    return 0;
}

static bool has_short_names(const struct suite *suite) {
    for (size_t i = 0; i < suite->item_count; ++i)
        if (suite->items[i].short_name) return true;
    return false;
}

// Short names first, where there are any; the sizes give way to the names.
static int list_problems(struct session *session, struct listing *listing, struct err *err) {
    struct suite suite;
    TRY(session_suite(session, session_default_suite(session), &suite, err));
    const bool is_named = has_short_names(&suite);
    term_table_ranks(listing->table, is_named ? "0012" : "0120");
    for (size_t i = 0; i < suite.item_count; ++i) {
        const struct suite_item *item = &suite.items[i];
        char bytes[32], gflop[32] = "";
        const double flops = problem_flops(&item->problem);
        term_format_bytes(problem_bytes(&item->problem), bytes, sizeof bytes);
        if (isfinite(flops)) snprintf(gflop, sizeof gflop, "%.3g GFLOP", flops / 1e9);
        const char *cells[] = {str_or(item->short_name, "-"), item->problem.name, gflop, bytes, ""};
        term_table_add(listing->table, is_named ? cells : cells + 1);
        json_object_begin(listing->w, NULL);
        json_maybe_string(listing->w, "short_name", item->short_name);
        json_write_string(listing->w, "name", item->problem.name);
        json_write_double(listing->w, "flops", flops);
        json_write_double(listing->w, "bytes", problem_bytes(&item->problem));
        json_object_end(listing->w);
    }
    return 0;
}

static void add_format(struct listing *listing, const char *name, const char *way, const char *summary) {
    term_table_add(listing->table, (const char *[]){name, way, summary, NULL});
    json_object_begin(listing->w, NULL);
    json_write_string(listing->w, "name", name);
    json_write_string(listing->w, "way", way);
    json_write_string(listing->w, "summary", summary);
    json_object_end(listing->w);
}

// What `assay report` writes, and what `assay compare` reads.
static int list_formats(struct session *session, struct listing *listing, struct err *err) {
    (void)session, (void)err;
    const struct report_format *format;
    for (size_t i = 0; (format = report_format_at(i)); ++i)
        add_format(listing, format->name, "written", format->summary);
    for (size_t i = 0; format_table[i]; ++i)
        add_format(listing, format_table[i]->name, "read", format_table[i]->summary);
    return 0;
}

static int fill_list(struct session *session, const char *what, struct listing *listing, struct err *err) {
    static const struct {
        const char *name;
        int (*fill)(struct session *session, struct listing *listing, struct err *err);
    } lists[] = {{"kernels", list_kernels},   {"suites", list_suites}, {"operators", list_operators},
                 {"problems", list_problems}, {"peers", list_peers},   {"formats", list_formats}};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; ++i) {
        if (!str_equal(what, lists[i].name)) continue;
        json_array_begin(listing->w, what);
        int code = lists[i].fill(session, listing, err);
        json_array_end(listing->w);
        return code;
    }
    return err_set(err, ERR_USAGE,
                   "cannot list '%s'; it is one of kernels, suites, operators, problems, peers, formats",
                   what);
}

static int run_list(const struct command *command, int argc, char **argv) {
    struct cmd_options options = cmd_options_default();
    struct option_line line = {.argc = argc, .argv = argv, .word_max = 1};
    struct err err = {0};
    struct session session = {0};
    struct strbuf text = {0}, json = {0};
    struct json_writer w = json_writer_make(&json, 2);
    int code = cmd_parse(command, NULL, &options, &line, &err);
    if (code == CMD_HELP_PRINTED) return 0;
    if (code == 0 && options.session.dataset) {
        code = list_dataset(&options, &err);
        return code < 0 ? cmd_fail(&options, &err) : code;
    }
    struct listing listing = {term_table_new(4, "llll"), &w};
    if (code == 0) code = session_open(&session, &options.session, &err);
    json_object_begin(&w, NULL);
    if (code == 0) code = fill_list(&session, line.word_count ? line.words[0] : "kernels", &listing, &err);
    json_object_end(&w);
    strbuf_add_char(&json, '\n');
    term_table_print(listing.table, cmd_wants_color(&options), &text);
    int exit_code =
        code < 0 ? cmd_fail(&options, &err) : cmd_print(strbuf_text(options.is_json ? &json : &text));
    term_table_free(listing.table);
    strbuf_fini(&text);
    strbuf_fini(&json);
    session_close(&session);
    return exit_code;
}

const struct command command_list = {
    .name = "list",
    .summary = "kernels, suites, operators, problems, peers and report formats",
    .usage = "assay list [kernels|suites|operators|problems|peers|formats] [OPTIONS]",
    .details = "Shows the names that the other commands accept. --dataset DIR: the definitions of a set of\n"
               "problems, and why assay makes no operator of one.\n\n"
               "example\n  assay list problems --suite ci",
    .run = run_list,
    .option_groups = CMD_OPTIONS_SESSION | CMD_OPTIONS_SUITE,
    .lists_dataset = true,
    .is_on_first_screen = true,
};
