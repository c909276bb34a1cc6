// SPDX-License-Identifier: Apache-2.0
//
// Files of docs/ that tables make: held to what the tables say now, or written by `make docs`, which sets
// ASSAY_WRITE_DOCS. A page holds its tables between marks, the rest of it is written by hand.
#ifndef TESTS_WRITTEN_DOCS_H
#define TESTS_WRITTEN_DOCS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"
#include "record/schema.h"

static inline void written_docs_hold(const char *path, const char *now) {
    char *written = NULL;
    size_t length = 0;
    struct err err = {0};
    if (getenv("ASSAY_WRITE_DOCS")) {
        if (file_write_atomic(path, now, strlen(now), &err) < 0) fail_msg("%s", err.text);
        return;
    }
    if (file_read(path, 1 << 20, &written, &length, &err) < 0) fail_msg("%s", err.text);
    if (strcmp(written, now) != 0) fail_msg("%s is not what the tables say: run 'make docs'", path);
    free(written);
}

static inline void written_docs_hold_tables(const struct member_table *table, const char *title,
                                            const char *schema_path, const char *page_path) {
    struct strbuf schema = {0}, page = {0};
    struct err err = {0};
    char *text = NULL;
    size_t length = 0;
    schema_write(table, title, &schema);
    written_docs_hold(schema_path, strbuf_text(&schema));
    if (file_read(page_path, 1 << 20, &text, &length, &err) < 0) fail_msg("%s", err.text);
    if (schema_fill_page(table, text, &page, &err) < 0) fail_msg("%s", err.text);
    written_docs_hold(page_path, strbuf_text(&page));
    free(text);
    strbuf_fini(&schema);
    strbuf_fini(&page);
}

#endif
