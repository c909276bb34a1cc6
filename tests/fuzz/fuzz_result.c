// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as a result document: it is written again and reads back to the same document, or is refused with
// a sentence that names the file.
#include <stdlib.h>
#include <string.h>

#include "record/result.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static bool parse(const char *text, size_t length, struct result *ret) {
    struct err err = {0};
    json_t *root = NULL;
    int code = json_read_text(text, length, "fuzz.json", &root, &err);
    if (code == 0) code = result_parse(root, "fuzz.json", ret, &err);
    json_decref(root);
    if (code < 0 && (code != -ERR_DATA || !strstr(err.text, "fuzz.json"))) abort();
    return code == 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    struct result result, again;
    struct strbuf once = {0}, twice = {0};
    if (!parse((const char *)bytes, count, &result)) return 0;
    result_write(&result, &once);
    if (!parse(once.text, once.length, &again)) abort();
    result_write(&again, &twice);
    if (!str_equal(once.text, twice.text)) abort();
    if (result.case_count > 0) {
        strbuf_clear(&once);
        result_write_case(&result, result.case_count - 1, &once);
    }
    result_fini(&result);
    result_fini(&again);
    strbuf_fini(&once);
    strbuf_fini(&twice);
    return 0;
}
