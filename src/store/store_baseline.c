// SPDX-License-Identifier: Apache-2.0
//
// Baselines: which run a branch is measured against, on each device and suite.
#include "base/strbuf.h"
#include "store/store_internal.h"

static int find_place(struct sql *sql, const char *run_id, struct arena *arena, struct store_place *ret,
                      struct err *err) {
    struct sql_statement *statement = sql_prepare(
        sql, "a run cannot be found", "SELECT branch, device_uuid, suite FROM runs WHERE run_id = ?1");
    sql_bind_text(statement, 1, run_id);
    const int step = sql_step(statement, err);
    if (step > 0)
        *ret = (struct store_place){.branch = sql_text(statement, 0, arena),
                                    .device_uuid = sql_text(statement, 1, arena),
                                    .suite = sql_text(statement, 2, arena)};
    sql_finish(statement);
    return step > 0 ? 0 : step < 0 ? step : store_no_run(run_id, err);
}

static int put_baseline(struct sql *sql, const struct store_place *place, const char *run_id,
                        struct err *err) {
    struct sql_statement *statement =
        sql_prepare(sql, "a baseline is refused",
                    "INSERT INTO baselines(branch, device_uuid, suite, run_id) VALUES(?1, ?2, ?3, ?4)"
                    " ON CONFLICT(branch, device_uuid, suite) DO UPDATE SET run_id = excluded.run_id");
    sql_bind_text(statement, 1, place->branch);
    sql_bind_text(statement, 2, place->device_uuid);
    sql_bind_text(statement, 3, str_or(place->suite, ""));
    sql_bind_text(statement, 4, run_id);
    const int code = sql_step(statement, err);
    sql_finish(statement);
    return code;
}

// Inside a transaction: nobody removes the run between the two statements.
static int put_in_place(struct sql *sql, const char *run_id, const char *branch, struct err *err) {
    struct arena arena = {0};
    struct store_place place = {.branch = NULL};
    int code = find_place(sql, run_id, &arena, &place, err);
    if (branch) place.branch = branch;
    if (code == 0 && !place.branch)
        code = err_set(err, ERR_USAGE, "the run '%s' is of no known branch: name one with --branch",
                       str_shown(run_id).text);
    if (code == 0 && !place.device_uuid)
        code = err_set(err, ERR_USAGE,
                       "the run '%s' does not say on which device it was made: it is no baseline",
                       str_shown(run_id).text);
    if (code == 0) code = put_baseline(sql, &place, run_id, err);
    arena_fini(&arena);
    return code;
}

int store_set_baseline(struct store *store, const char *run_id, const char *branch, struct err *err) {
    TRY(sql_begin(store->sql, err));
    return sql_end(store->sql, put_in_place(store->sql, run_id, branch, err), err);
}

#define LIST_BASELINES                                                                                       \
    "SELECT " STORE_RUN_COLUMNS ", b.branch, b.device_uuid, b.suite FROM baselines b"                        \
    " JOIN runs r ON r.run_id = b.run_id WHERE (?1 IS NULL OR b.branch = ?1)"                                \
    " AND (?2 IS NULL OR b.device_uuid = ?2 OR r.device = ?2) AND (?3 IS NULL OR b.suite = ?3)"              \
    " ORDER BY b.branch, b.device_uuid, b.suite"

int store_list_baselines(struct store *store, const struct store_place *place, struct arena *arena,
                         struct stored_baseline **ret, size_t *ret_count, struct err *err) {
    struct sql_statement *statement = sql_prepare(store->sql, "baselines cannot be listed", LIST_BASELINES);
    int step;
    *ret = NULL;
    *ret_count = 0;
    sql_bind_text(statement, 1, place->branch);
    sql_bind_text(statement, 2, place->device_uuid);
    sql_bind_text(statement, 3, place->suite);
    while ((step = sql_step(statement, err)) > 0) {
        *ret = store_grown(arena, *ret, *ret_count, sizeof **ret);
        (*ret)[(*ret_count)++] = (struct stored_baseline){
            .place = {.branch = sql_text(statement, STORE_RUN_COLUMN_COUNT, arena),
                      .device_uuid = sql_text(statement, STORE_RUN_COLUMN_COUNT + 1, arena),
                      .suite = sql_text(statement, STORE_RUN_COLUMN_COUNT + 2, arena)},
            .run = store_read_run(statement, arena)};
    }
    sql_finish(statement);
    return step;
}
