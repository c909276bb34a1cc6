// SPDX-License-Identifier: Apache-2.0
//
// Ranks candidates that were measured against the same kernel, so that noise wins nothing: one is ahead of
// another only if the interval of their ratio excludes 1, and a rank is 1 and how many are ahead. The
// interval's level allows for all pairs (Bonferroni), its spread is that of both (Welch).
#ifndef VERDICT_LEADERBOARD_H
#define VERDICT_LEADERBOARD_H

#include <stddef.h>
#include <stdint.h>

struct leader {
    double speedup, speedup_low, speedup_high; // 95 % over that many rounds, by Student's t
    int64_t round_count;                       // 2 or more
    const void *owner;                         // the caller's
    uint32_t rank;                             // set by leaderboard_rank; 0: figures that make no interval
};

// Sorts them, too: by rank, within one the fastest first, which says nothing.
void leaderboard_rank(struct leader *leaders, size_t count);

#endif
