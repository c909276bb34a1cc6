// SPDX-License-Identifier: Apache-2.0
//
// Runs of many problems for the tests of change points: a day apart, some problems with a step.
#ifndef MADE_SERIES_H
#define MADE_SERIES_H

#include "base/rng.h"
#include "made_store.h"

enum { SERIES_PROBLEMS = 24, SERIES_RUNS = 24 };

static inline const char *series_problem(int problem, char name[64]) {
    snprintf(name, 64, "attention/fp32/b1/h1/s%d/d64", 8 * (problem + 1));
    return name;
}

// Of run number `run`, with noise of 0.2 %. step: of problem number 3 from run 12 on and of problem 7 from
// run 18 on, 1.08 and 0.9 times as long.
static inline double series_median_ns(int run, int problem) {
    const double noise = rng_uniform(3, rng_stream("series"), (uint64_t)(run * 1000 + problem)) - 0.5;
    const double step = problem == 3 && run >= 12 ? 1.08 : problem == 7 && run >= 18 ? 0.9 : 1;
    return 1000 * (problem + 1) * step * (1 + 0.002 * noise);
}

static inline void series_add(struct result *result, int problem, double median_ns) {
    char name[64];
    struct case_summary *figures = &made_case_add(result, NULL, series_problem(problem, name))->summaries[0];
    members_forget(&case_summary_members, figures);
    figures->is_set = true;
    figures->median_ns = median_ns;
    figures->median_low_ns = 0.999 * median_ns;
    figures->median_high_ns = 1.001 * median_ns;
}

// Run `run` with these of the problems; by a commit only from run 6 on. factor: of all its times.
static inline void series_put(struct store *store, int run, int first, int end, double factor) {
    struct result result;
    struct err err = {0};
    made_init(&result);
    result.run_id = arena_format(&result.arena, "run-%02d", run);
    result.created_utc = arena_format(&result.arena, "2026-%02d-%02dT08:00:00Z", 1 + run / 28, 1 + run % 28);
    result.side_count = 1;
    result.sides[0] = result.sides[1];
    for (int i = first; i < end; ++i) series_add(&result, i, factor * series_median_ns(run, i));
    const struct store_origin origin = {.commit = run < 6 ? NULL : arena_format(&result.arena, "%07x", run),
                                        .branch = run < 18 ? "main" : "next"};
    if (store_put(store, &result, &origin, NULL, &err) < 0) made_stop(&err);
    result_fini(&result);
}

static inline void series_put_all(struct store *store) {
    for (int run = 0; run < SERIES_RUNS; ++run) series_put(store, run, 0, SERIES_PROBLEMS, 1);
}

#endif
