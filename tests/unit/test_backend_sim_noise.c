// SPDX-License-Identifier: Apache-2.0
//
// The noise of a simulated device has the distribution that its script says. Seeds are fixed, so a test
// always sees the same draws; limits are five standard errors around the known truth.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "record/throttle.h"
#include "worker/backend/sim/sim_noise.h"

enum { COUNT = 40000 };
#define RUN_SEED 42
#define STEP_NS  1000000u // of virtual time between two samples

static double logs[COUNT];

static struct batch_cost spend_of(uint64_t side, uint64_t problem) {
    return (struct batch_cost){.side_key = side, .problem_key = problem, .nominal_ns = 100000, .cv_pct = NAN};
}

static struct sim_device device_with(struct sim_noise noise) {
    struct sim_device device = sim_device_quiet("sim:test");
    device.noise = noise;
    return device;
}

// Logarithms of COUNT consecutive ratios of one side and problem in round 0.
static void draw(const struct sim_device *device, const struct batch_cost *spend) {
    struct sim_noise_state noise;
    sim_noise_init(&noise, device, RUN_SEED, 0, 0);
    for (uint64_t i = 0; i < COUNT; ++i) logs[i] = log(sim_noise_next(&noise, spend, i * STEP_NS));
    sim_noise_fini(&noise);
}

static double mean_of(const double *values, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; ++i) sum += values[i];
    return sum / (double)count;
}

static double sd_of(const double *values, size_t count) {
    const double mean = mean_of(values, count);
    double sum = 0;
    for (size_t i = 0; i < count; ++i) sum += (values[i] - mean) * (values[i] - mean);
    return sqrt(sum / (double)(count - 1));
}

static double lag_one_of(const double *values, size_t count) {
    const double mean = mean_of(values, count), sd = sd_of(values, count);
    double sum = 0;
    for (size_t i = 1; i < count; ++i) sum += (values[i] - mean) * (values[i - 1] - mean);
    return sum / (double)(count - 1) / (sd * sd);
}

static void expect_near(const char *what, double got, double truth, double standard_error) {
    if (!(fabs(got - truth) <= 5 * standard_error))
        fail_msg("%s is %.6g; the truth is %.6g +- %.2g (one standard error)", what, got, truth,
                 standard_error);
}

// ---- within a worker ----

static void test_quiet(void **state) {
    (void)state;
    const struct sim_device device = device_with((struct sim_noise){0});
    const struct batch_cost spend = spend_of(1, 2);
    draw(&device, &spend);
    for (size_t i = 0; i < COUNT; ++i) assert_true(logs[i] == 0);
}

static void test_lognormal(void **state) {
    (void)state;
    static const double cvs_pct[] = {1, 7, 12};
    for (size_t i = 0; i < 3; ++i) {
        const struct sim_device device = device_with((struct sim_noise){.cv_pct = cvs_pct[i]});
        const struct batch_cost spend = spend_of(1, 2);
        const double sigma = cvs_pct[i] / 100;
        draw(&device, &spend);
        expect_near("mean", mean_of(logs, COUNT), 0, sigma / sqrt(COUNT));
        expect_near("sd", sd_of(logs, COUNT), sigma, sigma / sqrt(2.0 * COUNT));
        expect_near("lag-1 autocorrelation", lag_one_of(logs, COUNT), 0, 1 / sqrt(COUNT));
        size_t beyond = 0; // a normal distribution has 4.55 % beyond two sigmas
        for (size_t k = 0; k < COUNT; ++k) beyond += fabs(logs[k]) > 2 * sigma;
        expect_near("share beyond two sigmas", (double)beyond / COUNT, 0.0455, sqrt(0.0455 * 0.9545 / COUNT));
    }
}

static void test_cv_of_the_kernel(void **state) {
    (void)state;
    const struct sim_device device = device_with((struct sim_noise){.cv_pct = 7});
    struct batch_cost spend = spend_of(1, 2);
    spend.cv_pct = 0.5;
    draw(&device, &spend);
    expect_near("sd", sd_of(logs, COUNT), 0.005, 0.005 / sqrt(2.0 * COUNT));
    spend.cv_pct = 0;
    draw(&device, &spend);
    assert_true(logs[0] == 0 && logs[COUNT - 1] == 0);
}

