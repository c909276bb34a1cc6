// SPDX-License-Identifier: Apache-2.0
//
// Tails and quantiles of the normal, Student's t and chi-square distributions. P(|T| > t) = I_x(df/2, 1/2)
// with x = df / (df + t^2): a continued fraction in whichever of x and 1 - x converges.
#include "stats/student_t.h"

#include <math.h>
#include <stdint.h>

#include "base/rng.h"
#include "stats/float_order.h"

#define SQRT_2         1.41421356237309504880
#define SQRT_PI        1.77245385090551602730
#define SQRT_TAU       2.50662827463100050242
#define FRACTION_STEPS 20000
// From here the t distribution and the normal one differ by less than the accuracy promised.
#define DF_NORMAL   1e15
#define NEWTON_STEP 1e-8 // of log t: its square is below the last bit
#define KNOWN_COUNT 256  // quantiles: rules of twenty looks at three levels, a few times over

double normal_sf(double z) {
    return 0.5 * erfc(z / SQRT_2);
}

// z >= 0 with P(Z > z) = q, 0 < q <= 1/2: rational start (Abramowitz and Stegun 26.2.23), then Halley steps.
static double normal_upper_quantile(double q) {
    double s = sqrt(-2.0 * log(q));
    double z = s - (2.515517 + s * (0.802853 + s * 0.010328)) /
                       (1.0 + s * (1.432788 + s * (0.189269 + s * 0.001308)));

    for (int step = 0; step < 4; ++step) {
        double density = exp(-0.5 * z * z) / SQRT_TAU;

        if (!(density > 0.0)) break;
        double u = (normal_sf(z) - q) / density;
        z += u / (1.0 - 0.5 * z * u);
    }
    return z;
}

double normal_quantile(double p) {
    if (!(p >= 0.0 && p <= 1.0)) return NAN;
    if (p == 0.0) return -INFINITY;
    if (p == 1.0) return INFINITY;
    if (p == 0.5) return 0.0;
    return p < 0.5 ? -normal_upper_quantile(p) : normal_upper_quantile(1.0 - p);
}

// Continued fraction of the incomplete beta function by the modified Lentz method.
static double beta_fraction(double a, double b, double x) {
    const double tiny = 1e-300;
    double c = 1.0;
    double d = 1.0 - (a + b) * x / (a + 1.0);

    if (fabs(d) < tiny) d = tiny;
    d = 1.0 / d;
    double h = d;
    for (int m = 1; m <= FRACTION_STEPS; ++m) {
        double even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        double odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));

        d = 1.0 + even * d;
        d = 1.0 / (fabs(d) < tiny ? tiny : d);
        c = 1.0 + even / c;
        if (fabs(c) < tiny) c = tiny;
        h *= d * c;
        d = 1.0 + odd * d;
        d = 1.0 / (fabs(d) < tiny ? tiny : d);
        c = 1.0 + odd / c;
        if (fabs(c) < tiny) c = tiny;
        double step = d * c;
        h *= step;
        if (fabs(step - 1.0) < 1e-16) break;
    }
    return h;
}

// P(T > t) for finite t >= 0; *ret_t_density: t times the density there: x^a sqrt(y) / B(a, 1/2), which the
// tail needs too.
static double upper_tail(double t, double df, double *ret_t_density) {
    double a = 0.5 * df;
    double ratio = t * t / df;
    double x = 1.0 / (1.0 + ratio);
    double y = isfinite(ratio) ? ratio / (1.0 + ratio) : 1.0;

    *ret_t_density = df >= DF_NORMAL ? t * exp(-0.5 * t * t) / SQRT_TAU : 0.0;
    if (t == 0.0) return 0.5;
    if (df >= DF_NORMAL) return normal_sf(t);
    // log1p keeps x^a exact where x is near 1, two logarithms where t^2 overflows.
    double log_x = isfinite(ratio) ? -log1p(ratio) : log(df) - 2.0 * log(t);
    // Gamma(a + 1/2) / Gamma(a): by tgamma while that fits, then by the asymptotic series (error below 1e-16
    // at a = 100).
    double u = 1.0 / a;
    double series = u * (5.0 / 1024 + u * (-21.0 / 32768 + u * -399.0 / 262144));
    double gamma_ratio =
        a < 100.0 ? tgamma(a + 0.5) / tgamma(a) : sqrt(a) * (1.0 + u * (-1.0 / 8 + u * (1.0 / 128 + series)));
    double front = exp(a * log_x) * sqrt(y) * gamma_ratio / SQRT_PI;
    *ret_t_density = front;
    if (x < (a + 1.0) / (a + 2.5)) return 0.5 * front * beta_fraction(a, 0.5, x) / a;
    return 0.5 * (1.0 - front * beta_fraction(0.5, a, y) / 0.5);
}

double student_t_sf(double t, double df) {
    if (isnan(t) || !(df > 0.0)) return NAN;
    if (isinf(t)) return t > 0.0 ? 0.0 : 1.0;
    double t_density;
    double tail = upper_tail(fabs(t), df, &t_density);
    return t >= 0.0 ? tail : 1.0 - tail;
}

