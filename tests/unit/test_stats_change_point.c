// SPDX-License-Identifier: Apache-2.0
//
// Change points of given series: published ones with what two other programs find in them
// (tests/golden/change_points.json), gaps, known errors, and what is no change. Rates over many drawn series:
// tests/stats/test_change_points.c.
#include <errno.h>

#include "unit/test_stats_golden.h"

#include "base/rng.h"
#include "stats/change_point.h"
#include "stats/energy_split.h"

#define VALUES_MAX 512

static double noise(uint64_t index) {
    return rng_normal(42, rng_stream("change point"), index);
}

static struct change_points find(const double *values, size_t count) {
    const struct change_point_options options = change_point_options_default();
    const struct change_series series = {.values = values, .count = count};
    struct change_points points;
    assert_int_equal(change_points_find(&series, &options, &points), 0);
    return points;
}

// ---- published series ----

static bool is_near_one_of(size_t place, const json_t *places) {
    for (size_t i = 0; i < json_array_size(places); ++i) {
        const int64_t other = json_integer_value(json_array_get(places, i));
        if (llabs(other - (int64_t)place) <= 1) return true;
    }
    return false;
}

// What both of the other programs find is found, and nothing that none of them finds.
static void published_series(void **state) {
    (void)state;
    json_t *root = golden_load_file("change_points.json");
    const json_t *all = golden_get(root, "series");
    for (size_t s = 0; s < json_array_size(all); ++s) {
        const json_t *item = json_array_get(all, s), *numbers = golden_get(item, "values"),
                     *found = golden_get(item, "found"), *otava = golden_get(item, "otava"),
                     *mongodb = golden_get(item, "mongodb");
        const size_t count = json_array_size(numbers);
        double values[VALUES_MAX];
        assert_true(count <= VALUES_MAX);
        for (size_t i = 0; i < count; ++i) {
            values[i] = json_number_value(json_array_get(numbers, i));
            if (json_is_true(golden_get(item, "is_log"))) values[i] = log(values[i]);
        }
        struct change_points points = find(values, count);
        if (points.count != json_array_size(found))
            fail_msg("%s: %zu found", golden_name(item), points.count);
        for (size_t i = 0; i < points.count; ++i) {
            const size_t after = points.points[i].after;
            assert_int_equal(after, json_integer_value(json_array_get(found, i)));
            assert_true(is_near_one_of(after, otava) || is_near_one_of(after, mongodb));
        }
        for (size_t i = 0; i < json_array_size(mongodb); ++i) {
            const int64_t place = json_integer_value(json_array_get(mongodb, i));
            // robust_series goes down in two steps six values apart; they count as one here
            // (docs/statistics.md)
            if (place != 69) assert_true(is_near_one_of((size_t)place, found));
        }
        change_points_free(&points);
    }
    json_decref(root);
}

// ---- what is said of a change ----

static void sizes_and_segments(void **state) {
    (void)state;
    double values[90];
    for (size_t i = 0; i < 90; ++i)
        values[i] = log(100) + 0.002 * noise(i) + (i >= 30 ? log(1.05) : 0.0) - (i >= 60 ? log(1.2) : 0.0);
    struct change_points points = find(values, 90);
    assert_int_equal(points.count, 2);
    const struct change_point *up = &points.points[0], *down = &points.points[1];
    assert_int_equal(up->before, 29);
    assert_int_equal(up->after, 30);
    assert_int_equal(down->after, 60);
    assert_true(fabs(up->log_change - log(1.05)) < 0.002 && fabs(down->log_change + log(1.2)) < 0.002);
    assert_true(up->interval.lo < log(1.05) && up->interval.hi > log(1.05) && up->p < 1e-9);
    for (size_t i = 0; i < 3; ++i) {
        assert_int_equal(points.segments[i].begin, 30 * i);
        assert_int_equal(points.segments[i].end, 30 * (i + 1));
        assert_int_equal(points.segments[i].count, 30);
        assert_true(points.segments[i].sd > 0.001 && points.segments[i].sd < 0.003);
    }
    assert_true(fabs(points.segments[1].mean - points.segments[0].mean - up->log_change) < 1e-12);
    change_points_free(&points);
}

// A change in a gap lies anywhere in it, and indices are those of the series with its gaps.
static void gaps(void **state) {
    (void)state;
    double values[60];
    for (size_t i = 0; i < 60; ++i) values[i] = 0.002 * noise(i) + (i >= 33 ? 0.05 : 0.0);
    for (size_t i = 30; i < 35; ++i) values[i] = NAN;
    values[0] = values[7] = values[59] = NAN;
    struct change_points points = find(values, 60);
    assert_int_equal(points.count, 1);
    assert_int_equal(points.points[0].before, 29);
    assert_int_equal(points.points[0].after, 35);
    assert_int_equal(points.segments[0].begin, 1);
    assert_int_equal(points.segments[0].count, 28);
    assert_int_equal(points.segments[1].end, 59);
    change_points_free(&points);
}

