// SPDX-License-Identifier: Apache-2.0
//
// NVIDIA GPUs: "cuda", "cuda:0", or by UUID as nvidia-smi prints it ("GPU-1a2b...", a prefix is enough when
// it is unique). The primary context is used, on a non-blocking stream of our own; cuda_device.h says which
// file does what.
#ifndef WORKER_BACKEND_CUDA_CUDA_H
#define WORKER_BACKEND_CUDA_CUDA_H

#include "worker/backend/backend.h"
#include "worker/backend/cuda/cuda_driver.h"

extern const struct backend backend_cuda;

#define CUDA_UUID_PREFIX     "GPU-" // how a UUID begins, and a device's name that is one
#define CUDA_UUID_TEXT_BYTES 48
void cuda_uuid_format(const cuda_uuid *uuid, char ret_text[CUDA_UUID_TEXT_BYTES]); // "GPU-1a2b3c4d-..."

// The ordinal that a device's name means. ERR_USAGE: no such form of a name, or several devices begin so.
// ERR_UNAVAILABLE: there is no such device; the sentence lists those that are.
int cuda_find_device(const struct cuda_driver *driver, const char *name, cuda_device_ordinal *ret,
                     int *ret_index, struct err *err);
int cuda_find(const char *device, struct device_info *ret, struct err *err);

// cuda_clock_lock.c
int cuda_hold_clock(const char *device, const struct clock_request *wanted, struct clock_hold **ret,
                    uint32_t *ret_mhz, struct err *err);
int cuda_release_clock(struct clock_hold *hold, struct err *err);

#endif
