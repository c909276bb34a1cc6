// SPDX-License-Identifier: Apache-2.0
//
// SQLite, one file. Write-ahead logging: readers do not wait for a writer, and a writer that is killed leaves
// what was there before. Writers wait for each other.
#include "assay_config.h"
#include "store/sql_engine.h"

#if ASSAY_HAS_STORE

#include <pthread.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "store/sql.h"
#include "store/store_folder.h"

static int fail(const struct sql *sql, const char *what, struct err *err) {
    sqlite3 *database = sql->handle;
    const int code = sqlite3_errcode(database) & 0xff;
    const bool is_damaged = code == SQLITE_CORRUPT || code == SQLITE_NOTADB;
    const char *remedy = is_damaged ? "move it away; 'assay history import runs' fills a new one"
                         : code == SQLITE_FULL || code == SQLITE_IOERR ? "is the disk full?"
                         : code == SQLITE_BUSY || code == SQLITE_PROTOCOL
                             ? "another process writes to it for long: try again"
                         : code == SQLITE_READONLY ? "it and its folder must be writable"
                                                   : "is its folder there and writable?";
    return err_set(err, is_damaged ? ERR_DATA : ERR_UNAVAILABLE, "the store '%s': %s: %s; %s",
                   str_shown(sql->shown).text, what, sqlite3_errmsg(database), remedy);
}

static int sqlite_execute(struct sql *sql, const char *text, struct err *err) {
    return sqlite3_exec(sql->handle, text, NULL, NULL, NULL) == SQLITE_OK
               ? 0
               : fail(sql, "a statement failed", err);
}

// ---- opening ----

// Counting what is allocated would take a lock of all threads, which one of low priority may hold for long.
static void configure(void) {
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

static int connect_to(struct sql *sql, bool may_create, struct err *err) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    sqlite3 *database = NULL;
    pthread_once(&once, configure);
    // Without a mutex: of a connection's users one at a time has it.
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | (may_create ? SQLITE_OPEN_CREATE : 0);
    const bool is_open = sqlite3_open_v2(sql->address, &database, flags, NULL) == SQLITE_OK;
    sql->handle = database; // a failed one holds the reason
    if (!is_open) return fail(sql, "it cannot be opened", err);
    sqlite3_busy_timeout(database, SQL_WAIT_S * 1000);
    return 0;
}

static int read_has_wal(struct sql *sql, bool *ret, struct err *err) {
    struct arena arena = {0};
    struct sql_statement *statement = sql_prepare(sql, "it cannot be read", "PRAGMA journal_mode");
    const int step = sql_step(statement, err);
    if (step > 0) *ret = str_equal(sql_text(statement, 0, &arena), "wal");
    sql_finish(statement);
    arena_fini(&arena);
    return step < 0 ? step : 0;
}

// A new file, or one that was copied by VACUUM, has no write-ahead log yet. "PRAGMA journal_mode = WAL" alone
// holds a shared lock while it asks for the exclusive one, so two that do this would wait for each other:
// SQLite fails there at once, without its busy handler. BEGIN EXCLUSIVE waits, and holds nothing meanwhile;
// the locking mode keeps its lock beyond COMMIT, until this connection is closed. It is SQLite's own lock: no
// file is left beside the store, and programs that know nothing of ours keep to it.
static int add_wal(struct sql *sql, struct err *err) {
    bool has_wal = false;
    TRY(sqlite_execute(sql, "BEGIN EXCLUSIVE", err));
    TRY(read_has_wal(sql, &has_wal, err));
    if (has_wal) return sqlite_execute(sql, "ROLLBACK", err); // another process was first
    TRY(sqlite_execute(sql, "PRAGMA locking_mode = EXCLUSIVE; COMMIT; PRAGMA journal_mode = WAL", err));
    sqlite3_close(sql->handle);
    return connect_to(sql, false, err);
}

// Where nothing can be written a file without a log can still be read.
static bool is_writable(const struct sql *sql) {
    char *folder = path_dir(sql->address);
    const bool has_folder = access(folder, W_OK) == 0;
    free(folder);
    return has_folder && !sqlite3_db_readonly(sql->handle, "main");
}

