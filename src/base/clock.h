// SPDX-License-Identifier: Apache-2.0
//
// Time. clock_ns reads CLOCK_MONOTONIC_RAW, which NTP does not slew: the only clock that measurements use.
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

uint64_t clock_ns(void);
uint64_t clock_read_ns(clockid_t id); // any other clock, such as CPU time; 0 if the system lacks it
void clock_sleep_ns(uint64_t duration_ns);
void clock_utc_text(char *ret_text, size_t capacity);        // now, "2026-11-21T12:34:56Z"
bool clock_utc_parse(const char *text, int64_t *ret_unix_s); // such a text; false: it is none
// A date or a time as people write it, 2026-11-21, 2026-11-21T12:34 or 2026-11-21T12:34:56, with or without
// a Z behind a time, as such a text: texts of one form compare as times do. false: it is none, or no calendar
// has it.
enum { CLOCK_UTC_BYTES = sizeof "2026-11-21T12:34:56Z" };
bool clock_utc_complete(const char *text, char ret_text[CLOCK_UTC_BYTES]);
int64_t clock_unix_s(void);

#endif
