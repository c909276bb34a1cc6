// SPDX-License-Identifier: Apache-2.0
//
// Processes that open, create and write one store at once, or are killed: nothing that was kept is lost, and
// none is refused. As test_store.c, on a server with ASSAY_TEST_POSTGRES.
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "assay_config.h"
#include "made_store.h"

#if ASSAY_HAS_STORE

enum { WRITERS = 8, RUNS_EACH = 25, CREATORS = 16, RUNS_OF_A_CREATOR = 2, NEW_STORES = 4 };
enum { HOLD_US = 300000, NOBODY = 65534 };

// Begins when `gate` is closed; NULL: at once. Writes a byte to said for each run that is kept.
static pid_t start_writer(int writer, int runs, const int gate[2], int said) {
    const pid_t pid = fork();
    char byte;
    assert_true(pid >= 0);
    if (pid) return pid;
    made_is_child = true;
    if (gate) close(gate[1]);
    if (gate && read(gate[0], &byte, 1) != 0) _exit(1);
    struct store *store = made_opened(true);
    for (int i = 0; i < runs; ++i) {
        char id[32];
        snprintf(id, sizeof id, "w%d-%d", writer, i);
        made_put(store, id, "2026-01-01T00:00:00Z", 100 + i);
        if (said >= 0 && write(said, "x", 1) != 1) break;
    }
    store_close(store);
    _exit(0);
}

// All begin at the same moment, each with the opening of the store.
static void write_at_once(int writers, int runs_each) {
    pid_t pids[CREATORS];
    int gate[2], bad = 0;
    assert_int_equal(pipe(gate), 0);
    for (int i = 0; i < writers; ++i) pids[i] = start_writer(i, runs_each, gate, -1);
    close(gate[0]);
    close(gate[1]);
    for (int i = 0; i < writers; ++i) {
        int status = 0;
        assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
        bad += status != 0;
    }
    assert_int_equal(bad, 0);
    struct store *store = made_opened(false);
    assert_int_equal(made_count_runs(store, &(struct store_filter){0}), writers * runs_each);
    store_close(store);
}

static void writers_at_once_lose_nothing(void **state) {
    (void)state;
    write_at_once(WRITERS, RUNS_EACH);
}

// A file is created, gets its log and its tables while 15 others want to do the same. ASSAY_NEW_STORES: how
// many times.
static void creators_at_once_lose_nothing(void **state) {
    const char *wanted = getenv("ASSAY_NEW_STORES");
    for (int i = wanted ? atoi(wanted) : NEW_STORES; i > 0; --i) {
        write_at_once(CREATORS, RUNS_OF_A_CREATOR);
        made_store_end(state);
        assert_int_equal(made_store_begin(state), 0);
    }
}

// Writes to a store without a write-ahead log, as a copy made by VACUUM is, until `hold` is closed.
static pid_t start_holder(const int hold[2], int said) {
    const pid_t pid = fork();
    struct sql *sql = NULL;
    struct err err = {0};
    char byte;
    assert_true(pid >= 0);
    if (pid) return pid;
    close(hold[1]);
    if (sql_open(made_address, false, &sql, &err) < 0) _exit(1);
    if (sql_execute(sql, "PRAGMA journal_mode = DELETE; BEGIN IMMEDIATE", &err) < 0) _exit(2);
    if (write(said, "x", 1) != 1 || read(hold[0], &byte, 1) != 0) _exit(3);
    usleep(HOLD_US);
    if (sql_end(sql, 0, &err) < 0) _exit(4);
    sql_close(sql);
    _exit(0);
}

