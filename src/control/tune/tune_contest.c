// SPDX-License-Identifier: Apache-2.0
//
// See tune_contest.h.
#include "control/tune/tune_contest.h"

#include <math.h>

void tune_contest_init(struct tune_contest *contest, const struct tune_space *space,
                       enum tune_strategy strategy, uint64_t seed, uint32_t round_max) {
    *contest = (struct tune_contest){.round_max = round_max};
    tune_search_init(&contest->search, space, strategy, seed);
    if (!space->is_start_exact) return;
    // The baseline is a point that was measured by definition.
    const struct tune_tried start = {.point = tune_space_start(space), .is_alive = true};
    contest->search.best = tune_search_add(&contest->search, &start);
}

void tune_contest_fini(struct tune_contest *contest) {
    tune_search_fini(&contest->search);
    *contest = (struct tune_contest){0};
}

// The baseline itself is in every heat already.
static bool has_champion(const struct tune_contest *contest) {
    const struct tune_search *search = &contest->search;
    return search->best < SIZE_MAX && search->tried[search->best].round_count > 0;
}

size_t tune_contest_room(const struct tune_contest *contest) {
    return TUNE_HEAT_SIDES - 1 - has_champion(contest);
}

void tune_contest_begin_with(struct tune_contest *contest, const struct tune_point *points, size_t count,
                             struct tune_entry *ret_entries, struct tune_heat *ret_heat) {
    const struct tune_search *search = &contest->search;
    size_t side_count = 1;
    ret_entries[0].place = SIZE_MAX;
    if (has_champion(contest)) {
        ret_entries[side_count++] =
            (struct tune_entry){.point = search->tried[search->best].point, .place = search->best};
    }
    for (size_t i = 0; i < count; ++i)
        ret_entries[side_count++] = (struct tune_entry){.point = points[i], .place = SIZE_MAX};
    tune_heat_init(ret_heat, side_count, ++contest->heat_count, contest->round_max, &contest->noise);
}

size_t tune_contest_begin(struct tune_contest *contest, size_t limit, struct tune_entry *ret_entries,
                          struct tune_heat *ret_heat) {
    struct tune_point points[TUNE_HEAT_SIDES];
    const size_t room = tune_contest_room(contest);
    const size_t count = tune_search_next(&contest->search, points, limit < room ? limit : room);
    if (count) tune_contest_begin_with(contest, points, count, ret_entries, ret_heat);
    return count;
}

// The mean over all rounds that a variant was in.
static void merge(struct tune_tried *tried, const struct tune_heat *heat, size_t side) {
    uint32_t count;
    const double mean = tune_heat_estimate(heat, side, &count);
    const uint32_t before = tried->round_count;
    tried->is_alive = !heat->is_dropped[side];
    if (!count) return;
    tried->log_ratio = ((before ? tried->log_ratio * before : 0) + mean * count) / (before + count);
    tried->round_count = before + count;
}

void tune_contest_end(struct tune_contest *contest, const struct tune_heat *heat,
                      struct tune_entry *entries) {
    for (size_t side = 1; side < heat->side_count; ++side) {
        struct tune_tried tried = {.point = entries[side].point, .log_ratio = NAN};
        if (entries[side].place == SIZE_MAX) {
            merge(&tried, heat, side);
            entries[side].place = tune_search_add(&contest->search, &tried);
        } else {
            merge(&contest->search.tried[entries[side].place], heat, side);
        }
    }
    contest->noise = tune_heat_noise(heat);
    tune_search_end_batch(&contest->search);
}

static bool is_candidate(const struct tune_tried *tried) {
    return tried->round_count && tried->log_ratio < 0;
}

// Who was dropped may be in the elite, too, behind those that were not: the final measures them afresh.
static bool is_before(const struct tune_tried *a, const struct tune_tried *b) {
    if (is_candidate(a) != is_candidate(b)) return is_candidate(a);
    return a->is_alive != b->is_alive ? a->is_alive : a->log_ratio < b->log_ratio;
}

size_t tune_contest_finalists(const struct tune_contest *contest, size_t *ret_places, size_t limit) {
    size_t count = tune_search_first(&contest->search, is_before, ret_places, limit);
    while (count && !is_candidate(&contest->search.tried[ret_places[count - 1]])) --count;
    return count;
}

// ln(variant / baseline) on a problem; 0 where it is not known, as the baseline's.
static double problem_ratio(const struct tune_tried *tried, size_t problem) {
    if (!tried->problem_sums || !tried->problem_round_count) return 0;
    const double sum = tried->problem_sums[problem];
    return isfinite(sum) ? sum / tried->problem_round_count : 0;
}

static size_t find_fastest_on(const struct tune_search *search, size_t problem) {
    size_t best = 0;
    for (size_t i = 1; i < search->tried_count; ++i)
        if (problem_ratio(&search->tried[i], problem) < problem_ratio(&search->tried[best], problem))
            best = i;
    return best;
}

size_t tune_contest_specialists(const struct tune_contest *contest, size_t problem_count, size_t *places,
                                size_t count, size_t limit) {
    const struct tune_search *search = &contest->search;
    for (size_t p = 0; search->tried_count && p < problem_count && count < limit; ++p) {
        const size_t fastest = find_fastest_on(search, p);
        double others = 0; // the baseline's
        for (size_t i = 0; i < count; ++i) others = fmin(others, problem_ratio(&search->tried[places[i]], p));
        if (problem_ratio(&search->tried[fastest], p) < others - log1p(TUNE_SPECIALIST_PCT / 100))
            places[count++] = fastest;
    }
    return count;
}
