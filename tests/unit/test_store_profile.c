// SPDX-License-Identifier: Apache-2.0
//
// Profiles of the store: they go in and come out with their document, are found by what they are of, take the
// place of an earlier one of their run, and go when runs are pruned. In a file or on a server
// (made_store.h).
#include "assay_config.h"
#include "made_store.h"

#if ASSAY_HAS_STORE

#include "store/store_profile.h"
#include "store/store_schema.h"

static void put(struct store *store, const struct stored_profile *profile, const char *document) {
    struct err err = {0};
    if (store_put_profile(store, profile, document, strlen(document), &err) < 0) fail_msg("%s", err.text);
}

static void put_run(struct store *store, const char *run_id, const char *created_utc) {
    const struct store_origin origin = {.commit = "a1b2c3d", .branch = "main"};
    struct result result = made_run(run_id, created_utc, 100);
    struct err err = {0};
    if (store_put(store, &result, &origin, NULL, &err) < 0) fail_msg("%s", err.text);
    result_fini(&result);
}

// One with everything; what differs is the caller's.
static struct stored_profile made_profile(const char *run_id, const char *side, const char *created_utc) {
    return (struct stored_profile){.created_utc = created_utc,
                                   .run_id = run_id,
                                   .problem = MADE_PROBLEM,
                                   .side = side,
                                   .kernel = "simd",
                                   .profiler = "perf events",
                                   .bottleneck = "memory_bound",
                                   .because = "7 misses a thousand",
                                   .suite = "cpu",
                                   .commit = "a1b2c3d",
                                   .branch = "main",
                                   .device_uuid = "cpu-0001",
                                   .device = "Made Processor",
                                   .driver = "6.1.0",
                                   .host = "testhost"};
}

static size_t list(struct store *store, const struct store_filter *filter, struct arena *arena,
                   struct stored_profile **ret) {
    struct err err = {0};
    size_t count = 0;
    if (store_list_profiles(store, filter, arena, ret, &count, &err) < 0) fail_msg("%s", err.text);
    return count;
}

static size_t count_of(struct store *store, const struct store_filter *filter) {
    struct arena arena = {0};
    struct stored_profile *profiles;
    const size_t count = list(store, filter, &arena, &profiles);
    arena_fini(&arena);
    return count;
}

static void assert_document(struct store *store, int64_t id, const char *wanted) {
    struct arena arena = {0};
    struct stored_profile profile;
    struct strbuf text = {0};
    struct err err = {0};
    if (store_get_profile(store, id, &arena, &profile, &text, &err) < 0) fail_msg("%s", err.text);
    assert_string_equal(strbuf_text(&text), wanted);
    assert_int_equal(profile.document_bytes, strlen(wanted));
    strbuf_fini(&text);
    arena_fini(&arena);
}

static void what_goes_in_comes_out(void **state) {
    (void)state;
    struct store *store = made_opened(true);
    struct arena arena = {0};
    struct stored_profile *profiles;
    struct strbuf row = {0}, wanted_row = {0};
    struct err err = {0};
    struct stored_profile wanted = made_profile("r1", "simd", "2026-01-01T00:00:00Z");
    put(store, &wanted, "{\"launches\": []}\n");
    put(store, &(struct stored_profile){.created_utc = "2026-01-02T00:00:00Z", .problem = "p", .side = "s"},
        "");
    assert_int_equal(list(store, &(struct store_filter){0}, &arena, &profiles), 2);
    assert_string_equal(profiles[0].problem, "p"); // the newest first
    assert_null(profiles[0].run_id);
    assert_null(profiles[0].bottleneck);
    wanted.id = profiles[1].id;
    struct json_writer w = json_writer_make(&row, 0), wanted_w = json_writer_make(&wanted_row, 0);
    json_object_begin(&w, NULL), json_object_begin(&wanted_w, NULL);
    stored_profile_write(&profiles[1], &w), stored_profile_write(&wanted, &wanted_w);
    assert_string_equal(row.text, wanted_row.text);
    assert_document(store, profiles[1].id, "{\"launches\": []}\n");
    assert_document(store, profiles[0].id, "");
    assert_int_equal(store_get_profile(store, 999, &arena, profiles, NULL, &err), -ERR_NO_INPUT);
    assert_non_null(strstr(err.text, "no profile 999"));
    strbuf_fini(&row);
    strbuf_fini(&wanted_row);
    arena_fini(&arena);
    store_close(store);
}

