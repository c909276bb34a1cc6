// SPDX-License-Identifier: Apache-2.0
//
// The processor as a device: parallel_for runs every index once, guards lie where data ends, a changed guard
// byte is found, the clock is plausible, and the load allows for the kernel's ticks.
#include <dirent.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/mem.h"
#include "worker/backend/backend.h"

static struct device *device;

static int open_device(void **state) {
    (void)state;
    struct err err;
    return device_open(&(struct device_request){.device = "cpu"}, &device, &err);
}

static int close_device(void **state) {
    (void)state;
    device_close(device);
    return 0;
}

struct tally {
    atomic_int *counts;
    uint32_t threads;
    atomic_int wrong;
};

static void count_index(void *arg, int64_t index, uint32_t thread) {
    struct tally *tally = arg;
    atomic_fetch_add(&tally->counts[index], 1);
    if (thread >= tally->threads) atomic_fetch_add(&tally->wrong, 1);
}

static void test_every_index_once(void **state) {
    (void)state;
    const struct assay_cpu_stream *stream = device->host_stream;
    enum { MOST = 3000 };
    struct tally tally = {.counts = mem_alloc(MOST * sizeof *tally.counts), .threads = stream->thread_count};
    const int64_t sizes[] = {0, 1, 2, 3, 17, 1000, MOST};
    for (int round = 0; round < 300; ++round) {
        const int64_t size = sizes[round % 7];
        for (int64_t i = 0; i < MOST; ++i) atomic_store(&tally.counts[i], 0);
        stream->parallel_for(stream, size, count_index, &tally);
        for (int64_t i = 0; i < MOST; ++i) assert_int_equal(atomic_load(&tally.counts[i]), i < size);
    }
    assert_int_equal(atomic_load(&tally.wrong), 0);
    free(tally.counts);
}

static size_t count_threads(void) {
    size_t count = 0;
    DIR *tasks = opendir("/proc/self/task");
    assert_non_null(tasks);
    for (const struct dirent *entry; (entry = readdir(tasks));) count += *entry->d_name != '.';
    closedir(tasks);
    return count;
}

// A process whose kernel gets no stream: as many threads are told as ever, none is started, nothing is left
// out.
static void test_no_helpers(void **state) {
    (void)state;
    const struct device_request request = {.device = "cpu", .is_host = true, .has_no_helpers = true};
    const size_t before = count_threads();
    struct device *alone;
    struct err err = {0};
    cpu_set_t own, all; // the device of the other tests has bound this thread
    assert_int_equal(sched_getaffinity(0, sizeof own, &own), 0);
    memset(&all, 0xff, sizeof all);
    assert_int_equal(sched_setaffinity(0, sizeof all, &all), 0);
    assert_int_equal(device_open(&request, &alone, &err), 0);
    assert_int_equal(count_threads(), before);
    assert_int_equal(alone->info.thread_count, device->info.thread_count);
    struct tally tally = {.counts = mem_alloc(17 * sizeof *tally.counts), .threads = 1};
    alone->host_stream->parallel_for(alone->host_stream, 17, count_index, &tally);
    for (size_t i = 0; i < 17; ++i) assert_int_equal(atomic_load(&tally.counts[i]), 1);
    assert_int_equal(atomic_load(&tally.wrong), 0);
    free(tally.counts);
    device_close(alone);
    assert_int_equal(sched_setaffinity(0, sizeof own, &own), 0);
}

static void *burn(void *arg) {
    atomic_bool *is_over = arg;
    while (!atomic_load(is_over)) continue;
    return NULL;
}

static void burn_index(void *arg, int64_t index, uint32_t thread) {
    (void)index;
    (void)thread;
    const uint64_t until_ns = clock_ns() + *(uint64_t *)arg;
    while (clock_ns() < until_ns) continue;
}

// What our own threads use is not a kernel's, however long they take; what a thread that it starts uses is.
static void test_other_threads(void **state) {
    (void)state;
    const struct assay_cpu_stream *stream = device->host_stream;
    const int64_t idle_ns = device->backend->other_threads_ns(device);
    uint64_t busy_ns = 50000000;
    stream->parallel_for(stream, 2 * (int64_t)stream->thread_count, burn_index, &busy_ns);
    const int64_t other_ns = device->backend->other_threads_ns(device) - idle_ns;
    assert_true(other_ns > -20000000 && other_ns < 20000000); // ticks; ours used five times as much

    atomic_bool is_over = false;
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, burn, &is_over), 0);
    const int64_t before_ns = device->backend->other_threads_ns(device);
    for (int i = 0; i < 1000 && device->backend->other_threads_ns(device) - before_ns < 20000000; ++i)
        clock_sleep_ns(10000000);
    atomic_store(&is_over, true);
    assert_true(device->backend->other_threads_ns(device) - before_ns >= 20000000);
    pthread_join(thread, NULL);
}

static void test_too_many_threads(void **state) {
    (void)state;
    struct device *other = NULL;
    struct err err;
    assert_int_equal(
        device_open(&(struct device_request){.device = "cpu", .thread_count = 100000}, &other, &err),
        -ERR_USAGE);
    assert_int_equal(device_open(&(struct device_request){.device = "abacus"}, &other, &err), -ERR_USAGE);
    assert_int_equal(device_open(&(struct device_request){.device = "cpu:7"}, &other, &err),
                     -ERR_UNAVAILABLE);
    device_close(NULL);
}

