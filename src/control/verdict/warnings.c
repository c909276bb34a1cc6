// SPDX-License-Identifier: Apache-2.0
//
// What must be said beside the numbers? Each limit is named in the header; each finding is one sentence for
// people.
#include "control/verdict/summary.h"

#include <math.h>
#include <string.h>

#include "base/strbuf.h"
#include "control/verdict/decision_make.h"
#include "control/verdict/rounds/round_medians.h"
#include "record/throttle.h"

static void add(struct arena *arena, struct warning_list *list, const char *text) {
    if (list->count == list->capacity) {
        size_t capacity = list->capacity ? 2 * list->capacity : 8;
        const char **grown = arena_array(arena, capacity, sizeof *grown);
        if (list->count) memcpy(grown, list->texts, list->count * sizeof *grown);
        list->texts = grown;
        list->capacity = capacity;
    }
    list->texts[list->count++] = text;
}

// "s512 simd": whom a sentence is about.
static const char *subject(const struct result *result, const struct result_case *item, uint32_t side,
                           struct arena *arena) {
    bool has_label = result->sides[side].label != NULL;
    return arena_format(arena, "%s%s%s", result_case_name(item), has_label ? " " : "",
                        has_label ? result_side_name(result, side, arena) : "");
}

static void add_times(const struct summary *summary, const char *who, struct arena *arena,
                      struct warning_list *list) {
    const struct describe *describe = &summary->describe;
    if (summary->figures.cv_pct > WARN_CV_PCT)
        add(arena, list,
            arena_format(
                arena,
                "%s: the samples vary by %.1f %% (CV), above %.0f %%: differences of that size mean nothing",
                who, summary->figures.cv_pct, WARN_CV_PCT));
    if (describe->mode_count > 1 && describe->n >= WARN_MODES_FROM &&
        summary->figures.cv_pct > WARN_MODES_CV_PCT)
        add(arena, list,
            arena_format(
                arena,
                "%s: the times fall into two groups, %.0f %% of them in the slower one: the median may jump "
                "between them",
                who, 100 * describe->mode_upper_ratio));
    // Rounds differ among themselves, which looks like a drift; the rounds rule deals with it.
    if (summary->round_count == 1 && describe->drift_p < WARN_DRIFT_P)
        add(arena, list,
            arena_format(arena, "%s: the times drift %s during the measurement", who,
                         describe->drift_rho > 0 ? "upwards" : "downwards"));
    double discarded_pct = 100 * (double)summary->figures.discarded_count / (double)summary->considered_count;
    if (discarded_pct > WARN_DISCARDED_PCT)
        add(arena, list,
            arena_format(arena, "%s: %zu of %zu samples were discarded (%.0f %%)", who,
                         summary->figures.discarded_count, summary->considered_count, discarded_pct));
}

static void add_clock_drift(const struct summary *summary, const char *who, struct arena *arena,
                            struct warning_list *list) {
    double low = summary->clock_probe_low_hz, high = summary->clock_probe_high_hz;
    if (100 * (high - low) / low > WARN_CLOCK_DRIFT_PCT)
        add(arena, list,
            arena_format(arena, "%s: the clock drifted between %.0f and %.0f MHz while measuring", who,
                         low / 1e6, high / 1e6));
}

// The decision says of a problem that nothing valid was measured: once is enough.
static bool is_said(const struct result *result, const struct result_case *item, uint32_t side) {
    const struct decision *decision = result->decision;
    if (!decision || result_case_outcome(item, side) != OUTCOME_NOT_VALID) return false;
    for (size_t i = 0; i < decision->case_count; ++i) {
        const struct decision_case *decided = &decision->cases[i];
        bool is_refused = decided->verdict == VERDICT_NOT_VALID && (decided->guard || decided->sentence);
        if (is_refused && str_equal(decided->name, item->problem.name)) return true;
    }
    return false;
}

void warnings_add_case(const struct result *result, const struct result_case *item, uint32_t side,
                       const struct summary *summary, struct arena *arena, struct warning_list *list) {
    const char *sentence = NULL;
    const char *who = subject(result, item, side, arena);
    if (warnings_is_invalid(result, item, side, summary, arena, &sentence) && !is_said(result, item, side))
        add(arena, list, arena_format(arena, "%s: %s", who, sentence));
    if (!summary->figures.is_set) return;
    add_times(summary, who, arena, list);
    add_clock_drift(summary, who, arena, list);
}

