// SPDX-License-Identifier: Apache-2.0
//
// Every threshold of the classification, for counted figures (diagnosis.c) and for modelled ones
// (roofline.c). Nothing else decides; sentences print the threshold beside the number.
#ifndef PROFILE_THRESHOLDS_H
#define PROFILE_THRESHOLDS_H

#include "record/member.h"

struct thresholds {
    double accounting_pct, ridge_min;
    double unreliable_ns, clock_spread_pct, short_ns;
    double spill_pct, tensor_bound_pct, dram_bound_pct, busy_pct, saturated_pct, idle_pct, lean_pct;
    double stall_pct, stall_complete_pct, sector_pct, conflict_pct, threads_min, tail_pct, tensor_unused_pct;
};

extern const struct thresholds thresholds;
extern const struct member_table threshold_members; // name and meaning of each

#endif
