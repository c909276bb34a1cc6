// SPDX-License-Identifier: Apache-2.0
//
// What runs on this machine: ticks of its processors, and the processes that use them (proc(5)).
#ifndef BASE_PROCESS_MACHINE_LOAD_H
#define BASE_PROCESS_MACHINE_LOAD_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define MACHINE_BUSIEST 3

// Since the system began, in ticks (machine_tick_ns).
struct machine_ticks {
    uint64_t busy, steal; // of processes and interrupts; taken by the hypervisor
};

struct machine_process {
    pid_t pid;
    char name[20];
    char command[80]; // its words between blanks, the program without its folder; cut; "": it has none
    double pct;       // of one processor
};

struct machine_load {
    uint32_t processor_count; // that were looked at
    double busy_pct;          // of them, taken by others; this process sleeps meanwhile
    double steal_pct;         // and by the hypervisor
    size_t process_count;
    struct machine_process processes[MACHINE_BUSIEST]; // the busiest first, from a tenth of a processor on
};

uint64_t machine_tick_ns(void);
// The sum over these processors, or over all when processors is NULL. False: not all of them are listed.
bool machine_ticks_read(const int *processors, uint32_t count, struct machine_ticks *ret);
bool machine_ticks_read_each(const int *processors, uint32_t count, struct machine_ticks *ret);
// CPU time of a process, of all its threads; 0 when there is none of that number.
uint64_t machine_process_ns(pid_t pid);

// Looks at these processors for that long. False: /proc does not say.
bool machine_load_look(const cpu_set_t *among, uint64_t duration_ns, struct machine_load *ret);

// The `count` of these processors on which least was done meanwhile, the lowest numbers first where that is
// less than a tenth. False: /proc does not say, or there are fewer.
bool machine_idlest(const cpu_set_t *among, uint32_t count, uint64_t duration_ns, cpu_set_t *ret);

#endif
