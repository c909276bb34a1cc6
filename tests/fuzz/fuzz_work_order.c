// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as a work order: it is written again as it was read, or refused with a sentence.
#include <stdlib.h>
#include <string.h>

#include "record/work_order.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    struct arena arena = {0};
    struct work_order order, again;
    struct strbuf once = {0}, twice = {0};
    struct err err = {0};
    if (work_order_parse((const char *)bytes, count, &arena, &order, &err) == 0) {
        work_order_write(&order, &once);
        if (work_order_parse(once.text, once.length, &arena, &again, &err) < 0) abort();
        work_order_write(&again, &twice);
        if (!str_equal(once.text, twice.text)) abort();
    } else if (err.code != ERR_DATA || !strstr(err.text, "work order")) {
        abort();
    }
    strbuf_fini(&once);
    strbuf_fini(&twice);
    arena_fini(&arena);
    return 0;
}
