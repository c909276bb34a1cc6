// SPDX-License-Identifier: Apache-2.0
//
// Opens a store and writes to it. Write-ahead logging: readers do not wait for a writer, and a writer that is
// killed leaves what was there before. Writers wait for each other.
#include "store/store.h"

#include "assay_config.h"

bool store_is_built_in(void) {
#if ASSAY_HAS_STORE
    return true;
#else
    return false;
#endif
}

#if ASSAY_HAS_STORE

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/sha256.h"
#include "store/store_internal.h"
#include "store/store_schema.h"

#define BUSY_MS     30000
#define ZSTD_LEVEL  6
#define SCHEMA_STEP "PRAGMA user_version = %d"

int store_fail(const struct store *store, const char *what, struct err *err) {
    const int code = sqlite3_errcode(store->database) & 0xff;
    const bool is_damaged = code == SQLITE_CORRUPT || code == SQLITE_NOTADB;
    const char *remedy = is_damaged ? "move it away; 'assay history import runs' fills a new one"
                         : code == SQLITE_FULL || code == SQLITE_IOERR ? "is the disk full?"
                         : code == SQLITE_BUSY     ? "another process writes to it for long: try again"
                         : code == SQLITE_READONLY ? "it cannot be written"
                                                   : "is its folder there and writable?";
    return err_set(err, is_damaged ? ERR_DATA : ERR_UNAVAILABLE, "the store '%s': %s: %s; %s",
                   str_shown(store->path).text, what, sqlite3_errmsg(store->database), remedy);
}

int store_execute(const struct store *store, const char *sql, struct err *err) {
    return sqlite3_exec(store->database, sql, NULL, NULL, NULL) == SQLITE_OK
               ? 0
               : store_fail(store, "a statement failed", err);
}

int store_prepare(const struct store *store, const char *sql, sqlite3_stmt **ret, struct err *err) {
    return sqlite3_prepare_v2(store->database, sql, -1, ret, NULL) == SQLITE_OK
               ? 0
               : store_fail(store, "a statement is refused", err);
}

void store_bind_text(sqlite3_stmt *statement, int index, const char *text) {
    if (text)
        sqlite3_bind_text(statement, index, text, -1, SQLITE_TRANSIENT);
    else
        sqlite3_bind_null(statement, index);
}

void store_bind_double(sqlite3_stmt *statement, int index, double value) {
    if (isfinite(value))
        sqlite3_bind_double(statement, index, value);
    else
        sqlite3_bind_null(statement, index);
}

const char *store_text(sqlite3_stmt *statement, int column, struct arena *arena) {
    return arena_strdup(arena, (const char *)sqlite3_column_text(statement, column));
}

double store_double(sqlite3_stmt *statement, int column) {
    return sqlite3_column_type(statement, column) == SQLITE_NULL ? NAN
                                                                 : sqlite3_column_double(statement, column);
}

// ---- opening ----

static int read_version(const struct store *store, int *ret, struct err *err) {
    sqlite3_stmt *statement = NULL;
    TRY(store_prepare(store, "PRAGMA user_version", &statement, err));
    const bool is_read = sqlite3_step(statement) == SQLITE_ROW;
    *ret = is_read ? sqlite3_column_int(statement, 0) : 0;
    const int code = is_read ? 0 : store_fail(store, "its version cannot be read", err);
    sqlite3_finalize(statement);
    return code;
}

static int migrate(const struct store *store, struct err *err) {
    int version = 0;
    TRY(read_version(store, &version, err));
    if (version > STORE_VERSION)
        return err_set(err, ERR_UNAVAILABLE,
                       "the store '%s' is of a newer assay (version %d, this one knows %d): use that one, or "
                       "another file with --store",
                       str_shown(store->path).text, version, STORE_VERSION);
    for (; version < STORE_VERSION; ++version) {
        char mark[sizeof SCHEMA_STEP + 16];
        snprintf(mark, sizeof mark, SCHEMA_STEP, version + 1);
        TRY(store_execute(store, store_migrations[version], err));
        TRY(store_execute(store, mark, err));
    }
    return 0;
}

