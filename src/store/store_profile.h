// SPDX-License-Identifier: Apache-2.0
//
// What a profiler counted of one side on one problem, kept: the document of `assay profile --json`, and a row
// to find it by.
#ifndef STORE_STORE_PROFILE_H
#define STORE_STORE_PROFILE_H

#include "base/json_writer.h"
#include "store/store.h"

// Texts that are not known are NULL; when read, they live in the arena of the call.
struct stored_profile {
    int64_t id; // of the store
    const char *created_utc;
    const char *run_id;                             // of the measurement beside it; it need not be kept
    const char *problem, *side, *kernel, *profiler; // "CUPTI"
    const char *bottleneck, *because;               // "memory_bound"; the numbers that decide
    const char *suite, *commit, *branch;
    const char *device_uuid, *device, *driver, *host;
    int64_t document_bytes;
};

// In one transaction. A profile of the same run, problem and side takes the place of the earlier one. Its id
// and document_bytes are not looked at.
int store_put_profile(struct store *store, const struct stored_profile *profile, const char *document,
                      size_t length, struct err *err);
// The newest first.
int store_list_profiles(struct store *store, const struct store_filter *filter, struct arena *arena,
                        struct stored_profile **ret, size_t *ret_count, struct err *err);
// One profile; document may be NULL. ERR_NO_INPUT: there is none of this id.
int store_get_profile(struct store *store, int64_t id, struct arena *arena, struct stored_profile *ret,
                      struct strbuf *document, struct err *err);
// Its row as members of the object that is open: the command and the server say the same.
void stored_profile_write(const struct stored_profile *profile, struct json_writer *w);

#endif
