// SPDX-License-Identifier: Apache-2.0
//
// What of a file differs from a revision, and what its commits say in trailers: in a made repository.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"
#include "control/compile/revision_change.h"

#define COMMIT_BYTES 41

static char folder[64];

static void shell(const char *command) {
    char line[1024];
    snprintf(line, sizeof line, "cd %s && { %s; } >/dev/null 2>&1", folder, command);
    if (system(line) != 0) fail_msg("%s", line);
}

static void first_commit(char ret[COMMIT_BYTES]) {
    char line[128];
    snprintf(line, sizeof line, "git -C %s rev-list --max-parents=0 HEAD", folder);
    FILE *output = popen(line, "r");
    assert_non_null(output);
    assert_non_null(fgets(ret, COMMIT_BYTES, output));
    pclose(output);
}

static int make_repository(void **state) {
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/assay-change-XXXXXX");
    if (!mkdtemp(folder)) return -1;
    shell("git init -q -b main . && git config user.email t@example.org && git config user.name t && "
          "mkdir src && seq 20 >src/a.c && seq 20 >src/b.c && git add -A && git commit -qm one");
    return 0;
}

static int remove_repository(void **state) {
    (void)state;
    char line[128];
    snprintf(line, sizeof line, "rm -rf %s", folder);
    return system(line);
}

static void the_first_changed_line_is_found(void **state) {
    (void)state;
    char commit[COMMIT_BYTES];
    first_commit(commit);
    assert_int_equal(revision_first_change(folder, commit, "src/a.c"), 0);
    shell("sed -i '7s/.*/changed/; 15s/.*/changed/' src/a.c");
    assert_int_equal(revision_first_change(folder, commit, "src/a.c"), 7);
    assert_int_equal(revision_first_change(folder, commit, "src/b.c"), 0);
    shell("git commit -qam two && sed -i '1d' src/b.c"); // a hunk that only takes lines out
    assert_int_equal(revision_first_change(folder, commit, "src/a.c"), 7);
    assert_int_equal(revision_first_change(folder, commit, "src/b.c"), 1);
    assert_int_equal(revision_first_change(folder, "0000000", "src/a.c"), 0); // no such commit
    assert_int_equal(revision_first_change("/", commit, "src/a.c"), 0);       // no repository
    shell("git checkout -q src/b.c");
}

static void trailers_are_listed_newest_first(void **state) {
    (void)state;
    char commit[COMMIT_BYTES];
    first_commit(commit);
    char *none = revision_trailers(folder, commit, "Accept-regression");
    assert_null(none);
    shell("git commit -q --allow-empty -m 'no trailer' -m 'Accept-regression in a sentence is none.'");
    shell("git commit -q --allow-empty -m three -m 'Accept-regression: s512 wide offsets\nAccept-regression: "
          "all\n'");
    shell("git commit -q --allow-empty -m four -m 'Accept-regression: long\n  and folded'");
    char *lines = revision_trailers(folder, commit, "Accept-regression");
    assert_non_null(lines);
    char *values[3] = {0}, *rest = NULL;
    size_t count = 0;
    for (char *line = strtok_r(lines, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
        if (count < 3) values[count++] = strchr(line, ' ');
    assert_int_equal(count, 3);
    assert_string_equal(values[0], " long and folded");
    assert_string_equal(values[1], " s512 wide offsets");
    assert_string_equal(values[2], " all");
    free(lines);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_changed_line_is_found),
        cmocka_unit_test(trailers_are_listed_newest_first),
    };
    return cmocka_run_group_tests(tests, make_repository, remove_repository);
}