// Two processes may find an old store at the same time: the second one finds it migrated.
static int migrate_alone(const struct store *store, struct err *err) {
    int version = 0;
    TRY(read_version(store, &version, err));
    if (version == STORE_VERSION) return 0;
    TRY(store_execute(store, "BEGIN IMMEDIATE", err));
    const int code = migrate(store, err);
    TRY(store_execute(store, code < 0 ? "ROLLBACK" : "COMMIT", code < 0 ? NULL : err));
    return code;
}

static int make_folder(const char *path, struct err *err) {
    char *folder = path_dir(path);
    const int code = file_make_dirs(folder, err);
    free(folder);
    return code;
}

int store_open(const char *path, bool may_create, struct store **ret, struct err *err) {
    if (may_create) TRY(make_folder(path, err));
    if (!may_create && !file_exists(path))
        return err_set(err, ERR_NO_INPUT, "there is no store '%s' yet: gate, bench and run make it",
                       str_shown(path).text);
    struct store *store = mem_alloc(sizeof *store);
    store->path = mem_strdup(path);
    const int flags = SQLITE_OPEN_READWRITE | (may_create ? SQLITE_OPEN_CREATE : 0);
    int code = sqlite3_open_v2(path, &store->database, flags, NULL) == SQLITE_OK
                   ? 0
                   : store_fail(store, "it cannot be opened", err);
    if (code == 0) sqlite3_busy_timeout(store->database, BUSY_MS);
    if (code == 0) code = store_execute(store, "PRAGMA journal_mode = WAL", err);
    if (code == 0) code = store_execute(store, "PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON", err);
    if (code == 0) code = migrate_alone(store, err);
    if (code < 0)
        store_close(store);
    else
        *ret = store;
    return code;
}

void store_close(struct store *store) {
    if (!store) return;
    sqlite3_close(store->database);
    free(store->path);
    free(store);
}

// ---- writing ----

static const struct decision_case *decided(const struct result *result, const struct result_case *item) {
    char name[PROBLEM_NAME_BYTES];
    snprintf(name, sizeof name, "%s", item->problem.name);
    for (size_t i = 0; result->decision && i < result->decision->case_count; ++i)
        if (str_equal(result->decision->cases[i].name, name)) return &result->decision->cases[i];
    return NULL;
}

static int64_t count_rounds(const struct result_case *item, size_t side) {
    int64_t count = 0;
    for (size_t i = 0; i < item->round_count; ++i)
        count += item->rounds[i].is_valid && item->rounds[i].samples[side].count > 0;
    return count;
}

