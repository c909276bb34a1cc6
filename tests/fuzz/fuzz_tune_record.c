// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as the document of a tuning: it is refused with its name, or is written again to what reads back
// the same, and both reports of it are made.
#include <stdlib.h>
#include <string.h>

#include "report/tune/tune_report.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static bool parse(const char *text, size_t length, struct arena *arena, struct tune_record *ret) {
    struct strbuf copy = {0};
    struct err err = {0};
    strbuf_add_bytes(&copy, text, length);
    const int code = tune_record_read(&copy, "fuzz.json", arena, ret, &err);
    strbuf_fini(&copy);
    if (code < 0 && (code != -ERR_DATA || !strstr(err.text, "fuzz.json"))) abort();
    return code == 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    struct arena arena = {0};
    struct tune_record record, again;
    struct strbuf once = {0}, twice = {0}, report = {0};
    if (parse((const char *)bytes, count, &arena, &record)) {
        tune_record_write(&record, &once);
        if (!parse(once.text, once.length, &arena, &again)) abort();
        tune_record_write(&again, &twice);
        if (!str_equal(once.text, twice.text)) abort();
        tune_report_text(&record, false, &report);
        tune_report_log(&record, &report);
    }
    strbuf_fini(&once);
    strbuf_fini(&twice);
    strbuf_fini(&report);
    arena_fini(&arena);
    return 0;
}
