// SPDX-License-Identifier: Apache-2.0
//
// Scratch memory on the device, shared by all sets of a case, and the elementary steps of checker_device.c,
// each a device kernel of device/device_kernel_args.h. Steps are enqueued; reading a result waits for it.
#ifndef WORKER_CHECK_DEVICE_SCRATCH_H
#define WORKER_CHECK_DEVICE_SCRATCH_H

#include "device/device_kernel_args.h"
#include "worker/backend/backend.h"
#include "worker/check/tensor_compare.h"

#define SCRATCH_WORDS 2048 // 64-bit results of one batch of steps
#define SCRATCH_PARTS 1024 // blocks of one comparison

struct device_scratch {
    struct device *device;
    uint32_t holder_count;
    void *table;     // the operator's table for its device kernels; NULL: it has none
    uint64_t *words; // [SCRATCH_WORDS], in device memory
    struct dev_compare_part *parts;
    void *area;
    size_t area_bytes;
};

int device_scratch_open(struct device *device, const struct op_device *op, struct device_scratch **ret,
                        struct err *err);
struct device_scratch *device_scratch_share(struct device_scratch *scratch); // NULL stays NULL
void device_scratch_close(struct device_scratch *scratch); // the last one frees; accepts NULL
// At least that many bytes; the contents of an earlier, smaller area are lost.
int device_scratch_area(struct device_scratch *scratch, size_t bytes, void **ret, struct err *err);
// The area, with room for each of these tensors, aligned.
int device_scratch_tensors(struct device_scratch *scratch, const struct assay_tensor *tensors, uint32_t count,
                           void **ret, struct err *err);

// ---- steps ----
// Fills `bytes` at data with the 8 bytes of `word`, repeated.
int device_step_pattern(struct device *device, void *data, size_t bytes, uint64_t word, struct err *err);
// Poisons a tensor without gaps.
int device_step_poison(struct device *device, const struct assay_tensor *tensor, enum poison poison,
                       struct err *err);
int device_step_run(struct device *device, const struct kernel_launch *launches, size_t count,
                    struct err *err);

// Words: cleared to a byte, filled by steps, read in one copy.
int device_scratch_clear(struct device_scratch *scratch, uint32_t count, unsigned char byte, struct err *err);
int device_scratch_read(struct device_scratch *scratch, uint32_t count, uint64_t *ret, struct err *err);
// Adds two sums to words[index] and [index + 1].
int device_scratch_hash(struct device_scratch *scratch, const void *data, size_t bytes, uint32_t index,
                        struct err *err);
// words[index], cleared to 0xff: number of the first byte that differs.
int device_scratch_find_difference(struct device_scratch *scratch, const void *a, const void *b, size_t bytes,
                                   uint32_t index, struct err *err);
// Compares a tensor in shape order with its reference. Waits. Elements without a reference (DEV_SKIP_BITS) do
// not count; ERR_INTERNAL when fewer than compared_min elements have one: a reference that was not computed
// would pass anything.
struct scratch_comparison {
    const char *problem; // for the message
    const struct assay_tensor *tensor;
    const double *reference; // in device memory
    double atol, rtol;
    enum poison poison;
    uint64_t compared_min;
};
int device_scratch_compare(struct device_scratch *scratch, const struct scratch_comparison *comparison,
                           struct dev_compare_part *ret, struct err *err);

// Writes and reads single elements anywhere on the device. places, values: in device memory.
int device_step_poke(struct device *device, const struct dev_place *places, uint32_t count, struct err *err);
int device_step_peek(struct device *device, const struct dev_place *places, uint64_t *values, uint32_t count,
                     struct err *err);
#endif
