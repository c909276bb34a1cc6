// SPDX-License-Identifier: Apache-2.0
//
// See store_row.h.
#include "store/store_row.h"

#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "store/store_internal.h"
#include "store/store_pack.h"

// ---- members ----

static const void *place_of(const struct store_row_member *member, const void *row) {
    return (const char *)row + member->offset;
}

static void bind(struct sql_statement *statement, int index, const struct store_row_member *member,
                 const void *row) {
    const void *place = place_of(member, row);
    switch (member->type) {
    case STORE_ROW_TEXT: sql_bind_text(statement, index, *(const char *const *)place); break;
    case STORE_ROW_I64: sql_bind_i64(statement, index, *(const int64_t *)place); break;
    case STORE_ROW_DOUBLE: sql_bind_double(statement, index, *(const double *)place); break;
    }
}

static void read_member(const struct sql_statement *statement, int column,
                        const struct store_row_member *member, struct arena *arena, void *row) {
    void *place = (char *)row + member->offset;
    switch (member->type) {
    case STORE_ROW_TEXT: *(const char **)place = sql_text(statement, column, arena); break;
    case STORE_ROW_I64: *(int64_t *)place = sql_i64(statement, column); break;
    case STORE_ROW_DOUBLE: *(double *)place = sql_double(statement, column); break;
    }
}

static void write_member(const struct store_row_member *member, const void *row, struct json_writer *w) {
    const void *place = place_of(member, row);
    switch (member->type) {
    case STORE_ROW_TEXT: json_write_string(w, member->key, *(const char *const *)place); break;
    case STORE_ROW_I64: json_write_i64(w, member->key, *(const int64_t *)place); break;
    case STORE_ROW_DOUBLE: json_write_double(w, member->key, *(const double *)place); break;
    }
}

static int64_t *number_at(void *row, size_t offset) {
    return (int64_t *)(void *)((char *)row + offset);
}

// ---- statements: columns are the members', then the document's length and the document ----

static void add_columns(const struct store_row_kind *kind, struct strbuf *out) {
    for (size_t i = 0; i < kind->count; ++i) strbuf_addf(out, "%s, ", kind->members[i].column);
    strbuf_add(out, "document_bytes");
}

// A statement of this text, which is freed.
static struct sql_statement *prepare(struct store *store, const char *what, struct strbuf *text) {
    struct sql_statement *statement = sql_prepare(store->sql, what, strbuf_text(text));
    strbuf_fini(text);
    return statement;
}

static int remove_earlier(struct store *store, const struct store_row_kind *kind, const void *row,
                          struct err *err) {
    struct strbuf text = {0};
    strbuf_addf(&text, "DELETE FROM %s WHERE ", kind->table);
    for (size_t i = 0; i < kind->key_count; ++i)
        strbuf_addf(&text, "%s%s = ?%zu", i ? " AND " : "", kind->members[i].column, i + 1);
    struct sql_statement *statement = prepare(store, kind->put_what, &text);
    for (size_t i = 0; i < kind->key_count; ++i) bind(statement, (int)i + 1, &kind->members[i], row);
    const int code = sql_step(statement, err);
    sql_finish(statement);
    return code;
}

static int insert(struct store *store, const struct store_row_kind *kind, const void *row,
                  const struct packed *packed, struct err *err) {
    struct strbuf text = {0};
    const int count = (int)kind->count;
    strbuf_addf(&text, "INSERT INTO %s(", kind->table);
    add_columns(kind, &text);
    strbuf_add(&text, ", document) VALUES(");
    for (int i = 1; i <= count + 2; ++i) strbuf_addf(&text, "%s?%d", i > 1 ? ", " : "", i);
    strbuf_add_char(&text, ')');
    struct sql_statement *statement = prepare(store, kind->put_what, &text);
    for (int i = 0; i < count; ++i) bind(statement, i + 1, &kind->members[i], row);
    sql_bind_i64(statement, count + 1, (int64_t)packed->document_bytes);
    sql_bind_bytes(statement, count + 2, packed->bytes, packed->count);
    const int code = sql_step(statement, err);
    sql_finish(statement);
    return code;
}

