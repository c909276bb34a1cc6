// SPDX-License-Identifier: Apache-2.0
//
// The store: runs go in and come out, once; several processes write at once; a kill loses one write at most;
// files that are none of ours, damaged or newer.
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
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "assay_config.h"
#include "base/file.h"
#include "store/store.h"

#if ASSAY_HAS_STORE
#include <sqlite3.h>

#include "store/store_schema.h"

enum { WRITERS = 8, RUNS_EACH = 25 };

static char folder[64], path[96];

static int make_folder(void **state) {
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/assay-store-XXXXXX");
    if (!mkdtemp(folder)) return -1;
    snprintf(path, sizeof path, "%s/a/history.db", folder);
    return 0;
}

static int remove_folder(void **state) {
    (void)state;
    return file_remove_tree(folder, NULL);
}

static struct store *opened(bool may_create) {
    struct store *store = NULL;
    struct err err = {0};
    if (store_open(path, may_create, &store, &err) < 0) fail_msg("%s", err.text);
    return store;
}

// A run with one side and one problem.
static struct result made(const char *run_id, const char *created_utc, double median_ns) {
    struct result result;
    struct err err = {0};
    result_init(&result);
    result.run_id = arena_strdup(&result.arena, run_id);
    result.created_utc = arena_strdup(&result.arena, created_utc);
    result.suite = "cpu";
    result.seed = UINT64_MAX;
    result.command = "assay bench";
    result.environment.device_uuid = "cpu-1";
    result.environment.device_name = "A processor";
    result.side_count = 1;
    result.sides[0] = (struct result_side){
        .role = SIDE_CANDIDATE, .label = "mine", .kernel = "mine", .build = build_report_unknown()};
    result.case_count = 1;
    result.cases = arena_array(&result.arena, 1, sizeof *result.cases);
    if (problem_parse("attention/fp32/b1/h1/s64/d64", &result.cases[0].problem, &err) < 0)
        fail_msg("%s", err.text);
    result.cases[0].distribution = OP_DISTRIBUTION_DEFAULT;
    result.cases[0].memory_layout = MEMORY_LAYOUT_DENSE;
    members_forget(&case_summary_members, &result.cases[0].summaries[0]);
    result.cases[0].summaries[0].is_set = true;
    result.cases[0].summaries[0].median_ns = median_ns;
    result.cases[0].summaries[0].median_low_ns = median_ns - 1;
    result.cases[0].summaries[0].median_high_ns = median_ns + 1;
    return result;
}

static bool put(struct store *store, const char *run_id, const char *created_utc, double median_ns) {
    struct result result = made(run_id, created_utc, median_ns);
    struct err err = {0};
    bool is_new = false;
    const struct store_origin origin = {.commit = "a1b2c3d", .parent = "0a1b2c3", .branch = "main"};
    if (store_put(store, &result, &origin, &is_new, &err) < 0) fail_msg("%s", err.text);
    result_fini(&result);
    return is_new;
}

static size_t count_runs(struct store *store, const struct store_filter *filter) {
    struct arena arena = {0};
    struct stored_run *runs;
    size_t count;
    struct err err = {0};
    if (store_list_runs(store, filter, &arena, &runs, &count, &err) < 0) fail_msg("%s", err.text);
    arena_fini(&arena);
    return count;
}

static void what_goes_in_comes_out(void **state) {
    (void)state;
    struct store *store = opened(true);
    struct arena arena = {0};
    struct stored_result *results;
    struct strbuf text = {0};
    size_t count;
    struct err err = {0};
    assert_true(put(store, "r2", "2026-02-01T00:00:00Z", 200));
    assert_true(put(store, "r1", "2026-01-01T00:00:00Z", 100));
    assert_false(put(store, "r1", "2026-01-01T00:00:00Z", 100));
    const struct store_filter all = {.problem = "attention/fp32/b1/h1/s64/d64"};
    assert_int_equal(store_list_results(store, &all, &arena, &results, &count, &err), 0);
    assert_int_equal(count, 2);
    assert_string_equal(results[0].run.run_id, "r1"); // the oldest first
    assert_string_equal(results[0].run.commit, "a1b2c3d");
    assert_string_equal(results[0].run.parent, "0a1b2c3");
    assert_string_equal(results[0].run.branch, "main");
    assert_true(results[0].run.seed == UINT64_MAX); // SQLite's numbers have a sign
    assert_string_equal(results[0].side, "mine");
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
    struct store *store = opened(true);
    const struct store_filter any = {0};
    put(store, "r1", "2026-01-01T00:00:00Z", 100);
    assert_true(put(store, "r1", "2026-01-01T00:00:00Z", 150));
    assert_int_equal(count_runs(store, &any), 1);
    store_close(store);
}

