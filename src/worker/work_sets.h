// SPDX-License-Identifier: Apache-2.0
//
// The buffers that the timed launches of a case rotate over: set 0 is the checked one, the others hold other inputs. For
// every side and set the right outputs are known as a hash, so that results can be checked after any timed launch.
#ifndef WORKER_WORK_SETS_H
#define WORKER_WORK_SETS_H

#include "worker/work_state.h"

#define WORK_SETS_MAX 8

struct work_sets {
    struct work *work;
    struct case_run *run;
    uint32_t count;
    struct case_buffers *others[WORK_SETS_MAX]; // [0] is NULL: run->buffers
    struct assay_tensors lists[WORK_SETS_MAX];
    char hashes[WORK_SIDES_MAX][WORK_SETS_MAX][HASH_HEX_BYTES];
};

// As many as the cache mode asks for. ERR_UNAVAILABLE when there is no memory for two.
int work_sets_init(struct work_sets *sets, struct work *work, struct case_run *run, struct err *err);
void work_sets_fini(struct work_sets *sets); // accepts a zeroed one
struct case_buffers *work_sets_at(const struct work_sets *sets, uint32_t index);

// New memory with the same inputs: a wrong kernel may have left anything in the old one. Hashes stay.
int work_sets_renew(struct work_sets *sets, struct err *err);

int work_sets_poison(struct work_sets *sets, struct err *err);

// Launches the side once on every set but 0 and checks rows of each against the oracle; keeps the hashes. 1: wrong, result
// says how; 0: right.
int work_sets_learn(struct work_sets *sets, uint32_t side, struct check_result *result, struct err *err);

// After timed launches of a side: are guards, inputs and the outputs of the first count sets as they must be?
// rotated: set 0 holds the rotated inputs. 1: wrong, result says how.
int work_sets_verify(struct work_sets *sets, uint32_t side, uint32_t count, bool rotated,
                     struct check_result *result, struct err *err);

#endif
