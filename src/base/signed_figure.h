// SPDX-License-Identifier: Apache-2.0
//
// Figures of which the sign is read: a change, a correlation. One that is printed as zero has none: "0.0",
// not "-0.0" or "+0.0". Nor has one that is no number.
#ifndef BASE_SIGNED_FIGURE_H
#define BASE_SIGNED_FIGURE_H

// By value, for a printing call's arguments.
struct signed_figure {
    char text[32];
};
struct signed_figure signed_figure(double value, int decimals); // "+1.2", "-0.3", "0.0"; "nan"
double unsigned_zero(double value, int decimals);               // 0 where it is printed as zero, else value
double unsigned_nan(double value);                              // "nan", not "-nan", for any of them

#endif
