// SPDX-License-Identifier: Apache-2.0
//
// The lists. What is read from them: profile_figures.c. tests/unit/test_cupti_metrics.c looks every name up
// in CUPTI's library and counts the passes.
#include "profile/profile_sets.h"

#include "record/member.h"

static const char *const set_names[PROFILE_SET_COUNT] = {
    [PROFILE_SET_INVALID] = "invalid",
    [PROFILE_SET_QUICK] = "quick",
    [PROFILE_SET_STANDARD] = "standard",
    [PROFILE_SET_FULL] = "full",
};

const char *profile_set_name(enum profile_set set) {
    return member_name(set_names, PROFILE_SET_COUNT, (int)set);
}

enum profile_set profile_set_parse(const char *name) {
    const int value = member_value(set_names, PROFILE_SET_COUNT, name);
    return value > 0 ? (enum profile_set)value : PROFILE_SET_INVALID;
}

#define STALL(reason) "smsp__average_warps_issue_stalled_" reason "_per_issue_active.ratio"

// The first GPU_QUICK_COUNT are quick. dram__throughput is the largest of several rates; the share of the
// bytes alone takes one pass with the rest.
enum { GPU_QUICK_COUNT = 10, CPU_QUICK_COUNT = 5 };
static const char *const of_gpu[] = {
    "gpu__time_duration.sum",
    "sm__cycles_elapsed.avg.per_second",
    "dram__bytes.sum",
    "dram__bytes.sum.per_second",
    "dram__bytes.sum.pct_of_peak_sustained_elapsed",
    "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active",
    "smsp__issue_active.avg.pct_of_peak_sustained_active",
    "sm__warps_active.avg.pct_of_peak_sustained_active",
    "smsp__inst_executed.sum",
    "l1tex__t_sector_hit_rate.pct",
    // standard
    "sm__inst_executed_pipe_tensor.sum",
    "sm__inst_executed_pipe_tensor_op_hmma_type_hfma2.sum",
    "sm__throughput.avg.pct_of_peak_sustained_elapsed",
    "dram__throughput.avg.pct_of_peak_sustained_elapsed",
    "l1tex__throughput.avg.pct_of_peak_sustained_active",
    "lts__throughput.avg.pct_of_peak_sustained_elapsed",
    "lts__t_sector_hit_rate.pct",
    "lts__t_sectors_lookup_hit.sum",
    "lts__t_sectors_lookup_miss.sum",
    "lts__t_bytes.sum",
    "smsp__warps_eligible.avg.per_cycle_active",
    "smsp__thread_inst_executed_per_inst_executed.ratio",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",
    "l1tex__t_sectors_pipe_lsu.sum",
    "l1tex__t_requests_pipe_lsu.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
    "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.ratio",
    "smsp__inst_executed_op_local_ld.sum",
    "smsp__inst_executed_op_local_st.sum",
    "smsp__average_warp_latency_per_inst_issued.ratio",
    STALL("barrier"),
    STALL("branch_resolving"),
    STALL("dispatch_stall"),
    STALL("drain"),
    STALL("gmma"),
    STALL("imc_miss"),
    STALL("lg_throttle"),
    STALL("long_scoreboard"),
    STALL("math_pipe_throttle"),
    STALL("membar"),
    STALL("mio_throttle"),
    STALL("misc"),
    STALL("no_instruction"),
    STALL("not_selected"),
    STALL("selected"),
    STALL("short_scoreboard"),
    STALL("sleeping"),
    STALL("tex_throttle"),
    STALL("wait"),
};

static const char *const of_cpu[] = {
    "instructions",
    "cycles",
    "task-clock",
    "page-faults",
    "context-switches",
    // standard
    "cpu-migrations",
    "branches",
    "branch-misses",
    "cache-references",
    "cache-misses",
    "L1-dcache-loads",
    "L1-dcache-load-misses",
    "fp_arith_inst_retired.scalar_single",
    "fp_arith_inst_retired.128b_packed_single",
    "fp_arith_inst_retired.256b_packed_single",
    "fp_arith_inst_retired.512b_packed_single",
};

const char *const *profile_set_of_gpu(enum profile_set set, size_t *ret_count) {
    *ret_count = set == PROFILE_SET_QUICK ? GPU_QUICK_COUNT : sizeof of_gpu / sizeof *of_gpu;
    return of_gpu;
}

const char *const *profile_set_of_cpu(enum profile_set set, size_t *ret_count) {
    *ret_count = set == PROFILE_SET_QUICK ? CPU_QUICK_COUNT : sizeof of_cpu / sizeof *of_cpu;
    return of_cpu;
}
