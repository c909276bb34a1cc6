// SPDX-License-Identifier: Apache-2.0
//
// Is the store quick with a million results? Fills one with RUNS (100) commits' runs of PROBLEMS (5000)
// problems on SIDES (2) sides, then times the list of runs, one problem's history, the overview, a document
// and the change points: the first side of every hundredth problem has one, a step of 8 %. bench/store.sh,
// bench/serve_load.sh and bench/first_page.sh run it.
// usage: store_speed FILE [RUNS [PROBLEMS [SIDES]]]
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/rng.h"
#include "store/store_changes.h"

enum {
    RUNS_MAX = 300,
    PROBLEMS_MAX = 100000,
    SIDES_MAX = 2,
    STEP_EVERY = 100
}; // a run a day, of 28-day months

struct size {
    int runs, problems, sides;
};

static void stop_on(int code, const struct err *err) {
    if (code >= 0) return;
    fprintf(stderr, "store_speed: %s\n", err->text);
    exit(1);
}

// Noise of 0.3 %; the first side of every hundredth problem has a step, each at another run.
static double median_ns(const struct size *size, int run, int problem, int side) {
    const uint64_t place =
        ((uint64_t)run * (uint64_t)size->problems + (uint64_t)problem) * SIDES_MAX + (uint64_t)side;
    const int step = size->runs / 2 + problem / STEP_EVERY % (size->runs / 2 + 1);
    const bool has_step = side == 0 && problem % STEP_EVERY == 0 && run >= step;
    return (1000 + problem) * (has_step ? 1.08 : 1) * (1 + 0.003 * rng_normal(1, rng_stream("store"), place));
}

static struct result made(const struct size *size, int run) {
    struct result result;
    struct err err = {0};
    result_init(&result);
    char text[64];
    snprintf(text, sizeof text, "run-%d", run);
    result.run_id = arena_strdup(&result.arena, text);
    snprintf(text, sizeof text, "2026-%02d-%02dT00:00:00Z", 1 + run / 28, 1 + run % 28);
    result.created_utc = arena_strdup(&result.arena, text);
    result.suite = "large";
    result.environment.device_uuid = "cpu-1";
    result.side_count = (size_t)size->sides;
    for (int k = 0; k < size->sides; ++k)
        result.sides[k] = (struct result_side){.role = k ? SIDE_CANDIDATE : SIDE_BASELINE,
                                               .label = k ? "new" : "old",
                                               .kernel = "kernel",
                                               .build = build_report_unknown()};
    result.case_count = (size_t)size->problems;
    result.cases = arena_array(&result.arena, result.case_count, sizeof *result.cases);
    for (int i = 0; i < size->problems; ++i) {
        struct result_case *item = &result.cases[i];
        snprintf(text, sizeof text, "attention/fp32/b1/h1/s%d/d64", i + 1);
        stop_on(problem_parse(&operators_compiled, text, &item->problem, &err), &err);
        item->index = (uint32_t)i;
        item->distribution = OP_DISTRIBUTION_DEFAULT;
        item->memory_layout = MEMORY_LAYOUT_DENSE;
        for (int k = 0; k < size->sides; ++k) {
            members_forget(&case_summary_members, &item->summaries[k]);
            item->summaries[k].is_set = true;
            item->summaries[k].median_ns = median_ns(size, run, i, k);
            item->summaries[k].median_low_ns = 0.997 * item->summaries[k].median_ns;
            item->summaries[k].median_high_ns = 1.003 * item->summaries[k].median_ns;
        }
    }
    return result;
}

static bool read_size(int argc, char **argv, struct size *ret) {
    *ret = (struct size){.runs = argc > 2 ? atoi(argv[2]) : 100,
                         .problems = argc > 3 ? atoi(argv[3]) : 5000,
                         .sides = argc > 4 ? atoi(argv[4]) : 2};
    return argc >= 2 && argc <= 5 && ret->runs >= 1 && ret->runs <= RUNS_MAX && ret->problems >= 1 &&
           ret->problems <= PROBLEMS_MAX && ret->sides >= 1 && ret->sides <= SIDES_MAX;
}

static void put(struct store *store, const struct size *size, int run, uint64_t *put_ns) {
    struct result result = made(size, run);
    struct err err = {0};
    const char *commit = arena_format(&result.arena, "%07x", run);
    const struct store_origin origin = {.commit = commit, .branch = "main"};
    const uint64_t begin_ns = clock_ns();
    stop_on(store_put(store, &result, &origin, NULL, &err), &err);
    *put_ns += clock_ns() - begin_ns;
    result_fini(&result);
}

// All of them, again where nothing is new, and where one problem has a new result.
static void time_changes(struct store *store, const struct size *size) {
    struct store_changes *all = NULL, *same = NULL, *next = NULL;
    struct err err = {0};
    const struct size one = {.runs = size->runs, .problems = 1, .sides = 1};
    uint64_t put_ns = 0;
    uint64_t begin_ns = clock_ns();
    stop_on(store_changes_find(store, NULL, &all, &err), &err);
    printf("change points, %zu: %.1f ms", all->count, (double)(clock_ns() - begin_ns) / 1e6);
    begin_ns = clock_ns();
    stop_on(store_changes_find(store, all, &same, &err), &err);
    printf("; nothing new: %.1f ms", (double)(clock_ns() - begin_ns) / 1e6);
    put(store, &one, size->runs, &put_ns);
    begin_ns = clock_ns();
    stop_on(store_changes_find(store, all, &next, &err), &err);
    printf("; a run of one problem: %.1f ms\n", (double)(clock_ns() - begin_ns) / 1e6);
    store_changes_free(all);
    store_changes_free(same);
    store_changes_free(next);
}

int main(int argc, char **argv) {
    struct store *store = NULL;
    struct err err = {0};
    struct arena arena = {0};
    struct stored_run *runs;
    struct stored_result *results;
    struct strbuf text = {0};
    size_t count;
    uint64_t put_ns = 0;
    struct size size;
    if (!read_size(argc, argv, &size)) return 64;
    stop_on(store_open(argv[1], true, &store, &err), &err);
    for (int run = 0; run < size.runs; ++run) put(store, &size, run, &put_ns);
    printf("written: %.0f results a second\n",
           (double)size.runs * size.problems * size.sides * 1e9 / (double)put_ns);
    uint64_t begin_ns = clock_ns();
    stop_on(store_list_runs(store, &(struct store_filter){0}, &arena, &runs, &count, &err), &err);
    printf("list of %zu runs: %.1f ms\n", count, (double)(clock_ns() - begin_ns) / 1e6);
    begin_ns = clock_ns();
    const struct store_filter one = {.problem = "attention/fp32/b1/h1/s777/d64"};
    stop_on(store_list_results(store, &one, &arena, &results, &count, &err), &err);
    printf("history of a problem, %zu results: %.1f ms\n", count, (double)(clock_ns() - begin_ns) / 1e6);
    begin_ns = clock_ns();
    stop_on(store_list_problems(store, &(struct store_filter){0}, &arena, &results, &count, &err), &err);
    printf("overview, the newest of %zu problems and sides: %.1f ms\n", count,
           (double)(clock_ns() - begin_ns) / 1e6);
    begin_ns = clock_ns();
    stop_on(store_document(store, "run-0", &text, &err), &err);
    printf("a document of %.1f MB: %.1f ms\n", (double)text.length / 1e6,
           (double)(clock_ns() - begin_ns) / 1e6);
    time_changes(store, &size);
    strbuf_fini(&text);
    arena_fini(&arena);
    store_close(store);
    return 0;
}
