// SPDX-License-Identifier: Apache-2.0
//
// A worker on a simulated device: the same order gives the same samples, noise is per side, a right kernel
// passes every check, deaths and hangs are real, and windows are valid or not for their reasons.
#include <math.h>
#include <signal.h>
#include <stdio.h>

#include "unit/query_worker.h"

// ---- an order: two equal kernels on two problems ----

struct scene {
    struct sim_device device;
    struct sim_kernel kernels[2];
    struct work_case cases[3];
    struct work_order order;
};

static void set_case(struct scene *scene, uint32_t index, const char *name) {
    scene->cases[index] = order_case(index, name, 3);
    if (scene->order.case_count <= index) scene->order.case_count = index + 1;
}

static void set_scene(struct scene *scene) {
    memset(scene, 0, sizeof *scene);
    scene->device = sim_device_quiet("sim:test");
    scene->device.noise.cv_pct = 1;
    scene->device.noise.process_pct = 2;
    scene->kernels[0] = scene->kernels[1] = sim_kernel_plain("plain");
    struct work_order *order = &scene->order;
    *order = (struct work_order){.kind = WORK_ROUND,
                                 .device = "sim:test",
                                 .sim = &scene->device,
                                 .seed = 42,
                                 .side_count = 2,
                                 .cases = scene->cases,
                                 .sampling = sampling_default()};
    order->sides[0] = (struct work_side){.label = "baseline", .sim = &scene->kernels[0]};
    order->sides[1] = (struct work_side){.label = "candidate", .sim = &scene->kernels[1]};
    order->sampling.sample_count = 20;
    set_case(scene, 0, "scale/fp32/n64");
    set_case(scene, 1, "scale/fp16/n100/a3");
}

static const struct samples *samples_of(const struct answer *answer, uint32_t side, uint32_t case_index) {
    const struct record *record = answer_find_case(answer, RECORD_SAMPLES, side, case_index);
    if (!record) fail_msg("no samples of side %u in case %u; %s", side, case_index, answer->tail);
    return &record->samples;
}

static double mean_launch_ns(const struct answer *answer, uint32_t side, uint32_t case_index) {
    const struct samples *samples = samples_of(answer, side, case_index);
    double sum = 0;
    for (size_t i = 0; i < samples->count; ++i)
        sum += (double)samples->items[i].duration_ns / samples->items[i].launches;
    return sum / (double)samples->count;
}

// ---- rounds ----

static void test_round(void **state) {
    (void)state;
    struct scene scene;
    struct answer answer;
    set_scene(&scene);
    scene.kernels[1].slower_pct = 40;
    scene.kernels[1].slower_on = "scale/fp16/n100/a3";
    ask(&scene.order, &answer);
    assert_int_equal(answer.status.exit_code, 0);
    const struct environment *hello = &answer.records[0].environment;
    char uuid[64];
    sim_device_uuid(&scene.device, uuid);
    assert_string_equal(hello->device, "sim:test");
    assert_string_equal(hello->device_uuid, uuid);
    assert_string_equal(hello->device_name, "simulated: sim:test");
    assert_int_equal(hello->thread_count, 1);
    for (uint32_t c = 0; c < 2; ++c) {
        for (uint32_t side = 0; side < 2; ++side) {
            const struct record *check = answer_find_case(&answer, RECORD_CHECK, side, c);
            assert_non_null(check);
            assert_int_equal(check->check.outcome, OUTCOME_OK);
            const struct samples *samples = samples_of(&answer, side, c);
            assert_int_equal(samples->count, 22); // 20, the first and the audit
            for (size_t i = 0; i < samples->count; ++i) {
                assert_true(samples->items[i].launches >= 7 && samples->items[i].launches <= 11); // 1 ms
                assert_true(fabs(samples->items[i].clock_hz / 1.5e9 - 1) <= 0.0005);
            }
            const double truth_ns = c == 1 && side == 1 ? 140e3 : 100e3;
            assert_true(fabs(mean_launch_ns(&answer, side, c) / truth_ns - 1) < 0.08);
        }
        const struct record *window = answer_find_case(&answer, RECORD_CASE_STATE, 0, c);
        assert_non_null(window);
        assert_true(window->is_valid);
        assert_string_equal(window->state.throttle, "none");
        assert_int_equal(window->state.other_process_count, 0);
        assert_true(window->state.temperature_c == 50 && window->state.others_pct == 0);
        assert_true(window->state.window_ns > 40e6);
    }
    answer_fini(&answer);
}

