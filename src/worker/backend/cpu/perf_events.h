// SPDX-License-Identifier: Apache-2.0
//
// Events that a processor counts for the threads of this process, by perf_event_open(2) and under perf's
// names. Only what runs in user space is counted.
#ifndef WORKER_BACKEND_CPU_PERF_EVENTS_H
#define WORKER_BACKEND_CPU_PERF_EVENTS_H

#include <stdint.h>

#include "base/err.h"

struct perf_event; // "instructions": its number for the kernel

// NULL: no such name, or none on this make of processor.
const struct perf_event *perf_event_find(const char *name);

struct perf_count; // one event, counted on every thread that there is

// ERR_UNAVAILABLE, with what to do: the processor, the hypervisor or the system does not count it.
int perf_count_begin(const struct perf_event *event, struct perf_count **ret, struct err *err);
// Ends it. A thread that has ended keeps what it counted; threads that were started meanwhile count too.
int perf_count_end(struct perf_count *count, uint64_t *ret, struct err *err);

#endif
