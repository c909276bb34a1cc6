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

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(notes_end_with_a_note)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
