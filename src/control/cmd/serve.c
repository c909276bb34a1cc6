// SPDX-License-Identifier: Apache-2.0
//
// `assay serve`: the dashboard and the API over the store, until it is stopped; and the tokens for uploads.
// Codes: 0 stopped, or done; 64 and 66 for what is wrong with the command; 69 without a server in this build,
// without a store, or when the port is taken.
#include "serve/http_server.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/interrupt.h"
#include "base/json_writer.h"
#include "control/cmd/command.h"
#include "control/flow/history_keep.h"
#include "store/store_token.h"

#define MIB ((size_t)1 << 20)
enum { PORT_DEFAULT = 8377, UPLOAD_MIB_DEFAULT = 32, UPLOAD_MIB_MAX = 64, REQUEST_S_DEFAULT = 60 };
static const uint64_t TEND_NS = 100000000u;

struct serve_arguments {
    struct cmd_options options;
    struct session session;
    const char *store, *address, *host, *runs;
    uint32_t port, upload_mib, request_s, client_connections;
    const char *const *words;
    size_t word_count;
};

// ---- the server ----

static void print_log(void *arg, const char *text) {
    struct strbuf line = {0};
    char now[32];
    (void)arg;
    clock_utc_text(now, sizeof now);
    strbuf_add_linef(&line, "%s %s", now, text);
    cmd_note_free(&line);
}

static int say_where(const struct serve_arguments *arguments, const struct http_server *server) {
    const bool is_ipv6 = strchr(arguments->address, ':') != NULL;
    struct strbuf line = {0};
    strbuf_add_linef(&line, "serving http://%s%s%s:%u", is_ipv6 ? "[" : "", arguments->address,
                     is_ipv6 ? "]" : "", (unsigned)http_server_port(server));
    const int code = cmd_print_free(&line);
    fflush(stdout);
    if (http_server_is_loopback(server)) return code;
    strbuf_add_linef(&line,
                     "warning: everyone who reaches %s can read all results, and tokens travel unencrypted: "
                     "listen at 127.0.0.1 behind a proxy that does TLS (docs/serve.md)",
                     arguments->address);
    cmd_note_free(&line);
    return code;
}

static int check_limits(const struct serve_arguments *arguments, struct err *err) {
    if (arguments->upload_mib < 1 || arguments->upload_mib > UPLOAD_MIB_MAX)
        return err_set(err, ERR_USAGE, "--upload-limit takes 1 to %d MiB: no document is larger",
                       UPLOAD_MIB_MAX);
    if (arguments->request_s < 1) return err_set(err, ERR_USAGE, "--request-time takes 1 second or more");
    return 0;
}

static int serve(struct serve_arguments *arguments, const char *store, struct err *err) {
    struct session *session = &arguments->session;
    struct http_server *server = NULL;
    TRY(check_limits(arguments, err));
    if (!arguments->runs && session->has_manifest)
        arguments->runs = arena_format(&session->arena, "%s/runs", session->manifest.dir);
    const struct http_settings settings = {
        .address = arguments->address,
        .port = arguments->port,
        .host = arguments->host,
        .store = store,
        .runs_folder = arguments->runs,
        .upload_bytes_max = arguments->upload_mib * MIB,
        .request_s = arguments->request_s,
        .client_connections = arguments->client_connections,
        .on_log = print_log,
    };
    TRY(http_server_start(&settings, &server, err));
    const int code = say_where(arguments, server);
    while (code == 0 && !interrupt_is_set()) {
        http_server_tend(server);
        clock_sleep_ns(TEND_NS);
    }
    http_server_stop(server);
    return code;
}

// ---- tokens ----

static int add_token(struct store *store, const char *name, struct strbuf *out, struct err *err) {
    char token[STORE_TOKEN_BYTES];
    struct strbuf note = {0};
    TRY(store_token_add(store, name, token, err));
    strbuf_addf(out, "%s\n", token);
    strbuf_add_linef(&note, "this is the token '%s'; it is not kept, so it is not shown again", name);
    cmd_note_free(&note);
    return 0;
}

static int remove_token(struct store *store, const char *name, struct strbuf *out, struct err *err) {
    TRY(store_token_remove(store, name, err));
    strbuf_add_linef(out, "the token '%s' is removed", name);
    return 0;
}

static int list_tokens(struct serve_arguments *arguments, struct store *store, struct strbuf *out,
                       struct err *err) {
    struct stored_token *tokens = NULL;
    size_t count = 0;
    TRY(store_token_list(store, &arguments->session.arena, &tokens, &count, err));
    if (arguments->options.is_json) {
        struct json_writer w = json_writer_make(out, 2);
        json_object_begin(&w, NULL);
        json_array_begin(&w, "tokens");
        for (size_t i = 0; i < count; ++i) {
            json_object_begin(&w, NULL);
            json_write_string(&w, "name", tokens[i].name);
            json_write_string(&w, "created_utc", tokens[i].created_utc);
            json_object_end(&w);
        }
        json_array_end(&w);
        json_object_end(&w);
        strbuf_add_char(out, '\n');
        return 0;
    }
    for (size_t i = 0; i < count; ++i) strbuf_add_linef(out, "%s  %s", tokens[i].created_utc, tokens[i].name);
    if (!count) strbuf_add(out, "no token; 'assay serve token add NAME' makes one\n");
    return 0;
}

