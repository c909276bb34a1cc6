// SPDX-License-Identifier: Apache-2.0
//
// The curl program, told what to do through its standard input: no token or password is among arguments that
// other users can list.
#ifndef CONTROL_CODE_HOST_CURL_RUN_H
#define CONTROL_CODE_HOST_CURL_RUN_H

#include "base/err.h"
#include "base/strbuf.h"

// A line of curl's configuration (curl(1), --config). value is quoted, and ends no line.
void curl_add_option(struct strbuf *config, const char *name, const char *value);
// protocols: that may be used, "=https,http". What curl prints is appended to ret. ERR_UNAVAILABLE: no curl,
// no connection, no answer in time; what: for the message, "POST https://...".
int curl_run(const struct strbuf *config, const char *protocols, unsigned timeout_ms, const char *what,
             struct strbuf *ret, struct err *err);

#endif
