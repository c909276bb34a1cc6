// SPDX-License-Identifier: Apache-2.0
//
// The clock holder: a child that outlives us until it has released the clocks that it locked. Other
// children die with us; this one notices our end, SIGKILL included, because the pipe at its descriptor 3
// loses its reader. It has its own process group and shares our standard error. It is killed only if it
// does not end after being told to.
#ifndef BASE_PROCESS_CLOCK_HOLDER_H
#define BASE_PROCESS_CLOCK_HOLDER_H

#include "base/process/proc.h"

struct clock_holder;

// spec: argv, dir, env_add and stdin_text are used.
int clock_holder_open(const struct proc_spec *spec, struct clock_holder **ret, struct err *err);
// Reads a line from the child's descriptor 3 into *ret_line, without its newline. Returns 1, or 0 when the
// child has ended, was silent for limit_ns, or the user interrupted.
int clock_holder_read_line(struct clock_holder *clock_holder, uint64_t limit_ns, struct strbuf *ret_line);
// Whether the child is still running.
bool clock_holder_is_there(const struct clock_holder *clock_holder);
// Tells it to end, waits until it has, and frees. *ret_status may be NULL. Accepts NULL.
void clock_holder_close(struct clock_holder *clock_holder, uint64_t limit_ns, struct proc_status *ret_status);

#endif
