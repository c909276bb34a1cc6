// SPDX-License-Identifier: Apache-2.0
//
// What an autotuner chose: from the notes of checks into a result and back, and the sentence about rounds
// that chose otherwise.
#include "base/strbuf.h"
#include "record/record.h"
#include "unit/made_result.h"
#include "verdict/choices.h"
#include "verdict/summary.h"

#define S512 "attention/fp32/b2/h8/s512/d64"

static void add_round(struct result *result, uint32_t side, const char *note) {
    struct result_case *item = &result->cases[0];
    struct err err = {0};
    struct record record = {.kind = RECORD_CHECK,
                            .phase = PHASE_ROUND,
                            .round = (uint32_t)item->round_count,
                            .side = side,
                            .check = {.outcome = OUTCOME_OK}};
    snprintf(record.check.note, sizeof record.check.note, "%s", note);
    if (result_add_record(result, &record, &err) < 0) fail_msg("%s", err.text);
    record.check.note[0] = 0; // a second record of the same round, as a resume replays it
    assert_int_equal(result_add_record(result, &record, &err), 0);
    made_round_add(result, item, 1e6, 1e6);
}

static void begin(struct result *result, const char *const *notes) {
    made_init(result);
    made_case_add(result, "s512", S512);
    for (; *notes; ++notes) add_round(result, 1, *notes);
}

static void assert_said(const char *const *notes, const char *sentence) {
    struct result result;
    begin(&result, notes);
    const char *said = choices_sentence(&result.cases[0], 1, &result.arena);
    if (sentence)
        assert_string_equal(said, sentence);
    else
        assert_null(said);
    assert_null(choices_sentence(&result.cases[0], 0, &result.arena)); // the other side chose nothing
    result_fini(&result);
}

#define A "Python 3.11.7; chose fwd BLOCK_M=128"
#define B "Python 3.11.7; chose fwd BLOCK_M=64; its results are returned: no guards lie around them"
#define C "Triton 3; chose fwd BLOCK_M=32, bwd BLOCK_M=16"

static void rounds_that_agree_are_silent(void **state) {
    (void)state;
    assert_said((const char *const[]){"Python 3.11.7", "Python 3.11.7", NULL}, NULL);
    assert_said((const char *const[]){A, A, A, NULL}, NULL);
    assert_said((const char *const[]){"Python 3; chose x", "Python 4; chose x", NULL}, NULL);
}

static void rounds_that_differ_are_named(void **state) {
    (void)state;
    assert_said(
        (const char *const[]){A, A, B, A, NULL},
        "the autotuner did not choose alike: round 3 chose fwd BLOCK_M=64, the others fwd BLOCK_M=128");
    assert_said(
        (const char *const[]){A, B, NULL},
        "the autotuner did not choose alike: round 2 chose fwd BLOCK_M=64, the other fwd BLOCK_M=128");
    assert_said((const char *const[]){B, A, A, C, B, A, NULL},
                "the autotuner did not choose alike: rounds 1, 5 chose fwd BLOCK_M=64, round 4 chose fwd "
                "BLOCK_M=32, bwd BLOCK_M=16, the others fwd BLOCK_M=128");
    assert_said((const char *const[]){A, A, A, A, A, A, A, A, B, B, B, B, B, B, B, NULL},
                "the autotuner did not choose alike: rounds 9, 10, 11, 12, 13 and 2 more chose fwd "
                "BLOCK_M=64, the others fwd BLOCK_M=128");
}

static void many_choices_are_counted(void **state) {
    (void)state;
    assert_said((const char *const[]){"; chose a", "; chose b", "; chose c", "; chose d", "; chose e",
                                      "; chose f", "; chose g", NULL},
                "the autotuner did not choose alike: round 2 chose b, round 3 chose c, round 4 chose d, "
                "round 5 chose e, the other a; 2 more choices were made once or more");
}

static void invalid_rounds_do_not_count(void **state) {
    (void)state;
    struct result result;
    begin(&result, (const char *const[]){A, B, NULL});
    result.cases[0].rounds[1].is_valid = false;
    assert_null(choices_sentence(&result.cases[0], 1, &result.arena));
    result_fini(&result);
}

static void a_warning_names_problem_and_side(void **state) {
    (void)state;
    struct result result;
    struct warning_list list;
    begin(&result, (const char *const[]){A, A, B, NULL});
    assert_int_equal(warnings_get(&result, &result.arena, &list), 0);
    size_t count = 0;
    for (size_t i = 0; i < list.count; ++i)
        count += str_starts(list.texts[i], "s512 simd: the autotuner did not choose alike: round 3 chose");
    assert_int_equal(count, 1);
    result_fini(&result);
}

static void choices_are_kept_in_the_document(void **state) {
    (void)state;
    struct result result, again;
    struct strbuf text = {0};
    struct err err = {0};
    json_t *root = NULL;
    begin(&result, (const char *const[]){A, B, NULL});
    result_write(&result, &text);
    assert_int_equal(json_read_text(text.text, text.length, "result", &root, &err), 0);
    if (result_parse(root, "result", &again, &err) < 0) fail_msg("%s", err.text);
    assert_int_equal(again.cases[0].choice_count, 2);
    assert_int_equal(again.cases[0].choices[1].round, 1);
    assert_int_equal(again.cases[0].choices[1].side, 1);
    assert_string_equal(again.cases[0].choices[1].text, "fwd BLOCK_M=64");
    json_decref(root);
    strbuf_fini(&text);
    result_fini(&again);
    result_fini(&result);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rounds_that_agree_are_silent),
        cmocka_unit_test(rounds_that_differ_are_named),
        cmocka_unit_test(many_choices_are_counted),
        cmocka_unit_test(invalid_rounds_do_not_count),
        cmocka_unit_test(a_warning_names_problem_and_side),
        cmocka_unit_test(choices_are_kept_in_the_document),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
