// SPDX-License-Identifier: Apache-2.0
//
// Queries: runs, results of problems over runs, documents.
#include "store/store.h"

#include "assay_config.h"

#if ASSAY_HAS_STORE

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/mem.h"
#include "store/store_internal.h"

#define DOCUMENT_BYTES_MAX ((size_t)1 << 30)
#define LIMIT_NONE         INT64_MAX
struct stored_run store_read_run(sqlite3_stmt *statement, struct arena *arena) {
    return (struct stored_run){.run_id = store_text(statement, 0, arena),
                               .created_utc = store_text(statement, 1, arena),
                               .command = store_text(statement, 2, arena),
                               .suite = store_text(statement, 3, arena),
                               .commit = store_text(statement, 4, arena),
                               .device_uuid = store_text(statement, 5, arena),
                               .device = store_text(statement, 6, arena),
                               .driver = store_text(statement, 7, arena),
                               .host = store_text(statement, 8, arena),
                               .verdict = store_text(statement, 9, arena),
                               .document_bytes = sqlite3_column_int64(statement, 10),
                               .problem_count = sqlite3_column_int64(statement, 11),
                               .manifest = store_text(statement, 12, arena),
                               .parent = store_text(statement, 13, arena),
                               .branch = store_text(statement, 14, arena),
                               .seed = (uint64_t)sqlite3_column_int64(statement, 15)};
}

// The conditions of a filter. Those that it does not have are true.
#define RUN_WHERE                                                                                            \
    "(?1 IS NULL OR r.run_id = ?1) AND (?2 IS NULL OR r.suite = ?2) AND (?3 IS NULL OR r.commit_id = ?3)"    \
    " AND (?4 IS NULL OR r.device_uuid = ?4 OR r.device = ?4) AND (?5 IS NULL OR r.created_utc >= ?5)"       \
    " AND (?9 IS NULL OR r.branch = ?9)"

static void bind_filter(sqlite3_stmt *statement, const struct store_filter *filter) {
    store_bind_text(statement, 1, filter->run_id);
    store_bind_text(statement, 2, filter->suite);
    store_bind_text(statement, 3, filter->commit);
    store_bind_text(statement, 4, filter->device);
    store_bind_text(statement, 5, filter->since_utc);
    sqlite3_bind_int64(statement, 6, filter->limit ? filter->limit : LIMIT_NONE);
    store_bind_text(statement, 9, filter->branch);
}

// Items are read from the newest to the oldest, and turned round.
static void turn_round(void *items, size_t count, size_t bytes) {
    char *swap = mem_alloc(bytes), *first = items;
    for (size_t i = 0; count && i < count / 2; ++i) {
        char *a = first + i * bytes, *b = first + (count - 1 - i) * bytes;
        memcpy(swap, a, bytes);
        memcpy(a, b, bytes);
        memcpy(b, swap, bytes);
    }
    free(swap);
}

void *store_grown(struct arena *arena, void *items, size_t count, size_t bytes) {
    if (count & (count - 1)) return items; // room ends at powers of two
    void *larger = arena_array(arena, count ? 2 * count : 1, bytes);
    if (count) memcpy(larger, items, count * bytes);
    return larger;
}

int store_list_runs(struct store *store, const struct store_filter *filter, struct arena *arena,
                    struct stored_run **ret, size_t *ret_count, struct err *err) {
    sqlite3_stmt *statement = NULL;
    int step;
    *ret = NULL;
    *ret_count = 0;
    TRY(store_prepare(store,
                      "SELECT " STORE_RUN_COLUMNS " FROM runs r WHERE " RUN_WHERE
                      " ORDER BY r.created_utc DESC, r.id DESC LIMIT ?6",
                      &statement, err));
    bind_filter(statement, filter);
    while ((step = sqlite3_step(statement)) == SQLITE_ROW) {
        *ret = store_grown(arena, *ret, *ret_count, sizeof **ret);
        (*ret)[(*ret_count)++] = store_read_run(statement, arena);
    }
    const int code = step == SQLITE_DONE ? 0 : store_fail(store, "runs cannot be listed", err);
    sqlite3_finalize(statement);
    turn_round(*ret, *ret_count, sizeof **ret);
    return code;
}

#define RESULTS_OF                                                                                           \
    "SELECT " STORE_RUN_COLUMNS                                                                              \
    ", s.problem, s.side, s.kernel, s.verdict, s.median_ns, s.low_ns, s.high_ns,"                            \
    " s.change_pct, s.role, s.rounds FROM results s JOIN runs r ON r.id = s.run WHERE " RUN_WHERE            \
    " AND (?8 IS NULL OR s.side = ?8 OR s.kernel = ?8)"
#define NEWEST_FIRST  " ORDER BY s.created_utc DESC, s.run DESC LIMIT 1"
#define RESULTS_ORDER " ORDER BY r.created_utc DESC, r.id DESC, s.problem DESC, s.side DESC LIMIT ?6"

