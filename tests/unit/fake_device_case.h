// SPDX-License-Identifier: Apache-2.0
//
// Cases on the CPU and on a fake device (fake_work_device.h), for the tests of checks there: both devices
// are opened for all tests of a file, and nothing of the fake device's memory may be left over.
#ifndef TESTS_UNIT_FAKE_DEVICE_CASE_H
#define TESTS_UNIT_FAKE_DEVICE_CASE_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fake_work_device.h"
#include "worker/check/case_buffers.h"

#define PROBLEM                                                                                              \
    "attention/fp32/b1/h2/s33/d16" // an output's end is no multiple of the alignment: known bytes follow

static struct device *cpu;
static struct fake_work *fake;

static int open_devices(void **state) {
    (void)state;
    if (device_open(&(struct device_request){.device = "cpu"}, &cpu, NULL) < 0) return -1;
    fake = fake_work_open(cpu);
    return 0;
}

static int close_devices(void **state) {
    (void)state;
    const bool is_all_freed = fake->scratch_count == 0;
    free(fake);
    device_close(cpu);
    return is_all_freed ? 0 : -1;
}

static struct case_buffers *filled(struct device *device, const char *name, const char *distribution,
                                   enum memory_layout memory_layout) {
    struct problem problem;
    struct err err = {0};
    if (problem_parse(&operators_compiled, name, &problem, &err) < 0) fail_msg("%s", err.text);
    struct case_buffers *buffers = mem_alloc(sizeof *buffers);
    const struct case_memory memory = {.memory_layout = memory_layout};
    if (case_buffers_init(buffers, device, &problem, &memory, &err) < 0 ||
        case_buffers_fill(buffers, distribution, 7, &err) < 0)
        fail_msg("%s: %s", name, err.text);
    return buffers;
}

static void release(struct case_buffers *buffers) {
    case_buffers_fini(buffers);
    free(buffers);
}

static void assert_close(double a, double b, double ratio) {
    if (!(fabs(a - b) <= ratio * fabs(b)) && !(isnan(a) && isnan(b))) fail_msg("%.17g and %.17g", a, b);
}

#endif
