// SPDX-License-Identifier: Apache-2.0
//
// A journal after every way of ending: torn last lines are dropped, lines that do not parse are named, a full
// disk is reported.
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

#include "base/file.h"
#include "base/mem.h"
#include "control/exec/journal.h"

static char dir[] = "/tmp/assay_journal_XXXXXX";
static char *path;

static int setup(void **state) {
    (void)state;
    if (!mkdtemp(dir)) return -1;
    path = path_join(dir, "journal.jsonl");
    return 0;
}

static int teardown(void **state) {
    (void)state;
    free(path);
    return file_remove_tree(dir, NULL);
}

static void write_text(const char *text) {
    struct err err = {0};
    if (file_write_atomic(path, text, strlen(text), &err) < 0) fail_msg("%s", err.text);
}

static int count_round(void *arg, const struct record *record, struct err *err) {
    (void)err;
    if (record->kind == RECORD_ROUND) ++*(int *)arg;
    return 0;
}

static int replayed(struct err *err) {
    int count = 0;
    int code = journal_replay(path, count_round, &count, err);
    return code < 0 ? code : count;
}

static void add_round(struct err *err, int expected) {
    struct journal *journal = NULL;
    const struct record record = {.kind = RECORD_ROUND, .is_valid = true};
    if (journal_open(path, &journal, err) < 0) fail_msg("%s", err->text);
    assert_int_equal(journal_add(journal, &record, err), expected);
    journal_close(journal);
}

static void test_append_and_replay(void **state) {
    (void)state;
    struct err err = {0};
    unlink(path);
    assert_int_equal(replayed(&err), 0); // missing is empty
    add_round(&err, 0);
    add_round(&err, 0);
    assert_int_equal(replayed(&err), 2);
}

#define LINE "{\"schema\":1,\"kind\":\"round\",\"is_valid\":true}"

#define CHECK                                                                                                \
    "{\"schema\":1,\"kind\":\"check\",\"phase\":\"check\",\"case\":0,\"side\":0,\"check\":{\"outcome\":"     \
    "\"OK\"}}"
#define ROUND_CHECK                                                                                          \
    "{\"schema\":1,\"kind\":\"check\",\"phase\":\"round\",\"round\":0,\"attempt\":0,\"case\":0,\"side\":0,"  \
    "\"check\":{\"outcome\":\"OK\"}}"

static void test_torn_line(void **state) {
    (void)state;
    struct err err = {0};
    write_text(LINE "\n{\"schema\":1,\"ki");
    assert_int_equal(replayed(&err), 1);
    add_round(&err, 0); // cuts the torn line first
    assert_int_equal(replayed(&err), 2);
    write_text("{\"sch");
    add_round(&err, 0);
    assert_int_equal(replayed(&err), 1);
}

static void test_bad_line(void **state) {
    (void)state;
    struct err err = {0};
    // The check was synced, and so was what stood before it.
    write_text(LINE "\nrubbish\n" CHECK "\n" LINE "\n");
    assert_int_equal(replayed(&err), -ERR_DATA);
    assert_non_null(strstr(err.text, "journal.jsonl:2: "));
}

static int count_warning(void *arg, const struct record *record, struct err *err) {
    (void)err;
    if (record->kind == RECORD_WARNING && strstr(record->text, "damaged from line 2 on")) ++*(int *)arg;
    return 0;
}

// A loss of power leaves zeros or old bytes inside the group of lines that was not synced: that group is
// dropped.
static void test_damaged_end(void **state) {
    (void)state;
    struct err err = {0};
    static const char zeros[] = LINE "\n\0\0\0\0\0\0\n" ROUND_CHECK "\n" CHECK "\n{\"torn";
    if (file_write_atomic(path, zeros, sizeof zeros - 1, &err) < 0) fail_msg("%s", err.text);
    assert_int_equal(replayed(&err), 1);
    int warnings = 0;
    assert_int_equal(journal_replay(path, count_warning, &warnings, &err), 0); // it stands in the file now
    assert_int_equal(warnings, 1);
    add_round(&err, 0);
    assert_int_equal(replayed(&err), 2);
    write_text(LINE "\nrubbish\n");
    warnings = 0;
    assert_int_equal(journal_replay(path, count_warning, &warnings, &err), 0);
    assert_int_equal(warnings, 1);
}

// A line that does not fit is removed: what is there stays complete.
static void test_full_disk(void **state) {
    (void)state;
    struct err err = {0};
    write_text(LINE "\n");
    signal(SIGXFSZ, SIG_IGN);
    const struct rlimit small = {60, RLIM_INFINITY}, none = {RLIM_INFINITY, RLIM_INFINITY};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    add_round(&err, -ERR_IO);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
    assert_non_null(strstr(err.text, "cannot write the journal"));
    char *text = NULL;
    size_t length = 0;
    assert_int_equal(file_read(path, 4096, &text, &length, &err), 0);
    assert_string_equal(text, LINE "\n");
    free(text);
    assert_int_equal(replayed(&err), 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_append_and_replay), cmocka_unit_test(test_torn_line),
        cmocka_unit_test(test_bad_line),          cmocka_unit_test(test_damaged_end),
        cmocka_unit_test(test_full_disk),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
