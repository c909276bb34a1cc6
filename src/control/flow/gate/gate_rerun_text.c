// SPDX-License-Identifier: Apache-2.0
//
// Sentences that compare two runs of the same code: the verdicts of the first, those of this one, and the
// mean of both where they differ.
#include <inttypes.h>
#include <math.h>

#include "base/signed_figure.h"
#include "base/strbuf.h"
#include "control/flow/gate/gate_rerun_text_internal.h"
#include "stats/round_stats.h"
#include "verdict/decision_make.h"

enum { PROBLEMS_NAMED_MAX = 8 }; // a note is a sentence; the earlier report has the rest

double rerun_mean_pct(const struct decision_case *a, const struct decision_case *b) {
    if (a->round_count == 0 || b->round_count == 0) return NAN;
    double a_count = a->round_count, b_count = b->round_count;
    double sum = a_count * log1p(a->change_pct / 100) + b_count * log1p(b->change_pct / 100);
    return log_to_pct(sum / (a_count + b_count));
}

static bool is_against(enum verdict verdict) {
    return verdict == VERDICT_REGRESSION || verdict == VERDICT_WRONG || verdict == VERDICT_NOT_VALID ||
           verdict == VERDICT_UNDECIDABLE || verdict == VERDICT_NO_DIFFERENCE || verdict == VERDICT_REMOVED;
}

// "regression (+4.1 %, 3.6 to 4.6)"
static const char *finding_text(const struct decision_case *item, struct arena *arena) {
    const char *words = verdict_text(item->verdict);
    if (!isfinite(item->change_pct)) return words;
    const struct signed_figure change = signed_figure(item->change_pct, 1);
    if (!isfinite(item->change_low_pct)) return arena_format(arena, "%s (%s %%)", words, change.text);
    return arena_format(arena, "%s (%s %%, %.1f to %.1f)", words, change.text,
                        unsigned_zero(item->change_low_pct, 1), unsigned_zero(item->change_high_pct, 1));
}

// The problems that failed or were not decided: "s512: regression (+4.1 %, 3.6 to 4.6); long: undecidable
// (...)".
static const char *earlier_text(const struct decision *earlier, struct arena *arena) {
    struct strbuf text = {0};
    size_t named = 0, left_out = 0;
    for (size_t i = 0; i < earlier->case_count; ++i) {
        const struct decision_case *item = &earlier->cases[i];
        if (!is_against(item->verdict)) continue;
        if (named == PROBLEMS_NAMED_MAX) {
            ++left_out;
            continue;
        }
        strbuf_addf(&text, "%s%s: %s", named++ ? "; " : "", decision_case_name(item),
                    finding_text(item, arena));
    }
    if (left_out) strbuf_addf(&text, "; and %zu more", left_out);
    if (!named) strbuf_add(&text, str_or(earlier->sentence, verdict_text(earlier->verdict)));
    const char *ret = arena_strdup(arena, strbuf_text(&text));
    strbuf_fini(&text);
    return ret;
}

static const char *outcome_text(int exit_code) {
    return exit_code == 1 ? "failed" : "could not be decided";
}

// Notes the problems whose verdicts differ between the two runs, if one of the verdicts is against the
// candidate.
static void note_differences(const struct decision *earlier, struct arena *arena, struct decision *decision) {
    size_t count = 0;
    for (size_t i = 0; i < decision->case_count; ++i) {
        const struct decision_case *now = &decision->cases[i];
        const struct decision_case *before = decision_find_case(earlier, now->name);
        if (!before || before->verdict == now->verdict) continue;
        if (!is_against(before->verdict) && !is_against(now->verdict)) continue;
        if (++count > PROBLEMS_NAMED_MAX) continue;
        const enum verdict verdicts[] = {before->verdict, now->verdict};
        const char *verb = "disagree", *both = "";
        for (size_t k = 0; k < 2; ++k)
            if (verdicts[k] == VERDICT_UNDECIDABLE || verdicts[k] == VERDICT_NOT_VALID ||
                verdicts[k] == VERDICT_NONE)
                verb = "differ";
        double mean_pct = rerun_mean_pct(before, now);
        if (isfinite(mean_pct))
            both = arena_format(arena,
                                "; the mean of all %" PRIu32 " rounds is %s %%, and the first run was "
                                "chosen for its outcome",
                                before->round_count + now->round_count, signed_figure(mean_pct, 1).text);
        decision_note(decision, arena, "%s: the two runs %s: %s then, %s now%s", decision_case_name(now),
                      verb, finding_text(before, arena), finding_text(now, arena), both);
    }
    if (count > PROBLEMS_NAMED_MAX)
        decision_note(decision, arena, "the two runs disagree on %zu more problems",
                      count - PROBLEMS_NAMED_MAX);
}

