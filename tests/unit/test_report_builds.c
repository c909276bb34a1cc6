// SPDX-License-Identifier: Apache-2.0
//
// A comparison reports where the compiler used more registers or spilled more for the candidate, and only
// there.
#include <stdlib.h>

#include "report/formats/report_formats.h"
#include "report/result/report.h"
#include "unit/made_result.h"

static char *text_of(int64_t registers_before, int64_t registers_after, int64_t spill_before,
                     int64_t spill_after) {
    struct result result = {0};
    struct strbuf out = {0};
    made_init(&result);
    result.sides[0].build.registers = registers_before;
    result.sides[1].build.registers = registers_after;
    result.sides[0].build.spill_bytes = spill_before;
    result.sides[1].build.spill_bytes = spill_after;
    result.sides[0].build.matrix_instructions = 96;
    result.sides[1].build.matrix_instructions = 48;
    made_rounds_add(&result, made_case_add(&result, "s512", "attention/fp32/b2/h8/s512/d64"), 5, 0, 0.004);
    const struct report_options options = {0};
    assert_int_equal(report_format_find("text")->print(&result, &options, &out), 0);
    result_fini(&result);
    return strbuf_take(&out);
}

static void test_worse(void **state) {
    (void)state;
    char *text = text_of(168, 255, 0, 64);
    assert_non_null(strstr(
        text, "The compiler needed more for the candidate: registers 168 -> 255, spills 0 -> 64 bytes."));
    assert_non_null(strstr(text, "matrix instructions, PTX"));
    free(text);
    text = text_of(168, 168, 8, 12);
    assert_non_null(strstr(text, "for the candidate: spills 8 -> 12 bytes."));
    free(text);
}

static void test_not_worse(void **state) {
    (void)state;
    const int64_t cases[][4] = {{255, 168, 64, 0}, {168, 168, 0, 0}, {-1, 255, -1, 64}, {168, -1, 0, -1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char *text = text_of(cases[i][0], cases[i][1], cases[i][2], cases[i][3]);
        assert_null(strstr(text, "The compiler needed more"));
        free(text);
    }
}

static char *text_of_hashes(const char *code, const char *source_before, const char *source_after) {
    struct result result = {0};
    struct strbuf out = {0};
    made_init(&result);
    for (size_t i = 0; i < 2; ++i) {
        result.sides[i].build = build_report_unknown();
        result.sides[i].build.code_hash = code;
    }
    result.sides[0].build.source_hash = source_before;
    result.sides[1].build.source_hash = source_after;
    made_rounds_add(&result, made_case_add(&result, "s512", "attention/fp32/b2/h8/s512/d64"), 5, 0, 0.004);
    const struct report_options options = {0};
    assert_int_equal(report_format_find("text")->print(&result, &options, &out), 0);
    result_fini(&result);
    return strbuf_take(&out);
}

// For Python kernels only the source is known, not the code: imported modules may differ.
static void test_same_source_is_not_same_code(void **state) {
    (void)state;
    const struct {
        const char *code, *source_before, *source_after;
        bool is_code, is_source;
    } cases[] = {{"aa", NULL, NULL, true, false},
                 {NULL, "bb", "bb", false, true},
                 {NULL, "bb", "cc", false, false},
                 {NULL, NULL, NULL, false, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char *text = text_of_hashes(cases[i].code, cases[i].source_before, cases[i].source_after);
        assert_int_equal(strstr(text, "the same machine code") != NULL, cases[i].is_code);
        assert_int_equal(strstr(text, "the same Python source") != NULL, cases[i].is_source);
        free(text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_worse), cmocka_unit_test(test_not_worse),
                                       cmocka_unit_test(test_same_source_is_not_same_code)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