static void filters_and_prune(void **state) {
    (void)state;
    struct store *store = opened(true);
    char id[16];
    for (int i = 1; i <= 9; ++i) {
        char day[32];
        snprintf(id, sizeof id, "r%d", i);
        snprintf(day, sizeof day, "2026-01-0%dT00:00:00Z", i);
        put(store, id, day, 100);
    }
    assert_int_equal(count_runs(store, &(struct store_filter){.since_utc = "2026-01-07"}), 3);
    assert_int_equal(count_runs(store, &(struct store_filter){.limit = 4}), 4);
    assert_int_equal(count_runs(store, &(struct store_filter){.suite = "gpu"}), 0);
    assert_int_equal(count_runs(store, &(struct store_filter){.device = "A processor"}), 9);
    assert_int_equal(count_runs(store, &(struct store_filter){.commit = "a1b2c3d", .run_id = "r3"}), 1);
    size_t count = 0;
    assert_int_equal(store_prune(store, "2026-01-05", true, &count, NULL), 0);
    assert_int_equal(count, 4);
    assert_int_equal(count_runs(store, &(struct store_filter){0}), 9);
    assert_int_equal(store_prune(store, "2026-01-05", false, &count, NULL), 0);
    assert_int_equal(count, 4);
    assert_int_equal(count_runs(store, &(struct store_filter){0}), 5);
    store_close(store);
}

// The newest by the time of the run, whatever was written last.
static void an_overview_has_the_newest_of_each(void **state) {
    (void)state;
    struct store *store = opened(true);
    struct arena arena = {0};
    struct stored_result *results;
    size_t count;
    struct err err = {0};
    const struct store_filter any = {0}, other = {.branch = "other"};
    put(store, "r2", "2026-02-01T00:00:00Z", 200);
    put(store, "r1", "2026-01-01T00:00:00Z", 100);
    assert_int_equal(store_list_problems(store, &any, &arena, &results, &count, &err), 0);
    assert_int_equal(count, 1);
    assert_string_equal(results[0].run.run_id, "r2");
    assert_true(results[0].median_ns == 200);
    assert_int_equal(store_list_problems(store, &other, &arena, &results, &count, &err), 0);
    assert_int_equal(count, 0);
    assert_int_equal(count_runs(store, &other), 0);
    assert_int_equal(count_runs(store, &(struct store_filter){.branch = "main"}), 2);
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
        assert_string_equal(baselines[i].place.device_uuid, "cpu-1");
        assert_string_equal(baselines[i].place.suite, "cpu");
    }
    arena_fini(&arena);
    return count;
}

static void a_baseline_moves_and_is_kept(void **state) {
    (void)state;
    struct store *store = opened(true);
    struct err err = {0};
    size_t pruned = 0;
    put(store, "r1", "2026-01-01T00:00:00Z", 100);
    put(store, "r2", "2026-01-02T00:00:00Z", 100);
    assert_int_equal(store_set_baseline(store, "r3", NULL, &err), -ERR_NO_INPUT);
    assert_int_equal(store_set_baseline(store, "r1", NULL, &err), 0);
    assert_int_equal(count_baselines(store, "main", "r1"), 1);
    assert_int_equal(store_set_baseline(store, "r2", NULL, &err), 0); // moves: there is one of a place
    assert_int_equal(count_baselines(store, "main", "r2"), 1);
    assert_int_equal(store_set_baseline(store, "r2", "release", &err), 0);
    assert_int_equal(count_baselines(store, NULL, "r2"), 2);
    assert_true(put(store, "r2", "2026-01-02T00:00:00Z", 90)); // its later form takes its place
    assert_int_equal(count_baselines(store, NULL, "r2"), 2);
    assert_int_equal(store_prune(store, "2027", true, &pruned, &err), 0);
    assert_int_equal(pruned, 1);
    assert_int_equal(store_prune(store, "2027", false, &pruned, &err), 0);
    assert_int_equal(pruned, 1);
    assert_int_equal(count_baselines(store, NULL, "r2"), 2);
    store_close(store);
}

static pid_t start_writer(int writer, int runs) {
    const pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid) return pid;
    struct store *store = opened(true);
    for (int i = 0; i < runs; ++i) {
        char id[32];
        snprintf(id, sizeof id, "w%d-%d", writer, i);
        put(store, id, "2026-01-01T00:00:00Z", 100 + i);
    }
    store_close(store);
    _exit(0);
}

static void writers_at_once_lose_nothing(void **state) {
    (void)state;
    pid_t pids[WRITERS];
    for (int i = 0; i < WRITERS; ++i) pids[i] = start_writer(i, RUNS_EACH);
    for (int i = 0; i < WRITERS; ++i) {
        int status = 0;
        assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
        assert_int_equal(status, 0);
    }
    struct store *store = opened(false);
    assert_int_equal(count_runs(store, &(struct store_filter){0}), WRITERS * RUNS_EACH);
    store_close(store);
}

