// SPDX-License-Identifier: Apache-2.0
//
// The store: runs go in and come out, once; stores that are none of ours, damaged or newer. In a file; with
// ASSAY_TEST_POSTGRES, the address of a server that tests/postgres.sh started, the same tests run there.
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "assay_config.h"
#include "made_store.h"

#if ASSAY_HAS_STORE

#include "store/store_schema.h"

static void what_goes_in_comes_out(void **state) {
    (void)state;
    struct store *store = made_opened(true);
    struct arena arena = {0};
    struct stored_result *results;
    struct strbuf text = {0};
    size_t count;
    struct err err = {0};
    assert_true(made_put(store, "r2", "2026-02-01T00:00:00Z", 200));
    assert_true(made_put(store, "r1", "2026-01-01T00:00:00Z", 100));
    assert_false(made_put(store, "r1", "2026-01-01T00:00:00Z", 100));
    const struct store_filter all = {.problem = MADE_PROBLEM};
    assert_int_equal(store_list_results(store, &all, &arena, &results, &count, &err), 0);
    assert_int_equal(count, 2);
    assert_string_equal(results[0].run.run_id, "r1"); // the oldest first
    assert_string_equal(results[0].run.commit, "a1b2c3d");
    assert_string_equal(results[0].run.parent, "0a1b2c3");
    assert_string_equal(results[0].run.branch, "main");
    assert_true(results[0].run.seed == UINT64_MAX); // SQL's numbers have a sign
    assert_string_equal(results[0].side, "simd");
    assert_string_equal(results[0].role, "candidate");
    assert_int_equal(results[0].round_count, 0);
    assert_true(results[1].median_ns == 200 && results[1].low_ns == 199 && results[1].high_ns == 201);
    assert_true(isnan(results[1].change_pct));
    assert_int_equal(store_document(store, "r2", &text, &err), 0);
    assert_non_null(strstr(text.text, "\"run_id\": \"r2\""));
    assert_int_equal(store_document(store, "r3", &text, &err), -ERR_NO_INPUT);
    strbuf_fini(&text);
    arena_fini(&arena);
    store_close(store);
}

static void a_run_takes_the_place_of_its_earlier_form(void **state) {
    (void)state;
    struct store *store = made_opened(true);
    const struct store_filter any = {0};
    made_put(store, "r1", "2026-01-01T00:00:00Z", 100);
    assert_true(made_put(store, "r1", "2026-01-01T00:00:00Z", 150));
    assert_int_equal(made_count_runs(store, &any), 1);
    store_close(store);
}

static void filters_and_prune(void **state) {
    (void)state;
    struct store *store = made_opened(true);
    char id[16];
    for (int i = 1; i <= 9; ++i) {
        char day[32];
        snprintf(id, sizeof id, "r%d", i);
        snprintf(day, sizeof day, "2026-01-0%dT00:00:00Z", i);
        made_put(store, id, day, 100);
    }
    assert_int_equal(made_count_runs(store, &(struct store_filter){.since_utc = "2026-01-07"}), 3);
    assert_int_equal(made_count_runs(store, &(struct store_filter){.limit = 4}), 4);
    assert_int_equal(made_count_runs(store, &(struct store_filter){.suite = "gpu"}), 0);
    assert_int_equal(made_count_runs(store, &(struct store_filter){.device = "Made Processor"}), 9);
    assert_int_equal(made_count_runs(store, &(struct store_filter){.commit = "a1b2c3d", .run_id = "r3"}), 1);
    size_t count = 0;
    assert_int_equal(store_prune(store, &(struct store_filter){0}, "2026-01-05", true, &count, NULL), 0);
    assert_int_equal(count, 4);
    assert_int_equal(made_count_runs(store, &(struct store_filter){0}), 9);
    assert_int_equal(store_prune(store, &(struct store_filter){0}, "2026-01-05", false, &count, NULL), 0);
    assert_int_equal(count, 4);
    assert_int_equal(made_count_runs(store, &(struct store_filter){0}), 5);
    store_close(store);
}

