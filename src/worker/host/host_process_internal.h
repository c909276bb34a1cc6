// SPDX-License-Identifier: Apache-2.0
//
// Shared by host_process.c (stop, end), host_start.c (clone, exec) and host_tree.c (descendants).
#ifndef WORKER_HOST_HOST_PROCESS_INTERNAL_H
#define WORKER_HOST_HOST_PROCESS_INTERNAL_H

#include <time.h>

#include "worker/host/host_process.h"

struct host_process {
    struct host_process *next; // all hosts that are not ended: everything else that is our child is an orphan
    pid_t pid;
    int pid_fd;
    clockid_t cpu_clock;
    uint64_t start_ns;
    bool has_cpu_clock, has_pid_namespace, never_forks, is_stopped;
};

// Fills pid and has_pid_namespace.
int host_start(const struct host_process_spec *spec, struct host_process *host, struct err *err);

// Processes as /proc shows them now.
struct host_tree_node {
    pid_t pid, parent;
    size_t thread_count;
    bool is_dead; // a zombie without living threads
};

struct host_tree {
    struct host_tree_node *nodes; // owned
    size_t count, capacity;
};

// All descendants of root (zombies too), without itself.
void host_tree_below(pid_t root, struct host_tree *ret);
// Our children that are none of the hosts (a list by next) nor the fork server, and what is below them.
void host_tree_orphans(const struct host_process *hosts, struct host_tree *ret);
// The least number of seccomp filters of any thread of a process; -1 unknown.
int host_tree_filters(pid_t pid);
void host_tree_fini(struct host_tree *tree);
// Stops its threads. Returns whether none could run in user mode any more when it was called.
bool host_tree_stop(pid_t pid);

#endif
