// SPDX-License-Identifier: Apache-2.0
//
// A proposer of variants: any program. It runs in the sandbox of kernels' processes (`assay confined`), with
// a time limit; it reads a question on standard input and prints settings, a source or a patch, none of which
// is trusted. Each answer is on disk before it is used, so that a resumed tuning asks nothing twice.
#ifndef CONTROL_FLOW_TUNE_TUNE_PROPOSER_H
#define CONTROL_FLOW_TUNE_TUNE_PROPOSER_H

#include "control/flow/tune/tune_state.h"

// Reads the prompt document. ERR_USAGE: what does not go together.
int tune_proposer_open(struct tune *tune, const struct tune_proposer_request *request, struct err *err);
// Sees that the program can be confined, before anything is measured.
int tune_proposer_probe(const struct tune *tune, struct err *err);
// Asks for the new points of a heat, at most `limit`. None: the search has ended, by answers of no use in a
// row, by heats without a new best, or since the time is over.
int tune_proposer_ask(struct tune *tune, size_t limit, struct tune_point *ret, size_t *ret_count,
                      struct err *err);
// Reads the answers that an earlier run kept and this one does not ask for, since no heat follows.
int tune_proposer_recall(struct tune *tune, struct err *err);

#endif
