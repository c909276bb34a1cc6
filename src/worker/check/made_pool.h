// SPDX-License-Identifier: Apache-2.0
//
// Data that an operator's Python file makes (op/declared/made_inputs.h): the pool of a problem, from which
// each seed takes one set. It is made by a process of its own before the first tensor of the problem is
// filled, and kept in the order's folder: where kernels are timed it lies there already, since the references
// were computed first.
#ifndef WORKER_CHECK_MADE_POOL_H
#define WORKER_CHECK_MADE_POOL_H

#include "worker/check/case_buffers.h"

// The pool of the buffers' problem, whose first set is of this seed, is there from now on; they are its users
// until case_buffers_fini. Does nothing where they are already, or where nothing is made. ERR_USAGE: `inputs`
// raises; ERR_DATA: what else is wrong with it.
int made_pool_open(struct case_buffers *buffers, uint64_t seed, struct err *err);

#endif
