// SPDX-License-Identifier: Apache-2.0
//
// A progress line on standard error with an estimate of the time left: "[###....] round 3 of 5, s512, 1 min
// 20 s left". Draws only when stderr is a terminal, is_allowed is set, and the work has gone on for more than
// two seconds. There is no timer behind it: whoever waits says when it may be redrawn, so that it does not
// disturb a measurement.
#ifndef BASE_PROGRESS_H
#define BASE_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
    bool is_enabled, is_at_most; // the work may end earlier than its total says
    uint64_t start_ns, drawn_ns;
    double total;      // of expected work, in seconds or any other unit
    double done;       // before the piece that is at work
    double done_first; // when the first piece began: what an earlier run did that is resumed
    double piece;      // its expected work; 0: not known
    uint64_t piece_start_ns;
    char label[96];
    bool is_drawn;
};

void progress_init(struct progress *progress, double total,
                   bool is_allowed); // is_allowed: not --quiet, not --json
// A piece of work begins.
void progress_begin(struct progress *progress, double done, double piece, const char *label);
void progress_set(struct progress *progress, double done, const char *label); // the same, of unknown length
// Draws at once, since what begins takes seconds: "compiling simd". NULL: nobody waits.
void progress_show(struct progress *progress, const char *verb, const char *what);
// Draws the line again if it was drawn longer ago than that.
void progress_tick(struct progress *progress, uint64_t every_ns);
// Seconds left at a time: as fast as what is done, or a second a unit while nothing is. NAN: not known.
double progress_left_s(const struct progress *progress, uint64_t now_ns);
void progress_hide(struct progress *progress); // before other output is printed
void progress_fini(struct progress *progress); // clears the line
void progress_duration_format(double seconds, char *ret_text,
                              unsigned capacity); // "1 min 20 s", "3.2 s", "2 h 5 min"

#endif