static size_t first_of(const struct answer *answer, uint32_t side, enum record_kind kind) {
    size_t i = 0;
    while (i < answer->count && !(answer->records[i].kind == kind && answer->records[i].side == side)) ++i;
    return i;
}

// The side that is started, checked and timed first changes from round to round.
static void test_sides_take_turns(void **state) {
    (void)state;
    for (uint32_t flipped = 0; flipped < 2; ++flipped) {
        const uint32_t leader = flipped, follower = 1 - flipped;
        struct scene scene;
        struct answer answer;
        set_scene(&scene);
        scene.order.is_first_side_flipped = flipped != 0;
        ask(&scene.order, &answer);
        assert_true(first_of(&answer, leader, RECORD_CASE) < first_of(&answer, follower, RECORD_CASE));
        const struct samples *led = samples_of(&answer, leader, 1),
                             *followed = samples_of(&answer, follower, 1);
        assert_true(led->items[0].start_ns < followed->items[0].start_ns); // A B
        assert_true(led->items[1].start_ns > followed->items[1].start_ns); // B A
        answer_fini(&answer);
    }
}

static bool are_equal(const struct answer *a, const struct answer *b, uint32_t side) {
    const struct samples *x = samples_of(a, side, 1), *y = samples_of(b, side, 1);
    if (x->count != y->count) return false;
    for (size_t i = 0; i < x->count; ++i) {
        const struct sample *p = &x->items[i], *q = &y->items[i];
        if (p->start_ns != q->start_ns || p->duration_ns != q->duration_ns || p->launches != q->launches ||
            p->clock_hz != q->clock_hz || p->discard != q->discard)
            return false;
    }
    return true;
}

static void test_same_order_same_samples(void **state) {
    (void)state;
    struct scene scene;
    struct answer first, again;
    set_scene(&scene);
    scene.device.noise = (struct sim_noise){.cv_pct = 2,
                                            .ar1 = 0.5,
                                            .tail_pct = 50,
                                            .tail_share_pct = 5,
                                            .mode_slower_pct = 5,
                                            .mode_share_pct = 50,
                                            .mode_dwell_ms = 10,
                                            .process_pct = 1,
                                            .drift_pct_per_s = 1};
    ask(&scene.order, &first);
    ask(&scene.order, &again);
    assert_true(are_equal(&first, &again, 0) && are_equal(&first, &again, 1));
    assert_true(answer_find_case(&first, RECORD_CHECK, 1, 1)->check.duration_ns ==
                answer_find_case(&again, RECORD_CHECK, 1, 1)->check.duration_ns);
    assert_true(first.records[first.count - 1].time_ns - first.records[0].time_ns ==
                again.records[again.count - 1].time_ns - again.records[0].time_ns); // all of it is virtual
    answer_fini(&again);
    for (int changed = 0; changed < 4; ++changed) { // and nothing else gives them
        struct work_order order = scene.order;
        struct sim_device device = scene.device;
        order.sim = &device;
        if (changed == 0) order.seed = 43;
        if (changed == 1) order.round = 1;
        if (changed == 2) order.attempt = 1;
        if (changed == 3) device.seed = 1;
        ask(&order, &again);
        assert_false(are_equal(&first, &again, 0));
        assert_false(are_equal(&first, &again, 1));
        answer_fini(&again);
    }
    answer_fini(&first);
}

