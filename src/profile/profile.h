// SPDX-License-Identifier: Apache-2.0
//
// What a profiler counted in one launch, under names of ours, and what follows from it: the bottleneck, and
// hypotheses in order of the gain that they promise. A profiler's duration is never shown as performance.
#ifndef PROFILE_PROFILE_H
#define PROFILE_PROFILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "profile/nsight_csv.h"
#include "record/member.h"

// The reasons why a warp does not issue, as ncu names them; SELECTED and NOT_SELECTED are no waiting.
enum profile_stall {
    STALL_BARRIER,
    STALL_BRANCH_RESOLVING,
    STALL_DISPATCH_STALL,
    STALL_DRAIN,
    STALL_GMMA,
    STALL_IMC_MISS,
    STALL_LG_THROTTLE,
    STALL_LONG_SCOREBOARD,
    STALL_MATH_PIPE_THROTTLE,
    STALL_MEMBAR,
    STALL_MIO_THROTTLE,
    STALL_MISC,
    STALL_NO_INSTRUCTION,
    STALL_NOT_SELECTED,
    STALL_SELECTED,
    STALL_SHORT_SCOREBOARD,
    STALL_SLEEPING,
    STALL_TEX_THROTTLE,
    STALL_WAIT,
    STALL_COUNT
};
const char *profile_stall_name(enum profile_stall stall); // "barrier"

// All but the texts are NAN where they were not collected. Shares are of the peak, in per cent.
struct profile {
    const char *kernel, *block, *grid;
    double duration_ns;                       // of the profiled launch: with its overhead, for rules only
    double sm_clock_hz, clock_spread_pct;     // the clock; how far passes over the counters were apart in it
    double sm_pct, tensor_pct, issue_pct;     // SM throughput; tensor pipe active; issue slots used
    double dram_pct, l2_pct, l1_pct;          // throughput of DRAM, L2, L1
    double dram_bytes, dram_gb_per_s;         // read and written
    double l2_bytes;                          // between L1 and L2
    double tensor_flop, fma_flop;             // executed by tensor cores; as fp32 add, multiply and FMA
    double l2_hit_pct, l1_hit_pct;            // sectors found there
    double occupancy_pct, occupancy_max_pct;  // warps active; what the launch allows
    double registers, shared_bytes;           // of a thread; of a block
    double block_threads, grid_blocks, waves; // waves: blocks over those that fit at once
    double blocks_per_sm;                     // that fit one multiprocessor at once
    double bank_conflict_pct;                 // of the shared memory wavefronts
    double bytes_per_sector_pct;              // of global loads: used bytes, of those moved
    double local_pct;                         // local memory instructions, of all
    double threads_per_instruction;           // of 32
    double instructions, tensor_instructions; // executed by warps; those that multiply matrices
    double local_instructions;                // those that access local memory
    double shared_wavefronts;                 // passes through shared memory
    double sectors_per_request;               // 32-byte sectors that an access through L1 touches, on average
    double stalls_pct[STALL_COUNT];           // shares of the latency of an instruction
    const char *stall;                        // the longest reason why warps wait: "wait"; NULL: not known
    double stall_pct, stall_sum_pct; // its share of the latency of an instruction; of all reasons together
};

extern const struct member_table profile_members;

// Texts are borrowed from the launch.
struct profile profile_from_nsight(const struct launch_counters *launch);

enum bottleneck {
    BOTTLENECK_UNKNOWN = 0, // too little was collected
    BOTTLENECK_ACCOUNTING_ERROR,
    BOTTLENECK_REGISTER_SPILL,
    BOTTLENECK_COMPUTE,
    BOTTLENECK_MEMORY,
    BOTTLENECK_SMALL_GRID,
    BOTTLENECK_LAUNCH_OR_LATENCY,
    BOTTLENECK_LATENCY,
    BOTTLENECK_MIXED,
    BOTTLENECK_LEANS_COMPUTE,
    BOTTLENECK_LEANS_MEMORY,
    BOTTLENECK_BALANCED,
    BOTTLENECK_COUNT
};
const char *bottleneck_name(enum bottleneck bottleneck); // "compute_bound"

enum { FINDINGS_MAX = 16 };

struct hypothesis {
    const char *text;   // "raise tensor pipe activity"
    const char *metric; // "tensor pipe 57 % (threshold 80 %)"
    const char *test;   // what to build or change to find out
    double gain;        // at most so many times as fast; NAN: cannot be said
};

struct diagnosis {
    enum bottleneck bottleneck;
    const char *because; // the numbers that decide, each with its threshold
    bool is_unreliable;  // so short, or its passes so different in clock, that counters say little
    size_t hypothesis_count;
    struct hypothesis hypotheses[FINDINGS_MAX]; // the largest gain first, unknown gains last
    size_t note_count;
    const char *notes[FINDINGS_MAX]; // what is cleared, or intended
};

extern const struct member_table diagnosis_members;

struct diagnosis profile_diagnose(const struct profile *profile, struct arena *arena);

#endif
