// SPDX-License-Identifier: Apache-2.0
//
// Tunings of the store: they go in and come out with their document, a resumed one takes the place of its
// earlier form, they are found by what they are of, and go when runs are pruned. In a file or on a server
// (made_store.h).
#include "assay_config.h"
#include "made_store.h"

#if ASSAY_HAS_STORE

#include "store/store_schema.h"
#include "store/store_tuning.h"

static void put(struct store *store, const struct stored_tuning *tuning, const char *document) {
    struct err err = {0};
    if (store_put_tuning(store, tuning, document, strlen(document), &err) < 0) fail_msg("%s", err.text);
}

static struct stored_tuning made_tuning(const char *run_id, const char *created_utc) {
    return (struct stored_tuning){.created_utc = created_utc,
                                  .run_id = run_id,
                                  .kernel = "tiled",
                                  .device = "cpu",
                                  .suite = "pr",
                                  .strategy = "evolutionary",
                                  .config = "BLOCK_M=64",
                                  .speedup = 1.25,
                                  .speedup_low = 1.2,
                                  .speedup_high = 1.3,
                                  .variant_count = 24,
                                  .elite_count = 3,
                                  .sentence = "BLOCK_M=64 is 1.25x as fast as the baseline",
                                  .commit = "a1b2c3d",
                                  .branch = "main"};
}

static size_t list(struct store *store, const struct store_filter *filter, struct arena *arena,
                   struct stored_tuning **ret) {
    struct err err = {0};
    size_t count = 0;
    if (store_list_tunings(store, filter, arena, ret, &count, &err) < 0) fail_msg("%s", err.text);
    return count;
}

static size_t count_of(struct store *store, const struct store_filter *filter) {
    struct arena arena = {0};
    struct stored_tuning *tunings;
    const size_t count = list(store, filter, &arena, &tunings);
    arena_fini(&arena);
    return count;
}

static void assert_same(const struct stored_tuning *one, const struct stored_tuning *two) {
    struct strbuf texts[2] = {{0}, {0}};
    const struct stored_tuning *const both[] = {one, two};
    for (int i = 0; i < 2; ++i) {
        struct json_writer w = json_writer_make(&texts[i], 0);
        json_object_begin(&w, NULL);
        stored_tuning_write(both[i], &w);
    }
    assert_string_equal(texts[0].text, texts[1].text);
    strbuf_fini(&texts[0]);
    strbuf_fini(&texts[1]);
}

static void what_goes_in_comes_out(void **state) {
    (void)state;
    struct store *store = made_opened(true);
    struct arena arena = {0};
    struct stored_tuning *tunings, read, wanted = made_tuning("t1", "2026-01-01T00:00:00Z");
    struct stored_tuning none = {.created_utc = "2026-01-02T00:00:00Z",
                                 .run_id = "t2",
                                 .kernel = "k",
                                 .speedup = NAN,
                                 .speedup_low = NAN,
                                 .speedup_high = NAN};
    struct strbuf document = {0};
    struct err err = {0};
    put(store, &wanted, "{\"variants\": []}\n");
    put(store, &none, "");
    assert_int_equal(list(store, &(struct store_filter){0}, &arena, &tunings), 2);
    none.id = tunings[0].id; // the newest first
    wanted.id = tunings[1].id;
    assert_same(&tunings[0], &none);
    assert_same(&tunings[1], &wanted);
    assert_int_equal(store_get_tuning(store, wanted.id, &arena, &read, &document, &err), 0);
    assert_same(&read, &wanted);
    assert_string_equal(document.text, "{\"variants\": []}\n");
    assert_int_equal(read.document_bytes, document.length);
    assert_int_equal(store_get_tuning(store, 999, &arena, &read, NULL, &err), -ERR_NO_INPUT);
    assert_non_null(strstr(err.text, "no tuning 999"));
    strbuf_fini(&document);
    arena_fini(&arena);
    store_close(store);
}

static void a_resumed_tuning_takes_its_place(void **state) {
    (void)state;
    struct store *store = made_opened(true);
    struct arena arena = {0};
    struct stored_tuning *tunings, one = made_tuning("t1", "2026-01-01T00:00:00Z");
    put(store, &one, "first");
    one.variant_count = 30;
    put(store, &one, "second");
    assert_int_equal(list(store, &(struct store_filter){.run_id = "t1"}, &arena, &tunings), 1);
    assert_int_equal(tunings[0].variant_count, 30);
    arena_fini(&arena);
    store_close(store);
}

static void filters(void **state) {
    (void)state;
    struct store *store = made_opened(true);
    struct stored_tuning one = made_tuning("t1", "2026-01-01T00:00:00Z");
    put(store, &one, "x");
    one = made_tuning("t2", "2026-02-01T00:00:00Z");
    one.kernel = "fa", one.suite = "ci", one.device = "cuda:0", one.commit = "b2c3d4e", one.branch = "other";
    put(store, &one, "x");
    const struct store_filter of_second[] = {{.run_id = "t2"},         {.suite = "ci"}, {.commit = "b2c3d4e"},
                                             {.branch = "other"},      {.side = "fa"},  {.device = "cuda:0"},
                                             {.since_utc = "2026-02"}, {.limit = 1}};
    for (size_t i = 0; i < sizeof of_second / sizeof *of_second; ++i) {
        struct arena arena = {0};
        struct stored_tuning *tunings;
        assert_int_equal(list(store, &of_second[i], &arena, &tunings), 1);
        assert_string_equal(tunings[0].run_id, "t2");
        arena_fini(&arena);
    }
    assert_int_equal(count_of(store, &(struct store_filter){.problem = "any"}), 0); // it is of many
    store_close(store);
}

static void tunings_are_pruned(void **state) {
    (void)state;
    struct store *store = made_opened(true);
    struct stored_tuning one = made_tuning("t1", "2026-01-01T00:00:00Z");
    struct err err = {0};
    size_t count = 0;
    put(store, &one, "x");
    one = made_tuning("t2", "2026-03-01T00:00:00Z");
    put(store, &one, "x");
    assert_int_equal(
        store_prune(store, &(struct store_filter){.branch = "none"}, "2026-02", false, &count, &err), 0);
    assert_int_equal(count_of(store, &(struct store_filter){0}), 2);
    assert_int_equal(store_prune(store, &(struct store_filter){0}, "2026-02", true, &count, &err), 0);
    assert_int_equal(count_of(store, &(struct store_filter){0}), 2);
    assert_int_equal(store_prune(store, &(struct store_filter){0}, "2026-02", false, &count, &err), 0);
    assert_int_equal(count, 0); // of runs
    assert_int_equal(count_of(store, &(struct store_filter){.run_id = "t2"}), 1);
    assert_int_equal(count_of(store, &(struct store_filter){0}), 1);
    store_close(store);
}

// The store of an assay before tunings.
static void a_store_without_tunings_gets_them(void **state) {
    (void)state;
    for (int i = 0; i < 4; ++i) made_run_sql(store_migrations[i], i + 1);
    struct store *store = made_opened(false);
    const struct stored_tuning one = made_tuning("t1", "2026-01-01T00:00:00Z");
    put(store, &one, "x");
    assert_int_equal(count_of(store, &(struct store_filter){0}), 1);
    store_close(store);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ON_STORE(what_goes_in_comes_out), ON_STORE(a_resumed_tuning_takes_its_place),  ON_STORE(filters),
        ON_STORE(tunings_are_pruned),     ON_STORE(a_store_without_tunings_gets_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void) {
    return 0; // no store opens: test_store.c
}

#endif