static int put_in_place(struct store *store, const struct store_row_kind *kind, const void *row,
                        const struct packed *packed, struct err *err) {
    TRY(remove_earlier(store, kind, row, err)); // nothing equals NULL
    return insert(store, kind, row, packed, err);
}

int store_row_put(struct store *store, const struct store_row_kind *kind, const void *row,
                  const char *document, size_t length, struct err *err) {
    struct packed packed = {.bytes = NULL};
    int code = store_pack(document, length, &packed, err);
    if (code == 0) code = sql_begin(store->sql, err);
    if (code == 0) code = sql_end(store->sql, put_in_place(store, kind, row, &packed, err), err);
    free(packed.bytes);
    return code;
}

// Column 0 is the id.
static void read_row(const struct sql_statement *statement, const struct store_row_kind *kind,
                     struct arena *arena, void *row) {
    const int count = (int)kind->count;
    *number_at(row, kind->id_offset) = sql_i64(statement, 0);
    for (int i = 0; i < count; ++i) read_member(statement, i + 1, &kind->members[i], arena, row);
    *number_at(row, kind->document_bytes_offset) = sql_i64(statement, count + 1);
}

int store_row_list(struct store *store, const struct store_row_kind *kind, const struct store_filter *filter,
                   struct arena *arena, struct store_row_found *ret, struct err *err) {
    struct strbuf text = {0};
    int step;
    strbuf_add(&text, "SELECT id, ");
    add_columns(kind, &text);
    strbuf_addf(&text, " FROM %s WHERE %s ORDER BY created_utc DESC, id DESC LIMIT ?6", kind->table,
                kind->where);
    struct sql_statement *statement = prepare(store, kind->list_what, &text);
    *ret = (struct store_row_found){.rows = NULL};
    store_bind_filter(statement, filter);
    while ((step = sql_step(statement, err)) > 0) {
        ret->rows = store_grown(arena, ret->rows, ret->count, kind->bytes);
        read_row(statement, kind, arena, (char *)ret->rows + ret->count++ * kind->bytes);
    }
    sql_finish(statement);
    return step;
}

int store_row_prune(struct store *store, const struct store_row_kind *kind, const struct store_filter *filter,
                    const char *before_utc, const char *condition, struct err *err) {
    struct strbuf text = {0};
    strbuf_addf(&text, "DELETE FROM %s WHERE %s AND created_utc < ?%d%s", kind->table, kind->where,
                STORE_FILTER_PARAMETER_COUNT + 1, condition);
    struct sql_statement *statement = prepare(store, kind->prune_what, &text);
    store_bind_filter(statement, filter);
    sql_bind_text(statement, STORE_FILTER_PARAMETER_COUNT + 1, before_utc);
    const int code = sql_step(statement, err);
    sql_finish(statement);
    return code;
}

int store_row_get(struct store *store, const struct store_row_kind *kind, struct arena *arena, void *row,
                  struct strbuf *document, struct err *err) {
    const int64_t id = *number_at(row, kind->id_offset);
    struct strbuf text = {0};
    strbuf_add(&text, "SELECT id, ");
    add_columns(kind, &text);
    strbuf_addf(&text, ", document FROM %s WHERE id = ?1", kind->table);
    struct sql_statement *statement = prepare(store, kind->get_what, &text);
    sql_bind_i64(statement, 1, id);
    int code = sql_step(statement, err);
    if (code == 0)
        code = err_set(err, ERR_NO_INPUT, "the store has no %s %lld; 'assay history %s' shows them",
                       kind->one, (long long)id, kind->table);
    if (code > 0) {
        read_row(statement, kind, arena, row);
        code = document ? store_read_document(store->sql, statement, (int)kind->count + 2, document, err) : 0;
    }
    sql_finish(statement);
    return code;
}

void store_row_write(const struct store_row_kind *kind, const void *row, struct json_writer *w) {
    json_write_i64(w, "id", *(const int64_t *)(const void *)((const char *)row + kind->id_offset));
    for (size_t i = 0; i < kind->count; ++i) write_member(&kind->members[i], row, w);
}
