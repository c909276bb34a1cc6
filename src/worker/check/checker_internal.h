// SPDX-License-Identifier: Apache-2.0
//
// Private to the two implementations of struct checker_ops: the functions that their files share.
#ifndef WORKER_CHECK_CHECKER_INTERNAL_H
#define WORKER_CHECK_CHECKER_INTERNAL_H

#include "worker/check/case_buffers.h"
#include "worker/check/reference.h"

// reference_host.c
int reference_open_host(struct reference *ret, const struct case_buffers *buffers, const char *dir,
                        struct err *err);

// reference_device.c
// Whether the host computes what is right, of an operator whose inputs a device fills: a declared one.
static inline bool reference_is_of_host(const struct case_buffers *buffers) {
    return !buffers->problem.op->device->oracle;
}
int reference_open_device(struct reference *ret, const struct case_buffers *buffers, const char *dir,
                          struct err *err);
// As checker_ops.check_rows.
int reference_check_rows_device(struct case_buffers *buffers, const struct rows_wanted *wanted,
                                struct slice_failure *ret, struct err *err);

#endif
