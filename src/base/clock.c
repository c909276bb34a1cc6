// SPDX-License-Identifier: Apache-2.0
//
// Time: a steady clock for measuring, sleeping, and UTC for people.
#include "base/clock.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/interrupt.h"

enum { NS_PER_S = 1000000000 };

uint64_t clock_read_ns(clockid_t id) {
    struct timespec now = {0};
    clock_gettime(id, &now);
    return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

uint64_t clock_ns(void) {
    return clock_read_ns(CLOCK_MONOTONIC_RAW);
}

// clock_nanosleep does not accept CLOCK_MONOTONIC_RAW; MONOTONIC differs from it by less than 500 ppm.
void clock_sleep_ns(uint64_t duration_ns) {
    struct timespec left = {.tv_sec = (time_t)(duration_ns / NS_PER_S),
                            .tv_nsec = (long)(duration_ns % NS_PER_S)};
    while (clock_nanosleep(CLOCK_MONOTONIC, 0, &left, &left) == EINTR) {
        if (interrupt_is_set()) return;
    }
}

int64_t clock_unix_s(void) {
    return (int64_t)time(NULL);
}

static void format_utc(time_t at, char *ret_text, size_t capacity) {
    struct tm utc;
    if (!gmtime_r(&at, &utc) || strftime(ret_text, capacity, "%Y-%m-%dT%H:%M:%SZ", &utc) == 0) {
        if (capacity) ret_text[0] = 0;
    }
}

void clock_utc_text(char *ret_text, size_t capacity) {
    format_utc(time(NULL), ret_text, capacity);
}

bool clock_utc_parse(const char *text, int64_t *ret_unix_s) {
    struct tm utc = {0};
    const char *end = strptime(text, "%Y-%m-%dT%H:%M:%SZ", &utc);
    if (!end || *end) return false;
    *ret_unix_s = (int64_t)timegm(&utc);
    return true;
}

// form: 0 stands for a digit.
static bool has_form(const char *text, const char *form) {
    for (; *form; ++form, ++text)
        if (*form == '0' ? !isdigit((unsigned char)*text) : *text != *form) return false;
    return !*text;
}

bool clock_utc_complete(const char *text, char ret_text[CLOCK_UTC_BYTES]) {
    static const char whole[] = "0000-00-00T00:00:00Z";
    static const char *const forms[] = {"0000-00-00", "0000-00-00T00:00", "0000-00-00T00:00Z",
                                        "0000-00-00T00:00:00", whole};
    char again[CLOCK_UTC_BYTES], made[CLOCK_UTC_BYTES];
    int64_t unix_s = 0;
    size_t i = 0;
    while (i < sizeof forms / sizeof *forms && !has_form(text, forms[i])) ++i;
    if (i == sizeof forms / sizeof *forms) return false;
    snprintf(made, sizeof made, "%.*s%s", (int)strcspn(text, "Z"), text, whole + strcspn(text, "Z"));
    if (!clock_utc_parse(made, &unix_s)) return false;
    format_utc((time_t)unix_s, again, sizeof again); // the 30th of February is a day of March
    if (strcmp(again, made) != 0) return false;
    memcpy(ret_text, made, sizeof made);
    return true;
}
