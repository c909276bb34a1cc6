// SPDX-License-Identifier: Apache-2.0
//
// Elements of declared results that are used (op/declared/declared.h: struct declared_rule): as many as
// another tensor says. A block is what one count counts in.
#ifndef WORKER_CHECK_RESULT_USED_H
#define WORKER_CHECK_RESULT_USED_H

#include "op/declared/declared.h"

// The block of an element, by dense index, and where its used elements end if its count is this; all of them
// are where it is no count.
uint64_t result_used_block(const struct declared_rule *rule, const struct assay_tensor *tensor,
                           uint64_t element);
uint64_t result_used_end(const struct declared_rule *rule, const struct assay_tensor *tensor, uint64_t block,
                         double count);

// Of tensors of an operator, by number, in the host's memory: zeros in place of elements that are not used,
// by the counts that lie there. What is compared after a launch is the same whether they were written or not.
void result_used_clear(const struct operator_def *op, const struct assay_tensor *tensors, uint32_t count);
// An element of tensor `index` that is used, in place of any element; RESULT_NONE_USED: in its block none is.
#define RESULT_NONE_USED UINT64_MAX
uint64_t result_used_element(const struct operator_def *op, const struct assay_tensor *tensors,
                             uint32_t index, uint64_t element);

#endif
