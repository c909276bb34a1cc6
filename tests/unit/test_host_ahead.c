// SPDX-License-Identifier: Apache-2.0
//
// What a host does before it is asked for the launches of a batch, as the judge's clock counts it, and what
// requests tell it.
#include "host_played.h"
#include "worker/host/host_client_internal.h"

static int answers_read;

static void read_answer(void *arg) {
    (void)arg;
    ++answers_read;
}

// The judge's turn on the device, before the launches and after the answer.
static struct {
    double ahead_ns, after_ns;
    bool is_after;
} turns;

static uint64_t nobody_else(struct device *device, double *turn_ns) {
    (void)device;
    if (turn_ns) *turn_ns = turns.is_after ? turns.after_ns : turns.ahead_ns;
    turns.is_after = !turns.is_after;
    return 0;
}

static const struct backend turns_backend = {.name = "turns", .wait_for_others = nobody_else};

// A batch whose data the host knows from when it is continued, on a processor and where processes take turns:
// what the host does before it is asked for the launches counts.
static void test_time_ahead(void **state) {
    (void)state;
    static const char *const scripts[] = {"late_on_continue", "late_hello"};
    struct device turns_device = {.backend = &turns_backend};
    struct device *const devices[] = {&no_device, &turns_device};
    for (size_t i = 0; i < 4; ++i) {
        struct kernel_prepared prepared;
        struct batch_time time = {0};
        const struct batch batch = {
            .set_count = 1, .launches = 1, .is_timed = true, .on_answer = read_answer};
        open_and_prepare(scripts[i % 2], &prepared);
        answers_read = 0;
        assert_int_equal(host_run(host, devices[i / 2], &batch, &time, NULL), ASSAY_OK);
        assert_int_equal(answers_read, 1);
        assert_int_equal(time.duration_ns, 1000);
        // The judge leaves out what an exchange costs, which is milliseconds where all processors are busy.
        if (time.ahead_ns < LATE_NS || time.judge_ns < LATE_NS / 2)
            fail_msg("%s: %llu ns ahead, %llu ns counted", scripts[i % 2], (unsigned long long)time.ahead_ns,
                     (unsigned long long)time.judge_ns);
        host_close(host);
    }
}

