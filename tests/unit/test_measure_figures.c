// SPDX-License-Identifier: Apache-2.0
//
// Figures of docs/measuring.md that the sampler goes by, each with a value just inside and one just outside.
#include "fake_sampler.h"

#include "stats/describe.h"

// ---- stabilization ----

static struct {
    uint64_t now_ns;
    size_t count;
    double first_hz, other_hz; // the first reading; every second one after it, the others are 1 GHz
} probe;

static double read_probe(struct device *device) {
    (void)device;
    const size_t reading = probe.count++;
    return reading == 0 ? probe.first_hz : reading % 2 ? 1e9 : probe.other_hz;
}

static uint64_t probe_now_ns(const struct device *device) {
    (void)device;
    return probe.now_ns;
}

static bool work_for_1_ms(void *arg) {
    (void)arg;
    probe.now_ns += 1000000;
    return true;
}

static struct stabilize_result stabilize(double first_hz, double other_hz) {
    static const struct backend backend = {
        .name = "fake", .read_clock_probe_hz = read_probe, .now_ns = probe_now_ns};
    struct device device = {.backend = &backend};
    const struct stabilize_request request = {
        .device = &device, .limit_ns = 200000000, .keep_busy = work_for_1_ms};
    probe.now_ns = probe.count = 0;
    probe.first_hz = first_hz;
    probe.other_hz = other_hz;
    return stabilize_run(&request);
}

// Ten readings in a row, 2 ms apart, lie within 0.5 %.
static void test_readings_agree(void **state) {
    (void)state;
    const struct stabilize_result result = stabilize(2e9, 1e9); // all but the first
    assert_true(result.is_stable);
    assert_int_equal(result.duration_ns, 11 * 2000000);
    assert_true(stabilize(1.0050e9, 1.0050e9).is_stable);
    assert_false(stabilize(1.0051e9, 1.0051e9).is_stable);
}

// At most five seconds, half a second once a processor's clock has not become stable; a referee, whose least
// time is a tenth, waits a tenth.
static void test_limits(void **state) {
    (void)state;
    const uint64_t least_ns = sampling_default().stabilize_ns;
    assert_int_equal(stabilize_limit_ns(least_ns, false), 5000000000u);
    assert_int_equal(stabilize_limit_ns(least_ns, true), 500000000u);
    assert_int_equal(stabilize_limit_ns(least_ns / 10, false), 500000000u);
}

// ---- how many samples ----

// Samples of a round of a gate; *ret_cv_pct is of the first twenty.
static size_t count_samples(double noise_ratio, double *ret_cv_pct) {
    struct sampling sampling = quick(20);
    sampling.sample_count_noisy = 50;
    sampling.sample_count_noisier = 100;
    struct sampler sampler;
    prepare_without_audits(&sampler, &sampling, 1);
    script.draws = 20; // of which the first twenty vary more than all fifty
    script.noise_ratio = noise_ratio;
    assert_int_equal(sampler_run(&sampler, NULL), 0);
    double times_ns[20];
    for (size_t i = 0; i < 20; ++i) times_ns[i] = (double)sampler.sides[0].items[1 + i].duration_ns;
    const double mean = describe_mean(times_ns, 20);
    *ret_cv_pct = 100 * describe_sd(times_ns, 20, mean) / mean;
    const size_t count = sampler.sides[0].count - 1; // the first one is dropped
    sampler_fini(&sampler);
    return count;
}

static size_t count_at(double cv_pct) {
    double noise_ratio = cv_pct / 100, got_pct;
    for (int i = 0; i < 3; ++i) {
        count_samples(noise_ratio, &got_pct);
        noise_ratio *= cv_pct / got_pct;
    }
    return count_samples(noise_ratio, &got_pct);
}

// 20, 50 above a CV of 3 %, 100 above 5 %.
static void test_noise(void **state) {
    (void)state;
    assert_int_equal(count_at(2.99), 20);
    assert_int_equal(count_at(3.01), 50);
    assert_int_equal(count_at(4.99), 50);
    assert_int_equal(count_at(5.01), 100);
}

// ---- how long ----

// Launches of 10 us in a sample of at least 1 ms, beside a side whose launch takes so long.
static uint32_t launches_beside(double other_us) {
    const struct sampling sampling = quick(1);
    struct sampler sampler;
    init(&sampler, &sampling, 2);
    script.launch_ns[0] = 10e3;
    script.launch_ns[1] = 1e3 * other_us;
    assert_int_equal(sampler_prepare(&sampler, NULL), 0);
    const uint32_t launches = sampler.sides[0].batch.launches;
    sampler_fini(&sampler);
    return launches;
}

// Samples of both sides are equally long to 5 %, unless one of them becomes three times as long for that.
static void test_equal_samples(void **state) {
    (void)state;
    assert_int_equal(launches_beside(1045), 100);
    assert_int_equal(launches_beside(1055), 105);
    assert_int_equal(launches_beside(2955), 295);
    assert_int_equal(launches_beside(3055), 300);
}

// Twenty single calls and one before them; at least three, and at most 20 ms of a side.
static void test_single_calls(void **state) {
    (void)state;
    static const struct {
        double call_ms;
        size_t calls;
    } cases[] = {{0.9, 20}, {6.6, 4}, {6.7, 3}, {30, 3}};
    const struct sampling sampling = quick(1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        struct sampler sampler;
        init(&sampler, &sampling, 1);
        script.launch_ns[0] = 1e6 * cases[i].call_ms;
        sampler_time_calls(&sampler);
        assert_int_equal(script.untimed, cases[i].calls + 1);
        sampler_fini(&sampler);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_readings_agree), cmocka_unit_test(test_limits),
        cmocka_unit_test(test_noise),          cmocka_unit_test(test_equal_samples),
        cmocka_unit_test(test_single_calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
