// SPDX-License-Identifier: Apache-2.0
//
// State of the processor as far as the kernel exposes it: frequency, temperature, governor, turbo, and how
// much of the processors that we use went to others. What is not exposed stays absent.
#ifndef WORKER_BACKEND_CPU_CPU_STATE_H
#define WORKER_BACKEND_CPU_CPU_STATE_H

#include "worker/backend/backend.h"

void cpu_state_read(struct device_state *ret);

// Foreign time is what /proc/stat calls busy on these processors, less the time of this process and of its
// parent (which waits for us and does nothing else). /proc/stat counts in ticks of 10 ms: the uncertainty
// says so.
void cpu_state_window_begin(const int *processors, uint32_t count, struct state_window *window);
void cpu_state_window_end(const int *processors, uint32_t count, struct state_window *window);

// Time stolen by the hypervisor so far from all processors; 0 when it never took or does not tell.
uint64_t cpu_state_steal_ns(void);

#endif
