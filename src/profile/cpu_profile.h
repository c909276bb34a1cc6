// SPDX-License-Identifier: Apache-2.0
//
// What a processor counted in one launch, on all threads, and what follows from it.
#ifndef PROFILE_CPU_PROFILE_H
#define PROFILE_CPU_PROFILE_H

#include "profile/profile.h"

// NAN where it was not counted.
struct cpu_profile {
    double instructions, cycles, instructions_per_cycle;
    double branch_miss_pct;             // of the branches
    double l1d_miss_pct;                // of the loads
    double cache_misses_per_kilo_instr; // of the last level
    double vector_bits;                 // mean width of arithmetic in fp32; 32: scalar
    double task_clock_ns;               // of all threads together
    double page_faults, context_switches, migrations;
};

extern const struct member_table cpu_profile_members;

struct cpu_profile cpu_profile_from(const struct launch_counters *launch);
// Classes: compute_bound, memory_bound, latency_bound, or unknown without instructions and cycles.
struct diagnosis cpu_profile_diagnose(const struct cpu_profile *profile, struct arena *arena);

#endif
