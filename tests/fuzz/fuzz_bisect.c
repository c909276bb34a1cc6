// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as the record of a bisect: it is written again as it was read and printed, or it is refused
// with a sentence that names the file.
#include <stdlib.h>
#include <string.h>

#include "report/bisect/bisect_report.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static bool parse(const char *text, size_t length, struct bisect_record *ret) {
    struct err err = {0};
    json_t *root = NULL;
    int code = json_read_text(text, length, "bisect.json", &root, &err);
    if (code == 0) code = bisect_record_parse(root, "bisect.json", ret, &err);
    json_decref(root);
    if (code < 0 && (code != -ERR_DATA || !strstr(err.text, "bisect.json"))) abort();
    return code == 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    struct bisect_record record, again;
    struct strbuf once = {0}, twice = {0}, page = {0};
    if (!parse((const char *)bytes, count, &record)) return 0;
    bisect_record_write(&record, &once);
    if (!parse(once.text, once.length, &again)) abort();
    bisect_record_write(&again, &twice);
    if (!str_equal(once.text, twice.text)) abort();
    bisect_report_text(&record, false, &page);
    bisect_record_fini(&record);
    bisect_record_fini(&again);
    strbuf_fini(&once);
    strbuf_fini(&twice);
    strbuf_fini(&page);
    return 0;
}
