// SPDX-License-Identifier: Apache-2.0
//
// Canaries: before every sample a few elements of every output are replaced by finite, plausible and wrong
// values, which a launch cannot tell from results of earlier data; after it they must be gone, or the launch
// has not written its outputs. Cheap enough for every sample, and the same work for every side: where the
// processor does not see the outputs, one device kernel writes the canaries of all sets, and one reads all
// places back.
#ifndef WORKER_ORDER_WORK_CANARIES_H
#define WORKER_ORDER_WORK_CANARIES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/dice.h"
#include "device/device_kernel_args.h"
#include "record/check_result.h"
#include "worker/check/case_buffers.h"

#define WORK_SETS_MAX     512 // launches of a sample on a processor: each has a set of its own
#define CANARIES_A_OUTPUT 16  // in a set before a sample
#define CANARIES_KNOWN    256 // places of an output, from which every sample draws
// Where inputs are fresh nobody knows the right value yet, and a right one may happen to equal the canary: so
// many places of a set must be left.
#define CANARIES_FRESH_LEFT 4

struct canary {
    uint32_t tensor;
    uint64_t offset_bytes;
    uint64_t bits;   // of the wrong value, zero-extended
    bool is_unused;  // a launch may leave it: nothing there is used,
    bool is_counted; // or something else on other inputs
};

// Canaries of one side on all sets of buffers; zeroed: nothing learnt. Places are offsets: they stay valid
// when the buffers move.
struct canaries {
    uint32_t set_count, output_count;
    bool is_drawn;        // results are drawn: the right values are known of no set
    struct dice dice;     // of the places of every sample
    struct canary *known; // [set][output][CANARIES_KNOWN]
    // The canaries in the sets now, or those drawn last: of sets [first, first + count), modulo set_count, by
    // output.
    uint32_t first, count;
    struct canary *drawn;
    struct device *device;    // NULL: the processor writes and reads
    struct dev_place *places; // on the host, as laid on the device
    void *lists;              // on the device: places, then what was read there; NULL: none yet
    uint64_t *read;
    bool is_read; // `read` holds the places of the last canaries
};

// sets: outputs hold what this side rightly computes. Learns the values of drawn places, the first and the
// last element among them; the dice also draw which of them get a canary before each sample.
int canaries_learn(struct canaries *canaries, struct case_buffers *const *sets, uint32_t set_count,
                   const struct dice *dice, struct err *err);
// The sets of a sample: `count` from `first` on, modulo set_count. is_fresh: [set_count], whose right values
// are not known.
struct canary_range {
    uint32_t first, count;
    const bool *is_fresh;
};
// Draws places in these sets and writes canaries there.
int canaries_set(struct canaries *canaries, struct case_buffers *const *sets,
                 const struct canary_range *range, struct err *err);
// Reads the places of the last canaries now, for canaries_find. Where that fails, canaries_find does it.
void canaries_read(struct canaries *canaries);
// Reads the places of the last canaries, unless canaries_read has. *ret: a canary that was not overwritten
// (of a fresh set: one of CANARIES_FRESH_LEFT; on a device fresh sets are left out); NULL: all were
// overwritten. *ret_is_list_changed: assay's own list on the device has been overwritten, so *ret says
// nothing.
int canaries_find(struct canaries *canaries, const bool *is_fresh, const struct canary **ret,
                  bool *ret_is_list_changed, struct err *err);
void canaries_fini(struct canaries *canaries); // accepts a zeroed one

#endif
