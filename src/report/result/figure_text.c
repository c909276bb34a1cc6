// SPDX-License-Identifier: Apache-2.0
//
// Figures as text for people: three significant digits if the figure is that exact, one decimal for per cent,
// the sign as a word.
#include "report/result/figure_text.h"

#include <math.h>
#include <stdio.h>

#include "base/signed_figure.h"
#include "base/strbuf.h"
#include "base/term.h"
#include "record/metric.h"
#include "verdict/decision_make.h"

#define FAR_RATIO 1000.0 // a time this much larger than the others gets decimals and unit of its own

#define BESIDE_MOST 9999.5 // more digits than four before the point are slower to read than another unit

// The unit in which a time has at most three digits before the point.
static double unit_of(double ns) {
    double unit_ns = 1;
    while (fabs(ns) / unit_ns >= 999.95 && unit_ns < 1e9) unit_ns *= 1000;
    return unit_ns;
}

static const char *unit_name(double unit_ns) {
    return unit_ns == 1 ? "ns" : unit_ns == 1e3 ? "us" : unit_ns == 1e6 ? "ms" : "s";
}

// Decimals for a resolution of about one in a thousand: intervals of good measurements are a few thousandths
// wide.
static int time_decimals(double value) {
    return fabs(value) < 1.9995 ? 3 : fabs(value) < 9.995 ? 2 : 1;
}

static const char *time_in(double ns, double unit_ns, struct arena *arena) {
    if (!isfinite(ns)) return "";
    return arena_format(arena, "%.*f %s", time_decimals(ns / unit_ns), ns / unit_ns, unit_name(unit_ns));
}

const char *figure_time(double ns, struct arena *arena) {
    return time_in(ns, unit_of(ns), arena);
}

const char *figure_time_beside(double ns, double least_ns, struct arena *arena) {
    const double unit_ns = isfinite(least_ns) ? unit_of(least_ns) : unit_of(ns);
    return time_in(ns, fabs(ns) / unit_ns < BESIDE_MOST ? unit_ns : unit_of(ns), arena);
}

const char *figure_time_interval(double low_ns, double high_ns, double like_ns, struct arena *arena) {
    double unit_ns = unit_of(like_ns);
    if (!isfinite(low_ns) || !isfinite(high_ns)) return "";
    int decimals = time_decimals(low_ns / unit_ns);
    return arena_format(arena, "%.*f to %.*f", decimals, low_ns / unit_ns, decimals, high_ns / unit_ns);
}

static bool is_count(const char *metric) {
    return metric_is_counted(metric_parse(metric));
}

// The unit of a count, and the letter before its name.
static double count_unit(double amount, const char **ret_prefix) {
    const double unit = amount >= 1e9 ? 1e9 : amount >= 1e6 ? 1e6 : amount >= 1e3 ? 1e3 : 1;
    *ret_prefix = unit >= 1e9 ? "G" : unit >= 1e6 ? "M" : unit >= 1e3 ? "k" : "";
    return unit;
}

// Four significant digits at least: a change of one in a thousand shows.
const char *figure_amount(const char *metric, double amount, struct arena *arena) {
    if (!is_count(metric)) return figure_time(amount, arena);
    if (!isfinite(amount)) return "";
    const char *prefix, *name = metric_unit(metric_parse(metric));
    const double unit = count_unit(amount, &prefix);
    return arena_format(arena, "%.*f %s%s%s", unit > 1 ? 3 : 0, amount / unit, prefix,
                        *prefix && name[1] ? " " : "", name); // "k instr", "kB"
}

const char *figure_amount_beside(const char *metric, double amount, double least, struct arena *arena) {
    return is_count(metric) ? figure_amount(metric, amount, arena) : figure_time_beside(amount, least, arena);
}

const char *figure_amount_interval(const char *metric, double low, double high, double like,
                                   struct arena *arena) {
    if (!is_count(metric)) return figure_time_interval(low, high, like, arena);
    if (!isfinite(low) || !isfinite(high)) return "";
    return arena_format(arena, "%s to %s", figure_amount(metric, low, arena),
                        figure_amount(metric, high, arena));
}

// Decimals that distinguish steps of this size; three where it is 0.
static int step_decimals(double step) {
    const int decimals = step > 0 ? (int)ceil(-log10(step) - 1e-9) : 3;
    return decimals < 0 ? 0 : decimals > 6 ? 6 : decimals;
}

