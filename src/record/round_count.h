// SPDX-License-Identifier: Apache-2.0
//
// When a problem whose measurements keep being disturbed is given up: the executor stops measuring it, and
// the verdict says so, by the same count.
#ifndef RECORD_ROUND_COUNT_H
#define RECORD_ROUND_COUNT_H

#include <stdbool.h>
#include <stddef.h>

#define ROUNDS_REPEAT_MAX 3 // repetitions of a round that was not valid

// valid, invalid: measurements of the problem so far, over all rounds. repeat_max: plan's limit for one
// round. A machine that disturbs one measurement of two or more is given up; a single bad second is not.
static inline bool rounds_are_given_up(size_t valid, size_t invalid, size_t repeat_max) {
    return invalid > repeat_max + valid;
}

#endif