bool warnings_is_invalid(const struct result *result, const struct result_case *item, uint32_t side,
                         const struct summary *summary, struct arena *arena, const char **ret_sentence) {
    if (result_case_outcome(item, side) == OUTCOME_NOT_VALID) {
        const char *message = item->checks[side].message;
        const char *reason = *message ? message : NULL; // it could not even be checked
        for (size_t r = 0; r < item->round_count; ++r)
            if (item->rounds[r].invalid_reason) reason = item->rounds[r].invalid_reason;
        *ret_sentence =
            arena_format(arena, "no valid measurement: %s", reason ? reason : "every sample was discarded");
        return true;
    }
    if (summary->figures.is_set && summary->is_over_ceiling) {
        *ret_sentence = arena_format(
            arena,
            "not valid: %.0f GFLOP/s and %.0f GB/s are %.0f %% of the measured ceiling, so work or "
            "time is accounted wrongly",
            summary->figures.gflop_per_s, summary->figures.gb_per_s, summary->figures.ceiling_pct);
        return true;
    }
    (void)result;
    return false;
}

// What the device's states say over the whole run: said once, not of every problem.
struct run_state {
    size_t round_count, busy_count, invalid_count, problem_count;
    double worst_others_pct, worst_steal_pct, hottest_c;
    int process_count;                       // most others seen on the device
    size_t hot_problems, throttled_problems; // of those with a valid measurement
    uint32_t throttle;                       // bits seen in valid measurements
    const char *other_throttle;              // reasons of which some are words that are not ours
    size_t causes[REASON_COUNT];             // of the measurements that did not count
    const char *invalid_reason;              // of the last one
};

static void gather_round(const struct result_round *round, struct run_state *run) {
    double external = round->state.others_pct, steal = round->state.steal_pct;
    double taken = (isnan(external) ? 0 : external) + (isnan(steal) ? 0 : steal);
    int process_count = round->state.other_process_count;
    ++run->round_count;
    run->busy_count += taken > WARN_OTHERS_PCT || process_count > 0;
    run->worst_others_pct = fmax(run->worst_others_pct, external);
    run->worst_steal_pct = fmax(run->worst_steal_pct, steal);
    if (process_count > run->process_count) run->process_count = process_count;
    if (round->is_valid) return;
    ++run->invalid_count;
    run->causes[round_invalid_reason(round)]++;
    if (round->invalid_reason) run->invalid_reason = round->invalid_reason;
}

static struct run_state gather(const struct result *result) {
    struct run_state run = {.worst_others_pct = NAN, .worst_steal_pct = NAN, .hottest_c = NAN};
    for (size_t i = 0; i < result->case_count; ++i) {
        uint32_t throttle = 0;
        double hottest_c = NAN;
        bool is_measured = false, is_other = false;
        for (size_t r = 0; r < result->cases[i].round_count; ++r) {
            const struct result_round *round = &result->cases[i].rounds[r];
            if (!round->has_state) continue;
            gather_round(round, &run);
            if (!round->is_valid) continue;
            uint32_t bits = 0;
            if (throttle_parse(round->state.throttle, &bits) < 0) {
                run.other_throttle = round->state.throttle;
                is_other = true;
            }
            throttle |= bits;
            hottest_c = fmax(hottest_c, round->state.temperature_c);
            is_measured = true;
        }
        run.problem_count += is_measured;
        run.throttle |= throttle;
        run.throttled_problems += throttle != 0 || is_other;
        run.hot_problems += hottest_c > WARN_TEMPERATURE_C;
        run.hottest_c = fmax(run.hottest_c, hottest_c);
    }
    return run;
}

static void add_busy(const struct run_state *run, struct arena *arena, struct warning_list *list) {
    if (run->busy_count == 0) return;
    struct strbuf text = {0};
    strbuf_addf(&text, "the machine was busy in %zu of %zu measurements", run->busy_count, run->round_count);
    if (isfinite(run->worst_others_pct))
        strbuf_addf(&text, ", other processes took up to %.1f %% of the processors", run->worst_others_pct);
    if (isfinite(run->worst_steal_pct) && run->worst_steal_pct > 0)
        strbuf_addf(&text, ", the hypervisor up to %.1f %%", run->worst_steal_pct);
    if (run->process_count > 0)
        strbuf_addf(&text, ", up to %d other process%s used the device", run->process_count,
                    run->process_count == 1 ? "" : "es");
    add(arena, list, arena_strdup(arena, strbuf_text(&text)));
    strbuf_fini(&text);
}

// "4 of 41 measurements did not count (3 throttled, 1 busy machine); the last one: ..."
static void add_invalid(const struct run_state *run, struct arena *arena, struct warning_list *list) {
    if (run->invalid_count == 0) return;
    struct strbuf text = {0};
    strbuf_addf(&text, "%zu of %zu measurements did not count (", run->invalid_count, run->round_count);
    size_t named = 0;
    for (int reason = REASON_NONE + 1; reason < REASON_COUNT; ++reason)
        if (run->causes[reason])
            strbuf_addf(&text, "%s%zu %s", named++ ? ", " : "", run->causes[reason],
                        reason_text((enum reason)reason));
    strbuf_add(&text, ")");
    if (run->invalid_reason) strbuf_addf(&text, "; the last one: %s", run->invalid_reason);
    add(arena, list, arena_strdup(arena, strbuf_text(&text)));
    strbuf_fini(&text);
}

