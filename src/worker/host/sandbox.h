// SPDX-License-Identifier: Apache-2.0
//
// What a host may do. Trusted code calls sandbox_enter in the host itself, with one thread and before it
// loads a module; nothing takes it back. A system call that is refused fails with EPERM, one that glibc has
// another way for with ENOSYS, so an honest library that only probes goes on. Files are Landlock's part,
// calls are libseccomp's.
#ifndef WORKER_HOST_SANDBOX_H
#define WORKER_HOST_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct sandbox_policy {
    bool allows_programs;         // fork and exec until sandbox_tighten: Python and Triton run compilers
    bool allows_network;          // connections to others: a proposer of `assay tune` that asks for it
    bool allows_gpu;              // the CUDA driver: its devices, ioctl, Unix sockets within the process
    bool may_go_without;          // no error where seccomp is missing: the report says so
    const char *scratch_dir;      // may be written; NULL: none
    const char *const *read_dirs; // besides the system's, NULL-terminated, may be NULL; missing ones are fine
    const char *hidden_dir;       // of those what nobody reads: right results; NULL: nothing
    uint64_t memory_limit_bytes;  // private memory beyond what the process has now (RLIMIT_DATA); 0: none
    uint64_t file_limit_bytes;    // size of a file that it writes, memory files too; 0: none
    unsigned descriptor_limit;    // 0: 4096
};

// Which parts hold.
struct sandbox_report {
    int landlock_abi; // 0: none
    bool has_seccomp;
    bool has_no_capabilities; // and can never have any
    bool is_pid_namespace;    // of its own: it cannot name processes of others
    char loosened[1024];      // what was allowed or is missing here, "; " between; "" for nothing
};

// *ret_report is filled even when it fails.
int sandbox_enter(const struct sandbox_policy *policy, struct sandbox_report *ret_report, struct err *err);

// After the first launch: no fork, no program, nothing opened for writing (on a GPU: nothing created or
// truncated), no socket, no further filter, for all threads. Threads, memory, reading and ioctl stay. It is
// called in a process that has run the module's code, so it binds a module that turns hostile later, not
// one that was from the start: that one is bound by sandbox_enter. The judge can count:
// host_process_filters().
int sandbox_tighten(const struct sandbox_policy *policy, struct err *err);

// A callback of the kernel has failed, and errno (0 before it) says that a call was refused: adds a sentence
// that begins with SANDBOX_REFUSAL to its text. Another errno adds nothing.
#define SANDBOX_REFUSAL "a call that it made was refused ("
void sandbox_add_refusal(int error, char *text, size_t capacity);

// Whether this build has libseccomp, for `assay devices`.
bool sandbox_is_built(void);

#endif
