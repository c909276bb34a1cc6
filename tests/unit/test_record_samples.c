// SPDX-License-Identifier: Apache-2.0
//
// The judge's times among the columns of samples: written and read back, absent where one clock is all there
// is, refused when they do not fit; and the times that count by that clock.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/strbuf.h"
#include "record/samples.h"

static struct arena arena;

static struct sample sample(uint64_t duration_ns, uint64_t judge_ns, uint32_t launches,
                            enum discard discard) {
    return (struct sample){.start_ns = 5,
                           .duration_ns = duration_ns,
                           .launches = launches,
                           .discard = discard,
                           .judge_ns = judge_ns,
                           .clock_hz = NAN,
                           .kernel_clock_hz = NAN};
}

static void written(const struct samples *samples, struct strbuf *ret) {
    struct json_writer w = json_writer_make(ret, 0);
    members_write_object(&w, NULL, &samples_members, samples, NULL);
}

static int parsed(const char *text, struct samples *ret, struct err *err) {
    json_t *root = NULL;
    assert_int_equal(json_read_text(text, strlen(text), "test", &root, NULL), 0);
    const struct json_at at = {.value = root, .where = "samples"};
    members_forget(&samples_members, ret);
    const int code = members_read(&at, &samples_members, &arena, ret, NULL, err);
    json_decref(root);
    return code;
}

static void test_round_trip(void **state) {
    (void)state;
    struct sample items[] = {sample(10, 11, 1, DISCARD_FIRST_PAIR), sample(20, 1, 2, DISCARD_UNCONFIRMED),
                             sample(30, INT64_MAX, 3, DISCARD_NONE)};
    const struct samples samples = {.count = 3, .items = items};
    struct strbuf text = {0};
    struct samples got;
    written(&samples, &text);
    assert_int_equal(parsed(text.text, &got, NULL), 0);
    assert_int_equal(got.count, 3);
    for (size_t i = 0; i < 3; ++i) {
        assert_true(got.items[i].judge_ns == items[i].judge_ns);
        assert_true(got.items[i].duration_ns == items[i].duration_ns);
        assert_int_equal(got.items[i].discard, items[i].discard);
    }
    strbuf_fini(&text);
    for (size_t i = 0; i < 3; ++i) items[i].judge_ns = 0; // measured in one process
    written(&samples, &text);
    assert_null(strstr(text.text, "judge_ns"));
    assert_int_equal(parsed(text.text, &got, NULL), 0);
    assert_int_equal(got.items[2].judge_ns, 0);
    strbuf_fini(&text);
}

static void test_refused(void **state) {
    (void)state;
    static const char *const texts[] = {"{\"duration_ns\": [1, 2], \"judge_ns\": [1]}",
                                        "{\"duration_ns\": [1, 2], \"judge_ns\": [1, 2, 3]}",
                                        "{\"duration_ns\": [1, 2], \"judge_ns\": []}",
                                        "{\"duration_ns\": [1, 2], \"judge_ns\": [1, -1]}",
                                        "{\"duration_ns\": [1, 2], \"judge_ns\": [1, 2.5]}",
                                        "{\"duration_ns\": [1, 2], \"judge_ns\": 7}",
                                        "{\"duration_ns\": [1, 2], \"judge_ns\": [1, null]}"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
        struct samples got;
        struct err err = {0};
        assert_int_equal(parsed(texts[i], &got, &err), -ERR_DATA);
        assert_non_null(strstr(err.text, "judge_ns"));
    }
}

static void test_times(void **state) {
    (void)state;
    struct sample items[] = {sample(100, 900, 2, DISCARD_FIRST_PAIR), sample(100, 110, 2, DISCARD_NONE),
                             sample(100, 0, 2, DISCARD_NONE), sample(100, 300, 2, DISCARD_UNCONFIRMED),
                             sample(90, 99, 3, DISCARD_NONE)};
    const struct samples samples = {.count = 5, .items = items};
    double times_ns[5];
    assert_int_equal(samples_judge_times_ns(&samples, times_ns), 2); // one of three was not timed by it
    assert_true(times_ns[0] == 55 && times_ns[1] == 33);
    assert_int_equal(samples_times_ns(&samples, times_ns), 3);
    assert_int_equal(samples_discarded(&samples), 1);
    assert_int_equal(samples_judge_times_ns(&(struct samples){0}, times_ns), 0);
    assert_int_equal(discard_parse(discard_name(DISCARD_UNCONFIRMED)), DISCARD_UNCONFIRMED);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_round_trip), cmocka_unit_test(test_refused),
                                       cmocka_unit_test(test_times)};
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    arena_fini(&arena);
    return failed;
}
