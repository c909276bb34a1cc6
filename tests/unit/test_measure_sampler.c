// SPDX-License-Identifier: Apache-2.0
//
// The sampler on a device of our own whose clock and noise are scripted: the order of samples, their number
// under noise, and the reasons to drop one. Nothing here depends on the machine.
#include "fake_sampler.h"

#include "worker/measure/stabilize.h"

// Of the places that hold whole turns of that length, how many hold one way, the others the other way.
static size_t count_turns(const char *order, const char *one, const char *other) {
    const size_t length = strlen(one);
    size_t count = 0;
    for (; strlen(order) >= length; order += length) {
        const bool is_one = strncmp(order, one, length) == 0;
        assert_true(is_one || strncmp(order, other, length) == 0);
        count += is_one;
    }
    return count;
}

static void test_order(void **state) {
    (void)state;
    const struct sampling sampling = quick(5), many = quick(199);
    struct sampler sampler;
    char order[1024];
    init(&sampler, &many, 2);
    run(&sampler);
    order_of(&sampler, order, sizeof order);
    assert_int_equal(strlen(order), 400); // 199 pairs and the first one
    const size_t count = count_turns(order, "ABBA", "BAAB");
    assert_true(count > 30 && count < 70); // of 100, drawn
    sampler_fini(&sampler);
    init(&sampler, &sampling, 2);
    run(&sampler);
    order_of(&sampler, order, sizeof order);
    assert_int_equal(strlen(order), 12); // 5 pairs and the first one
    for (size_t i = 0; i < 2; ++i) {
        assert_int_equal(sampler.sides[i].count, 7); // and an audit
        assert_int_equal(count_discards(&sampler.sides[i], DISCARD_FIRST_PAIR), 1);
        assert_int_equal(count_discards(&sampler.sides[i], DISCARD_AUDIT), 1);
        assert_int_equal(sampler.sides[i].items[0].discard, DISCARD_FIRST_PAIR);
    }
    assert_int_equal(script.audit_count, 2);
    sampler_fini(&sampler);
    init(&sampler, &sampling, 3);
    run(&sampler);
    order_of(&sampler, order, sizeof order);
    count_turns(order, "ABCCBA", "CBAABC");
    assert_int_equal(strlen(order), 18);
    sampler_fini(&sampler);
}

static void test_launches_fill_a_sample(void **state) {
    (void)state;
    const struct sampling sampling = quick(4);
    struct sampler sampler;
    init(&sampler, &sampling, 2);
    run(&sampler);
    for (size_t i = 0; i < 2; ++i) {
        const struct sampler_side *side = &sampler.sides[i];
        assert_int_equal(side->batch.launches, i ? 5 : 10); // 1 ms of 100 us, of 200 us
        for (size_t k = 0; k < side->count; ++k)
            assert_int_equal(side->items[k].launches, side->batch.launches);
    }
    sampler_fini(&sampler);
    struct sampling cold = quick(4);
    cold.cache_mode = CACHE_COLD;
    init(&sampler, &cold, 1);
    run(&sampler);
    assert_int_equal(sampler.sides[0].batch.launches, 1);
    assert_int_equal(script.flushes, script.batches); // before every batch, by the backend
    assert_string_equal(sampler.flush_error, "");
    sampler_fini(&sampler);
    init(&sampler, &cold, 1);
    script.unflushed_at = 5; // once is enough
    run(&sampler);
    assert_string_equal(sampler.flush_error, "scripted");
    sampler_fini(&sampler);
}

static void test_noise_asks_for_more(void **state) {
    (void)state;
    struct sampling sampling = quick(20);
    sampling.sample_count_noisy = 50;
    sampling.sample_count_noisier = 100;
    const double noises[] = {0.005, 0.04, 0.08};
    const size_t counts[] = {20, 50, 100};
    for (size_t i = 0; i < 3; ++i) {
        struct sampler sampler;
        init(&sampler, &sampling, 2);
        script.noise_ratio = noises[i];
        run(&sampler);
        assert_int_equal(sampler.sides[0].count, counts[i] + 2);
        sampler_fini(&sampler);
    }
    struct sampler sampler; // a side without a spread is noisy, however quiet the other one is
    init(&sampler, &sampling, 2);
    script.steal_side = 0;
    run(&sampler);
    assert_int_equal(sampler.sides[1].count, SAMPLER_MADE_UP_MOST * 100 + 2);
    sampler_fini(&sampler);
}

