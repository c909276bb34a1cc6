// SPDX-License-Identifier: Apache-2.0
//
// Hooks of a kernel that returns memory of its own: outputs are copied in before a timed batch on the
// processor and out after it, only for the sets that the batch uses, because others may hold another side's
// results. In a host, which does not know what is timed: where the thread that launches may run.
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "worker/backend/backend.h"

enum { SETS = 4 };
static struct assay_tensors sets[SETS];
static char log_text[256];
static uint64_t out_takes_ns; // of `out`
static uint64_t said_ns;      // of the last batch: its duration

static void note(char what, const struct assay_tensors *at) {
    const size_t length = strlen(log_text);
    if (at)
        snprintf(log_text + length, sizeof log_text - length, "%c%d", what, (int)(at - sets));
    else
        snprintf(log_text + length, sizeof log_text - length, "%c", what);
}

static int launch(void *state, const struct assay_tensors *tensors, void *workspace, void *stream,
                  struct assay_message *message) {
    (void)state, (void)workspace, (void)stream, (void)message;
    note('l', tensors);
    return ASSAY_OK;
}

static int begin(void *state, void *stream, struct assay_message *message) {
    (void)state, (void)stream, (void)message;
    note('(', NULL);
    return ASSAY_OK;
}

static int end(void *state, void *stream, struct assay_message *message) {
    (void)state, (void)stream, (void)message;
    note(')', NULL);
    return ASSAY_OK;
}

static int in(void *state, const struct assay_tensors *given, uint32_t count, void *stream,
              struct assay_message *message) {
    (void)state, (void)stream, (void)message;
    for (uint32_t i = 0; i < count; ++i) note('i', given + i);
    return ASSAY_OK;
}

static int out(void *state, const struct assay_tensors *given, uint32_t count, void *stream,
               struct assay_message *message) {
    (void)state, (void)stream, (void)message;
    for (uint32_t i = 0; i < count; ++i) note('o', given + i);
    if (out_takes_ns) clock_sleep_ns(out_takes_ns);
    return ASSAY_OK;
}

static const char *run_on(const struct device_request *request, uint32_t first_set, uint32_t launches,
                          bool is_timed) {
    static const struct assay_kernel kernel = {.struct_size = sizeof kernel, .launch = launch};
    static const struct batch_hooks hooks = {
        .capture_begin = begin, .capture_end = end, .outputs_in = in, .outputs_out = out};
    struct device *device;
    struct err err;
    struct batch_time time = {0};
    struct assay_message message = {0};
    const struct batch batch = {.kernel = &kernel,
                                .sets = sets,
                                .set_count = SETS,
                                .first_set = first_set,
                                .launches = launches,
                                .is_timed = is_timed,
                                .hooks = &hooks};
    *log_text = 0;
    assert_int_equal(device_open(request, &device, &err), 0);
    assert_int_equal(device->backend->run(device, &batch, &time, &message), ASSAY_OK);
    device_close(device);
    said_ns = time.duration_ns;
    return log_text;
}

static const char *run(uint32_t first_set, uint32_t launches, bool is_timed) {
    return run_on(&(struct device_request){.device = "cpu", .thread_count = 1}, first_set, launches,
                  is_timed);
}

static void test_sets_of_the_batch_are_carried(void **state) {
    (void)state;
    assert_string_equal(run(1, 2, true), "i1i2(l1l2)o1o2");
    assert_string_equal(run(3, 2, true), "i3i0(l3l0)o3o0");
    assert_string_equal(run(2, 5, true), "i2i3i0i1(l2l3l0l1l2)o2o3o0o1");
}

static void test_plain_launches_are_left_alone(void **state) {
    (void)state;
    assert_string_equal(run(1, 2, false), "l1l2");
}

static void test_hosts_do_not_know_what_is_timed(void **state) {
    (void)state;
    const struct device_request host = {.device = "cpu", .thread_count = 1, .is_host = true};
    assert_string_equal(run_on(&host, 1, 1, false), "i1(l1)o1");
    assert_string_equal(run_on(&host, 1, 0, false), "()");
}

// By the judge's clock they could be launches; and what a kernel computes in them is not free.
static void test_copies_are_part_of_a_hosts_time(void **state) {
    (void)state;
    const struct device_request host = {.device = "cpu", .thread_count = 1, .is_host = true};
    out_takes_ns = 50000000;
    (void)run_on(&host, 0, 1, false);
    assert_true(said_ns >= out_takes_ns);
    (void)run(0, 1, true);
    assert_true(said_ns < out_takes_ns);
    out_takes_ns = 0;
}

// ---- where a host launches ----

static int note_place(void *state, const struct assay_tensors *tensors, void *workspace, void *stream,
                      struct assay_message *message) {
    (void)state, (void)tensors, (void)workspace, (void)stream, (void)message;
    cpu_set_t cpus;
    note(sched_getaffinity(0, sizeof cpus, &cpus) == 0 && CPU_COUNT(&cpus) == 1 ? '1' : '*', NULL);
    return ASSAY_OK;
}

static void launch_untimed_and_timed(struct device *device) {
    static const struct assay_kernel kernel = {.struct_size = sizeof kernel, .launch = note_place};
    for (int i = 0; i < 6; ++i) {
        const struct batch batch = {
            .kernel = &kernel, .sets = sets, .set_count = SETS, .launches = 1, .is_timed = i % 2};
        struct batch_time time = {0};
        struct assay_message message = {0};
        assert_int_equal(device->backend->run(device, &batch, &time, &message), ASSAY_OK);
    }
}

// Free in the first two launches of a kernel, then pinned, whatever is timed; the next kernel begins anew.
static void test_checks_and_samples_are_placed_alike(void **state) {
    (void)state;
    struct device *device;
    struct err err;
    cpu_set_t cpus;
    assert_int_equal(sched_getaffinity(0, sizeof cpus, &cpus), 0);
    if (CPU_COUNT(&cpus) < 2) skip();
    const struct device_request host = {.device = "cpu", .thread_count = 1, .is_host = true};
    assert_int_equal(device_open(&host, &device, &err), 0);
    *log_text = 0;
    launch_untimed_and_timed(device);
    device->backend->forget_kernel(device);
    note(' ', NULL);
    launch_untimed_and_timed(device);
    device_close(device);
    assert_string_equal(log_text, "**1111 **1111");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sets_of_the_batch_are_carried),
                                       cmocka_unit_test(test_plain_launches_are_left_alone),
                                       cmocka_unit_test(test_hosts_do_not_know_what_is_timed),
                                       cmocka_unit_test(test_copies_are_part_of_a_hosts_time),
                                       cmocka_unit_test(test_checks_and_samples_are_placed_alike)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
