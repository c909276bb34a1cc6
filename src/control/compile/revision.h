// SPDX-License-Identifier: Apache-2.0
//
// A revision of the user's repository as a side: checked out into a work tree of its own, built there with
// the manifest of that revision, removed afterwards. The user's tree is left untouched.
#ifndef CONTROL_COMPILE_REVISION_H
#define CONTROL_COMPILE_REVISION_H

#include <stdbool.h>

#include "base/err.h"

struct revision {
    char commit[41];
    char *dir;        // the work tree (for a submanifest: the folder of the manifest in it); owned
    char *tree;       // root of the work tree; owned
    char *repository; // owned
    char *lock_path;  // owned; locked as long as this process lives, so that others know the tree is in use
    int lock_fd;
};

bool revision_is_spec(const char *text); // starts with "git:"
// spec: "git:REV" or "git:merge-base" (with origin/HEAD's branch, main or master, the first that exists).
// manifest_dir is the folder of the user's manifest inside its repository. ERR_USAGE: unknown revision;
// ERR_UNAVAILABLE: no git, no repository.
int revision_open(const char *spec, const char *manifest_dir, struct revision *ret, struct err *err);
// The path in the revision's work tree of a folder of the user's; NULL when that lies outside the repository.
// It need not exist there. Caller frees.
char *revision_path(const struct revision *revision, const char *dir);
// The work tree of a revision that dir lies in; NULL: none. Caller frees. Interpreters are told it
// (WORK_REVISION_TREES).
char *revision_tree_of(const char *dir);
void revision_close(struct revision *revision); // removes the work tree; accepts a zeroed one
// Why there is no file `path` (relative) in dir, a folder of a revision or of the user's tree: it lies in a
// submodule that is not checked out. ERR_NO_INPUT with the sentence, or 0: git knows no reason.
int revision_explain_missing(const char *dir, const char *path, struct err *err);
// "a1b2c3d", with "-dirty" when the tracked files differ from it; NULL outside a repository. Caller frees.
char *revision_describe(const char *dir);
// The branch that is checked out, and the parent of its newest commit; NULL: none. Caller frees.
char *revision_branch(const char *dir);
char *revision_parent(const char *dir);
// The address of its origin, without scheme, user, password and ".git", which differ from checkout to
// checkout; NULL: none. Caller frees.
char *revision_origin(const char *dir);

// The path of dir below the root of its repository, "" or "sub/"; NULL outside of one. Caller frees.
char *revision_prefix(const char *dir);
// The same with the reason, git's own words among them. ERR_UNAVAILABLE: no git, or no repository that it
// takes.
int revision_find_prefix(const char *dir, char **ret, struct err *err);

#endif