// What a filter leaves out stays, whatever its age.
static void prune_takes_what_fits(void **state) {
    (void)state;
    struct store *store = made_opened(true);
    struct err err = {0};
    size_t count = 9;
    const struct store_filter others[] = {
        {.suite = "gpu"}, {.commit = "b2c3d4e"},      {.branch = "other"},        {.device = "H100"},
        {.run_id = "r3"}, {.metric = "instructions"}, {.since_utc = "2026-02-01"}};
    made_put(store, "r1", "2026-01-01T00:00:00Z", 100);
    made_put(store, "r2", "2026-01-02T00:00:00Z", 100);
    for (size_t i = 0; i < sizeof others / sizeof *others; ++i)
        for (int is_dry = 1; is_dry >= 0; --is_dry) {
            assert_int_equal(store_prune(store, &others[i], "2027", is_dry, &count, &err), 0);
            assert_int_equal(count, 0);
        }
    const struct store_filter all = {.suite = "cpu",
                                     .commit = "a1b2c3d",
                                     .branch = "main",
                                     .device = "cpu-0001",
                                     .since_utc = "2026-01-02"};
    assert_int_equal(made_count_runs(store, &(struct store_filter){0}), 2);
    assert_int_equal(store_prune(store, &all, "2027", false, &count, &err), 0);
    assert_int_equal(count, 1);
    assert_int_equal(made_count_runs(store, &(struct store_filter){.run_id = "r1"}), 1);
    store_close(store);
}

// A run that counted says so; it is no time, and a filter tells them apart.
static void the_metric_is_kept(void **state) {
    (void)state;
    struct store *store = made_opened(true);
    struct arena arena = {0};
    struct stored_result *results;
    size_t count;
    struct err err = {0};
    made_put(store, "r1", "2026-01-01T00:00:00Z", 100);
    struct result counted = made_run("r2", "2026-01-02T00:00:00Z", 62662);
    counted.environment.metric = "instructions";
    if (store_put(store, &counted, NULL, NULL, &err) < 0) made_stop(&err);
    assert_int_equal(store_list_results(store, &(struct store_filter){0}, &arena, &results, &count, &err), 0);
    assert_int_equal(count, 2);
    assert_string_equal(results[0].run.metric, "time");
    assert_string_equal(results[1].run.metric, "instructions");
    const struct store_filter times = {.metric = "time"}, of_problem = {.problem = MADE_PROBLEM,
                                                                        .side = "simd",
                                                                        .metric = "instructions"};
    assert_int_equal(made_count_runs(store, &times), 1);
    assert_int_equal(store_list_series(store, &of_problem, &arena, &results, &count, &err), 0);
    assert_int_equal(count, 1);
    assert_string_equal(results[0].run.run_id, "r2");
    assert_int_equal(store_list_problems(store, &times, &arena, &results, &count, &err), 0);
    assert_int_equal(count, 1);
    assert_string_equal(results[0].run.run_id, "r1");
    arena_fini(&arena);
    result_fini(&counted);
    store_close(store);
}

// A store of before has no metrics: the same document, imported again, brings it.
static void an_import_brings_the_metric(void **state) {
    (void)state;
    struct store *store = made_opened(true);
    struct err err = {0};
    bool is_new = false;
    struct result counted = made_run("r1", "2026-01-01T00:00:00Z", 62662);
    counted.environment.metric = "instructions";
    if (store_put(store, &counted, NULL, NULL, &err) < 0) made_stop(&err);
    store_close(store);
    made_run_sql("UPDATE runs SET metric = 'time'", 0);
    store = made_opened(false);
    for (int i = 0; i < 2; ++i) {
        assert_int_equal(store_put(store, &counted, NULL, &is_new, &err), 0);
        assert_int_equal(is_new, i == 0);
        assert_int_equal(made_count_runs(store, &(struct store_filter){.metric = "instructions"}), 1);
    }
    result_fini(&counted);
    store_close(store);
}

// The newest by the time of the run, whatever was written last.
static void an_overview_has_the_newest_of_each(void **state) {
    (void)state;
    struct store *store = made_opened(true);
    struct arena arena = {0};
    struct stored_result *results;
    size_t count;
    struct err err = {0};
    const struct store_filter any = {0}, other = {.branch = "other"}, no_problem = {.problem = "none"},
                              problem = {.problem = MADE_PROBLEM};
    made_put(store, "r2", "2026-02-01T00:00:00Z", 200);
    made_put(store, "r1", "2026-01-01T00:00:00Z", 100);
    assert_int_equal(store_list_problems(store, &any, &arena, &results, &count, &err), 0);
    assert_int_equal(count, 1);
    assert_string_equal(results[0].run.run_id, "r2");
    assert_true(results[0].median_ns == 200);
    assert_int_equal(store_list_problems(store, &other, &arena, &results, &count, &err), 0);
    assert_int_equal(count, 0);
    assert_int_equal(store_list_problems(store, &no_problem, &arena, &results, &count, &err), 0);
    assert_int_equal(count, 0);
    assert_int_equal(store_list_problems(store, &problem, &arena, &results, &count, &err), 0);
    assert_int_equal(count, 1);
    assert_int_equal(made_count_runs(store, &other), 0);
    assert_int_equal(made_count_runs(store, &(struct store_filter){.branch = "main"}), 2);
    arena_fini(&arena);
    store_close(store);
}

