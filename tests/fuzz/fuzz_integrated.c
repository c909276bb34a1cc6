// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as the older integrated form: it is written again as it was read and compares with itself as no
// regression, or is refused with a sentence that names the file.
#include <stdlib.h>
#include <string.h>

#include "verdict/integrated.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static bool parse(const char *text, size_t length, struct arena *arena, struct integrated *ret) {
    struct err err = {0};
    json_t *root = NULL;
    int code = json_read_text(text, length, "old.json", &root, &err);
    if (code == 0) code = integrated_parse(root, "old.json", arena, ret, &err);
    json_decref(root);
    if (code < 0 && (code != -ERR_DATA || !strstr(err.text, "old.json"))) abort();
    return code == 0;
}

static void compare_with_itself(const struct integrated *document) {
    struct strbuf text = {0};
    struct integrated_comparison comparison =
        integrated_compare(document, document, INTEGRATED_THRESHOLD_PCT);
    if (comparison.is_regression != !document->correctness.passed) abort();
    if (integrated_exit_code(&comparison) != comparison.is_regression) abort();
    integrated_comparison_write(&comparison, &text);
    integrated_comparison_print(&comparison, document, document, &text);
    strbuf_fini(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    struct arena arena = {0};
    struct integrated document, again;
    struct strbuf once = {0}, twice = {0};
    if (parse((const char *)bytes, count, &arena, &document)) {
        compare_with_itself(&document);
        integrated_write(&document, &once);
        if (!parse(once.text, once.length, &arena, &again)) abort();
        integrated_write(&again, &twice);
        if (!str_equal(once.text, twice.text)) abort();
    }
    strbuf_fini(&once);
    strbuf_fini(&twice);
    arena_fini(&arena);
    return 0;
}
