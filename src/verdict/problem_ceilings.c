// SPDX-License-Identifier: Apache-2.0
//
// See problem_ceilings.h.
#include "verdict/problem_ceilings.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"

// The highest of a list's ceilings of one limit, of that type where it matters (NULL: whatever type).
static const struct ceiling *highest(const struct environment *environment, enum ceiling_limit limit,
                                     const char *dtype) {
    const struct ceiling *ret = NULL;
    for (size_t i = 0; i < environment->ceiling_count; ++i) {
        const struct ceiling *ceiling = &environment->ceilings[i];
        const struct ceiling_kind *kind = ceiling_kind_find(ceiling->name);
        if (!kind || kind->limit != limit || (dtype && !str_equal(kind->dtype, dtype))) continue;
        if (!ret || ceiling->value > ret->value) ret = ceiling;
    }
    return ret;
}

// The type if a GPU's matrix unit computes it; NULL: any other.
static const char *matrix_dtype(const char *dtype) {
    for (size_t i = 0; dtype && ceiling_kind_at(i); ++i)
        if (str_equal(ceiling_kind_at(i)->dtype, dtype)) return dtype;
    return NULL;
}

static double value_at(const struct ceiling *ceiling, double clock_hz) {
    if (!ceiling) return NAN;
    const bool is_scaled =
        ceiling_kind_find(ceiling->name)->scales_with_clock && clock_hz > 0 && ceiling->clock_hz > 0;
    return is_scaled ? ceiling->value * clock_hz / ceiling->clock_hz : ceiling->value;
}

struct problem_ceilings problem_ceilings_get(const struct environment *environment, const char *dtype,
                                             double clock_hz) {
    struct problem_ceilings ret = {.gflop_per_s = environment->ceiling_gflop_per_s,
                                   .gb_per_s = environment->ceiling_gb_per_s};
    if (!environment->ceiling_count) return ret;
    const char *matrix = environment->is_accelerator ? matrix_dtype(dtype) : NULL;
    ret.arithmetic = highest(environment, matrix ? CEILING_OF_MATRIX : CEILING_OF_ARITHMETIC, matrix);
    ret.memory = highest(environment, CEILING_OF_MEMORY, NULL);
    ret.gflop_per_s = value_at(ret.arithmetic, clock_hz);
    ret.gb_per_s = value_at(ret.memory, clock_hz);
    return ret;
}

// ---- age ----

// The earlier of the two moments; NULL is no moment. Moments are texts that sort as they follow.
static const char *earlier(const char *a, const struct ceiling *ceiling) {
    const char *b = ceiling ? ceiling->measured_utc : NULL;
    return !b || (a && strcmp(a, b) <= 0) ? a : b;
}

const char *ceilings_age_text(const struct result *result, struct arena *arena) {
    const char *oldest = NULL;
    for (size_t i = 0; i < result->case_count; ++i) {
        const struct problem_ceilings at =
            problem_ceilings_get(&result->environment, result->cases[i].work.dtype, NAN);
        oldest = earlier(earlier(oldest, at.arithmetic), at.memory);
    }
    int64_t measured_s = 0, run_s = 0;
    if (!oldest || !result->created_utc) return NULL;
    if (!clock_utc_parse(oldest, &measured_s) || !clock_utc_parse(result->created_utc, &run_s)) return NULL;
    const int64_t days = (run_s - measured_s) / 86400, hours = (run_s - measured_s) / 3600;
    if (days >= 2) return arena_format(arena, "measured %lld days before the run", (long long)days);
    if (hours >= 2) return arena_format(arena, "measured %lld hours before the run", (long long)hours);
    return measured_s <= run_s ? "measured right before the run" : "measured after the run";
}
