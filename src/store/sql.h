// SPDX-License-Identifier: Apache-2.0
//
// Statements of SQL, whatever engine runs them. They are written once, in SQLite's words with numbered
// parameters (?1); an engine replaces the few words that it has others for (sql_engine.h).
#ifndef STORE_SQL_H
#define STORE_SQL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"

struct sql; // an open database

// A path is SQLite's, postgresql:// and postgres:// are PostgreSQL's. ERR_USAGE: an address of none of them;
// ERR_NO_INPUT: no such file, and not may_create; ERR_UNAVAILABLE, ERR_DATA: it cannot be opened.
int sql_open(const char *address, bool may_create, struct sql **ret, struct err *err);
void sql_close(struct sql *sql);              // accepts NULL
const char *sql_shown(const struct sql *sql); // the address, without its password
bool sql_has_sqlite(void);                    // else there is no store at all

// Several statements without parameters and rows.
int sql_execute(struct sql *sql, const char *text, struct err *err);
// A transaction that writes: one at a time, the others wait.
int sql_begin(struct sql *sql, struct err *err);
// Commits, where code is 0, else rolls back. Returns code, or the failure of the commit.
int sql_end(struct sql *sql, int code, struct err *err);

// The version of the tables; 0: there are none.
int sql_read_version(struct sql *sql, int *ret, struct err *err);
int sql_set_version(struct sql *sql, int version, struct err *err);

// A statement. what: for messages, what its failure means ("a run is refused"); a literal. It is compiled
// when it runs first, so that its errors come there. Finish it.
struct sql_statement *sql_prepare(struct sql *sql, const char *what, const char *text);
void sql_finish(struct sql_statement *statement);
// Parameters count from 1. Texts and bytes must live until the statement is finished, or queued.
void sql_bind_text(struct sql_statement *statement, int index, const char *text); // NULL is SQL's NULL
void sql_bind_i64(struct sql_statement *statement, int index, int64_t value);
void sql_bind_double(struct sql_statement *statement, int index, double value); // NAN is SQL's NULL
void sql_bind_bytes(struct sql_statement *statement, int index, const void *bytes, size_t count);
// 1: at a row; 0: there are no more.
int sql_step(struct sql_statement *statement, struct err *err);
// Runs a statement without rows, which may be bound and queued again. An engine may send many together: its
// failure may come with a later one, or with sql_end.
int sql_queue(struct sql_statement *statement, struct err *err);

// Of the row, counted from 0.
const char *sql_text(const struct sql_statement *statement, int column, struct arena *arena); // or NULL
int64_t sql_i64(const struct sql_statement *statement, int column);
double sql_double(const struct sql_statement *statement, int column);                        // or NAN
const void *sql_bytes(const struct sql_statement *statement, int column, size_t *ret_count); // until a step

#endif
