// SPDX-License-Identifier: Apache-2.0
//
// See what_moved.h. Time is counted in times of the faster side (1); the slower one takes `ratio` of them.
// What a reason to wait, or a busy unit, can account for is its time on the slower side less that on the
// faster one. Estimates are upper bounds and overlap: a cause and its symptoms are the same time.
#include "profile/what_moved.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "profile/moved_rules_internal.h"

#define SHARE_MIN_PCT 5.0   // smaller ones are no cause
#define RATIO_MIN     1.005 // a smaller difference has no shares
#define MOVED_MIN     0.1   // of a figure without a rule
#define BUILD_MIN     0.01
enum { CAUSES_MAX = 40, MOVED_MAX = 10, FIGURES_MAX = 128 };

// Both sides by their time, with one kind of figures.
struct moving {
    const struct member_table *table;
    const void *faster, *slower;
    bool is_candidate_slower;
    double ratio; // of the slower side's time; NAN: not known, or too near to 1
    struct explanation_case *ret;
};

static double at(const void *figures, moved_figure figure) {
    double value;
    memcpy(&value, (const char *)figures + figure - 1, sizeof value);
    return value;
}

static const char *name_of(const struct member_table *table, moved_figure figure) {
    for (size_t i = 0; i < table->count; ++i)
        if (table->members[i].offset == figure - 1) return table->members[i].key;
    BUG("a rule's figure has no row");
}

static double change_pct(double baseline, double candidate) {
    return baseline != 0 ? 100 * (candidate - baseline) / fabs(baseline) : NAN;
}

static struct explanation_cause cause_of(const struct moving *m, const char *metric, double faster,
                                         double slower) {
    const double baseline = m->is_candidate_slower ? faster : slower;
    const double candidate = m->is_candidate_slower ? slower : faster;
    return (struct explanation_cause){.metric = metric,
                                      .baseline = baseline,
                                      .candidate = candidate,
                                      .change_pct = change_pct(baseline, candidate),
                                      .share_pct = NAN};
}

// ---- what a rule can account for ----

static bool holds(const struct moving *m, const struct moved_rule *rule) {
    const double faster = at(m->faster, rule->figure), slower = at(m->slower, rule->figure);
    switch (rule->trend) {
    case MOVED_GROWS: return slower > 0 && slower >= faster * (1 + rule->threshold);
    case MOVED_RISES: return slower >= faster + rule->threshold;
    case MOVED_FALLS: return faster > 0 && slower <= faster * (1 - rule->threshold);
    }
    return false;
}

// NAN loses against a number.
static double larger(double a, double b) {
    return isnan(a) || b > a ? b : a;
}

static double stalled(const struct moving *m, unsigned stalls) {
    const struct profile *faster = m->faster, *slower = m->slower;
    double sum = NAN;
    for (int i = 0; i < STALL_COUNT; ++i) {
        const double more = (slower->stalls_pct[i] * m->ratio - faster->stalls_pct[i]) / 100;
        if (stalls & 1u << i && isfinite(more)) sum = isnan(sum) ? more : sum + more;
    }
    return sum;
}

// Time, in times of the faster side; NAN: nothing that would show it was counted.
static double accounts_for(const struct moving *m, const struct moved_rule *rule) {
    double most = rule->stalls ? stalled(m, rule->stalls) : NAN;
    for (size_t i = 0; i < MOVED_BUSY_MAX && rule->busy[i]; ++i)
        most = larger(most, (at(m->slower, rule->busy[i]) * m->ratio - at(m->faster, rule->busy[i])) / 100);
    if (rule->work) {
        // A share of the instructions, in per cent, becomes a number of them.
        const double more = at(m->slower, rule->figure) - at(m->faster, rule->figure);
        const double whole = rule->trend == MOVED_RISES ? 100 : at(m->faster, rule->work);
        most = larger(most, more / whole);
    }
    if (rule->rate) most = larger(most, at(m->faster, rule->rate) / at(m->slower, rule->rate) - 1);
    return most;
}

static void add_cause(struct moving *m, struct explanation_cause cause) {
    struct explanation_case *ret = m->ret;
    if (ret->cause_count < CAUSES_MAX) ret->causes[ret->cause_count++] = cause;
}

static void try_rule(struct moving *m, const struct moved_rule *rule) {
    if (!holds(m, rule)) return;
    struct explanation_cause cause = cause_of(m, name_of(m->table, rule->figure), at(m->faster, rule->figure),
                                              at(m->slower, rule->figure));
    const double share = accounts_for(m, rule) / (m->ratio - 1);
    if (isfinite(share)) cause.share_pct = 100 * fmax(0, fmin(share, 1));
    if (cause.share_pct < SHARE_MIN_PCT) return;
    cause.sentence = m->is_candidate_slower ? rule->slower : rule->faster;
    cause.look_at = rule->look_at;
    add_cause(m, cause);
}

static double build_figure(const struct build_report *build, const struct moved_build_rule *rule) {
    int64_t value = -1;
    if (build) memcpy(&value, (const char *)build + rule->offset, sizeof value);
    return value >= 0 ? (double)value : NAN;
}