static size_t count_baselines(struct store *store, const char *branch, const char *run_id) {
    struct arena arena = {0};
    struct stored_baseline *baselines;
    size_t count;
    struct err err = {0};
    const struct store_place place = {.branch = branch};
    if (store_list_baselines(store, &place, &arena, &baselines, &count, &err) < 0) fail_msg("%s", err.text);
    for (size_t i = 0; i < count; ++i) {
        assert_string_equal(baselines[i].run.run_id, run_id);
        assert_string_equal(baselines[i].place.device_uuid, "cpu-0001");
        assert_string_equal(baselines[i].place.suite, "cpu");
    }
    arena_fini(&arena);
    return count;
}

static void a_baseline_moves_and_is_kept(void **state) {
    (void)state;
    struct store *store = made_opened(true);
    struct err err = {0};
    size_t pruned = 0;
    made_put(store, "r1", "2026-01-01T00:00:00Z", 100);
    made_put(store, "r2", "2026-01-02T00:00:00Z", 100);
    assert_int_equal(store_set_baseline(store, "r3", NULL, &err), -ERR_NO_INPUT);
    assert_int_equal(store_set_baseline(store, "r1", NULL, &err), 0);
    assert_int_equal(count_baselines(store, "main", "r1"), 1);
    assert_int_equal(store_set_baseline(store, "r2", NULL, &err), 0); // moves: there is one of a place
    assert_int_equal(count_baselines(store, "main", "r2"), 1);
    assert_int_equal(store_set_baseline(store, "r2", "release", &err), 0);
    assert_int_equal(count_baselines(store, NULL, "r2"), 2);
    assert_true(made_put(store, "r2", "2026-01-02T00:00:00Z", 90)); // its later form takes its place
    assert_int_equal(count_baselines(store, NULL, "r2"), 2);
    assert_int_equal(store_prune(store, &(struct store_filter){0}, "2027", true, &pruned, &err), 0);
    assert_int_equal(pruned, 1);
    assert_int_equal(store_prune(store, &(struct store_filter){0}, "2027", false, &pruned, &err), 0);
    assert_int_equal(pruned, 1);
    assert_int_equal(count_baselines(store, NULL, "r2"), 2);
    store_close(store);
}

static void refused(const char *words, int code) {
    struct store *store = NULL;
    struct err err = {0};
    assert_int_equal(store_open(made_address, false, &store, &err), code);
    if (!strstr(err.text, words)) fail_msg("'%s' does not say '%s'", err.text, words);
}

static void an_older_store_migrates(void **state) {
    (void)state;
    struct err err = {0};
    struct arena arena = {0};
    struct stored_result *results;
    size_t count;
    made_run_sql(store_migrations[0], 1);
    made_run_sql(
        "INSERT INTO runs(id, run_id, created_utc, commit_id, content_hash, problem_count, document_bytes,"
        " document) VALUES(7, 'old', '2025-01-01T00:00:00Z', 'c0ffee0', 'h', 1, 0, CAST('' AS BLOB));"
        "INSERT INTO results(run, problem, side, median_ns) VALUES(7, 'p', 'mine', 5)",
        0);
    struct store *store = made_opened(false);
    assert_int_equal(store_list_problems(store, &(struct store_filter){0}, &arena, &results, &count, &err),
                     0);
    assert_int_equal(count, 1);
    assert_string_equal(results[0].run.commit, "c0ffee0");
    assert_null(results[0].run.branch);
    assert_string_equal(results[0].run.metric, "time");
    assert_true(results[0].median_ns == 5);
    made_put(store, "new", "2026-01-01T00:00:00Z", 100);
    assert_int_equal(made_count_runs(store, &(struct store_filter){0}), 2);
    arena_fini(&arena);
    store_close(store);
    store_close(made_opened(false)); // and only once
}

