// SPDX-License-Identifier: Apache-2.0
//
// Folders and files around a process in the sandbox: what it may write and read, and what it may not.
#ifndef UNIT_SANDBOX_PLACES_H
#define UNIT_SANDBOX_PLACES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/mem.h"

#define HIDDEN "/runs/2"

struct places {
    char root[64];
    char *scratch, *secret, *read;
};

static const char *const folders[] = {"", "/runs/1", HIDDEN "/references"}; // that of `read`, and in it

static void places_make(struct places *places) {
    strcpy(places->root, "/tmp/assay_sandbox_XXXXXX");
    assert_non_null(mkdtemp(places->root));
    places->scratch = mem_format("%s/scratch", places->root);
    places->read = mem_format("%s/read", places->root);
    places->secret = mem_format("%s/secret", places->root);
    assert_int_equal(file_make_dirs(places->scratch, NULL), 0);
    assert_int_equal(file_write_atomic(places->secret, "x", 1, NULL), 0);
    for (size_t i = 0; i < 3; ++i) {
        char *folder = mem_format("%s%s", places->read, folders[i]), *inside = path_join(folder, "inside");
        assert_int_equal(file_make_dirs(folder, NULL), 0);
        assert_int_equal(file_write_atomic(inside, "x", 1, NULL), 0);
        free(inside);
        free(folder);
    }
}

static void places_remove(struct places *places) {
    file_remove_tree(places->root, NULL);
    free(places->scratch);
    free(places->secret);
    free(places->read);
}

#endif
