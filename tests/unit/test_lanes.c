// SPDX-License-Identifier: Apache-2.0
//
// Lanes of the server: none waits for another one, what many ask for runs once at a time, and uploads run one
// after the other.
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#include "serve/lanes.h"

enum { WORKS = 12, WAIT_S = 20, LOOK_NS = 50000000 };

static struct {
    sem_t gate, begun, done; // a work begins, waits at the gate, and tells of each that it answered
    atomic_int run_count, now_count, most_count;
} scene;

static void run(struct lane_work *work) {
    const int now = ++scene.now_count;
    if (now > scene.most_count) scene.most_count = now;
    ++scene.run_count;
    sem_post(&scene.begun);
    sem_wait(&scene.gate);
    --scene.now_count;
    for (; work; work = work->same) sem_post(&scene.done);
}

static void wait_for(sem_t *what) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += WAIT_S;
    assert_int_equal(sem_timedwait(what, &until), 0);
}

static void begin_scene(void) {
    sem_init(&scene.gate, 0, 0);
    sem_init(&scene.begun, 0, 0);
    sem_init(&scene.done, 0, 0);
    scene.run_count = scene.now_count = scene.most_count = 0;
}

static void add(struct lanes *lanes, struct lane_work *work, enum lane lane, const char *key) {
    *work = (struct lane_work){.lane = lane, .key = key, .run = run};
    lanes_add(lanes, work);
}

static void a_lane_waits_for_no_other(void **state) {
    (void)state;
    struct lane_work works[WORKS], light;
    struct lanes *lanes = lanes_start();
    assert_non_null(lanes);
    begin_scene();
    for (int i = 0; i < WORKS; ++i) add(lanes, &works[i], i % 2 ? LANE_HEAVY : LANE_UPLOAD, NULL);
    for (int i = 0; i < 3; ++i) wait_for(&scene.begun); // two heavy ones and an upload: their lanes are full
    add(lanes, &light, LANE_LIGHT, NULL);
    wait_for(&scene.begun);
    for (int i = 0; i < WORKS + 1; ++i) sem_post(&scene.gate);
    lanes_stop(lanes); // after all of them
    assert_int_equal(scene.run_count, WORKS + 1);
}

static void uploads_run_one_after_the_other(void **state) {
    (void)state;
    struct lane_work works[WORKS];
    struct lanes *lanes = lanes_start();
    begin_scene();
    for (int i = 0; i < WORKS; ++i) add(lanes, &works[i], LANE_UPLOAD, NULL);
    for (int i = 0; i < WORKS; ++i) sem_post(&scene.gate);
    lanes_stop(lanes);
    assert_int_equal(scene.run_count, WORKS);
    assert_int_equal(scene.most_count, 1);
}

// Those that come while one of their key runs are run once, after it; another key does not wait.
static void what_many_ask_runs_once_at_a_time(void **state) {
    (void)state;
    const struct timespec look = {.tv_nsec = LOOK_NS};
    struct lane_work works[WORKS], other;
    struct lanes *lanes = lanes_start();
    begin_scene();
    add(lanes, &works[0], LANE_LIGHT, "/a");
    wait_for(&scene.begun);
    for (int i = 1; i < WORKS; ++i) add(lanes, &works[i], LANE_LIGHT, "/a");
    add(lanes, &other, LANE_LIGHT, "/b");
    wait_for(&scene.begun);
    nanosleep(&look, NULL); // threads are free: they would have begun
    assert_int_equal(scene.run_count, 2);
    sem_post(&scene.gate);
    sem_post(&scene.gate);
    wait_for(&scene.begun); // the others of "/a"
    sem_post(&scene.gate);
    for (int i = 0; i < WORKS + 1; ++i) wait_for(&scene.done);
    lanes_stop(lanes);
    assert_int_equal(scene.run_count, 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lane_waits_for_no_other),
        cmocka_unit_test(uploads_run_one_after_the_other),
        cmocka_unit_test(what_many_ask_runs_once_at_a_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
