// SPDX-License-Identifier: Apache-2.0
//
// Picks the engine of an address, puts statements into its words, and keeps what is bound.
#include "store/sql.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/address.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "base/utf8.h"
#include "store/sql_engine.h"

static const struct {
    const char *prefix;
    const struct sql_engine *engine;
} engines[] = {{"postgresql://", &sql_postgres}, {"postgres://", &sql_postgres}, {"", &sql_sqlite}};

static const struct sql_engine *engine_of(const char *address) {
    size_t i = 0;
    while (!str_starts(address, engines[i].prefix)) ++i;
    return engines[i].prefix[0] || !address_is_remote(address) ? engines[i].engine : NULL;
}

bool sql_has_sqlite(void) {
    return !sql_sqlite.missing;
}

static int open_shown(struct sql *sql, bool may_create, struct err *err) {
    if (!sql->engine)
        return err_set(err, ERR_USAGE, "no store is kept at '%s': name a file, or postgresql://HOST/NAME",
                       str_shown(sql->shown).text);
    if (sql->engine->missing) return err_set(err, ERR_UNAVAILABLE, "%s", sql->engine->missing);
    return sql->engine->open(sql, may_create, err);
}

int sql_open(const char *address, bool may_create, struct sql **ret, struct err *err) {
    struct sql *sql = mem_alloc(sizeof *sql);
    *sql = (struct sql){.engine = engine_of(address), .address = address, .shown = address_shown(address)};
    const int code = open_shown(sql, may_create, err);
    sql->address = NULL;
    if (code < 0)
        sql_close(sql);
    else
        *ret = sql;
    return code;
}

void sql_close(struct sql *sql) {
    if (!sql) return;
    if (sql->handle) sql->engine->close(sql);
    free(sql->shown);
    free(sql);
}

const char *sql_shown(const struct sql *sql) {
    return sql->shown;
}

// ---- words ----

static const struct sql_word *word_at(const struct sql_engine *engine, const char *text) {
    const struct sql_word *word = engine->words;
    while (word->word && !str_starts(text, word->word)) ++word;
    return word->word ? word : NULL;
}

static char *in_words_of(const struct sql_engine *engine, const char *text) {
    struct strbuf out = {0};
    while (*text) {
        const struct sql_word *word = word_at(engine, text);
        if (word)
            strbuf_add(&out, word->own);
        else
            strbuf_add_char(&out, *text);
        text += word ? strlen(word->word) : 1;
    }
    return strbuf_take(&out);
}

// ---- transactions and versions ----

int sql_execute(struct sql *sql, const char *text, struct err *err) {
    char *own = in_words_of(sql->engine, text);
    const int code = sql->engine->execute(sql, own, err);
    free(own);
    return code;
}

int sql_begin(struct sql *sql, struct err *err) {
    const int code = sql->engine->execute(sql, sql->engine->begin, err);
    return code < 0 ? sql_end(sql, code, NULL) : 0;
}

int sql_end(struct sql *sql, int code, struct err *err) {
    if (code == 0) code = sql->engine->execute(sql, "COMMIT", err);
    if (code < 0) sql->engine->execute(sql, "ROLLBACK", NULL);
    return code;
}

// *ret stays, where there is no row.
static int read_number(struct sql *sql, const char *text, int *ret, struct err *err) {
    struct sql_statement *statement = sql_prepare(sql, "its version cannot be read", text);
    const int step = sql_step(statement, err);
    if (step > 0) *ret = (int)sql_i64(statement, 0);
    sql_finish(statement);
    return step < 0 ? step : 0;
}

int sql_read_version(struct sql *sql, int *ret, struct err *err) {
    int has_version = !sql->engine->has_version;
    *ret = 0;
    if (!has_version) TRY(read_number(sql, sql->engine->has_version, &has_version, err));
    return has_version ? read_number(sql, sql->engine->read_version, ret, err) : 0;
}

int sql_set_version(struct sql *sql, int version, struct err *err) {
    char *text = mem_format("%s%d", sql->engine->set_version, version);
    const int code = sql->engine->execute(sql, text, err);
    free(text);
    return code;
}

// ---- statements ----

struct sql_statement *sql_prepare(struct sql *sql, const char *what, const char *text) {
    struct sql_statement *statement = mem_alloc(sizeof *statement);
    *statement = (struct sql_statement){.sql = sql, .what = what, .text = in_words_of(sql->engine, text)};
    return statement;
}

void sql_finish(struct sql_statement *statement) {
    statement->sql->engine->finish(statement);
    arena_fini(&statement->arena);
    free(statement->text);
    free(statement);
}

static void bind_value(struct sql_statement *statement, int index, struct sql_value value) {
    if (index < 1 || index > SQL_VALUES_MAX) BUG("parameter %d of a statement", index);
    statement->values[index - 1] = value;
    if (index > statement->value_count) statement->value_count = index;
}

static bool is_utf8(const char *text) {
    for (size_t length = 1; *text; text += length)
        if ((unsigned char)*text < 0x80)
            length = 1;
        else if (utf8_decode(text, &length) == UTF8_INVALID)
            return false;
    return true;
}

// PostgreSQL refuses what is not UTF-8: both engines get such a text as it is shown.
static const char *as_utf8(const char *text, struct arena *arena) {
    struct strbuf plain = {0};
    if (is_utf8(text)) return text;
    strbuf_add_plain(&plain, text, true);
    text = arena_strdup(arena, strbuf_text(&plain));
    strbuf_fini(&plain);
    return text;
}

void sql_bind_text(struct sql_statement *statement, int index, const char *text) {
    struct sql_value value = {.type = SQL_TEXT, .is_set = text != NULL};
    if (text) value.bytes = as_utf8(text, &statement->arena);
    if (text) value.count = strlen(value.bytes);
    bind_value(statement, index, value);
}

void sql_bind_i64(struct sql_statement *statement, int index, int64_t integer) {
    bind_value(statement, index, (struct sql_value){.type = SQL_I64, .is_set = true, .integer = integer});
}

void sql_bind_double(struct sql_statement *statement, int index, double real) {
    bind_value(statement, index,
               (struct sql_value){.type = SQL_DOUBLE, .is_set = isfinite(real), .real = real});
}

void sql_bind_bytes(struct sql_statement *statement, int index, const void *bytes, size_t count) {
    bind_value(statement, index,
               (struct sql_value){.type = SQL_BYTES, .is_set = true, .bytes = bytes, .count = count});
}

int sql_step(struct sql_statement *statement, struct err *err) {
    return statement->sql->engine->step(statement, err);
}

int sql_queue(struct sql_statement *statement, struct err *err) {
    return statement->sql->engine->queue(statement, err);
}

static struct sql_value column_of(const struct sql_statement *statement, int column, enum sql_type type) {
    return statement->sql->engine->column(statement, column, type);
}

const char *sql_text(const struct sql_statement *statement, int column, struct arena *arena) {
    const struct sql_value value = column_of(statement, column, SQL_TEXT);
    return value.is_set ? arena_strdup(arena, value.bytes) : NULL;
}

int64_t sql_i64(const struct sql_statement *statement, int column) {
    return column_of(statement, column, SQL_I64).integer;
}

double sql_double(const struct sql_statement *statement, int column) {
    const struct sql_value value = column_of(statement, column, SQL_DOUBLE);
    return value.is_set ? value.real : NAN;
}

const void *sql_bytes(const struct sql_statement *statement, int column, size_t *ret_count) {
    const struct sql_value value = column_of(statement, column, SQL_BYTES);
    *ret_count = value.count;
    return value.bytes;
}
