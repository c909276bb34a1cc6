// SPDX-License-Identifier: Apache-2.0
//
// Revisions: each is a detached work tree below the cache, with a lock file that its owner holds. The next
// process that opens a revision removes the trees whose owners are gone. In the repository's list of work
// trees only our own entry is changed.
#include "control/compile/revision.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "control/compile/git_command_internal.h"

#define SPEC_PREFIX    "git:"
#define LOCK_SUFFIX    ".lock"
#define NOTE_SUFFIX    ".git-dir"    // next to the lock: the folder whose list of work trees has our entry
#define ROOT_SUFFIX    ".repository" // what peers/assay_revision.py reads: the root of the user's tree ...
#define CHANGES_SUFFIX ".changes"    // ... and how that differs from the revision
#define TREES_FOLDER   "trees"
#define PATH_BYTES_MAX 65536

bool revision_is_spec(const char *text) {
    return text && str_starts(text, SPEC_PREFIX);
}

// Does what `git worktree remove` does, without git: this also works on half-made trees, and while an
// interrupt ends every child that we start.
static void tree_forget(const char *tree, const char *lock_path) {
    char *note = mem_format("%s" NOTE_SUFFIX, tree), *git_dir = NULL;
    if (file_exists(note)) file_read(note, PATH_BYTES_MAX, &git_dir, NULL, NULL);
    file_remove_tree(tree, NULL); // what stays is tried again by the next open
    if (git_dir) {
        char *list = path_join(git_dir, "worktrees"), *entry = path_join(list, path_base(tree));
        file_remove_tree(entry, NULL); // the name is ours alone
        rmdir(list); // as git does after its last one; fails, rightly, when the user has others
        free(list);
        free(entry);
    }
    if (!file_exists(tree)) {
        static const char *const suffixes[] = {NOTE_SUFFIX, ROOT_SUFFIX, CHANGES_SUFFIX};
        for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; ++i) {
            char *path = mem_format("%s%s", tree, suffixes[i]);
            unlink(path);
            free(path);
        }
        unlink(lock_path); // last: while it exists, the tree is known
    }
    free(note);
    free(git_dir);
}

// Removes the trees of runs that were killed: those whose lock is free.
static void stale_trees_remove(const char *trees) {
    DIR *dir = opendir(trees);
    if (!dir) return;
    for (struct dirent *item; (item = readdir(dir));) {
        if (!str_ends(item->d_name, LOCK_SUFFIX)) continue;
        char *lock_path = path_join(trees, item->d_name);
        char *tree = mem_format("%.*s", (int)(strlen(lock_path) - strlen(LOCK_SUFFIX)), lock_path);
        int fd = -1;
        if (file_lock_open(lock_path, false, &fd, NULL) == 0) tree_forget(tree, lock_path);
        file_lock_close(fd);
        free(lock_path);
        free(tree);
    }
    closedir(dir);
}

static int merge_base_find(const char *repository, char **ret_commit, struct err *err) {
    static const char *const mains[] = {"refs/remotes/origin/HEAD", "refs/heads/main", "refs/heads/master",
                                        "refs/remotes/origin/main", "refs/remotes/origin/master"};
    for (size_t i = 0; i < sizeof mains / sizeof *mains; ++i) {
        char *main_commit = git_commit_find(repository, mains[i]);
        if (!main_commit) continue;
        const char *arguments[] = {"merge-base", "HEAD", main_commit, NULL};
        *ret_commit = git_command_query(repository, arguments);
        free(main_commit);
        if (*ret_commit && strlen(*ret_commit) >= 40) return 0;
        free(*ret_commit);
        *ret_commit = NULL;
        return err_set(
            err, ERR_USAGE,
            "git:merge-base: HEAD and %s in '%s' have no common commit; fetch the history ('git fetch "
            "--unshallow', or fetch-depth: 0 in a workflow)",
            mains[i], repository);
    }
    char *head = git_commit_find(repository, "HEAD");
    if (!head)
        return err_set(err, ERR_USAGE,
                       "git:merge-base: '%s' has no commit yet; commit what the next edit is compared with",
                       repository);
    free(head);
    return err_set(
        err, ERR_USAGE,
        "git:merge-base: '%s' has no origin/HEAD, main or master; name the revision, such as git:HEAD~1, or "
        "fetch the history (fetch-depth: 0 in a workflow)",
        repository);
}