// Each run is whole or not there: its document and its row.
static void a_kill_loses_one_write_at_most(void **state) {
    (void)state;
    for (unsigned kill_us = 2000; kill_us <= 40000; kill_us += 9500) {
        const pid_t pid = start_writer((int)kill_us, 100000);
        usleep(kill_us);
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
        struct store *store = opened(true);
        struct arena arena = {0};
        struct stored_run *runs;
        struct strbuf text = {0};
        size_t count;
        struct err err = {0};
        assert_int_equal(store_list_runs(store, &(struct store_filter){0}, &arena, &runs, &count, &err), 0);
        for (size_t i = 0; i < count; ++i) {
            assert_int_equal(runs[i].problem_count, 1);
            strbuf_clear(&text);
            assert_int_equal(store_document(store, runs[i].run_id, &text, &err), 0);
        }
        strbuf_fini(&text);
        arena_fini(&arena);
        put(store, "after", "2026-01-01T00:00:00Z", 1);
        store_close(store);
    }
}

static void refused(const char *words, int code) {
    struct store *store = NULL;
    struct err err = {0};
    assert_int_equal(store_open(path, false, &store, &err), code);
    if (!strstr(err.text, words)) fail_msg("'%s' does not say '%s'", err.text, words);
}

// SQL in the file, apart from the store.
static void run_sql(const char *sql) {
    sqlite3 *database = NULL;
    assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
    if (sqlite3_exec(database, sql, NULL, NULL, NULL) != SQLITE_OK) fail_msg("%s", sqlite3_errmsg(database));
    sqlite3_close(database);
}

static void an_older_store_migrates(void **state) {
    (void)state;
    struct err err = {0};
    struct arena arena = {0};
    struct stored_result *results;
    size_t count;
    store_close(opened(true)); // makes the folder
    assert_int_equal(unlink(path), 0);
    run_sql(store_migrations[0]);
    run_sql(
        "PRAGMA user_version = 1;"
        "INSERT INTO runs(id, run_id, created_utc, commit_id, content_hash, problem_count, document_bytes,"
        " document) VALUES(7, 'old', '2025-01-01T00:00:00Z', 'c0ffee0', 'h', 1, 0, x'');"
        "INSERT INTO results(run, problem, side, median_ns) VALUES(7, 'p', 'mine', 5)");
    struct store *store = opened(false);
    assert_int_equal(store_list_problems(store, &(struct store_filter){0}, &arena, &results, &count, &err),
                     0);
    assert_int_equal(count, 1);
    assert_string_equal(results[0].run.commit, "c0ffee0");
    assert_null(results[0].run.branch);
    assert_true(results[0].median_ns == 5);
    put(store, "new", "2026-01-01T00:00:00Z", 100);
    assert_int_equal(count_runs(store, &(struct store_filter){0}), 2);
    arena_fini(&arena);
    store_close(store);
    store_close(opened(false)); // and only once
}

// A limit on the size of files is to SQLite what a disk without room is: a write that fails.
static void a_full_disk_loses_only_the_write(void **state) {
    (void)state;
    struct store *store = opened(true);
    struct rlimit before, small;
    struct err err = {0};
    put(store, "r1", "2026-01-01T00:00:00Z", 100);
    struct result result = made("r2", "2026-01-02T00:00:00Z", 100);
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
    assert_int_equal(count_runs(store, &(struct store_filter){0}), 1);
    assert_true(put(store, "r2", "2026-01-02T00:00:00Z", 100)); // there is room again
    store_close(store);
}

static void foreign_damaged_and_newer_files(void **state) {
    (void)state;
    struct err err = {0};
    refused("there is no store", -ERR_NO_INPUT);
    store_close(opened(true));
    run_sql("PRAGMA user_version = 99");
    refused("is of a newer assay (version 99, this one knows 2)", -ERR_UNAVAILABLE);
    const char words[] = "this is a text and no database, and it is long enough to be looked at as one";
    assert_int_equal(file_write_atomic(path, words, sizeof words, &err), 0);
    refused("file is not a database", -ERR_DATA);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_goes_in_comes_out, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(a_run_takes_the_place_of_its_earlier_form, make_folder,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(filters_and_prune, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(an_overview_has_the_newest_of_each, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(a_baseline_moves_and_is_kept, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(an_older_store_migrates, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(a_full_disk_loses_only_the_write, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(writers_at_once_lose_nothing, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(a_kill_loses_one_write_at_most, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(foreign_damaged_and_newer_files, make_folder, remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
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
