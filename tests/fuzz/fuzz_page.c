// SPDX-License-Identifier: Apache-2.0
//
// Any result document that can be read becomes a page: one script, one style sheet, no element that a name
// brought in, and no figure that is not a number.
#include <stdlib.h>
#include <string.h>

#include "report/html/html_page.h"
#include "verdict/summary.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static size_t count_of(const char *text, const char *part) {
    size_t count = 0;
    for (const char *at = strstr(text, part); at; at = strstr(at + 1, part)) ++count;
    return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    struct err err = {0};
    struct result result;
    struct strbuf page = {0};
    struct report_options options = report_options_default();
    json_t *root = NULL;
    if (json_read_text((const char *)bytes, count, "fuzz.json", &root, &err) < 0) return 0;
    if (result_parse(root, "fuzz.json", &result, &err) == 0) {
        if (summary_set_all(&result) < 0 || html_page_print(&result, &options, &page) < 0) abort();
        const char *text = strbuf_text(&page);
        if (count_of(text, "<script") != 1 || count_of(text, "</script") != 1) abort();
        if (count_of(text, "<style") != 1 || count_of(text, "</main>") != 1 || strstr(text, "<h4><")) abort();
        static const char *const none[] = {"=\"nan",  "=\"-nan",   "=\"inf",
                                           "=\"-inf", " d=\"Mnan", " d=\"M-nan"};
        for (size_t i = 0; i < sizeof none / sizeof *none; ++i) // quotes in names are escaped
            if (strstr(text, none[i])) abort();
        result_fini(&result);
    }
    strbuf_fini(&page);
    json_decref(root);
    return 0;
}
