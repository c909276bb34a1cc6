// SPDX-License-Identifier: Apache-2.0
//
// Notes of a decision stay within what a decision's reader accepts, however many problems have one.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "control/verdict/decision_make.h"
#include "control/verdict/gate_family.h"

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

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(notes_end_with_a_note),
                                       cmocka_unit_test(figures_of_all_kernels_are_kept)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
