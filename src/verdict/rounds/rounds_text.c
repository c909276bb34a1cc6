// SPDX-License-Identifier: Apache-2.0
//
// Sentences about a problem that is still open. See rounds_text_internal.h.
#include <inttypes.h>
#include <math.h>

#include "base/strbuf.h"
#include "record/work_order.h"
#include "stats/round_stats.h"
#include "verdict/decision_make.h"
#include "verdict/rounds/rounds_rule.h"
#include "verdict/rounds/rounds_text_internal.h"

#define WITHIN_SHARE_MIN 0.5 // share of the variance between rounds: above it more samples are cheaper
#define SAMPLES_FACTOR   4   // halves the noise within rounds

// Assumes that the change is as estimated. Above the threshold, the fixed number of rounds has to call it a
// regression; below, it has to prove that the change is below.
static struct rounds_advice advise(const struct rounds_finding *finding,
                                   const struct rounds_options *options) {
    double slow = log1p(options->spec.regression_pct / 100), mean = finding->stats.mean,
           sd = finding->stats.sd;
    size_t family = options->family_count ? options->family_count : 1;
    struct rounds_advice advice = {.is_asked = true};
    if (mean > slow) {
        advice.rounds = rounds_needed_call(sd, mean, options->spec.regression_pct, family);
    } else {
        const uint32_t fixed = rounds_needed_fixed(sd, options->spec.regression_pct);
        const uint32_t apart = mean > 0 ? rounds_needed_apart(sd, slow - mean) : fixed;
        advice.rounds = !fixed || !apart ? 0 : apart > fixed ? apart : fixed; // 0: not even ROUNDS_LIMIT
    }
    // A look's interval is wider than that of a fixed number of rounds, so a number that the looks have
    // already passed may be enough as a fixed number; the advice is always more rounds than were measured.
    if (advice.rounds && advice.rounds <= finding->look_count)
        advice.rounds = (uint32_t)finding->look_count + 1;
    return advice;
}

const char *rounds_help_text(enum reason invalid_cause) {
    switch (invalid_cause) {
    case REASON_THROTTLED: return "let the device cool, or fix its clock lower, and gate again";
    case REASON_CLOCKS_APART: return "fix the device's clock, and gate again";
    case REASON_COARSE_TIMER:
        return "gate with --cache rotate, which repeats launches until a sample is long enough";
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
                    medians->invalid_count == 1 ? "" : "s", reason_text(medians->invalid_cause),
                    rounds_help_text(medians->invalid_cause));
}

// "but one unchanged suite of this size in 12 would show as much by chance (one in 50 may)"
static void add_noisy(const struct rounds_finding *finding, const struct rounds_options *options,
                      struct strbuf *text) {
    const double family_p = finding->family_p, problem_p = finding->problem_p;
    if (family_p <= ROUNDS_FAMILY_FALSE_RATIO && problem_p <= ROUNDS_PROBLEM_FALSE_RATIO) {
        strbuf_addf(
            text,
            "after %zu rounds, which differ by %.1f %%, the change is known to no better than %.1f %% "
            "either way",
            finding->look_count, 100 * finding->stats.sd,
            log_to_pct((finding->interval.hi - finding->interval.lo) / 2));
        return;
    }
    bool is_family = options->family_count > 1 && family_p > ROUNDS_FAMILY_FALSE_RATIO;
    double p = is_family ? family_p : problem_p;
    strbuf_addf(text, "it looks %.1f %% %s after %zu rounds, but ", fabs(log_to_pct(finding->stats.mean)),
                finding->stats.mean > 0 ? "slower" : "faster", finding->look_count);
    if (p >= 0.5)
        strbuf_add(text, "most unchanged suites of this size would show as much by chance");
    else
        strbuf_addf(text, "one unchanged %s in %.0f would show as much by chance",
                    is_family ? "suite of this size" : "problem", 1 / p);
    strbuf_addf(text, " (one in %.0f may)",
                1 / (is_family ? ROUNDS_FAMILY_FALSE_RATIO : ROUNDS_PROBLEM_FALSE_RATIO));
}

