// SPDX-License-Identifier: Apache-2.0
//
// Did the timed launches write their outputs? Before every sample a few elements of every output are replaced by finite,
// plausible and wrong values, which a launch cannot tell from results of earlier data; after it they must be gone. Cheap
// enough for every sample, and the same work for every side: where the processor does not see the outputs, one helper writes
// the plants of all sets, and one reads all places back.
#ifndef WORKER_WORK_PLANTS_H
#define WORKER_WORK_PLANTS_H

#include "check/case_buffers.h"
#include "record/check_result.h"

#include <stdbool.h>
#include <stdint.h>

#define WORK_SETS_MAX   64 // 2 x 60 MiB of L2 by sets of 2 MiB
#define PLANTS_A_OUTPUT 16
#define PLANTS_MAX      (PLANTS_A_OUTPUT * CHECK_TENSORS_MAX)

struct plant {
    uint32_t tensor;
    uint64_t offset_bytes;
    uint64_t bits; // of the wrong value, zero-extended
};

// Of one side on all sets of buffers; zeroed: nothing learnt. Places are offsets: they hold when the buffers move.
struct plants {
    uint32_t set_count, count_a_set;
    struct plant items[WORK_SETS_MAX][PLANTS_MAX];
    struct device *device; // NULL: the processor writes and reads
    void *lists;           // on the device: places, then what was read there; NULL: to be laid
    uint64_t read[WORK_SETS_MAX * PLANTS_MAX];
};

// sets: outputs hold what this side rightly computes. The first and the last element and some drawn from a seed of the set's
// inputs and the round.
int plants_learn(struct plants *plants, struct case_buffers *const *sets, uint32_t set_count, uint64_t round,
                 struct err *err);
// Of `count` sets from `first` on, in turn.
int plants_set(struct plants *plants, struct case_buffers *const *sets, uint32_t first, uint32_t count,
               struct err *err);
// One that is still there, in a set other than `skipped` (UINT32_MAX: in any); NULL: all are gone. Also NULL when a device
// cannot tell: it is lost, and the next launch says so.
const struct plant *plants_find(struct plants *plants, struct case_buffers *const *sets, uint32_t first,
                                uint32_t count, uint32_t skipped);
void plants_moved(struct plants *plants); // the buffers have other addresses now
void plants_fini(struct plants *plants);  // accepts a zeroed one

#endif
