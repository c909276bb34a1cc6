// SPDX-License-Identifier: Apache-2.0
//
// The referee as a server on a Unix socket: a line a candidate, a document a line. Candidates are judged one
// after another, each by an assay of its own with a scratch folder of its own, so that nothing of one is
// there for the next, and nothing that one does ends the server. Clients that hang, drip or go away cost the
// others nothing: all that waits is polled, also while a candidate is judged.
#ifndef CONTROL_FLOW_REFEREE_REFEREE_LISTEN_H
#define CONTROL_FLOW_REFEREE_REFEREE_LISTEN_H

#include "base/err.h"
#include "control/flow/referee/referee_server.h"

// Until it is interrupted. ERR_USAGE: the path is too long; ERR_UNAVAILABLE: another one listens there.
int referee_listen(const struct referee_server *server, struct err *err);

#endif
