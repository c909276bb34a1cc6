// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as the target of a request: it is refused with a sentence, or its parts are UTF-8 that hold no
// more than what came.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "serve/request_target.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static size_t need_utf8(const char *text) {
    size_t length = 0;
    for (const char *at = text; *at; at += length)
        if (utf8_decode(at, &length) == UTF8_INVALID) abort();
    return strlen(text);
}

static void check(const struct request_target *target, size_t count) {
    size_t total = 0;
    if (!target->segment_count || target->segment_count > TARGET_SEGMENTS_MAX) abort();
    if (target->parameter_count > TARGET_PARAMETERS_MAX) abort();
    for (size_t i = 0; i < target->segment_count; ++i) total += need_utf8(target->segments[i]);
    for (size_t i = 0; i < target->parameter_count; ++i) {
        total += need_utf8(target->parameters[i].name) + need_utf8(target->parameters[i].value);
        const char *found = request_parameter(target, target->parameters[i].name);
        if (found ? found != target->parameters[i].value : *target->parameters[i].value != 0) abort();
    }
    if (total > count) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    char *text = mem_alloc(count + 1);
    struct arena arena = {0};
    struct request_target target;
    struct err err = {0};
    memcpy(text, bytes, count);
    if (request_target_parse(text, &arena, &target, &err) == 0)
        check(&target, strlen(text));
    else if (!err.text[0])
        abort();
    arena_fini(&arena);
    free(text);
    return 0;
}
