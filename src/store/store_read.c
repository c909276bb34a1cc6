// SPDX-License-Identifier: Apache-2.0
//
// Queries: runs, results of problems over runs, documents.
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/strbuf.h"
#include "store/store_internal.h"
#include "store/store_pack.h"

#define LIMIT_NONE INT64_MAX

struct stored_run store_read_run(const struct sql_statement *statement, struct arena *arena) {
    return (struct stored_run){.run_id = sql_text(statement, 0, arena),
                               .created_utc = sql_text(statement, 1, arena),
                               .command = sql_text(statement, 2, arena),
                               .suite = sql_text(statement, 3, arena),
                               .commit = sql_text(statement, 4, arena),
                               .device_uuid = sql_text(statement, 5, arena),
                               .device = sql_text(statement, 6, arena),
                               .driver = sql_text(statement, 7, arena),
                               .host = sql_text(statement, 8, arena),
                               .verdict = sql_text(statement, 9, arena),
                               .document_bytes = sql_i64(statement, 10),
                               .problem_count = sql_i64(statement, 11),
                               .manifest = sql_text(statement, 12, arena),
                               .parent = sql_text(statement, 13, arena),
                               .branch = sql_text(statement, 14, arena),
                               .seed = (uint64_t)sql_i64(statement, 15),
                               .metric = sql_text(statement, 16, arena)};
}

