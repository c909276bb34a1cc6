// SPDX-License-Identifier: Apache-2.0
//
// `assay referee`: one candidate, one answer. Codes: 0 right, and with --baseline not slower; 1 wrong,
// dishonest, it does not compile, crashes, runs out of time or memory, or is slower; 2 not judged: a wrong
// one would have passed; 3 not supported, or no measurement counts.
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "control/cmd/print_result.h"
#include "control/flow/operator_source.h"
#include "control/flow/referee/referee_listen.h"
#include "control/flow/referee/referee_run.h"
#include "control/flow/referee/referee_socket.h"
#include "report/referee/referee_report.h"

// ---- the answer ----

static int print_answer(struct referee *referee, const struct cmd_options *options, struct err *err) {
    const struct referee_record *record = &referee->record;
    struct strbuf out = {0}, document = {0};
    referee_record_write(record, 2, &document);
    int code =
        referee->run.dir ? run_write_file(&referee->run, REFEREE_DOCUMENT, strbuf_text(&document), err) : 0;
    if (options->is_json)
        strbuf_add(&out, strbuf_text(&document));
    else if (options->is_quiet)
        referee_report_line(record, cmd_wants_color(options), &out);
    else
        referee_report_text(record, cmd_wants_color(options), &out);
    const int printed = cmd_print_free(&out);
    if (code == 0) code = cmd_write_beside(options->output, &document, printed ? printed : record->exit_code);
    cmd_warn(referee_history_keep(referee, &document));
    strbuf_fini(&document);
    return code;
}

static int ask(const struct cmd_options *options, const struct referee_request *request,
               struct referee *referee, struct err *err) {
    struct run_callbacks callbacks = cmd_run_callbacks(options);
    TRY(referee_run(referee, request, &callbacks, err));
    return print_answer(referee, options, err);
}

// ---- a server and its clients ----

// What may take longer than --time-limit: three steps of the compiler, a search for a smaller problem, the
// start of interpreters.
#define SERVER_LIMITS 4
#define SERVER_S      60

static void say_where(const struct referee_server *server) {
    struct strbuf text = {0};
    strbuf_add_linef(&text, "assay referee: %s, at %s", server->operator_shown, server->socket);
    cmd_print_free(&text);
}

static int listen_at(const char *socket, uint32_t client_most, const struct option_line *line,
                     const struct referee_request *request, struct err *err) {
    const char *options[OPTION_GIVEN_MAX * 2];
    struct referee_server server = {
        .socket = socket,
        .options = options,
        .operator_or_file = request->operator_or_file,
        .operator_shown = str_or(request->operator_or_file, request->fuzz.session.definition),
        .limit_ns = SERVER_LIMITS * request->limit_ns + SERVER_S * UINT64_C(1000000000),
        .client_most = client_most,
        .on_ready = say_where};
    for (int i = 1; i < line->argc && server.option_count < sizeof options / sizeof *options; ++i) {
        const char *word = line->argv[i];
        const bool is_own = str_equal(word, "--listen") || str_equal(word, "--queue");
        i += is_own;
        if (is_own || str_starts(word, "--listen=") || str_starts(word, "--queue=") ||
            str_equal(word, "--") || str_equal(word, "--json") || word == request->operator_or_file)
            continue;
        options[server.option_count++] = word;
    }
    char *program = path_self();
    server.program = program;
    const int code = referee_listen(&server, err);
    free(program);
    return code;
}

static int connect_at(const char *socket, const struct cmd_options *options,
                      const struct referee_request *request, struct err *err) {
    struct referee_record record = {0};
    struct strbuf answer = {0}, out = {0};
    const bool is_path = file_exists(request->candidate);
    char *whole = is_path || strchr(request->candidate, '/') ? path_absolute(request->candidate) : NULL;
    const struct referee_line line = {.candidate = str_or(whole, request->candidate), .name = request->name};
    int code = referee_ask(socket, &line, &answer, err);
    free(whole);
    if (code == 0) code = referee_record_read(&answer, "the referee's answer", &record, err);
    if (code < 0 && answer.length) code = err_set(err, ERR_DATA, "the referee: %s", strbuf_text(&answer));
    if (code == 0 && options->is_json)
        referee_record_write(&record, 2, &out);
    else if (code == 0 && options->is_quiet)
        referee_report_line(&record, cmd_wants_color(options), &out);
    else if (code == 0)
        referee_report_text(&record, cmd_wants_color(options), &out);
    if (code == 0) code = cmd_print(strbuf_text(&out));
    if (code == 0) code = record.exit_code;
    strbuf_fini(&out);
    strbuf_fini(&answer);
    referee_record_fini(&record);
    return code;
}

