// SPDX-License-Identifier: Apache-2.0
//
// Stores for tests, each empty: a file in a folder of its own; with ASSAY_TEST_POSTGRES, the address of a
// server that tests/postgres.sh started, its database. And runs to put into them.
#ifndef MADE_STORE_H
#define MADE_STORE_H

#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "made_result.h"
#include "store/sql.h"
#include "store/store.h"

#define MADE_PROBLEM "attention/fp32/b1/h1/s64/d64"

static char made_folder[64], made_path[96];
static const char *made_address; // made_path, or that of the server

static bool made_is_child; // where cmocka would go on with the other tests

static inline void made_stop(const struct err *err) {
    if (!made_is_child) fail_msg("%s", err->text);
    fprintf(stderr, "a writer: %s\n", err->text);
    _exit(1);
}

static inline struct store *made_opened(bool may_create) {
    struct store *store = NULL;
    struct err err = {0};
    if (store_open(made_address, may_create, &store, &err) < 0) made_stop(&err);
    return store;
}

// SQL in the store, apart from it. version: 0: it stays.
static inline void made_run_sql(const char *text, int version) {
    struct sql *sql = NULL;
    struct err err = {0};
    if (sql_open(made_address, true, &sql, &err) < 0) fail_msg("%s", err.text);
    if (sql_execute(sql, text, &err) < 0) fail_msg("%s", err.text);
    if (version && sql_set_version(sql, version, &err) < 0) fail_msg("%s", err.text);
    sql_close(sql);
}

static inline int made_store_begin(void **state) {
    (void)state;
    snprintf(made_folder, sizeof made_folder, "/tmp/assay-store-XXXXXX");
    if (!mkdtemp(made_folder)) return -1;
    snprintf(made_path, sizeof made_path, "%s/a/history.db", made_folder);
    made_address = getenv("ASSAY_TEST_POSTGRES");
    if (made_address)
        made_run_sql("DROP SCHEMA public CASCADE; CREATE SCHEMA public", 0);
    else
        made_address = made_path;
    return 0;
}

static inline int made_store_end(void **state) {
    (void)state;
    return file_remove_tree(made_folder, NULL);
}

#define ON_STORE(test) cmocka_unit_test_setup_teardown(test, made_store_begin, made_store_end)

// A run with one side, "simd", and one problem.
static inline struct result made_run(const char *run_id, const char *created_utc, double median_ns) {
    struct result result;
    made_init(&result);
    result.run_id = arena_strdup(&result.arena, run_id);
    result.created_utc = arena_strdup(&result.arena, created_utc);
    result.seed = UINT64_MAX;
    result.side_count = 1;
    result.sides[0] = result.sides[1];
    struct case_summary *figures = &made_case_add(&result, NULL, MADE_PROBLEM)->summaries[0];
    members_forget(&case_summary_members, figures);
    figures->is_set = true;
    figures->median_ns = median_ns;
    figures->median_low_ns = median_ns - 1;
    figures->median_high_ns = median_ns + 1;
    return result;
}

static inline bool made_put(struct store *store, const char *run_id, const char *created_utc,
                            double median_ns) {
    struct result result = made_run(run_id, created_utc, median_ns);
    struct err err = {0};
    bool is_new = false;
    const struct store_origin origin = {.commit = "a1b2c3d", .parent = "0a1b2c3", .branch = "main"};
    if (store_put(store, &result, &origin, &is_new, &err) < 0) made_stop(&err);
    result_fini(&result);
    return is_new;
}

static inline size_t made_count_runs(struct store *store, const struct store_filter *filter) {
    struct arena arena = {0};
    struct stored_run *runs;
    size_t count;
    struct err err = {0};
    if (store_list_runs(store, filter, &arena, &runs, &count, &err) < 0) fail_msg("%s", err.text);
    arena_fini(&arena);
    return count;
}

#endif