// A limit on the size of files is to SQLite what a disk without room is: a write that fails.
static void a_full_disk_loses_only_the_write(void **state) {
    (void)state;
    struct store *store = made_opened(true);
    struct rlimit before, small;
    struct err err = {0};
    made_put(store, "r1", "2026-01-01T00:00:00Z", 100);
    struct result result = made_run("r2", "2026-01-02T00:00:00Z", 100);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = 4096;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    const int code = store_put(store, &result, NULL, NULL, &err);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    result_fini(&result);
    assert_int_equal(code, -ERR_UNAVAILABLE);
    assert_non_null(strstr(err.text, "is the disk full?"));
    assert_int_equal(made_count_runs(store, &(struct store_filter){0}), 1);
    assert_true(made_put(store, "r2", "2026-01-02T00:00:00Z", 100)); // there is room again
    store_close(store);
}

static void a_newer_store_is_refused(void **state) {
    (void)state;
    refused("there is no store", -ERR_NO_INPUT);
    store_close(made_opened(true));
    made_run_sql("SELECT 1", 99);
    refused("is of a newer assay (version 99, this one knows 7)", -ERR_UNAVAILABLE);
}

static void a_file_that_is_no_store(void **state) {
    (void)state;
    struct err err = {0};
    store_close(made_opened(true));
    const char words[] = "this is a text and no database, and it is long enough to be looked at as one";
    assert_int_equal(file_write_atomic(made_path, words, sizeof words, &err), 0);
    refused("file is not a database", -ERR_DATA);
}

// Everything of a result that has a place in a column, in bytes that are no UTF-8.
static void texts_of_any_bytes(void **state) {
    (void)state;
    struct store *store = made_opened(true);
    struct arena arena = {0};
    struct stored_run *runs;
    size_t count;
    struct err err = {0};
    struct result result = made_run("r1", "2026-01-01T00:00:00Z", 100);
    result.environment.host = "h\xff\xc3st";
    result.environment.driver = "\"'?1 $1 TEXT; DROP TABLE runs --";
    if (store_put(store, &result, NULL, NULL, &err) < 0) fail_msg("%s", err.text);
    assert_int_equal(store_list_runs(store, &(struct store_filter){0}, &arena, &runs, &count, &err), 0);
    assert_string_equal(runs[0].host, "h\xef\xbf\xbd\xef\xbf\xbdst");
    assert_string_equal(runs[0].driver, result.environment.driver);
    result_fini(&result);
    arena_fini(&arena);
    store_close(store);
}

// By bytes, as in C, whatever the server's language is.
static void problems_are_in_the_order_of_bytes(void **state) {
    (void)state;
    static const char *const names[] = {"attention/fp32/b1/h1/s9/d64", "attention/fp32/b1/h1/s64/d64"};
    struct store *store = made_opened(true);
    struct arena arena = {0};
    struct stored_result *results;
    size_t count;
    struct err err = {0};
    for (int i = 0; i < 2; ++i) {
        struct result result = made_run(names[i], "2026-01-01T00:00:00Z", 100);
        assert_int_equal(problem_parse(&operators_compiled, names[i], &result.cases[0].problem, &err), 0);
        result.sides[0].label = i ? "a" : "B";
        assert_int_equal(store_put(store, &result, NULL, NULL, &err), 0);
        result_fini(&result);
    }
    assert_int_equal(store_list_problems(store, &(struct store_filter){0}, &arena, &results, &count, &err),
                     0);
    assert_int_equal(count, 2);
    assert_string_equal(results[0].problem, names[1]);
    assert_string_equal(results[1].problem, names[0]);
    arena_fini(&arena);
    store_close(store);
}

