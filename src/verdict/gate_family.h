// SPDX-License-Identifier: Apache-2.0
//
// The gates of several kernels as one decision: every measured problem of every kernel is a case of one
// family, so that p is adjusted over all of them and one table shows the worst first.
#ifndef VERDICT_GATE_FAMILY_H
#define VERDICT_GATE_FAMILY_H

#include "base/arena.h"
#include "base/err.h"
#include "record/decision.h"

// The gate of one kernel.
struct family_member {
    const char *kernel;
    const struct decision *decision; // NULL: nothing was decided
    int exit_code;
    const char *sentence; // where nothing was decided: why, of a compiler in several lines
    bool is_removed;      // the baseline alone has it
};

// Cases are named "KERNEL: PROBLEM", notes begin with the kernel. The exit code is the worst: 1, then 3, then
// 0. Everything lives in the arena. ERR_INTERNAL: no memory.
int gate_family_decide(const struct family_member *members, size_t count, struct arena *arena,
                       struct decision *ret, struct err *err);

#endif
