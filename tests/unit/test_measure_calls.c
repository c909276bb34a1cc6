// SPDX-License-Identifier: Apache-2.0
//
// Single calls of a kernel that returns its results in memory of its own: what it takes to carry them is not
// timed, and is done once, however the calls end.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "worker/measure/sampler.h"

static struct {
    char log[4096];
    size_t length;
    int begin_status, end_status, launch_status;
} seen;

static void note(char what) {
    if (seen.length < sizeof seen.log - 1 &&
        (what != 'l' || seen.log[seen.length ? seen.length - 1 : 0] != 'l'))
        seen.log[seen.length++] = what;
}

static int run(struct device *device, const struct batch *batch, struct batch_time *ret,
               struct assay_message *message) {
    (void)device;
    assert_false(batch->is_timed);
    note('l');
    ret->duration_ns = 1000;
    return seen.launch_status == ASSAY_OK ? ASSAY_OK : assay_say(message, seen.launch_status, "launched");
}

static int call_begin(void *state, void *stream, struct assay_message *message) {
    assert_ptr_equal(state, &seen);
    assert_ptr_equal(stream, seen.log);
    note('b');
    return seen.begin_status == ASSAY_OK ? ASSAY_OK : assay_say(message, seen.begin_status, "begun");
}

static int call_end(void *state, void *stream, struct assay_message *message) {
    assert_ptr_equal(state, &seen);
    assert_ptr_equal(stream, seen.log);
    note('e');
    return seen.end_status == ASSAY_OK ? ASSAY_OK : assay_say(message, seen.end_status, "ended");
}

static const struct batch_hooks hooks = {.call_begin = call_begin, .call_end = call_end};
static const struct backend backend = {.name = "fake", .run = run};

// Times the calls of a side with hooks and of one without; "bl e l": what was done.
static void expect(int begin_status, int launch_status, int end_status, const char *log, const char *said) {
    static struct device device = {.backend = &backend, .stream = seen.log};
    static const struct sampling sampling = {.sample_count = 1, .cache_mode = CACHE_ROTATE};
    memset(&seen, 0, sizeof seen);
    seen.begin_status = begin_status, seen.launch_status = launch_status, seen.end_status = end_status;
    struct sampler sampler = {.device = &device, .sampling = &sampling, .side_count = 2};
    sampler.sides[0].batch = (struct batch){.state = &seen, .set_count = 1, .hooks = &hooks};
    sampler.sides[1].batch = (struct batch){.set_count = 1};
    sampler_time_calls(&sampler);
    assert_string_equal(seen.log, log);
    assert_int_equal(sampler.failure.kind, said ? SAMPLER_FAILURE_LAUNCH : SAMPLER_FAILURE_NONE);
    assert_int_equal(sampler.failure.side, 0);
    assert_true((sampler.sides[0].call_wall_ns > 0) ==
                (launch_status == ASSAY_OK && begin_status == ASSAY_OK));
    if (said) assert_non_null(strstr(sampler.failure.message, said));
    sampler_fini(&sampler);
}

static void test_results_are_carried_after_the_calls(void **state) {
    (void)state;
    expect(ASSAY_OK, ASSAY_OK, ASSAY_OK, "blel", NULL);
}

static void test_every_beginning_has_an_end(void **state) {
    (void)state;
    expect(ASSAY_FAILED, ASSAY_OK, ASSAY_OK, "be", "begun");
    expect(ASSAY_OK, ASSAY_FAILED, ASSAY_FAILED, "ble", "launched");
    expect(ASSAY_OK, ASSAY_OK, ASSAY_FAILED, "ble", "ended");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_results_are_carried_after_the_calls),
                                       cmocka_unit_test(test_every_beginning_has_an_end)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
