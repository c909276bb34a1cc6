// SPDX-License-Identifier: Apache-2.0
//
// A decision as data: verdict, reason and numbers per problem, and one verdict over all problems.
// verdict/ computes it, the result document carries it, every report prints it. Figures that do
// not exist are NAN.
#ifndef RECORD_DECISION_H
#define RECORD_DECISION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/member.h"

enum verdict {
    VERDICT_NONE = 0,
    VERDICT_REGRESSION,
    VERDICT_IMPROVEMENT,
    VERDICT_MAINTAINED,
    VERDICT_NO_DIFFERENCE, // no significant difference (classic rule)
    VERDICT_UNDECIDABLE,   // rounds rule: too few data to decide
    VERDICT_SAME_CODE,     // same machine code on both sides: nothing measured
    VERDICT_WRONG,         // the candidate failed its check, crashed or hung
    VERDICT_NOT_VALID,     // not comparable, or the measurement cannot be used
    VERDICT_ADDED,         // only the candidate has the problem
    VERDICT_REMOVED,       // only the baseline has it
    VERDICT_WORSE_BUILD,   // over all problems: a figure of the compiler grew beyond its ratchet
    VERDICT_COUNT
};
// "regression", "improvement", "no_significant_difference", ...
const char *verdict_name(enum verdict verdict);
const char *verdict_text(enum verdict verdict);                  // for people: "no significant difference"
const char *verdict_text_of(size_t count, enum verdict verdict); // of so many problems: "regressions"
enum verdict verdict_parse(const char *name);

enum reason {
    REASON_NONE = 0,
    REASON_SLOWER_UNPROVEN,
    REASON_FASTER_UNPROVEN,
    REASON_EFFECT_TOO_SMALL,
    REASON_FASTER_IN_BAND,
    REASON_SLOWER_IN_BAND,
    REASON_IN_BAND,
    REASON_TIE, // BAND, intervals overlap
    REASON_SLOWER_PROVEN,
    REASON_FASTER_PROVEN,
    REASON_TOO_FEW_ROUNDS,
    REASON_TOO_NOISY,
    REASON_UNCONFIRMED, // the judge's clock alone does not show what the kernels' processes say
    REASON_TOO_FEW_SAMPLES,
    REASON_SUMMARIES_ONLY, // of another tool: a mean, and no samples
    REASON_DIFFERENT_DEVICE,
    REASON_DIFFERENT_SETTINGS,
    REASON_THROTTLED,
    REASON_CLOCKS_APART,
    REASON_COARSE_TIMER, // a sample is too few steps of the device's timer
    REASON_FEW_EFFECTIVE_SAMPLES,
    REASON_ACCOUNTING_ERROR,
    REASON_NOTHING_IN_COMMON,
    REASON_BAD_TIMES,
    REASON_BUSY_MACHINE, // rounds not valid after all repetitions
    REASON_NOT_MEASURED, // a side could not be measured (no memory, skipped, the worker died)
    REASON_CHECK_FAILED,
    REASON_UNSUPPORTED,
    REASON_EXPECTED_IMPROVEMENT,
    REASON_BUILD_FAILED,
    REASON_COUNT
};
const char *reason_name(enum reason reason); // "slower_unproven", ...
enum reason reason_parse(const char *name);

// A file as its repository names it, and the line to look at, from 1. path NULL: not known.
struct source_place {
    const char *path;
    int line;
};

struct decision_case {
    const char *name, *short_name; // problem
    struct source_place place;     // of what is held against the candidate: its kernel's first changed line
    enum verdict verdict;
    enum reason reason;
    const char *sentence; // why, for people; may be NULL
    double median_base_ns, median_cand_ns;
    double change_pct;                                           // positive: candidate slower
    double change_low_pct, change_high_pct;                      // interval of the estimate
    double interval_level;                                       // e.g. 0.95, or 0.9818 at a look
    double base_low_ns, base_high_ns, cand_low_ns, cand_high_ns; // 95 % intervals of the medians
    double cliffs_delta, u_statistic, p_mann_whitney;            // classic rule
    double p_raw, p_holm; // rounds rule: two-sided; Holm-adjusted over all problems
    double p_not_slower;  // one-sided: true change >= threshold
    double hodges_lehmann_pct, hl_low_pct, hl_high_pct; // a cross-check, decides nothing
    double smallest_detectable_pct;                     // at 90 % power, from the observed spread
    double spread_pct;                                  // sd of d_r between rounds
    uint32_t round_count, invalid_round_count;
    size_t base_count, cand_count;  // samples
    bool is_outlier_round;          // cross-check disagrees
    const char *accepted;           // why a regression fails no gate; NULL: it does
    const char *let_through;        // the same of one that is removed, or not decided
    const char *guard;              // the guard that blocks the verdict, for people; NULL: none
    enum verdict unguarded_verdict; // --no-guards: what the rule alone says
    enum reason unguarded_reason;
};

const char *decision_case_name(const struct decision_case *item); // "s512", else the problem's name

// How much is held against the candidate: what code hosts call the level of an annotation.
enum severity { SEVERITY_NONE = 0, SEVERITY_NOTE, SEVERITY_WARNING, SEVERITY_ERROR, SEVERITY_COUNT };
enum severity decision_case_severity(const struct decision_case *item);

// How a figure of the compiler stands to its ratchet (gate.ratchet).
enum ratchet_outcome {
    RATCHET_NONE = 0,
    RATCHET_HELD,
    RATCHET_WORSE,
    RATCHET_UNKNOWN,  // a side has no such figure: not judged
    RATCHET_ACCEPTED, // worse, and somebody takes it on
    RATCHET_OUTCOME_COUNT
};

struct decision_ratchet {
    const char *figure, *unit; // "registers"; unit: "bytes", ""
    enum ratchet_outcome outcome;
    double baseline, candidate; // NAN: not known
    const char *allowance;      // as written: "5 %"
    const char *sentence;       // for people
    struct source_place place;  // as of a case
};
enum severity decision_ratchet_severity(const struct decision_ratchet *ratchet);

struct decision {
    const char *rule;     // "classic", "rounds", "same_code", "integrated"
    enum verdict verdict; // over all problems
    int exit_code;        // 0..3
    const char *sentence; // one line for people
    const char *doubt; // why a change that is called may be none more often than promised; NULL: as promised
    const char *claim; // "improvement:s512": of a claim that was judged; NULL: none
    const char *unmet; // why it is not proved; NULL: it is, or there is none
    struct source_place place;              // of what is unmet: as of a case
    double regression_pct, improvement_pct; // thresholds: 3, 10
    uint32_t round_count;
    double geomean_speedup; // geometric mean of t_base/t_cand over the cases listed
    double best_speedup, worst_speedup;
    const char *best_name, *worst_name;
    size_t counts[VERDICT_COUNT];
    size_t case_count;
    struct decision_case *cases;
    size_t ratchet_count;
    struct decision_ratchet *ratchets; // a gate with gate.ratchet; else none
    size_t not_judged_count;
    const char **not_judged; // why a wrong candidate could have passed its check; none: it could not
    size_t note_count;
    const char **notes; // further sentences: warnings, lifted guards, what was left out
};

// The decision of a problem by its full name; NULL: none.
const struct decision_case *decision_find_case(const struct decision *decision, const char *name);
extern const struct member_table decision_members;

#endif
