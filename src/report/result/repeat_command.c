// SPDX-License-Identifier: Apache-2.0
//
// The command of a run, so that it does the same again in another checkout: "git:merge-base" is another
// commit there, and a default seed may change. The words are those that were typed, quoted for a shell.
#include <string.h>

#include "base/strbuf.h"
#include "report/result/report_parts.h"

#define COMMAND_BYTES_CUT 1023 // a line that was cut repeats nothing (cmd_options.command_line)
enum { HASH_GIVEN = 12 };

// The next word, as it is quoted. *at moves behind it and the blanks that follow. "": none.
static const char *next_word(const char **at, struct arena *arena) {
    const char *begin = *at, *end = begin;
    bool is_quoted = false;
    for (; *end && (is_quoted || *end != ' '); ++end) {
        if (*end == '\'') is_quoted = !is_quoted;
        if (*end == '\\' && !is_quoted && end[1]) ++end;
    }
    *at = end + strspn(end, " ");
    return arena_strndup(arena, begin, (size_t)(end - begin));
}

// Whether a word is an option, alone or with "=VALUE".
static bool is_option(const char *word, const char *name) {
    const size_t length = strlen(name);
    return strncmp(word, name, length) == 0 && (!word[length] || word[length] == '=');
}

// Of options that change nothing of what is measured; those with a value take the next word along.
static bool is_of_printing(const char *word, bool *ret_has_value) {
    static const char *const flags[] = {"--quiet", "--verbose", "--json", "--github", "--gitlab"};
    static const char *const valued[] = {"--output", "--color"};
    *ret_has_value = false;
    for (size_t i = 0; i < sizeof flags / sizeof *flags; ++i)
        if (str_equal(word, flags[i])) return true;
    for (size_t i = 0; i < sizeof valued / sizeof *valued; ++i)
        if (is_option(word, valued[i])) {
            *ret_has_value = !strchr(word, '=');
            return true;
        }
    return false;
}

// The commit that a baseline "git:..." was; NULL: the baseline is no revision.
static const char *baseline_commit(const struct result *result, struct arena *arena) {
    const struct result_side *base = report_side_of(result, SIDE_BASELINE);
    const char *revision = base ? str_or(base->revision, "") : "";
    const size_t length = report_hash_length(revision);
    if (!length || revision[length] || !report_is_of_revision(base)) return NULL;
    return arena_format(arena, "%.*s", HASH_GIVEN, revision);
}

// A command of a resumed run says nothing of what it does: it stays as it is, as one of other tools does.
static bool is_kept(const struct result *result) {
    const char *command = result->command;
    return result->lacks_seed || !str_starts(command, "assay ") || strlen(command) >= COMMAND_BYTES_CUT ||
           strstr(command, " --resume") || str_starts(command, "assay compare") ||
           str_starts(command, "assay fuzz");
}

const char *report_repeat_command(const struct result *result, struct arena *arena) {
    struct strbuf out = {0};
    const char *at = result->command, *commit = baseline_commit(result, arena);
    if (!result->command || is_kept(result)) return result->command;
    strbuf_add(&out, next_word(&at, arena)); // assay
    if (*at) strbuf_addf(&out, " %s", next_word(&at, arena));
    if (commit) strbuf_addf(&out, " --baseline git:%s", commit);
    while (*at) {
        const char *word = next_word(&at, arena);
        bool has_value;
        const bool is_replaced = is_option(word, "--seed") || (commit && is_option(word, "--baseline"));
        if (is_of_printing(word, &has_value) || is_replaced) {
            if (has_value || (is_replaced && !strchr(word, '='))) (void)next_word(&at, arena);
            continue;
        }
        strbuf_addf(&out, " %s", word);
    }
    strbuf_addf(&out, " --seed %llu", (unsigned long long)result->seed);
    const char *ret = arena_strdup(arena, strbuf_text(&out));
    strbuf_fini(&out);
    return ret;
}