// "2 of 3 earlier runs of this code decided against it; the newest of them, run X, failed (...)"
static const char *history_text(const struct rerun *rerun, struct arena *arena) {
    const struct decision *earlier = rerun->earlier;
    const char *which = rerun->failed_run_count > 1 ? "the newest of them, run" : "run";
    const char *counts = arena_format(
        arena, "%" PRIu32 " of %" PRIu32 " earlier run%s of this code decided against it",
        rerun->failed_run_count, rerun->earlier_run_count, rerun->earlier_run_count == 1 ? "" : "s");
    if (!earlier)
        return arena_format(arena, "%s; the result of %s %s cannot be read", counts, which,
                            rerun->earlier_id);
    return arena_format(arena, "%s; %s %s %s (%s)%s%s", counts, which, rerun->earlier_id,
                        outcome_text(earlier->exit_code), earlier_text(earlier, arena),
                        rerun->question ? "; it asked otherwise: " : "", str_or(rerun->question, ""));
}

// "GitHub says that this is attempt 3 of the job"
static const char *attempt_text(const struct rerun *rerun, struct arena *arena) {
    return arena_format(arena, "%s says that this is attempt %" PRIu32 " of the job",
                        str_or(rerun->attempt_host, "the code host"), rerun->earlier_attempt_count + 1);
}

// Of a machine that has forgotten the earlier attempts.
static void note_attempts(const struct rerun *rerun, struct arena *arena, struct decision *decision) {
    const uint32_t number = rerun->earlier_attempt_count + 1;
    const char *said = str_or(decision->sentence, verdict_text(decision->verdict));
    decision_note(decision, arena,
                  "rerun %" PRIu32 ": %s, and this machine does not know what the earlier ones decided; this "
                  "run has fresh data and says: %s",
                  number, attempt_text(rerun, arena), said);
    decision->sentence = arena_format(arena, "rerun %" PRIu32 ": %s", number, said);
}

void rerun_note(const struct rerun *rerun, struct arena *arena, struct decision *decision) {
    const bool is_more_than_known = rerun->earlier_attempt_count > rerun->earlier_run_count;
    const uint32_t number =
        (is_more_than_known ? rerun->earlier_attempt_count : rerun->earlier_run_count) + 1;
    const char *said = str_or(decision->sentence, verdict_text(decision->verdict));
    const struct decision *earlier = rerun->earlier;
    const bool is_elsewhere = rerun->earlier_device_uuid && rerun->device_uuid &&
                              !str_equal(rerun->earlier_device_uuid, rerun->device_uuid);
    if (earlier && is_elsewhere) {
        decision_note(decision, arena,
                      "the same code %s in run %s, but on another device (%s): this is no "
                      "confirmation of it",
                      outcome_text(earlier->exit_code), rerun->earlier_id, rerun->earlier_device_uuid);
        if (rerun->earlier_attempt_count) note_attempts(rerun, arena, decision);
        return;
    }
    if (!rerun->earlier_id) {
        note_attempts(rerun, arena, decision);
        return;
    }
    decision_note(decision, arena,
                  "rerun %" PRIu32
                  ": %s%s%s; this run has fresh data and says: %s; all of them stand in the record",
                  number, history_text(rerun, arena), is_more_than_known ? "; " : "",
                  is_more_than_known ? attempt_text(rerun, arena) : "", said);
    if (earlier && earlier->exit_code != decision->exit_code)
        decision_note(decision, arena,
                      "the two runs disagree (exit %d then, %d now): one pass does not cancel a failure, nor "
                      "one failure a pass",
                      earlier->exit_code, decision->exit_code);
    if (earlier) note_differences(earlier, arena, decision);
    decision->sentence = arena_format(arena, "rerun %" PRIu32 ": %s", number, said);
}
