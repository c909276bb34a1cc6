// SPDX-License-Identifier: Apache-2.0
//
// Which of Nsight Compute's metrics a figure is; names differ between chips and pages, and the first that has
// a value counts.
#include "profile/profile.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"

enum { NAMES_MAX = 5, SECTOR_BYTES = 32 };

static const struct source {
    size_t offset; // of the double in struct profile
    const char *names[NAMES_MAX];
} sources[] = {
#define FROM(m, ...)                                                                                         \
    {                                                                                                        \
        offsetof(struct profile, m), {                                                                       \
            __VA_ARGS__                                                                                      \
        }                                                                                                    \
    }
    FROM(duration_ns, "gpu__time_duration.sum", "Duration"),
    FROM(sm_clock_hz, "sm__cycles_elapsed.avg.per_second", "gpc__cycles_elapsed.avg.per_second",
         "SM Frequency"),
    FROM(clock_spread_pct, CLOCK_SPREAD_NAME),
    FROM(sm_pct, "sm__throughput.avg.pct_of_peak_sustained_elapsed", "Compute (SM) Throughput"),
    FROM(tensor_pct, "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active",
         "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed"),
    FROM(issue_pct, "smsp__issue_active.avg.pct_of_peak_sustained_active", "Issue Slots Busy"),
    FROM(dram_pct, "dram__throughput.avg.pct_of_peak_sustained_elapsed",
         "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed", "DRAM Throughput",
         "dram__bytes.sum.pct_of_peak_sustained_elapsed"),
    FROM(l2_pct, "lts__throughput.avg.pct_of_peak_sustained_elapsed", "L2 Cache Throughput"),
    FROM(l1_pct, "l1tex__throughput.avg.pct_of_peak_sustained_active",
         "l1tex__throughput.avg.pct_of_peak_sustained_elapsed", "L1/TEX Cache Throughput"),
    FROM(l2_hit_pct, "lts__t_sector_hit_rate.pct", "L2 Hit Rate"),
    FROM(l1_hit_pct, "l1tex__t_sector_hit_rate.pct", "L1/TEX Hit Rate"),
    FROM(occupancy_pct, "sm__warps_active.avg.pct_of_peak_sustained_active", "Achieved Occupancy"),
    FROM(occupancy_max_pct, "sm__maximum_warps_per_active_cycle_pct", "Theoretical Occupancy"),
    FROM(registers, "launch__registers_per_thread", "Registers Per Thread"),
    FROM(shared_bytes, "launch__shared_mem_per_block", "Dynamic Shared Memory Per Block"),
    FROM(block_threads, "launch__block_size", "Block Size"),
    FROM(grid_blocks, "launch__grid_size", "Grid Size"),
    FROM(waves, "launch__waves_per_multiprocessor", "Waves Per SM"),
    FROM(threads_per_instruction, "smsp__thread_inst_executed_per_inst_executed.ratio",
         "Avg. Active Threads Per Warp"),
    FROM(instructions, "smsp__inst_executed.sum", "Executed Instructions"),
    FROM(shared_wavefronts, "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"),
    FROM(dram_bytes, "dram__bytes.sum"),
    FROM(l2_bytes, "lts__t_bytes.sum"),
#undef FROM
};

// As in smsp__average_warps_issue_stalled_<R>_per_issue_active.ratio.
static const char *const stall_names[STALL_COUNT] = {
    [STALL_BARRIER] = "barrier",
    [STALL_BRANCH_RESOLVING] = "branch_resolving",
    [STALL_DISPATCH_STALL] = "dispatch_stall",
    [STALL_DRAIN] = "drain",
    [STALL_GMMA] = "gmma",
    [STALL_IMC_MISS] = "imc_miss",
    [STALL_LG_THROTTLE] = "lg_throttle",
    [STALL_LONG_SCOREBOARD] = "long_scoreboard",
    [STALL_MATH_PIPE_THROTTLE] = "math_pipe_throttle",
    [STALL_MEMBAR] = "membar",
    [STALL_MIO_THROTTLE] = "mio_throttle",
    [STALL_MISC] = "misc",
    [STALL_NO_INSTRUCTION] = "no_instruction",
    [STALL_NOT_SELECTED] = "not_selected",
    [STALL_SELECTED] = "selected",
    [STALL_SHORT_SCOREBOARD] = "short_scoreboard",
    [STALL_SLEEPING] = "sleeping",
    [STALL_TEX_THROTTLE] = "tex_throttle",
    [STALL_WAIT] = "wait",
};

const char *profile_stall_name(enum profile_stall stall) {
    return stall_names[stall];
}

static double one(const struct launch_counters *launch, const char *name) {
    return nsight_find(launch, (const char *const[]){name, NULL});
}

