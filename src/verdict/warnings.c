// SPDX-License-Identifier: Apache-2.0
//
// Warnings about a measurement: one sentence a finding. The limits are named in the header.
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/comma.h"
#include "base/strbuf.h"
#include "record/throttle.h"
#include "verdict/choices.h"
#include "verdict/decision_check.h"
#include "verdict/decision_make.h"
#include "verdict/problem_ceilings.h"
#include "verdict/round_medians.h"
#include "verdict/summary.h"

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

__attribute__((format(printf, 3, 4))) static void addf(struct arena *arena, struct warning_list *list,
                                                       const char *format, ...) {
    struct strbuf text = {0};
    va_list args;
    va_start(args, format);
    strbuf_addv(&text, format, args);
    va_end(args);
    add(arena, list, arena_strdup(arena, strbuf_text(&text)));
    strbuf_fini(&text);
}

// Whether the decision already says that nothing valid was measured of the problem.
static bool is_said(const struct result *result, const struct result_case *item, uint32_t side) {
    const struct decision *decision = result->decision;
    if (!decision || result_case_outcome(item, side) != OUTCOME_NOT_VALID) return false;
    for (size_t i = 0; i < decision->case_count; ++i) {
        const struct decision_case *decided = &decision->cases[i];
        bool is_refused = decided->verdict == VERDICT_NOT_VALID && (decided->guard || decided->sentence);
        if (is_refused && result_case_is(item, decided->name)) return true;
    }
    return false;
}

// "s512 simd", "s512 simd of new.json". The sides of other tools' files are named after the tool: left out.
static const char *who_of(const struct result *result, const struct result_case *item, uint32_t side,
                          struct arena *arena) {
    const bool has_label = result->sides[side].label && !(result->file && result->external_format);
    return arena_format(arena, "%s%s%s%s%s", result_case_name(item), has_label ? " " : "",
                        has_label ? result_side_name(result, side, arena) : "", result->file ? " of " : "",
                        str_or(result->file, ""));
}

void warnings_add_case(const struct result *result, const struct result_case *item, uint32_t side,
                       const struct summary *summary, struct arena *arena, struct warning_list *list) {
    const struct case_summary *figures = &summary->figures;
    const struct describe *describe = &summary->describe;
    const char *sentence = NULL;
    const char *who = who_of(result, item, side, arena);
    if (warnings_is_invalid(item, side, summary, arena, &sentence) && !is_said(result, item, side))
        addf(arena, list, "%s: %s", who, sentence);
    if (!figures->is_set) return;
    if (figures->cv_pct > WARN_CV_PCT)
        addf(arena, list,
             "%s: the samples vary by %.1f %% (CV), above %.0f %%: differences of that size mean nothing",
             who, figures->cv_pct, WARN_CV_PCT);
    if (describe->mode_count > 1 && describe->n >= WARN_MODES_FROM && figures->cv_pct > WARN_MODES_CV_PCT)
        addf(arena, list,
             "%s: the times fall into two groups, %.0f %% of them in the slower one: the median may jump "
             "between them",
             who, 100 * describe->mode_upper_ratio);
    // Rounds differ among themselves, which looks like a drift; the rounds rule deals with it.
    if (summary->round_count == 1 && describe->drift_p < WARN_DRIFT_P)
        addf(arena, list, "%s: the times drift %s during the measurement", who,
             describe->drift_rho > 0 ? "upwards" : "downwards");
    double discarded_pct = 100 * (double)figures->discarded_count / (double)summary->considered_count;
    if (discarded_pct > WARN_DISCARDED_PCT)
        addf(arena, list, "%s: %zu of %zu samples were discarded (%.0f %%)", who, figures->discarded_count,
             summary->considered_count, discarded_pct);
    double low_hz = summary->clock_probe_low_hz, high_hz = summary->clock_probe_high_hz;
    if (100 * (high_hz - low_hz) / low_hz > WARN_CLOCK_DRIFT_PCT)
        addf(arena, list, "%s: the clock drifted between %.0f and %.0f MHz while measuring", who,
             low_hz / 1e6, high_hz / 1e6);
}

bool warnings_is_invalid(const struct result_case *item, uint32_t side, const struct summary *summary,
                         struct arena *arena, const char **ret_sentence) {
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
            "time is accounted wrongly; %s",
            summary->figures.gflop_per_s, summary->figures.gb_per_s, summary->figures.ceiling_pct,
            summary->is_memory_over ? CEILING_SUSPECTS_MEMORY : CEILING_SUSPECTS_ARITHMETIC);
        return true;
    }
    return false;
}

// The device's state over the whole run, so that a warning comes once and not for every problem.
struct run_state {
    size_t round_count, busy_count, invalid_count, problem_count;
    double worst_others_pct, worst_steal_pct, hottest_c;
    int process_count;                       // most other processes seen on the device
    size_t hot_problems, throttled_problems; // of those with a valid measurement
    uint32_t throttle;                       // bits seen in valid measurements
    const char *other_throttle;              // throttle texts with words that assay does not know
    size_t causes[REASON_COUNT];             // of the measurements that did not count
    const char *invalid_reason;              // of the last one
};

