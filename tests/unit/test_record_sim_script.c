// SPDX-License-Identifier: Apache-2.0
//
// Scripts of simulated devices and kernels read back as they were written; hostile ones are refused with the
// key; throttle reasons have their right names.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/hash.h"
#include "base/strbuf.h"
#include "record/device_state.h"
#include "record/sim_script.h"
#include "record/throttle.h"
#include "record/work_order.h"

static struct sim_episode full_episodes[] = {
    {.from_round = 1,
     .to_round = 3,
     .attempt_count = 2,
     .throttle = "hw_thermal_slowdown,sw_power_cap",
     .slower_pct = 20,
     .temperature_c = 91.5,
     .others_pct = 7.25,
     .other_process_count = 2},
    {.from_round = 9, .to_round = UINT32_MAX, .temperature_c = NAN},
};

static struct sim_device full_device(void) {
    return (struct sim_device){.name = "sim:full-1",
                               .summary = "everything at once",
                               .seed = UINT64_MAX - 3,
                               .clock_mhz = 1785.5,
                               .temperature_c = NAN,
                               .power_w = 412,
                               .noise = {.cv_pct = 1,
                                         .ar1 = -0.5,
                                         .tail_pct = 200,
                                         .tail_share_pct = 5,
                                         .mode_slower_pct = 7.5,
                                         .mode_share_pct = 40,
                                         .mode_dwell_ms = 12.5,
                                         .is_mode_a_clock = true,
                                         .process_pct = 2,
                                         .round_pct = 0.5,
                                         .drift_pct_per_s = 0.125},
                               .episode_count = 2,
                               .episodes = full_episodes};
}

// ---- a document of one member ----

struct reading {
    struct arena arena;
    json_t *root;
    struct err err;
    int code;
    const struct sim_device *device;
    const struct sim_kernel *kernel;
};

static const struct member reading_list[] = {
    MEMBER_POINTER(struct reading, "device", device, &sim_device_members, ""),
    MEMBER_POINTER(struct reading, "kernel", kernel, &sim_kernel_members, ""),
};
static const struct member_table reading_members = MEMBER_TABLE(struct reading, "reading", reading_list, );

static struct reading read_text(const char *key, const char *text) {
    struct reading reading = {0};
    struct strbuf document = {0};
    strbuf_addf(&document, "{\"%s\": %s}", key, text);
    if (json_read_text(document.text, document.length, "test", &reading.root, &reading.err) < 0)
        fail_msg("%s", reading.err.text);
    const struct json_at at = {.value = reading.root, .where = "test"};
    reading.code = members_read(&at, &reading_members, &reading.arena, &reading, NULL, &reading.err);
    strbuf_fini(&document);
    return reading;
}

static void reading_fini(struct reading *reading) {
    json_decref(reading->root);
    arena_fini(&reading->arena);
}

static void expect_refused(const char *key, const char *text, const char *words) {
    struct reading reading = read_text(key, text);
    if (reading.code != -ERR_DATA || !strstr(reading.err.text, words))
        fail_msg("%s: code %d, '%s' should say '%s'", text, reading.code, reading.err.text, words);
    assert_null(reading.device);
    assert_null(reading.kernel);
    reading_fini(&reading);
}

static char *written_device(const struct sim_device *device) {
    struct strbuf text = {0};
    struct json_writer w = json_writer_make(&text, 0);
    members_write_object(&w, NULL, &sim_device_members, device, NULL);
    return strbuf_take(&text);
}

static char *written_kernel(const struct sim_kernel *kernel) {
    struct strbuf text = {0};
    struct json_writer w = json_writer_make(&text, 0);
    members_write_object(&w, NULL, &sim_kernel_members, kernel, NULL);
    return strbuf_take(&text);
}

// ---- round trips ----

