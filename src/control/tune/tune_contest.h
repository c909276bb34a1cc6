// SPDX-License-Identifier: Apache-2.0
//
// Search and race together: which variants a heat has, and what its rounds say to the search. Whoever
// measures stands between tune_contest_begin() and tune_contest_end(); a contest that was killed goes on by
// being told its heats again.
#ifndef CONTROL_TUNE_TUNE_CONTEST_H
#define CONTROL_TUNE_TUNE_CONTEST_H

#include "control/tune/tune_race.h"
#include "control/tune/tune_search.h"

struct tune_contest {
    struct tune_search search;
    struct tune_noise noise;
    uint32_t heat_count, round_max;
};

struct tune_entry {
    struct tune_point point;
    size_t place; // among search.tried; SIZE_MAX: it is new, or the baseline
};

void tune_contest_init(struct tune_contest *contest, const struct tune_space *space,
                       enum tune_strategy strategy, uint64_t seed, uint32_t round_max);
void tune_contest_fini(struct tune_contest *contest); // accepts a zeroed one

// Fills sides 1 and on of a heat: the best so far, then at most `limit` new points (as many as fit). Side 0
// is the baseline. Returns the number of new ones; 0: the search has ended, and there is no heat.
size_t tune_contest_begin(struct tune_contest *contest, size_t limit, struct tune_entry *ret_entries,
                          struct tune_heat *ret_heat);
// How many new points a heat takes at most, and a heat of points that come from elsewhere.
size_t tune_contest_room(const struct tune_contest *contest);
void tune_contest_begin_with(struct tune_contest *contest, const struct tune_point *points, size_t count,
                             struct tune_entry *ret_entries, struct tune_heat *ret_heat);
// Tells the search; sets the places of new entries.
void tune_contest_end(struct tune_contest *contest, const struct tune_heat *heat, struct tune_entry *entries);

// Adds those that are the fastest on some problem, by TUNE_SPECIALIST_PCT or more than all that are in the
// list (and than the baseline), until there are `limit`. Returns how many there are then.
#define TUNE_SPECIALIST_PCT 3.0
size_t tune_contest_specialists(const struct tune_contest *contest, size_t problem_count, size_t *places,
                                size_t count, size_t limit);

// The fastest that were faster than the baseline in the race, at most limit; dropped ones come last. Returns
// how many.
size_t tune_contest_finalists(const struct tune_contest *contest, size_t *ret_places, size_t limit);

#endif
