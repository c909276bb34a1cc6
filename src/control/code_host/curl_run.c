// SPDX-License-Identifier: Apache-2.0
//
// See curl_run.h.
#include "control/code_host/curl_run.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/process/proc.h"

#define ANSWER_BYTES ((size_t)16 << 20)
#define GRACE_NS     UINT64_C(1000000000) // for curl to say so itself

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

int curl_run(const struct strbuf *config, const char *protocols, unsigned timeout_ms, const char *what,
             struct strbuf *ret, struct err *err) {
    char limit_s[16];
    snprintf(limit_s, sizeof limit_s, "%u.%03u", timeout_ms / 1000, timeout_ms % 1000);
    const char *const argv[] = {"curl",     "--disable", "--silent",   "--show-error",
                                "--proto",  protocols,   "--max-time", limit_s,
                                "--config", "-",         NULL};
    struct strbuf complaint = {0};
    struct proc_status ended = {0};
    const struct proc_spec spec = {.argv = argv,
                                   .stdin_text = strbuf_text(config),
                                   .stdin_length = config->length,
                                   .timeout_ns = UINT64_C(1000000) * timeout_ms + GRACE_NS,
                                   .output_limit_bytes = ANSWER_BYTES};
    int code = proc_run_split(&spec, &ended, ret, &complaint, err);
    if (complaint.length) complaint.text[strcspn(complaint.text, "\n")] = 0;
    if (code == 0 && (ended.end != PROC_EXITED || ended.exit_code != 0))
        code = err_set(err, ERR_UNAVAILABLE, "%s: %s", str_shown(what).text,
                       complaint.length ? str_shown(complaint.text).text : "curl was ended");
    strbuf_fini(&complaint);
    return code;
}
