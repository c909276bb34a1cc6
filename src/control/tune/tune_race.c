// SPDX-License-Identifier: Apache-2.0
//
// See tune_race.h.
#include "control/tune/tune_race.h"

#include <math.h>
#include <string.h>

#include "stats/student_t.h"

#define DF_LEAST 3.0
// Rounds that agree by chance, or on a simulated device, say nothing of less than this: 0.05 %.
#define SIGMA_LEAST 0.0005

void tune_heat_init(struct tune_heat *heat, size_t side_count, uint32_t number, uint32_t round_max,
                    const struct tune_noise *noise) {
    *heat = (struct tune_heat){.side_count = side_count,
                               .number = number,
                               .round_max = round_max < TUNE_ROUNDS_MAX ? round_max : TUNE_ROUNDS_MAX,
                               .noise = *noise};
}

void tune_heat_remove(struct tune_heat *heat, size_t side) {
    heat->is_dropped[side] = true;
}

static size_t alive_count(const struct tune_heat *heat) {
    size_t count = 0;
    for (size_t side = 1; side < heat->side_count; ++side) count += !heat->is_dropped[side];
    return count;
}

// Rounds that a side has from the first one on.
static uint32_t rounds_of(const struct tune_heat *heat, size_t side) {
    uint32_t count = 0;
    while (count < heat->round_count && isfinite(heat->x[side][count])) ++count;
    return count;
}

double tune_heat_estimate(const struct tune_heat *heat, size_t side, uint32_t *ret_round_count) {
    const uint32_t count = rounds_of(heat, side);
    double sum = 0;
    for (uint32_t r = 0; r < count; ++r) sum += heat->x[side][r];
    if (ret_round_count) *ret_round_count = count;
    return count ? sum / count : NAN;
}

// ---- noise ----

// Residuals of the sides that are in all rounds, the baseline with them: its x is 0, and the round's mean
// takes its own noise away.
static struct tune_noise residuals(const struct tune_heat *heat) {
    struct tune_noise ret = {0};
    double round_mean[TUNE_ROUNDS_MAX] = {0}, all = 0;
    size_t sides[TUNE_HEAT_SIDES], count = 0;
    const uint32_t rounds = heat->round_count;
    for (size_t side = 0; side < heat->side_count; ++side)
        if (!heat->is_dropped[side] && rounds_of(heat, side) == rounds) sides[count++] = side;
    if (count < 2 || rounds < 2) return ret;
    for (uint32_t r = 0; r < rounds; ++r) {
        for (size_t i = 0; i < count; ++i) round_mean[r] += heat->x[sides[i]][r] / (double)count;
        all += round_mean[r] / rounds;
    }
    for (size_t i = 0; i < count; ++i) {
        const double mean = tune_heat_estimate(heat, sides[i], NULL);
        for (uint32_t r = 0; r < rounds; ++r) {
            const double rest = heat->x[sides[i]][r] - mean - round_mean[r] + all;
            ret.squares += rest * rest;
        }
    }
    ret.df = (double)(count - 1) * (rounds - 1);
    return ret;
}

struct tune_noise tune_heat_noise(const struct tune_heat *heat) {
    const struct tune_noise own = residuals(heat);
    return (struct tune_noise){heat->noise.squares + own.squares, heat->noise.df + own.df};
}

// ---- comparisons ----

// Standard deviation of the difference of two sides in one round: the pooled one, or the pair's own where
// that is larger, as of a variant that is fast in its first process only.
static double pair_sd(const struct tune_heat *heat, size_t a, size_t b, double pooled) {
    const uint32_t rounds = heat->round_count;
    double mean = 0, squares = 0;
    for (uint32_t r = 0; r < rounds; ++r) mean += (heat->x[a][r] - heat->x[b][r]) / rounds;
    for (uint32_t r = 0; r < rounds; ++r) {
        const double rest = heat->x[a][r] - heat->x[b][r] - mean;
        squares += rest * rest;
    }
    const double own = rounds > 1 ? sqrt(squares / (rounds - 1)) : 0;
    return fmax(own, sqrt(2.0) * fmax(pooled, SIGMA_LEAST));
}

// Whether side b is shown to be faster than side a.
static bool is_beaten(const struct tune_heat *heat, size_t a, size_t b, const struct tune_noise *noise) {
    const double pi = 3.14159265358979323846;
    const double share = 6 / (pi * pi * heat->number * heat->number);
    const uint32_t looks = heat->round_max >= TUNE_FIRST_LOOK ? heat->round_max - TUNE_FIRST_LOOK + 1 : 1;
    const double others = heat->side_count > 2 ? (double)(heat->side_count - 1) : 1;
    const double level = TUNE_RACE_ALPHA * share / (looks * others);
    const double sd = pair_sd(heat, a, b, sqrt(noise->squares / noise->df));
    const double bound = -student_t_quantile(level, noise->df) * sd / sqrt(heat->round_count);
    return tune_heat_estimate(heat, a, NULL) - tune_heat_estimate(heat, b, NULL) > bound;
}

static size_t find_fastest(const struct tune_heat *heat) {
    size_t best = 0;
    for (size_t side = 1; side < heat->side_count; ++side)
        if (!heat->is_dropped[side] &&
            tune_heat_estimate(heat, side, NULL) < tune_heat_estimate(heat, best, NULL))
            best = side;
    return best;
}

size_t tune_heat_add(struct tune_heat *heat, const double *x) {
    const uint32_t round = heat->round_count++;
    heat->x[0][round] = 0;
    for (size_t side = 1; side < heat->side_count; ++side) {
        heat->is_dropped[side] |= !isfinite(x[side]);
        heat->x[side][round] = heat->is_dropped[side] ? NAN : x[side];
    }
    const struct tune_noise noise = tune_heat_noise(heat);
    if (heat->round_count < TUNE_FIRST_LOOK || noise.df < DF_LEAST) return alive_count(heat);
    const size_t best = find_fastest(heat);
    bool is_loser[TUNE_HEAT_SIDES] = {0};
    for (size_t side = 1; side < heat->side_count; ++side)
        is_loser[side] = side != best && !heat->is_dropped[side] && is_beaten(heat, side, best, &noise);
    for (size_t side = 1; side < heat->side_count; ++side) heat->is_dropped[side] |= is_loser[side];
    return alive_count(heat);
}

bool tune_heat_goes_on(const struct tune_heat *heat) {
    const size_t alive = alive_count(heat);
    if (alive == 0 || heat->round_count >= heat->round_max) return false;
    if (alive > 1 || heat->round_count < TUNE_FIRST_LOOK) return true;
    const struct tune_noise noise = tune_heat_noise(heat);
    const size_t best = find_fastest(heat);
    return noise.df < DF_LEAST || best == 0 || !is_beaten(heat, 0, best, &noise);
}
