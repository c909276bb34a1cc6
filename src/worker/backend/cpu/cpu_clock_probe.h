// SPDX-License-Identifier: Apache-2.0
//
// The clock that the processor really runs at, measured rather than asked: a chain of dependent integer
// additions takes one cycle each on every processor that assay runs on, so cycles over nanoseconds is the
// frequency.
#ifndef WORKER_BACKEND_CPU_CPU_CLOCK_PROBE_H
#define WORKER_BACKEND_CPU_CPU_CLOCK_PROBE_H

// Best of several short runs on the calling thread, about 60 us in all: an interruption only ever lowers a
// run.
double cpu_clock_probe_read_hz(void);

#endif
