// SPDX-License-Identifier: Apache-2.0
//
// The gate log: what was decided, each run once, the newest runs, written by several programs at once; lines
// that cannot be trusted are a warning.
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "control/flow/gate/gate_log_internal.h"
#include "unit/made_result.h"
#include "verdict/decision_make.h"

static char cache[] = "/tmp/assay-ledger-XXXXXX";
static char *path;

static int set_cache(void **state) {
    (void)state;
    if (!mkdtemp(cache) || setenv("XDG_CACHE_HOME", cache, 1) < 0) return -1;
    struct plan plan = {.device = "cpu", .side_count = 2};
    plan.sides[0].role = SIDE_BASELINE;
    plan.sides[0].build.code_hash = "a";
    plan.sides[1].role = SIDE_CANDIDATE;
    assert_null(gate_log_path(&plan)); // code without a hash has no history
    plan.sides[1].build.code_hash = "b";
    path = gate_log_path(&plan);
    plan.device = "cpu:1";
    char *other = gate_log_path(&plan);
    assert_string_not_equal(path, other);
    free(other);
    plan.device = "cpu";
    plan.sides[1].build.code_hash = NULL; // a Python kernel goes by its source
    plan.sides[1].build.source_hash = "c";
    other = gate_log_path(&plan);
    assert_non_null(other);
    assert_string_not_equal(path, other);
    free(other);
    return 0;
}

static int drop_cache(void **state) {
    (void)state;
    free(path);
    return file_remove_tree(cache, NULL);
}

static void add(const char *run_id, int exit_code) {
    struct decision_case item = decision_case_empty();
    item.name = "scale/fp32/n64";
    item.verdict = VERDICT_REGRESSION;
    item.change_pct = 4;
    item.round_count = 5;
    struct gate_entry entry = {
        .run_id = run_id, .dir = "/runs/x", .decision = decision_empty("rounds", NULL)};
    entry.decision.exit_code = exit_code;
    entry.decision.regression_pct = 3;
    entry.decision.case_count = 1;
    entry.decision.cases = &item;
    struct err err = {0};
    if (gate_log_add(path, &entry, &err) < 0) fail_msg("%s", err.text);
}

static void write_text(const char *text) {
    struct err err = {0};
    if (file_write_atomic(path, text, strlen(text), &err) < 0) fail_msg("%s", err.text);
}

static void runs_are_kept_once(void **state) {
    (void)state;
    struct gate_log gate_log;
    gate_log_read(path, &gate_log);
    assert_int_equal(gate_log.count, 0);
    assert_null(gate_log.warning);
    gate_log_fini(&gate_log);
    add("a", 1);
    add("b", 0);
    add("a", 3); // decided again
    gate_log_read(path, &gate_log);
    assert_int_equal(gate_log.count, 2);
    assert_string_equal(gate_log.entries[0].run_id, "b");
    const struct gate_entry *last = &gate_log.entries[1];
    assert_string_equal(last->run_id, "a");
    assert_string_equal(last->dir, "/runs/x");
    assert_int_equal(last->decision.exit_code, 3);
    assert_true(last->decision.regression_pct == 3);
    assert_int_equal(last->decision.cases[0].verdict, VERDICT_REGRESSION);
    assert_true(last->decision.cases[0].change_pct == 4);
    gate_log_fini(&gate_log);
}

static void the_newest_stay(void **state) {
    (void)state;
    struct gate_log gate_log;
    char id[16];
    for (int i = 0; i < GATE_LOG_RUNS_MAX + 5; ++i) {
        snprintf(id, sizeof id, "run-%d", i);
        add(id, 0);
    }
    gate_log_read(path, &gate_log);
    assert_int_equal(gate_log.count, GATE_LOG_RUNS_MAX);
    assert_string_equal(gate_log.entries[0].run_id, "run-5");
    gate_log_fini(&gate_log);
    unlink(path);
}

static void programs_at_once_lose_nothing(void **state) {
    (void)state;
    struct gate_log gate_log;
    for (int i = 0; i < 4; ++i) {
        if (fork() == 0) {
            char id[16];
            snprintf(id, sizeof id, "at-once-%d", i);
            add(id, 0);
            _exit(0);
        }
    }
    while (wait(NULL) > 0) {
    }
    gate_log_read(path, &gate_log);
    assert_int_equal(gate_log.count, 4);
    gate_log_fini(&gate_log);
    unlink(path);
}

// A bad line costs that line; it stays, and the warning with it, until someone has looked.
static void strangers_lines_are_a_warning(void **state) {
    (void)state;
    static const char *const bad[] = {
        "",
        "{",
        "[]",
        "{\"schema_version\":2,\"run_id\":\"x\",\"thread_count\":0,\"decision\":{}}",
        "{\"schema_version\":1,\"run_id\":\"../x\",\"thread_count\":0,\"decision\":{}}",
        "{\"schema_version\":1,\"run_id\":\"x\",\"dir\":\"/\\u001b[2J\",\"thread_count\":0,\"decision\":{}}",
        "{\"schema_version\":1,\"run_id\":\"x\",\"thread_count\":0,\"decision\":{\"exit_code\":999}}",
        "{\"schema_version\":1,\"run_id\":\"x\",\"thread_count\":0}",
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        struct gate_log gate_log;
        char text[256];
        snprintf(text, sizeof text, "%s\n", bad[i]);
        write_text(text);
        add("good", 1);
        gate_log_read(path, &gate_log);
        assert_int_equal(gate_log.count, 1);
        assert_string_equal(gate_log.entries[0].run_id, "good");
        if (!gate_log.warning) fail_msg("no warning of %s", bad[i]);
        assert_non_null(strstr(gate_log.warning, "line 1"));
        assert_non_null(strstr(gate_log.warning, path));
        gate_log_fini(&gate_log);
    }
    unlink(path);
}

static void a_torn_line_is_mended(void **state) {
    (void)state;
    struct gate_log gate_log;
    write_text("{\"schema_ver");
    add("good", 1);
    gate_log_read(path, &gate_log);
    assert_int_equal(gate_log.count, 1);
    assert_non_null(gate_log.warning);
    gate_log_fini(&gate_log);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_are_kept_once),
        cmocka_unit_test(the_newest_stay),
        cmocka_unit_test(programs_at_once_lose_nothing),
        cmocka_unit_test(strangers_lines_are_a_warning),
        cmocka_unit_test(a_torn_line_is_mended),
    };
    return cmocka_run_group_tests(tests, set_cache, drop_cache);
}