static void test_ar1(void **state) {
    (void)state;
    static const double truths[] = {0.5, 0.9, -0.5};
    for (size_t i = 0; i < 3; ++i) {
        const double ar1 = truths[i];
        const struct sim_device device = device_with((struct sim_noise){.cv_pct = 1, .ar1 = ar1});
        const struct batch_cost spend = spend_of(1, 2);
        draw(&device, &spend);
        // Of the squares the effective count is n (1 - a^2) / (1 + a^2).
        const double effective = COUNT * (1 - ar1 * ar1) / (1 + ar1 * ar1);
        expect_near("sd", sd_of(logs, COUNT), 0.01, 0.01 / sqrt(2 * effective));
        expect_near("lag-1 autocorrelation", lag_one_of(logs, COUNT), ar1, sqrt((1 - ar1 * ar1) / COUNT));
    }
}

// The other side's and another problem's samples in between change nothing.
static void test_sequences_are_their_own(void **state) {
    (void)state;
    const struct sim_device device =
        device_with((struct sim_noise){.cv_pct = 1, .ar1 = 0.9, .process_pct = 2});
    const struct batch_cost spend = spend_of(1, 2), other_side = spend_of(3, 2),
                            other_problem = spend_of(1, 4);
    draw(&device, &spend);
    struct sim_noise_state noise;
    sim_noise_init(&noise, &device, RUN_SEED, 0, 0);
    bool differ = false;
    for (uint64_t i = 0; i < 100; ++i) {
        differ |= sim_noise_next(&noise, &other_side, 0) != exp(logs[i]);
        differ |= sim_noise_next(&noise, &other_problem, 0) != exp(logs[i]);
        assert_true(log(sim_noise_next(&noise, &spend, 0)) == logs[i]);
    }
    assert_true(differ);
    sim_noise_fini(&noise);
}

static void test_tail(void **state) {
    (void)state;
    const struct sim_device device = device_with((struct sim_noise){.tail_pct = 200, .tail_share_pct = 5});
    const struct batch_cost spend = spend_of(1, 2);
    draw(&device, &spend);
    double sum = 0;
    size_t count = 0;
    for (size_t i = 0; i < COUNT; ++i) {
        if (logs[i] == 0) continue;
        sum += exp(logs[i]) - 1;
        ++count;
    }
    expect_near("share", (double)count / COUNT, 0.05, sqrt(0.05 * 0.95 / COUNT));
    expect_near("mean excess", sum / (double)count, 2, 2 / sqrt((double)count)); // sd of Exp is its mean
}

static void test_modes_mixed(void **state) {
    (void)state;
    const struct sim_device device =
        device_with((struct sim_noise){.mode_slower_pct = 8, .mode_share_pct = 30});
    const struct batch_cost spend = spend_of(1, 2);
    draw(&device, &spend);
    double slow[COUNT];
    for (size_t i = 0; i < COUNT; ++i) {
        assert_true(logs[i] == 0 || fabs(logs[i] - log(1.08)) < 1e-12);
        slow[i] = logs[i] > 0;
    }
    expect_near("share", mean_of(slow, COUNT), 0.3, sqrt(0.3 * 0.7 / COUNT));
    expect_near("lag-1 autocorrelation", lag_one_of(slow, COUNT), 0, 1 / sqrt(COUNT));
}

// Two-state Markov process: with dwell times T0 and T1 the share of mode 1 is T1 / (T0 + T1), and its
// estimate over a time T has the variance 2 (T0 T1)^2 / (T0 + T1)^3 / T.
static void test_modes_sticky(void **state) {
    (void)state;
    const double share = 0.3, dwell_ms = 12.5, fast_ms = 2 * dwell_ms * (1 - share),
                 slow_ms = 2 * dwell_ms * share;
    const struct sim_device device = device_with(
        (struct sim_noise){.mode_slower_pct = 8, .mode_share_pct = 100 * share, .mode_dwell_ms = dwell_ms});
    struct sim_noise_state noise;
    sim_noise_init(&noise, &device, RUN_SEED, 0, 0);
    const uint64_t step_ns = 100000, count = 2000000; // 200 s
    uint64_t slow = 0, changes_to_slow = 0;
    bool was_slow = sim_noise_is_slow(&noise, 0);
    for (uint64_t i = 0; i < count; ++i) {
        const bool is_slow = sim_noise_is_slow(&noise, i * step_ns);
        slow += is_slow;
        changes_to_slow += is_slow && !was_slow;
        was_slow = is_slow;
    }
    sim_noise_fini(&noise);
    const double total_ms = (double)(count * step_ns) / 1e6, period_ms = fast_ms + slow_ms;
    expect_near("share", (double)slow / (double)count, share,
                sqrt(2 * pow(fast_ms * slow_ms, 2) / pow(period_ms, 3) / total_ms));
    const double mean_slow_ms = (double)(slow * step_ns) / 1e6 / (double)changes_to_slow;
    expect_near("mean time in the slow mode", mean_slow_ms, slow_ms,
                2 * slow_ms /
                    sqrt((double)changes_to_slow)); // looks every 0.1 ms miss the shortest: twice the error
}

