// SPDX-License-Identifier: Apache-2.0
//
// The buffers that the timed launches of a case rotate over: set 0 is the checked one, the others hold other
// inputs. For every side and set the right outputs are known as a hash, so that results can be checked after
// any timed launch. Functions that check results return SAMPLE_RIGHT or SAMPLE_WRONG, or a negative error of
// ours.
#ifndef WORKER_ORDER_WORK_SETS_H
#define WORKER_ORDER_WORK_SETS_H

#include "worker/check/same_precision.h"
#include "worker/measure/sampler.h"
#include "worker/order/own_inputs.h"
#include "worker/order/work_canaries.h"
#include "worker/order/work_internal.h"

struct work_sets {
    struct work *work;
    struct case_run *run;
    uint32_t count;
    struct case_buffers **items; // [WORK_SETS_MAX]; [0] is run->buffers
    struct assay_tensors *lists; // [WORK_SETS_MAX]
    uint64_t *seeds;             // [WORK_SETS_MAX], of their own inputs
    struct own_inputs own;
    // [WORK_SETS_MAX]. Holds unseen inputs: its expected hash is unknown, so rows are checked against the
    // oracle.
    bool *is_fresh;
    char (*hashes)[WORK_SIDES_MAX][HASH_HEX_BYTES]; // [WORK_SETS_MAX]
    uint32_t learnt[WORK_SIDES_MAX];                // sets whose hashes of that side are known
    struct canaries canaries[WORK_SIDES_MAX];
    // Errors of the rows that were compared with the oracle, of every second time each: a limit that both are
    // beyond is not exceeded by chance. On the host; a device judges its audits (work_round.c).
    struct precision_tally (*tallies)[2]; // [WORK_SIDES_MAX]
    uint64_t tally_count;
};

// As many sets as the cache mode asks for. ERR_UNAVAILABLE when there is no memory for two.
int work_sets_init(struct work_sets *sets, struct work *work, struct case_run *run, struct err *err);
void work_sets_fini(struct work_sets *sets); // accepts a zeroed one

// What all sets may take beyond those: a part of the device's memory, or of limits.memory_gb, which limits
// the worker's and not a GPU's.
uint64_t work_sets_memory_bytes(const struct work *work);
// As many sets as that, or as memory and descriptors allow; those that are new are learnt by nobody yet.
int work_sets_grow(struct work_sets *sets, uint32_t count, struct err *err);

// Allocates new memory with the same inputs, because a wrong kernel may have damaged the old one. Hashes
// stay valid.
int work_sets_renew(struct work_sets *sets, struct err *err);

// Lets every side's process map the sets. Call before batches on them, and after they were renewed.
int work_sets_show(struct work_sets *sets, struct err *err);
int work_sets_show_side(struct work_sets *sets, uint32_t side, struct err *err); // one side's

// Poisons the outputs of every side.
int work_sets_poison(struct work_sets *sets, struct err *err);

// Launches the side once on every set, `launches` of them in a batch, and checks set 0 against its hash, rows
// of the others against the oracle; keeps the hashes and the values that canaries replace. SAMPLE_WRONG:
// result says how.
int work_sets_learn(struct work_sets *sets, uint32_t side, uint32_t launches, struct check_result *result,
                    struct err *err);

// Around a sample of `launches` from set `first` on: writes canaries; SAMPLE_WRONG when the launch has not
// overwritten them, and result says where.
int work_sets_set_canaries(struct work_sets *sets, uint32_t side, uint32_t first, uint32_t launches,
                           struct err *err);
// Where hosts can write inputs, those of a drawn set must not have changed either.
int work_sets_find_canary(struct work_sets *sets, uint32_t side, struct check_result *result,
                          struct err *err);

// Changes the sign of all elements of the outputs that the side sees, in sets whose inputs are not fresh: a
// launch does not find its earlier results there.
int work_sets_spoil(struct work_sets *sets, uint32_t side, uint32_t first, uint32_t count, struct err *err);

// In-out tensors hold again what a launch shall find in them. Before every sample, whose launches have a
// set each.
int work_sets_restore_in_out(struct work_sets *sets, uint32_t side, uint32_t first, uint32_t count,
                             struct err *err);

// Refills the inputs of set k at the same addresses: from a seed; from its own seed.
int work_sets_refill(struct work_sets *sets, uint32_t k, uint64_t seed, struct err *err);
int work_sets_refill_own(struct work_sets *sets, uint32_t k, struct err *err);
// As work_sets_refill, and leaves caches as refilling with its own inputs would.
int work_sets_refill_alike(struct work_sets *sets, uint32_t k, uint64_t seed, struct err *err);
// Gives every set with fresh inputs its own again.
int work_sets_restore(struct work_sets *sets, struct err *err);

// After timed launches of a side: guards, inputs and the outputs of `count` sets from `first` on, modulo
// the number of sets, must be right. Rows of a set with fresh inputs are checked against the oracle.
// SAMPLE_WRONG: result says how.
struct set_range {
    uint32_t side, first, count;
};
int work_sets_verify(struct work_sets *sets, const struct set_range *range, struct check_result *result,
                     struct err *err);
// Of a declared operator, after the samples: what a launch on fresh inputs has left in the set, compared with
// the reference, which runs now. SAMPLE_WRONG: result says how.
int work_sets_check_kept(struct work_sets *sets, uint32_t side, uint32_t index, struct check_result *result,
                         struct err *err);
// The 2 x rule on all rows of the side that were compared with the oracle. SAMPLE_WRONG: result says how.
int work_sets_judge_precision(struct work_sets *sets, uint32_t side, struct check_result *result);

#endif
