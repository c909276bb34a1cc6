// SPDX-License-Identifier: Apache-2.0
//
// Shared by proc.c (waiting, reading), proc_spawn.c (starting), proc_reap.c (ending), proc_watcher.c
// (descendants, when we are killed) and clock_holder.c (children that are not killed with us). Nobody else
// includes it.
#ifndef BASE_PROCESS_PROC_INTERNAL_H
#define BASE_PROCESS_PROC_INTERNAL_H

#include "base/process/proc.h"

#define PROC_MARK_BYTES 64
#define PROC_REAP_LIMIT_NS                                                                                   \
    UINT64_C(10000000000) // a process in an uninterruptible wait must not hang us for ever

// A process that kills every process with a child's mark if we end without having stopped it. pid 0: none.
struct proc_watcher {
    pid_t pid;
    int line_fd;
};

// A started child. Descriptors are ours, close-on-exec and non-blocking; -1: none.
struct proc_child {
    pid_t pid;                   // also the number of its process group
    int pid_fd;                  // readable when the child has ended; -1 on kernels without pidfd_open
    int out_fd;                  // its stdout, and its stderr too unless split
    int err_fd;                  // its stderr when split
    int record_fd;               // its descriptor 3
    pid_t helper_pid;            // that a fork server has given the child, not of its group; 0: none
    char mark[PROC_MARK_BYTES];  // NAME=VALUE in its environment and in that of all its descendants
    struct proc_watcher watcher; // for proc_spec.starts_others
};

// How the child's descriptors are connected.
struct proc_wiring {
    bool is_split;    // stderr in a pipe of its own
    bool has_records; // with a pipe at descriptor 3
    bool outlives_us; // not killed when we die; shares our stderr
};

// Starts spec->argv; on failure nothing is left behind.
int proc_spawn(const struct proc_spec *spec, const struct proc_wiring *wiring, struct proc_child *ret_child,
               struct err *err);

// Returns 0, or -1 with errno.
int proc_watcher_start(const char *mark, struct proc_watcher *ret);
void proc_watcher_stop(struct proc_watcher *watcher);

// Kills the group of a child that has not been reaped yet.
void proc_group_kill(const struct proc_child *child);

// Whether the child has ended; then its status is filled. It stays a zombie, so that its number stays taken
// and the group can still be killed safely.
bool proc_child_has_ended(const struct proc_child *child, struct proc_status *ret_status);

// Resident memory of all processes of the child's group together.
uint64_t proc_group_memory_bytes(const struct proc_child *child);

// Kills and reaps the child, the rest of its group, and descendants that left the group.
void proc_reap_all(const struct proc_child *child);

#endif