// The two ends of a share are no modes at all.
static void test_modes_of_one(void **state) {
    (void)state;
    for (int share = 0; share <= 100; share += 100) {
        const struct sim_device device = device_with(
            (struct sim_noise){.mode_slower_pct = 8, .mode_share_pct = share, .mode_dwell_ms = 1});
        struct sim_noise_state noise;
        sim_noise_init(&noise, &device, RUN_SEED, 0, 0);
        for (uint64_t i = 0; i < 1000; ++i)
            assert_true(sim_noise_is_slow(&noise, i * STEP_NS) == (share == 100));
        sim_noise_fini(&noise);
    }
}

static void test_drift(void **state) {
    (void)state;
    const struct sim_device device = device_with((struct sim_noise){.drift_pct_per_s = 2});
    const struct batch_cost spend = spend_of(1, 2);
    draw(&device, &spend);
    assert_true(logs[0] == 0);
    assert_true(fabs(exp(logs[10000]) - 1.2) < 1e-12); // 10 s
}

// ---- between workers ----

// ln(candidate / baseline) of rounds without any other noise.
static void draw_rounds(const struct sim_device *device, uint64_t problem, double *ret, size_t count) {
    const struct batch_cost base = spend_of(11, problem), cand = spend_of(12, problem);
    for (size_t i = 0; i < count; ++i) {
        struct sim_noise_state noise;
        sim_noise_init(&noise, device, RUN_SEED, (uint32_t)(i / 2), i % 2); // two attempts a round
        const double a = sim_noise_next(&noise, &base, 0), b = sim_noise_next(&noise, &cand, 0);
        ret[i] = log(b / a);
        assert_true(sim_noise_next(&noise, &base, 0) == a); // the same all over a worker
        sim_noise_fini(&noise);
    }
}

static void test_process_spread(void **state) {
    (void)state;
    enum { ROUNDS = 20000 };
    static double one[ROUNDS], other[ROUNDS];
    const struct sim_device device = device_with((struct sim_noise){.process_pct = 2});
    draw_rounds(&device, 5, one, ROUNDS);
    draw_rounds(&device, 6, other, ROUNDS);
    expect_near("mean of d_r", mean_of(one, ROUNDS), 0, 0.02 / sqrt(ROUNDS));
    expect_near("sd of d_r", sd_of(one, ROUNDS), 0.02, 0.02 / sqrt(2.0 * ROUNDS));
    expect_near("correlation of attempts", lag_one_of(one, ROUNDS), 0, 1 / sqrt(ROUNDS));
    double together = 0;
    for (size_t i = 0; i < ROUNDS; ++i) together += one[i] * other[i] / (0.02 * 0.02);
    expect_near("correlation of problems", together / ROUNDS, 0, 1 / sqrt(ROUNDS));
}

static void test_round_offset(void **state) {
    (void)state;
    enum { ROUNDS = 20000 };
    static double offsets[ROUNDS];
    const struct sim_device device = device_with((struct sim_noise){.round_pct = 3});
    const struct batch_cost base = spend_of(11, 5), cand = spend_of(12, 6);
    for (uint32_t i = 0; i < ROUNDS; ++i) {
        struct sim_noise_state noise;
        sim_noise_init(&noise, &device, RUN_SEED, i, 0);
        const double a = sim_noise_next(&noise, &base, 0);
        assert_true(a == sim_noise_next(&noise, &cand, 0)); // both sides share it
        offsets[i] = log(a);
        sim_noise_fini(&noise);
    }
    expect_near("mean", mean_of(offsets, ROUNDS), 0, 0.03 / sqrt(ROUNDS));
    expect_near("sd", sd_of(offsets, ROUNDS), 0.03, 0.03 / sqrt(2.0 * ROUNDS));
}