static int sqlite_open(struct sql *sql, bool may_create, struct err *err) {
    bool has_wal = false;
    if (may_create) TRY(store_folder_make(sql->address, err));
    if (!may_create && !file_exists(sql->address))
        return err_set(err, ERR_NO_INPUT, "there is no store '%s' yet: gate, bench and run make it",
                       str_shown(sql->shown).text);
    TRY(connect_to(sql, may_create, err));
    TRY(read_has_wal(sql, &has_wal, err));
    if (!has_wal && is_writable(sql)) TRY(add_wal(sql, err));
    // 8 MB of pages: an overview of a million results reads 6 MB over and over, in half of the time.
    return sqlite_execute(
        sql, "PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON; PRAGMA cache_size = -8000", err);
}

static void sqlite_close(struct sql *sql) {
    sqlite3_close(sql->handle);
}

static int bind(sqlite3_stmt *compiled, int index, const struct sql_value *value) {
    if (!value->is_set) return sqlite3_bind_null(compiled, index);
    switch (value->type) {
    case SQL_TEXT: return sqlite3_bind_text64(compiled, index, value->bytes, value->count, NULL, SQLITE_UTF8);
    case SQL_I64: return sqlite3_bind_int64(compiled, index, value->integer);
    case SQL_DOUBLE: return sqlite3_bind_double(compiled, index, value->real);
    case SQL_BYTES: return sqlite3_bind_blob64(compiled, index, value->bytes, value->count, NULL);
    }
    BUG("a value of type %d", value->type);
}

// Compiles it, where it is not yet, and hands over what is bound, without copies.
static int start(struct sql_statement *statement, struct err *err) {
    sqlite3_stmt *compiled = statement->state;
    int code = SQLITE_OK;
    if (!compiled) code = sqlite3_prepare_v2(statement->sql->handle, statement->text, -1, &compiled, NULL);
    statement->state = compiled;
    for (int i = 0; code == SQLITE_OK && i < statement->value_count; ++i)
        code = bind(compiled, i + 1, &statement->values[i]);
    return code == SQLITE_OK ? 0 : fail(statement->sql, statement->what, err);
}

static int sqlite_step(struct sql_statement *statement, struct err *err) {
    if (!statement->state) TRY(start(statement, err));
    const int step = sqlite3_step(statement->state);
    if (step == SQLITE_ROW || step == SQLITE_DONE) return step == SQLITE_ROW;
    return fail(statement->sql, statement->what, err);
}

static int sqlite_queue(struct sql_statement *statement, struct err *err) {
    TRY(start(statement, err));
    const int code = sqlite_step(statement, err);
    sqlite3_reset(statement->state);
    return code;
}

static void sqlite_finish(struct sql_statement *statement) {
    sqlite3_finalize(statement->state);
}

static struct sql_value sqlite_column(const struct sql_statement *statement, int column, enum sql_type type) {
    sqlite3_stmt *compiled = statement->state;
    struct sql_value value = {.type = type, .is_set = sqlite3_column_type(compiled, column) != SQLITE_NULL};
    if (!value.is_set) return value;
    if (type == SQL_TEXT) value.bytes = sqlite3_column_text(compiled, column);
    if (type == SQL_BYTES) value.bytes = sqlite3_column_blob(compiled, column);
    if (type == SQL_TEXT || type == SQL_BYTES) value.count = (size_t)sqlite3_column_bytes(compiled, column);
    if (type == SQL_I64) value.integer = sqlite3_column_int64(compiled, column);
    if (type == SQL_DOUBLE) value.real = sqlite3_column_double(compiled, column);
    return value;
}

const struct sql_engine sql_sqlite = {
    .words = (const struct sql_word[]){{0}},
    .begin = "BEGIN IMMEDIATE",
    .read_version = "PRAGMA user_version",
    .set_version = "PRAGMA user_version = ",
    .open = sqlite_open,
    .close = sqlite_close,
    .execute = sqlite_execute,
    .step = sqlite_step,
    .queue = sqlite_queue,
    .finish = sqlite_finish,
    .column = sqlite_column,
};

#else

const struct sql_engine sql_sqlite = {
    .missing =
        "this assay was built without a store: install libsqlite3-dev and libzstd-dev, and build it again",
};

#endif
