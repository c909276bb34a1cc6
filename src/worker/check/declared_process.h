// SPDX-License-Identifier: Apache-2.0
//
// The process of a declared operator's reference: an order of one side whose operator is the declared one
// with the reference's types, and its host. To start one takes longer than to compute a small problem: where
// the order of the kernels times nothing and they have processes of their own, one of each precision waits,
// stopped, for the next case; in Python before the samples of a round, too, and in checks always.
#ifndef WORKER_CHECK_DECLARED_PROCESS_H
#define WORKER_CHECK_DECLARED_PROCESS_H

#include "base/arena.h"
#include "worker/check/case_buffers.h"
#include "worker/host/host_client.h"

enum reference_precision {
    REFERENCE_DOUBLE = 0, // in fp64
    // In C fp32 in place of fp64; in Python the types that are declared and written. Results are rounded to
    // the types of the outputs.
    REFERENCE_SINGLE,
    REFERENCE_PLAIN,  // as REFERENCE_SINGLE, of the file's function `plain`
    REFERENCE_ACCEPT, // of the file's function `accept`: whether results are right (declared_accepter)
    REFERENCE_INPUTS, // no results: the tensors that the file's function `inputs` makes (declared_maker)
};

struct declared_process {
    struct declared_process *next;
    bool is_kept, is_taken;
    struct arena arena;
    const struct declared *declared; // as the kernels' order has it
    enum reference_precision precision;
    bool has_fills;          // its problems have the tensor of declared_fills.h behind their inputs
    struct work_order order; // what its host gets: all problems that it may be asked
    struct device *device, *own_device;
    struct host *host;
    // What the last one to use a kept process has prepared there, for the next (declared_reference.c); NULL:
    // nothing.
    struct declared_reference_run *resting;
    void (*end_resting)(struct declared_reference_run *run);
};

// One for this problem, or a kept one. *ret_item: the case of its order. Errors as declared_reference_open's,
// but they do not name the reference.
int declared_process_take(const struct case_buffers *buffers, const struct problem *problem,
                          enum reference_precision precision, struct declared_process **ret,
                          const struct work_case **ret_item, struct err *err);
// Ends it unless it is kept. How it ends counts where nothing failed before, code being 0. Accepts NULL.
int declared_process_leave(struct declared_process *process, int code, struct err *err);
// From now on they are kept in an order that times, too.
void declared_process_keep(void);
// Ends those that are kept; in such an order none is from now on.
int declared_process_end_all(int code, struct err *err);
int declared_process_end_built(int code, struct err *err); // of them those in C, which are started quickly
// Names the reference in an error. Returns the code, which is ERR_DATA for what its author has to do.
int declared_process_blame(const struct declared *declared, enum reference_precision precision,
                           const struct err *why, struct err *err);

#endif