// Warps that are ready or issue do not wait: they count in the sum, but are no reason.
static void add_stalls(const struct launch_counters *launch, struct profile *profile) {
    const double latency = one(launch, "smsp__average_warp_latency_per_inst_issued.ratio");
    double sum_pct = 0, most_pct = 0;
    for (int i = 0; latency > 0 && i < STALL_COUNT; ++i) {
        char name[128];
        snprintf(name, sizeof name, "smsp__average_warps_issue_stalled_%s_per_issue_active.ratio",
                 stall_names[i]);
        const double pct = 100 * one(launch, name) / latency;
        if (!isfinite(pct)) continue;
        profile->stalls_pct[i] = pct;
        sum_pct += pct;
        if (i == STALL_SELECTED || i == STALL_NOT_SELECTED || pct <= most_pct) continue;
        most_pct = pct;
        profile->stall = stall_names[i];
    }
    if (!profile->stall) return;
    profile->stall_pct = most_pct;
    profile->stall_sum_pct = sum_pct;
}

// Operations of the matrix instructions by the types of their operands and results; forms that the launch
// lacks are 0 or not collected.
static const char *const tensor_operations[] = {
    "sm__ops_path_tensor_src_bf16_dst_fp32.sum", "sm__ops_path_tensor_src_fp16_dst_fp16.sum",
    "sm__ops_path_tensor_src_fp16_dst_fp32.sum", "sm__ops_path_tensor_src_tf32_dst_fp32.sum",
    "sm__ops_path_tensor_src_fp8.sum",
};

static void add_work(const struct launch_counters *launch, struct profile *profile) {
    for (size_t i = 0; i < sizeof tensor_operations / sizeof *tensor_operations; ++i) {
        const double value = one(launch, tensor_operations[i]);
        if (isfinite(value)) profile->tensor_flop = value + fmax(profile->tensor_flop, 0); // of NAN: 0
    }
    profile->fma_flop = one(launch, "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum") +
                        one(launch, "smsp__sass_thread_inst_executed_op_fmul_pred_on.sum") +
                        2 * one(launch, "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum");
    // Compilers load constants by HFMA2.MMA, which the tensor pipe executes on some chips.
    const double moves = one(launch, "sm__inst_executed_pipe_tensor_op_hmma_type_hfma2.sum");
    profile->tensor_instructions =
        one(launch, "sm__inst_executed_pipe_tensor.sum") - (isnan(moves) ? 0 : moves);
    const double sectors = one(launch, "lts__t_sectors.sum");
    if (isnan(profile->l2_bytes)) profile->l2_bytes = SECTOR_BYTES * sectors;
}

// The least of what every resource allows.
static double blocks_per_sm(const struct launch_counters *launch) {
    static const char *const limits[][3] = {
        {"launch__occupancy_limit_warps", "Block Limit Warps"},
        {"launch__occupancy_limit_blocks", "Block Limit SM"},
        {"launch__occupancy_limit_barriers", "Block Limit Barriers"},
        {"launch__occupancy_limit_registers", "Block Limit Registers"},
        {"launch__occupancy_limit_shared_mem", "Block Limit Shared Mem"},
    };
    double least = NAN;
    for (size_t i = 0; i < sizeof limits / sizeof *limits; ++i)
        least = fmin(nsight_find(launch, limits[i]), least); // of NAN and a number: the number
    return least;
}

static double ratio_pct(double part, double whole) {
    return whole > 0 ? 100 * part / whole : NAN;
}

