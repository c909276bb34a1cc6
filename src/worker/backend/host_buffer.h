// SPDX-License-Identifier: Apache-2.0
//
// Guarded host memory, for devices whose kernels see the host's own bytes. [guard page | known bytes |
// data | known bytes | guard page]: data ends as close to the guard behind it as its alignment allows, so
// that reading or writing past the end faults at once or touches known bytes.
#ifndef WORKER_BACKEND_HOST_BUFFER_H
#define WORKER_BACKEND_HOST_BUFFER_H

#include "worker/backend/backend.h"

// Pages of a larger one come as they are used: a tensor of 10 GB may stay empty here.
#define HOST_BUFFER_POPULATED_MAX ((size_t)64 << 20)

// Entries of a struct backend; they ignore the device.
int host_buffer_alloc(struct device *device, const struct buffer_spec *spec, struct buffer *ret,
                      struct err *err);
void host_buffer_free(struct device *device, struct buffer *buffer);
int host_buffer_import(struct device *device, const char *label, const struct buffer_window *window, int fd,
                       struct buffer *ret, struct err *err);
// Upload and download: nothing to move.
int host_buffer_move(struct device *device, struct buffer *buffer, struct err *err);
bool host_buffer_is_violated(struct device *device, const struct buffer *buffer, int64_t *ret_distance);
// Async-signal-safe. Searches the buffers that are not freed.
bool host_buffer_find_fault(const void *address, struct buffer_fault *ret);

#endif
