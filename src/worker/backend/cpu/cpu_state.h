// SPDX-License-Identifier: Apache-2.0
//
// State of the processor as far as the kernel exposes it: frequency, temperature, governor, turbo, and how
// much of the processors that we use went to other processes; and its clock, measured. What is not exposed
// stays absent.
#ifndef WORKER_BACKEND_CPU_CPU_STATE_H
#define WORKER_BACKEND_CPU_CPU_STATE_H

#include <sys/types.h>

#include "worker/backend/backend.h"

void cpu_state_read(struct device_state *ret);

// The value after "key :" of the first such line of /proc/cpuinfo. False: no such line.
bool cpu_state_cpuinfo(const char *key, char *ret_text, size_t capacity);

// The time of other processes is the busy time of these processors in /proc/stat, less the time of this
// process and of its parent (which only waits for us). /proc/stat counts in ticks of 10 ms: uncertainty_ns
// is the error that this allows.
void cpu_state_window_begin(const int *processors, uint32_t count, struct state_window *window);
void cpu_state_window_end(const int *processors, uint32_t count, struct state_window *window);

// Time stolen by the hypervisor so far from all processors; 0 if unknown.
uint64_t cpu_state_steal_ns(void);

// The clock that this processor really runs at: a chain of dependent integer additions takes one cycle each
// on every processor that assay runs on, so the clock is cycles over time. Best of several short runs on the
// calling thread, about 60 us in all: an interruption only ever lowers a run.
double cpu_state_clock_probe_hz(void);

// Threads that this process has now; and the last number that was given to a process or thread in its PID
// namespace. 0: unknown.
uint64_t cpu_state_thread_count(void);
uint64_t cpu_state_last_thread(void);

// Processes whose CPU time is ours and not that of other programs, besides this process and its parent:
// hosts. Forget one before it is waited for, since from then on this process's children account for it.
void cpu_state_own_process(pid_t pid);
void cpu_state_forget_process(pid_t pid);

#endif
