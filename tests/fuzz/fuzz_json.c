// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as JSON: a document is written again and reads back to the same one, or is refused with a place
// in the text.
#include <stdlib.h>
#include <string.h>

#include "base/json_parse.h"
#include "base/json_writer.h"

enum { DEPTH_WRITTEN = 60, VALUES_MAX = 100000 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static size_t depth_of(json_t *value) {
    size_t most = 0, i;
    const char *key;
    json_t *below;
    json_array_foreach(value, i, below) {
        const size_t depth = 1 + depth_of(below);
        if (depth > most) most = depth;
    }
    json_object_foreach(value, key, below) {
        const size_t depth = 1 + depth_of(below);
        if (json_object_get(value, key) != below) abort();
        if (depth > most) most = depth;
    }
    return most;
}

static void write(json_t *root, struct strbuf *out) {
    struct json_writer w = json_writer_make(out, 0);
    json_write_value(&w, NULL, root);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    struct json_fault fault;
    struct strbuf once = {0}, twice = {0};
    char *text = malloc(count + 1); // with its own end, so that a sanitizer sees what is read beyond
    if (!text) return 0;
    memcpy(text, bytes, count);
    text = realloc(text, count ? count : 1);
    json_t *root = json_parse(text, count, VALUES_MAX, &fault);
    if (!root && !fault.is_too_many && (fault.line == 0 || fault.column > count + 1 || !fault.text[0]))
        abort();
    if (root && depth_of(root) <= DEPTH_WRITTEN) {
        write(root, &once);
        json_t *again = json_parse(once.text, once.length, SIZE_MAX, &fault);
        if (!again) abort();
        write(again, &twice);
        if (!str_equal(once.text, twice.text)) abort();
        json_decref(again);
    }
    json_decref(root);
    free(text);
    strbuf_fini(&once);
    strbuf_fini(&twice);
    return 0;
}
