// SPDX-License-Identifier: Apache-2.0
//
// The version of a peer's library on this machine, for lists. What is measured says its version itself
// (record/result.c): beside PyTorch another library may be loaded.
#ifndef CONTROL_FLOW_PEER_VERSION_H
#define CONTROL_FLOW_PEER_VERSION_H

#include "control/flow/session.h"

// "9.19.0", in the session's arena; NULL: the library is not there, or does not say. Asks a worker, and of a
// peer in Python an interpreter, which imports nothing of it.
const char *peer_version_find(struct session *session, const struct op_peer *peer);

#endif
