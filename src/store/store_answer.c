// SPDX-License-Identifier: Apache-2.0
//
// See store_answer.h.
#include "store/store_answer.h"

#include <math.h>

#include "store/store_internal.h"
#include "store/store_row.h"

#define TEXT(m)       STORE_ROW(struct stored_answer, STORE_ROW_TEXT, m)
#define TEXT_AS(m, n) STORE_ROW_AS(struct stored_answer, STORE_ROW_TEXT, m, n)
#define NUMBER(m)     STORE_ROW(struct stored_answer, STORE_ROW_DOUBLE, m)
static const struct store_row_member members[] = {
    TEXT(run_id),
    TEXT(created_utc),
    TEXT(candidate),
    {"operator", "operator", STORE_ROW_TEXT, offsetof(struct stored_answer, operator_name)},
    TEXT(suite),
    TEXT(device),
    TEXT(device_uuid),
    TEXT(verdict),
    TEXT(finding),
    TEXT(baseline),
    TEXT(baseline_hash),
    TEXT(code_hash),
    NUMBER(speedup),
    NUMBER(speedup_low),
    NUMBER(speedup_high),
    STORE_ROW(struct stored_answer, STORE_ROW_I64, round_count),
    TEXT(sentence),
    TEXT_AS(commit, "commit_id"),
    TEXT(branch),
};

static const struct store_row_kind answers = {
    .table = "answers",
    .one = "answer",
    .put_what = "an answer is refused",
    .list_what = "answers cannot be listed",
    .get_what = "an answer cannot be read",
    .prune_what = "answers cannot be removed",
    .where = "(?1 IS NULL OR run_id = ?1) AND (?2 IS NULL OR suite = ?2)"
             " AND (?3 IS NULL OR commit_id = ?3) AND (?4 IS NULL OR device = ?4 OR device_uuid = ?4)"
             " AND (?5 IS NULL OR created_utc >= ?5) AND (?7 IS NULL OR operator = ?7)"
             " AND (?8 IS NULL OR candidate = ?8) AND (?9 IS NULL OR branch = ?9) AND ?10 IS NULL",
    .members = members,
    .count = sizeof members / sizeof *members,
    .key_count = 1,
    .bytes = sizeof(struct stored_answer),
    .id_offset = offsetof(struct stored_answer, id),
    .document_bytes_offset = offsetof(struct stored_answer, document_bytes),
};

struct stored_answer stored_answer_of(const struct referee_record *record) {
    struct stored_answer row = {.created_utc = record->created_utc,
                                .run_id = record->run_id,
                                .candidate = record->name,
                                .operator_name = record->operator_name,
                                .suite = record->suite,
                                .device = str_or(record->device_name, record->device),
                                .device_uuid = record->device_uuid,
                                .verdict = referee_verdict_names[record->verdict],
                                .finding = record->finding ? finding_name(record->finding) : NULL,
                                .code_hash = str_or(record->code_hash, record->source_hash),
                                .speedup = NAN,
                                .speedup_low = NAN,
                                .speedup_high = NAN,
                                .sentence = record->sentence};
    if (!record->against_count) return row;
    const struct referee_ratio *ratio = &record->against[0];
    row.baseline = ratio->name;
    row.baseline_hash = record->baseline_hash;
    row.speedup = ratio->speedup;
    row.speedup_low = ratio->speedup_low;
    row.speedup_high = ratio->speedup_high;
    row.round_count = ratio->round_count;
    return row;
}

int store_put_answer(struct store *store, const struct stored_answer *answer, const char *document,
                     size_t length, struct err *err) {
    return store_row_put(store, &answers, answer, document, length, err);
}

int store_list_answers(struct store *store, const struct store_filter *filter, struct arena *arena,
                       struct stored_answer **ret, size_t *ret_count, struct err *err) {
    struct store_row_found found;
    const int code = store_row_list(store, &answers, filter, arena, &found, err);
    *ret = found.rows;
    *ret_count = found.count;
    return code;
}

int store_get_answer(struct store *store, int64_t id, struct arena *arena, struct stored_answer *ret,
                     struct strbuf *document, struct err *err) {
    *ret = (struct stored_answer){.id = id};
    return store_row_get(store, &answers, arena, ret, document, err);
}

void stored_answer_write(const struct stored_answer *answer, struct json_writer *w) {
    store_row_write(&answers, answer, w);
}

int store_prune_answers(struct store *store, const struct store_filter *filter, const char *before_utc,
                        struct err *err) {
    return store_row_prune(store, &answers, filter, before_utc, "", err);
}