// Launches of a second leave room for few readings of the clock: that is said, and the samples are taken.
static void test_slow_kernels(void **state) {
    (void)state;
    struct scene scene;
    struct answer answer;
    set_scene(&scene);
    scene.kernels[0].base_us = scene.kernels[1].base_us = 1e6;
    const uint64_t begin_ns = clock_ns();
    ask(&scene.order, &answer);
    assert_true(clock_ns() - begin_ns < 10000000000u); // a minute and more of virtual time
    const struct record *warning = answer_find_case(&answer, RECORD_WARNING, 0, 0);
    assert_non_null(warning);
    assert_non_null(strstr(warning->text, "the clock had not stabilized after "));
    assert_non_null(strstr(warning->text, "(too few readings)"));
    assert_int_equal(samples_of(&answer, 0, 0)->items[0].launches, 1);
    assert_true(samples_of(&answer, 0, 0)->count > 10); // what the budget of 30 s leaves
    answer_fini(&answer);
}

// A clock that others move does not stabilize: only the worker's first problem waits for it in full.
static void test_restless_clock(void **state) {
    (void)state;
    static const char *const limits[] = {"not stabilized after 5.0 s (last",
                                         "not stabilized after 0.5 s (last"};
    struct scene scene;
    struct answer answer;
    size_t said = 0;
    set_scene(&scene);
    scene.kernels[0].base_us = scene.kernels[1].base_us = 2e4; // ten like readings are no matter of chance
    scene.device.noise.mode_slower_pct = 5;
    scene.device.noise.mode_share_pct = 50;
    scene.device.noise.mode_dwell_ms = 1;
    scene.device.noise.is_mode_a_clock = true;
    ask(&scene.order, &answer);
    for (size_t i = 0; i < answer.count; ++i) {
        const struct record *record = &answer.records[i];
        if (record->kind != RECORD_WARNING || !strstr(record->text, "stabilized")) continue;
        assert_true(said < 2);
        assert_non_null(strstr(record->text, limits[said++]));
    }
    assert_int_equal(said, 2);
    answer_fini(&answer);
}

// A/A: the same kernel under the same label twice is two processes' worth of noise.
static void test_equal_sides_differ(void **state) {
    (void)state;
    struct scene scene;
    struct answer answer;
    set_scene(&scene);
    scene.order.sides[1].label = scene.order.sides[0].label;
    scene.device.noise = (struct sim_noise){.process_pct = 2};
    ask(&scene.order, &answer);
    assert_true(fabs(log(mean_launch_ns(&answer, 0, 0) / mean_launch_ns(&answer, 1, 0))) > 1e-4);
    assert_true(fabs(log(mean_launch_ns(&answer, 0, 1) / mean_launch_ns(&answer, 1, 1))) > 1e-4);
    answer_fini(&answer);
}

// The oracle is no fast kernel, least of all on many slices under a sanitizer (65 537 take it 25 s); such
// problems are checked by the command line's tests.
static bool is_cheap(const struct problem *problem) {
    uint64_t groups = 1, rows = 1;
    if (problem->op->slice_counts) problem->op->slice_counts(problem, &groups, &rows);
    return problem_flops(problem) <= 3e6 && groups <= 4096;
}

// Every operator, memory layout and input distribution that real kernels are checked with.
static void test_checks_pass(void **state) {
    (void)state;
    struct scene scene;
    set_scene(&scene);
    scene.order.kind = WORK_CHECK;
    scene.order.repeat_count = 4;
    size_t count = 0;
    for (size_t o = 0; operator_at(&operators_compiled, o); ++o) {
        static const char *const dtypes[] = {"fp32", "fp16", "bf16"};
        for (size_t d = 0; d < 3; ++d) {
            struct arena arena = {0};
            const struct op_cases cases =
                problem_boundary(operator_at(&operators_compiled, o), dtypes[d], &arena);
            for (size_t i = 0; i < cases.count; ++i) {
                const struct op_case *wanted = &cases.items[i];
                if (!is_cheap(&wanted->problem) || wanted->memory_layout == MEMORY_LAYOUT_FAR) continue;
                struct work_case *item = &scene.cases[0];
                *item = (struct work_case){.problem = wanted->problem,
                                           .distribution = wanted->distribution,
                                           .memory_layout = wanted->memory_layout,
                                           .seed = i,
                                           .side_mask = 1};
                scene.order.case_count = 1;
                struct answer answer;
                ask(&scene.order, &answer);
                const struct record *check = answer_find_case(&answer, RECORD_CHECK, 0, 0);
                assert_non_null(check);
                if (check->check.outcome != OUTCOME_OK)
                    fail_msg("%s %s: %s", wanted->problem.name, wanted->distribution, check->check.message);
                answer_fini(&answer);
                ++count;
            }
            arena_fini(&arena);
        }
    }
    assert_true(count > 30);
}

