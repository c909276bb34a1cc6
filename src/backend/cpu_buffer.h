// SPDX-License-Identifier: Apache-2.0
//
// Guarded host memory. [guard page | known bytes | data | known bytes | guard page]: data lies against the guard behind
// it as closely as its alignment lets it, so that reading or writing past the end faults at once or touches known bytes.
#ifndef BACKEND_CPU_BUFFER_H
#define BACKEND_CPU_BUFFER_H

#include "backend/backend.h"

int cpu_buffer_alloc(const struct buffer_spec *spec, struct buffer *ret, struct err *err);
void cpu_buffer_free(struct buffer *buffer); // accepts a zeroed one
bool cpu_buffer_is_violated(const struct buffer *buffer, int64_t *ret_distance);

// Async-signal-safe: looks at the buffers that exist. Freed ones are forgotten.
bool cpu_buffer_find_fault(const void *address, struct buffer_fault *ret);

#endif
