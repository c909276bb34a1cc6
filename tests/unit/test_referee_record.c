// SPDX-License-Identifier: Apache-2.0
//
// The document of the referee is the one that docs/referee.md and its schema describe, and comes back as it
// was written; requests on its socket are read, or refused with a sentence.
#include "record/referee_record.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "control/flow/referee/referee_line.h"
#include "record/schema.h"
#include "unit/written_docs.h"

static void docs(void **state) {
    (void)state;
    written_docs_hold_tables(&referee_members, "assay referee, schema version 1",
                             ASSAY_SOURCE_DIR "/docs/referee.schema.json",
                             ASSAY_SOURCE_DIR "/docs/referee.md");
}

static void comes_back(void **state) {
    (void)state;
    struct referee_ratio ratio = {"base", SPEED_FASTER, 1.5, 1.4, 1.6, 100, 3};
    struct referee_problem problem = {.problem = "p",
                                      .median_ns = 10,
                                      .median_low_ns = 9,
                                      .median_high_ns = 11,
                                      .gflop_per_s = NAN,
                                      .gb_per_s = 3,
                                      .ceiling_pct = NAN,
                                      .against_count = 1,
                                      .against = &ratio};
    const char *notes[] = {"a note"};
    struct referee_record record, read;
    struct strbuf once = {0}, twice = {0};
    struct err err = {0};
    referee_record_init(&record);
    record.candidate = "mine.c";
    record.verdict = REFEREE_DISHONEST;
    record.finding = FINDING_STALE;
    record.against = &ratio, record.against_count = 1;
    record.problems = &problem, record.problem_count = 1;
    record.notes = notes, record.note_count = 1;
    record.sentence = "dishonest on p";
    record.exit_code = 1;
    referee_record_write(&record, 0, &once);
    assert_int_equal(strchr(strbuf_text(&once), '\n') - strbuf_text(&once),
                     (long)once.length - 1); // one line
    if (referee_record_read(&once, "test", &read, &err) < 0) fail_msg("%s", err.text);
    referee_record_write(&read, 0, &twice);
    assert_string_equal(strbuf_text(&once), strbuf_text(&twice));
    referee_record_fini(&read);
    referee_record_fini(&record);
    strbuf_fini(&once);
    strbuf_fini(&twice);
}

static void requests(void **state) {
    (void)state;
    static const char *const good[] = {
        "{\"candidate\": \"/a/mine.c\"}", "{\"candidate\": \"mine:f\", \"name\": \"third\"}",
        "{\"source\": \"int x;\", \"file\": \"mine.c\"}",
        "{\"source\": \"def f(): pass\", \"file\": \"mine.py\", \"function\": \"f\"}"};
    static const char *const bad[] = {"",
                                      "{",
                                      "[]",
                                      "{}",
                                      "7",
                                      "{\"candidate\": \"\"}",
                                      "{\"candidate\": 7}",
                                      "{\"source\": \"x\"}",
                                      "{\"file\": \"x.c\"}",
                                      "{\"candidate\": \"a\", \"source\": \"b\", \"file\": \"c.c\"}",
                                      "{\"source\": \"x\", \"file\": \"../x.c\"}",
                                      "{\"source\": \"x\", \"file\": \".c\"}",
                                      "{\"source\": \"x\", \"file\": \"-x.c\"}",
                                      "{\"source\": \"x\", \"file\": \"xc\"}",
                                      "{\"candidate\": \"a\\nb\"}",
                                      "{\"candidate\": \"a\", \"function\": \"f\"}",
                                      "{\"source\": \"x\", \"file\": \"a.py\", \"function\": \"f(\"}"};
    struct arena arena = {0};
    struct referee_line line;
    for (size_t i = 0; i < sizeof good / sizeof *good; ++i) {
        struct err err = {0};
        if (referee_line_parse(good[i], strlen(good[i]), &arena, &line, &err) < 0)
            fail_msg("%s: %s", good[i], err.text);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        struct err err = {0};
        if (referee_line_parse(bad[i], strlen(bad[i]), &arena, &line, &err) >= 0)
            fail_msg("taken: %s", bad[i]);
        assert_true(err.text[0]);
    }
    arena_fini(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(docs), cmocka_unit_test(comes_back),
                                       cmocka_unit_test(requests)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