static void test_until(void **state) {
    (void)state;
    struct sampling sampling = quick(10);
    sampling.until_pct = 0.5;
    struct sampler sampler;
    init(&sampler, &sampling, 1);
    script.noise_ratio = 0.001;
    run(&sampler);
    const size_t quiet = sampler.sides[0].count;
    sampler_fini(&sampler);
    init(&sampler, &sampling, 1);
    script.noise_ratio = 0.03;
    run(&sampler);
    assert_true(quiet < 30);
    assert_true(sampler.sides[0].count > 3 * quiet);
    sampler_fini(&sampler);
    sampling.power_mode = POWER_MODE_SUSTAINED; // blocks of a thousand
    init(&sampler, &sampling, 1);
    script.noise_ratio = 0.001;
    run(&sampler);
    assert_int_equal(sampler.sides[0].count, 2001);
    sampler_fini(&sampler);
}

static void test_discards(void **state) {
    (void)state;
    const struct sampling sampling = quick(20);
    struct sampler sampler;
    prepare_without_audits(&sampler, &sampling, 1);
    script.wait_at = script.batches + 5;
    script.steal_at = script.batches + 7;
    assert_int_equal(sampler_run(&sampler, NULL), 0);
    assert_int_equal(sampler.sides[0].count, 23); // two more for those that were disturbed
    assert_int_equal(sampler.sides[0].items[5].discard, DISCARD_PREEMPTED);
    assert_int_equal(sampler.sides[0].items[7].discard, DISCARD_STEAL);
    assert_int_equal(count_discards(&sampler.sides[0], DISCARD_NONE), 20);
    assert_true(fabs(sampler_clock_hz(&sampler.sides[0]) - 3e9) < 1);
    sampler_fini(&sampler);
}

// Samples of each side where the second one's clock differs until that reading.
static size_t count_apart(struct sampling sampling, size_t until, double ratio, bool *ret_is_apart) {
    struct sampler sampler;
    prepare_without_audits(&sampler, &sampling, 2);
    script.clock_readings = 0;
    script.apart_until = until;
    script.apart_ratio = ratio;
    assert_int_equal(sampler_run(&sampler, NULL), 0);
    const size_t count = sampler.sides[0].count;
    assert_int_equal(sampler.sides[1].count, count);
    *ret_is_apart = sampler_has_clocks_apart(&sampler);
    sampler_fini(&sampler);
    return count;
}

// Clocks that disagree by chance are sampled until they agree: the pairs that see it, not the times, decide.
static void test_clocks_apart(void **state) {
    (void)state;
    struct sampling sampling = quick(20);
    bool is_apart;
    assert_int_equal(count_apart(sampling, SIZE_MAX, 0.992, &is_apart), 21);
    assert_false(is_apart);
    // After the dropped one, 15 pairs differ: at 30 the medians lie between both clocks, at 31 on one.
    assert_int_equal(count_apart(sampling, 32, 0.95, &is_apart), 32);
    assert_false(is_apart);
    assert_int_equal(count_apart(sampling, SIZE_MAX, 0.95, &is_apart), 61); // three times, and given up
    assert_true(is_apart);
    assert_int_equal(count_apart(sampling, SIZE_MAX, NAN, &is_apart), 21); // one side alone has a clock
    assert_false(is_apart);
    sampling.power_mode = POWER_MODE_SUSTAINED;
    assert_int_equal(count_apart(sampling, SIZE_MAX, 0.95, &is_apart), 2000); // blocks of a thousand
    assert_false(is_apart);
}

static void test_wrong_sides(void **state) {
    (void)state;
    const struct sampling sampling = quick(20);
    struct sampler sampler;
    init(&sampler, &sampling, 2);
    script.fail_at = 1;
    run(&sampler);
    assert_int_equal(sampler.failure.side, 0);
    assert_int_equal(sampler.failure.kind, SAMPLER_FAILURE_LAUNCH);
    assert_non_null(strstr(sampler.failure.message, "scripted"));
    sampler_fini(&sampler);
    init(&sampler, &sampling, 2);
    script.stale_at = 5; // of A B, B A, A B: the third of B, or of A after an audit of it
    run(&sampler);
    assert_int_equal(sampler.failure.kind, SAMPLER_FAILURE_RESULT);
    assert_int_equal(script.begun, 6);
    assert_int_equal(script.ended, 6);
    sampler_fini(&sampler);
    init(&sampler, &sampling, 2);
    script.audit_answer = 1;
    run(&sampler);
    assert_int_equal(sampler.failure.kind, SAMPLER_FAILURE_RESULT);
    assert_int_equal(script.audit_count, 1);
    sampler_fini(&sampler);
}

