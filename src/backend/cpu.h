// SPDX-License-Identifier: Apache-2.0
//
// The processor as a device. Its parts (threads, memory, state, clock) have headers of their own; this one is what the
// table in backend.c needs.
#ifndef BACKEND_CPU_H
#define BACKEND_CPU_H

#include "backend/backend.h"

extern const struct backend backend_cpu;

#endif
