// SPDX-License-Identifier: Apache-2.0
//
// What a proposer of sources is asked, as JSON (docs/tune.md has its members).
#ifndef CONTROL_FLOW_TUNE_TUNE_QUESTION_H
#define CONTROL_FLOW_TUNE_TUNE_QUESTION_H

#include "control/flow/tune/tune_state.h"

int tune_question_write(struct tune *tune, uint32_t number, struct strbuf *out, struct err *err);

// The source of a variant (struct tune_point's source); the caller frees.
int tune_source_read(const struct tune *tune, uint32_t source, char **ret_text, struct err *err);
// Its path, absolute; NULL for the manifest's own. The caller frees.
char *tune_source_path(const struct tune *tune, uint32_t source);
// The source of the best variant that was timed, which a patch is for.
uint32_t tune_best_source(const struct tune *tune);

#endif
