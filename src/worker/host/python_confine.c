// SPDX-License-Identifier: Apache-2.0
//
// See python_confine.h.
#include "worker/host/python_confine.h"

#include <stdio.h>

#include "worker/host/sandbox.h"

int assay_python_confine(const char *scratch_dir, const char *const *read_dirs, uint64_t memory_limit_bytes,
                         char *text, size_t capacity) {
    const struct sandbox_policy policy = {.allows_programs = true, // compilers, as of kernels in Python
                                          .allows_gpu = !memory_limit_bytes, // whose driver reserves more
                                          .may_go_without = true,
                                          .scratch_dir = scratch_dir,
                                          .read_dirs = read_dirs,
                                          .memory_limit_bytes = memory_limit_bytes};
    struct sandbox_report report;
    struct err err = {0};
    const int code = sandbox_enter(&policy, &report, &err);
    if (code < 0) snprintf(text, capacity, "%s", err.text);
    return code;
}
