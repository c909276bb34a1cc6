// SPDX-License-Identifier: Apache-2.0
//
// A tuning, kept: the document of `assay tune --json` (record/tune_record.h), and a row to find it by.
#ifndef STORE_STORE_TUNING_H
#define STORE_STORE_TUNING_H

#include "base/json_writer.h"
#include "store/store.h"

// Texts that are not known are NULL, numbers NAN; when read, texts live in the arena of the call.
struct stored_tuning {
    int64_t id; // of the store
    const char *created_utc, *run_id, *kernel, *device, *suite, *strategy;
    const char *config;                        // of the elite's first; NULL: there is no elite
    double speedup, speedup_low, speedup_high; // what is claimed of it
    int64_t variant_count, elite_count;
    const char *sentence, *commit, *branch;
    int64_t document_bytes;
};

// In one transaction. A tuning of the same run, resumed, takes the place of the earlier one. Its id and
// document_bytes are not looked at.
int store_put_tuning(struct store *store, const struct stored_tuning *tuning, const char *document,
                     size_t length, struct err *err);
// The newest first. Of the filter its run, suite, commit, branch, device, kernel (side), time and limit.
int store_list_tunings(struct store *store, const struct store_filter *filter, struct arena *arena,
                       struct stored_tuning **ret, size_t *ret_count, struct err *err);
// One tuning; document may be NULL. ERR_NO_INPUT: there is none of this id.
int store_get_tuning(struct store *store, int64_t id, struct arena *arena, struct stored_tuning *ret,
                     struct strbuf *document, struct err *err);
// Its row as members of the object that is open: the command and the server say the same.
void stored_tuning_write(const struct stored_tuning *tuning, struct json_writer *w);

#endif
