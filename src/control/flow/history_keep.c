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

const char *history_kept_at(struct session *session) {
    return session->options.is_store_off || !store_is_built_in() ? NULL : history_path(session, NULL);
}

struct kept { // one of them
    const struct result *result;
    struct stored_profile *profile;
    struct stored_tuning *tuning;
    struct stored_answer *answer;
    const struct strbuf *document; // of all but a result
};
typedef int (*put_fn)(struct store *store, const struct store_origin *origin, const struct kept *kept,
                      struct err *err);

// A warning, in the session's arena; NULL: all is well.
static const char *keep(struct session *session, put_fn put, const struct kept *kept, const char *what) {
    const char *path = history_kept_at(session);
    struct store *store = NULL;
    struct err err = {0};
    if (!path) return NULL;
    int code = store_open(path, true, &store, &err);
    if (code == 0) {
        const struct store_origin origin = origin_of(session);
        code = put(store, &origin, kept, &err);
    }
    store_close(store);
    if (code == 0) return NULL;
    return arena_format(&session->arena, "this %s is not in the history: %s", what, err.text);
}

static int put_run(struct store *store, const struct store_origin *origin, const struct kept *kept,
                   struct err *err) {
    return store_put(store, kept->result, origin, NULL, err);
}

static int put_profile(struct store *store, const struct store_origin *origin, const struct kept *kept,
                       struct err *err) {
    kept->profile->commit = origin->commit;
    kept->profile->branch = origin->branch;
    return store_put_profile(store, kept->profile, strbuf_text(kept->document), kept->document->length, err);
}

static int put_tuning(struct store *store, const struct store_origin *origin, const struct kept *kept,
                      struct err *err) {
    kept->tuning->commit = origin->commit;
    kept->tuning->branch = origin->branch;
    return store_put_tuning(store, kept->tuning, strbuf_text(kept->document), kept->document->length, err);
}

static int put_answer(struct store *store, const struct store_origin *origin, const struct kept *kept,
                      struct err *err) {
    kept->answer->commit = origin->commit;
    kept->answer->branch = origin->branch;
    return store_put_answer(store, kept->answer, strbuf_text(kept->document), kept->document->length, err);
}

void history_keep(struct session *session, const struct result *result, const char **ret_warning) {
    const bool is_kept = result->run_id && result->case_count;
    *ret_warning = is_kept ? keep(session, put_run, &(struct kept){.result = result}, "run") : NULL;
}

void history_keep_profile(struct session *session, struct stored_profile *profile,
                          const struct strbuf *document, const char **ret_warning) {
    const struct kept kept = {.profile = profile, .document = document};
    *ret_warning = keep(session, put_profile, &kept, "profile");
}

void history_keep_tuning(struct session *session, struct stored_tuning *tuning, const struct strbuf *document,
                         const char **ret_warning) {
    const struct kept kept = {.tuning = tuning, .document = document};
    *ret_warning = keep(session, put_tuning, &kept, "tuning");
}

void history_keep_answer(struct session *session, struct stored_answer *answer, const struct strbuf *document,
                         const char **ret_warning) {
    const struct kept kept = {.answer = answer, .document = document};
    *ret_warning = keep(session, put_answer, &kept, "answer");
}
