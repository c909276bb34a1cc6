// SPDX-License-Identifier: Apache-2.0
//
// Which counters a profile asks for. More of them take more passes, each a launch of the kernel.
#ifndef PROFILE_PROFILE_SETS_H
#define PROFILE_PROFILE_SETS_H

#include <stddef.h>

enum profile_set {
    PROFILE_SET_INVALID = 0,
    PROFILE_SET_QUICK,    // one pass: clock, DRAM, tensor pipe, issue slots, warps, instructions, L1 hits
    PROFILE_SET_STANDARD, // what the bottleneck and the hypotheses need
    PROFILE_SET_FULL,     // all that Nsight Compute's window shows; other profilers: standard
    PROFILE_SET_COUNT
};
const char *profile_set_name(enum profile_set set);
enum profile_set profile_set_parse(const char *name);

// Names for a GPU, of CUPTI and Nsight Compute (which has no limit of the list for PROFILE_SET_FULL). A chip
// that lacks one leaves it out. They live as long as the program.
const char *const *profile_set_of_gpu(enum profile_set set, size_t *ret_count);
// Names for a processor, of perf.
const char *const *profile_set_of_cpu(enum profile_set set, size_t *ret_count);

#endif