static void an_open_waits_for_a_writer(void **state) {
    (void)state;
    int hold[2], said[2], status = 0;
    char byte;
    struct store *store = made_opened(true);
    made_put(store, "r1", "2026-01-01T00:00:00Z", 100);
    store_close(store);
    assert_int_equal(pipe(hold), 0);
    assert_int_equal(pipe(said), 0);
    const pid_t pid = start_holder(hold, said[1]);
    assert_int_equal(read(said[0], &byte, 1), 1);
    close(hold[1]);
    store = made_opened(false);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    assert_int_equal(made_count_runs(store, &(struct store_filter){0}), 1);
    store_close(store);
    for (int i = 0; i < 2; ++i) close(said[i]);
    close(hold[0]);
}

// In a folder where nothing can be written, a store without a write-ahead log can still be read.
static void read_as_nobody(void) {
    struct err err = {0};
    struct result result = made_run("r2", "2026-01-02T00:00:00Z", 100);
    made_is_child = true;
    if (geteuid() == 0 && setuid(NOBODY) < 0) _exit(1);
    struct store *store = made_opened(false);
    if (made_count_runs(store, &(struct store_filter){0}) != 1) _exit(2);
    if (store_put(store, &result, NULL, NULL, &err) != -ERR_UNAVAILABLE) _exit(3);
    if (!strstr(err.text, "it and its folder must be writable")) _exit(4);
    store_close(store);
    _exit(0);
}

static void a_folder_that_cannot_be_written_is_read(void **state) {
    (void)state;
    int status = 0;
    char *folder = path_dir(made_path);
    struct store *store = made_opened(true);
    made_put(store, "r1", "2026-01-01T00:00:00Z", 100);
    store_close(store);
    made_run_sql("PRAGMA journal_mode = DELETE", 0);
    assert_int_equal(chmod(made_folder, 0755), 0);
    assert_int_equal(chmod(folder, 0555), 0);
    const pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) read_as_nobody();
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(chmod(folder, 0755), 0);
    free(folder);
    assert_int_equal(status, 0);
}

// Runs of which the store has all: the document and the row of the result.
static size_t count_whole_runs(struct store *store) {
    struct arena arena = {0};
    struct stored_result *results;
    struct strbuf text = {0};
    size_t count;
    struct err err = {0};
    assert_int_equal(store_list_results(store, &(struct store_filter){0}, &arena, &results, &count, &err), 0);
    for (size_t i = 0; i < count; ++i) {
        strbuf_clear(&text);
        assert_int_equal(results[i].run.problem_count, 1);
        assert_int_equal(store_document(store, results[i].run.run_id, &text, &err), 0);
    }
    strbuf_fini(&text);
    arena_fini(&arena);
    return count;
}

static void a_kill_loses_one_write_at_most(void **state) {
    (void)state;
    size_t before = 0;
    for (unsigned kill_us = 2000; kill_us <= 80000; kill_us *= 2) {
        int said[2];
        char byte;
        assert_int_equal(pipe(said), 0);
        const pid_t pid = start_writer((int)kill_us, 100000, NULL, said[1]);
        close(said[1]);
        usleep(kill_us);
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
        size_t kept = 0;
        while (read(said[0], &byte, 1) == 1) ++kept;
        close(said[0]);
        struct store *store = made_opened(true);
        made_put(store, "after", "2026-01-01T00:00:00Z",
                 kill_us); // waits until the killed one's transaction ended
        const size_t runs = made_count_runs(store, &(struct store_filter){0}), others = before + 1;
        assert_int_equal(count_whole_runs(store), runs);
        assert_in_range(runs, others + kept, others + kept + 1);
        before = runs - 1;
        store_close(store);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ON_STORE(writers_at_once_lose_nothing),
        ON_STORE(creators_at_once_lose_nothing),
        ON_STORE(a_kill_loses_one_write_at_most),
    };
    const struct CMUnitTest of_files[] = {
        ON_STORE(an_open_waits_for_a_writer),
        ON_STORE(a_folder_that_cannot_be_written_is_read),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return failed + (getenv("ASSAY_TEST_POSTGRES") ? 0 : cmocka_run_group_tests(of_files, NULL, NULL));
}

#else

int main(void) {
    return 0; // no store opens: test_store.c
}

#endif