static void test_deterministic(void **state) {
    (void)state;
    struct sim_device device = device_with((struct sim_noise){.cv_pct = 1,
                                                              .ar1 = 0.5,
                                                              .tail_pct = 50,
                                                              .tail_share_pct = 10,
                                                              .mode_slower_pct = 5,
                                                              .mode_share_pct = 50,
                                                              .mode_dwell_ms = 20,
                                                              .process_pct = 2,
                                                              .round_pct = 1,
                                                              .drift_pct_per_s = 1});
    const struct batch_cost spend = spend_of(1, 2);
    static double first[COUNT];
    draw(&device, &spend);
    memcpy(first, logs, sizeof first);
    draw(&device, &spend);
    assert_memory_equal(first, logs, sizeof first);
    device.seed = 1;
    draw(&device, &spend);
    size_t same = 0;
    for (size_t i = 0; i < COUNT; ++i) same += first[i] == logs[i];
    assert_int_equal(same, 0);
}

// ---- episodes ----

static void test_episodes(void **state) {
    (void)state;
    struct sim_episode episodes[] = {
        {.from_round = 2,
         .to_round = 3,
         .attempt_count = 2,
         .throttle = "hw_thermal_slowdown",
         .slower_pct = 25,
         .temperature_c = 91,
         .other_process_count = 1},
        {.from_round = 3, .to_round = 9, .slower_pct = 100, .temperature_c = NAN, .others_pct = 60},
        {.from_round = 9, .to_round = 9, .throttle = "sw_power_cap", .temperature_c = 40, .others_pct = 70},
    };
    struct sim_device device = sim_device_quiet("sim:test");
    device.episodes = episodes;
    device.episode_count = 3;
    struct sim_condition at = sim_condition_at(&device, 1, 0);
    assert_true(at.throttle == 0 && at.slower_ratio == 1 && at.clock_ratio == 1 && at.temperature_c == 50);
    assert_true(at.others_pct == 0 && at.other_process_count == 0);
    at = sim_condition_at(&device, 2, 1);
    assert_true(at.throttle == THROTTLE_HW_THERMAL && at.slower_ratio == 1.25 && at.clock_ratio == 0.8);
    assert_true(at.temperature_c == 91 && at.other_process_count == 1);
    at = sim_condition_at(&device, 2, 2); // the third attempt is past it
    assert_true(at.throttle == 0 && at.slower_ratio == 1 && at.temperature_c == 50);
    at = sim_condition_at(&device, 3, 0); // two at once; the clock is only that of the one that throttles
    assert_true(at.slower_ratio == 2.5 && at.clock_ratio == 0.8 && at.others_pct == 60);
    at = sim_condition_at(&device, 9, 50);
    assert_true(at.throttle == THROTTLE_SW_POWER_CAP && at.others_pct == 100 && at.temperature_c == 50);
    assert_true(sim_condition_at(&device, 10, 0).slower_ratio == 1);
    device.temperature_c = NAN; // only said while an episode says it
    assert_true(isnan(sim_condition_at(&device, 1, 0).temperature_c));
    assert_true(sim_condition_at(&device, 2, 0).temperature_c == 91);
}

// ln(second / first side) of one sample in each of `count` rounds, without noise within.
static void draw_pairs(const struct sim_device *device, struct batch_cost second, size_t count) {
    const struct batch_cost first = spend_of(1, 1);
    for (uint32_t round = 0; round < count; ++round) {
        struct sim_noise_state noise;
        sim_noise_init(&noise, device, RUN_SEED, round, 0);
        const double base = sim_noise_next(&noise, &first, 0);
        logs[round] = log(sim_noise_next(&noise, &second, STEP_NS) / base);
        sim_noise_fini(&noise);
    }
}

static void offsets_may_outlive_processes(void **state) {
    (void)state;
    struct sim_device device = device_with((struct sim_noise){.process_pct = 2, .process_ar1 = 0.8});
    draw_pairs(&device, spend_of(2, 1), 2000); // each round begins at round 0: quadratic
    assert_true(fabs(sd_of(logs, 2000) - 0.02) < 0.002);
    assert_true(fabs(lag_one_of(logs, 2000) - 0.8) < 0.07);
    device.noise.process_ar1 = 0;
    draw_pairs(&device, spend_of(2, 1), 2000);
    assert_true(fabs(lag_one_of(logs, 2000)) < 0.11);
}