// A host that is slow to wake is not blamed for it where the judge's turn on the device went on: nothing was
// computed there. A turn that might be a switch counts, however long a host makes switches look.
static void test_waking_beside_an_idle_device(void **state) {
    (void)state;
    static const struct {
        double switch_ns, ahead_ns;
        bool is_idle;
    } rows[] = {{80000, 39999, true},     {80000, 40000, false},      {200000, 49999, true},
                {200000, 50000, false},   {1e9, 50000, false},        {0, 0, false},
                {80000, INFINITY, false}, {INFINITY, INFINITY, false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        const struct host_exchange exchange = {.ahead_ns = 85000, .turn_ns = rows[i].switch_ns};
        assert_true(host_known_ahead_ns(&exchange, true, rows[i].ahead_ns) ==
                    (rows[i].is_idle ? 585000 : 135000));
        assert_true(host_known_ahead_ns(&exchange, false, rows[i].ahead_ns) == 3 * 85000);
    }
}

// A host with hooks may be slow to wake beside an idle device, too, and then brings outputs, of which it is
// known what that takes. They come back in as long, or all of it counts.
static void test_bringing_outputs(void **state) {
    (void)state;
    static const struct {
        uint64_t ahead_ns, stage_ns, collect_ns;
        double turn_ns, excess_ns;
    } rows[] = {{585000, 300000, 300000, 10000, 0},      {586000, 300000, 300000, 10000, 1000},
                {585000, 301000, 300000, 10000, 1000},   {585000, 300000, 300001, 10000, 100001},
                {585000, 300000, 300000, 60000, 450000}, {135000, 300000, 300000, 60000, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        const struct host_exchange exchange = {.ahead_ns = 85000, .turn_ns = 120000, .collect_ns = 200000};
        const struct host_window window = {.ahead_ns = rows[i].ahead_ns,
                                           .stage_ns = rows[i].stage_ns,
                                           .collect_ns = rows[i].collect_ns,
                                           .ahead_turn_ns = rows[i].turn_ns};
        assert_true(host_excess_ns(&exchange, true, &window) == rows[i].excess_ns);
    }
}

// What a switch costs is measured with nothing to launch, and no more than the quickest side's.
static void test_switch_is_measured(void **state) {
    (void)state;
    const struct batch batch = {.set_count = 1, .launches = 1, .is_timed = true};
    const struct host_cost quicker = {.exchange_ns = INFINITY, .ahead_ns = INFINITY, .turn_ns = 80000},
                           slower = {.exchange_ns = INFINITY, .ahead_ns = INFINITY, .turn_ns = 90000};
    struct device device = {.backend = &turns_backend};
    struct kernel_prepared prepared;
    open_and_prepare("honest", &prepared);
    turns.ahead_ns = 12000, turns.after_ns = 152000, turns.is_after = false;
    assert_true(host_measure_exchange(host, &device, &batch));
    assert_true(host_cost(host).turn_ns == 152000);
    host_limit_cost(host, &quicker);
    host_limit_cost(host, &slower);
    assert_true(host_cost(host).turn_ns == 80000);
    host_close(host);
}

// A side whose launches take long to enqueue waits behind a longer blocking kernel when nothing is launched,
// too: that is no cost of its process.
static void test_blocking_is_no_cost(void **state) {
    (void)state;
    const struct host_cost least = {.exchange_ns = 339000, .ahead_ns = INFINITY, .turn_ns = INFINITY};
    struct host long_to_enqueue = {.exchange = {.median_ns = 744000, .spread_ns = 50000},
                                   .exchange_blocking_ns = 405000};
    assert_true(host_cost(&long_to_enqueue).exchange_ns == 339000);
    host_limit_cost(&long_to_enqueue, &least);
    assert_true(long_to_enqueue.exchange.median_ns == 744000);
    assert_true(long_to_enqueue.exchange.spread_ns == 50000);
    long_to_enqueue.exchange.median_ns = 757000;
    host_limit_cost(&long_to_enqueue, &least);
    assert_true(long_to_enqueue.exchange.median_ns == 744000);
    assert_true(long_to_enqueue.exchange.spread_ns == 63000);
}

// What one thread of the host takes from another is taken by nobody else, though both are the harness's as
// far as the judge can see.
static void test_threads_ahead(void **state) {
    (void)state;
    struct kernel_prepared prepared;
    struct batch_time time;
    char text[512] = "";
    open_and_prepare("late_threads", &prepared);
    assert_int_equal(run_once(&time, text, sizeof text), ASSAY_OK);
    assert_true(time.judge_ns >= UINT64_C(2) * LATE_NS / 100 * 95);
    host_close(host);
}

// What it takes when nothing is launched, too, is its cost only as far as another host's.
static void test_cost_ahead(void **state) {
    (void)state;
    struct kernel_prepared prepared;
    struct batch_time time;
    char text[512] = "";
    const struct batch batch = {.set_count = 1, .launches = 1, .is_timed = true};
    open_and_prepare("honest", &prepared);
    assert_true(host_measure_exchange(host, &no_device, &batch));
    const struct host_cost cost = host_cost(host);
    assert_true(cost.exchange_ns > 0 && cost.ahead_ns > 0);
    host_close(host);
    open_and_prepare("late_hello", &prepared);
    assert_true(host_measure_exchange(host, &no_device, &batch));
    assert_true(host_cost(host).ahead_ns <= 30000); // nobody else says what it costs
    host_limit_cost(host, &cost);
    assert_true(host_cost(host).ahead_ns <= cost.ahead_ns);
    assert_int_equal(run_once(&time, text, sizeof text), ASSAY_OK);
    assert_true(time.judge_ns >= LATE_NS - 3 * 50000);
    host_close(host);
}

// Threads that spin on are known only once the cost of an exchange is, and a single thread is none; a new
// measurement of the cost forgets them. To settle is to run for a while.
static void test_settling(void **state) {
    (void)state;
    static const char *const scripts[] = {"honest", "late_on_continue", "late_beside_sleeper"};
    const struct batch batch = {.set_count = 1, .launches = 1, .is_timed = true};
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; ++i) {
        struct kernel_prepared prepared;
        struct batch_time time;
        char text[512] = "";
        open_and_prepare(scripts[i], &prepared);
        assert_int_equal(run_once(&time, text, sizeof text), ASSAY_OK);
        assert_false(host_is_restless(host));
        assert_true(host_measure_exchange(host, &no_device, &batch));
        assert_int_equal(run_once(&time, text, sizeof text), ASSAY_OK);
        assert_int_equal(host_is_restless(host), plays("\"late_beside_sleeper\"", scripts[i]));
        const uint64_t used_ns = host_cpu_ns(host);
        for (int k = 0; k < 100 && host_cpu_ns(host) - used_ns < 100000; ++k) host_settle(host);
        if (host_is_restless(host)) assert_true(host_cpu_ns(host) - used_ns >= 100000);
        assert_int_equal(host_process_runnable_threads(host_pid(host)), 0);
        assert_int_equal(run_once(&time, text, sizeof text), ASSAY_OK);
        assert_true(host_measure_exchange(host, &no_device, &batch));
        assert_false(host_is_restless(host));
        host_close(host);
    }
}

// A check, a single call and a batch of the samples differ by the number of launches alone.
static void test_requests_do_not_tell_what_is_timed(void **state) {
    (void)state;
    static const struct batch batches[] = {{.first_index = 7, .set_count = 1, .launches = 1},
                                           {.set_count = 9, .first_set = 7, .launches = 1, .is_timed = true},
                                           {.set_count = 9, .first_set = 7, .launches = 3, .is_timed = true}};
    static const char *const texts[] = {"7 to 7 from 0, 1", "7 to 7 from 0, 1", "0 to 8 from 7, 3"};
    struct kernel_prepared prepared;
    open_and_prepare("shows_request", &prepared);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
        char text[512] = "";
        struct assay_message message = {.capacity = sizeof text, .text = text};
        assert_int_equal(host_run(host, &no_device, &batches[i], &(struct batch_time){0}, &message), 0);
        assert_string_equal(text, texts[i]);
    }
    host_close(host);
}

int main(int argc, char **argv) {
    if (played_begin(argc, argv)) return 1;
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_time_ahead),
                                       cmocka_unit_test(test_waking_beside_an_idle_device),
                                       cmocka_unit_test(test_switch_is_measured),
                                       cmocka_unit_test(test_blocking_is_no_cost),
                                       cmocka_unit_test(test_threads_ahead),
                                       cmocka_unit_test(test_cost_ahead),
                                       cmocka_unit_test(test_settling),
                                       cmocka_unit_test(test_bringing_outputs),
                                       cmocka_unit_test(test_requests_do_not_tell_what_is_timed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