// A gate that is explained again, by a resume, has one profile of each side and problem.
static void a_profile_takes_the_place_of_that_of_its_run(void **state) {
    (void)state;
    struct store *store = made_opened(true);
    struct arena arena = {0};
    struct stored_profile *profiles, one = made_profile("r1", "simd", "2026-01-01T00:00:00Z");
    put(store, &one, "first");
    put(store, &one, "second");
    one.side = "tiled";
    put(store, &one, "of the other side");
    assert_int_equal(count_of(store, &(struct store_filter){.run_id = "r1"}), 2);
    assert_int_equal(list(store, &(struct store_filter){.side = "tiled"}, &arena, &profiles), 1);
    assert_document(store, profiles[0].id, "of the other side");
    one = made_profile(NULL, "simd", "2026-01-01T00:00:00Z"); // without a run there is nothing to replace
    put(store, &one, "first");
    put(store, &one, "second");
    assert_int_equal(count_of(store, &(struct store_filter){0}), 4);
    arena_fini(&arena);
    store_close(store);
}

static void filters(void **state) {
    (void)state;
    struct store *store = made_opened(true);
    struct stored_profile one = made_profile("r1", "tiled", "2026-01-01T00:00:00Z");
    put(store, &one, "x");
    one = made_profile("r2", "new", "2026-02-01T00:00:00Z");
    one.problem = "attention/fp32/b1/h1/s9/d64";
    one.suite = "gpu", one.commit = "b2c3d4e", one.branch = "other", one.device_uuid = "GPU-1";
    one.device = "A GPU", one.kernel = "fa";
    put(store, &one, "x");
    const struct store_filter of_second[] = {{.run_id = "r2"},
                                             {.problem = one.problem},
                                             {.suite = "gpu"},
                                             {.commit = "b2c3d4e"},
                                             {.branch = "other"},
                                             {.device = "GPU-1"},
                                             {.device = "A GPU"},
                                             {.side = "new"},
                                             {.side = "fa"},
                                             {.limit = 1},
                                             {.since_utc = "2026-01-15"}};
    for (size_t i = 0; i < sizeof of_second / sizeof *of_second; ++i) {
        struct arena arena = {0};
        struct stored_profile *profiles;
        assert_int_equal(list(store, &of_second[i], &arena, &profiles), 1);
        assert_string_equal(profiles[0].run_id, "r2");
        arena_fini(&arena);
    }
    assert_int_equal(count_of(store, &(struct store_filter){.problem = "none"}), 0);
    store_close(store);
}

// Those of a baseline stay with it.
static void profiles_are_pruned(void **state) {
    (void)state;
    struct store *store = made_opened(true);
    struct stored_profile one = made_profile("r1", "simd", "2026-01-01T00:00:00Z");
    struct err err = {0};
    size_t count = 0;
    put_run(store, "r1", "2026-01-01T00:00:00Z");
    put_run(store, "r2", "2026-01-01T00:00:00Z");
    put(store, &one, "x");
    one.run_id = "r2";
    put(store, &one, "x");
    one.run_id = NULL;
    put(store, &one, "x");
    one.created_utc = "2026-03-01T00:00:00Z";
    put(store, &one, "x");
    assert_int_equal(store_set_baseline(store, "r1", NULL, &err), 0);
    assert_int_equal(
        store_prune(store, &(struct store_filter){.suite = "other"}, "2026-02", false, &count, &err), 0);
    assert_int_equal(count_of(store, &(struct store_filter){0}), 4);
    assert_int_equal(store_prune(store, &(struct store_filter){0}, "2026-02", true, &count, &err), 0);
    assert_int_equal(count_of(store, &(struct store_filter){0}), 4);
    assert_int_equal(store_prune(store, &(struct store_filter){0}, "2026-02", false, &count, &err), 0);
    assert_int_equal(count, 1);
    assert_int_equal(count_of(store, &(struct store_filter){.run_id = "r1"}), 1);
    assert_int_equal(count_of(store, &(struct store_filter){0}), 2);
    store_close(store);
}

// The store of an assay before profiles.
static void a_store_without_profiles_gets_them(void **state) {
    (void)state;
    for (int i = 0; i < 3; ++i) made_run_sql(store_migrations[i], i + 1);
    struct store *store = made_opened(false);
    const struct stored_profile one = made_profile("r1", "simd", "2026-01-01T00:00:00Z");
    put(store, &one, "x");
    assert_int_equal(count_of(store, &(struct store_filter){0}), 1);
    store_close(store);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ON_STORE(what_goes_in_comes_out),
        ON_STORE(a_profile_takes_the_place_of_that_of_its_run),
        ON_STORE(filters),
        ON_STORE(profiles_are_pruned),
        ON_STORE(a_store_without_profiles_gets_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void) {
    return 0; // no store opens: test_store.c
}

#endif
