// SPDX-License-Identifier: Apache-2.0
//
// A child that outlives us for as long as it takes to put something right. Other children die with us; this
// one is told of our end, however it comes (SIGKILL too), by its descriptor 3: nobody reads it any more. It
// is in a process group of its own, its standard error is ours, and it is killed only when it does not end by
// itself after having been told.
#ifndef BASE_PROCESS_CLOCK_HOLDER_H
#define BASE_PROCESS_CLOCK_HOLDER_H

#include "base/process/proc.h"

struct clock_holder;

// spec: argv, dir, env_add and stdin_text are used.
int clock_holder_open(const struct proc_spec *spec, struct clock_holder **ret, struct err *err);
// A line of descriptor 3, without its newline, into *ret_line. 1: there; 0: it has ended, was silent for too
// long, or the user interrupted.
int clock_holder_read_line(struct clock_holder *clock_holder, uint64_t limit_ns, struct strbuf *ret_line);
// Has it not ended?
bool clock_holder_is_there(const struct clock_holder *clock_holder);
// Tells it to end, waits until it has, and frees. *ret_status may be NULL. Accepts NULL.
void clock_holder_close(struct clock_holder *clock_holder, uint64_t limit_ns, struct proc_status *ret_status);

#endif