static void test_device_round_trip(void **state) {
    (void)state;
    const struct sim_device device = full_device();
    char *text = written_device(&device);
    struct reading reading = read_text("device", text);
    assert_int_equal(reading.code, 0);
    const struct sim_device *got = reading.device;
    assert_string_equal(got->name, device.name);
    assert_string_equal(got->summary, device.summary);
    assert_true(got->seed == device.seed);
    assert_true(got->clock_mhz == device.clock_mhz);
    assert_true(isnan(got->temperature_c));
    assert_true(got->noise.ar1 == -0.5 && got->noise.drift_pct_per_s == 0.125 && got->noise.is_mode_a_clock);
    assert_int_equal(got->episode_count, 2);
    assert_string_equal(got->episodes[0].throttle, full_episodes[0].throttle);
    assert_true(got->episodes[0].temperature_c == 91.5 && got->episodes[0].others_pct == 7.25);
    assert_int_equal(got->episodes[0].other_process_count, 2);
    assert_int_equal(got->episodes[1].to_round, UINT32_MAX);
    assert_null(got->episodes[1].throttle);
    assert_true(isnan(got->episodes[1].temperature_c));
    char *again = written_device(got); // every member, whatever is compared above
    assert_string_equal(again, text);
    char first[64], second[64];
    sim_device_uuid(&device, first);
    sim_device_uuid(got, second);
    assert_string_equal(first, second);
    free(again);
    free(text);
    reading_fini(&reading);
}

static void test_kernel_round_trip(void **state) {
    (void)state;
    const struct sim_kernel kernel = {.name = "wobbly",
                                      .base_us = 12.5,
                                      .slower_pct = -7,
                                      .slower_on = "scale/fp32/n64",
                                      .cv_pct = 3,
                                      .crash_at_launch = 17,
                                      .hang_at_launch = UINT64_MAX,
                                      .stamps_pct = 97,
                                      .skips_work_at_launch = 1,
                                      .writes_inputs_at_launch = 2,
                                      .ends_at_launch = 3,
                                      .answers_nonsense_at_launch = UINT64_MAX};
    char *text = written_kernel(&kernel);
    struct reading reading = read_text("kernel", text);
    assert_int_equal(reading.code, 0);
    char *again = written_kernel(reading.kernel);
    assert_string_equal(again, text);
    assert_true(reading.kernel->hang_at_launch == UINT64_MAX && reading.kernel->slower_pct == -7);
    assert_true(reading.kernel->stamps_pct == 97 && reading.kernel->skips_work_at_launch == 1);
    assert_true(reading.kernel->writes_inputs_at_launch == 2 && reading.kernel->ends_at_launch == 3);
    assert_true(reading.kernel->answers_nonsense_at_launch == UINT64_MAX);
    free(again);
    free(text);
    reading_fini(&reading);
    reading = read_text("kernel", "{\"name\": \"k\", \"base_us\": 1}");
    assert_int_equal(reading.code, 0);
    assert_true(isnan(reading.kernel->cv_pct) && isnan(reading.kernel->stamps_pct));
    assert_int_equal(reading.kernel->ends_at_launch, 0);
    assert_null(reading.kernel->slower_on);
    reading_fini(&reading);
}

static void test_absent(void **state) {
    (void)state;
    struct reading reading = read_text("device", "null");
    assert_int_equal(reading.code, 0);
    assert_null(reading.device);
    reading_fini(&reading);
    reading = read_text("device", "{\"name\": \"sim:a\"}"); // silent on everything
    assert_int_equal(reading.code, 0);
    assert_true(isnan(reading.device->clock_mhz) && isnan(reading.device->power_w));
    assert_true(reading.device->noise.cv_pct == 0);
    reading_fini(&reading);
    struct strbuf text = {0};
    struct json_writer w = json_writer_make(&text, 0);
    members_write_object(&w, NULL, &reading_members, &(struct reading){0}, NULL);
    assert_string_equal(text.text, "{}");
    strbuf_fini(&text);
}

// An order carries both.
static void test_work_order(void **state) {
    (void)state;
    const struct sim_device device = full_device();
    const struct sim_kernel kernel = sim_kernel_plain("plain");
    struct work_order order = {.kind = WORK_ROUND, .device = device.name, .sim = &device, .side_count = 2};
    order.sides[1].sim = &kernel;
    struct strbuf text = {0}, again = {0};
    work_order_write(&order, &text);
    struct arena arena = {0};
    struct work_order got;
    struct err err;
    if (work_order_parse(text.text, text.length, &arena, &got, &err) < 0) fail_msg("%s", err.text);
    assert_non_null(got.sim);
    assert_null(got.sides[0].sim);
    assert_string_equal(got.sides[1].sim->name, "plain");
    assert_true(got.sides[1].sim->base_us == 100);
    got.sampling.cache_mode = CACHE_INVALID; // not written by the order above
    work_order_write(&got, &again);
    assert_string_equal(again.text, text.text);
    strbuf_fini(&text);
    strbuf_fini(&again);
    arena_fini(&arena);
}