// The place of the audit changes with the seed, or a kernel could learn it.
static void test_audit_is_hidden(void **state) {
    (void)state;
    const struct sampling sampling = quick(20);
    bool is_seen[64] = {false};
    size_t places = 0;
    for (uint64_t seed = 0; seed < 40; ++seed) {
        struct sampler sampler;
        init(&sampler, &sampling, 1);
        sampler.dice = dice_of_seed(seed);
        run(&sampler);
        size_t place = 0;
        while (sampler.sides[0].items[place].discard != DISCARD_AUDIT) ++place;
        places += !is_seen[place];
        is_seen[place] = true;
        sampler_fini(&sampler);
    }
    assert_true(places > 10);
}

static void test_sustained_blocks(void **state) {
    (void)state;
    struct sampling sampling = quick(500);
    sampling.power_mode = POWER_MODE_SUSTAINED;
    sampling.sample_time_ns = 10000000; // 100 samples make a second
    struct sampler sampler;
    char order[2048];
    init(&sampler, &sampling, 2);
    sampler.audit_begin = NULL;
    run(&sampler);
    order_of(&sampler, order, sizeof order);
    const char first = order[0], other = first == 'A' ? 'B' : 'A';
    for (size_t i = 0; i < 100; ++i) assert_int_equal(order[i], first);
    for (size_t i = 100; i < 300; ++i) assert_int_equal(order[i], other);
    assert_int_equal(order[300], first);
    for (size_t i = 0; i < 2; ++i) assert_int_equal(count_discards(&sampler.sides[i], DISCARD_FIRST_PAIR), 1);
    sampler_fini(&sampler);
}

static void test_whole_rotations(void **state) {
    (void)state;
    const struct sampling sampling = quick(5);
    struct sampler sampler;
    init(&sampler, &sampling, 2);
    fake_device.wants_whole_rotations = true;
    script.first_set = sampler.sides[0].next_set = sampler.sides[1].next_set = 2;
    run(&sampler);                                         // fake_run looks at every batch
    assert_int_equal(sampler.sides[0].batch.launches, 12); // of 100 us: 1 ms are 10, and a rotation is 3
    assert_int_equal(sampler.sides[1].batch.launches, 6);
    assert_int_equal(script.untimed, 0);
    sampler_fini(&sampler);
    struct sampling longer = quick(1); // as many nodes as a graph may have
    longer.sample_time_ns = 100000000;
    init(&sampler, &longer, 1);
    fake_device.wants_whole_rotations = true;
    script.launch_ns[0] = 100;
    run(&sampler);
    assert_int_equal(sampler.sides[0].batch.launches, 20001);
    sampler_fini(&sampler);
}

static void test_kernel_clock(void **state) {
    (void)state;
    const struct sampling sampling = quick(3);
    struct sampler sampler;
    init(&sampler, &sampling, 2);
    run(&sampler);
    for (size_t side = 0; side < 2; ++side)
        for (size_t i = 0; i < sampler.sides[side].count; ++i)
            assert_true(sampler.sides[side].items[i].kernel_clock_hz == 1e9 + (double)side);
    sampler_fini(&sampler);
}

// The device cools down after a batch in the cool power mode alone, and never for longer than is useful.
static void test_cool_down(void **state) {
    (void)state;
    for (int kind = 0; kind < 4; ++kind) {
        struct sampling sampling = quick(1);
        struct sampler sampler;
        init(&sampler, &sampling, 1);
        fake_device.cooldown_ratio = kind == 1 ? 0 : 2;
        if (kind == 2) sampling.power_mode = POWER_MODE_SUSTAINED;
        fake_device.is_virtual = kind == 3;
        const uint64_t before_ns = clock_ns();
        script.launch_ns[0] = 1e12; // virtual, and would have us sleep for an hour
        assert_true(sampler_launch(&sampler, 0, 0, 1));
        const uint64_t after_ns = clock_ns();
        if (kind == 0) {
            assert_true(sampler.cooldown_until_ns >= before_ns + 50000000);
            assert_true(sampler.cooldown_until_ns <= after_ns + 50000000);
            sampler_cool_down(&sampler);
            assert_true(clock_ns() >= sampler.cooldown_until_ns);
        } else {
            assert_int_equal(sampler.cooldown_until_ns, 0);
        }
        sampler_fini(&sampler);
    }
}

