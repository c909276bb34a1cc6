// SPDX-License-Identifier: Apache-2.0
//
// Two runs of the same code in words: what the first one said of which problems, what this one says, and the rounds of
// both together where the verdicts differ.
#include "verdict/confirmation.h"

#include "base/strbuf.h"
#include "stats/round_stats.h"
#include "verdict/family.h"
#include "verdict/rounds_rule.h"

#include <inttypes.h>
#include <math.h>

enum { PROBLEMS_NAMED_MAX = 8 }; // a note is a sentence; the earlier report has the rest

static bool has_spread(const struct decision_case *item) {
    return item->round_count >= 2 && isfinite(item->change_pct) && isfinite(item->spread_pct);
}

struct confirmation_pool confirmation_pool(const struct decision_case *a, const struct decision_case *b) {
    struct confirmation_pool ret = {0, NAN, NAN, NAN};
    if (!has_spread(a) || !has_spread(b)) return ret;
    double a_count = a->round_count, b_count = b->round_count, count = a_count + b_count;
    double a_mean = log1p(a->change_pct / 100), b_mean = log1p(b->change_pct / 100);
    double a_sd = a->spread_pct / 100, b_sd = b->spread_pct / 100;
    double mean = (a_count * a_mean + b_count * b_mean) / count;
    double squares = (a_count - 1) * a_sd * a_sd + (b_count - 1) * b_sd * b_sd +
                     a_count * (a_mean - mean) * (a_mean - mean) +
                     b_count * (b_mean - mean) * (b_mean - mean);
    struct round_stats stats = {.count = (size_t)count, .mean = mean, .sd = sqrt(squares / (count - 1))};
    stats.se = stats.sd / sqrt(count);
    struct interval interval = round_stats_interval(&stats, ROUNDS_FIXED_ALPHA);
    ret = (struct confirmation_pool){(uint32_t)count, log_to_pct(mean), log_to_pct(interval.lo),
                                     log_to_pct(interval.hi)};
    return ret;
}

static const struct decision_case *case_find(const struct decision *decision, const char *name) {
    for (size_t i = 0; i < decision->case_count; i++)
        if (str_equal(decision->cases[i].name, name)) return &decision->cases[i];
    return NULL;
}

static bool is_against(enum verdict verdict) {
    return verdict == VERDICT_REGRESSION || verdict == VERDICT_WRONG || verdict == VERDICT_NOT_VALID ||
           verdict == VERDICT_UNDECIDABLE || verdict == VERDICT_NO_DIFFERENCE || verdict == VERDICT_REMOVED;
}

// "regression (+4.1 %, 3.6 to 4.6)"
static const char *finding_words(const struct decision_case *item, struct arena *arena) {
    const char *words = verdict_words(item->verdict);
    if (!isfinite(item->change_pct)) return words;
    if (!isfinite(item->change_low_pct)) return arena_format(arena, "%s (%+.1f %%)", words, item->change_pct);
    return arena_format(arena, "%s (%+.1f %%, %.1f to %.1f)", words, item->change_pct, item->change_low_pct,
                        item->change_high_pct);
}

// "regression on s512 (+4.1 %, 3.6 to 4.6), undecidable on long (...)": what went against the candidate.
static const char *earlier_words(const struct decision *earlier, struct arena *arena) {
    struct strbuf text = {0};
    size_t named = 0, left_out = 0;
    for (size_t i = 0; i < earlier->case_count; i++) {
        const struct decision_case *item = &earlier->cases[i];
        if (!is_against(item->verdict)) continue;
        if (named == PROBLEMS_NAMED_MAX) {
            left_out++;
            continue;
        }
        strbuf_addf(&text, "%s%s: %s", named++ ? "; " : "", decision_case_name(item),
                    finding_words(item, arena));
    }
    if (left_out) strbuf_addf(&text, "; and %zu more", left_out);
    if (!named) strbuf_add(&text, str_or(earlier->sentence, verdict_words(earlier->verdict)));
    const char *ret = arena_strdup(arena, strbuf_text(&text));
    strbuf_fini(&text);
    return ret;
}

static const char *outcome_words(int exit_code) {
    return exit_code == 1 ? "failed" : "could not be decided";
}

static bool is_open(enum verdict verdict) {
    return verdict == VERDICT_UNDECIDABLE || verdict == VERDICT_NOT_VALID || verdict == VERDICT_NONE;
}

static void note_difference(const struct decision_case *before, const struct decision_case *now,
                            struct arena *arena, struct decision *decision) {
    struct confirmation_pool pool = confirmation_pool(before, now);
    const char *both = "";
    if (pool.round_count)
        both = arena_format(arena, "; all %" PRIu32 " rounds together say %+.1f %% (95 %%: %.1f to %.1f)",
                            pool.round_count, pool.change_pct, pool.change_low_pct, pool.change_high_pct);
    family_add_note(decision, arena,
                    arena_format(arena, "%s: the two runs %s: %s then, %s now%s", decision_case_name(now),
                                 is_open(before->verdict) || is_open(now->verdict) ? "differ" : "disagree",
                                 finding_words(before, arena), finding_words(now, arena), both));
}

static void note_differences(const struct confirmation *confirmation, struct arena *arena,
                             struct decision *decision) {
    size_t count = 0;
    for (size_t i = 0; i < decision->case_count; i++) {
        const struct decision_case *now = &decision->cases[i];
        const struct decision_case *before = case_find(confirmation->earlier, now->name);
        if (!before || before->verdict == now->verdict) continue;
        if (!is_against(before->verdict) && !is_against(now->verdict)) continue;
        if (count++ < PROBLEMS_NAMED_MAX) note_difference(before, now, arena, decision);
    }
    if (count > PROBLEMS_NAMED_MAX)
        family_add_note(
            decision, arena,
            arena_format(arena, "the two runs disagree on %zu more problems", count - PROBLEMS_NAMED_MAX));
}

void confirmation_note(const struct confirmation *confirmation, struct arena *arena,
                       struct decision *decision) {
    const struct decision *earlier = confirmation->earlier;
    uint32_t number = confirmation->earlier_run_count + 1;
    const char *a = confirmation->earlier_device_uuid, *b = confirmation->device_uuid;
    if (a && b && !str_equal(a, b)) {
        family_add_note(decision, arena,
                        arena_format(arena,
                                     "the same code %s in run %s, but on another device (%s): this is no "
                                     "confirmation of it",
                                     outcome_words(earlier->exit_code), confirmation->earlier_id, a));
        return;
    }
    family_add_note(decision, arena,
                    arena_format(arena,
                                 "confirmation run %" PRIu32
                                 ": the same code %s in run %s (%s); this run has fresh data "
                                 "and says: %s; both stand in the record",
                                 number, outcome_words(earlier->exit_code), confirmation->earlier_id,
                                 earlier_words(earlier, arena),
                                 str_or(decision->sentence, verdict_words(decision->verdict))));
    if (earlier->exit_code != decision->exit_code)
        family_add_note(decision, arena,
                        arena_format(arena,
                                     "the two runs disagree (exit %d then, %d now): one pass does not cancel "
                                     "a failure, nor one failure a pass",
                                     earlier->exit_code, decision->exit_code));
    note_differences(confirmation, arena, decision);
    decision->sentence = arena_format(arena, "confirmation run %" PRIu32 ": %s", number,
                                      str_or(decision->sentence, verdict_words(decision->verdict)));
}