// What does not make a measurement invalid, but belongs beside it: heat, a power cap.
static void add_limits(const struct run_state *run, struct arena *arena, struct warning_list *list) {
    char reasons[THROTTLE_TEXT_BYTES];
    if (run->hot_problems)
        add(arena, list,
            arena_format(arena, "the device reached %.0f C, above %.0f C, in %zu of %zu problems",
                         run->hottest_c, WARN_TEMPERATURE_C, run->hot_problems, run->problem_count));
    if (!run->throttle && !run->other_throttle) return;
    throttle_format(run->throttle, reasons);
    add(arena, list,
        arena_format(arena,
                     "the device's clock was limited while measuring %zu of %zu problems: %s; both sides had "
                     "it alike, and it belongs to the result",
                     run->throttled_problems, run->problem_count,
                     run->other_throttle ? run->other_throttle : reasons));
}

// The sides' clock probes in the valid rounds of a problem, where they are not the same. Above 1 % a round
// does not count.
static void add_clocks(const struct result *result, const struct result_case *item,
                       const double *side_clock_hz, struct arena *arena, struct warning_list *list) {
    double low_hz = NAN, high_hz = NAN;
    for (uint32_t side = 0; side < result->side_count; ++side) {
        low_hz = fmin(low_hz, side_clock_hz[side]); // both leave a NaN out
        high_hz = fmax(high_hz, side_clock_hz[side]);
    }
    if (!(100 * (high_hz / low_hz - 1) > WARN_SIDE_CLOCKS_PCT)) return;
    struct strbuf text = {0};
    strbuf_addf(&text, "%s: the sides had different clocks:", result_case_name(item));
    for (uint32_t side = 0; side < result->side_count; ++side)
        if (isfinite(side_clock_hz[side]))
            strbuf_addf(&text, "%s %s %.0f MHz", side ? "," : "", result_side_name(result, side, arena),
                        side_clock_hz[side] / 1e6);
    add(arena, list, arena_strdup(arena, strbuf_text(&text)));
    strbuf_fini(&text);
}

// A lock is a wish: the power limit and heat are stronger. Said once, of the problem that was furthest off.
struct locked_clock {
    double held_hz, worst_hz; // worst_hz NAN: none was off
    const char *worst_case;
    size_t off_count;
};

static void gather_locked(const struct result_case *item, double seen_hz, struct locked_clock *locked) {
    const double off = fabs(seen_hz - locked->held_hz);
    if (!(locked->held_hz > 0) || !(100 * off > WARN_LOCKED_PCT * locked->held_hz)) return;
    ++locked->off_count;
    if (off <= fabs(locked->worst_hz - locked->held_hz)) return; // false of the first one
    locked->worst_hz = seen_hz;
    locked->worst_case = result_case_name(item);
}

static void add_locked(const struct locked_clock *locked, struct arena *arena, struct warning_list *list) {
    if (!locked->off_count) return;
    add(arena, list,
        arena_format(
            arena,
            "the clock was to be held at %.0f MHz, but %.0f MHz were seen (%s): a limit of power or heat was "
            "stronger, or somebody changed it",
            locked->held_hz / 1e6, locked->worst_hz / 1e6, locked->worst_case));
}

static double clock_of(const struct summary *summary) {
    return (summary->clock_probe_low_hz + summary->clock_probe_high_hz) / 2;
}

int warnings_get(const struct result *result, struct arena *arena, struct warning_list *ret) {
    *ret = (struct warning_list){0};
    struct locked_clock locked = {.held_hz = result->sampling.locked_clock_mhz * 1e6, .worst_hz = NAN};
    struct run_state run = gather(result);
    add_busy(&run, arena, ret);
    add_invalid(&run, arena, ret);
    add_limits(&run, arena, ret);
    for (size_t i = 0; i < result->warning_count; ++i) add(arena, ret, result->warnings[i]);
    for (size_t i = 0; i < result->case_count; ++i) {
        double side_clock_hz[WORK_SIDES_MAX];
        for (uint32_t side = 0; side < result->side_count; ++side) {
            struct summary summary;
            if (summary_get(result, &result->cases[i], side, &summary) < 0) return -1;
            warnings_add_case(result, &result->cases[i], side, &summary, arena, ret);
            side_clock_hz[side] = clock_of(&summary);
            gather_locked(&result->cases[i], side_clock_hz[side], &locked);
        }
        add_clocks(result, &result->cases[i], side_clock_hz, arena, ret);
    }
    add_locked(&locked, arena, ret);
    return 0;
}