static struct stored_result read_result(sqlite3_stmt *statement, struct arena *arena) {
    return (struct stored_result){.run = store_read_run(statement, arena),
                                  .problem = store_text(statement, STORE_RUN_COLUMN_COUNT, arena),
                                  .side = store_text(statement, STORE_RUN_COLUMN_COUNT + 1, arena),
                                  .kernel = store_text(statement, STORE_RUN_COLUMN_COUNT + 2, arena),
                                  .verdict = store_text(statement, STORE_RUN_COLUMN_COUNT + 3, arena),
                                  .median_ns = store_double(statement, STORE_RUN_COLUMN_COUNT + 4),
                                  .low_ns = store_double(statement, STORE_RUN_COLUMN_COUNT + 5),
                                  .high_ns = store_double(statement, STORE_RUN_COLUMN_COUNT + 6),
                                  .change_pct = store_double(statement, STORE_RUN_COLUMN_COUNT + 7),
                                  .role = store_text(statement, STORE_RUN_COLUMN_COUNT + 8, arena),
                                  .round_count = sqlite3_column_int64(statement, STORE_RUN_COLUMN_COUNT + 9)};
}

int store_list_results(struct store *store, const struct store_filter *filter, struct arena *arena,
                       struct stored_result **ret, size_t *ret_count, struct err *err) {
    sqlite3_stmt *statement = NULL;
    int step;
    *ret = NULL;
    *ret_count = 0;
    // With a problem its index is used; a condition that may be true without one would keep SQLite from it.
    TRY(store_prepare(store,
                      filter->problem ? RESULTS_OF " AND s.problem = ?7" RESULTS_ORDER
                                      : RESULTS_OF " AND ?7 IS NULL" RESULTS_ORDER,
                      &statement, err));
    bind_filter(statement, filter);
    store_bind_text(statement, 7, filter->problem);
    store_bind_text(statement, 8, filter->side);
    while ((step = sqlite3_step(statement)) == SQLITE_ROW) {
        *ret = store_grown(arena, *ret, *ret_count, sizeof **ret);
        (*ret)[(*ret_count)++] = read_result(statement, arena);
    }
    const int code = step == SQLITE_DONE ? 0 : store_fail(store, "results cannot be listed", err);
    sqlite3_finalize(statement);
    turn_round(*ret, *ret_count, sizeof **ret);
    return code;
}

struct results_list {
    struct arena *arena;
    struct stored_result **items;
    size_t *count;
};

// The newest result that fits the filter, of the problem and side that `pair` is at: the end of an index, so
// that a million results are not read.
static int add_newest(const struct store *store, sqlite3_stmt *pair, sqlite3_stmt *newest,
                      const struct results_list *list, struct err *err) {
    for (int column = 0; column < 2; ++column)
        sqlite3_bind_text(newest, column ? 10 : 7, (const char *)sqlite3_column_text(pair, column), -1,
                          SQLITE_TRANSIENT);
    const int step = sqlite3_step(newest);
    if (step == SQLITE_ROW) {
        *list->items = store_grown(list->arena, *list->items, *list->count, sizeof **list->items);
        (*list->items)[(*list->count)++] = read_result(newest, list->arena);
    }
    sqlite3_reset(newest);
    return step == SQLITE_ROW || step == SQLITE_DONE ? 0
                                                     : store_fail(store, "problems cannot be listed", err);
}

// Goes from each pair of problem and side to the next one in the index.
static int walk_pairs(const struct store *store, sqlite3_stmt *pair, sqlite3_stmt *newest,
                      const struct results_list *list, struct err *err) {
    int step = SQLITE_DONE, code = 0;
    store_bind_text(pair, 1, "");
    store_bind_text(pair, 2, "");
    while (code == 0 && (step = sqlite3_step(pair)) == SQLITE_ROW) {
        code = add_newest(store, pair, newest, list, err);
        const char *problem = arena_strdup(list->arena, (const char *)sqlite3_column_text(pair, 0));
        const char *side = arena_strdup(list->arena, (const char *)sqlite3_column_text(pair, 1));
        sqlite3_reset(pair);
        store_bind_text(pair, 1, problem);
        store_bind_text(pair, 2, side);
    }
    if (code == 0 && step != SQLITE_DONE) code = store_fail(store, "problems cannot be listed", err);
    return code;
}

