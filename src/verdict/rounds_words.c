// SPDX-License-Identifier: Apache-2.0
//
// See rounds_words.h. The advice follows from the spread of this problem's own rounds; it promises nothing for a machine
// that changes.
#include "verdict/rounds_words.h"

#include "base/strbuf.h"
#include "record/work_order.h"
#include "stats/round_stats.h"
#include "verdict/reason_words.h"
#include "verdict/rounds_needed.h"

#include <inttypes.h>
#include <math.h>

#define WITHIN_SHARE_MIN 0.5 // of the variance between rounds: above it more samples are the cheaper cure
#define SAMPLES_FACTOR   4   // halves the noise within rounds

static double half_width_pct(const struct rounds_finding *finding) {
    return log_to_pct((finding->interval.hi - finding->interval.lo) / 2);
}

static double spread_pct(const struct rounds_finding *finding) {
    return 100 * finding->stats.sd;
}

static void add_rounds(uint32_t rounds, const char *when, struct strbuf *text) {
    if (rounds)
        strbuf_addf(text, "; --rounds %" PRIu32 " would decide %s", rounds, when);
    else
        strbuf_addf(text, "; no number of rounds up to %d would decide %s", ROUNDS_LIMIT, when);
}

// Fewer rounds than were measured are no advice: then chance, not their number, is what failed.
static uint32_t more_than(size_t measured, uint32_t rounds) {
    if (rounds == 0 || rounds > measured) return rounds;
    return 2 * measured <= ROUNDS_LIMIT ? (uint32_t)(2 * measured) : 0;
}

const char *rounds_help_words(enum reason invalid_cause) {
    switch (invalid_cause) {
    case REASON_THROTTLED: return "let the device cool, or fix its clock lower, and gate again";
    case REASON_CLOCKS_APART: return "fix the device's clock, and gate again";
    case REASON_NOT_MEASURED: return "see what ended the measurement before gating again";
    default: return "gate again when nothing else runs on this machine";
    }
}

static void add_causes(const struct rounds_finding *finding, const struct round_medians *medians,
                       struct strbuf *text) {
    double share = medians->within_sd / finding->stats.sd;
    if (share * share > WITHIN_SHARE_MIN && medians->samples_a_round > 0)
        strbuf_addf(text, "; much of it is noise within rounds, which more samples halve (--iters %zu)",
                    SAMPLES_FACTOR * medians->samples_a_round);
    if (medians->invalid_count)
        strbuf_addf(text, "; %zu attempt%s at a round did not count (%s): %s", medians->invalid_count,
                    medians->invalid_count == 1 ? "" : "s", reason_words(medians->invalid_cause),
                    rounds_help_words(medians->invalid_cause));
}

static void add_noisy(const struct rounds_finding *finding, const struct round_medians *medians,
                      const struct rounds_options *options, struct strbuf *text) {
    size_t count = finding->look_count;
    if (finding->family_false_ratio > ROUNDS_FAMILY_FALSE_RATIO)
        strbuf_addf(text,
                    "it looks %.1f %% %s after %zu rounds, but they differ by %.1f %%, and by such a spread "
                    "up to %.0f %% of all suites of this size would name an unchanged problem so",
                    fabs(log_to_pct(finding->stats.mean)), finding->stats.mean > 0 ? "slower" : "faster",
                    count, spread_pct(finding), 100 * fmin(finding->family_false_ratio, 1));
    else
        strbuf_addf(
            text,
            "after %zu rounds, which differ by %.1f %%, the change is known to no better than %.1f %% "
            "either way",
            count, spread_pct(finding), half_width_pct(finding));
    add_rounds(more_than(count, rounds_needed_fixed(finding->stats.sd, options->regression_pct)), "at this spread",
               text);
    add_causes(finding, medians, text);
}

static void add_near(const struct rounds_finding *finding, const struct round_medians *medians,
                     const struct rounds_options *options, struct strbuf *text) {
    double distance = fabs(log1p(options->regression_pct / 100) - finding->stats.mean);
    strbuf_addf(text, "after %zu rounds %.1f %% slower (%.1f to %.1f) is too near to %g %%",
                finding->look_count, log_to_pct(finding->stats.mean), log_to_pct(finding->interval.lo),
                log_to_pct(finding->interval.hi), options->regression_pct);
    add_rounds(more_than(finding->look_count, rounds_needed_apart(finding->stats.sd, distance)),
               "if the change is what it looks like", text);
    add_causes(finding, medians, text);
}

static void add_few(const struct rounds_finding *finding, const struct rounds_options *options,
                    struct strbuf *text) {
    if (options->is_out_of_time)
        strbuf_addf(text,
                    "the time of the run was over after %zu valid round%s: resume it, or raise limits.gate_s",
                    finding->look_count, finding->look_count == 1 ? "" : "s");
    else
        strbuf_addf(text, "%zu valid rounds decide nothing yet", finding->look_count);
}

const char *rounds_words(const struct rounds_finding *finding, const struct round_medians *medians,
                         const struct rounds_options *options, struct arena *arena) {
    struct strbuf text = {0};
    if (finding->reason == REASON_TOO_FEW_ROUNDS)
        add_few(finding, options, &text);
    else if (finding->reason == REASON_TOO_NOISY)
        add_noisy(finding, medians, options, &text);
    else if (finding->reason == REASON_SLOWER_UNPROVEN)
        add_near(finding, medians, options, &text);
    const char *ret = text.length ? arena_strdup(arena, strbuf_text(&text)) : NULL;
    strbuf_fini(&text);
    return ret;
}