// ---- the command line ----

// OPERATOR CANDIDATE, FILE.py CANDIDATE, or a definition of a set and CANDIDATE. The first word that ends
// with .py is taken for the operator's file (option.c), which is wrong where a name stands before it.
static int take_words(const struct option_line *line, struct cmd_options *options,
                      struct referee_request *request, struct err *err) {
    struct session_options *session = &options->session;
    const char *file = line->operator_file, *first = line->word_count ? line->words[0] : NULL;
    int file_at = 0, first_at = 0;
    for (int i = 1; i < line->argc; ++i) {
        if (line->argv[i] == file) file_at = i;
        if (line->argv[i] == first) first_at = i;
    }
    if (session->dataset) {
        request->operator_or_file = NULL; // --dataset and --definition say it
        request->candidate = str_or(file, first);
    } else if (file && first && first_at < file_at) {
        session->operator_file = NULL;
        request->operator_or_file = first;
        request->candidate = file;
    } else {
        request->operator_or_file = str_or(file, first);
        request->candidate = file ? first : line->word_count > 1 ? line->words[1] : NULL;
    }
    if (line->word_count + (file != NULL) + (session->dataset != NULL) > 2)
        return err_set(err, ERR_USAGE,
                       "one candidate at a time: '%s' is one word too many; --listen takes many",
                       line->words[line->word_count - 1]);
    if (!request->candidate)
        return err_set(err, ERR_USAGE,
                       "%s: name the operator, or its Python file, and then the candidate, such as 'assay "
                       "referee rmsnorm mine.c'",
                       first || file ? "which candidate?" : "what is asked?");
    if (!operator_source_is_given(session)) session->operator_name = request->operator_or_file;
    return 0;
}

static int check_request(struct referee_request *request, struct session_options *session, struct err *err) {
    if (request->round_count == 1)
        return err_set(err, ERR_USAGE, "--rounds takes 0, or 2 and more: one round has no interval");
    if (request->round_count > ROUNDS_LIMIT)
        return err_set(err, ERR_USAGE, "--rounds takes at most %d", ROUNDS_LIMIT);
    if (session->is_device_default && request->candidate && str_ends(request->candidate, ".cu")) {
        session->device = "cuda:0";
        session->is_device_default = false;
    }
    return 0;
}

// One word: the operator of a server, or the candidate of a client.
static int take_word(const struct option_line *line, const char *option, const char *what, const char **ret,
                     struct err *err) {
    *ret = str_or(line->operator_file, line->word_count ? line->words[0] : NULL);
    if (*ret && line->word_count + (line->operator_file != NULL) == 1) return 0;
    return err_set(err, ERR_USAGE, "%s takes one word besides the socket, %s", option, what);
}

struct sockets {
    const char *listen, *connect;
    uint32_t client_most;
};

static int act(const struct sockets *sockets, const struct option_line *line, struct cmd_options *options,
               struct referee_request *request, struct referee *referee, struct err *err) {
    if (request->wants_profile && (sockets->listen || sockets->connect))
        return err_set(err, ERR_USAGE,
                       "--profile runs a candidate outside of its sandbox: a referee that takes candidates "
                       "from others does not");
    if (sockets->listen && sockets->connect)
        return err_set(err, ERR_USAGE, "--listen is a server's, --connect a client's: give one");
    if (sockets->client_most > REFEREE_CLIENTS_MAX)
        return err_set(err, ERR_USAGE, "--queue takes at most %d", REFEREE_CLIENTS_MAX);
    if (sockets->connect)
        TRY(take_word(line, "--connect", "the candidate", &request->candidate, err));
    else if (sockets->listen) {
        if (!options->session.dataset)
            TRY(take_word(line, "--listen", "the operator or its Python file", &request->operator_or_file,
                          err));
    } else
        TRY(take_words(line, options, request, err));
    TRY(check_request(request, &options->session, err));
    options->session.others = request->baseline;
    if (!request->round_count) options->session.device_lock = NULL; // no load changes a check
    request->fuzz.session = options->session;
    if (sockets->connect) return connect_at(sockets->connect, options, request, err);
    if (sockets->listen) return listen_at(sockets->listen, sockets->client_most, line, request, err);
    return ask(options, request, referee, err);
}

