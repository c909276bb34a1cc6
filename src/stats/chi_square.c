// SPDX-License-Identifier: Apache-2.0
//
// Chi-square on df degrees is twice a gamma variable of shape a = df/2: P(X <= x) is the regularized
// incomplete gamma function P(a, x/2). Below its mean by the power series, above it by the continued
// fraction, as DLMF (dlmf.nist.gov) 8.11.4 and 8.9.2, Abramowitz and Stegun 6.5.29 and 6.5.31.
#include "stats/chi_square.h"

#include <math.h>
#include <stdbool.h>

#include "stats/student_t.h"

// The series and the fraction take some multiple of sqrt(a) terms around their border x = a.
#define TERMS_MAX 100000
#define STEPS_MAX 200
// Of log x. Its square is below the last bits.
#define NEWTON_STEP 1e-9

// Both tails of the gamma distribution at x > 0, and x times its density there.
struct gamma_tails {
    double below, above, x_density;
};

static double series(double a, double x) {
    double term = 1.0 / a;
    double sum = term;

    for (int k = 1; k < TERMS_MAX && term > 1e-17 * sum; ++k) {
        term *= x / (a + k);
        sum += term;
    }
    return sum;
}

// By the modified Lentz method. No denominator vanishes for x >= a.
static double fraction(double a, double x) {
    double b = x + 1.0 - a;
    double c = INFINITY;
    double d = 1.0 / b;
    double h = d;

    for (int k = 1; k < TERMS_MAX; ++k) {
        double numerator = -k * (k - a);

        b += 2.0;
        d = 1.0 / (b + numerator * d);
        c = b + numerator / c;
        h *= c * d;
        if (fabs(c * d - 1.0) < 1e-16) break;
    }
    return h;
}

static struct gamma_tails gamma_tails_at(double a, double x) {
    struct gamma_tails tails = {.x_density = exp(a * log(x) - x - lgamma(a))};

    if (x < a + 1.0) {
        tails.below = tails.x_density * series(a, x);
        tails.above = 1.0 - tails.below;
    } else {
        tails.above = tails.x_density * fraction(a, x);
        tails.below = 1.0 - tails.above;
    }
    return tails;
}

double chi_square_cdf(double x, double df) {
    if (!(x >= 0.0) || !(df > 0.0)) return NAN;
    if (x == 0.0) return 0.0;
    if (isinf(x)) return 1.0;
    return gamma_tails_at(0.5 * df, 0.5 * x).below;
}

// Wilson and Hilferty (1931, PNAS 17, 684): the cube root is nearly normal. Far below it is not, and there
// the first term of the series is nearly all: P = x^a / Gamma(a + 1).
static double start(double p, double a) {
    double variance = 1.0 / (9.0 * a);
    double root = 1.0 - variance + normal_quantile(p) * sqrt(variance);

    return root > 0.3 ? a * root * root * root : exp((log(p) + lgamma(a + 1.0)) / a);
}

// Newton steps of log x on the log of the smaller tail, which is nearly straight there, inside a bracket that
// every evaluation narrows.
double chi_square_quantile(double p, double df) {
    if (!(p > 0.0 && p < 1.0) || !(df > 0.0) || isinf(df)) return NAN;
    double a = 0.5 * df;
    double x = start(p, a);
    double lo = 0.0;
    double hi = INFINITY;
    bool is_below = p <= 0.5;

    for (int i = 0; i < STEPS_MAX; ++i) {
        struct gamma_tails tails = gamma_tails_at(a, x);
        double step = is_below ? log(p / tails.below) * tails.below / tails.x_density
                               : log(tails.above / (1.0 - p)) * tails.above / tails.x_density;

        if (fabs(step) < NEWTON_STEP) return 2.0 * x * exp(step);
        if (step > 0.0)
            lo = x;
        else
            hi = x;
        double next = x * exp(fmax(-50.0, fmin(50.0, step)));
        if (!(next > lo && next < hi)) next = isinf(hi) ? 2.0 * x : 0.5 * (lo + hi);
        x = next;
    }
    return 2.0 * x;
}

double chi_square_sd_factor(double confidence, double df) {
    return sqrt(df / chi_square_quantile(1.0 - confidence, df));
}
