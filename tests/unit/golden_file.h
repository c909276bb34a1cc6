// SPDX-License-Identifier: Apache-2.0
//
// Holds a text to a file of tests/golden, letter by letter; with ASSAY_GOLDEN_WRITE set the file is written
// anew instead (look at the difference before committing it).
#ifndef TESTS_GOLDEN_FILE_H
#define TESTS_GOLDEN_FILE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"

#ifndef ASSAY_GOLDEN_DIR
#define ASSAY_GOLDEN_DIR "tests/golden"
#endif

static inline void hold_golden(const char *name, const char *text) {
    char *path = path_join(ASSAY_GOLDEN_DIR, name), *golden = NULL;
    size_t length = 0;
    struct err err = {0};
    if (getenv("ASSAY_GOLDEN_WRITE")) {
        if (file_write_atomic(path, text, strlen(text), &err) < 0) fail_msg("%s", err.text);
    } else {
        if (file_read(path, 1 << 20, &golden, &length, &err) < 0) fail_msg("%s", err.text);
        assert_string_equal(text, golden);
    }
    free(golden);
    free(path);
}

#endif
