// SPDX-License-Identifier: Apache-2.0
//
// The reference of a declared operator: a kernel (op/declared/declared.h) that runs in a process of its own.
// The process is started when results are asked for and has ended when they are there, so that none lives
// while a kernel is timed, and no kernel's process ever sees what it computes.
#ifndef WORKER_CHECK_DECLARED_REFERENCE_H
#define WORKER_CHECK_DECLARED_REFERENCE_H

#include "worker/check/case_buffers.h"

enum reference_precision {
    REFERENCE_DOUBLE = 0, // as it is written
    REFERENCE_SINGLE,     // fp32 in place of fp64; results rounded to the types of the outputs
};

// Whether the results of the problem come from there; single: and its single precision exists.
bool declared_reference_has(const struct problem *problem, enum reference_precision precision);

// On the inputs as the host sees them, and on what in-out tensors hold before a launch. outputs[k]: dense in
// shape order. ERR_DATA: it does not load, crashes, hangs, takes no such problem, writes where it must not or
// leaves results unwritten; the sentence names operator and source.
int declared_reference_run(const struct case_buffers *buffers, enum reference_precision precision,
                           double *const *outputs, struct err *err);

// Adds what makes one reference another than the next (its source, as built) to a hash.
void declared_reference_add_hash(const struct problem *problem, struct hash_state *hash);

#endif