void store_bind_filter(struct sql_statement *statement, const struct store_filter *filter) {
    sql_bind_text(statement, 1, filter->run_id);
    sql_bind_text(statement, 2, filter->suite);
    sql_bind_text(statement, 3, filter->commit);
    sql_bind_text(statement, 4, filter->device);
    sql_bind_text(statement, 5, filter->since_utc);
    sql_bind_i64(statement, 6, filter->limit ? filter->limit : LIMIT_NONE);
    sql_bind_text(statement, 7, filter->problem);
    sql_bind_text(statement, 8, filter->side);
    sql_bind_text(statement, 9, filter->branch);
    sql_bind_text(statement, 10, filter->metric);
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

#define LIST_RUNS                                                                                            \
    "SELECT " STORE_RUN_COLUMNS " FROM runs r WHERE " STORE_RUN_WHERE                                        \
    " ORDER BY r.created_utc DESC, r.id DESC LIMIT ?6"

int store_list_runs(struct store *store, const struct store_filter *filter, struct arena *arena,
                    struct stored_run **ret, size_t *ret_count, struct err *err) {
    struct sql_statement *statement = sql_prepare(store->sql, "runs cannot be listed", LIST_RUNS);
    int step;
    *ret = NULL;
    *ret_count = 0;
    store_bind_filter(statement, filter);
    while ((step = sql_step(statement, err)) > 0) {
        *ret = store_grown(arena, *ret, *ret_count, sizeof **ret);
        (*ret)[(*ret_count)++] = store_read_run(statement, arena);
    }
    sql_finish(statement);
    turn_round(*ret, *ret_count, sizeof **ret);
    return step;
}

#define RESULT_COLUMNS                                                                                       \
    STORE_RUN_COLUMNS ", s.problem, s.side, s.kernel, s.verdict, s.median_ns, s.low_ns, s.high_ns,"          \
                      " s.change_pct, s.role, s.rounds"
#define SIDE_WHERE "(?8 IS NULL OR s.side = ?8 OR s.kernel = ?8)"

static struct stored_result read_result(const struct sql_statement *statement, struct arena *arena) {
    return (struct stored_result){.run = store_read_run(statement, arena),
                                  .problem = sql_text(statement, STORE_RUN_COLUMN_COUNT, arena),
                                  .side = sql_text(statement, STORE_RUN_COLUMN_COUNT + 1, arena),
                                  .kernel = sql_text(statement, STORE_RUN_COLUMN_COUNT + 2, arena),
                                  .verdict = sql_text(statement, STORE_RUN_COLUMN_COUNT + 3, arena),
                                  .median_ns = sql_double(statement, STORE_RUN_COLUMN_COUNT + 4),
                                  .low_ns = sql_double(statement, STORE_RUN_COLUMN_COUNT + 5),
                                  .high_ns = sql_double(statement, STORE_RUN_COLUMN_COUNT + 6),
                                  .change_pct = sql_double(statement, STORE_RUN_COLUMN_COUNT + 7),
                                  .role = sql_text(statement, STORE_RUN_COLUMN_COUNT + 8, arena),
                                  .round_count = sql_i64(statement, STORE_RUN_COLUMN_COUNT + 9)};
}

// Reads all rows of the statement, and finishes it.
static int read_results(struct sql_statement *statement, struct arena *arena, struct stored_result **ret,
                        size_t *ret_count, struct err *err) {
    int step;
    *ret = NULL;
    *ret_count = 0;
    while ((step = sql_step(statement, err)) > 0) {
        *ret = store_grown(arena, *ret, *ret_count, sizeof **ret);
        (*ret)[(*ret_count)++] = read_result(statement, arena);
    }
    sql_finish(statement);
    return step;
}

#define LIST_RESULTS                                                                                         \
    "SELECT " RESULT_COLUMNS " FROM results s JOIN runs r ON r.id = s.run WHERE " STORE_RUN_WHERE " AND"     \
    " " SIDE_WHERE
#define RESULTS_ORDER " ORDER BY r.created_utc DESC, r.id DESC, s.problem DESC, s.side DESC LIMIT ?6"

int store_list_results(struct store *store, const struct store_filter *filter, struct arena *arena,
                       struct stored_result **ret, size_t *ret_count, struct err *err) {
    // With a problem its index is used; a condition that may be true without one would keep SQLite from it.
    struct sql_statement *statement =
        sql_prepare(store->sql, "results cannot be listed",
                    filter->problem ? LIST_RESULTS " AND s.problem = ?7" RESULTS_ORDER
                                    : LIST_RESULTS " AND ?7 IS NULL" RESULTS_ORDER);
    store_bind_filter(statement, filter);
    const int code = read_results(statement, arena, ret, ret_count, err);
    turn_round(*ret, *ret_count, sizeof **ret);
    return code;
}

int store_list_series(struct store *store, const struct store_filter *filter, struct arena *arena,
                      struct stored_result **ret, size_t *ret_count, struct err *err) {
    struct sql_statement *statement = sql_prepare(
        store->sql, "results cannot be listed",
        "SELECT " RESULT_COLUMNS " FROM results s JOIN runs r ON r.id = s.run WHERE " STORE_RUN_WHERE
        " AND s.problem = ?7 AND s.side = ?8 ORDER BY s.created_utc DESC, s.run DESC LIMIT ?6");
    store_bind_filter(statement, filter);
    const int code = read_results(statement, arena, ret, ret_count, err);
    turn_round(*ret, *ret_count, sizeof **ret);
    return code;
}

#define COUNT_RUNS "SELECT COUNT(*) FROM runs r WHERE " STORE_RUN_WHERE " AND ?6 IS NOT NULL"

int store_count_runs(struct store *store, const struct store_filter *filter, size_t *ret_count,
                     struct err *err) {
    struct sql_statement *statement = sql_prepare(store->sql, "runs cannot be counted", COUNT_RUNS);
    store_bind_filter(statement, filter);
    const int step = sql_step(statement, err);
    if (step > 0) *ret_count = (size_t)sql_i64(statement, 0);
    sql_finish(statement);
    return step < 0 ? step : 0;
}

// Goes from each problem, and in it from each side, to the next one in the index, and takes the newest run of
// each that fits: the end of an index. So a million results are not read. A condition that is a query by
// itself keeps PostgreSQL from joining all runs where it has no statistics yet.
#define EACH_PROBLEM                                                                                         \
    "problems(problem) AS (SELECT MIN(problem) FROM results UNION ALL"                                       \
    " SELECT (SELECT MIN(problem) FROM results WHERE problem > p.problem)"                                   \
    " FROM problems p WHERE p.problem IS NOT NULL)"
#define EACH_SIDE                                                                                            \
    "sides(problem, side) AS ("                                                                              \
    "SELECT p.problem, (SELECT MIN(side) FROM results WHERE problem = p.problem)"                            \
    " FROM problems p WHERE p.problem IS NOT NULL UNION ALL"                                                 \
    " SELECT p.problem, (SELECT MIN(side) FROM results WHERE problem = p.problem AND side > p.side)"         \
    " FROM sides p WHERE p.side IS NOT NULL)"
#define EACH_NEWEST(condition)                                                                               \
    "newest(problem, side, run) AS MATERIALIZED (SELECT p.problem, p.side,"                                  \
    " (SELECT s.run FROM results s WHERE s.problem = p.problem AND s.side = p.side AND " condition           \
    " ORDER BY s.created_utc DESC, s.run DESC LIMIT 1) FROM sides p WHERE p.side IS NOT NULL)"
#define LIST_PROBLEMS(condition)                                                                             \
    "WITH RECURSIVE " EACH_PROBLEM ", " EACH_SIDE                                                            \
    ", " EACH_NEWEST(condition) " SELECT " RESULT_COLUMNS " FROM newest n JOIN results s ON s.run = n.run "  \
                                "AND s.problem = n.problem AND s.side = n.side"                              \
                                " JOIN runs r ON r.id = s.run ORDER BY s.problem, s.side LIMIT ?6"
#define FITS                                                                                                 \
    SIDE_WHERE " AND (?7 IS NULL OR s.problem = ?7) AND (SELECT " STORE_RUN_WHERE                            \
               " FROM runs r WHERE r.id = "                                                                  \
               "s.run)"
#define ANY "?10 IS NULL" // without a filter no run is looked at, which takes a third of the time

bool store_has_condition(const struct store_filter *filter) {
    return filter->run_id || filter->suite || filter->commit || filter->branch || filter->device ||
           filter->side || filter->since_utc || filter->problem || filter->metric;
}

int store_list_problems(struct store *store, const struct store_filter *filter, struct arena *arena,
                        struct stored_result **ret, size_t *ret_count, struct err *err) {
    struct sql_statement *statement =
        sql_prepare(store->sql, "problems cannot be listed",
                    store_has_condition(filter) ? LIST_PROBLEMS(FITS) : LIST_PROBLEMS(ANY));
    store_bind_filter(statement, filter);
    sql_bind_i64(statement, 6, LIMIT_NONE);
    return read_results(statement, arena, ret, ret_count, err);
}

#define LIST_SIDES                                                                                           \
    "WITH RECURSIVE " EACH_PROBLEM ", " EACH_SIDE                                                            \
    " SELECT problem, side FROM sides WHERE side IS NOT NULL ORDER BY problem, side"

int store_list_sides(struct store *store, struct arena *arena, struct stored_side **ret, size_t *ret_count,
                     struct err *err) {
    struct sql_statement *statement = sql_prepare(store->sql, "problems cannot be listed", LIST_SIDES);
    int step;
    *ret = NULL;
    *ret_count = 0;
    while ((step = sql_step(statement, err)) > 0) {
        *ret = store_grown(arena, *ret, *ret_count, sizeof **ret);
        (*ret)[(*ret_count)++] = (struct stored_side){.problem = sql_text(statement, 0, arena),
                                                      .side = sql_text(statement, 1, arena)};
    }
    sql_finish(statement);
    return step;
}

int store_no_run(const char *run_id, struct err *err) {
    return err_set(err, ERR_NO_INPUT, "the store has no run '%s'; 'assay history list' shows them",
                   str_shown(run_id).text);
}

int store_read_document(const struct sql *sql, const struct sql_statement *statement, int column,
                        struct strbuf *out, struct err *err) {
    size_t count = 0;
    const void *bytes = sql_bytes(statement, column, &count);
    const int code = store_unpack(bytes, count, (uint64_t)sql_i64(statement, column - 1), out, err);
    return code < 0 ? err_prefix(err, "the store '%s'", str_shown(sql_shown(sql)).text) : 0;
}

int store_document(struct store *store, const char *run_id, struct strbuf *out, struct err *err) {
    struct sql_statement *statement =
        sql_prepare(store->sql, "a document cannot be read",
                    "SELECT document_bytes, document FROM runs WHERE run_id = ?1");
    sql_bind_text(statement, 1, run_id);
    int code = sql_step(statement, err);
    if (code == 0) code = store_no_run(run_id, err);
    if (code > 0) code = store_read_document(store->sql, statement, 1, out, err);
    sql_finish(statement);
    return code;
}
