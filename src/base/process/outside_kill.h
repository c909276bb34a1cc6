// SPDX-License-Identifier: Apache-2.0
//
// Ends that prove nothing of the program that ended: signals that the out-of-memory killer, a batch system
// or a person sends.
#ifndef BASE_PROCESS_OUTSIDE_KILL_H
#define BASE_PROCESS_OUTSIDE_KILL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/process/proc.h"
#include "base/strbuf.h"

// Whether a process that we did not end may have got such a signal from outside: SIGKILL, SIGTERM, SIGXCPU.
bool outside_kill_is_likely(const struct proc_status *status);

// How often the out-of-memory killer has struck since the machine was started; 0 where it is not known.
uint64_t outside_kill_count_oom(void);

// After the sentence of such an end: "; out of memory? the system's out-of-memory killer has struck once
// meanwhile". before: the count when the process was started. Nothing for other signals than SIGKILL, or
// where the killer has not struck.
void outside_kill_add_oom(const struct proc_status *status, uint64_t before, struct strbuf *out);

#endif
