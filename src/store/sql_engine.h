// SPDX-License-Identifier: Apache-2.0
//
// What an engine of the store does: one file and a line of the table in sql.c.
#ifndef STORE_SQL_ENGINE_H
#define STORE_SQL_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"

enum { SQL_VALUES_MAX = 24, SQL_WAIT_S = 30 }; // SQL_WAIT_S: for another writer

enum sql_type { SQL_TEXT, SQL_I64, SQL_DOUBLE, SQL_BYTES };

struct sql_value {
    enum sql_type type;
    bool is_set; // else NULL
    int64_t integer;
    double real;
    const void *bytes; // of SQL_TEXT, with a zero behind them, and SQL_BYTES
    size_t count;
};

struct sql {
    const struct sql_engine *engine;
    const char *address; // of sql_open's caller, until it is open
    char *shown;
    void *handle; // of the engine; NULL: not open
};

struct sql_statement {
    struct sql *sql;
    const char *what;
    char *text; // in the engine's words
    struct sql_value values[SQL_VALUES_MAX];
    int value_count;
    struct arena arena; // texts that had to be changed
    void *state;        // of the engine; NULL: not run yet
    int row;            // of the engine
};

struct sql_word {
    const char *word, *own;
};

struct sql_engine {
    const char *missing;                    // why this build has no such engine; NULL: it has
    const struct sql_word *words;           // in place of SQLite's, the first that fits; ends with {0}
    const char *begin;                      // of sql_begin
    const char *has_version;                // a row, where read_version can be asked; NULL: always
    const char *read_version, *set_version; // the second ends where a number follows
    // Those that can fail return 0 or set err: "the store 'P': <what>: <the engine's words>; <what to try>".
    int (*open)(struct sql *sql, bool may_create, struct err *err);
    void (*close)(struct sql *sql);
    int (*execute)(struct sql *sql, const char *text, struct err *err);
    int (*step)(struct sql_statement *statement, struct err *err);
    int (*queue)(struct sql_statement *statement, struct err *err);
    void (*finish)(struct sql_statement *statement);
    struct sql_value (*column)(const struct sql_statement *statement, int column, enum sql_type type);
};

extern const struct sql_engine sql_sqlite, sql_postgres;

#endif
