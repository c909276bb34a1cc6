// SPDX-License-Identifier: Apache-2.0
//
// Which points of a space are tried, in which order: exhaustive, random or evolutionary. What comes next is
// a pure function of the seed and of what was tried so far, so that a search that was killed goes on by
// being told its variants again.
#ifndef CONTROL_TUNE_TUNE_SEARCH_H
#define CONTROL_TUNE_TUNE_SEARCH_H

#include "control/tune/tune_space.h"

enum tune_strategy {
    TUNE_STRATEGY_NONE = 0,
    TUNE_EXHAUSTIVE,   // in the order of the values
    TUNE_RANDOM,       // drawn without repetition
    TUNE_EVOLUTIONARY, // neighbours of the best, mutations and crossovers of the best four, some drawn
    TUNE_STRATEGY_COUNT
};
extern const char *const tune_strategy_names[TUNE_STRATEGY_COUNT];

struct tune_tried {
    struct tune_point point;
    double log_ratio; // ln(variant / baseline), the mean over its rounds; NAN: never timed
    uint32_t round_count;
    bool is_alive; // right, and not dropped
    // Of each problem, the sum of ln(variant / baseline) over those rounds, NAN: it does not take the problem;
    // NULL: not kept. The caller's. One that does not take all problems has these figures alone: its mean is
    // over other problems than everybody else's.
    double *problem_sums;
    uint32_t problem_round_count;
};

struct tune_search {
    const struct tune_space *space;
    enum tune_strategy strategy;
    uint64_t seed;
    size_t tried_count, tried_capacity;
    struct tune_tried *tried; // owned
    uint32_t batch_count;     // asked for so far
    uint32_t idle_count;      // batches in a row that brought no new best
    size_t best;              // place of the fastest that is alive; SIZE_MAX: none yet
    uint64_t next_number;     // exhaustive
};

#define TUNE_BATCHES_WITHOUT_GAIN 3 // then an evolutionary search ends

void tune_search_init(struct tune_search *search, const struct tune_space *space, enum tune_strategy strategy,
                      uint64_t seed);
void tune_search_fini(struct tune_search *search); // accepts a zeroed one

// The next points, at most limit; none breaks a rule or was tried. 0: the search has ended.
size_t tune_search_next(struct tune_search *search, struct tune_point *ret, size_t limit);
// Adds what was tried; returns its place. A later batch begins with tune_search_end_batch().
size_t tune_search_add(struct tune_search *search, const struct tune_tried *tried);
void tune_search_end_batch(struct tune_search *search);
bool tune_search_has(const struct tune_search *search, const struct tune_point *point);
// The places of the first `limit` of those that were timed, by this order. Returns how many.
typedef bool (*tune_order)(const struct tune_tried *a,
                           const struct tune_tried *b); // whether a comes before b
size_t tune_search_first(const struct tune_search *search, tune_order is_before, size_t *ret_places,
                         size_t limit);

#endif
