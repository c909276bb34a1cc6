// SPDX-License-Identifier: Apache-2.0
//
// See store_profile.h.
#include "store/store_profile.h"

#include "store/store_internal.h"
#include "store/store_row.h"

#define TEXT(m) STORE_ROW(struct stored_profile, STORE_ROW_TEXT, m)
static const struct store_row_member members[] = {
    TEXT(run_id),     TEXT(problem),
    TEXT(side),       TEXT(created_utc),
    TEXT(kernel),     TEXT(profiler),
    TEXT(bottleneck), TEXT(because),
    TEXT(suite),      STORE_ROW_AS(struct stored_profile, STORE_ROW_TEXT, commit, "commit_id"),
    TEXT(branch),     TEXT(device_uuid),
    TEXT(device),     TEXT(driver),
    TEXT(host),
};

static const struct store_row_kind profiles = {
    .table = "profiles",
    .one = "profile",
    .put_what = "a profile is refused",
    .list_what = "profiles cannot be listed",
    .get_what = "a profile cannot be read",
    .prune_what = "profiles cannot be removed",
    .where = "(?1 IS NULL OR run_id = ?1) AND (?2 IS NULL OR suite = ?2)"
             " AND (?3 IS NULL OR commit_id = ?3) AND (?4 IS NULL OR device_uuid = ?4 OR device = ?4)"
             " AND (?5 IS NULL OR created_utc >= ?5) AND (?7 IS NULL OR problem = ?7)"
             " AND (?8 IS NULL OR side = ?8 OR kernel = ?8) AND (?9 IS NULL OR branch = ?9)"
             " AND ?10 IS NULL",
    .members = members,
    .count = sizeof members / sizeof *members,
    .key_count = 3,
    .bytes = sizeof(struct stored_profile),
    .id_offset = offsetof(struct stored_profile, id),
    .document_bytes_offset = offsetof(struct stored_profile, document_bytes),
};

int store_put_profile(struct store *store, const struct stored_profile *profile, const char *document,
                      size_t length, struct err *err) {
    return store_row_put(store, &profiles, profile, document, length, err);
}

int store_list_profiles(struct store *store, const struct store_filter *filter, struct arena *arena,
                        struct stored_profile **ret, size_t *ret_count, struct err *err) {
    struct store_row_found found;
    const int code = store_row_list(store, &profiles, filter, arena, &found, err);
    *ret = found.rows;
    *ret_count = found.count;
    return code;
}

void stored_profile_write(const struct stored_profile *profile, struct json_writer *w) {
    store_row_write(&profiles, profile, w);
}

int store_get_profile(struct store *store, int64_t id, struct arena *arena, struct stored_profile *ret,
                      struct strbuf *document, struct err *err) {
    *ret = (struct stored_profile){.id = id};
    return store_row_get(store, &profiles, arena, ret, document, err);
}

int store_prune_profiles(struct store *store, const struct store_filter *filter, const char *before_utc,
                         struct err *err) {
    return store_row_prune(store, &profiles, filter, before_utc,
                           " AND (run_id IS NULL OR run_id NOT IN " STORE_BASELINE_RUNS ")", err);
}
