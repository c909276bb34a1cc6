// SPDX-License-Identifier: Apache-2.0
//
// The values, and what each is for. docs/profiling.md repeats them; a unit test holds the two together.
#include "profile/thresholds.h"

const struct thresholds thresholds = {
    .accounting_pct = 102,
    .ridge_min = 1,
    .spill_pct = 10,
    .dram_bound_pct = 70,
    .tensor_bound_pct = 50,
    .busy_pct = 60,
    .short_ns = 10000,
    .saturated_pct = 80,
    .lean_pct = 10,
    .unreliable_ns = 5000,
    .clock_spread_pct = 10,
    .stall_pct = 30,
    .stall_complete_pct = 90,
    .sector_pct = 80,
    .conflict_pct = 10,
    .threads_min = 24,
    .tail_pct = 20,
    .tensor_unused_pct = 10,
    .idle_pct = 40,
};

#define THRESHOLD(m, sentence) MEMBER(struct thresholds, #m, m, sentence)
static const struct member members[] = {
    THRESHOLD(accounting_pct, "A share above it is an accounting error: a counter or a ceiling is wrong."),
    THRESHOLD(ridge_min, "FLOP/byte; the outermost ridge point below it mixes units in the ceilings."),
    THRESHOLD(spill_pct, "Local memory instructions above it: register_spill."),
    THRESHOLD(dram_bound_pct, "DRAM above it: memory_bound."),
    THRESHOLD(tensor_bound_pct, "Tensor pipe above it, DRAM not: compute_bound."),
    THRESHOLD(busy_pct, "Compute and memory both below it: latency, launch or a small grid."),
    THRESHOLD(short_ns, "Such a launch that is shorter: launch_or_latency."),
    THRESHOLD(saturated_pct, "Compute or memory from it on: bound by it; what a hypothesis aims at."),
    THRESHOLD(lean_pct, "Points between compute and memory from which on a kernel leans one way."),
    THRESHOLD(unreliable_ns, "A shorter launch is marked: counters say little."),
    THRESHOLD(clock_spread_pct, "The clocks of passes over the counters differ by more: it is marked, too."),
    THRESHOLD(stall_pct, "A stall's share of the latency above it is a hypothesis."),
    THRESHOLD(stall_complete_pct, "Reasons of stalls that add to less are incomplete."),
    THRESHOLD(sector_pct, "Bytes used of a sector below it: uncoalesced."),
    THRESHOLD(conflict_pct, "Wavefronts due to bank conflicts above it."),
    THRESHOLD(threads_min, "Threads of 32 that take part, below it: divergent."),
    THRESHOLD(tail_pct, "The time in which the last wave idles, from it on."),
    THRESHOLD(tensor_unused_pct, "Tensor pipe below it in a busy kernel: matrix instructions are unused."),
    THRESHOLD(idle_pct, "Occupancy below it in a kernel bound by compute is intended."),
};
const struct member_table threshold_members =
    MEMBER_TABLE(struct thresholds, "thresholds", members, .sentence = "Thresholds of the classification.");
