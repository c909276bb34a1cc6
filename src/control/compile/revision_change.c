// SPDX-License-Identifier: Apache-2.0
#include "control/compile/revision_change.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
