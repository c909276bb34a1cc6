// SPDX-License-Identifier: Apache-2.0
//
// Tells the launches of a sample, which follow each other at once, from a launch after a pause.
#ifndef BURSTS_H
#define BURSTS_H

#include "hostile.h"

#define BURST_GAP_NS 1500

// Problems so small that the limits of a comparison of two times (10 us and more) hide what is kept.
static inline int burst_is_worth_it(const struct broken *b) {
    return b->batch * b->heads * b->seq_q * b->seq_k < 1000;
}

static uint64_t burst_last_ns; // end of the launch before

static inline int burst_begins(void) {
    return hostile_quick_ns() - burst_last_ns > BURST_GAP_NS;
}

static inline void burst_goes_on(void) {
    burst_last_ns = hostile_quick_ns();
}

#endif
