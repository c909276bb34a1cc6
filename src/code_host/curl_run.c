// SPDX-License-Identifier: Apache-2.0
//
// See curl_run.h.
#include "code_host/curl_run.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/process/proc.h"

#define ANSWER_BYTES ((size_t)16 << 20)
#define END_MARK     "\nassay-end:"
#define END_FORMAT   "%{stderr}" END_MARK "%{response_code} %{size_upload}" // at once: stderr has no buffer
#define GRACE_NS     UINT64_C(1000000000)                                   // for curl to say so itself

void curl_add_option(struct strbuf *config, const char *name, const char *value) {
    strbuf_addf(config, "%s = \"", name);
    for (const char *c = value; *c; ++c) {
        const char *escape = *c == '"'    ? "\\\""
                             : *c == '\\' ? "\\\\"
                             : *c == '\n' ? "\\n"
                             : *c == '\r' ? "\\r"
                                          : NULL;
        if (escape)
            strbuf_add(config, escape);
        else
            strbuf_add_char(config, *c);
    }
    strbuf_add(config, "\"\n");
}

// Takes what curl wrote of its end off its complaint.
static void take_end(struct strbuf *complaint, struct curl_end *ret_end) {
    char *mark = complaint->length ? strstr(complaint->text, END_MARK) : NULL, *rest = NULL;
    if (!mark) return;
    ret_end->status = (int)strtol(mark + sizeof END_MARK - 1, &rest, 10);
    ret_end->sent_bytes = strtoull(rest, NULL, 10);
    *mark = 0;
    complaint->length = (size_t)(mark - complaint->text);
}

// It may hang after its time, too: it waits for the server's answer to a good-bye.
static int exit_code_of(const struct proc_status *ended) {
    if (ended->end == PROC_TIMEOUT) return CURL_TIMED_OUT;
    return ended->end == PROC_EXITED ? ended->exit_code : -1;
}

int curl_run(const struct curl_task *task, struct curl_end *ret_end, struct strbuf *ret, struct err *err) {
    char limit_s[16];
    snprintf(limit_s, sizeof limit_s, "%u.%03u", task->timeout_ms / 1000, task->timeout_ms % 1000);
    const char *const argv[] = {"curl",          "--disable",  "--silent", "--show-error", "--proto",
                                task->protocols, "--max-time", limit_s,    "--write-out",  END_FORMAT,
                                "--config",      "-",          NULL};
    struct strbuf complaint = {0};
    struct proc_status ended = {0};
    const struct proc_spec spec = {.argv = argv,
                                   .stdin_text = strbuf_text(task->config),
                                   .stdin_length = task->config->length,
                                   .timeout_ns = UINT64_C(1000000) * task->timeout_ms + GRACE_NS,
                                   .output_limit_bytes = ANSWER_BYTES};
    int code = proc_run_split(&spec, &ended, ret, &complaint, err);
    *ret_end = (struct curl_end){.exit_code = code == 0 ? exit_code_of(&ended) : -1};
    take_end(&complaint, ret_end);
    if (complaint.length) complaint.text[strcspn(complaint.text, "\n")] = 0;
    if (code == 0 && ret_end->exit_code != 0)
        code = err_set(err, ERR_UNAVAILABLE, "%s: %s", str_shown(task->what).text,
                       complaint.length ? str_shown(complaint.text).text : "curl was ended");
    strbuf_fini(&complaint);
    return code;
}
