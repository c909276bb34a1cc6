// SPDX-License-Identifier: Apache-2.0
//
// The device site's workbench: scratch memory on the device, shared by all sets of a case, and the elementary steps done there,
// each a helper of device/helper_args.h. Steps are enqueued; reading a result waits for it. What the steps are for is
// site_device.c's.
#ifndef CHECK_DEVICE_DESK_H
#define CHECK_DEVICE_DESK_H

#include "backend/backend.h"
#include "check/compare_figures.h"
#include "check/tensor_site.h"
#include "device/helper_args.h"
#define DESK_WORDS      2048 // 64-bit results of one batch of steps
#define DESK_PARTS      1024 // blocks of one comparison
#define DESK_AREA_COUNT 2

enum desk_area { DESK_AREA_WORK = 0, DESK_AREA_KEPT };

struct device_desk {
    struct device *device;
    uint32_t holder_count;
    void *table;     // the operator's, for its programs; NULL: it has none
    uint64_t *words; // [DESK_WORDS], the device's
    struct helper_compare_part *parts;
    struct desk_memory {
        void *data;
        size_t bytes;
    } areas[DESK_AREA_COUNT];
};

int device_desk_open(struct device *device, const struct op_device *op, struct device_desk **ret,
                     struct err *err);
struct device_desk *device_desk_share(struct device_desk *desk); // NULL stays NULL
void device_desk_close(struct device_desk *desk);                // the last one frees; accepts NULL
// At least so many bytes; what an earlier, smaller one held is lost.
int device_desk_area(struct device_desk *desk, enum desk_area area, size_t bytes, void **ret,
                     struct err *err);

// ---- steps ----
// All `bytes` at data: the 8 bytes of `word`, again and again.
int device_step_pattern(struct device *device, void *data, size_t bytes, uint64_t word, struct err *err);
int device_step_run(struct device *device, const struct device_program *programs, size_t count,
                    struct err *err);

// Words: cleared to a byte, filled by steps, read in one copy.
int device_desk_clear(struct device_desk *desk, uint32_t count, unsigned char byte, struct err *err);
int device_desk_read(struct device_desk *desk, uint32_t count, uint64_t *ret, struct err *err);
// Adds two sums to words[index] and [index + 1].
int device_desk_hash(struct device_desk *desk, const void *data, size_t bytes, uint32_t index,
                     struct err *err);
// words[index], cleared to 0xff: number of the first byte that differs.
int device_desk_find_difference(struct device_desk *desk, const void *a, const void *b, size_t bytes,
                                uint32_t index, struct err *err);
// A tensor in shape order against its reference. Waits. Elements that the reference passes over do not count.
struct desk_comparison {
    const struct assay_tensor *tensor;
    const double *reference; // the device's
    double atol, rtol;
    enum poison poison;
};
int device_desk_compare(struct device_desk *desk, const struct desk_comparison *comparison,
                        struct compare_figures *ret, struct err *err);

// Single elements anywhere on the device. places, values: the device's.
int device_step_poke(struct device *device, const struct helper_place *places, uint32_t count,
                     struct err *err);
int device_step_peek(struct device *device, const struct helper_place *places, uint64_t *values,
                     uint32_t count, struct err *err);
#endif
