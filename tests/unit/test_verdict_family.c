// SPDX-License-Identifier: Apache-2.0
//
// Notes of a decision stay within what a decision's reader accepts, however many problems have one.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "verdict/decision_make.h"
#include "verdict/gate_family.h"

static void notes_end_with_a_note(void **state) {
    (void)state;
    struct arena arena = {0};
    struct decision decision = decision_empty("classic", NULL);
    decision_note(&decision, &arena, "the first");
    for (int i = 0; i < 100000; ++i) decision_note(&decision, &arena, "one of many");
    assert_int_equal(decision.note_count, 1001);
    assert_string_equal(decision.notes[0], "the first");
    assert_string_equal(decision.notes[999], "one of many");
    assert_non_null(strstr(decision.notes[1000], "more to note"));
    arena_fini(&arena);
}

// A figure of the compiler that grew is a kernel's: the family's decision names both.
static void figures_of_all_kernels_are_kept(void **state) {
    (void)state;
    struct arena arena = {0};
    struct err err = {0};
    struct decision_ratchet registers = {
        .figure = "registers", .unit = "", .place = {.path = "a.cu", .line = 7}};
    struct decision worse = decision_empty("rounds", NULL), alike = decision_empty("rounds", NULL), all;
    worse.exit_code = 1;
    worse.ratchets = &registers;
    worse.ratchet_count = 1;
    const struct family_member members[] = {{.kernel = "one", .decision = &alike},
                                            {.kernel = "two", .decision = &worse, .exit_code = 1}};
    assert_int_equal(gate_family_decide(members, 2, &arena, &all, &err), 0);
    assert_int_equal(all.exit_code, 1);
    assert_int_equal(all.ratchet_count, 1);
    assert_string_equal(all.ratchets[0].figure, "two: registers");
    assert_string_equal(all.ratchets[0].place.path, "a.cu");
    arena_fini(&arena);
}

// A compiler's words: the first line in the headline, each line a note. What was removed is no kernel that
// was compared.
static void what_was_not_decided_has_its_words(void **state) {
    (void)state;
    struct arena arena = {0};
    struct err err = {0};
    struct decision all;
    struct family_member members[] = {
        {.kernel = "gone", .is_removed = true, .exit_code = 3, .sentence = "removed: not there"},
        {.kernel = "broken", .exit_code = 1, .sentence = "it does not build:\na.c:3: error\n\nin f\n"}};
    assert_int_equal(gate_family_decide(members, 2, &arena, &all, &err), 0);
    assert_int_equal(all.exit_code, 1);
    assert_int_equal(all.verdict, VERDICT_NOT_VALID);
    assert_string_equal(all.sentence, "it does not build; 1 of 2 kernels: broken");
    assert_int_equal(all.note_count, 4);
    assert_string_equal(all.notes[2], "broken: a.c:3: error");
    assert_int_equal(gate_family_decide(members, 1, &arena, &all, &err), 0);
    assert_int_equal(all.exit_code, 3);
    assert_int_equal(all.verdict, VERDICT_REMOVED);
    members[0].exit_code = 0;
    assert_int_equal(gate_family_decide(members, 1, &arena, &all, &err), 0);
    assert_string_equal(all.sentence, "nothing got worse in 0 kernels");
    arena_fini(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(notes_end_with_a_note),
                                       cmocka_unit_test(figures_of_all_kernels_are_kept),
                                       cmocka_unit_test(what_was_not_decided_has_its_words)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
