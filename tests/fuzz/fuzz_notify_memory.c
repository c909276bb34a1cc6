// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as the memory of what was told: it is written again as it was read, or it is refused with a
// sentence that names the file.
#include <stdlib.h>
#include <string.h>

#include "control/flow/notify/notify_memory.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static bool parse(const char *text, size_t length, struct notify_memory *ret) {
    struct err err = {0};
    json_t *root = NULL;
    int code = json_read_text(text, length, "notify.json", &root, &err);
    if (code == 0) code = notify_memory_parse(root, "notify.json", ret, &err);
    json_decref(root);
    if (code < 0 && (code != -ERR_DATA || !strstr(err.text, "notify.json"))) abort();
    return code == 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    struct notify_memory memory, again;
    struct strbuf once = {0}, twice = {0};
    if (!parse((const char *)bytes, count, &memory)) return 0;
    notify_memory_write(&memory, &once);
    if (!parse(once.text, once.length, &again)) abort();
    notify_memory_write(&again, &twice);
    if (!str_equal(once.text, twice.text)) abort();
    notify_memory_fini(&memory);
    notify_memory_fini(&again);
    strbuf_fini(&once);
    strbuf_fini(&twice);
    return 0;
}
