// SPDX-License-Identifier: Apache-2.0
//
// `assay notify`: tells of a stored gate by hand. Codes: 0; 69 a message could not be sent, and is kept.
#include <stdlib.h>

#include "base/json_writer.h"
#include "control/cmd/command.h"
#include "control/compile/revision.h"
#include "control/flow/notify/notify.h"
#include "control/flow/run_folder.h"

static void add_text(const struct notify_told *told, struct strbuf *out) {
    strbuf_add_linef(out, "%zu regression%s told%s%s", told->count, told->count == 1 ? "" : "s",
                     told->nothing_due ? ": " : "", str_or(told->nothing_due, ""));
}

static void add_json(const struct notify_told *told, struct strbuf *out) {
    struct json_writer w = json_writer_make(out, 2);
    json_object_begin(&w, NULL);
    json_write_u64(&w, "told", told->count);
    json_maybe_string(&w, "nothing_due", told->nothing_due);
    json_object_end(&w);
    strbuf_add_char(out, '\n');
}

static int tell(struct session *session, const char *path, const char *branch, bool is_json,
                struct strbuf *out, struct err *err) {
    struct result result = {0};
    struct notify_told told = {0};
    char *here = branch ? NULL : revision_branch(session->manifest.dir);
    const struct notify_request request = {.result = &result, .branch = branch ? branch : here};
    int code = result_read_file(path, &result, err);
    if (code == 0) told = notify_result(session, &request);
    if (code == 0 && told.warning) code = err_set(err, ERR_UNAVAILABLE, "%s", told.warning);
    if (code == 0) (is_json ? add_json : add_text)(&told, out);
    result_fini(&result);
    free(here);
    return code;
}

static int run_notify(const struct command *command, int argc, char **argv) {
    struct cmd_options options = cmd_options_default();
    struct option_line line = {.argc = argc, .argv = argv, .word_max = 1};
    struct session session = {0};
    struct strbuf out = {0};
    struct err err = {0};
    const char *branch = NULL;
    char *path = NULL;
    const struct option own[] = {
        {"branch", "B", "the branch of the result (default: the one checked out)", OPTION_TEXT, &branch},
        {"output-dir", "D", "folder of all runs (default runs, beside the manifest)", OPTION_TEXT,
         &options.session.output_dir},
        {0},
    };
    int code = cmd_parse(command, own, &options, &line, &err);
    if (code == CMD_HELP_PRINTED) return 0;
    if (code == 0)
        code = run_find_result(line.word_count ? line.words[0] : "last", options.session.output_dir, &path,
                               &err);
    if (code == 0) code = session_open(&session, &options.session, &err);
    if (code == 0) code = tell(&session, path, branch, options.is_json, &out, &err);
    session_close(&session);
    free(path);
    return cmd_end(&options, code, &out, &err);
}

const struct command command_notify = {
    .name = "notify",
    .summary = "tell people of a stored gate's regressions",
    .usage = "assay notify [FILE|RUN|last] [--branch B]",
    .details = "By e-mail and webhook, as the manifest's notify says; `assay gate` does the same on its\n"
               "branches. A regression is told once, until the problem is found not slower. What could not\n"
               "be sent is kept, and goes out with the next gate on the branch or with this command.\n"
               "Where nothing was to be told it says why: another branch, no notify, told before.\n"
               "Codes: 0 told, or nothing new, 69 a message could not be sent.\n"
               "\n"
               "example\n"
               "  assay notify last --branch main",
    .run = run_notify,
    .option_groups = CMD_OPTIONS_SESSION,
};
