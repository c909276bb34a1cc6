// SPDX-License-Identifier: Apache-2.0
//
// Whether the process that started this one still works. A parent that is stopped (Ctrl-Z, a debugger's
// victim, a batch system that freezes one process) reads no records and keeps no deadlines.
#ifndef BASE_PROCESS_PARENT_WATCH_H
#define BASE_PROCESS_PARENT_WATCH_H

#include <stdint.h>

#define PARENT_STOPPED_NS UINT64_C(5000000000) // a shorter stop is waited for

enum parent_state { PARENT_WORKS = 0, PARENT_STOPPED, PARENT_GONE };

void parent_watch_begin(void); // remembers the parent; before it nothing is looked at
// Looks once a second, however often it is called. PARENT_STOPPED: at every look of the last 5 s.
enum parent_state parent_watch_look(void);

#endif
