// SPDX-License-Identifier: Apache-2.0
//
// Places of uploads: what fits has one at once, what does not waits for its turn, and nobody passes.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "serve/upload_places.h"

enum { ROOM = 100 };

static void count_turn(struct upload_place *place) {
    ++*(int *)place->arg;
}

struct upload {
    int turns;
    struct upload_place place;
};

static void take(struct upload_places *places, struct upload *upload, size_t bytes) {
    upload->turns = 0;
    upload->place = (struct upload_place){.bytes = bytes, .on_turn = count_turn, .arg = &upload->turns};
    upload_places_take(places, &upload->place);
}

static void what_fits_waits_for_nobody(void **state) {
    (void)state;
    struct upload_places *places = upload_places_new(ROOM);
    struct upload one, two, three;
    take(places, &one, ROOM - 40);
    take(places, &two, 40); // just fits
    assert_int_equal(one.turns + two.turns, 2);
    assert_true(one.place.is_taken && two.place.is_taken);
    take(places, &three, 1); // no byte is left
    assert_int_equal(three.turns, 0);
    upload_places_give(places, &two.place);
    assert_int_equal(three.turns, 1);
    assert_true(three.place.is_taken);
    upload_places_give(places, &one.place);
    upload_places_give(places, &three.place);
    take(places, &one, ROOM); // all came back
    assert_int_equal(one.turns, 1);
    upload_places_give(places, &one.place);
    upload_places_free(places);
}

static void nobody_passes(void **state) {
    (void)state;
    struct upload_places *places = upload_places_new(ROOM);
    struct upload held, large, small;
    take(places, &held, 10);
    take(places, &large, ROOM);
    take(places, &small, 10); // would fit
    assert_int_equal(large.turns + small.turns, 0);
    upload_places_give(places, &held.place);
    assert_int_equal(large.turns, 1);
    assert_int_equal(small.turns, 0);
    upload_places_give(places, &large.place);
    assert_int_equal(small.turns, 1);
    upload_places_give(places, &small.place);
    upload_places_free(places);
}

static void after_the_end_nobody_gets_one(void **state) {
    (void)state;
    struct upload_places *places = upload_places_new(ROOM);
    struct upload held, waiting, late;
    take(places, &held, ROOM);
    take(places, &waiting, 10);
    upload_places_close(places);
    assert_int_equal(waiting.turns, 1);
    assert_false(waiting.place.is_taken);
    take(places, &late, 10);
    assert_int_equal(late.turns, 1);
    assert_false(late.place.is_taken);
    upload_places_give(places, &held.place);
    assert_int_equal(held.turns, 1);
    upload_places_free(places);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_fits_waits_for_nobody),
        cmocka_unit_test(nobody_passes),
        cmocka_unit_test(after_the_end_nobody_gets_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
