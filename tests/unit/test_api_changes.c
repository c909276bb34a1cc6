// SPDX-License-Identifier: Apache-2.0
//
// Routes of the API over a made store, without HTTP: the list of changes with its filters, the list of
// problems in its orders, and parameters that are refused.
#include "base/json.h"
#include "made_series.h"
#include "serve/kept_changes.h"
#include "serve/routes.h"

static struct serve serve;

static int begin(void **state) {
    if (made_store_begin(state) < 0) return -1;
    struct store *store = made_opened(true);
    series_put_all(store);
    store_close(store);
    serve.stores = store_pool_new(made_address);
    serve.changes = kept_changes_new();
    return 0;
}

static int end(void **state) {
    kept_changes_free(serve.changes);
    store_pool_free(serve.stores);
    return made_store_end(state);
}

// The answer to a path, and its status.
static json_t *ask(const char *path, unsigned status) {
    struct serve_call call = {.serve = &serve};
    struct err err = {0};
    json_t *answer = NULL;
    const int code = request_target_parse(path, &call.arena, &call.target, &err);
    const struct route *route = code < 0 ? NULL : route_find(&call, "GET", &err);
    if (code < 0) fail_msg("%s", err.text);
    if (route)
        route_answer(route, &call, &err);
    else
        route_refuse(&call, -ERR_NO_INPUT, &err);
    if (call.status != status) fail_msg("%s: %u, not %u: %s", path, call.status, status, err.text);
    if (json_read_text(strbuf_text(&call.out), call.out.length, path, &answer, &err) < 0)
        fail_msg("%s", err.text);
    strbuf_fini(&call.out);
    arena_fini(&call.arena);
    return answer;
}

static void refuse(const char *path, const char *words) {
    json_t *answer = ask(path, 400);
    const char *sentence = json_string_value(json_object_get(answer, "error"));
    if (!strstr(sentence, words)) fail_msg("%s: '%s' has no '%s'", path, sentence, words);
    json_decref(answer);
}

static json_t *item(json_t *answer, const char *list, size_t index) {
    return json_array_get(json_object_get(answer, list), index);
}

static const char *text(json_t *object, const char *key) {
    return json_string_value(json_object_get(object, key));
}

static long long number(json_t *object, const char *key) {
    return json_integer_value(json_object_get(object, key));
}

static void changes_come_newest_first(void **state) {
    (void)state;
    char name[64];
    json_t *answer = ask("/api/v1/changes", 200), *newest = item(answer, "changes", 0);
    assert_int_equal(number(answer, "total"), 2);
    assert_int_equal(number(answer, "slower_count"), 1);
    assert_int_equal(number(answer, "faster_count"), 1);
    assert_int_equal(number(answer, "side_count"), SERIES_PROBLEMS);
    assert_string_equal(text(newest, "problem"), series_problem(7, name));
    assert_string_equal(text(newest, "side"), "simd");
    assert_string_equal(text(newest, "kernel"), "simd");
    assert_string_equal(text(newest, "branch"), "next");
    assert_string_equal(text(newest, "device"), "Made Processor");
    assert_string_equal(text(newest, "commit_before"), "0000011");
    assert_string_equal(text(newest, "commit_after"), "0000012");
    assert_string_equal(text(newest, "created_before_utc"), "2026-01-18T08:00:00Z");
    assert_string_equal(text(newest, "run_after"), "run-18");
    assert_true(fabs(json_number_value(json_object_get(newest, "change_pct")) + 10) < 0.5);
    assert_int_equal(number(newest, "result_count"), SERIES_RUNS);
    assert_int_equal(number(newest, "step_count"), 1);
    assert_string_equal(text(item(answer, "changes", 1), "run_after"), "run-12");
    json_decref(answer);
}

