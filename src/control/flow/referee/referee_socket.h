// SPDX-License-Identifier: Apache-2.0
//
// The Unix socket of the referee: made for its user alone, and asked from the other end.
#ifndef CONTROL_FLOW_REFEREE_REFEREE_SOCKET_H
#define CONTROL_FLOW_REFEREE_REFEREE_SOCKET_H

#include "base/err.h"
#include "base/strbuf.h"
#include "control/flow/referee/referee_line.h"

// Mode 0600. A socket that nobody listens on is replaced. ERR_UNAVAILABLE: another one listens there.
int referee_socket_listen(const char *path, int *ret_fd, struct err *err);
// A client: asks for one candidate and waits for the answer, a line.
int referee_ask(const char *socket, const struct referee_line *line, struct strbuf *ret, struct err *err);

#endif
