// SPDX-License-Identifier: Apache-2.0
//
// See store_tuning.h.
#include "store/store_tuning.h"

#include "store/store_internal.h"
#include "store/store_row.h"

#define TEXT(m)   STORE_ROW(struct stored_tuning, STORE_ROW_TEXT, m)
#define COUNT(m)  STORE_ROW(struct stored_tuning, STORE_ROW_I64, m)
#define NUMBER(m) STORE_ROW(struct stored_tuning, STORE_ROW_DOUBLE, m)
static const struct store_row_member members[] = {
    TEXT(run_id),         TEXT(created_utc),
    TEXT(kernel),         TEXT(device),
    TEXT(suite),          TEXT(strategy),
    TEXT(config),         NUMBER(speedup),
    NUMBER(speedup_low),  NUMBER(speedup_high),
    COUNT(variant_count), COUNT(elite_count),
    TEXT(sentence),       STORE_ROW_AS(struct stored_tuning, STORE_ROW_TEXT, commit, "commit_id"),
    TEXT(branch),
};

static const struct store_row_kind tunings = {
    .table = "tunings",
    .one = "tuning",
    .put_what = "a tuning is refused",
    .list_what = "tunings cannot be listed",
    .get_what = "a tuning cannot be read",
    .prune_what = "tunings cannot be removed",
    .where = "(?1 IS NULL OR run_id = ?1) AND (?2 IS NULL OR suite = ?2)"
             " AND (?3 IS NULL OR commit_id = ?3) AND (?4 IS NULL OR device = ?4)"
             " AND (?5 IS NULL OR created_utc >= ?5) AND ?7 IS NULL" // a tuning is of many problems
             " AND (?8 IS NULL OR kernel = ?8) AND (?9 IS NULL OR branch = ?9)"
             " AND ?10 IS NULL",
    .members = members,
    .count = sizeof members / sizeof *members,
    .key_count = 1,
    .bytes = sizeof(struct stored_tuning),
    .id_offset = offsetof(struct stored_tuning, id),
    .document_bytes_offset = offsetof(struct stored_tuning, document_bytes),
};

int store_put_tuning(struct store *store, const struct stored_tuning *tuning, const char *document,
                     size_t length, struct err *err) {
    return store_row_put(store, &tunings, tuning, document, length, err);
}

int store_list_tunings(struct store *store, const struct store_filter *filter, struct arena *arena,
                       struct stored_tuning **ret, size_t *ret_count, struct err *err) {
    struct store_row_found found;
    const int code = store_row_list(store, &tunings, filter, arena, &found, err);
    *ret = found.rows;
    *ret_count = found.count;
    return code;
}

int store_get_tuning(struct store *store, int64_t id, struct arena *arena, struct stored_tuning *ret,
                     struct strbuf *document, struct err *err) {
    *ret = (struct stored_tuning){.id = id};
    return store_row_get(store, &tunings, arena, ret, document, err);
}

void stored_tuning_write(const struct stored_tuning *tuning, struct json_writer *w) {
    store_row_write(&tunings, tuning, w);
}

int store_prune_tunings(struct store *store, const struct store_filter *filter, const char *before_utc,
                        struct err *err) {
    return store_row_prune(store, &tunings, filter, before_utc, "", err);
}
