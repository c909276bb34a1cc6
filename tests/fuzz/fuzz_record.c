// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as lines of a worker or of a journal: each is a record that is written again as it was read, or
// refused with a sentence. Records are folded into a result of two sides, whatever they say, and that result
// is a document.
#include <stdlib.h>
#include <string.h>

#include "record/record.h"
#include "record/result.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static void check_round_trip(const struct record *record) {
    struct strbuf once = {0}, twice = {0};
    struct arena arena = {0};
    struct record again;
    struct err err = {0};
    record_write(record, &once);
    if (memchr(once.text, '\n', once.length) != once.text + once.length - 1) abort(); // one record, one line
    if (record_parse(once.text, once.length, &arena, &again, &err) < 0) abort();
    record_write(&again, &twice);
    if (!str_equal(once.text, twice.text)) abort();
    strbuf_fini(&once);
    strbuf_fini(&twice);
    arena_fini(&arena);
}

static void make_result(struct result *result) {
    result_init(result);
    result->side_count = 2;
    result->sides[0] = (struct result_side){.role = SIDE_BASELINE, .label = "a"};
    result->sides[1] = (struct result_side){.role = SIDE_CANDIDATE, .label = "b"};
    result->check_count = result->case_count = 2;
    result->checks = arena_array(&result->arena, 2, sizeof *result->checks);
    result->cases = arena_array(&result->arena, 2, sizeof *result->cases);
    static const char *const names[] = {"scale/fp32/n1", "scale/fp32/n2"};
    for (size_t i = 0; i < 2; ++i) {
        struct problem problem;
        if (problem_parse(&operators_compiled, names[i], &problem, NULL) < 0) abort();
        result->checks[i].problem = result->cases[i].problem = problem;
    }
}

static void take_line(const char *line, size_t length, struct result *result) {
    struct arena arena = {0};
    struct record record;
    struct err err = {0};
    const int code = record_parse(line, length, &arena, &record, &err);
    if (code == 0) {
        check_round_trip(&record);
        (void)result_add_record(result, &record, &err);
    } else if (code != -ERR_DATA || !err.text[0]) {
        abort();
    }
    arena_fini(&arena);
}

static void check_document(const struct result *result) {
    struct strbuf text = {0};
    struct err err = {0};
    struct result again;
    json_t *root = NULL;
    result_write(result, &text);
    if (json_read_text(text.text, text.length, "fuzz.json", &root, &err) < 0) abort();
    if (result_parse(root, "fuzz.json", &again, &err) < 0) abort();
    result_fini(&again);
    json_decref(root);
    strbuf_fini(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    struct result result;
    make_result(&result);
    const char *text = (const char *)bytes;
    for (size_t at = 0; at < count;) {
        const char *newline = memchr(text + at, '\n', count - at);
        const size_t length = newline ? (size_t)(newline - (text + at)) : count - at;
        take_line(text + at, length, &result);
        at += length + 1;
    }
    check_document(&result);
    result_fini(&result);
    return 0;
}
