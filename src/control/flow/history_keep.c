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

static const char *owned(struct session *session, char *text) {
    const char *ret = arena_strdup(&session->arena, text);
    free(text);
    return ret;
}

// Of the project's repository, in the session's arena.
static struct store_origin origin_of(struct session *session) {
    const char *dir = session->manifest.dir;
    struct store_origin ret = {.commit =
                                   session->has_manifest ? owned(session, revision_describe(dir)) : NULL};
    if (ret.commit) ret.parent = owned(session, revision_parent(dir));
    if (ret.commit) ret.branch = owned(session, revision_branch(dir));
    return ret;
}

// NULL: nothing is kept.
static const char *kept_at(struct session *session) {
    return session->options.is_store_off || !store_is_built_in() ? NULL : history_path(session, NULL);
}

static int keep_run(struct session *session, const char *path, const struct result *result, struct err *err) {
    struct store *store = NULL;
    TRY(store_open(path, true, &store, err));
    const struct store_origin origin = origin_of(session);
    const int code = store_put(store, result, &origin, NULL, err);
    store_close(store);
    return code;
}

void history_keep(struct session *session, const struct result *result, const char **ret_warning) {
    const char *path = kept_at(session);
    struct err err = {0};
    *ret_warning = NULL;
    if (!path || !result->run_id || !result->case_count) return;
    if (keep_run(session, path, result, &err) < 0)
        *ret_warning = arena_format(&session->arena, "this run is not in the history: %s", err.text);
}

static int keep_profile(struct session *session, const char *path, struct stored_profile *profile,
                        const struct strbuf *document, struct err *err) {
    struct store *store = NULL;
    TRY(store_open(path, true, &store, err));
    const struct store_origin origin = origin_of(session);
    profile->commit = origin.commit;
    profile->branch = origin.branch;
    const int code = store_put_profile(store, profile, strbuf_text(document), document->length, err);
    store_close(store);
    return code;
}

void history_keep_profile(struct session *session, struct stored_profile *profile,
                          const struct strbuf *document, const char **ret_warning) {
    const char *path = kept_at(session);
    struct err err = {0};
    *ret_warning = NULL;
    if (path && keep_profile(session, path, profile, document, &err) < 0)
        *ret_warning = arena_format(&session->arena, "this profile is not in the history: %s", err.text);
}