static void add_ratios(const struct launch_counters *launch, struct profile *profile) {
    const double read = one(launch, "dram__bytes_read.sum"), written = one(launch, "dram__bytes_write.sum");
    if (isnan(profile->dram_bytes)) profile->dram_bytes = read + written;
    // The rate's two counts may be of different passes, and come to more than all.
    const double found = one(launch, "lts__t_sectors_lookup_hit.sum");
    const double found_pct = ratio_pct(found, found + one(launch, "lts__t_sectors_lookup_miss.sum"));
    if (!isnan(found_pct)) profile->l2_hit_pct = found_pct;
    profile->dram_gb_per_s = one(launch, "dram__bytes.sum.per_second") / 1e9;
    profile->bank_conflict_pct = ratio_pct(one(launch, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"),
                                           one(launch, "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"));
    profile->bytes_per_sector_pct = ratio_pct(
        one(launch, "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.ratio"), SECTOR_BYTES);
    if (!(profile->bytes_per_sector_pct > 0)) profile->bytes_per_sector_pct = NAN; // none, or by cp.async
    const char *const loads[] = {"smsp__inst_executed_op_local_ld.sum", "sass__inst_executed_local_loads",
                                 NULL};
    const char *const stores[] = {"smsp__inst_executed_op_local_st.sum", "sass__inst_executed_local_stores",
                                  NULL};
    profile->local_instructions = nsight_find(launch, loads) + nsight_find(launch, stores);
    profile->local_pct = ratio_pct(profile->local_instructions, profile->instructions);
    profile->sectors_per_request =
        one(launch, "l1tex__t_sectors_pipe_lsu.sum") / one(launch, "l1tex__t_requests_pipe_lsu.sum");
    if (!isfinite(profile->sectors_per_request)) // a page without them: loads alone
        profile->sectors_per_request = one(launch, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum") /
                                       one(launch, "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum");
}

struct profile profile_from_nsight(const struct launch_counters *launch) {
    struct profile profile;
    members_forget(&profile_members, &profile);
    profile.kernel = launch->function;
    profile.block = launch->block;
    profile.grid = launch->grid;
    for (size_t i = 0; i < sizeof sources / sizeof *sources; ++i) {
        const char *names[NAMES_MAX + 1] = {NULL};
        memcpy(names, sources[i].names, sizeof sources[i].names);
        const double value = nsight_find(launch, names);
        memcpy((char *)&profile + sources[i].offset, &value, sizeof value);
    }
    profile.blocks_per_sm = blocks_per_sm(launch);
    add_ratios(launch, &profile);
    add_work(launch, &profile);
    add_stalls(launch, &profile);
    return profile;
}

#define PROFILE(m, sentence) MEMBER(struct profile, #m, m, sentence)
#define STALLED(i, name)                                                                                     \
    MEMBER(struct profile, "stall_" name "_pct", stalls_pct[i], "Latency of an instruction: `" name "`.")
static const struct member members[] = {
    PROFILE(kernel, "Name of the device function."),
    PROFILE(block, "Threads of a block, by axis."),
    PROFILE(grid, "Blocks, by axis."),
    PROFILE(duration_ns, "Of the profiled launch, with the profiler's overhead: no performance."),
    PROFILE(sm_clock_hz, "Clock of the SMs meanwhile."),
    PROFILE(clock_spread_pct, "The lowest to the highest of several passes."),
    PROFILE(sm_pct, "SM throughput, of its peak."),
    PROFILE(tensor_pct, "Cycles in which the tensor pipe is active."),
    PROFILE(issue_pct, "Issue slots used."),
    PROFILE(dram_pct, "DRAM throughput, of its peak."),
    PROFILE(l2_pct, "L2 throughput, of its peak."),
    PROFILE(l1_pct, "L1 throughput, of its peak."),
    PROFILE(dram_bytes, "Bytes read from and written to DRAM."),
    PROFILE(dram_gb_per_s, "The same a second."),
    PROFILE(l2_bytes, "Bytes between L1 and L2."),
    PROFILE(tensor_flop, "Floating-point operations of the tensor cores."),
    PROFILE(fma_flop, "Floating-point operations in fp32: an FMA is two."),
    PROFILE(l2_hit_pct, "Sectors found in L2."),
    PROFILE(l1_hit_pct, "Sectors found in L1."),
    PROFILE(occupancy_pct, "Warps active, of those that fit an SM."),
    PROFILE(occupancy_max_pct, "What registers, shared memory and block size allow."),
    PROFILE(registers, "Of a thread."),
    PROFILE(shared_bytes, "Of a block."),
    PROFILE(block_threads, "Threads of a block."),
    PROFILE(grid_blocks, "Blocks."),
    PROFILE(waves, "Blocks, over those that run at once."),
    PROFILE(blocks_per_sm, "Blocks that fit an SM at once."),
    PROFILE(bank_conflict_pct, "Shared memory wavefronts that are due to bank conflicts."),
    PROFILE(bytes_per_sector_pct, "Bytes of a sector that global loads use."),
    PROFILE(local_pct, "Instructions that access local memory."),
    PROFILE(threads_per_instruction, "Threads that take part in an instruction, of 32."),
    PROFILE(instructions, "Instructions that warps executed."),
    PROFILE(tensor_instructions, "Matrix instructions among them."),
    PROFILE(local_instructions, "Accesses to local memory among them."),
    PROFILE(shared_wavefronts, "Passes through shared memory."),
    PROFILE(sectors_per_request, "Sectors of 32 bytes that an access through L1 touches, on average."),
    STALLED(STALL_BARRIER, "barrier"),
    STALLED(STALL_BRANCH_RESOLVING, "branch_resolving"),
    STALLED(STALL_DISPATCH_STALL, "dispatch_stall"),
    STALLED(STALL_DRAIN, "drain"),
    STALLED(STALL_GMMA, "gmma"),
    STALLED(STALL_IMC_MISS, "imc_miss"),
    STALLED(STALL_LG_THROTTLE, "lg_throttle"),
    STALLED(STALL_LONG_SCOREBOARD, "long_scoreboard"),
    STALLED(STALL_MATH_PIPE_THROTTLE, "math_pipe_throttle"),
    STALLED(STALL_MEMBAR, "membar"),
    STALLED(STALL_MIO_THROTTLE, "mio_throttle"),
    STALLED(STALL_MISC, "misc"),
    STALLED(STALL_NO_INSTRUCTION, "no_instruction"),
    STALLED(STALL_NOT_SELECTED, "not_selected"),
    STALLED(STALL_SELECTED, "selected"),
    STALLED(STALL_SHORT_SCOREBOARD, "short_scoreboard"),
    STALLED(STALL_SLEEPING, "sleeping"),
    STALLED(STALL_TEX_THROTTLE, "tex_throttle"),
    STALLED(STALL_WAIT, "wait"),
    PROFILE(stall, "The longest reason why warps wait."),
    PROFILE(stall_pct, "Its share of an instruction's latency."),
    PROFILE(stall_sum_pct, "All reasons together; under 90 % they are incomplete."),
};
const struct member_table profile_members =
    MEMBER_TABLE(struct profile, "profile", members, .sentence = "What a profiler counted in one launch.");
