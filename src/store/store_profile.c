// SPDX-License-Identifier: Apache-2.0
//
// See store_profile.h.
#include "store/store_profile.h"

#include <stdlib.h>

#include "base/strbuf.h"
#include "store/store_internal.h"
#include "store/store_pack.h"

// ---- keeping ----

static int remove_earlier(struct sql *sql, const struct stored_profile *profile, struct err *err) {
    struct sql_statement *statement =
        sql_prepare(sql, "a profile cannot be replaced",
                    "DELETE FROM profiles WHERE run_id = ?1 AND problem = ?2 AND side = ?3");
    sql_bind_text(statement, 1, profile->run_id);
    sql_bind_text(statement, 2, profile->problem);
    sql_bind_text(statement, 3, profile->side);
    const int code = sql_step(statement, err);
    sql_finish(statement);
    return code;
}

#define PUT_PROFILE                                                                                          \
    "INSERT INTO profiles(created_utc, run_id, problem, side, kernel, profiler, bottleneck, because, suite," \
    " commit_id, branch, device_uuid, device, driver, host, document_bytes, document)"                       \
    " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)"

static int put_profile(struct sql *sql, const struct stored_profile *profile, const struct packed *packed,
                       struct err *err) {
    const char *const texts[] = {
        profile->created_utc, profile->run_id,      profile->problem, profile->side,   profile->kernel,
        profile->profiler,    profile->bottleneck,  profile->because, profile->suite,  profile->commit,
        profile->branch,      profile->device_uuid, profile->device,  profile->driver, profile->host};
    enum { TEXT_COUNT = sizeof texts / sizeof *texts };
    struct sql_statement *statement = sql_prepare(sql, "a profile is refused", PUT_PROFILE);
    for (int i = 0; i < TEXT_COUNT; ++i) sql_bind_text(statement, i + 1, texts[i]);
    sql_bind_i64(statement, TEXT_COUNT + 1, (int64_t)packed->document_bytes);
    sql_bind_bytes(statement, TEXT_COUNT + 2, packed->bytes, packed->count);
    const int code = sql_step(statement, err);
    sql_finish(statement);
    return code;
}

static int put_in_place(struct sql *sql, const struct stored_profile *profile, const struct packed *packed,
                        struct err *err) {
    if (profile->run_id) TRY(remove_earlier(sql, profile, err));
    return put_profile(sql, profile, packed, err);
}

int store_put_profile(struct store *store, const struct stored_profile *profile, const char *document,
                      size_t length, struct err *err) {
    struct packed packed = {.bytes = NULL};
    int code = store_pack(document, length, &packed, err);
    if (code == 0) code = sql_begin(store->sql, err);
    if (code == 0) code = sql_end(store->sql, put_in_place(store->sql, profile, &packed, err), err);
    free(packed.bytes);
    return code;
}

// ---- reading ----

#define PROFILE_COLUMNS                                                                                      \
    "SELECT id, created_utc, run_id, problem, side, kernel, profiler, bottleneck, because, suite,"           \
    " commit_id, branch, device_uuid, device, driver, host, document_bytes"
enum { PROFILE_COLUMN_COUNT = 17 };

static struct stored_profile read_profile(const struct sql_statement *statement, struct arena *arena) {
    return (struct stored_profile){.id = sql_i64(statement, 0),
                                   .created_utc = sql_text(statement, 1, arena),
                                   .run_id = sql_text(statement, 2, arena),
                                   .problem = sql_text(statement, 3, arena),
                                   .side = sql_text(statement, 4, arena),
                                   .kernel = sql_text(statement, 5, arena),
                                   .profiler = sql_text(statement, 6, arena),
                                   .bottleneck = sql_text(statement, 7, arena),
                                   .because = sql_text(statement, 8, arena),
                                   .suite = sql_text(statement, 9, arena),
                                   .commit = sql_text(statement, 10, arena),
                                   .branch = sql_text(statement, 11, arena),
                                   .device_uuid = sql_text(statement, 12, arena),
                                   .device = sql_text(statement, 13, arena),
                                   .driver = sql_text(statement, 14, arena),
                                   .host = sql_text(statement, 15, arena),
                                   .document_bytes = sql_i64(statement, 16)};
}

#define LIST_PROFILES                                                                                        \
    PROFILE_COLUMNS                                                                                          \
    " FROM profiles WHERE (?1 IS NULL OR run_id = ?1) AND (?2 IS NULL OR suite = ?2)"                        \
    " AND (?3 IS NULL OR commit_id = ?3) AND (?4 IS NULL OR device_uuid = ?4 OR device = ?4)"                \
    " AND (?5 IS NULL OR created_utc >= ?5) AND (?7 IS NULL OR problem = ?7)"                                \
    " AND (?8 IS NULL OR side = ?8 OR kernel = ?8) AND (?9 IS NULL OR branch = ?9)"                          \
    " ORDER BY created_utc DESC, id DESC LIMIT ?6"

int store_list_profiles(struct store *store, const struct store_filter *filter, struct arena *arena,
                        struct stored_profile **ret, size_t *ret_count, struct err *err) {
    struct sql_statement *statement = sql_prepare(store->sql, "profiles cannot be listed", LIST_PROFILES);
    int step;
    *ret = NULL;
    *ret_count = 0;
    store_bind_filter(statement, filter);
    while ((step = sql_step(statement, err)) > 0) {
        *ret = store_grown(arena, *ret, *ret_count, sizeof **ret);
        (*ret)[(*ret_count)++] = read_profile(statement, arena);
    }
    sql_finish(statement);
    return step;
}

void stored_profile_write(const struct stored_profile *profile, struct json_writer *w) {
    json_write_i64(w, "id", profile->id);
    json_write_string(w, "created_utc", profile->created_utc);
    json_write_string(w, "run_id", profile->run_id);
    json_write_string(w, "problem", profile->problem);
    json_write_string(w, "side", profile->side);
    json_write_string(w, "kernel", profile->kernel);
    json_write_string(w, "profiler", profile->profiler);
    json_write_string(w, "bottleneck", profile->bottleneck);
    json_write_string(w, "because", profile->because);
    json_write_string(w, "suite", profile->suite);
    json_write_string(w, "commit", profile->commit);
    json_write_string(w, "branch", profile->branch);
    json_write_string(w, "device_uuid", profile->device_uuid);
    json_write_string(w, "device", profile->device);
    json_write_string(w, "driver", profile->driver);
    json_write_string(w, "host", profile->host);
}

int store_get_profile(struct store *store, int64_t id, struct arena *arena, struct stored_profile *ret,
                      struct strbuf *document, struct err *err) {
    struct sql_statement *statement = sql_prepare(store->sql, "a profile cannot be read",
                                                  PROFILE_COLUMNS ", document FROM profiles WHERE id = ?1");
    sql_bind_i64(statement, 1, id);
    int code = sql_step(statement, err);
    if (code == 0)
        code = err_set(err, ERR_NO_INPUT,
                       "the store has no profile %lld; 'assay history profiles' shows them", (long long)id);
    if (code > 0) {
        *ret = read_profile(statement, arena);
        code = document ? store_read_document(store->sql, statement, PROFILE_COLUMN_COUNT, document, err) : 0;
    }
    sql_finish(statement);
    return code;
}
