// SPDX-License-Identifier: Apache-2.0
//
// See revision_history.h: asks git for the range, and reads what it lists.
#include "control/compile/revision_history.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "control/compile/git_command_internal.h"

#define FIELD_MARK '\x1f' // between the fields of a commit's line; no name or subject has it
#define LOG_FORMAT "--format=%H%x1f%P%x1f%as%x1f%an%x1f%s"

int revision_range_parse(const char *text, struct arena *arena, struct revision_range *ret, struct err *err) {
    const char *dots = strstr(text, "..");
    if (!dots || dots == text || dots[2] == '.')
        return err_set(err, ERR_USAGE,
                       "'%s' is no range of commits; write GOOD..BAD, such as v1.2..HEAD: GOOD is the one that "
                       "was fast enough",
                       text);
    ret->good = arena_strndup(arena, text, (size_t)(dots - text));
    ret->bad = arena_strdup(arena, dots[2] ? dots + 2 : "HEAD");
    return 0;
}

// ---- what git lists ----

// Cuts the next field off *at.
static char *next_field(char **at) {
    char *field = *at, *mark = strchr(field, FIELD_MARK);
    if (mark) *mark = 0;
    *at = mark ? mark + 1 : field + strlen(field);
    return field;
}

// A parent has a place before its child, mostly right before it.
static void add_parents(struct revision_history *history, char *ids, struct arena *arena) {
    struct revision_commit *commit = &history->commits[history->commit_count];
    size_t most = 1;
    for (const char *p = ids; *p; ++p) most += *p == ' ';
    commit->parents = arena_array(arena, most, sizeof *commit->parents);
    char *rest = NULL;
    for (char *id = strtok_r(ids, " ", &rest); id; id = strtok_r(NULL, " ", &rest)) {
        size_t place = history->commit_count;
        while (place > 0 && !str_equal(history->commits[place - 1].id, id)) --place;
        if (place > 0) commit->parents[commit->parent_count++] = place - 1;
    }
}

static void read_log(char *log, struct arena *arena, struct revision_history *ret) {
    size_t most = 1;
    for (const char *p = log; *p; ++p) most += *p == '\n';
    ret->commits = arena_array(arena, most, sizeof *ret->commits);
    char *rest = NULL;
    for (char *line = strtok_r(log, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        struct revision_commit *commit = &ret->commits[ret->commit_count];
        commit->id = arena_strdup(arena, next_field(&line));
        add_parents(ret, next_field(&line), arena);
        commit->date = arena_strdup(arena, next_field(&line));
        commit->author = arena_strdup(arena, next_field(&line));
        commit->subject = arena_strdup(arena, line);
        ++ret->commit_count;
    }
}

// ---- the range ----

static bool is_ancestor(const char *repository, const char *good, const char *bad) {
    const char *arguments[] = {"merge-base", "--is-ancestor", good, bad, NULL};
    char *output = git_command_query(repository, arguments);
    const bool ret = output != NULL;
    free(output);
    return ret;
}

static int check_range(const char *repository, const struct revision_range *range, const char *good,
                       const char *bad, struct err *err) {
    if (strcmp(good, bad) == 0)
        return err_set(err, ERR_USAGE, "'%s' and '%s' are the same commit: there is nothing between them",
                       range->good, range->bad);
    if (is_ancestor(repository, good, bad)) return 0;
    if (is_ancestor(repository, bad, good))
        return err_set(err, ERR_USAGE, "'%s' comes after '%s'; write the older one first", range->good,
                       range->bad);
    return err_set(err, ERR_USAGE,
                   "'%s' is no ancestor of '%s': the change may lie on either branch; name a commit that is, "
                   "such as the output of 'git merge-base %s %s'",
                   range->good, range->bad, range->good, range->bad);
}

static int list_commits(const char *repository, const struct revision_range *range, const char *between,
                        char **ret_log, struct err *err) {
    // One more than are possible tells that there are too many.
    char limit[32];
    snprintf(limit, sizeof limit, "--max-count=%d", REVISION_HISTORY_MAX + 1);
    const char *arguments[] = {"log",         "--topo-order", "--reverse",
                               LOG_FORMAT,    limit,          range->has_all_commits ? between : "--first-parent",
                               range->has_all_commits ? NULL : between, NULL};
    bool is_ok = false;
    TRY(git_command_run(repository, arguments, &is_ok, ret_log, err));
    if (is_ok) return 0;
    err_set(err, ERR_UNAVAILABLE, "git cannot list the commits of %s..%s: %s", range->good, range->bad,
            *ret_log);
    return -ERR_UNAVAILABLE;
}

static int read_between(const char *repository, const struct revision_range *range, const char *good,
                        const char *bad, struct arena *arena, struct revision_history *ret, struct err *err) {
    char *log = NULL;
    const char *between = arena_format(arena, "%s..%s", good, bad);
    struct revision_history history = {.good = arena_strdup(arena, good)};
    int code = check_range(repository, range, good, bad, err);
    if (code == 0) code = list_commits(repository, range, between, &log, err);
    if (code == 0) read_log(log, arena, &history);
    free(log);
    if (code < 0) return code;
    if (history.commit_count > REVISION_HISTORY_MAX)
        return err_set(err, ERR_USAGE, "there are more than %d commits in %s..%s; name a nearer GOOD",
                       REVISION_HISTORY_MAX, range->good, range->bad);
    if (!history.commit_count || strcmp(history.commits[history.commit_count - 1].id, bad) != 0)
        return err_set(err, ERR_UNAVAILABLE, "git lists the commits of %s..%s in an order that is not known",
                       range->good, range->bad);
    *ret = history;
    return 0;
}

int revision_history_read(const char *dir, const struct revision_range *range, struct arena *arena,
                          struct revision_history *ret, struct err *err) {
    char *repository = NULL, *prefix = NULL, *good = NULL, *bad = NULL;
    int code = git_repository_find(dir, &repository, &prefix, err);
    if (code == 0) code = git_commit_resolve(range->good, repository, &good, err);
    if (code == 0) code = git_commit_resolve(range->bad, repository, &bad, err);
    if (code == 0) code = read_between(repository, range, good, bad, arena, ret, err);
    free(repository);
    free(prefix);
    free(good);
    free(bad);
    return code;
}
