// SPDX-License-Identifier: Apache-2.0
//
// An answer of the referee, kept: the document of `assay referee --json` (record/referee_record.h), and a row
// to find it by.
#ifndef STORE_STORE_ANSWER_H
#define STORE_STORE_ANSWER_H

#include "base/json_writer.h"
#include "record/referee_record.h"
#include "store/store.h"

// Texts that are not known are NULL, numbers NAN; when read, texts live in the arena of the call.
struct stored_answer {
    int64_t id; // of the store
    const char *created_utc, *run_id, *candidate, *operator_name, *suite, *device, *device_uuid;
    const char *verdict, *finding;
    const char *baseline, *baseline_hash; // what it was measured against
    const char *code_hash;
    double speedup, speedup_low, speedup_high; // against that
    int64_t round_count;
    const char *sentence, *commit, *branch;
    int64_t document_bytes;
};

// The row of a record, whose texts it has.
struct stored_answer stored_answer_of(const struct referee_record *record);
// In one transaction. Its id and document_bytes are not looked at.
int store_put_answer(struct store *store, const struct stored_answer *answer, const char *document,
                     size_t length, struct err *err);
// The newest first. Of the filter its run, suite, commit, branch, device, candidate (side), time and limit.
int store_list_answers(struct store *store, const struct store_filter *filter, struct arena *arena,
                       struct stored_answer **ret, size_t *ret_count, struct err *err);
// One answer; document may be NULL. ERR_NO_INPUT: there is none of this id.
int store_get_answer(struct store *store, int64_t id, struct arena *arena, struct stored_answer *ret,
                     struct strbuf *document, struct err *err);
// Its row as members of the object that is open.
void stored_answer_write(const struct stored_answer *answer, struct json_writer *w);

#endif