// ---- bounds ----

static void test_refused(void **state) {
    (void)state;
    expect_refused("device", "[]", "'device' must be an object");
    expect_refused("device", "{}", "'name' is missing");
    expect_refused("device", "{\"name\": \"steady\"}", "'sim:WORD'");
    expect_refused("device", "{\"name\": \"sim:\"}", "'sim:WORD'");
    expect_refused("device", "{\"name\": \"sim:a b\"}", "'sim:WORD'");
    expect_refused("device", "{\"name\": \"sim:123456789012345678901234567890\"}", "31 bytes");
    expect_refused("device", "{\"name\": \"sim:a\", \"seed\": -1}", "'seed'");
    expect_refused("device", "{\"name\": \"sim:a\", \"clock_mhz\": 0}", "'clock_mhz' is 0");
    expect_refused("device", "{\"name\": \"sim:a\", \"power_w\": \"much\"}", "'power_w'");
    expect_refused("device", "{\"name\": \"sim:a\", \"noise\": {\"cv_pct\": -1}}", "noise: key 'cv_pct'");
    expect_refused("device", "{\"name\": \"sim:a\", \"noise\": {\"ar1\": 1}}", "'ar1'");
    expect_refused("device", "{\"name\": \"sim:a\", \"noise\": {\"ar1\": -1}}", "'ar1'");
    expect_refused("device", "{\"name\": \"sim:a\", \"noise\": {\"mode_share_pct\": 101}}",
                   "'mode_share_pct'");
    expect_refused("device", "{\"name\": \"sim:a\", \"noise\": {\"mode_dwell_ms\": 1e-9}}",
                   "'mode_dwell_ms'");
    expect_refused("device", "{\"name\": \"sim:a\", \"noise\": {\"is_mode_a_clock\": 1}}", "is_mode_a_clock");
    expect_refused("device", "{\"name\": \"sim:a\", \"episodes\": [{\"from_round\": 1}]}", "episodes[0]");
    expect_refused("device", "{\"name\": \"sim:a\", \"episodes\": [{\"from_round\": 2, \"to_round\": 1}]}",
                   "at least from_round, 2");
    expect_refused(
        "device",
        "{\"name\": \"sim:a\", \"episodes\": [{\"from_round\": 0, \"to_round\": 1, \"throttle\": \"cold\"}]}",
        "'cold'; it must be 'none' or some of sw_power_cap,hw_slowdown");
    expect_refused("device",
                   "{\"name\": \"sim:a\", \"episodes\": [{\"from_round\": 0, \"to_round\": 1, "
                   "\"other_process_count\": 4294967295}]}",
                   "'other_process_count'");
    expect_refused("kernel", "{\"base_us\": 1}", "'name' is missing");
    expect_refused("kernel", "{\"name\": \"\", \"base_us\": 1}", "'name' is missing");
    expect_refused("kernel", "{\"name\": \"k\"}", "'base_us' is 0");
    expect_refused("kernel", "{\"name\": \"k\", \"base_us\": 1, \"slower_pct\": -100}", "'slower_pct'");
    expect_refused("kernel", "{\"name\": \"k\", \"base_us\": 1, \"slower_on\": \"scale/fp32\"}",
                   "'slower_on'");
    expect_refused("kernel", "{\"name\": \"k\", \"base_us\": 1, \"slower_on\": \"scale/fp32/n64/a2\"}",
                   "the full name of that problem is 'scale/fp32/n64'");
    expect_refused("kernel", "{\"name\": \"k\", \"base_us\": 1, \"crash_at_launch\": 1.5}",
                   "'crash_at_launch'");
}

static void test_too_many_episodes(void **state) {
    (void)state;
    struct strbuf text = {0};
    strbuf_add(&text, "{\"name\": \"sim:a\", \"episodes\": [");
    for (int i = 0; i <= SIM_EPISODES_MAX; ++i)
        strbuf_addf(&text, "%s{\"from_round\": 0, \"to_round\": 0}", i ? "," : "");
    strbuf_add(&text, "]}");
    expect_refused("device", text.text, "65 items; the limit is 64");
    strbuf_fini(&text);
}

