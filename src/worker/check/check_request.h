// SPDX-License-Identifier: Apache-2.0
//
// What a check of one kernel on one case is given, and what a step of it answers.
#ifndef WORKER_CHECK_CHECK_REQUEST_H
#define WORKER_CHECK_CHECK_REQUEST_H

#include "record/check_result.h"
#include "worker/check/case_buffers.h"
#include "worker/check/kernel_instance.h"
#include "worker/check/reference.h"

// Hash of right outputs (without gaps): a timed launch on the same inputs has to give the same.
struct case_hashes {
    char outputs[HASH_HEX_BYTES];
};

// Result of a step of a check. A negative result is an error of assay's own.
enum check_step {
    CHECK_STEP_FAILED = 0, // the finding is in the check's result
    CHECK_STEP_PASSED = 1,
};

struct check_request {
    struct case_buffers *buffers; // filled
    const struct reference *reference;
    struct kernel_instance *instance;
    uint64_t row_seed;          // draws the rows that are compared for other inputs
    uint64_t drawn_seed;        // of inputs that nobody has seen, for the 2 x rule; 0: none
    uint32_t repeat_count;      // launches whose outputs must agree bit by bit; 2 at least
    struct case_hashes *hashes; // filled when the kernel is right; may be NULL
    // Set when the kernel was found wrong by a reference that has been overwritten; may be NULL.
    bool *is_reference_changed;
    // Called between launches: a slow kernel is running, not hung. May be NULL.
    void (*on_progress)(void *arg);
    void *arg;
};

#endif
