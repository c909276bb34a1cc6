// SPDX-License-Identifier: Apache-2.0
//
// Dates and times as people write them.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"

static void dates_become_whole_times(void **state) {
    (void)state;
    static const char *const pairs[][2] = {
        {"2026-01-31", "2026-01-31T00:00:00Z"},           {"2026-01-31T12:34", "2026-01-31T12:34:00Z"},
        {"2026-01-31T12:34Z", "2026-01-31T12:34:00Z"},    {"2026-01-31T12:34:56", "2026-01-31T12:34:56Z"},
        {"2026-01-31T12:34:56Z", "2026-01-31T12:34:56Z"}, {"2028-02-29", "2028-02-29T00:00:00Z"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; ++i) {
        char text[CLOCK_UTC_BYTES] = "";
        assert_true(clock_utc_complete(pairs[i][0], text));
        assert_string_equal(text, pairs[i][1]);
    }
}

static void what_is_no_date_is_refused(void **state) {
    (void)state;
    static const char *const texts[] = {"",
                                        "yesterday",
                                        "2026",
                                        "2026-01",
                                        "26.11.2020",
                                        "2026-1-31",
                                        "2026-13-01",
                                        "2026-02-30",
                                        "2026-02-29",
                                        "2026-00-10",
                                        "2026-01-31Z",
                                        "2026-01-31T",
                                        "2026-01-31 12:00",
                                        "2026-01-31T24:00",
                                        "2026-01-31T12:60",
                                        "2026-01-31T12:00:60Z",
                                        "2026-01-31T12:00:00+02:00",
                                        "2026-01-31T12:00:00ZZ",
                                        " 2026-01-31",
                                        "2026-01-31x"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
        char text[CLOCK_UTC_BYTES] = "";
        if (clock_utc_complete(texts[i], text)) fail_msg("'%s' is taken for %s", texts[i], text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dates_become_whole_times),
        cmocka_unit_test(what_is_no_date_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