static void test_single_calls(void **state) {
    (void)state;
    const struct sampling sampling = quick(3);
    struct sampler sampler;
    init(&sampler, &sampling, 2);
    run(&sampler);
    sampler_time_calls(&sampler);
    assert_int_equal(script.untimed, 42); // twenty and one before, each side
    assert_true(fabs(sampler.sides[0].call_wall_ns - 100001) < 1);
    assert_true(fabs(sampler.sides[1].call_wall_ns - 200001) < 1);
    script.launch_ns[0] = 15e6; // slow kernels do with few
    script.untimed = 0;
    sampler_time_calls(&sampler);
    assert_int_equal(script.untimed, 4 + 21);
    script.fail_at = script.batches;
    sampler_time_calls(&sampler);
    assert_int_equal(sampler.failure.kind, SAMPLER_FAILURE_LAUNCH);
    assert_int_equal(sampler.failure.side, 0);
    sampler_fini(&sampler);
    init(&sampler, &sampling, 1);
    fake_device.is_virtual = true;
    sampler_time_calls(&sampler);
    assert_true(sampler.sides[0].call_wall_ns == 0);
    sampler_fini(&sampler);
}

// A block of one second counts the time that samples take, not the sample time requested.
static void test_sustained_blocks_of_slow_kernels(void **state) {
    (void)state;
    struct sampling sampling = quick(20);
    sampling.power_mode = POWER_MODE_SUSTAINED;
    struct sampler sampler;
    char order[2048];
    init(&sampler, &sampling, 2);
    sampler.audit_begin = NULL;
    script.launch_ns[0] = 100e6; // ten make a second
    script.launch_ns[1] = 200e6;
    run(&sampler);
    order_of(&sampler, order, sizeof order);
    const bool begins_with_a = order[0] == 'A';
    assert_int_equal(strncmp(order,
                             begins_with_a ? "AAAAAAAAAABBBBBBBBBBBBBBBBBBBBAAAAAAAAAA"
                                           : "BBBBBBBBBBAAAAAAAAAAAAAAAAAAAABBBBBBBBBB",
                             40),
                     0);
    sampler_fini(&sampler);
}

// Energy and power of each side alone, although the counter lags: 300 W for 10 ms, 600 W for 20 ms a launch.
static void test_energy(void **state) {
    (void)state;
    struct sampling sampling = quick(300);
    sampling.power_mode = POWER_MODE_SUSTAINED;
    sampling.sample_time_ns = 10000000;
    for (uint64_t lag_ms = 0; lag_ms <= 100; lag_ms += 25) {
        struct sampler sampler;
        init(&sampler, &sampling, 2);
        fake_device.backend = &fake_backend_clocked;
        fake_device.state_resolution_ns = 1e8;
        script.energy_lag_ns = lag_ms * 1000000;
        script.launch_ns[0] = 10e6;
        script.launch_ns[1] = 20e6;
        script.power_w[0] = 300;
        script.power_w[1] = 600;
        run(&sampler);
        assert_float_equal(energy_meter_launch_j(&sampler.sides[0].energy), 3, 0.01);
        assert_float_equal(energy_meter_launch_j(&sampler.sides[1].energy), 12, 0.04);
        assert_float_equal(energy_meter_power_w(&sampler.sides[0].energy), 300, 1);
        assert_float_equal(energy_meter_power_w(&sampler.sides[1].energy), 600, 2);
        sampler_fini(&sampler);
    }
}