static void test_buffers(void **state) {
    (void)state;
    const size_t sizes[] = {1, 16, 100, 4096, 70000};
    for (size_t i = 0; i < 5; ++i)
        for (int barely = 0; barely < 2; ++barely) {
            const struct buffer_spec spec = {.label = "t",
                                             .bytes = sizes[i],
                                             .alignment = barely ? 16 : 256,
                                             .is_barely_aligned = barely != 0,
                                             .shift_bytes = i == 3 ? 512 : 0};
            struct buffer buffer;
            struct err err;
            assert_int_equal(device->backend->buffer_alloc(device, &spec, &buffer, &err), 0);
            const uintptr_t at = (uintptr_t)buffer.data;
            assert_int_equal(at % spec.alignment, 0);
            if (barely) assert_int_equal(at % 32, 16);
            assert_true(buffer.back_bytes < spec.shift_bytes + 2 * spec.alignment);
            memset(buffer.data, 1, buffer.bytes);
            int64_t distance = 99;
            assert_false(device->backend->buffer_is_violated(device, &buffer, &distance));
            if (buffer.back_bytes) {
                unsigned char *behind = (unsigned char *)buffer.data + buffer.bytes;
                behind[buffer.back_bytes - 1] ^= 1;
                assert_true(device->backend->buffer_is_violated(device, &buffer, &distance));
                assert_int_equal(distance, buffer.back_bytes - 1);
                behind[buffer.back_bytes - 1] ^= 1;
            }
            unsigned char *before = (unsigned char *)buffer.data - 1;
            if (buffer.front_bytes) {
                *before ^= 1;
                assert_true(device->backend->buffer_is_violated(device, &buffer, &distance));
                assert_int_equal(distance, -1);
            }
            device->backend->buffer_free(device, &buffer);
            assert_null(buffer.map);
        }
}

static void test_faults(void **state) {
    (void)state;
    const struct buffer_spec spec = {.label = "k", .bytes = 4096, .alignment = 256};
    struct buffer buffer;
    assert_int_equal(device->backend->buffer_alloc(device, &spec, &buffer, NULL), 0);
    struct buffer_fault fault;
    char *data = buffer.data;
    assert_true(device->backend->find_fault(data + 4096 + 12, &fault));
    assert_int_equal(fault.place, BUFFER_PAST_END);
    assert_int_equal(fault.distance_bytes, 12);
    assert_string_equal(fault.label, "k");
    assert_true(device->backend->find_fault(data - 5000, &fault));
    assert_int_equal(fault.place, BUFFER_BEFORE);
    assert_int_equal(fault.distance_bytes, 5000);
    assert_false(device->backend->find_fault(NULL, &fault));
    device->backend->buffer_free(device, &buffer);
    assert_false(device->backend->find_fault(data + 4096, &fault)); // forgotten
    const struct buffer_spec absurd = {.label = "x", .bytes = SIZE_MAX - 100, .alignment = 256};
    struct err err;
    assert_int_equal(device->backend->buffer_alloc(device, &absurd, &buffer, &err), -ERR_DATA);
}

static void test_clock_and_state(void **state) {
    (void)state;
    const double hz = device->backend->read_clock_probe_hz(device);
    assert_true(hz > 2e8 && hz < 1e10);
    struct device_state now;
    device->backend->read_state(device, &now);
    assert_true(isnan(now.temperature_c) ||
                (now.temperature_c > 0 && now.temperature_c < 150)); // absent or possible
    struct state_window window;
    device->backend->window_begin(device, &window);
    for (volatile int turns = 0; turns < 30000000; ++turns) continue;
    device->backend->window_end(device, &window);
    assert_true(window.duration_ns > 0);
    if (window.capacity_ns) {
        assert_true(window.capacity_ns >= window.duration_ns);
        assert_true(window.uncertainty_ns > 0);
    }
}

static void test_load(void **state) {
    (void)state;
    struct state_window w = {.capacity_ns = 2000000000, .others_ns = 30000000, .uncertainty_ns = 30000000};
    assert_true(state_window_load_pct(&w) == 0); // three ticks on an idle machine are rounding
    w.others_ns = 130000000;
    assert_true(fabs(state_window_load_pct(&w) - 5) < 1e-9);
    w.steal_ns = 20000000;
    assert_true(fabs(state_window_load_pct(&w) - 6) < 1e-9);
    assert_true(isnan(state_window_load_pct(&(struct state_window){0})));
}

static void test_listing(void **state) {
    (void)state;
    struct device_info info;
    assert_int_equal(backend_at(0)->list(&info, 1), 1);
    assert_string_equal(info.device, "cpu");
    assert_true(info.thread_count > 0);
    assert_true(*info.name && *info.uuid);
    assert_int_equal(backend_at(0)->list(&info, 0), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_index_once), cmocka_unit_test(test_no_helpers),
        cmocka_unit_test(test_other_threads),    cmocka_unit_test(test_too_many_threads),
        cmocka_unit_test(test_buffers),          cmocka_unit_test(test_faults),
        cmocka_unit_test(test_clock_and_state),  cmocka_unit_test(test_load),
        cmocka_unit_test(test_listing),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