static void changes_are_filtered(void **state) {
    (void)state;
    static const struct {
        const char *query;
        int total, count;
    } cases[] = {
        {"direction=slower", 1, 1},
        {"direction=faster", 1, 1},
        {"direction=", 2, 2},
        {"branch=main", 1, 1},
        {"branch=none", 0, 0},
        {"device=cpu-0001", 2, 2},
        {"device=Made%20Processor&suite=cpu&metric=time&side=simd", 2, 2},
        {"metric=instructions", 0, 0},
        {"side=tiled", 0, 0},
        {"suite=none", 0, 0},
        {"q=s32/", 1, 1},
        {"since=2026-01-15", 1, 1},
        {"since=2026-01-19T08:00:00Z", 1, 1},
        {"since=2026-01-20", 0, 0},
        {"limit=1", 2, 1},
        {"limit=1&offset=1", 2, 1},
        {"offset=2", 2, 0},
        {"limit=1000&offset=999999", 2, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char path[128];
        snprintf(path, sizeof path, "/api/v1/changes?%s", cases[i].query);
        json_t *answer = ask(path, 200);
        if (number(answer, "total") != cases[i].total ||
            json_array_size(json_object_get(answer, "changes")) != (size_t)cases[i].count)
            fail_msg("%s: %lld, of which %zu are shown", path, number(answer, "total"),
                     json_array_size(json_object_get(answer, "changes")));
        json_decref(answer);
    }
}

static void wrong_parameters_are_refused(void **state) {
    (void)state;
    refuse("/api/v1/changes?direction=up", "direction is slower or faster, not 'up'");
    refuse("/api/v1/changes?verdict=regression", "a change has no verdict");
    refuse("/api/v1/changes?limit=0", "limit takes 1 to 1000");
    refuse("/api/v1/changes?limit=1001", "limit takes a number to 1000");
    refuse("/api/v1/changes?offset=-1", "offset takes a number");
    refuse("/api/v1/changes?since=yesterday", "since takes a date");
    refuse("/api/v1/problems?sort=speed", "sort is problem, trend");
    refuse("/api/v1/problems?sort=median&order=up", "order is ascending or descending");
    refuse("/api/v1/problems?changed=yes", "changed is 1");
}

static void new_runs_are_seen(void **state) {
    (void)state;
    json_t *before = ask("/api/v1/changes", 200);
    struct store *store = made_opened(false);
    for (int i = 0; i < 3; ++i) series_put(store, SERIES_RUNS + i, 20, 22, 1.5);
    store_close(store);
    json_t *after = ask("/api/v1/changes", 200), *newest = item(after, "changes", 0);
    assert_int_equal(number(before, "total"), 2);
    assert_int_equal(number(after, "total"), 4);
    assert_int_equal(number(newest, "step_count"), 2); // both between the same runs
    assert_string_equal(text(newest, "run_after"), "run-24");
    json_decref(before);
    json_decref(after);
    json_t *half = ask("/api/v1/changes?limit=1", 200); // the step goes on on the next page
    assert_int_equal(number(item(half, "changes", 0), "step_count"), 2);
    json_decref(half);
}

static void note_asked(void *arg) {
    ++*(int *)arg;
}

static double total_now(void) {
    json_t *answer = ask("/api/v1/changes", 200);
    const double total = (double)number(answer, "total");
    json_decref(answer);
    return total;
}

// What was found before is shown until another thread has searched; one that fails is made good by a request.
static void slow_searches_are_left(void **state) {
    (void)state;
    int asked = 0;
    assert_true(total_now() == 2);
    kept_changes_set_later(serve.changes, 1, note_asked, &asked);
    struct store *store = made_opened(false);
    for (int i = 0; i < 3; ++i) series_put(store, SERIES_RUNS + i, 20, 22, 1.5);
    assert_true(total_now() == 2);
    assert_true(total_now() == 2);
    assert_int_equal(asked, 1);
    assert_int_equal(kept_changes_search(serve.changes, store), 0);
    assert_true(total_now() == 4);
    assert_int_equal(asked, 2);
    for (int i = 3; i < 6; ++i) series_put(store, SERIES_RUNS + i, 14, 16, 1.5);
    assert_true(kept_changes_search(serve.changes, NULL) < 0);
    assert_true(total_now() == 6);
    assert_int_equal(asked, 2);
    store_close(store);
}

// Of the rows of an answer, the number of the problem in the made series.
static int problem_number(json_t *answer, size_t index) {
    const char *length = strstr(text(item(answer, "problems", index), "problem"), "/s");
    return atoi(length + 2) / 8 - 1;
}

static void problems_are_in_natural_order(void **state) {
    (void)state;
    static const char *const paths[] = {"/api/v1/problems", "/api/v1/problems?side=simd",
                                        "/api/v1/problems?sort=problem",
                                        "/api/v1/problems?sort=problem&order=ascending"};
    for (size_t k = 0; k < sizeof paths / sizeof *paths; ++k) {
        json_t *answer = ask(paths[k], 200);
        assert_int_equal(number(answer, "total"), SERIES_PROBLEMS);
        for (int i = 0; i < SERIES_PROBLEMS; ++i) assert_int_equal(problem_number(answer, (size_t)i), i);
        json_decref(answer);
    }
    json_t *answer = ask("/api/v1/problems?sort=problem&order=descending", 200);
    for (int i = 0; i < SERIES_PROBLEMS; ++i)
        assert_int_equal(problem_number(answer, (size_t)i), SERIES_PROBLEMS - 1 - i);
    json_decref(answer);
}

static void problems_are_sorted(void **state) {
    (void)state;
    static const struct {
        const char *query;
        int first, second, last;
    } cases[] = {
        // What has no change is last in either order, by name.
        {"sort=trend&order=descending", 3, 7, 23},
        {"sort=trend&order=ascending", 7, 3, 23},
        {"sort=median&order=descending", 23, 22, 0},
        {"sort=median", 0, 1, 23},
        {"sort=change", 0, 1, 23},
        {"sort=verdict&order=descending", 0, 1, 23},
        {"sort=run&order=descending", 0, 1, 23},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char path[128];
        snprintf(path, sizeof path, "/api/v1/problems?%s", cases[i].query);
        json_t *answer = ask(path, 200);
        const size_t count = json_array_size(json_object_get(answer, "problems"));
        assert_int_equal(count, SERIES_PROBLEMS);
        if (problem_number(answer, 0) != cases[i].first || problem_number(answer, 1) != cases[i].second ||
            problem_number(answer, count - 1) != cases[i].last)
            fail_msg("%s: %d, %d, ..., %d", path, problem_number(answer, 0), problem_number(answer, 1),
                     problem_number(answer, count - 1));
        json_decref(answer);
    }
    json_t *second = ask("/api/v1/problems?sort=median&order=descending&limit=1&offset=1", 200);
    assert_int_equal(problem_number(second, 0), 22); // of all, not of the page
    json_decref(second);
}

static void problems_have_their_changes(void **state) {
    (void)state;
    json_t *answer = ask("/api/v1/problems?changed=1", 200), *row = item(answer, "problems", 0);
    assert_int_equal(number(answer, "total"), 2);
    assert_int_equal(problem_number(answer, 0), 3);
    assert_int_equal(problem_number(answer, 1), 7);
    assert_int_equal(number(row, "change_count"), 1);
    assert_true(fabs(json_number_value(json_object_get(row, "last_change_pct")) - 8) < 0.5);
    assert_int_equal(json_array_size(json_object_get(row, "trend")), SERIES_RUNS);
    assert_true(json_is_number(json_array_get(json_object_get(row, "trend"), 0)));
    json_decref(answer);
    answer = ask("/api/v1/problems?limit=1", 200);
    row = item(answer, "problems", 0);
    assert_int_equal(number(row, "change_count"), 0);
    assert_true(json_is_null(json_object_get(row, "last_change_pct")));
    json_decref(answer);
}

#define ON_API(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void) {
    const struct CMUnitTest tests[] = {
        ON_API(changes_come_newest_first),    ON_API(changes_are_filtered),
        ON_API(wrong_parameters_are_refused), ON_API(new_runs_are_seen),
        ON_API(slow_searches_are_left),       ON_API(problems_are_in_natural_order),
        ON_API(problems_are_sorted),          ON_API(problems_have_their_changes),
    };
    if (!store_is_built_in()) return 0; // no store opens: test_store.c
    return cmocka_run_group_tests(tests, NULL, NULL);
}
