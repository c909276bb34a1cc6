// SPDX-License-Identifier: Apache-2.0
//
// Time: a steady clock for measuring, sleeping, and UTC for people.
#include "base/clock.h"

#include <errno.h>
#include <stdio.h>

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

void clock_utc_text(char *ret_text, size_t capacity) {
    time_t now = time(NULL);
    struct tm utc;
    if (!gmtime_r(&now, &utc) || strftime(ret_text, capacity, "%Y-%m-%dT%H:%M:%SZ", &utc) == 0) {
        if (capacity) ret_text[0] = 0;
    }
}

bool clock_utc_parse(const char *text, int64_t *ret_unix_s) {
    struct tm utc = {0};
    const char *end = strptime(text, "%Y-%m-%dT%H:%M:%SZ", &utc);
    if (!end || *end) return false;
    *ret_unix_s = (int64_t)timegm(&utc);
    return true;
}
