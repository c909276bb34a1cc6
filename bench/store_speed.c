// SPDX-License-Identifier: Apache-2.0
//
// Is the store quick with a million results? Fills one with RUNS (100) commits' runs of PROBLEMS problems on
// two sides, then times the list of runs, one problem's history, the overview, and a document. bench/store.sh
// and bench/serve_load.sh run it. usage: store_speed FILE [RUNS]
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "store/store.h"

enum { RUNS = 100, RUNS_MAX = 300, PROBLEMS = 5000, SIDES = 2 }; // a run a day, of 28-day months

static void stop_on(int code, const struct err *err) {
    if (code >= 0) return;
    fprintf(stderr, "store_speed: %s\n", err->text);
    exit(1);
}

static struct result made(int run) {
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
    result.side_count = SIDES;
    for (int k = 0; k < SIDES; ++k)
        result.sides[k] = (struct result_side){.role = k ? SIDE_CANDIDATE : SIDE_BASELINE,
                                               .label = k ? "new" : "old",
                                               .kernel = "kernel",
                                               .build = build_report_unknown()};
    result.case_count = PROBLEMS;
    result.cases = arena_array(&result.arena, PROBLEMS, sizeof *result.cases);
    for (int i = 0; i < PROBLEMS; ++i) {
        struct result_case *item = &result.cases[i];
        snprintf(text, sizeof text, "attention/fp32/b1/h1/s%d/d64", i + 1);
        stop_on(problem_parse(text, &item->problem, &err), &err);
        item->index = (uint32_t)i;
        item->distribution = OP_DISTRIBUTION_DEFAULT;
        item->memory_layout = MEMORY_LAYOUT_DENSE;
        for (int k = 0; k < SIDES; ++k) {
            members_forget(&case_summary_members, &item->summaries[k]);
            item->summaries[k].is_set = true;
            item->summaries[k].median_ns = 1000 + i + run;
        }
    }
    return result;
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
    const int run_count = argc == 3 ? atoi(argv[2]) : RUNS;
    if (argc < 2 || argc > 3 || run_count < 1 || run_count > RUNS_MAX) return 64;
    stop_on(store_open(argv[1], true, &store, &err), &err);
    for (int run = 0; run < run_count; ++run) {
        struct result result = made(run);
        const char *commit = arena_format(&result.arena, "%07x", run);
        const struct store_origin origin = {.commit = commit, .branch = "main"};
        const uint64_t begin_ns = clock_ns();
        stop_on(store_put(store, &result, &origin, NULL, &err), &err);
        put_ns += clock_ns() - begin_ns;
        result_fini(&result);
    }
    printf("written: %.0f results a second\n", (double)run_count * PROBLEMS * SIDES * 1e9 / (double)put_ns);
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
    strbuf_fini(&text);
    arena_fini(&arena);
    store_close(store);
    return 0;
}