// ---- ends ----

static void test_crash(void **state) {
    (void)state;
    struct scene scene;
    struct answer answer;
    set_scene(&scene);
    scene.kernels[1].crash_at_launch = 2; // in its check; side 0 has none
    ask(&scene.order, &answer);
    assert_int_equal(answer.status.end, PROC_SIGNALED);
    assert_int_equal(answer.status.signal, SIGABRT);
    assert_int_equal(answer.records[answer.count - 1].kind, RECORD_CASE); // what it died in
    assert_int_equal(answer.records[answer.count - 1].side, 1);
    assert_int_equal(answer.records[answer.count - 1].case_index, 0);
    answer_fini(&answer);
    // 200 ms of stabilization are 1000 launches of each: in the samples
    scene.kernels[1].crash_at_launch = 1100;
    ask(&scene.order, &answer);
    assert_int_equal(answer.status.end, PROC_SIGNALED);
    assert_int_equal(answer.records[answer.count - 1].side, RECORD_SIDE_ALL);
    answer_fini(&answer);
    scene.kernels[1].crash_at_launch = 1000000;
    ask(&scene.order, &answer);
    assert_int_equal(answer.status.exit_code, 0);
    answer_fini(&answer);
}

static void test_hang(void **state) {
    (void)state;
    struct scene scene;
    struct answer answer;
    set_scene(&scene);
    scene.kernels[0].hang_at_launch = 3;
    query_for(&scene.order, 300000000u, &answer);
    assert_int_equal(answer.status.end, PROC_TIMEOUT);
    assert_int_equal(answer.records[answer.count - 1].kind, RECORD_CASE);
    answer_fini(&answer);
}

static void expect_exit(const struct work_order *order, int code, const char *words) {
    struct answer answer;
    ask(order, &answer);
    if (answer.status.exit_code != code || !answer.tail || !strstr(answer.tail, words))
        fail_msg("exit %d, expected %d; '%s' should say '%s'", answer.status.exit_code, code,
                 answer.tail ? answer.tail : "", words);
    answer_fini(&answer);
}

static void test_refused(void **state) {
    (void)state;
    struct scene scene;
    set_scene(&scene);
    scene.order.sim = NULL;
    expect_exit(&scene.order, 69, "device 'sim:test' has no script");
    scene.order.device = "sim";
    expect_exit(&scene.order, 69, "device 'sim' has no script");
    set_scene(&scene);
    scene.order.device = "sim:other";
    expect_exit(&scene.order, 69, "device 'sim:other' has no script");
    set_scene(&scene);
    scene.order.kind = WORK_CEILINGS;
    expect_exit(&scene.order, 69, "simulated");
    scene.order.kind = WORK_DESCRIBE;
    expect_exit(&scene.order, 64, "kernel 'plain' is simulated");
    set_scene(&scene);
    scene.order.device = "cpu";
    expect_exit(&scene.order, 64, "kernel 'plain' is for backend 'sim'");
    set_scene(&scene);
    scene.order.sides[1] = (struct work_side){.label = "candidate", .kernel_name = "naive"};
    expect_exit(&scene.order, 64, "kernel 'naive' is for backend 'cpu'");
    set_scene(&scene);
    scene.device.noise.ar1 = 1;
    expect_exit(&scene.order, 65, "'ar1'");
}