static int revision_resolve(const char *spec, const char *repository, char **ret_commit, struct err *err) {
    const char *name = spec + strlen(SPEC_PREFIX);
    if (str_equal(name, "merge-base")) return merge_base_find(repository, ret_commit, err);
    return git_commit_resolve(name, repository, ret_commit, err);
}

// Checks the commit out below trees/ under a new name, which is locked first. A note next to the lock says
// where our entry in the repository will be.
static int tree_add(struct revision *revision, const char *trees, const char *spec, struct err *err) {
    const char *arguments[] = {"rev-parse", "--git-common-dir", NULL};
    char *output = git_command_query(revision->repository, arguments);
    if (!output)
        return err_set(err, ERR_UNAVAILABLE, "git cannot say where '%s' keeps its data",
                       revision->repository);
    char *git_dir = path_join(revision->repository, output),
         *pattern = path_join(trees, "assay-XXXXXX" LOCK_SUFFIX);
    char *note = NULL;
    int result = 0, fd = mkstemps(pattern, (int)strlen(LOCK_SUFFIX));
    if (fd < 0) {
        result = err_set_errno(err, ERR_CREATE, "cannot create a file in '%s'", trees);
        goto out;
    }
    close(fd);
    revision->tree = mem_format("%.*s", (int)(strlen(pattern) - strlen(LOCK_SUFFIX)), pattern);
    revision->lock_path = mem_strdup(pattern);
    result = file_lock_open(pattern, true, &revision->lock_fd, err);
    note = mem_format("%s" NOTE_SUFFIX, revision->tree);
    if (result == 0) result = file_write_atomic(note, git_dir, strlen(git_dir), err);
    if (result < 0) goto out;
    const char *add[] = {"worktree", "add",          "--quiet",        "--detach",
                         "--force",  revision->tree, revision->commit, NULL};
    bool is_ok = false;
    char *complaint = NULL;
    result = git_command_run(revision->repository, add, &is_ok, &complaint, err);
    if (result == 0 && !is_ok)
        result = err_set(err, ERR_UNAVAILABLE, "cannot check out %s (%.10s) next to the working tree: %s",
                         spec, revision->commit, complaint);
    free(complaint);
out:
    free(output);
    free(git_dir);
    free(pattern);
    free(note);
    return result;
}

// Python may find the user's tree where the revision's is meant.
static int tree_write_changes(const struct revision *revision, struct err *err) {
    char *root = mem_format("%s" ROOT_SUFFIX, revision->tree), *complaint = NULL;
    char *output = mem_format("--output=%s" CHANGES_SUFFIX, revision->tree);
    const char *diff[] = {"diff",
                          "--raw",
                          "-z",
                          "--no-renames",
                          "--no-ext-diff",
                          "--ignore-submodules=untracked",
                          output,
                          revision->commit,
                          "--",
                          NULL};
    bool is_ok = false;
    int result = file_write_atomic(root, revision->repository, strlen(revision->repository), err);
    if (result == 0) result = git_command_run(revision->repository, diff, &is_ok, &complaint, err);
    if (result == 0 && !is_ok)
        result = err_set(err, ERR_UNAVAILABLE, "git cannot compare the working tree with %.10s: %s",
                         revision->commit, complaint);
    free(complaint);
    free(output);
    free(root);
    return result;
}

// prefix: "" or "sub/".
static char *tree_path(const char *tree, const char *prefix) {
    char *path = path_join(tree, prefix);
    const size_t length = strlen(path);
    if (length > 1 && path[length - 1] == '/') path[length - 1] = 0;
    return path;
}

char *revision_path(const struct revision *revision, const char *dir) {
    char *root = NULL, *prefix = NULL, *path = NULL;
    if (git_repository_find(dir, &root, &prefix, NULL) == 0 && str_equal(root, revision->repository))
        path = tree_path(revision->tree, prefix);
    free(root);
    free(prefix);
    return path;
}

char *revision_tree_of(const char *dir) {
    char *cache = path_cache_dir(), *trees = path_join(cache, TREES_FOLDER "/"), *tree = NULL;
    const size_t length = strlen(trees);
    if (str_starts(dir, trees)) tree = mem_format("%.*s", (int)(length + strcspn(dir + length, "/")), dir);
    free(cache);
    free(trees);
    return tree;
}

