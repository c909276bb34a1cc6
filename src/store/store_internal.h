// SPDX-License-Identifier: Apache-2.0
//
// Shared by the files of the store: statements of SQLite.
#ifndef STORE_STORE_INTERNAL_H
#define STORE_STORE_INTERNAL_H

#include <sqlite3.h>

#include "store/store.h"

struct store {
    sqlite3 *database;
    char *path;
};

// "the store 'P': <what>: <SQLite's words>; <what to try>", as -ERR_DATA where the file is damaged, else
// -ERR_UNAVAILABLE.
int store_fail(const struct store *store, const char *what, struct err *err);
int store_execute(const struct store *store, const char *sql, struct err *err);
// A statement; finalize it.
int store_prepare(const struct store *store, const char *sql, sqlite3_stmt **ret, struct err *err);
void store_bind_text(sqlite3_stmt *statement, int index, const char *text); // NULL is SQL's NULL
void store_bind_double(sqlite3_stmt *statement, int index, double value);   // NAN is SQL's NULL
const char *store_text(sqlite3_stmt *statement, int column, struct arena *arena);
double store_double(sqlite3_stmt *statement, int column);

// What store_read_run reads, from column 0; r: the table of runs.
#define STORE_RUN_COLUMNS                                                                                    \
    "r.run_id, r.created_utc, r.command, r.suite, r.commit_id, r.device_uuid, r.device, r.driver, r.host,"   \
    " r.verdict, r.document_bytes, r.problem_count, r.manifest, r.parent, r.branch, r.seed"
enum { STORE_RUN_COLUMN_COUNT = 16 };
struct stored_run store_read_run(sqlite3_stmt *statement, struct arena *arena);
// Room for one more item, which moves to twice the room when it is full.
void *store_grown(struct arena *arena, void *items, size_t count, size_t bytes);

#endif