static void reversed_and_shifted(void **state) {
    (void)state;
    double values[50], reversed[50];
    for (size_t i = 0; i < 50; ++i) values[i] = 0.002 * noise(i) + (i >= 20 ? 0.05 : 0.0);
    for (size_t i = 0; i < 50; ++i) reversed[i] = values[49 - i] + 7.0;
    struct change_points forward = find(values, 50), backward = find(reversed, 50);
    assert_int_equal(forward.points[0].after, 20);
    assert_int_equal(backward.points[0].after, 30);
    assert_true(fabs(forward.points[0].log_change + backward.points[0].log_change) < 1e-9);
    change_points_free(&forward);
    change_points_free(&backward);
}

// Medians that were each kept for five values look like levels, until their own errors are known.
static void known_errors(void **state) {
    (void)state;
    double values[100], errors[100];
    for (size_t i = 0; i < 100; ++i) {
        values[i] = (i / 5 % 2 ? 0.05 : 0.0) + 0.01 * noise(i / 5);
        errors[i] = i % 7 ? 0.05 : NAN;
    }
    struct change_points blind = find(values, 100);
    assert_true(blind.count >= 1);
    const struct change_point_options options = change_point_options_default();
    struct change_points knowing;
    const struct change_series series = {values, errors, 100};
    assert_int_equal(change_points_find(&series, &options, &knowing), 0);
    assert_int_equal(knowing.count, 0);
    change_points_free(&blind);
    change_points_free(&knowing);
}

// ---- what is none ----

static void no_change(void **state) {
    (void)state;
    double values[40] = {0};
    for (size_t count = 0; count <= 40; ++count) {
        struct change_points points = find(values, count);
        assert_int_equal(points.count, 0);
        assert_int_equal(points.segments[0].count, count);
        assert_true(isnan(points.lag1));
        change_points_free(&points);
    }
    for (size_t i = 0; i < 40; ++i) values[i] = NAN;
    struct change_points points = find(values, 40);
    assert_int_equal(points.count + points.segments[0].count, 0);
    change_points_free(&points);
}

// One or two values are a spike; the third makes a level, also at the end, where only a change that stays can
// be found.
static void spikes(void **state) {
    (void)state;
    for (size_t length = 0; length <= 3; ++length)
        for (size_t at = 0; at + length <= 60; at += 4) {
            double values[60];
            for (size_t i = 0; i < 60; ++i)
                values[i] = 0.005 * noise(i) + (i >= at && i < at + length ? 0.4 : 0.0);
            struct change_points points = find(values, 60);
            const size_t ends = length < 3 ? 0 : (size_t)(at >= 3) + (size_t)(at + length <= 57);
            if (points.count != ends) fail_msg("%zu values at %zu: %zu found", length, at, points.count);
            change_points_free(&points);
        }
}

// A value is drawn in to 4 sd of the noise from the median of its five neighbours, and left as it is within
// that. The noise here: neighbours differ by 2, of which 1.048358 times the median is the sd.
static void spikes_are_drawn_in(void **state) {
    (void)state;
    const double most = 1 + 4 * 1.0483580 * 2;
    static const double off[] = {-0.001, 0, 0.001, 50};
    for (size_t k = 0; k < sizeof off / sizeof *off; ++k) {
        double values[40];
        for (size_t i = 0; i < 40; ++i) values[i] = i % 2 ? -1 : 1;
        values[20] = most + off[k];
        struct change_points points = find(values, 40);
        assert_int_equal(points.count, 0);
        const double drawn_in = 40 * points.segments[0].mean + 1; // the others sum to -1
        assert_true(fabs(drawn_in - fmin(values[20], most)) < 1e-9);
        change_points_free(&points);
    }
}

