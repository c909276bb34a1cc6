// SPDX-License-Identifier: Apache-2.0
//
// Depfiles as gcc and nvcc write them: which files they name, whatever is in the names.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "control/compile/depfile.h"

#define NAMES_MAX 6

static void hold(const char *text, const char *const names[NAMES_MAX]) {
    struct arena arena = {0};
    struct depfile depfile = {.at = text};
    for (size_t i = 0; names[i]; ++i) {
        const char *name = depfile_next(&depfile, &arena);
        if (!name) fail_msg("%s: no %s", text, names[i]);
        assert_string_equal(name, names[i]);
    }
    const char *more = depfile_next(&depfile, &arena);
    if (more) fail_msg("%s: %s too many", text, more);
    arena_fini(&arena);
}

static void test_lines(void **state) {
    (void)state;
    hold("k.o : k.cu \\\n    /usr/include/a.h \\\n    b.h\n",
         (const char *[NAMES_MAX]){"k.cu", "/usr/include/a.h", "b.h"});
    hold("k.o: k.cu a.h \\\n b.h", (const char *[NAMES_MAX]){"k.cu", "a.h", "b.h"});
    hold("k.o: k.cu\\\r\n\ta.h\\\n\r\n", (const char *[NAMES_MAX]){"k.cu", "a.h"});
    hold("k.o k.d : \\\n \\\n k.cu\n", (const char *[NAMES_MAX]){"k.cu"});
}

static void test_names(void **state) {
    (void)state;
    hold("k.o : sp\\ ace#y/k.cu x\\#y a$$b c$d\n",
         (const char *[NAMES_MAX]){"sp ace#y/k.cu", "x#y", "a$b", "c$d"});
    hold("k.o : h\\h.h two\\\\ \\\\\\ x c:d end\\\\\n",
         (const char *[NAMES_MAX]){"h\\h.h", "two\\", "\\ x", "c:d", "end\\"});
    hold("a\\ b:c.o : k.cu d:\n", (const char *[NAMES_MAX]){"k.cu", "d:"});
}

static void test_several_rules(void **state) {
    (void)state;
    hold("k.o : k.cu \\\n a.h\n\na.h:\n\nm.o: m.cu\n", (const char *[NAMES_MAX]){"k.cu", "a.h", "m.cu"});
}

static void test_no_rule(void **state) {
    (void)state;
    hold("", (const char *[NAMES_MAX]){NULL});
    hold("cc1plus is silent\n \\", (const char *[NAMES_MAX]){NULL});
    hold("k.o :", (const char *[NAMES_MAX]){NULL});
    hold("k.o : \\\n\nk.cu\n", (const char *[NAMES_MAX]){NULL});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_several_rules),
        cmocka_unit_test(test_no_rule),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
