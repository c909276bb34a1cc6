// SPDX-License-Identifier: Apache-2.0
//
// The problem that environment variables name, as older profiling scripts take it.
#ifndef CONTROL_FLOW_PROFILE_PROFILE_ENVIRONMENT_H
#define CONTROL_FLOW_PROFILE_PROFILE_ENVIRONMENT_H

#include "control/flow/session.h"

// Where no option names problems: sets the session's from the environment variables of the kernel's operator
// (S, B, H, D of attention). *ret_name: the problem, NULL where none of them is set.
int profile_problem_from_environment(struct session *session, const char *kernel, const char **ret_name,
                                     struct err *err);

#endif
