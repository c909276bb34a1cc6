// SPDX-License-Identifier: Apache-2.0
//
// What was taken from a host: how long the threads that the harness pins waited for a processor while they
// could have run, read from outside (schedstat), less the time of threads that the kernel has started itself:
// those may be what was waited for, and a kernel that disturbs itself loses no sample by it.
#ifndef WORKER_HOST_HOST_WAITS_H
#define WORKER_HOST_HOST_WAITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct host_wait {
    uint64_t run_ns, wait_ns;
};

struct host_waits {
    size_t count; // 0: not known
    pid_t pid;
    int *fds;                  // of the threads' schedstat files
    struct host_wait *begins;  // of each thread at host_waits_begin
    uint64_t begin_process_ns; // CPU time of the process then
};

// Of the `most` oldest threads of the process: its first one, and those that it started before it loaded any
// code of others. May be called again. host_waits_fini frees.
void host_waits_open(struct host_waits *waits, pid_t pid, size_t most);
void host_waits_begin(struct host_waits *waits);
// The longest wait of one thread since host_waits_begin that the kernel's own threads do not explain, ns; 0
// where none is known.
uint64_t host_waits_taken_ns(const struct host_waits *waits);
// How long its first thread has waited since host_waits_begin, whatever for, ns; 0 where it is not known.
uint64_t host_waits_first_ns(const struct host_waits *waits);
// How long the calling thread has waited for a processor so far, ns; 0 where it is not known.
uint64_t host_waits_own_ns(void);
// Begins anew. How long its first thread alone has waited since the last begin, less what all others of the
// process have run: time that may be taken off what the process is charged with.
uint64_t host_waits_next(struct host_waits *waits);
void host_waits_fini(struct host_waits *waits); // accepts a zeroed one

#endif