static void try_build_rule(struct moving *m, const struct moved_build_rule *rule,
                           const struct build_report *faster, const struct build_report *slower) {
    const double a = build_figure(faster, rule), b = build_figure(slower, rule);
    const bool is_worse = rule->is_less_worse ? b < a : b > a;
    struct explanation_cause cause = cause_of(m, rule->metric, a, b);
    const double least = rule->least > 0 ? rule->least : BUILD_MIN;
    if (!isfinite(a) || !isfinite(b) || fabs(b - a) <= least * a) return;
    // What is better on the slower side is no cause, but a figure that moved.
    if (is_worse) cause.sentence = m->is_candidate_slower ? rule->slower : rule->faster;
    if (is_worse) cause.look_at = rule->look_at;
    if (is_worse)
        add_cause(m, cause);
    else if (m->ret->moved_count < MOVED_MAX)
        m->ret->moved[m->ret->moved_count++] = cause;
}

// ---- order ----

// The larger share first, shares that cannot be said last; else the order of the rules stays.
static void sort_causes(struct explanation_cause *causes, size_t count) {
    for (size_t i = 1; i < count; ++i)
        for (size_t k = i; k > 0; --k) {
            const struct explanation_cause swap = causes[k - 1];
            const bool is_after = causes[k].share_pct > swap.share_pct ||
                                  (isfinite(causes[k].share_pct) && isnan(swap.share_pct));
            if (!is_after) break;
            causes[k - 1] = causes[k];
            causes[k] = swap;
        }
}

// ---- figures without a rule that holds ----

static double size_of_change(const struct explanation_cause *cause) {
    if (cause->baseline == 0 || cause->candidate == 0) return INFINITY;
    return fabs(log(cause->candidate / cause->baseline));
}

static int by_change(const void *a, const void *b) {
    const double left = size_of_change(a), right = size_of_change(b);
    return (left < right) - (left > right);
}

static bool is_cause(const struct explanation_case *ret, const char *metric) {
    for (size_t i = 0; i < ret->cause_count; ++i)
        if (str_equal(ret->causes[i].metric, metric)) return true;
    return false;
}

// The duration is measured elsewhere, the longest stall is one of the stalls, and the spread of clocks says
// how well something was counted.
static bool is_derived(const char *key) {
    return str_equal(key, "duration_ns") || str_equal(key, "clock_spread_pct") ||
           str_equal(key, "stall_pct") || str_equal(key, "stall_sum_pct");
}

static void add_moved(struct moving *m) {
    struct explanation_cause all[FIGURES_MAX];
    size_t count = 0;
    for (size_t i = 0; m->table && i < m->table->count && count < FIGURES_MAX; ++i) {
        const struct member *member = &m->table->members[i];
        if (member->type != MEMBER_DOUBLE || is_derived(member->key) || is_cause(m->ret, member->key))
            continue;
        const struct explanation_cause cause =
            cause_of(m, member->key, at(m->faster, member->offset + 1), at(m->slower, member->offset + 1));
        if (!isfinite(cause.baseline) || !isfinite(cause.candidate)) continue;
        if (fabs(cause.candidate - cause.baseline) <= MOVED_MIN * fabs(cause.baseline)) continue;
        all[count++] = cause;
    }
    qsort(all, count, sizeof *all, by_change);
    for (size_t i = 0; i < count && m->ret->moved_count < MOVED_MAX; ++i)
        m->ret->moved[m->ret->moved_count++] = all[i];
}

// ---- all ----

bool moved_is_same_code(const struct moved_side *baseline, const struct moved_side *candidate) {
    const char *before = baseline->build ? baseline->build->code_hash : NULL;
    return before && candidate->build && str_equal(before, candidate->build->code_hash);
}

// Which counters both sides have.
static const struct moved_rule *take_figures(struct moving *m, const struct moved_side *faster,
                                             const struct moved_side *slower, size_t *ret_count) {
    *ret_count = 0;
    if (faster->profile && slower->profile) {
        m->table = &profile_members;
        m->faster = faster->profile;
        m->slower = slower->profile;
        return moved_rules_of_gpu(ret_count);
    }
    if (!faster->cpu_profile || !slower->cpu_profile) return NULL;
    m->table = &cpu_profile_members;
    m->faster = faster->cpu_profile;
    m->slower = slower->cpu_profile;
    return moved_rules_of_cpu(ret_count);
}

void what_moved(const struct moved_side *baseline, const struct moved_side *candidate, struct arena *arena,
                struct explanation_case *ret) {
    const double ratio = 1 + ret->change_pct / 100;
    struct moving m = {.is_candidate_slower = !(ratio < 1), .ret = ret};
    const struct moved_side *faster = m.is_candidate_slower ? baseline : candidate;
    const struct moved_side *slower = m.is_candidate_slower ? candidate : baseline;
    size_t count = 0, build_count = 0;
    m.ratio = m.is_candidate_slower ? ratio : 1 / ratio;
    if (!(m.ratio >= RATIO_MIN)) m.ratio = NAN;
    ret->cause_count = ret->moved_count = 0;
    ret->causes = arena_array(arena, CAUSES_MAX, sizeof *ret->causes);
    ret->moved = arena_array(arena, MOVED_MAX, sizeof *ret->moved);
    const struct moved_rule *rules = take_figures(&m, faster, slower, &count);
    for (size_t i = 0; i < count; ++i) try_rule(&m, &rules[i]);
    const struct moved_build_rule *build_rules = moved_rules_of_build(&build_count);
    for (size_t i = 0; i < build_count; ++i)
        try_build_rule(&m, &build_rules[i], faster->build, slower->build);
    sort_causes(ret->causes, ret->cause_count);
    add_moved(&m);
}