static int run_referee(const struct command *command, int argc, char **argv) {
    struct cmd_options options = cmd_options_default();
    struct referee_request request = {.round_count = REFEREE_ROUNDS,
                                      .limit_ns = REFEREE_LIMIT_S * UINT64_C(1000000000)};
    struct sockets sockets = {.client_most = REFEREE_CLIENTS_MAX};
    const struct option own[] = {
        {"kernel", "KERNEL", "of the manifest, whose place the candidate takes: its call and its options",
         OPTION_TEXT, &options.session.kernel},
        {"baseline", "LIST",
         "compared with these: kernels, git:REV, reference; slower than the first is code 1", OPTION_TEXT,
         &request.baseline},
        {"name", "NAME", "of the candidate in lists (default: its file's)", OPTION_TEXT, &request.name},
        {"thorough", NULL, "check the operator's whole matrix, as fuzz does", OPTION_FLAG,
         &request.is_thorough},
        {"distribution", "NAME", "inputs that are checked: normal, small, ...", OPTION_TEXT,
         &request.fuzz.distribution},
        {"memory-layout", "NAME", "dense, padded, offset, packed, far", OPTION_TEXT,
         &request.fuzz.memory_layout},
        {"no-shrink", NULL, "look for no smaller problem that fails", OPTION_FLAG,
         &request.fuzz.is_not_shrunk},
        {"profile", NULL, "add its bottleneck: it then runs without a sandbox, so trust it", OPTION_FLAG,
         &request.wants_profile},
        OPTION_UNDER(OPTION_HOW),
        {"rounds", "N", "rounds of fresh processes (default 3); 0: check only", OPTION_U32,
         &request.round_count},
        {"time-limit", "T", "for checks and measurement together, and for the compiler (default 60s)",
         OPTION_DURATION, &request.limit_ns},
        {"memory", "GB", "of memory for the candidate (default: the manifest's limits.memory_gb)",
         OPTION_PERCENT, &request.memory_gb},
        OPTION_UNDER(OPTION_WHAT),
        {"listen", "SOCKET", "be a server: a line of JSON a candidate, a document a line", OPTION_TEXT,
         &sockets.listen},
        {"queue", "N", "of a server: clients at once (default 64)", OPTION_COUNT, &sockets.client_most},
        {"connect", "SOCKET", "ask that server for CANDIDATE", OPTION_TEXT, &sockets.connect},
        OPTION_UNDER(OPTION_OUTPUT),
        {"leave-nothing", NULL, "of the candidate neither its run's folder nor its module stays", OPTION_FLAG,
         &request.leaves_nothing},
        {0},
    };
    struct option_line line = {.argc = argc, .argv = argv, .word_max = 3};
    struct err err = {0};
    struct referee referee = {0};
    int code = cmd_parse(command, own, &options, &line, &err);
    if (code == CMD_HELP_PRINTED) return 0;
    if (code == 0) code = act(&sockets, &line, &options, &request, &referee, &err);
    const int exit_code = code < 0 ? cmd_fail(&options, &err) : code;
    return cmd_close(referee_close(&referee, &err), &err, exit_code);
}

const struct command command_referee = {
    .takes_candidate = true,
    .is_output_document = true,
    .isolates = true,
    .name = "referee",
    .summary =
        "one candidate, one answer: is it right, is it honest, how fast is it? for loops that write kernels",
    .usage = "assay referee OPERATOR|FILE.py CANDIDATE [--baseline K] [OPTIONS]\n"
             "       assay referee --dataset DIR --definition NAME CANDIDATE [OPTIONS]\n"
             "       assay referee OPERATOR|FILE.py --listen SOCKET [OPTIONS]\n"
             "       assay referee --connect SOCKET CANDIDATE [--name NAME]",
    .details =
        "Builds the candidate in the sandbox, checks it on fresh inputs, and measures it in rounds of fresh\n"
        "processes beside the kernel whose place it takes, or those of --baseline. CANDIDATE is a source\n"
        "(.c, .cc, .cu), a built library (.so), a Python FILE.py:FUNCTION or MODULE:FUNCTION, or a folder\n"
        "in place of the manifest's. --json prints the document of docs/referee.md, runs/<id>/referee.json.\n"
        "Codes: 0 right, and with --baseline not slower; 1 wrong, dishonest, does not compile, crashed, out\n"
        "of time or memory, or slower; 2 not judged: a wrong one would pass; 3 a problem that it does not\n"
        "take, or no measurement that counts.\n"
        "\n"
        "example\n"
        "  assay referee rmsnorm candidate.c\n"
        "  assay referee ops/rmsnorm.py mine.py:rmsnorm --problem rows=17 --json\n"
        "  assay referee rmsnorm candidate.c --baseline git:HEAD --suite pr",
    .run = run_referee,
    .option_groups = CMD_OPTIONS_SESSION | CMD_OPTIONS_SUITE | CMD_OPTIONS_OUTPUT | CMD_OPTIONS_SAMPLING |
                     CMD_OPTIONS_LOCK,
};