static struct run_state gather(const struct result *result) {
    struct run_state run = {.worst_others_pct = NAN, .worst_steal_pct = NAN, .hottest_c = NAN};
    for (size_t i = 0; i < result->case_count; ++i) {
        uint32_t throttle = 0;
        double hottest_c = NAN;
        bool is_measured = false, is_other = false;
        for (size_t r = 0; r < result->cases[i].round_count; ++r) {
            const struct result_round *round = &result->cases[i].rounds[r];
            const struct device_state *state = &round->state;
            if (!round->has_state) continue;
            double taken = (isnan(state->others_pct) ? 0 : state->others_pct) +
                           (isnan(state->steal_pct) ? 0 : state->steal_pct);
            ++run.round_count;
            run.busy_count += taken > WARN_OTHERS_PCT || state->other_process_count > 0;
            run.worst_others_pct = fmax(run.worst_others_pct, state->others_pct);
            run.worst_steal_pct = fmax(run.worst_steal_pct, state->steal_pct);
            if (state->other_process_count > run.process_count)
                run.process_count = state->other_process_count;
            if (!round->is_valid) {
                ++run.invalid_count;
                ++run.causes[round_invalid_reason(round)];
                if (round->invalid_reason) run.invalid_reason = round->invalid_reason;
                continue;
            }
            uint32_t bits = 0;
            if (throttle_parse(state->throttle, &bits) < 0) {
                run.other_throttle = state->throttle;
                is_other = true;
            }
            throttle |= bits;
            hottest_c = fmax(hottest_c, state->temperature_c);
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

static void add_run_state(const struct run_state *run, struct arena *arena, struct warning_list *list) {
    struct strbuf text = {0}, causes = {0};
    char limits[THROTTLE_TEXT_BYTES];
    strbuf_addf(&text, "the machine was busy in %zu of %zu measurements", run->busy_count, run->round_count);
    if (isfinite(run->worst_others_pct))
        strbuf_addf(&text, ", other processes took up to %.1f %% of the processors", run->worst_others_pct);
    if (isfinite(run->worst_steal_pct) && run->worst_steal_pct > 0)
        strbuf_addf(&text, ", the hypervisor up to %.1f %%", run->worst_steal_pct);
    if (run->process_count > 0)
        strbuf_addf(&text, ", up to %d other process%s used the device", run->process_count,
                    run->process_count == 1 ? "" : "es");
    if (run->busy_count) addf(arena, list, "%s", strbuf_text(&text));
    for (int reason = REASON_NONE + 1; reason < REASON_COUNT; ++reason)
        if (run->causes[reason])
            comma_addf(&causes, "%zu %s", run->causes[reason], reason_text((enum reason)reason));
    if (run->invalid_count) // "4 of 41 measurements did not count (3 throttled, 1 busy machine); ..."
        addf(arena, list, "%zu of %zu measurements did not count (%s)%s%s", run->invalid_count,
             run->round_count, strbuf_text(&causes), run->invalid_reason ? "; the last one: " : "",
             str_or(run->invalid_reason, ""));
    // Heat and a power cap do not make a measurement invalid, but belong to it.
    if (run->hot_problems)
        addf(arena, list, "the device reached %.0f C, above %.0f C, in %zu of %zu problems", run->hottest_c,
             WARN_TEMPERATURE_C, run->hot_problems, run->problem_count);
    throttle_format(run->throttle, limits);
    if (run->throttle || run->other_throttle)
        addf(arena, list,
             "the device's clock was limited while measuring %zu of %zu problems: %s; both sides had it "
             "alike, and it belongs to the result",
             run->throttled_problems, run->problem_count, str_or(run->other_throttle, limits));
    strbuf_fini(&text);
    strbuf_fini(&causes);
}

// Warns if the sides' clock probes differ in the valid rounds of a problem. Above 1 % apart, a round is not
// valid.
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
    addf(arena, list, "%s", strbuf_text(&text));
    strbuf_fini(&text);
}

int warnings_get(const struct result *result, struct arena *arena, struct warning_list *ret) {
    // A clock lock is only a request: the power limit and heat override it. Reported once, for the problem
    // with the largest difference.
    const double held_hz = result->sampling.locked_clock_mhz * 1e6;
    double worst_hz = held_hz;
    const char *worst_case = NULL;
    *ret = (struct warning_list){0};
    const char *unlike_samples = NULL;
    if (decision_check(result, arena, &unlike_samples) < 0) return -1;
    if (unlike_samples) add(arena, ret, unlike_samples);
    struct run_state run = gather(result);
    add_run_state(&run, arena, ret);
    for (size_t i = 0; i < result->warning_count; ++i) add(arena, ret, result->warnings[i]);
    for (size_t i = 0; i < result->case_count; ++i) {
        const struct result_case *item = &result->cases[i];
        double side_clock_hz[WORK_SIDES_MAX];
        for (uint32_t side = 0; side < result->side_count; ++side) {
            struct summary summary;
            if (summary_describe(result, item, side, &summary) < 0) return -1;
            warnings_add_case(result, item, side, &summary, arena, ret);
            const char *unlike = choices_sentence(item, side, arena);
            if (unlike) addf(arena, ret, "%s: %s", who_of(result, item, side, arena), unlike);
            const double seen_hz = (summary.clock_probe_low_hz + summary.clock_probe_high_hz) / 2;
            const double off_hz = fabs(seen_hz - held_hz);
            side_clock_hz[side] = seen_hz;
            if (!(held_hz > 0) || !(100 * off_hz > WARN_LOCKED_PCT * held_hz)) continue;
            if (off_hz <= fabs(worst_hz - held_hz)) continue;
            worst_hz = seen_hz;
            worst_case = result_case_name(item);
        }
        add_clocks(result, item, side_clock_hz, arena, ret);
    }
    if (worst_case)
        addf(
            arena, ret,
            "the clock was to be held at %.0f MHz, but %.0f MHz were seen (%s): a limit of power or heat was "
            "stronger, or somebody changed it",
            held_hz / 1e6, worst_hz / 1e6, worst_case);
    return 0;
}