// None where sides alternate sample by sample, where caches are emptied in between, and without a counter.
static void test_energy_unknown(void **state) {
    (void)state;
    for (int why = 0; why < 3; ++why) {
        struct sampling sampling = quick(300);
        sampling.power_mode = why == 0 ? POWER_MODE_COOL : POWER_MODE_SUSTAINED;
        if (why == 1) sampling.cache_mode = CACHE_COLD;
        struct sampler sampler;
        init(&sampler, &sampling, 2);
        fake_device.backend = &fake_backend_clocked;
        for (size_t i = 0; i < 2; ++i) script.power_w[i] = why == 2 ? 0 : 300;
        run(&sampler);
        for (size_t i = 0; i < 2; ++i) {
            assert_true(isnan(energy_meter_launch_j(&sampler.sides[i].energy)));
            assert_true(isnan(energy_meter_power_w(&sampler.sides[i].energy)));
        }
        sampler_fini(&sampler);
    }
}

// Not being able to write or read canaries is an error of ours and no kernel's fault.
static void test_canaries_fail(void **state) {
    (void)state;
    const struct sampling sampling = quick(20);
    struct sampler sampler;
    init(&sampler, &sampling, 2);
    script.broken_from = 7;
    assert_int_equal(sampler_prepare(&sampler, NULL), 0);
    assert_int_equal(sampler_run(&sampler, NULL), -ERR_UNAVAILABLE);
    assert_int_equal(sampler.failure.kind, SAMPLER_FAILURE_NONE);
    assert_int_equal(script.begun, 8);
    sampler_fini(&sampler);
}

static bool keep_busy(void *arg) {
    return !arg || --*(int *)arg > 0;
}

// On a virtual device time stands still while nothing is launched.
static void test_stabilize_ends_with_a_kernel(void **state) {
    (void)state;
    struct sampler sampler;
    const struct sampling sampling = quick(1);
    init(&sampler, &sampling, 1);
    int launches = 3;
    const struct stabilize_request request = {.device = &fake_device,
                                              .least_ns = UINT64_MAX,
                                              .limit_ns =
                                                  stabilize_limit_ns(sampling_default().stabilize_ns, false),
                                              .keep_busy = keep_busy,
                                              .arg = &launches};
    const struct stabilize_result result = stabilize_run(&request);
    assert_false(result.is_stable);
    assert_int_equal(launches, 0);
    sampler_fini(&sampler);
}

static void test_stabilize(void **state) {
    (void)state;
    struct sampler sampler;
    const struct sampling sampling = quick(1);
    init(&sampler, &sampling, 1);
    struct stabilize_request request = {.device = &fake_device,
                                        .least_ns = 1000,
                                        .limit_ns =
                                            stabilize_limit_ns(sampling_default().stabilize_ns, false),
                                        .keep_busy = keep_busy};
    struct stabilize_result result = stabilize_run(&request);
    assert_true(result.is_stable);
    assert_true(result.spread_pct == 0);
    script.clock_drift = 1e-5; // ten readings lie within 0.01 %
    result = stabilize_run(&request);
    assert_true(result.is_stable);
    script.clock_drift = 1e-3;
    const uint64_t again_ns = request.limit_ns = stabilize_limit_ns(sampling_default().stabilize_ns, true);
    result = stabilize_run(&request);
    assert_false(result.is_stable);
    assert_true(result.duration_ns >= again_ns && result.duration_ns < 2 * again_ns);
    script.clock_hz = NAN; // a device without such a clock: the least time is all there is to wait for
    result = stabilize_run(&request);
    assert_true(result.is_stable);
    assert_true(isnan(result.spread_pct));
    sampler_fini(&sampler);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_launches_fill_a_sample),
        cmocka_unit_test(test_noise_asks_for_more),
        cmocka_unit_test(test_until),
        cmocka_unit_test(test_discards),
        cmocka_unit_test(test_clocks_apart),
        cmocka_unit_test(test_wrong_sides),
        cmocka_unit_test(test_audit_is_hidden),
        cmocka_unit_test(test_sustained_blocks),
        cmocka_unit_test(test_sustained_blocks_of_slow_kernels),
        cmocka_unit_test(test_energy),
        cmocka_unit_test(test_energy_unknown),
        cmocka_unit_test(test_whole_rotations),
        cmocka_unit_test(test_kernel_clock),
        cmocka_unit_test(test_cool_down),
        cmocka_unit_test(test_single_calls),
        cmocka_unit_test(test_canaries_fail),
        cmocka_unit_test(test_stabilize),
        cmocka_unit_test(test_stabilize_ends_with_a_kernel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