double student_t_cdf(double t, double df) {
    return student_t_sf(-t, df);
}

// t > 0 with P(T > t) = q, 0 < q < 1/2: Newton steps on log q against log t, where the tail is nearly
// straight, inside a bracket that every evaluation narrows. The curvature is less than twice the slope, so
// the error after a step is less than the square of the step: after a step below 1e-8, more steps would
// only follow rounding in the tail's last bits.
static double upper_quantile(double q, double df) {
    double lo = 0.0;
    double hi = INFINITY;
    double t = normal_upper_quantile(q);

    for (int i = 0; i < 2000; ++i) {
        double t_density;
        double tail = upper_tail(t, df, &t_density);
        double step = log(tail / q) * tail / t_density; // of log t; -d log tail / d log t is t_density / tail

        if (fabs(step) < NEWTON_STEP) return t * exp(step);
        if (tail > q)
            lo = t;
        else
            hi = t;
        double next = t * exp(fmin(50.0, step));
        if (!(next > lo && next < hi)) next = isinf(hi) ? 2.0 * t : 0.5 * (lo + hi);
        if (fabs(next - t) <= 1e-15 * t) return next;
        t = next;
    }
    return t;
}

// The same, of what this thread asked before: a simulated rule takes the same looks thousands of times.
static double known_upper_quantile(double q, double df) {
    static _Thread_local struct {
        double q, df, t; // q is 0 where nothing is known
    } known[KNOWN_COUNT];
    const size_t at = rng_u64(0, (uint64_t)float_order_key(q), (uint64_t)float_order_key(df)) % KNOWN_COUNT;

    if (known[at].q != q || known[at].df != df) {
        known[at].t = upper_quantile(q, df);
        known[at].q = q;
        known[at].df = df;
    }
    return known[at].t;
}

double student_t_quantile(double p, double df) {
    if (!(p >= 0.0 && p <= 1.0) || !(df > 0.0)) return NAN;
    if (p == 0.0) return -INFINITY;
    if (p == 1.0) return INFINITY;
    if (p == 0.5) return 0.0;
    return p < 0.5 ? -known_upper_quantile(p, df) : known_upper_quantile(1.0 - p, df);
}

// T' = (Z + ncp) / S with S = chi / sqrt(df): the mean of P(Z > t s - ncp) over the density of S. In u = log
// s that density is proportional to exp(df (u - exp(2u) / 2)); the integrand is smooth and decays on both
// sides, so that the trapezoid rule converges exponentially.
double student_t_noncentral_sf(double t, double df, double ncp) {
    if (isnan(t) || !(df > 0.0) || !isfinite(ncp)) return NAN;
    if (isinf(t)) return t > 0.0 ? 0.0 : 1.0;
    // The grid must resolve two widths in u: the density's, 1 / sqrt(2 df), and the width of the step in
    // P(Z > t s - ncp), 1 / ncp.
    double h = 1.0 / (8.0 * fmax(sqrt(df), fmin(1000.0, fmax(2.0, fabs(ncp)))));
    double total = 0.0;
    double above = 0.0;

    for (int side = 0; side < 2; ++side) {
        double step = side == 0 ? h : -h;

        for (long k = side;; ++k) {
            double u = (double)k * step;
            double log_weight = df * (u - 0.5 * expm1(2.0 * u));

            if (log_weight < -45.0) break;
            double weight = exp(log_weight);
            total += weight;
            above += weight * normal_sf(t * exp(u) - ncp);
        }
    }
    return above / total;
}

double student_t_detectable(double sd, size_t n, double alpha, double power) {
    if (n < 2 || !(sd >= 0.0) || !isfinite(sd) || !(alpha > 0.0 && alpha < 1.0)) return NAN;
    if (!(power > 0.5 * alpha && power < 1.0)) return NAN;
    double df = (double)(n - 1);
    double t = student_t_quantile(1.0 - 0.5 * alpha, df);
    double lo = 0.0;
    double hi = t + 1.0;
    while (!(student_t_noncentral_sf(t, df, hi) >= power)) hi *= 2.0;
    double at_lo = 0.5 * alpha - power;
    double at_hi = student_t_noncentral_sf(t, df, hi) - power;
    // Regula falsi, Illinois variant: the power rises with the noncentrality.
    for (int step = 0; step < 100 && hi - lo > 1e-12 * hi; ++step) {
        double mid = (lo * at_hi - hi * at_lo) / (at_hi - at_lo);
        double at_mid = student_t_noncentral_sf(t, df, mid) - power;

        if (fabs(at_mid) < 1e-14) return mid * sd / sqrt((double)n);
        if (at_mid > 0.0) {
            hi = mid;
            at_hi = at_mid;
            at_lo *= 0.5;
        } else {
            lo = mid;
            at_lo = at_mid;
            at_hi *= 0.5;
        }
    }
    return 0.5 * (lo + hi) * sd / sqrt((double)n);
}