int revision_open(const char *spec, const char *manifest_dir, struct revision *ret, struct err *err) {
    struct revision revision = {.lock_fd = -1};
    char *prefix = NULL, *commit = NULL, *cache = path_cache_dir(), *trees = path_join(cache, TREES_FOLDER);
    int result = file_check_cache(err);
    if (result == 0) result = git_repository_find(manifest_dir, &revision.repository, &prefix, err);
    if (result == 0) result = revision_resolve(spec, revision.repository, &commit, err);
    if (result < 0) goto out;
    snprintf(revision.commit, sizeof revision.commit, "%s", commit);
    result = file_make_dirs(trees, err);
    if (result < 0) goto out;
    stale_trees_remove(trees);
    result = tree_add(&revision, trees, spec, err);
    if (result == 0) result = tree_write_changes(&revision, err);
    if (result < 0) goto out;
    revision.dir = tree_path(revision.tree, prefix);
    if (!file_is_dir(revision.dir)) {
        result = err_set(
            err, ERR_USAGE,
            "revision %s (%.10s) has no folder '%s', where the manifest lies; choose another revision", spec,
            revision.commit, prefix);
    }
out:
    free(prefix);
    free(commit);
    free(cache);
    free(trees);
    if (result < 0)
        revision_close(&revision);
    else
        *ret = revision;
    return result;
}

void revision_close(struct revision *revision) {
    if (revision->lock_path) {
        tree_forget(revision->tree, revision->lock_path);
        file_lock_close(revision->lock_fd);
    }
    free(revision->dir);
    free(revision->tree);
    free(revision->repository);
    free(revision->lock_path);
    *revision = (struct revision){.lock_fd = -1};
}

// Whether git's index has a submodule of that name in dir.
static bool is_submodule(const char *dir, const char *name) {
    char *literal = mem_format(":(literal)%s", name);
    const char *arguments[] = {"ls-files", "--stage", "--", literal, NULL};
    char *entry = git_command_query(dir, arguments);
    const bool ret = entry && str_starts(entry, "160000 "); // the mode of a commit
    free(literal);
    free(entry);
    return ret;
}

int revision_explain_missing(const char *dir, const char *path, struct err *err) {
    char *cache = path_cache_dir(), *trees = path_join(cache, TREES_FOLDER "/"), *name = mem_strdup(path);
    int result = 0;
    for (char *slash = strchr(name, '/'); slash && result == 0; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        if (is_submodule(dir, name) && str_starts(dir, trees))
            result = err_set(err, ERR_NO_INPUT,
                             "'%s' lies in the git submodule '%s', and a revision is checked out without its "
                             "submodules; put a manifest into the submodule and gate there, or compare with "
                             "a stored result ('assay baseline set', then --baseline FILE.json)",
                             path, name);
        else if (is_submodule(dir, name))
            result =
                err_set(err, ERR_NO_INPUT,
                        "'%s' lies in the git submodule '%s', which is not checked out in '%s'; run 'git "
                        "submodule update --init %s' there",
                        path, name, dir, name);
        *slash = '/';
    }
    free(cache);
    free(trees);
    free(name);
    return result;
}

char *revision_describe(const char *dir) {
    const char *arguments[] = {"describe", "--always", "--abbrev=7", "--exclude=*", "--dirty", NULL};
    return git_command_query(dir, arguments);
}

char *revision_branch(const char *dir) {
    const char *arguments[] = {"symbolic-ref", "--short", "--quiet", "HEAD", NULL};
    return git_command_query(dir, arguments);
}

char *revision_origin(const char *dir) {
    const char *arguments[] = {"config", "--get", "remote.origin.url", NULL};
    char *url = git_command_query(dir, arguments);
    if (!url) return NULL;
    char *begin = url, *mark = strstr(url, "://");
    if (mark) begin = mark + strlen("://");
    char *end = begin + strlen(begin), *user = memchr(begin, '@', strcspn(begin, "/"));
    if (user) begin = user + 1;
    while (end > begin && end[-1] == '/') *--end = 0;
    if (end - begin > 4 && str_equal(end - 4, ".git")) end[-4] = 0;
    char *ret = *begin ? mem_strdup(begin) : NULL;
    free(url);
    return ret;
}

char *revision_parent(const char *dir) {
    const char *arguments[] = {"rev-parse", "--verify", "--quiet", "--short=7", "HEAD^", NULL};
    return git_command_query(dir, arguments);
}

char *revision_prefix(const char *dir) {
    const char *arguments[] = {"rev-parse", "--show-prefix", NULL};
    return git_command_query(dir, arguments);
}

int revision_find_prefix(const char *dir, char **ret, struct err *err) {
    char *root = NULL;
    const int code = git_repository_find(dir, &root, ret, err);
    free(root);
    return code;
}