const char *figure_time_like(double ns, double like_ns, double step_ns, struct arena *arena) {
    double unit_ns = unit_of(like_ns);
    if (!isfinite(ns)) return "";
    int decimals = step_decimals(step_ns / unit_ns);
    bool is_far = fabs(ns) > FAR_RATIO * fabs(like_ns);
    if (is_far || (ns != 0 && unsigned_zero(ns / unit_ns, decimals) == 0)) return figure_time(ns, arena);
    return arena_format(arena, "%.*f %s", decimals, ns / unit_ns, unit_name(unit_ns));
}

const char *figure_amount_like(const char *metric, double amount, double like, double step,
                               struct arena *arena) {
    const char *prefix;
    if (!is_count(metric)) return figure_time_like(amount, like, step, arena);
    if (!isfinite(amount)) return "";
    const double unit = count_unit(like, &prefix);
    const int decimals = step_decimals(step / unit);
    return arena_format(arena, "%.*f%s%s", decimals, unsigned_zero(amount / unit, decimals),
                        *prefix ? " " : "", prefix);
}

const char *figure_plain(const char *text, bool has_utf8, struct arena *arena) {
    struct strbuf out = {0};
    strbuf_add_plain(&out, str_or(text, ""), has_utf8);
    const char *copy = arena_strdup(arena, strbuf_text(&out));
    strbuf_fini(&out);
    return copy;
}

static const char *rate(double giga_per_s, const char *unit, struct arena *arena) {
    char text[FIGURE_TEXT_BYTES];
    term_format_rate(giga_per_s, unit, text, sizeof text);
    return arena_strdup(arena, text);
}

const char *figure_flop_rate(double gflop_per_s, struct arena *arena) {
    return rate(gflop_per_s, "FLOP/s", arena);
}

const char *figure_byte_rate(double gb_per_s, struct arena *arena) {
    return rate(gb_per_s, "B/s", arena);
}

const char *figure_energy(double j, struct arena *arena) {
    static const struct {
        double least_j, scale;
        const char *unit;
    } units[] = {{0.9995, 1, "J"}, {0.9995e-3, 1e3, "mJ"}, {0, 1e6, "uJ"}}; // what rounds to 1 is 1
    if (!isfinite(j)) return "";
    size_t i = 0;
    while (j < units[i].least_j) ++i;
    const double amount = j * units[i].scale;
    return arena_format(arena, amount < 999.5 ? "%.3g %s" : "%.0f %s", amount, units[i].unit);
}

const char *figure_ratio(double ratio, struct arena *arena) {
    if (!isfinite(ratio)) return "";
    return arena_format(arena,
                        ratio >= 9.995                      ? "%.1fx"
                        : ratio >= 1.0995 || ratio < 0.8995 ? "%.2fx"
                                                            : "%.3fx",
                        ratio);
}

const char *figure_p(double p, struct arena *arena) {
    if (!isfinite(p)) return "";
    if (p < 0.0001) return "<0.0001";
    return arena_format(arena, p < 0.001 ? "%.4f" : p < 0.1 ? "%.3f" : "%.2f", p);
}

static int pct_decimals(double pct) {
    return fabs(pct) >= 99.95 ? 0 : 1;
}

const char *figure_pct(double pct, struct arena *arena) {
    if (!isfinite(pct)) return "";
    int decimals = pct_decimals(pct);
    return arena_format(arena, "%.*f %%", decimals, unsigned_zero(pct, decimals));
}

const char *figure_signed_pct(double pct, struct arena *arena) {
    if (!isfinite(pct)) return "";
    return arena_format(arena, "%s %%", signed_figure(pct, pct_decimals(pct)).text);
}

static const char *direction(double pct) {
    return fabs(pct) < 0.05 ? "" : pct < 0 ? " faster" : " slower";
}

const char *figure_change(const struct decision_case *item, struct arena *arena) {
    double change = item->change_pct, sign = change < 0 ? -1 : 1;
    if (!isfinite(change)) return "";
    int decimals = pct_decimals(change);
    const char *word = direction(change);
    const char *size = arena_format(arena, "%.*f %%%s", decimals, fabs(change), word);
    double a = sign * item->change_low_pct, b = sign * item->change_high_pct;
    // Of a few samples no 95 % interval exists, and the bootstrap's is too narrow.
    if (!isfinite(a) || !isfinite(b) || reason_lacks_samples(item->reason)) return size;
    if (!*word) {
        const double low = fmin(item->change_low_pct, item->change_high_pct);
        const double high = fmax(item->change_low_pct, item->change_high_pct);
        return arena_format(arena, "%s (%.1f%s to %.1f%s)", size, fabs(low), direction(low), fabs(high),
                            direction(high));
    }
    return arena_format(arena, "%s (%.*f to %.*f)", size, decimals, unsigned_zero(fmin(a, b), decimals),
                        decimals, unsigned_zero(fmax(a, b), decimals));
}
