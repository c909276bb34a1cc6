// SPDX-License-Identifier: Apache-2.0
//
// The processor as a device. Its parts (threads, memory, state, clock) have headers of their own; this one is
// what the table in backend.c needs.
#ifndef WORKER_BACKEND_CPU_CPU_H
#define WORKER_BACKEND_CPU_CPU_H

#include "worker/backend/backend.h"

extern const struct backend backend_cpu;

#endif