static void test_plain_ones_are_fine(void **state) {
    (void)state;
    struct err err;
    const struct sim_device device = sim_device_quiet("sim:quiet");
    const struct sim_kernel kernel = sim_kernel_plain("plain");
    assert_int_equal(sim_device_check(&device, "test", &err), 0);
    assert_int_equal(sim_kernel_check(&kernel, "test", &err), 0);
}

// The hash covers a script's contents, not its name.
static void test_hashes(void **state) {
    (void)state;
    char first[64], second[64];
    struct sim_device device = full_device();
    sim_device_uuid(&device, first);
    assert_memory_equal(first, "sim-", 4);
    device.name = "sim:other";
    device.summary = NULL;
    sim_device_uuid(&device, second);
    assert_string_equal(first, second);
    device.noise.cv_pct = 1.0000001;
    sim_device_uuid(&device, second);
    assert_string_not_equal(first, second);
    device = full_device();
    device.episode_count = 1;
    sim_device_uuid(&device, second);
    assert_string_not_equal(first, second);
    char one[HASH_HEX_BYTES], two[HASH_HEX_BYTES];
    struct sim_kernel kernel = sim_kernel_plain("a");
    sim_kernel_hash(&kernel, one);
    kernel.name = "b";
    sim_kernel_hash(&kernel, two);
    assert_string_equal(one, two);
    kernel.slower_pct = 5;
    sim_kernel_hash(&kernel, two);
    assert_string_not_equal(one, two);
}

// ---- throttle reasons ----

static void test_throttle_text(void **state) {
    (void)state;
    char text[THROTTLE_TEXT_BYTES];
    uint32_t bits;
    throttle_format(THROTTLE_NONE, text);
    assert_string_equal(text, "none");
    throttle_format(THROTTLE_HW_SLOWDOWN | THROTTLE_SW_POWER_CAP, text);
    assert_string_equal(text, "sw_power_cap,hw_slowdown");
    for (uint32_t every = 0; every <= THROTTLE_ALL; ++every) { // the longest fits as well
        throttle_format(every, text);
        assert_int_equal(throttle_parse(text, &bits), 0);
        assert_int_equal(bits, every);
    }
    assert_int_equal(throttle_parse("", &bits), 0);
    assert_int_equal(bits, 0);
    static const char *const bad[] = {"hw_slowdown,",       ",hw_slowdown",  "none,hw_slowdown",
                                      "hw_slowdown,melted", "hw_slowdown, ", "HW_SLOWDOWN,hw_slowdown"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        assert_int_equal(throttle_parse(bad[i], &bits), -1);
        assert_int_equal(bits, THROTTLE_HW_SLOWDOWN);
    }
}

static void test_external_processes(void **state) {
    (void)state;
    struct device_state unknown = device_state_unknown(), got;
    assert_int_equal(unknown.other_process_count, -1);
    for (int count = -1; count <= 2; ++count) {
        struct device_state given = unknown;
        given.other_process_count = count;
        struct strbuf text = {0};
        struct json_writer w = json_writer_make(&text, 0);
        members_write_object(&w, NULL, &device_state_members, &given, NULL);
        assert_true((count < 0) == (strstr(text.text, "other_process_count") == NULL));
        json_t *root;
        struct err err;
        assert_int_equal(json_read_text(text.text, text.length, "test", &root, &err), 0);
        const struct json_at at = {.value = root, .where = "test"};
        got = unknown;
        assert_int_equal(members_read(&at, &device_state_members, NULL, &got, NULL, &err), 0);
        assert_int_equal(got.other_process_count, count);
        json_decref(root);
        strbuf_fini(&text);
    }
    static const char *const bad[] = {"-1", "2147483648", "1.5", "\"1\""};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        char text[64];
        json_t *root;
        struct err err;
        snprintf(text, sizeof text, "{\"other_process_count\": %s}", bad[i]);
        assert_int_equal(json_read_text(text, strlen(text), "test", &root, &err), 0);
        const struct json_at at = {.value = root, .where = "test"};
        assert_int_equal(members_read(&at, &device_state_members, NULL, &got, NULL, &err), -ERR_DATA);
        json_decref(root);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_device_round_trip),
        cmocka_unit_test(test_kernel_round_trip),
        cmocka_unit_test(test_absent),
        cmocka_unit_test(test_work_order),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_too_many_episodes),
        cmocka_unit_test(test_plain_ones_are_fine),
        cmocka_unit_test(test_hashes),
        cmocka_unit_test(test_throttle_text),
        cmocka_unit_test(test_external_processes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
