// SPDX-License-Identifier: Apache-2.0
//
// What must be said beside the numbers? Each limit is named in the header; each finding is one sentence for people.
#include "verdict/warnings.h"

#include "base/strbuf.h"

#include <math.h>
#include <string.h>

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
    return arena_format(arena, "%s%s%s", item->short_name ? item->short_name : item->problem.name,
                        has_label ? " " : "", has_label ? result_side_name(result, side, arena) : "");
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
    if (describe->mode_count > 1)
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

static void add_state(const struct summary *summary, const char *who, struct arena *arena,
                      struct warning_list *list) {
    const struct device_state *state = &summary->state;
    double low = summary->spin_clock_low_hz, high = summary->spin_clock_high_hz;
    if (state->temperature_c > WARN_TEMPERATURE_C)
        add(arena, list,
            arena_format(arena, "%s: the device is at %.0f C, above %.0f C", who, state->temperature_c,
                         WARN_TEMPERATURE_C));
    if (*state->throttle && !str_equal(state->throttle, "none"))
        add(arena, list,
            arena_format(arena, "%s: the device was throttled while measuring: %s", who, state->throttle));
    if (100 * (high - low) / low > WARN_CLOCK_DRIFT_PCT)
        add(arena, list,
            arena_format(arena, "%s: the clock drifted between %.0f and %.0f MHz while measuring", who,
                         low / 1e6, high / 1e6));
}

// The decision says of a problem that nothing valid was measured: once is enough.
static bool is_said(const struct result *result, const struct result_case *item, uint32_t side) {
    const struct decision *decision = result->decision;
    if (!decision || result_case_outcome(item, side) != OUTCOME_NOT_VALID) return false;
    for (size_t i = 0; i < decision->case_count; i++) {
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
    add_state(summary, who, arena, list);
}

bool warnings_is_invalid(const struct result *result, const struct result_case *item, uint32_t side,
                         const struct summary *summary, struct arena *arena, const char **ret_sentence) {
    if (result_case_outcome(item, side) == OUTCOME_NOT_VALID) {
        const char *reason = NULL;
        for (size_t r = 0; r < item->round_count; r++)
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

// One sentence for the whole run: what others took, and what it cost.
static void add_busy(const struct result *result, struct arena *arena, struct warning_list *list) {
    double worst_foreign = NAN, worst_steal = NAN;
    size_t round_count = 0, invalid_count = 0, busy_count = 0;
    for (size_t i = 0; i < result->case_count; i++) {
        for (size_t r = 0; r < result->cases[i].round_count; r++) {
            const struct result_round *round = &result->cases[i].rounds[r];
            if (!round->has_state) continue;
            double foreign = round->state.foreign_pct, steal = round->state.steal_pct;
            double taken = (isnan(foreign) ? 0 : foreign) + (isnan(steal) ? 0 : steal);
            round_count++;
            invalid_count += !round->is_valid;
            busy_count += taken > WARN_FOREIGN_PCT;
            worst_foreign = fmax(worst_foreign, foreign);
            worst_steal = fmax(worst_steal, steal);
        }
    }
    if (busy_count == 0 && invalid_count == 0) return;
    struct strbuf text = {0};
    strbuf_addf(&text, "the machine was busy in %zu of %zu measurements", busy_count, round_count);
    if (isfinite(worst_foreign))
        strbuf_addf(&text, ", other processes took up to %.1f %% of the processors", worst_foreign);
    if (isfinite(worst_steal) && worst_steal > 0)
        strbuf_addf(&text, ", the hypervisor up to %.1f %%", worst_steal);
    if (invalid_count) strbuf_addf(&text, "; %zu of them did not count", invalid_count);
    add(arena, list, arena_strdup(arena, strbuf_text(&text)));
    strbuf_fini(&text);
}

int warnings_get(const struct result *result, struct arena *arena, struct warning_list *ret) {
    *ret = (struct warning_list){0};
    add_busy(result, arena, ret);
    for (size_t i = 0; i < result->warning_count; i++) add(arena, ret, result->warnings[i]);
    for (size_t i = 0; i < result->case_count; i++) {
        for (uint32_t side = 0; side < result->side_count; side++) {
            struct summary summary;
            if (summary_get(result, &result->cases[i], side, &summary) < 0) return -1;
            warnings_add_case(result, &result->cases[i], side, &summary, arena, ret);
        }
    }
    return 0;
}
