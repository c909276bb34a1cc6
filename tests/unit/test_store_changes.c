// SPDX-License-Identifier: Apache-2.0
//
// The change points of a whole store: found at their runs, the newest first; a search that goes on from an
// earlier one finds what a new one finds, whatever happened to the store meanwhile.
#include "made_series.h"
#include "store/store_changes.h"

static struct store_changes *find(struct store *store, const struct store_changes *earlier) {
    struct store_changes *found = NULL;
    struct err err = {0};
    if (store_changes_find(store, earlier, &found, &err) < 0) fail_msg("%s", err.text);
    return found;
}

static void assert_is(const struct stored_change *one, int problem, const char *before, const char *after,
                      double change_pct) {
    char name[64];
    assert_string_equal(one->problem, series_problem(problem, name));
    assert_string_equal(one->side, "simd");
    assert_string_equal(one->kernel, "simd");
    assert_string_equal(one->before->run_id, before);
    assert_string_equal(one->after->run_id, after);
    assert_true(fabs(one->step.change_pct - change_pct) < 0.5);
    assert_true(one->step.low_pct < change_pct && change_pct < one->step.high_pct);
    assert_true(fabs(one->step.median_after_ns / one->step.median_before_ns - 1 - change_pct / 100) < 0.005);
}

static void steps_are_found_newest_first(void **state) {
    (void)state;
    struct store *store = made_opened(true);
    char name[64];
    size_t count = 0;
    series_put_all(store);
    struct store_changes *found = find(store, NULL);
    assert_int_equal(found->count, 2);
    assert_int_equal(found->side_count, SERIES_PROBLEMS);
    assert_is(&found->items[0], 7, "run-17", "run-18", -10);
    assert_is(&found->items[1], 3, "run-11", "run-12", 8);
    assert_string_equal(found->items[0].after->branch, "next");
    assert_int_equal(found->items[0].result_count, SERIES_RUNS);
    assert_ptr_equal(store_changes_of(found, series_problem(3, name), "simd", &count)[0], &found->items[1]);
    assert_int_equal(count, 1);
    store_changes_of(found, series_problem(4, name), "simd", &count);
    assert_int_equal(count, 0);
    store_changes_of(found, "zz", "simd", &count);
    assert_int_equal(count, 0);
    assert_null(find(store, found)); // nothing is new
    store_changes_free(found);
    store_close(store);
}

static void an_empty_store_has_none(void **state) {
    (void)state;
    struct store *store = made_opened(true);
    size_t count = 7;
    struct store_changes *found = find(store, NULL);
    assert_int_equal(found->count + found->side_count + found->run_count, 0);
    store_changes_of(found, "a", "b", &count);
    assert_int_equal(count, 0);
    assert_null(find(store, found));
    series_put_all(store);
    struct store_changes *filled = find(store, found);
    assert_int_equal(filled->count, 2);
    store_changes_free(filled);
    store_changes_free(found);
    store_close(store);
}

static void assert_same(const struct store_changes *a, const struct store_changes *b) {
    assert_int_equal(a->count, b->count);
    assert_int_equal(a->side_count, b->side_count);
    for (size_t i = 0; i < a->count; ++i) {
        const struct stored_change *one = &a->items[i], *other = &b->items[i];
        assert_string_equal(one->problem, other->problem);
        assert_string_equal(one->before->run_id, other->before->run_id);
        assert_string_equal(one->after->run_id, other->after->run_id);
        assert_memory_equal(&one->step.change_pct, &other->step.change_pct, sizeof(double));
        assert_memory_equal(&one->step.median_after_ns, &other->step.median_after_ns, sizeof(double));
        assert_int_equal(one->result_count, other->result_count);
    }
}

// Looks on from *found, which it replaces, and anew.
static void look_on(struct store *store, struct store_changes **found, size_t count) {
    struct store_changes *anew = find(store, NULL), *next = find(store, *found);
    assert_non_null(next);
    assert_same(next, anew);
    assert_int_equal(next->count, count);
    store_changes_free(*found);
    store_changes_free(anew);
    *found = next;
}

static void a_search_goes_on(void **state) {
    (void)state;
    struct store *store = made_opened(true);
    size_t removed = 0;
    struct err err = {0};
    series_put_all(store);
    struct store_changes *found = find(store, NULL);
    // Runs of one or two problems: the others are kept. The third one at a new level makes a change.
    for (int i = 0; i < 2; ++i) {
        series_put(store, SERIES_RUNS + i, 11, 13, 1.2);
        look_on(store, &found, 2);
    }
    series_put(store, SERIES_RUNS + 2, 11, 13, 1.2);
    look_on(store, &found, 4);
    // A problem with a change gets another result.
    series_put(store, SERIES_RUNS + 3, 3, 4, 1);
    look_on(store, &found, 4);
    // A run of everything.
    series_put(store, SERIES_RUNS + 4, 0, SERIES_PROBLEMS, 1);
    look_on(store, &found, 4);
    // The newest run is replaced, and with it the id of its row.
    series_put(store, SERIES_RUNS + 4, 0, SERIES_PROBLEMS, 1.001);
    look_on(store, &found, 4);
    // A run in the middle of the others is replaced; runs before the first change are removed.
    series_put(store, 12, 0, SERIES_PROBLEMS, 1.002);
    look_on(store, &found, 4);
    assert_int_equal(store_prune(store, &(struct store_filter){0}, "2026-01-14", false, &removed, &err), 0);
    look_on(store, &found, 3);
    store_changes_free(found);
    store_close(store);
}

// Another driver and another metric are no step of a series.
static void series_are_told_apart(void **state) {
    (void)state;
    struct store *store = made_opened(true);
    series_put_all(store);
    store_close(store);
    made_run_sql("UPDATE runs SET driver = 'new' WHERE run_id >= 'run-18';"
                 "UPDATE runs SET metric = 'instructions' WHERE run_id < 'run-12'",
                 0);
    store = made_opened(false);
    struct store_changes *found = find(store, NULL);
    assert_int_equal(found->count, 0);
    store_changes_free(found);
    store_close(store);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ON_STORE(steps_are_found_newest_first),
        ON_STORE(an_empty_store_has_none),
        ON_STORE(a_search_goes_on),
        ON_STORE(series_are_told_apart),
    };
    if (!store_is_built_in()) return 0; // no store opens: test_store.c
    return cmocka_run_group_tests(tests, NULL, NULL);
}