// ---- windows ----

// The cause that a record has beside its sentence; NULL: none.
static enum invalid_cause cause_of(const char *sentence) {
    static const struct {
        const char *words;
        enum invalid_cause cause;
    } known[] = {
        {"the device was slowed down", INVALID_CAUSE_THROTTLED},
        {" used the device", INVALID_CAUSE_OTHER_PROCESS},
        {"the machine was busy", INVALID_CAUSE_BUSY},
        {"clock probes of the sides", INVALID_CAUSE_CLOCKS_APART},
    };
    for (size_t i = 0; sentence && i < sizeof known / sizeof *known; ++i)
        if (strstr(sentence, known[i].words)) return known[i].cause;
    return INVALID_CAUSE_NONE;
}

// words NULL: valid. ret_state may be NULL.
static void expect_window(const struct scene *scene, const char *words, struct device_state *ret_state) {
    struct answer answer;
    ask(&scene->order, &answer);
    assert_int_equal(answer.status.exit_code, 0);
    const struct record *window = answer_find_case(&answer, RECORD_CASE_STATE, 0, 0);
    assert_non_null(window);
    assert_true(window->is_valid == !words);
    assert_true(window->is_valid == !window->text);
    if (words && !strstr(window->text, words)) fail_msg("'%s' should say '%s'", window->text, words);
    assert_int_equal(window->invalid_cause, cause_of(window->text));
    if (ret_state) *ret_state = window->state;
    answer_fini(&answer);
}

static void test_windows(void **state) {
    (void)state;
    struct scene scene;
    struct device_state got;
    set_scene(&scene);
    struct sim_episode episode = {.from_round = 1, .to_round = 1, .temperature_c = NAN, .attempt_count = 1};
    scene.device.episodes = &episode;
    scene.device.episode_count = 1;
    scene.order.round = 1;

    episode.throttle = "hw_slowdown,sw_power_cap";
    expect_window(&scene,
                  "the device was slowed down (hw_slowdown, 50 C) when the window of this case began or "
                  "ended; no hardware or thermal slowdown is allowed",
                  &got);
    assert_string_equal(got.throttle, "sw_power_cap,hw_slowdown");
    scene.order.attempt = 1; // it has passed
    expect_window(&scene, NULL, &got);
    assert_string_equal(got.throttle, "none");
    scene.order.attempt = 0;

    static const char *const slowdowns[] = {"sw_thermal_slowdown", "hw_thermal_slowdown",
                                            "hw_power_brake_slowdown"};
    for (size_t i = 0; i < 3; ++i) {
        episode.throttle = slowdowns[i];
        episode.temperature_c = 92;
        expect_window(&scene, slowdowns[i], &got);
        assert_true(got.temperature_c == 92);
    }
    expect_window(&scene, "92 C", NULL);
    scene.device.temperature_c = episode.temperature_c = NAN;
    expect_window(&scene, "(hw_power_brake_slowdown)", &got);
    assert_true(isnan(got.temperature_c));

    episode.throttle = "sw_power_cap,sync_boost,application_clocks,display_clocks"; // these only warn
    episode.slower_pct = 20;
    expect_window(&scene, NULL, &got);
    assert_string_equal(got.throttle, "sw_power_cap,sync_boost,application_clocks,display_clocks");
    assert_true(fabs(got.clock_probe_hz / (1.5e9 / 1.2) - 1) < 0.001); // throttled: the clock shows it
    episode.throttle = NULL;
    expect_window(&scene, NULL, &got);
    assert_true(fabs(got.clock_probe_hz / 1.5e9 - 1) < 0.001); // slower for a reason that no clock shows

    episode.other_process_count = 1;
    expect_window(&scene, "1 other process used the device", NULL);
    episode.other_process_count = 3;
    expect_window(&scene, "3 other processes used the device when", &got);
    assert_int_equal(got.other_process_count, 3);
    episode.other_process_count = 0;

    episode.others_pct = 1.9;
    expect_window(&scene, NULL, &got);
    assert_true(fabs(got.others_pct - 1.9) < 0.01);
    episode.others_pct = 2.1;
    expect_window(&scene, "the machine was busy: other programs had 2.1 %", NULL);
}