// Counts of a deterministic program, or one result kept under several names: nothing spreads but the last
// bit of a mean, which is no correlation.
static void equal_values(void **state) {
    (void)state;
    static const double levels[][2] = {{100032.95, 108035.6}, {1e9 + 7, 1.02e9}, {0.1, 0.3}, {3, 2}};
    for (size_t k = 0; k < sizeof levels / sizeof *levels; ++k)
        for (size_t count = 8; count < 40; ++count) {
            double values[VALUES_MAX], errors[VALUES_MAX];
            for (size_t i = 0; i < count; ++i) {
                values[i] = log(levels[k][i >= count / 2]);
                errors[i] = 0.0007;
            }
            struct change_points points = find(values, count);
            assert_int_equal(points.count, 1);
            change_points_free(&points);
            const struct change_point_options options = change_point_options_default();
            const struct change_series series = {values, errors, count};
            assert_int_equal(change_points_find(&series, &options, &points), 0);
            assert_int_equal(points.count, 1);
            assert_int_equal(points.points[0].after, count / 2);
            change_points_free(&points);
            points = find(values, count / 2);
            assert_int_equal(points.count, 0);
            change_points_free(&points);
        }
}

static void smaller_than_asked_for(void **state) {
    (void)state;
    double values[60];
    for (size_t i = 0; i < 60; ++i) values[i] = 0.0005 * noise(i) + (i >= 30 ? 0.008 : 0.0);
    struct change_points points = find(values, 60);
    assert_int_equal(points.count, 0);
    change_points_free(&points);
    struct change_point_options options = change_point_options_default();
    options.min_change = 0.005;
    const struct change_series series = {.values = values, .count = 60};
    assert_int_equal(change_points_find(&series, &options, &points), 0);
    assert_int_equal(points.count, 1);
    change_points_free(&points);
}

static void refused(void **state) {
    (void)state;
    double values[8] = {0}, errors[8] = {0};
    const struct change_series series = {values, errors, 8};
    const struct change_point_options good = change_point_options_default();
    struct change_point_options bad[] = {good, good, good, good, good, good};
    bad[0].max_p = 1.0;
    bad[1].max_weak_p = 0.0;
    bad[2].min_change = -0.1;
    bad[3].min_segment = 1;
    bad[4].window = 5;
    bad[5].level = NAN;
    struct change_points points = {0};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i)
        assert_int_equal(change_points_find(&series, &bad[i], &points), -EINVAL);
    errors[3] = -1.0;
    assert_int_equal(change_points_find(&series, &good, &points), -EINVAL);
    errors[3] = 0.0;
    values[5] = INFINITY;
    assert_int_equal(change_points_find(&series, &good, &points), -EINVAL);
    assert_null(points.points);
}

// ---- the split ----

static double distances(const double *a, size_t n, const double *b, size_t m) {
    double sum = 0.0;
    for (size_t i = 0; i < n; ++i)
        for (size_t k = 0; k < m; ++k) sum += fabs(a[i] - b[k]);
    return sum;
}

// The same by the definition: every pair of parts, every pair of values.
static struct energy_split split_by_definition(const double *values, size_t count, size_t least) {
    struct energy_split best = {.divergence = -INFINITY};
    for (size_t place = least; place + least <= count; ++place)
        for (size_t until = place + least; until <= count; ++until) {
            const double *right = values + place, n = (double)place, m = (double)(until - place);
            const size_t right_count = until - place;
            const double between = 2.0 * distances(values, place, right, right_count) / (n * m);
            const double left_within = n < 2 ? 0.0 : distances(values, place, values, place) / (n * (n - 1));
            const double right_within =
                m < 2 ? 0.0 : distances(right, right_count, right, right_count) / (m * (m - 1));
            const double found = n * m / (n + m) * (between - left_within - right_within);
            if (found > best.divergence) best = (struct energy_split){place, until, found};
        }
    return best;
}

static void split_is_the_definition(void **state) {
    (void)state;
    for (size_t count = 2; count <= 24; ++count)
        for (size_t least = 1; 2 * least <= count && least <= 4; ++least) {
            double values[24], scratch[48];
            for (size_t i = 0; i < count; ++i)
                values[i] = noise(100 * count + i) + (i >= count / 3 ? 1.0 : 0.0);
            const struct energy_split wanted = split_by_definition(values, count, least),
                                      got = energy_split_best(values, count, least, scratch);
            assert_int_equal(got.place, wanted.place);
            assert_int_equal(got.until, wanted.until);
            assert_true(fabs(got.divergence - wanted.divergence) < 1e-9);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_series),
        cmocka_unit_test(sizes_and_segments),
        cmocka_unit_test(gaps),
        cmocka_unit_test(reversed_and_shifted),
        cmocka_unit_test(known_errors),
        cmocka_unit_test(no_change),
        cmocka_unit_test(spikes),
        cmocka_unit_test(spikes_are_drawn_in),
        cmocka_unit_test(equal_values),
        cmocka_unit_test(smaller_than_asked_for),
        cmocka_unit_test(refused),
        cmocka_unit_test(split_is_the_definition),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
