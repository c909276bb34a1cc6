// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as what callgrind wrote: a count that is not 0, or one sentence.
#include <stdlib.h>

#include "worker/measure/callgrind.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    struct err err = {0};
    uint64_t total = 0;
    // A copy of just that size: a byte read beyond it is found.
    char *text = malloc(count ? count : 1);
    if (!text) return 0;
    for (size_t i = 0; i < count; ++i) text[i] = (char)bytes[i];
    const int code = callgrind_parse(text, count, &total, &err);
    if (code == 0 ? total == 0 : code != -ERR_DATA || !err.text[0] || total != 0) abort();
    free(text);
    return 0;
}
