// SPDX-License-Identifier: Apache-2.0
//
// See history_keep.h.
#include "control/flow/history_keep.h"

#include <stdlib.h>

#include "control/compile/revision.h"

#define STORE_ENV "ASSAY_STORE"

const char *history_path(struct session *session, const char *asked) {
    const char *given = asked ? asked : getenv(STORE_ENV);
    if (given && *given) return str_equal(given, HISTORY_NONE) ? NULL : given;
    if (!session->has_manifest) return NULL;
    if (session->manifest.store)
        return str_equal(session->manifest.store, HISTORY_NONE) ? NULL : session->manifest.store;
    return arena_format(&session->arena, "%s/" HISTORY_FILE, session->manifest.dir);
}

int history_address(struct session *session, const char *asked, const char **ret, struct err *err) {
    *ret = history_path(session, asked);
    if (*ret) return 0;
    return err_set(err, ERR_USAGE,
                   "there is no store: no assay.yaml here or above, or the manifest or ASSAY_STORE says "
                   "'none'; --store FILE|ADDRESS names one");
}

int history_open(struct session *session, const char *asked, bool may_create, struct store **ret,
                 struct err *err) {
    const char *path = NULL;
    TRY(history_address(session, asked, &path, err));
    return store_open(path, may_create, ret, err);
}

static int keep(struct session *session, const char *path, const struct result *result, struct err *err) {
    struct store *store = NULL;
    TRY(store_open(path, true, &store, err));
    const char *dir = session->manifest.dir;
    char *commit = session->has_manifest ? revision_describe(dir) : NULL;
    char *parent = commit ? revision_parent(dir) : NULL, *branch = commit ? revision_branch(dir) : NULL;
    const struct store_origin origin = {.commit = commit, .parent = parent, .branch = branch};
    const int code = store_put(store, result, &origin, NULL, err);
    free(commit);
    free(parent);
    free(branch);
    store_close(store);
    return code;
}

void history_keep(struct session *session, const struct result *result, const char **ret_warning) {
    const char *path = history_path(session, NULL);
    struct err err = {0};
    *ret_warning = NULL;
    if (session->options.is_store_off || !path || !store_is_built_in() || !result->run_id ||
        !result->case_count)
        return;
    if (keep(session, path, result, &err) < 0)
        *ret_warning = arena_format(&session->arena, "this run is not in the history: %s", err.text);
}