static void add_few(const struct rounds_finding *finding, const struct rounds_options *options,
                    struct arena *arena, struct strbuf *text) {
    size_t fixed = options->fixed_round_count;
    const char *rounds = fixed ? arena_format(arena, "%zu of %zu valid rounds", finding->look_count, fixed)
                               : arena_format(arena, "%zu valid round%s", finding->look_count,
                                              finding->look_count == 1 ? "" : "s");
    if (options->is_out_of_time)
        strbuf_addf(text, "the time of the run was over after %s: resume it, or raise limits.gate_s", rounds);
    else
        strbuf_addf(text, "%s decide%s nothing", rounds, !fixed && finding->look_count == 1 ? "s" : "");
}

const char *rounds_text(const struct rounds_finding *finding, const struct round_medians *medians,
                        const struct rounds_options *options, struct arena *arena,
                        struct rounds_advice *ret_advice) {
    struct strbuf text = {0};
    bool is_noisy = finding->reason == REASON_TOO_NOISY, is_near = finding->reason == REASON_SLOWER_UNPROVEN;
    const double slow_log = log1p(options->spec.regression_pct / 100);
    *ret_advice = (struct rounds_advice){0};
    if (options->is_counted && is_near) {
        strbuf_addf(
            &text,
            "the counts of %zu rounds lie on both sides of %g %% (%.2f to %.2f): launches of this kernel do "
            "not count the same every time",
            finding->look_count, options->spec.regression_pct, log_to_pct(finding->interval.lo),
            log_to_pct(finding->interval.hi));
        is_near = false;
    }
    if (finding->reason == REASON_TOO_FEW_ROUNDS) add_few(finding, options, arena, &text);
    if (finding->reason == REASON_UNCONFIRMED)
        strbuf_addf(
            &text,
            "by the stamps of the kernels' own processes it is %.1f %% %s after %zu rounds, and the judge's "
            "clock alone does not show it; longer samples (--sample-time) are timed better from outside",
            fabs(log_to_pct(finding->stats.mean)), finding->stats.mean > 0 ? "slower" : "faster",
            finding->look_count);
    if (is_noisy) add_noisy(finding, options, &text);
    const bool is_early = finding->look_count < ROUNDS_CALL_FROM && finding->stats.mean > slow_log;
    if (is_near && is_early)
        strbuf_addf(
            &text,
            "after %zu rounds it is %.1f %% slower (%.1f to %.1f), and fewer than %d accuse nothing that is "
            "not beyond %g %%",
            finding->look_count, log_to_pct(finding->stats.mean), log_to_pct(finding->interval.lo),
            log_to_pct(finding->interval.hi), ROUNDS_CALL_FROM, ROUNDS_EARLY_PCT);
    if (is_near && !is_early)
        strbuf_addf(&text, "after %zu rounds %.1f %% slower (%.1f to %.1f) is too near to %g %%",
                    finding->look_count, log_to_pct(finding->stats.mean), log_to_pct(finding->interval.lo),
                    log_to_pct(finding->interval.hi), options->spec.regression_pct);
    if (is_noisy || is_near) {
        *ret_advice = advise(finding, options);
        if (ret_advice->rounds)
            strbuf_addf(&text, "; --rounds %" PRIu32 " would probably decide", ret_advice->rounds);
        else
            strbuf_addf(&text, "; up to %d rounds would probably not decide", ROUNDS_LIMIT);
        add_causes(finding, medians, &text);
    }
    const char *ret = text.length ? arena_strdup(arena, strbuf_text(&text)) : NULL;
    strbuf_fini(&text);
    return ret;
}

const char *rounds_text_suite(const struct rounds_advice *advice, size_t count, struct arena *arena) {
    size_t asked_count = 0, none_count = 0;
    uint32_t rounds = 0;
    for (size_t i = 0; i < count; ++i) {
        asked_count += advice[i].is_asked;
        none_count += advice[i].is_asked && advice[i].rounds == 0;
        if (advice[i].rounds > rounds) rounds = advice[i].rounds;
    }
    if (asked_count < 2 || rounds == 0) return NULL;
    const char *which = none_count ? arena_format(arena, "%zu of", asked_count - none_count) : "each of";
    return arena_format(arena,
                        "--rounds %" PRIu32
                        " would probably decide %s the %zu open problems, if their changes "
                        "are what they look like",
                        rounds, which, asked_count);
}
