// SPDX-License-Identifier: Apache-2.0
//
// Stored results as series: a made change is found on its device and side, between its commits, and not
// elsewhere.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/rng.h"
#include "store/series.h"

enum { COMMITS = 40, STEP = 25 };

static const char *const devices[] = {"GPU-a", "GPU-b"};

// Two devices by turns; on the second, from commit STEP on, factor times as long. Noise of 0.5 %.
static size_t made(double factor, struct arena *arena, struct stored_result *ret) {
    size_t count = 0;
    for (size_t commit = 0; commit < COMMITS; ++commit)
        for (size_t device = 0; device < 2; ++device) {
            const double noise = rng_uniform(7, rng_stream("noise"), count) - 0.5;
            const double usual_ns = device ? 2000 : 1000;
            const bool is_after = device == 1 && commit >= STEP;
            const double median_ns = usual_ns * (1 + 0.01 * noise) * (is_after ? factor : 1);
            ret[count++] = (struct stored_result){
                .run = {.run_id = "r",
                        .commit = arena_format(arena, "c%02zu", commit),
                        .device_uuid = devices[device],
                        .driver = "580"},
                .problem = "p",
                .side = "fa",
                .median_ns = median_ns,
                .low_ns = 0.998 * median_ns,
                .high_ns = 1.002 * median_ns,
            };
        }
    return count;
}

static void a_made_change_is_found(void **state) {
    (void)state;
    static const double factors[] = {1.05, 0.9};
    for (size_t i = 0; i < 2; ++i) {
        struct arena arena = {0};
        struct err err = {0};
        struct stored_result results[2 * COMMITS];
        struct series_change *changes = NULL;
        size_t change_count = 0;
        const size_t count = made(factors[i], &arena, results);
        assert_int_equal(series_find_changes(results, count, &arena, &changes, &change_count, &err), 0);
        assert_int_equal(change_count, 1);
        assert_string_equal(results[changes[0].before].run.commit, "c24");
        assert_string_equal(results[changes[0].after].run.commit, "c25");
        assert_string_equal(results[changes[0].after].run.device_uuid, "GPU-b");
        assert_true(fabs(changes[0].change_pct - 100 * (factors[i] - 1)) < 0.5);
        assert_true(changes[0].low_pct < changes[0].change_pct &&
                    changes[0].change_pct < changes[0].high_pct);
        arena_fini(&arena);
    }
}

static void no_change_is_found_in_noise_or_between_series(void **state) {
    (void)state;
    struct arena arena = {0};
    struct err err = {0};
    struct stored_result results[2 * COMMITS];
    struct series_change *changes = NULL;
    size_t change_count = 7;
    const size_t count = made(1, &arena, results);
    assert_int_equal(series_find_changes(results, count, &arena, &changes, &change_count, &err), 0);
    assert_int_equal(change_count, 0);
    // A new driver is another series, not a change.
    for (size_t i = 0; i < count; ++i)
        if (i >= count / 2) {
            results[i].run.driver = "590";
            results[i].median_ns *= 1.2;
        }
    assert_int_equal(series_find_changes(results, count, &arena, &changes, &change_count, &err), 0);
    assert_int_equal(change_count, 0);
    // So is another metric: a count of instructions is no slower time.
    for (size_t i = 0; i < count; ++i) {
        results[i].run.driver = "580";
        results[i].run.metric = i < count / 2 ? "time" : "instructions";
        if (i >= count / 2) results[i].median_ns *= 10;
    }
    assert_int_equal(series_find_changes(results, count, &arena, &changes, &change_count, &err), 0);
    assert_int_equal(change_count, 0);
    arena_fini(&arena);
}

static void gaps_and_nothing(void **state) {
    (void)state;
    struct arena arena = {0};
    struct err err = {0};
    struct stored_result results[2 * COMMITS];
    struct series_change *changes = NULL;
    size_t change_count = 7;
    const size_t count = made(1.05, &arena, results);
    assert_int_equal(series_find_changes(results, 0, &arena, &changes, &change_count, &err), 0);
    assert_int_equal(change_count, 0);
    results[3].median_ns = NAN; // not measured validly
    results[5].low_ns = NAN;    // no interval
    results[9].median_ns = -1;  // from a file that lies
    results[11].high_ns = INFINITY;
    assert_int_equal(series_find_changes(results, count, &arena, &changes, &change_count, &err), 0);
    assert_int_equal(change_count, 1);
    arena_fini(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_made_change_is_found),
        cmocka_unit_test(no_change_is_found_in_noise_or_between_series),
        cmocka_unit_test(gaps_and_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
