// SPDX-License-Identifier: Apache-2.0
//
// The two halves of a sandbox: files (sandbox_files.c, Landlock) and system calls (sandbox_calls.c, seccomp).
#ifndef WORKER_HOST_SANDBOX_INTERNAL_H
#define WORKER_HOST_SANDBOX_INTERNAL_H

#include "worker/host/sandbox.h"

// *ret_abi: the version of Landlock that now holds, 0 where the kernel has none.
int sandbox_files_enter(const struct sandbox_policy *policy, int *ret_abi, struct err *err);

// What decides which calls are refused.
struct sandbox_calls {
    bool allows_programs, allows_network, allows_gpu;
    bool is_pid_namespace; // a process number names nobody else
    bool has_landlock;     // files are taken care of
};

// The first filter, and the second. Returns 1 when it holds, 0 when this build or kernel has no seccomp.
int sandbox_calls_enter(const struct sandbox_calls *calls, struct err *err);
int sandbox_calls_tighten(const struct sandbox_calls *calls, struct err *err);

#endif