int store_list_problems(struct store *store, const struct store_filter *filter, struct arena *arena,
                        struct stored_result **ret, size_t *ret_count, struct err *err) {
    const struct results_list list = {arena, ret, ret_count};
    sqlite3_stmt *pair = NULL, *newest = NULL;
    *ret = NULL;
    *ret_count = 0;
    int code = store_prepare(store,
                             "SELECT problem, side FROM results WHERE (problem, side) > (?1, ?2)"
                             " ORDER BY problem, side LIMIT 1",
                             &pair, err);
    if (code == 0)
        code = store_prepare(store, RESULTS_OF " AND s.problem = ?7 AND s.side = ?10 AND ?6 > 0" NEWEST_FIRST,
                             &newest, err);
    if (code == 0) {
        bind_filter(newest, filter);
        store_bind_text(newest, 8, filter->side);
        code = walk_pairs(store, pair, newest, &list, err);
    }
    sqlite3_finalize(pair);
    sqlite3_finalize(newest);
    return code;
}

static int unpack(const struct store *store, sqlite3_stmt *statement, struct strbuf *out, struct err *err) {
    const void *bytes = sqlite3_column_blob(statement, 0);
    const size_t count = (size_t)sqlite3_column_bytes(statement, 0);
    const uint64_t length = (uint64_t)sqlite3_column_int64(statement, 1);
    if (length > DOCUMENT_BYTES_MAX)
        return err_set(err, ERR_DATA, "the store '%s': a document of %llu bytes is none of assay's",
                       str_shown(store->path).text, (unsigned long long)length);
    char *text = mem_alloc(length + 1);
    const size_t got = ZSTD_decompress(text, length, bytes, count);
    const bool is_whole = !ZSTD_isError(got) && got == length;
    if (is_whole) strbuf_add_bytes(out, text, got);
    free(text);
    return is_whole ? 0
                    : err_set(err, ERR_DATA, "the store '%s': the document of this run is damaged",
                              str_shown(store->path).text);
}

int store_document(struct store *store, const char *run_id, struct strbuf *out, struct err *err) {
    sqlite3_stmt *statement = NULL;
    TRY(store_prepare(store, "SELECT document, document_bytes FROM runs WHERE run_id = ?", &statement, err));
    store_bind_text(statement, 1, run_id);
    const int step = sqlite3_step(statement);
    const int code =
        step == SQLITE_ROW ? unpack(store, statement, out, err)
        : step == SQLITE_DONE
            ? err_set(err, ERR_NO_INPUT, "the store has no run '%s'; 'assay history list' shows them",
                      str_shown(run_id).text)
            : store_fail(store, "a document cannot be read", err);
    sqlite3_finalize(statement);
    return code;
}

#define PRUNED "created_utc < ? AND run_id NOT IN (SELECT run_id FROM baselines)"

int store_prune(struct store *store, const char *before_utc, bool is_dry, size_t *ret_count,
                struct err *err) {
    sqlite3_stmt *statement = NULL;
    *ret_count = 0;
    TRY(store_prepare(store,
                      is_dry ? "SELECT COUNT(*) FROM runs WHERE " PRUNED : "DELETE FROM runs WHERE " PRUNED,
                      &statement, err));
    store_bind_text(statement, 1, before_utc);
    const int step = sqlite3_step(statement);
    if (step == SQLITE_ROW) *ret_count = (size_t)sqlite3_column_int64(statement, 0);
    if (step == SQLITE_DONE) *ret_count = (size_t)sqlite3_changes(store->database);
    const int code =
        step == SQLITE_ROW || step == SQLITE_DONE ? 0 : store_fail(store, "runs cannot be removed", err);
    sqlite3_finalize(statement);
    return code;
}

#else // without SQLite: no store opens, so none of these is called

int store_list_runs(struct store *store, const struct store_filter *filter, struct arena *arena,
                    struct stored_run **ret, size_t *ret_count, struct err *err) {
    (void)store, (void)filter, (void)arena, (void)ret, (void)ret_count;
    return err_set(err, ERR_INTERNAL, "there is no store in this program");
}

int store_list_results(struct store *store, const struct store_filter *filter, struct arena *arena,
                       struct stored_result **ret, size_t *ret_count, struct err *err) {
    (void)store, (void)filter, (void)arena, (void)ret, (void)ret_count;
    return err_set(err, ERR_INTERNAL, "there is no store in this program");
}

int store_list_problems(struct store *store, const struct store_filter *filter, struct arena *arena,
                        struct stored_result **ret, size_t *ret_count, struct err *err) {
    (void)store, (void)filter, (void)arena, (void)ret, (void)ret_count;
    return err_set(err, ERR_INTERNAL, "there is no store in this program");
}

int store_document(struct store *store, const char *run_id, struct strbuf *out, struct err *err) {
    (void)store, (void)run_id, (void)out;
    return err_set(err, ERR_INTERNAL, "there is no store in this program");
}

int store_prune(struct store *store, const char *before_utc, bool is_dry, size_t *ret_count,
                struct err *err) {
    (void)store, (void)before_utc, (void)is_dry, (void)ret_count;
    return err_set(err, ERR_INTERNAL, "there is no store in this program");
}

#endif
