// SPDX-License-Identifier: Apache-2.0
//
// Baselines: which run a branch is measured against, on each device and suite.
#include "store/store.h"

#include "assay_config.h"

#if ASSAY_HAS_STORE

#include "store/store_internal.h"

static int find_place(const struct store *store, const char *run_id, struct arena *arena,
                      struct store_place *ret, struct err *err) {
    sqlite3_stmt *statement = NULL;
    TRY(store_prepare(store, "SELECT branch, device_uuid, suite FROM runs WHERE run_id = ?", &statement,
                      err));
    store_bind_text(statement, 1, run_id);
    const int step = sqlite3_step(statement);
    if (step == SQLITE_ROW)
        *ret = (struct store_place){.branch = store_text(statement, 0, arena),
                                    .device_uuid = store_text(statement, 1, arena),
                                    .suite = store_text(statement, 2, arena)};
    const int code =
        step == SQLITE_ROW ? 0
        : step == SQLITE_DONE
            ? err_set(err, ERR_NO_INPUT, "the store has no run '%s'; 'assay history list' shows them",
                      str_shown(run_id).text)
            : store_fail(store, "a run cannot be found", err);
    sqlite3_finalize(statement);
    return code;
}

static int put_baseline(const struct store *store, const struct store_place *place, const char *run_id,
                        struct err *err) {
    sqlite3_stmt *statement = NULL;
    TRY(store_prepare(store,
                      "INSERT OR REPLACE INTO baselines(branch, device_uuid, suite, run_id)"
                      " VALUES(?, ?, ?, ?)",
                      &statement, err));
    store_bind_text(statement, 1, place->branch);
    store_bind_text(statement, 2, place->device_uuid);
    store_bind_text(statement, 3, str_or(place->suite, ""));
    store_bind_text(statement, 4, run_id);
    const int code =
        sqlite3_step(statement) == SQLITE_DONE ? 0 : store_fail(store, "a baseline is refused", err);
    sqlite3_finalize(statement);
    return code;
}

int store_set_baseline(struct store *store, const char *run_id, const char *branch, struct err *err) {
    struct arena arena = {0};
    struct store_place place = {.branch = NULL};
    int code = find_place(store, run_id, &arena, &place, err);
    if (branch) place.branch = branch;
    if (code == 0 && !place.branch)
        code = err_set(err, ERR_USAGE, "the run '%s' is of no known branch: name one with --branch",
                       str_shown(run_id).text);
    if (code == 0 && !place.device_uuid)
        code = err_set(err, ERR_USAGE,
                       "the run '%s' does not say on which device it was made: it is no baseline",
                       str_shown(run_id).text);
    if (code == 0) code = put_baseline(store, &place, run_id, err);
    arena_fini(&arena);
    return code;
}

int store_list_baselines(struct store *store, const struct store_place *place, struct arena *arena,
                         struct stored_baseline **ret, size_t *ret_count, struct err *err) {
    sqlite3_stmt *statement = NULL;
    int step;
    *ret = NULL;
    *ret_count = 0;
    TRY(store_prepare(store,
                      "SELECT " STORE_RUN_COLUMNS ", b.branch, b.device_uuid, b.suite FROM baselines b"
                      " JOIN runs r ON r.run_id = b.run_id WHERE (?1 IS NULL OR b.branch = ?1)"
                      " AND (?2 IS NULL OR b.device_uuid = ?2 OR r.device = ?2)"
                      " AND (?3 IS NULL OR b.suite = ?3) ORDER BY b.branch, b.device_uuid, b.suite",
                      &statement, err));
    store_bind_text(statement, 1, place->branch);
    store_bind_text(statement, 2, place->device_uuid);
    store_bind_text(statement, 3, place->suite);
    while ((step = sqlite3_step(statement)) == SQLITE_ROW) {
        *ret = store_grown(arena, *ret, *ret_count, sizeof **ret);
        (*ret)[(*ret_count)++] = (struct stored_baseline){
            .place = {.branch = store_text(statement, STORE_RUN_COLUMN_COUNT, arena),
                      .device_uuid = store_text(statement, STORE_RUN_COLUMN_COUNT + 1, arena),
                      .suite = store_text(statement, STORE_RUN_COLUMN_COUNT + 2, arena)},
            .run = store_read_run(statement, arena)};
    }
    const int code = step == SQLITE_DONE ? 0 : store_fail(store, "baselines cannot be listed", err);
    sqlite3_finalize(statement);
    return code;
}

#else // without SQLite: no store opens, so none of these is called

int store_set_baseline(struct store *store, const char *run_id, const char *branch, struct err *err) {
    (void)store, (void)run_id, (void)branch;
    return err_set(err, ERR_INTERNAL, "there is no store in this program");
}

int store_list_baselines(struct store *store, const struct store_place *place, struct arena *arena,
                         struct stored_baseline **ret, size_t *ret_count, struct err *err) {
    (void)store, (void)place, (void)arena, (void)ret, (void)ret_count;
    return err_set(err, ERR_INTERNAL, "there is no store in this program");
}

#endif
