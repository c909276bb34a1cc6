// SPDX-License-Identifier: Apache-2.0
//
// The guards of the classic rule that need the files: whether two results may be compared at all. Guards on
// the samples alone are in classic_judge().
#ifndef VERDICT_CLASSIC_CLASSIC_GUARD_H
#define VERDICT_CLASSIC_CLASSIC_GUARD_H

#include "verdict/classic/classic.h"

// The guard on the two files as a whole: the first difference that is not allowed; reason REASON_NONE: none.
// Allowed differences are added to the decision's notes.
struct classic_refusal {
    enum reason reason;
    const char *sentence;
};
struct classic_refusal classic_guard_files(const struct result *base, const struct result *cand,
                                           const struct classic_options *options, struct arena *arena,
                                           struct decision *decision);

// Guards on one problem that need no figures: another problem under the same short name, another kind of
// time, throttled samples, clock probes of assay's own files. classic_guard_ceilings() needs the medians in
// *ret.
struct classic_pair {
    struct classic_side base, cand;
    const struct result_case *base_case, *cand_case;
};
void classic_guard_state(const struct classic_pair *pair, const struct classic_options *options,
                         struct arena *arena, struct decision_case *ret);
// Median of the clocks read next to the samples that count; NAN if none was read. Below: how far two clocks
// are apart, in per cent of the lower one; NAN if either is NAN.
double classic_median_clock_hz(const struct result_case *item, uint32_t side);
double classic_clock_gap_pct(double base_hz, double cand_hz);
void classic_guard_ceilings(const struct classic_pair *pair, const struct classic_options *options,
                            struct arena *arena, struct decision_case *ret);

#endif
