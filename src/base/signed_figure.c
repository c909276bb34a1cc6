// SPDX-License-Identifier: Apache-2.0
//
// See signed_figure.h.
#include "base/signed_figure.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MANY_DIGITS 1e15 // from here a figure is not written in full

double unsigned_zero(double value, int decimals) {
    char text[sizeof(struct signed_figure)];
    if (!(fabs(value) < 1)) return value;
    snprintf(text, sizeof text, "%.*f", decimals, value); // as it is rounded there
    return strpbrk(text, "123456789") ? value : 0;
}

struct signed_figure signed_figure(double value, int decimals) {
    struct signed_figure ret;
    const double shown = unsigned_zero(value, decimals);
    if (!isfinite(value))
        snprintf(ret.text, sizeof ret.text, "%s", isnan(value) ? "nan" : value > 0 ? "+inf" : "-inf");
    else if (fabs(value) >= MANY_DIGITS)
        snprintf(ret.text, sizeof ret.text, "%+.3g", value);
    else
        snprintf(ret.text, sizeof ret.text, shown == 0 ? "%.*f" : "%+.*f", decimals, shown);
    return ret;
}

double unsigned_nan(double value) {
    return isnan(value) ? (double)NAN : value;
}
