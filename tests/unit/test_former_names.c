// SPDX-License-Identifier: Apache-2.0
//
// Documents and manifests with the names of before 1.0 (docs/stability.md): files that an earlier assay wrote
// hold what they would hold with today's names, and a file with a key by both names is refused.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/mem.h"
#include "control/plan/plan.h"
#include "op/operator.h"
#include "record/result.h"
#include "unit/made_manifest.h"

#ifndef ASSAY_GOLDEN_DIR
#define ASSAY_GOLDEN_DIR "tests/golden"
#endif

// As they stand in the files; a longer name before one that it begins with.
static const struct {
    const char *former, *now;
} names[] = {
    {"\"family\"", "\"distribution\""},   {"\"placement\"", "\"memory_layout\""},
    {"\"regime\"", "\"power_mode\""},     {"\"settle_ns\"", "\"stabilize_ns\""},
    {"yardstick_", "same_precision_"},    {"spin_clock_hz", "clock_probe_hz"},
    {"foreign_process", "other_process"}, {"foreign_", "others_"},
};
#define NAME_COUNT (sizeof names / sizeof *names)

static char *golden(const char *name) {
    char *path = path_join(ASSAY_GOLDEN_DIR, name), *text = NULL;
    size_t length;
    struct err err = {0};
    if (file_read(path, 1 << 20, &text, &length, &err) < 0) fail_msg("%s", err.text);
    free(path);
    return text;
}

static char *replace(const char *text, const char *from, const char *to) {
    struct strbuf out = {0};
    for (const char *at; (at = strstr(text, from)) != NULL; text = at + strlen(from)) {
        strbuf_add_bytes(&out, text, (size_t)(at - text));
        strbuf_add(&out, to);
    }
    strbuf_add(&out, text);
    return strbuf_take(&out);
}

static char *with_names_of_today(const char *text) {
    char *ret = mem_format("%s", text);
    for (size_t i = 0; i < NAME_COUNT; ++i) {
        char *next = replace(ret, names[i].former, names[i].now);
        free(ret);
        ret = next;
    }
    return ret;
}

typedef int (*rewrite_fn)(const char *text, struct strbuf *out, struct err *err);

static int rewrite_result(const char *text, struct strbuf *out, struct err *err) {
    struct result result;
    TRY(result_read_text(text, strlen(text), "result.json", &result, err));
    result_write(&result, out);
    result_fini(&result);
    return 0;
}

static int rewrite_plan(const char *text, struct strbuf *out, struct err *err) {
    struct plan plan;
    json_t *root = NULL;
    TRY(json_read_text(text, strlen(text), "plan.json", &root, err));
    const int code = plan_parse(root, "plan.json", &plan, err);
    json_decref(root);
    if (code < 0) return code;
    plan_write(&plan, out);
    plan_fini(&plan);
    return 0;
}

static void holds_the_same(const char *name, rewrite_fn rewrite) {
    char *former = golden(name), *now = with_names_of_today(former);
    struct strbuf from_former = {0}, from_now = {0};
    struct err err = {0};
    if (rewrite(former, &from_former, &err) < 0 || rewrite(now, &from_now, &err) < 0)
        fail_msg("%s", err.text);
    assert_string_equal(strbuf_text(&from_former), strbuf_text(&from_now));
    for (size_t i = 0; i < NAME_COUNT; ++i) {
        assert_null(strstr(strbuf_text(&from_former), names[i].former));
        // What is written has every name that was read.
        const bool was_there = strstr(former, names[i].former) != NULL;
        if (was_there && !strstr(strbuf_text(&from_former), names[i].now))
            fail_msg("%s: %s", name, names[i].now);
    }
    strbuf_fini(&from_former);
    strbuf_fini(&from_now);
    free(former);
    free(now);
}

static void documents_of_before_hold_the_same(void **state) {
    (void)state;
    holds_the_same("former_names_result.json", rewrite_result);
    holds_the_same("former_names_plan.json", rewrite_plan);
}

static void both_names_are_refused(void **state) {
    char *former = golden("former_names_result.json");
    char *both = replace(former, "\"settle_ns\": ", "\"stabilize_ns\": 5, \"settle_ns\": ");
    struct strbuf out = {0};
    struct err err = {0};
    (void)state;
    assert_int_equal(rewrite_result(both, &out, &err), -ERR_DATA);
    assert_string_equal(err.text, "result.json: sampling: key 'stabilize_ns' is there, and its former name "
                                  "'settle_ns' too");
    free(former);
    free(both);
}

static void a_manifest_of_before_is_read(void **state) {
    char *former = golden("former_names.yaml");
    struct manifest manifest;
    (void)state;
    if (made_manifest_parse(former, &manifest) < 0) fail_msg("%s", made_manifest_error.text);
    assert_string_equal(manifest.suites[0].problems[0].distribution, "sink");
    assert_int_equal(manifest.suites[0].problems[0].memory_layout, MEMORY_LAYOUT_PADDED);
    assert_string_equal(manifest.suites[1].distributions[1], "mixed");
    const struct sim_device *device = &manifest.sim_devices[0];
    assert_true(device->noise.others_share_pct == 5 && device->noise.others_wait_us == 3000);
    assert_true(device->episodes[0].others_pct == 3 && device->episodes[0].other_process_count == 1);
    manifest_fini(&manifest);
    free(former);
    made_manifest_refuse("version: 1\nsuites: {a: {problems: {p: {problem: attention/fp16/b1/h1/s1/d64, "
                         "family: sink, distribution: sink}}}}\n",
                         "assay.yaml:2:67: suites.a.problems.p.family: is the former name of 'distribution', "
                         "which is there too");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(documents_of_before_hold_the_same),
        cmocka_unit_test(both_names_are_refused),
        cmocka_unit_test(a_manifest_of_before_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
