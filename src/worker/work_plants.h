// SPDX-License-Identifier: Apache-2.0
//
// Did the timed launches write their outputs? Before every sample a few elements of every output are replaced by finite,
// plausible and wrong values, which a launch cannot tell from results of earlier data; after it they must be gone. Cheap
// enough for every sample, and the same work for every side.
#ifndef WORKER_WORK_PLANTS_H
#define WORKER_WORK_PLANTS_H

#include "check/case_buffers.h"
#include "record/check_result.h"

#include <stdbool.h>
#include <stdint.h>

#define PLANTS_A_OUTPUT 16
#define PLANTS_MAX      (PLANTS_A_OUTPUT * CHECK_TENSORS_MAX)

// Of one side on one set of buffers. Places are offsets: they hold when the buffers move.
struct plants {
    uint32_t count;
    struct plant {
        uint32_t tensor;
        uint64_t offset_bytes;
        unsigned char bytes[8];
    } items[PLANTS_MAX];
};

// buffers: outputs hold what this side rightly computes. The first and the last element and some drawn from the seed.
void plants_learn(struct plants *plants, const struct case_buffers *buffers, uint64_t seed);
int plants_set(const struct plants *plants, struct case_buffers *buffers, struct err *err);
// One that is still there; NULL: all are gone (after a download).
const struct plant *plants_find(const struct plants *plants, const struct case_buffers *buffers);

#endif
