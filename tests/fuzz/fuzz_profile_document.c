// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as the document of a profile in a store that others write to, too: it is written again as it was
// read, printed and drawn, or it is refused with a sentence that names the document.
#include <stdlib.h>
#include <string.h>

#include "report/profile/profile_document.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static bool parse(const struct strbuf *text, struct arena *arena, struct profile_document *ret) {
    struct err err = {0};
    const int code = profile_document_read(text, "a profile", arena, ret, &err);
    if (code < 0 && (code != -ERR_DATA || !strstr(err.text, "a profile"))) abort();
    return code == 0;
}

static void print(const struct profile_report *report, struct strbuf *json) {
    const struct roofline_text_options options = {.width = 80};
    struct strbuf page = {0};
    profile_report_json(report, json);
    profile_report_text(report, &options, &page);
    roofline_svg(report->roofline, &page);
    strbuf_fini(&page);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    struct arena arena = {0};
    struct profile_document document, again;
    struct strbuf input = {0}, once = {0}, twice = {0};
    strbuf_add_bytes(&input, (const char *)bytes, count);
    if (parse(&input, &arena, &document)) {
        const struct profile_report report = profile_document_report(&document);
        print(&report, &once);
        if (!parse(&once, &arena, &again)) abort();
        const struct profile_report repeated = profile_document_report(&again);
        print(&repeated, &twice);
        if (!str_equal(once.text, twice.text)) abort();
    }
    strbuf_fini(&input);
    strbuf_fini(&once);
    strbuf_fini(&twice);
    arena_fini(&arena);
    return 0;
}
