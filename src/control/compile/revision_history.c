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
        return err_set(
            err, ERR_USAGE,
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

// The ends of a range, by their full ids.
struct ends {
    char *repository, *good, *bad;
};

static bool is_ancestor(const char *repository, const char *good, const char *bad) {
    const char *arguments[] = {"merge-base", "--is-ancestor", good, bad, NULL};
    char *output = git_command_query(repository, arguments);
    const bool ret = output != NULL;
    free(output);
    return ret;
}

static int check_range(const struct revision_range *range, const struct ends *ends, struct err *err) {
    if (str_equal(ends->good, ends->bad))
        return err_set(err, ERR_USAGE, "'%s' and '%s' are the same commit: there is nothing between them",
                       range->good, range->bad);
    if (is_ancestor(ends->repository, ends->good, ends->bad)) return 0;
    if (is_ancestor(ends->repository, ends->bad, ends->good))
        return err_set(err, ERR_USAGE, "'%s' comes after '%s'; write the older one first", range->good,
                       range->bad);
    return err_set(err, ERR_USAGE,
                   "'%s' is no ancestor of '%s': the change may lie on either branch; name a commit that is, "
                   "such as the output of 'git merge-base %s %s'",
                   range->good, range->bad, range->good, range->bad);
}

static int list_commits(const struct revision_range *range, const struct ends *ends, char **ret_log,
                        struct err *err) {
    // One more than are possible tells that there are too many.
    char limit[32], between[256];
    snprintf(limit, sizeof limit, "--max-count=%d", REVISION_HISTORY_MAX + 1);
    snprintf(between, sizeof between, "%s..%s", ends->good, ends->bad);
    const char *arguments[] = {"log", "--topo-order", "--reverse", LOG_FORMAT, limit, between, NULL, NULL};
    if (!range->has_all_commits) arguments[6] = "--first-parent";
    bool is_ok = false;
    TRY(git_command_run(ends->repository, arguments, &is_ok, ret_log, err));
    if (is_ok) return 0;
    return err_set(err, ERR_UNAVAILABLE, "git cannot list the commits of %s..%s: %s", range->good, range->bad,
                   *ret_log);
}

static int read_between(const struct revision_range *range, const struct ends *ends, struct arena *arena,
                        struct revision_history *ret, struct err *err) {
    char *log = NULL;
    struct revision_history history = {.good = arena_strdup(arena, ends->good)};
    int code = check_range(range, ends, err);
    if (code == 0) code = list_commits(range, ends, &log, err);
    if (code == 0) read_log(log, arena, &history);
    free(log);
    if (code < 0) return code;
    if (history.commit_count > REVISION_HISTORY_MAX)
        return err_set(err, ERR_USAGE, "there are more than %d commits in %s..%s; name a nearer GOOD",
                       REVISION_HISTORY_MAX, range->good, range->bad);
    if (!history.commit_count || !str_equal(history.commits[history.commit_count - 1].id, ends->bad))
        return err_set(err, ERR_UNAVAILABLE, "git lists the commits of %s..%s in an order that is not known",
                       range->good, range->bad);
    *ret = history;
    return 0;
}

int revision_history_read(const char *dir, const struct revision_range *range, struct arena *arena,
                          struct revision_history *ret, struct err *err) {
    struct ends ends = {0};
    char *prefix = NULL;
    int code = git_repository_find(dir, &ends.repository, &prefix, err);
    if (code == 0) code = git_commit_resolve(range->good, ends.repository, &ends.good, err);
    if (code == 0) code = git_commit_resolve(range->bad, ends.repository, &ends.bad, err);
    if (code == 0) code = read_between(range, &ends, arena, ret, err);
    free(prefix);
    free(ends.repository);
    free(ends.good);
    free(ends.bad);
    return code;
}
