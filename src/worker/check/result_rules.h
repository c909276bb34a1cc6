// SPDX-License-Identifier: Apache-2.0
//
// What the texts of declared results say is right (op/declared/declared.h: struct declared_rule), of whole
// outputs in the host's memory: steps of the type, picks, what counts the elements that are used. Or what its
// file's function `accept` says of all of them.
#ifndef WORKER_CHECK_RESULT_RULES_H
#define WORKER_CHECK_RESULT_RULES_H

#include "op/declared/declared.h"
#include "worker/check/case_buffers.h"

// Compares output k by its rule, where it has one in place of a tolerance (a tolerance of the kernel's own
// takes the place of steps); *ret_has false: it has none. right: the reference's outputs, dense in shape
// order. *ret: as tensor_compare's; `why` is a sentence about the first element that is wrong, or that
// function's: then every output is wrong. Errors are that function's: it cannot be asked, or refuses the
// reference's own results.
int result_rules_compare(const struct case_buffers *buffers, const double *const *right, uint32_t k,
                         bool *ret_has, struct tensor_verdict *ret, struct err *err);
// What `accept` says of the outputs as they lie, or of a sampler's launches (drawn: DECLARED_SAMPLES results
// of each output, dense): "": it accepts them.
int result_rules_ask(const struct case_buffers *buffers, const double *const *right, char *const *drawn,
                     char ret_why[DECLARED_ANSWER_BYTES], struct err *err);

#endif
