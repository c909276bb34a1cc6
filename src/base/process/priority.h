// SPDX-License-Identifier: Apache-2.0
//
// Scheduling priority of the processes that are timed: above the other programs of the machine, as far as the
// system lets us. Never a real-time class: a kernel that never returns would take the machine with it.
#ifndef BASE_PROCESS_PRIORITY_H
#define BASE_PROCESS_PRIORITY_H

#include <stdbool.h>
#include <sys/types.h>

// Lowers our nice value to -20, or to what RLIMIT_NICE allows; children inherit it. Returns the nice value
// that we have then.
int priority_raise(void);
// Whether priority_raise would change anything, as far as can be told without trying: for root, or with
// RLIMIT_NICE.
bool priority_can_raise(void);
// The same for the session that `leader` leads: where the system shares processors between sessions first
// (/proc/PID/autogroup), a nice value counts within a session only. Does nothing where there is no such
// file, where the system refuses, and for a process that leads no session.
void priority_raise_session(pid_t leader, int nice);

#endif
