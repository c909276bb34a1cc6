// SPDX-License-Identifier: Apache-2.0
//
// The figures of one set of samples, a line each: name, value, and a remark with its confidence limits.
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/signed_figure.h"
#include "base/term.h"
#include "report/result/figure_text.h"
#include "report/samples/sample_internal.h"
#include "verdict/summary.h"

#define STEPS_OF_ONE 10000 // of a value without a spread
#define STEPS_SHOWN  50    // decimals divide the spread (P5 to P95) into 50 steps ...
#define MEDIAN_STEPS 100   // ... and the median into 100, however wide the spread

struct figures {
    const struct sample_set *set;
    struct arena *arena;
    struct term_table *table;
    double step_ns;
};

static void add(struct figures *figures, enum term_style style, const char *name, const char *value,
                const char *remark) {
    term_table_add(figures->table, (const char *const[]){"", name, value, remark});
    term_table_style(figures->table, 1, TERM_DIM);
    term_table_style(figures->table, 2, style);
}

// A time in the median's unit, so that the column can be compared.
static const char *time_text(const struct figures *figures, double ns) {
    return figure_time_like(ns, figures->set->summary.describe.median, figures->step_ns, figures->arena);
}

static const char *interval_text(const struct figures *figures, struct interval at, const char *how) {
    const char *low = time_text(figures, at.lo), *high = time_text(figures, at.hi);
    size_t digits = strcspn(low, " ");
    if (!str_equal(low + digits, high + strcspn(high, " ")))
        digits = strlen(low); // else the unit is said once
    return arena_format(figures->arena, "%.*s to %s, %s", (int)digits, low, high, how);
}

static void add_median(struct figures *figures) {
    const struct sample_set *set = figures->set;
    const struct case_summary *summary = &set->summary.figures;
    struct interval bootstrap = {summary->median_low_ns, summary->median_high_ns};
    add(figures, TERM_BOLD, "median (P50)", time_text(figures, summary->median_ns),
        set->n > 1 ? interval_text(figures, bootstrap, "95 % by bootstrap")
                   : "one sample has no confidence interval");
    if (set->n == 1) return;
    if (!set->has_order) {
        add(figures, TERM_PLAIN, NULL, NULL, "n too small for an exact interval: 6 are needed");
        return;
    }
    add(figures, TERM_PLAIN, NULL, NULL,
        interval_text(figures, set->order.at,
                      arena_format(figures->arena, "exactly %.2f %% (ranks %zu, %zu)",
                                   100 * set->order.coverage, set->order.rank_lo, set->order.rank_hi)));
}

static void add_percentile(struct figures *figures, const char *name, double ns, double bound_ns, double p) {
    const char *remark =
        isfinite(bound_ns) ? arena_format(figures->arena, "at most %s (95 %%)", time_text(figures, bound_ns))
                           : arena_format(figures->arena, "n too small for a bound: %zu are needed",
                                          describe_percentile_bound_count(p, SAMPLE_SET_LEVEL));
    add(figures, TERM_PLAIN, name, time_text(figures, ns), remark);
}

static void add_modes(struct figures *figures) {
    const struct describe *describe = &figures->set->summary.describe;
    if (isnan(describe->mode_gap_ratio)) return;
    const char *gap =
        isinf(describe->mode_gap_ratio)
            ? "over 90 % of the samples have one of two values"
            : arena_format(figures->arena, "widest gap %.1f median gaps", describe->mode_gap_ratio);
    if (describe->mode_count < 2) {
        add(figures, TERM_PLAIN, "modes", "1", gap);
        return;
    }
    add(figures, TERM_YELLOW, "modes", arena_format(figures->arena, "%u", describe->mode_count),
        arena_format(figures->arena, "split at %s, %.0f %% lie above",
                     time_text(figures, describe->mode_split), 100 * describe->mode_upper_ratio));
    add(figures, TERM_PLAIN, NULL, NULL, gap);
}

static void add_drift(struct figures *figures) {
    const struct describe *describe = &figures->set->summary.describe;
    if (isnan(describe->drift_rho)) return;
    // Rounds differ among themselves, which looks like a drift.
    bool has_rounds = figures->set->summary.round_count > 1;
    bool is_marked = describe->drift_p < WARN_DRIFT_P && !has_rounds;
    add(figures, is_marked ? TERM_YELLOW : TERM_PLAIN, "drift",
        arena_strdup(figures->arena, signed_figure(describe->drift_rho, 2).text),
        arena_format(figures->arena, "Spearman's rho over %s, p %s%s", has_rounds ? "all rounds" : "time",
                     figure_p(describe->drift_p, figures->arena),
                     !is_marked                ? ""
                     : describe->drift_rho > 0 ? ": times rise"
                                               : ": times fall"));
}

void sample_figures_print(const struct sample_set *set, const struct sample_report_options *options,
                          struct strbuf *out) {
    struct arena arena = {0};
    const struct describe *describe = &set->summary.describe;
    double spread = describe->p95 - describe_percentile(set->sorted_ns, set->n, 0.05);
    double step_ns = spread > 0 ? fmin(spread / STEPS_SHOWN, describe->median / MEDIAN_STEPS)
                                : describe->median / STEPS_OF_ONE;
    struct figures figures = {
        .set = set, .arena = &arena, .table = term_table_new(4, "llrl"), .step_ns = step_ns};
    const size_t rounds = set->summary.round_count;
    add(&figures, TERM_PLAIN, "n", arena_format(&arena, "%zu", describe->n),
        rounds > 1 ? arena_format(&arena, "in %zu rounds", rounds) : NULL);
    if (!isnan(describe->acf1))
        add(&figures, describe->effective_count < (double)describe->n / 2 ? TERM_YELLOW : TERM_PLAIN,
            "effective n", arena_format(&arena, "%.0f", describe->effective_count),
            arena_format(&arena, "lag-1 autocorrelation %.2f", unsigned_zero(describe->acf1, 2)));
    add_median(&figures);
    add(&figures, TERM_PLAIN, "mean", time_text(&figures, describe->mean), NULL);
    if (describe->n > 1)
        add(&figures, TERM_PLAIN, "sd", time_text(&figures, describe->sd),
            arena_format(&arena, "CV %.2f %%", describe->cv_pct));
    else
        add(&figures, TERM_PLAIN, "sd", "-", "one sample has no spread");
    add(&figures, TERM_PLAIN, "MAD", time_text(&figures, describe->mad), NULL);
    add(&figures, TERM_PLAIN, "min", time_text(&figures, describe->min), NULL);
    add_percentile(&figures, "P95", describe->p95, set->p95_bound_ns, 0.95);
    add_percentile(&figures, "P99", describe->p99, set->p99_bound_ns, 0.99);
    add(&figures, TERM_PLAIN, "max", time_text(&figures, describe->max), NULL);
    add_modes(&figures);
    add_drift(&figures);
    term_table_print(figures.table, options->has_color, out);
    term_table_free(figures.table);
    arena_fini(&arena);
}
