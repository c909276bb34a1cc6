// SPDX-License-Identifier: Apache-2.0
//
// A progress line on standard error with an estimate of the time left: "[###....] 14/27 s512 round 3, 1
// min 20 s left". Draws only when stderr is a terminal, is_allowed is set, and the work has gone on for
// more than two seconds. It is redrawn only on progress_* calls, never by a timer, so that it cannot
// disturb a measurement.
#ifndef BASE_PROGRESS_H
#define BASE_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
    bool is_enabled;
    uint64_t start_ns;
    double done, total; // in units of expected work
    bool is_drawn;
};

void progress_init(struct progress *progress, double total,
                   bool is_allowed); // is_allowed: not --quiet, not --json
void progress_set(struct progress *progress, double done, const char *label);
void progress_hide(struct progress *progress); // before other output is printed
void progress_fini(struct progress *progress); // clears the line
void progress_duration_format(double seconds, char *ret_text,
                              unsigned capacity); // "1 min 20 s", "3.2 s", "2 h 5 min"

#endif