static int put_results(const struct store *store, const struct result *result, int64_t run, struct err *err) {
    sqlite3_stmt *statement = NULL;
    int code = store_prepare(store,
                             "INSERT OR REPLACE INTO results(run, problem, side, kernel, median_ns, low_ns,"
                             " high_ns, verdict, change_pct, role, rounds, created_utc)"
                             " VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                             &statement, err);
    struct arena arena = {0};
    for (size_t i = 0; code == 0 && i < result->case_count; ++i) {
        const struct result_case *item = &result->cases[i];
        const struct decision_case *verdict = decided(result, item);
        for (size_t side = 0; code == 0 && side < result->side_count; ++side) {
            const struct case_summary *figures = &item->summaries[side];
            const bool is_candidate = result->sides[side].role == SIDE_CANDIDATE;
            if (!figures->is_set && !(verdict && is_candidate)) continue;
            sqlite3_bind_int64(statement, 1, run);
            store_bind_text(statement, 2, item->problem.name);
            store_bind_text(statement, 3, result_side_name(result, side, &arena));
            store_bind_text(statement, 4, result->sides[side].kernel);
            store_bind_double(statement, 5, figures->is_set ? figures->median_ns : NAN);
            store_bind_double(statement, 6, figures->is_set ? figures->median_low_ns : NAN);
            store_bind_double(statement, 7, figures->is_set ? figures->median_high_ns : NAN);
            store_bind_text(statement, 8, verdict && is_candidate ? verdict_name(verdict->verdict) : NULL);
            store_bind_double(statement, 9, verdict && is_candidate ? verdict->change_pct : NAN);
            store_bind_text(statement, 10, side_role_name(result->sides[side].role));
            sqlite3_bind_int64(statement, 11, count_rounds(item, side));
            store_bind_text(statement, 12, str_or(result->created_utc, ""));
            if (sqlite3_step(statement) != SQLITE_DONE) code = store_fail(store, "a result is refused", err);
            sqlite3_reset(statement);
        }
    }
    arena_fini(&arena);
    sqlite3_finalize(statement);
    return code;
}

// The worst of the problems' verdicts.
static const char *overall_verdict(const struct result *result) {
    static const enum verdict worst_first[] = {VERDICT_WRONG,       VERDICT_REGRESSION,  VERDICT_NOT_VALID,
                                               VERDICT_UNDECIDABLE, VERDICT_IMPROVEMENT, VERDICT_MAINTAINED};
    if (!result->decision) return NULL;
    for (size_t k = 0; k < sizeof worst_first / sizeof *worst_first; ++k)
        for (size_t i = 0; i < result->decision->case_count; ++i)
            if (result->decision->cases[i].verdict == worst_first[k]) return verdict_name(worst_first[k]);
    return NULL;
}

struct packed {
    char hash[SHA256_HEX_BYTES];
    void *bytes; // owned
    size_t count, document_bytes;
};

static int pack(const struct result *result, struct packed *ret, struct err *err) {
    struct strbuf text = {0};
    result_write(result, &text);
    struct sha256 sha = sha256_make();
    sha256_add(&sha, text.text, text.length);
    sha256_hex(sha, ret->hash);
    const size_t room = ZSTD_compressBound(text.length);
    ret->bytes = mem_alloc(room);
    ret->document_bytes = text.length;
    ret->count = ZSTD_compress(ret->bytes, room, text.text, text.length, ZSTD_LEVEL);
    strbuf_fini(&text);
    if (!ZSTD_isError(ret->count)) return 0;
    return err_set(err, ERR_INTERNAL, "the document of a run cannot be compressed: %s",
                   ZSTD_getErrorName(ret->count));
}

// What the store has of a run already.
struct earlier {
    bool stands; // the same document, or one of more problems: a single problem's file is a part
    struct arena arena;
    struct store_origin origin;
};

static int find_earlier(const struct store *store, const struct result *result, const char *hash,
                        struct earlier *ret, struct err *err) {
    sqlite3_stmt *statement = NULL;
    TRY(store_prepare(
        store, "SELECT content_hash, problem_count, commit_id, parent, branch FROM runs WHERE run_id = ?",
        &statement, err));
    store_bind_text(statement, 1, result->run_id);
    if (sqlite3_step(statement) == SQLITE_ROW) {
        ret->stands = str_equal((const char *)sqlite3_column_text(statement, 0), hash) ||
                      sqlite3_column_int64(statement, 1) > (int64_t)result->case_count;
        ret->origin = (struct store_origin){.commit = store_text(statement, 2, &ret->arena),
                                            .parent = store_text(statement, 3, &ret->arena),
                                            .branch = store_text(statement, 4, &ret->arena)};
    }
    sqlite3_finalize(statement);
    return 0;
}

static int remove_run(const struct store *store, const char *run_id, struct err *err) {
    sqlite3_stmt *statement = NULL;
    TRY(store_prepare(store, "DELETE FROM runs WHERE run_id = ?", &statement, err));
    store_bind_text(statement, 1, run_id);
    const int code =
        sqlite3_step(statement) == SQLITE_DONE ? 0 : store_fail(store, "a run cannot be replaced", err);
    sqlite3_finalize(statement);
    return code;
}

static int put_run(const struct store *store, const struct result *result, const struct store_origin *origin,
                   const struct packed *packed, struct err *err) {
    const struct environment *environment = &result->environment;
    const char *const texts[] = {result->run_id,           str_or(result->created_utc, ""),
                                 result->command,          result->suite,
                                 result->manifest,         origin->commit,
                                 origin->parent,           origin->branch,
                                 environment->device_uuid, environment->device_name,
                                 environment->driver,      environment->host,
                                 overall_verdict(result),  packed->hash};
    enum { TEXT_COUNT = sizeof texts / sizeof *texts };
    sqlite3_stmt *statement = NULL;
    TRY(store_prepare(
        store,
        "INSERT INTO runs(run_id, created_utc, command, suite, manifest, commit_id, parent, branch,"
        " device_uuid, device, driver, host, verdict, content_hash, problem_count, document_bytes,"
        " document, seed) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        &statement, err));
    for (int i = 0; i < TEXT_COUNT; ++i) store_bind_text(statement, i + 1, texts[i]);
    sqlite3_bind_int64(statement, TEXT_COUNT + 1, (int64_t)result->case_count);
    sqlite3_bind_int64(statement, TEXT_COUNT + 2, (int64_t)packed->document_bytes);
    sqlite3_bind_blob64(statement, TEXT_COUNT + 3, packed->bytes, packed->count, SQLITE_STATIC);
    sqlite3_bind_int64(statement, TEXT_COUNT + 4, (int64_t)result->seed);
    const int code = sqlite3_step(statement) == SQLITE_DONE ? 0 : store_fail(store, "a run is refused", err);
    sqlite3_finalize(statement);
    return code < 0 ? code : put_results(store, result, sqlite3_last_insert_rowid(store->database), err);
}

// Inside a transaction.
static int put_in_place(const struct store *store, const struct result *result,
                        const struct store_origin *origin, const struct packed *packed, bool *ret_is_new,
                        struct err *err) {
    struct earlier earlier = {.stands = false};
    int code = find_earlier(store, result, packed->hash, &earlier, err);
    *ret_is_new = !earlier.stands;
    if (code == 0 && !earlier.stands) code = remove_run(store, result->run_id, err);
    if (code == 0 && !earlier.stands)
        code = put_run(store, result, origin && origin->commit ? origin : &earlier.origin, packed, err);
    arena_fini(&earlier.arena);
    return code;
}

int store_put(struct store *store, const struct result *result, const struct store_origin *origin,
              bool *ret_is_new, struct err *err) {
    struct packed packed = {.bytes = NULL};
    bool is_new = false;
    if (!result->run_id)
        return err_set(err, ERR_DATA, "a result without a run id is none of assay's runs: it is not stored");
    int code = pack(result, &packed, err);
    if (code == 0) code = store_execute(store, "BEGIN IMMEDIATE", err);
    if (code == 0) {
        code = put_in_place(store, result, origin, &packed, &is_new, err);
        const int ended = store_execute(store, code < 0 ? "ROLLBACK" : "COMMIT", code < 0 ? NULL : err);
        if (code == 0) code = ended;
    }
    if (code == 0 && ret_is_new) *ret_is_new = is_new;
    free(packed.bytes);
    return code;
}

#else // without SQLite

int store_open(const char *path, bool may_create, struct store **ret, struct err *err) {
    (void)path, (void)may_create, (void)ret;
    return err_set(
        err, ERR_UNAVAILABLE,
        "this assay was built without a store: install libsqlite3-dev and libzstd-dev, and build it "
        "again");
}

void store_close(struct store *store) {
    (void)store;
}

int store_put(struct store *store, const struct result *result, const struct store_origin *origin,
              bool *ret_is_new, struct err *err) {
    (void)store, (void)result, (void)origin, (void)ret_is_new;
    return err_set(err, ERR_INTERNAL, "there is no store in this program");
}

#endif
