// SPDX-License-Identifier: Apache-2.0
//
// The classic rule: compares two sets of samples, or two result files, and returns regression, improvement,
// maintained, or no significant difference. Medians, 95 % bootstrap intervals of the median, Cliff's delta.
// It knows the spread within a run but not the spread between runs; the rounds rule
// (verdict/rounds/rounds.h) knows both. Signs are those of times: change_pct > 0 and Cliff's delta >
// 0 mean that the candidate is slower.
#ifndef VERDICT_CLASSIC_CLASSIC_H
#define VERDICT_CLASSIC_CLASSIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "record/decision.h"
#include "record/gate_spec.h"
#include "record/result.h"
#include "stats/bootstrap.h"
#include "stats/bootstrap_ratio.h"

#define CLASSIC_SAMPLES_MIN    6   // fewer on a side: not valid (no 95 % interval of a median exists below)
#define CLASSIC_SAMPLES_WARN   20  // fewer on a side: a warning
#define CLASSIC_EFFECT_MIN     0.3 // |Cliff's delta| that an improvement and a proof inside the band need
#define CLASSIC_THROTTLED_PCT  5.0 // a larger share of a side's samples throttled: not valid
#define CLASSIC_EFFECTIVE_MIN  20  // fewer effective samples, with at least CLASSIC_EFFECTIVE_FROM: not valid
#define CLASSIC_EFFECTIVE_FROM 40

// The verdict on a change inside the band for which no difference is proved. NEUTRAL: no significant
// difference. PROVEN: maintained, if the upper end of the ratio's interval is below the regression threshold.
enum classic_tie { CLASSIC_TIE_INVALID = 0, CLASSIC_TIE_NEUTRAL, CLASSIC_TIE_PROVEN, CLASSIC_TIE_COUNT };
enum classic_tie classic_tie_parse(const char *name); // "neutral", "proven"

// Differences between the files that are accepted (bits); each is noted in the decision.
enum classic_allow {
    CLASSIC_ALLOW_NONE = 0,
    CLASSIC_ALLOW_PROBLEM = 1 << 0,
    CLASSIC_ALLOW_DEVICE = 1 << 1,
    CLASSIC_ALLOW_DRIVER = 1 << 2,
    CLASSIC_ALLOW_CLOCK_POLICY = 1 << 3,
    CLASSIC_ALLOW_POWER_MODE = 1 << 4,
    CLASSIC_ALLOW_CACHE_MODE = 1 << 5,
    CLASSIC_ALLOW_THREADS = 1 << 6,
    CLASSIC_ALLOW_BUSY_LIMIT = 1 << 7,
};
// "device,driver" -> bits. ERR_USAGE names what there is: problem device driver clock_policy power mode
// cache_mode threads busy_limit.
int classic_allow_parse(const char *list, uint32_t *ret_bits, struct err *err);

struct classic_options {
    struct gate_spec spec;
    enum classic_tie tie;
    bool is_literal_bootstrap; // draw 10 000 resamples with MT19937 instead of the exact distribution
    uint32_t bootstrap_seed;   // of the MT19937 bootstrap
    bool has_guards;           // false: guards are only printed, and the rule's verdict stands
    bool counts_rounds; // a round's median is a sample, where both sides have CLASSIC_SAMPLES_MIN of them
    uint32_t allowed;   // enum classic_allow bits
    double ceiling_gflop_per_s, ceiling_gb_per_s; // NAN: each file's own
};
struct classic_options classic_options_default(void);
// "exact" or "mt19937:SEED". ERR_USAGE.
int classic_bootstrap_parse(const char *text, struct classic_options *options, struct err *err);

// Kept between calls, so that many problems with the same numbers of samples work out once what follows from
// these alone. Starts as zeros; bootstrap_ratio_free() ends it.
struct classic_memory {
    struct bootstrap_median_memory base, cand; // cand: where the numbers differ
    struct bootstrap_ratio_memory ratio;
};

// Figures and verdict of two sets of samples (per-launch times in ns, in time order) with the guards that
// need no file: sample counts, finite and positive times, effective sample size. ret's names and counts are
// left as they are. unguarded_verdict always holds the rule's verdict; verdict is VERDICT_NOT_VALID if a
// guard fires and options ask for guards. Texts live in the arena. ERR_INTERNAL: no memory.
struct classic_sets {
    const double *base_ns, *cand_ns;
    size_t base_count, cand_count;
    struct classic_memory *memory; // NULL: nothing is kept
    double *ret_effective;         // [2]: effective samples of both, NAN where not computed; NULL: not wanted
};
int classic_judge(const struct classic_sets *sets, const struct classic_options *options, struct arena *arena,
                  struct decision_case *ret, struct err *err);

// The side of a file whose label is `kernel`; else whose kernel has that name, else whose module names its
// kernel so. NULL: any side. Of several it is the candidate; ERR_USAGE, which lists the sides, where that is
// not one, or none has the name.
int classic_side_find(const struct result *result, const char *kernel, uint32_t *ret_side, struct err *err);

struct classic_side {
    const struct result *result;
    uint32_t side;
};

// Every problem of both files, in the baseline's order, added ones at the end. Fills cases, counts, means and
// notes of the decision; verdict over the family and exit code are gate_rule_apply()'s
// (verdict/gate_rule.h).
int verdict_classic(struct classic_side base, struct classic_side cand, const struct classic_options *options,
                    struct arena *arena, struct decision *ret, struct err *err);

// ---- was a stored baseline reproduced? ----

// The problems of a stored baseline are measured again. One is reproduced if its median is within 3 %, its
// throughput within 5 %, and the 95 % confidence intervals of the medians overlap. The guards of the classic
// rule apply. Where both hold rounds, each fresh process counts once: samples of one process depend on each
// other, and say nothing of the spread between processes.
#define REPRODUCED_ROUNDS         10 // that a baseline is measured in
#define REPRODUCED_MEDIAN_PCT     3.0
#define REPRODUCED_THROUGHPUT_PCT 5.0

struct reproduced_row {
    const char *name;              // short name, else the problem's
    double value_ns, reference_ns; // medians
    double median_change_pct;      // positive: slower now
    double throughput_change_pct;  // positive: more now
    bool do_intervals_overlap, is_match;
    const char *invalid; // why the two cannot be compared; NULL: they can
};

struct reproduced {
    size_t row_count;
    struct reproduced_row *rows;
    int exit_code;        // 0 reproduced, 1 not, 3 invalid
    const char *sentence; // over all rows
};

// Both results have one side. Strings live in the arena.
int reproduced_get(const struct result *reference, const struct result *measured, struct arena *arena,
                   struct reproduced *ret, struct err *err);

#endif
