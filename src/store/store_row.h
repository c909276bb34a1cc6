// SPDX-License-Identifier: Apache-2.0
//
// Documents that are kept beside runs, each with a row to find it by: profiles, tunings. What such a row has
// is a table of members; putting, listing, reading and writing them as JSON is written once.
#ifndef STORE_STORE_ROW_H
#define STORE_STORE_ROW_H

#include "base/json_writer.h"
#include "store/store.h"

enum store_row_type { STORE_ROW_TEXT, STORE_ROW_I64, STORE_ROW_DOUBLE }; // const char *, int64_t, double

struct store_row_member {
    const char *key, *column; // in JSON; in the table
    enum store_row_type type;
    size_t offset;
};
#define STORE_ROW(T, t, m)                                                                                   \
    { #m, #m, t, offsetof(T, m) }
#define STORE_ROW_AS(T, t, m, named)                                                                         \
    { #m, named, t, offsetof(T, m) }

// The first members, key_count of them, say which row another one takes the place of.
struct store_row_kind {
    const char *table, *one;                                  // "profiles", "profile"
    const char *put_what, *list_what, *get_what, *prune_what; // for messages: "a profile is refused"
    const char *where; // of a list; the parameters of a filter (store_internal.h)
    const struct store_row_member *members;
    size_t count, key_count, bytes;
    size_t id_offset, document_bytes_offset; // int64_t, of the store
};

// In one transaction. A row of the same key takes the place of the earlier one, unless a part of it is NULL.
int store_row_put(struct store *store, const struct store_row_kind *kind, const void *row,
                  const char *document, size_t length, struct err *err);
struct store_row_found {
    void *rows; // in the arena
    size_t count;
};
// The newest first.
int store_row_list(struct store *store, const struct store_row_kind *kind, const struct store_filter *filter,
                   struct arena *arena, struct store_row_found *ret, struct err *err);
// Removes those that fit and were made before; condition: one more, " AND ...".
int store_row_prune(struct store *store, const struct store_row_kind *kind, const struct store_filter *filter,
                    const char *before_utc, const char *condition, struct err *err);
// document may be NULL. ERR_NO_INPUT: there is none of the id that *row has.
int store_row_get(struct store *store, const struct store_row_kind *kind, struct arena *arena, void *row,
                  struct strbuf *document, struct err *err);
// Its members, into the object that is open; first its id.
void store_row_write(const struct store_row_kind *kind, const void *row, struct json_writer *w);

#endif