// By its memory layout a problem may be there twice: the last one has the row. With other inputs it has one
// of its own.
static void a_problem_twice_is_one_row(void **state) {
    (void)state;
    struct store *store = made_opened(true);
    struct arena arena = {0};
    struct stored_result *results;
    size_t count;
    struct err err = {0};
    struct result result = made_run("r1", "2026-01-01T00:00:00Z", 100);
    struct result_case *cases = arena_array(&result.arena, 3, sizeof *cases);
    cases[0] = cases[1] = cases[2] = result.cases[0];
    cases[1].memory_layout = MEMORY_LAYOUT_PADDED;
    cases[1].summaries[0].median_ns = 300;
    cases[2].distribution = "mixed";
    cases[2].summaries[0].median_ns = 400;
    result.cases = cases;
    result.case_count = 3;
    if (store_put(store, &result, NULL, NULL, &err) < 0) fail_msg("%s", err.text);
    result_fini(&result);
    assert_int_equal(store_list_results(store, &(struct store_filter){0}, &arena, &results, &count, &err), 0);
    assert_int_equal(count, 2);
    const size_t other = strstr(results[1].problem, " mixed") ? 1 : 0;
    assert_non_null(strstr(results[other].problem, " mixed"));
    assert_true(results[other].median_ns == 400 && results[1 - other].median_ns == 300);
    arena_fini(&arena);
    store_close(store);
}

// ---- a server ----

static void says_without_password(const char *where, const char *words, int code) {
    struct store *store = NULL;
    struct err err = {0};
    assert_int_equal(store_open(where, true, &store, &err), code);
    if (!strstr(err.text, words)) fail_msg("'%s' does not say '%s'", err.text, words);
    if (strstr(err.text, "cret")) fail_msg("a password: %s", err.text);
}

static void a_wrong_password_is_one_sentence(void **state) {
    (void)state;
    char *wrong = strdup(made_address), *at = strstr(wrong, "se%25cret");
    assert_non_null(at);
    memcpy(at, "no", 2);
    says_without_password(wrong, "password authentication failed for user \"assay\"", -ERR_UNAVAILABLE);
    free(wrong);
}

// The last one: the server does not come back.
static void a_server_that_stops_loses_only_the_write(void **state) {
    (void)state;
    struct store *store = made_opened(true);
    struct err err = {0};
    char command[256];
    made_put(store, "r1", "2026-01-01T00:00:00Z", 100);
    snprintf(command, sizeof command, "%s/tests/postgres.sh --stop '%s'", ASSAY_SOURCE_DIR,
             getenv("ASSAY_TEST_PGDATA"));
    assert_int_equal(system(command), 0);
    struct result result = made_run("r2", "2026-01-02T00:00:00Z", 100);
    for (int i = 0; i < 2; ++i) {
        assert_int_equal(store_put(store, &result, NULL, NULL, &err), -ERR_UNAVAILABLE);
        if (!strstr(err.text, "the store 'postgresql://assay:***@/postgres': ")) fail_msg("%s", err.text);
        if (strstr(err.text, "cret") || strchr(err.text, '\n')) fail_msg("%s", err.text);
    }
    result_fini(&result);
    store_close(store);
    says_without_password(made_address, "is the server running", -ERR_UNAVAILABLE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ON_STORE(what_goes_in_comes_out),
        ON_STORE(a_run_takes_the_place_of_its_earlier_form),
        ON_STORE(filters_and_prune),
        ON_STORE(prune_takes_what_fits),
        ON_STORE(the_metric_is_kept),
        ON_STORE(an_import_brings_the_metric),
        ON_STORE(an_overview_has_the_newest_of_each),
        ON_STORE(a_baseline_moves_and_is_kept),
        ON_STORE(texts_of_any_bytes),
        ON_STORE(problems_are_in_the_order_of_bytes),
        ON_STORE(a_problem_twice_is_one_row),
        ON_STORE(an_older_store_migrates),
        ON_STORE(a_newer_store_is_refused),
    };
    const struct CMUnitTest of_files[] = {
        ON_STORE(a_full_disk_loses_only_the_write),
        ON_STORE(a_file_that_is_no_store),
    };
    const struct CMUnitTest of_servers[] = {
        ON_STORE(a_wrong_password_is_one_sentence),
        ON_STORE(a_server_that_stops_loses_only_the_write),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return failed + (getenv("ASSAY_TEST_POSTGRES") ? cmocka_run_group_tests(of_servers, NULL, NULL)
                                                   : cmocka_run_group_tests(of_files, NULL, NULL));
}

#else

static void a_build_without_a_store_says_so(void **state) {
    (void)state;
    struct store *store = NULL;
    struct err err = {0};
    assert_int_equal(store_open("/tmp/none.db", true, &store, &err), -ERR_UNAVAILABLE);
    assert_non_null(strstr(err.text, "built without a store"));
    assert_false(store_is_built_in());
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_build_without_a_store_says_so)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
