// SPDX-License-Identifier: Apache-2.0
//
// The store of a project: where it is, and keeping runs in it. A run whose keeping fails has its folder in
// runs/ all the same, and `assay history import` brings it in later.
#ifndef CONTROL_FLOW_HISTORY_KEEP_H
#define CONTROL_FLOW_HISTORY_KEEP_H

#include "control/flow/session.h"
#include "store/store_answer.h"
#include "store/store_folder.h"
#include "store/store_profile.h"
#include "store/store_tuning.h"

#define HISTORY_FILE STORE_FOLDER "/history.db"
#define HISTORY_NONE "none"

// Where the store is, a path or an address: asked (--store), else ASSAY_STORE, else the manifest's, else
// .assay/history.db beside the manifest. NULL: none, because "none" was given, the manifest says so, or there
// is no manifest. In the session's arena.
const char *history_path(struct session *session, const char *asked);
// The same where this run is kept; NULL: it is not, by --no-store too.
const char *history_kept_at(struct session *session);
// As history_path; ERR_USAGE: there is none.
int history_address(struct session *session, const char *asked, const char **ret, struct err *err);
// Opens it. ERR_USAGE: there is none.
int history_open(struct session *session, const char *asked, bool may_create, struct store **ret,
                 struct err *err);

// Keeps a measured result, where the project has a store. A failure is one warning on *ret_warning (in the
// session's arena; NULL: all is well): it never changes what was decided.
void history_keep(struct session *session, const struct result *result, const char **ret_warning);
// The same for a profile, whose commit and branch become those of the project.
void history_keep_profile(struct session *session, struct stored_profile *profile,
                          const struct strbuf *document, const char **ret_warning);
// And for a tuning.
void history_keep_tuning(struct session *session, struct stored_tuning *tuning, const struct strbuf *document,
                         const char **ret_warning);
// And for an answer of the referee.
void history_keep_answer(struct session *session, struct stored_answer *answer, const struct strbuf *document,
                         const char **ret_warning);

#endif
