// SPDX-License-Identifier: Apache-2.0
#include "control/compile/revision_change.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "control/compile/git_command_internal.h"

// A hunk begins "@@ -10,2 +12,3 @@": from line 12 of the working tree on.
int revision_first_change(const char *dir, const char *commit, const char *path) {
    const char *const arguments[] = {"diff", "--unified=0", "--no-color", "--no-ext-diff",
                                     commit, "--",          path,         NULL};
    char *diff = git_command_query(dir, arguments);
    const char *hunk = diff ? strstr(diff, "\n@@ ") : NULL;
    const char *plus = hunk ? strchr(hunk, '+') : NULL;
    const long line = plus ? strtol(plus + 1, NULL, 10) : 0;
    free(diff);
    // A hunk that only takes lines out stands before its line.
    return !plus ? 0 : line < 1 ? 1 : line > 100000000 ? 0 : (int)line;
}

#define MARK "\x1f" // between a commit's id and its values; no value has it

char *revision_trailers(const char *dir, const char *commit, const char *key) {
    char format[128], range[64];
    snprintf(format, sizeof format, "--format=%%h%%x1f%%(trailers:key=%s,valueonly,unfold,separator=%%x1f)",
             key);
    snprintf(range, sizeof range, "%.50s..HEAD", commit);
    const char *const arguments[] = {"log", format, range, NULL};
    char *log = git_command_query(dir, arguments), *lines_left = NULL;
    struct strbuf ret = {0};
    for (char *line = log ? strtok_r(log, "\n", &lines_left) : NULL; line;
         line = strtok_r(NULL, "\n", &lines_left)) {
        char *values_left = NULL;
        const char *id = strtok_r(line, MARK, &values_left);
        for (char *value; id && (value = strtok_r(NULL, MARK, &values_left));)
            strbuf_addf(&ret, "%s %s\n", id, value);
    }
    free(log);
    return ret.length ? strbuf_take(&ret) : NULL;
}
