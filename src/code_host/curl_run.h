// SPDX-License-Identifier: Apache-2.0
//
// The curl program, told what to do through its standard input: no token or password is among arguments that
// other users can list.
#ifndef CODE_HOST_CURL_RUN_H
#define CODE_HOST_CURL_RUN_H

#include "base/err.h"
#include "base/strbuf.h"

// A line of curl's configuration (curl(1), --config). value is quoted, and ends no line.
void curl_add_option(struct strbuf *config, const char *name, const char *value);

struct curl_task {
    const struct strbuf *config;
    const char *protocols; // that may be used: "=https,http"
    unsigned timeout_ms;
    const char *what; // for messages: "POST https://..."
};

#define CURL_TIMED_OUT 28
struct curl_end {
    int exit_code; // curl(1), EXIT CODES; -1: it did not run to its end
    int status;    // of the server's last answer; 0: none
    size_t sent_bytes;
};

// What the server answers is appended to ret. ERR_UNAVAILABLE: no curl, no connection, no answer in time.
// *ret_end is set then, too.
int curl_run(const struct curl_task *task, struct curl_end *ret_end, struct strbuf *ret, struct err *err);

#endif
