// SPDX-License-Identifier: Apache-2.0
//
// The referee as a server on a Unix socket: a line a candidate, a document a line. Candidates are judged one
// after another, each by an assay of its own with a scratch folder of its own, so that nothing of one is
// there for the next, and nothing that one does ends the server. Clients that hang, drip or go away cost the
// others nothing: all that waits is polled, also while a candidate is judged.
#ifndef CONTROL_FLOW_REFEREE_REFEREE_LISTEN_H
#define CONTROL_FLOW_REFEREE_REFEREE_LISTEN_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/strbuf.h"

#define REFEREE_CLIENTS_MAX 64

struct referee_server {
    const char *socket, *program;
    const char *const *options; // of each candidate's assay: those of this one
    size_t option_count;
    const char *operator_or_file;
    uint64_t limit_ns;    // for one candidate, whatever it waits for
    uint32_t client_most; // connections at once; at most REFEREE_CLIENTS_MAX
    void (*on_ready)(const struct referee_server *server); // it listens
};

// Until it is interrupted. ERR_USAGE: the path is too long; ERR_UNAVAILABLE: another one listens there.
int referee_listen(const struct referee_server *server, struct err *err);

// A client: asks for one candidate and waits for the answer, a line.
struct referee_line;
int referee_ask(const char *socket, const struct referee_line *line, struct strbuf *ret, struct err *err);

#endif
