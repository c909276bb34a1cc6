// SPDX-License-Identifier: Apache-2.0
//
// Publishing a result where its pull request is.
#ifndef CONTROL_FLOW_PUBLISH_RESULT_H
#define CONTROL_FLOW_PUBLISH_RESULT_H

#include "control/code_host/publication.h"
#include "control/flow/session.h"

// session: knows the candidate's file, and what of it changed since the baseline's revision; NULL: a stored
// result, whose annotations name no file. Otherwise as code_host_publish().
int publish_result(const struct session *session, const struct publish_request *request,
                   const struct result *result, struct arena *arena, struct published *ret, struct err *err);

#endif
