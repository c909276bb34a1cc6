// SPDX-License-Identifier: Apache-2.0
//
// Figures as people read them: rates, changes with their interval, p-values, speed-ups. A figure that does
// not exist gives an empty text. Times and sizes are base/term.h's. All of it plain ASCII.
#ifndef REPORT_RESULT_FIGURE_TEXT_H
#define REPORT_RESULT_FIGURE_TEXT_H

#include "base/arena.h"
#include "record/decision.h"

#define FIGURE_TEXT_BYTES 64

const char *figure_time(double ns, struct arena *arena); // "48.1 us"
// The same beside others of its row, of which that is the least: in its unit, "1003.2 us" and not "1.003 ms"
// beside "998.1 us", where that has four digits at most before the point.
const char *figure_time_beside(double ns, double least_ns, struct arena *arena);
// "48.0 to 48.3" in the unit of like_ns: of the median, which stands before it.
const char *figure_time_interval(double low_ns, double high_ns, double like_ns, struct arena *arena);
// A time in the unit that suits like_ns, with the decimals that distinguish steps of step_ns (0: three
// decimals), so that a column aligns. In its own unit if it is above 1000 times like_ns, or would be printed
// as zero.
const char *figure_time_like(double ns, double like_ns, double step_ns, struct arena *arena);
// What a result's metric measured: a time, or a count: "1.234 M instr". metric: of its environment.
const char *figure_amount(const char *metric, double amount, struct arena *arena);
const char *figure_amount_beside(const char *metric, double amount, double least, struct arena *arena);
const char *figure_amount_interval(const char *metric, double low, double high, double like,
                                   struct arena *arena);
// As figure_time_like, for an axis: a count is always in the unit of `like`, without its name: "62.66 k".
const char *figure_amount_like(const char *metric, double amount, double like, double step,
                               struct arena *arena);
const char *figure_flop_rate(double gflop_per_s, struct arena *arena); // "357 TFLOP/s", "85.3 GFLOP/s"
const char *figure_byte_rate(double gb_per_s, struct arena *arena);    // "1.40 TB/s"
const char *figure_energy(double j, struct arena *arena);              // "21.3 mJ"
const char *figure_ratio(double ratio, struct arena *arena);           // "1.14x"
const char *figure_p(double p, struct arena *arena);                   // "0.031", "<0.0001"
const char *figure_pct(double pct, struct arena *arena);               // "1.2 %"
const char *figure_signed_pct(double pct, struct arena *arena);        // "+1.2 %", "0.0 %"
// "4.2 % slower (3.9 to 4.6)", "12.5 % faster (11.9 to 13.0)": the interval in the direction of the word.
// "0.0 % (0.5 faster to 0.1 slower)": where there is no word, each end has its own.
const char *figure_change(const struct decision_case *item, struct arena *arena);

// Foreign text as one plain line (base/plain_text.h); NULL is "".
const char *figure_plain(const char *text, bool has_utf8, struct arena *arena);

#endif