// Shares of `count` batches, 1 ms apart, that waited, that were stolen from, and that were slower.
struct shares {
    double waited, stolen, slower, mean_wait_us;
};
static struct shares disturb(const struct sim_device *device, size_t count) {
    struct sim_noise_state noise;
    struct shares ret = {0};
    const struct batch_cost spend = spend_of(1, 1);
    sim_noise_init(&noise, device, RUN_SEED, 0, 0);
    for (uint64_t i = 0; i < count; ++i) {
        const struct sim_disturbance others = sim_noise_disturb(&noise, i * 1000000);
        ret.waited += others.wait_ns > 0;
        ret.stolen += others.steal_ns > 0;
        ret.slower += others.slower_ratio > 1;
        ret.mean_wait_us += (double)others.wait_ns / 1e3;
        sim_noise_next(&noise, &spend, i * 1000000);
    }
    sim_noise_fini(&noise);
    ret.mean_wait_us /= fmax(ret.waited, 1);
    ret.waited /= (double)count;
    ret.stolen /= (double)count;
    ret.slower /= (double)count;
    return ret;
}

static void others_come_and_go(void **state) {
    (void)state;
    const struct sim_noise quiet = {0}, script = {.others_share_pct = 50,
                                                  .others_dwell_ms = 20,
                                                  .others_slower_pct = 2,
                                                  .others_wait_share_pct = 30,
                                                  .others_wait_us = 3000,
                                                  .steal_share_pct = 5,
                                                  .steal_us = 500};
    struct sim_device device = device_with(script);
    const struct shares seen = disturb(&device, 100000);
    assert_true(sim_noise_is_disturbed(&script) && !sim_noise_is_disturbed(&quiet));
    assert_true(fabs(seen.slower - 0.5) < 0.03); // 2500 stays of each kind
    assert_true(fabs(seen.waited - 0.15) < 0.01);
    assert_true(fabs(seen.stolen - 0.05) < 0.003);
    assert_true(fabs(seen.mean_wait_us - 3000) < 100);
    device.noise.others_dwell_ms = 0; // drawn anew for every batch
    assert_true(fabs(disturb(&device, 100000).slower - 0.5) < 0.006);
    device.noise = quiet;
    const struct shares none = disturb(&device, 100);
    assert_true(none.waited == 0 && none.stolen == 0 && none.slower == 0);
}

static void exactly_one_side_may_be_slow(void **state) {
    (void)state;
    const struct sim_device device = device_with((struct sim_noise){.either_slower_pct = 4});
    size_t slower = 0;
    draw_pairs(&device, spend_of(2, 1), 2000);
    for (size_t i = 0; i < 2000; ++i) {
        assert_true(fabs(fabs(logs[i]) - log(1.04)) < 1e-12);
        slower += logs[i] > 0;
    }
    assert_true(slower > 888 && slower < 1112); // half of them
}

static void a_kernel_may_be_slow_in_some_processes(void **state) {
    (void)state;
    const struct sim_device device = device_with((struct sim_noise){0});
    struct batch_cost candidate = spend_of(2, 1);
    candidate.slow_process_pct = 30;
    candidate.slow_process_share_pct = 20;
    size_t slow = 0;
    draw_pairs(&device, candidate, 2000);
    for (size_t i = 0; i < 2000; ++i) {
        assert_true(fabs(logs[i]) < 1e-12 || fabs(logs[i] - log(1.3)) < 1e-12);
        slow += logs[i] > 0.1;
    }
    assert_true(slow > 310 && slow < 490);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(offsets_may_outlive_processes),
        cmocka_unit_test(others_come_and_go),
        cmocka_unit_test(exactly_one_side_may_be_slow),
        cmocka_unit_test(a_kernel_may_be_slow_in_some_processes),
        cmocka_unit_test(test_quiet),
        cmocka_unit_test(test_lognormal),
        cmocka_unit_test(test_cv_of_the_kernel),
        cmocka_unit_test(test_ar1),
        cmocka_unit_test(test_sequences_are_their_own),
        cmocka_unit_test(test_tail),
        cmocka_unit_test(test_modes_mixed),
        cmocka_unit_test(test_modes_sticky),
        cmocka_unit_test(test_modes_of_one),
        cmocka_unit_test(test_drift),
        cmocka_unit_test(test_process_spread),
        cmocka_unit_test(test_round_offset),
        cmocka_unit_test(test_deterministic),
        cmocka_unit_test(test_episodes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
