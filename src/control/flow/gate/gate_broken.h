// SPDX-License-Identifier: Apache-2.0
//
// The document of a gate that ended before it measured: a side does not build, or the kernel is gone. That is
// a decision, which those must hear who heard of an earlier one.
#ifndef CONTROL_FLOW_GATE_GATE_BROKEN_H
#define CONTROL_FLOW_GATE_GATE_BROKEN_H

#include "control/flow/gate/gate_run.h"

// Makes the document of a gate whose stage says what is broken. cause: of its end; exit_code: of the
// decision. It has the suite and the device of the gate that would have been, and no problem. *ret is to be
// freed with result_fini.
void gate_broken_result(struct gate *gate, const struct err *cause, int exit_code, struct result *ret);
// Of what such a gate would have measured; in the session's arena. NULL: it does not resolve.
const char *gate_suite_name(struct gate *gate);

#endif