// Of 24 windows of twelve rounds, those in which the sides had different clocks.
static size_t count_clocks_apart(struct scene *scene) {
    size_t invalid = 0;
    for (uint32_t round = 0; round < 12; ++round) {
        scene->order.round = round;
        struct answer answer;
        ask(&scene->order, &answer);
        for (uint32_t c = 0; c < 2; ++c) {
            const struct record *window = answer_find_case(&answer, RECORD_CASE_STATE, 0, c);
            assert_non_null(window);
            invalid += !window->is_valid;
            if (!window->is_valid) assert_non_null(strstr(window->text, "clock probes of the sides were"));
            assert_int_equal(window->invalid_cause, cause_of(window->text));
        }
        answer_fini(&answer);
    }
    return invalid;
}

// Two clocks in turn: sides whose medians fall on different ones, after three times the samples too, are
// told apart, rounds that meet the same are not. In the sustained power mode a side's clock belongs to what
// is compared.
static void test_two_clocks(void **state) {
    (void)state;
    struct scene scene;
    set_scene(&scene);
    scene.device.noise =
        (struct sim_noise){.mode_slower_pct = 5, .mode_share_pct = 50, .is_mode_a_clock = true};
    const size_t invalid = count_clocks_apart(&scene);
    assert_true(invalid >= 1 && invalid < 12);
    scene.order.sampling.power_mode = POWER_MODE_SUSTAINED;
    assert_int_equal(count_clocks_apart(&scene), 0);
    scene.order.sampling.power_mode = POWER_MODE_COOL;
    scene.device.noise.is_mode_a_clock = false; // the same times, one clock
    expect_window(&scene, NULL, NULL);
    scene.device.noise = (struct sim_noise){0};
    scene.device.clock_mhz = NAN; // no clock to judge
    struct device_state got;
    expect_window(&scene, NULL, &got);
    assert_true(isnan(got.clock_probe_hz));
}

// Times are a script's: none of the noise that a script may ask for is taken for results that are kept.
static void test_noise_is_no_cheating(void **state) {
    (void)state;
    static const struct sim_noise loud[] = {
        {.cv_pct = 100, .ar1 = -0.999},
        {.cv_pct = 100, .ar1 = 0.999},
        {.tail_pct = 10000, .tail_share_pct = 50},
        {.cv_pct = 50,
         .mode_slower_pct = 900,
         .mode_share_pct = 50,
         .mode_dwell_ms = 50,
         .drift_pct_per_s = 1000},
    };
    struct scene scene;
    struct answer answer;
    set_scene(&scene);
    for (size_t i = 0; i < sizeof loud / sizeof loud[0]; ++i) {
        struct err err = {0};
        scene.device.noise = loud[i];
        if (sim_device_check(&scene.device, "loud", &err) < 0) fail_msg("%s", err.text);
        for (scene.order.seed = 1; scene.order.seed <= 50; ++scene.order.seed) {
            ask(&scene.order, &answer);
            for (size_t r = 0; r < answer.count; ++r) {
                if (answer.records[r].kind == RECORD_CHECK)
                    assert_int_equal(answer.records[r].check.outcome, OUTCOME_OK);
            }
            answer_fini(&answer);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round),
        cmocka_unit_test(test_sides_take_turns),
        cmocka_unit_test(test_same_order_same_samples),
        cmocka_unit_test(test_slow_kernels),
        cmocka_unit_test(test_restless_clock),
        cmocka_unit_test(test_equal_sides_differ),
        cmocka_unit_test(test_checks_pass),
        cmocka_unit_test(test_crash),
        cmocka_unit_test(test_hang),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_windows),
        cmocka_unit_test(test_two_clocks),
        cmocka_unit_test(test_noise_is_no_cheating),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
