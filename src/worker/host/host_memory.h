// SPDX-License-Identifier: Apache-2.0
//
// Shared memory that a host holds: memory files, files in a tmpfs and shared mappings, which no resource
// limit of a process counts. They are looked for from outside, while the host stands; what the judge has
// open too is the judge's (tensors), and counts nothing.
#ifndef WORKER_HOST_HOST_MEMORY_H
#define WORKER_HOST_HOST_MEMORY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/strbuf.h"
#include "record/run_limits.h"

struct host_memory {
    uint64_t limit_bytes;    // of private and shared memory together; 0: none
    const char *scratch_dir; // it may write there; NULL: nowhere
    // Of all processes: growth while this host runs says when it is worth a look.
    uint64_t begin_bytes;
    int64_t grown_bytes; // since the last look
    uint64_t looked_ns;
};

// What a kernel's process may use: what was asked for, or half of the machine's memory.
uint64_t host_memory_limit(const struct run_limits *limits);

// What the system says of all processes together; a microsecond.
uint64_t host_memory_of_all(void);

// The host is continued, and stopped again. After the latter: whether a look is due.
void host_memory_begin(struct host_memory *memory);
bool host_memory_end(struct host_memory *memory);

// The look: what one process of a host holds, besides private memory. Files that several processes have
// count in each. 0 where this user may not look.
uint64_t host_memory_shared_bytes(pid_t pid);
// Of the host, its descendants (pids) and its scratch folder: whether it holds more than its limit, with the
// sentence that says so.
bool host_memory_is_beyond(struct host_memory *memory, const pid_t *pids, size_t count,
                           struct strbuf *ret_text);

#endif