static int do_token(struct serve_arguments *arguments, struct store *store, struct strbuf *out,
                    struct err *err) {
    const char *action = arguments->word_count > 1 ? arguments->words[1] : "";
    const char *name = arguments->word_count > 2 ? arguments->words[2] : NULL;
    if (str_equal(action, "list") && !name) return list_tokens(arguments, store, out, err);
    if (str_equal(action, "add") && name) return add_token(store, name, out, err);
    if (str_equal(action, "remove") && name) return remove_token(store, name, out, err);
    return err_set(err, ERR_USAGE, "a token is managed by: serve token add NAME, list, or remove NAME");
}

static int token(struct serve_arguments *arguments, const char *store_address, struct err *err) {
    struct store *store = NULL;
    struct strbuf out = {0};
    TRY(store_open(store_address, true, &store, err));
    int code = do_token(arguments, store, &out, err);
    if (code == 0) code = cmd_print(strbuf_text(&out));
    strbuf_fini(&out);
    store_close(store);
    return code;
}

// ---- the command ----

static int act(struct serve_arguments *arguments, struct err *err) {
    const char *store = NULL;
    if (arguments->word_count && !str_equal(arguments->words[0], "token"))
        return err_set(err, ERR_USAGE, "serve takes nothing, or 'token', not '%s'",
                       str_shown(arguments->words[0]).text);
    TRY(session_open(&arguments->session, &arguments->options.session, err));
    TRY(history_address(&arguments->session, arguments->store, &store, err));
    return arguments->word_count ? token(arguments, store, err) : serve(arguments, store, err);
}

static int run_serve(const struct command *command, int argc, char **argv) {
    struct serve_arguments arguments = {.options = cmd_options_default(),
                                        .address = "127.0.0.1",
                                        .port = PORT_DEFAULT,
                                        .upload_mib = UPLOAD_MIB_DEFAULT,
                                        .request_s = REQUEST_S_DEFAULT};
    struct option_line line = {.argc = argc, .argv = argv, .word_max = 3};
    struct err err = {0};
    const struct option own[] = {
        {"address", "A", "where to listen (default 127.0.0.1: this machine only)", OPTION_TEXT,
         &arguments.address},
        {"port", "N", "the port (default 8377; 0: any free one)", OPTION_U32, &arguments.port},
        {"host", "NAME", "the name by which a proxy's users reach this server", OPTION_TEXT, &arguments.host},
        {"store", "S", "a file or postgresql://... (default: ASSAY_STORE, else .assay/history.db)",
         OPTION_TEXT, &arguments.store},
        {"runs", "D", "where runs that go on are (default: runs beside the manifest)", OPTION_TEXT,
         &arguments.runs},
        {"upload-limit", "MIB", "the largest upload (default: 32, at most 64)", OPTION_U32,
         &arguments.upload_mib},
        {"request-time", "S", "seconds in which a request must be complete (default 60)", OPTION_U32,
         &arguments.request_s},
        {"client-connections", "N", "connections of one address (default 64; of this machine, any number)",
         OPTION_U32, &arguments.client_connections},
        {0},
    };
    int code = cmd_parse(command, own, &arguments.options, &line, &err);
    if (code == CMD_HELP_PRINTED) return 0;
    arguments.words = (const char *const *)line.words;
    arguments.word_count = line.word_count;
    if (code == 0) code = act(&arguments, &err);
    session_close(&arguments.session);
    return code < 0 ? cmd_fail(&arguments.options, &err) : code;
}

const struct command command_serve = {
    .name = "serve",
    .summary = "the dashboard and an API over the store, for browsers and CI",
    .usage = "assay serve [--address A] [--port N] [--store S]\n"
             "       assay serve token add NAME|list|remove NAME",
    .details =
        "Serves pages, JSON under /api/v1 and figures for Prometheus at /metrics, until it is stopped by\n"
        "SIGTERM or Ctrl-C; requests that are going on end first. Reading needs no token, an upload does.\n"
        "It listens on this machine only, and leaves TLS to a proxy: docs/serve.md.\n"
        "Codes: 0 stopped, 69 the port is taken, there is no store, or this build has no server.\n"
        "\n"
        "example\n"
        "  assay serve --port 8377",
    .run = run_serve,
    .option_groups = CMD_OPTIONS_SESSION,
};
