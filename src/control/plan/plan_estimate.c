// SPDX-License-Identifier: Apache-2.0
//
// Estimates how long a plan takes, for --dry-run: the order of magnitude only. The rates are those of the
// kind of device (device_kind.c), as no kernel has been measured yet.
#include "control/plan/device_kind.h"
#include "control/plan/plan.h"

#define PYTHON_START_S 2.5 // importing PyTorch

double plan_expected_s(const struct plan *plan) {
    const struct device_kind *kind = device_kind_of(plan->device);
    if (!kind || kind->takes_scripts || plan->gate.is_same_code) return 0;
    const struct sampling *sampling = &plan->sampling;
    const double least_s = (double)sampling->sample_time_ns / 1e9;
    bool has_python = false;
    for (size_t i = 0; i < plan->side_count; ++i) has_python |= plan->sides[i].python != NULL;
    const double start_s = kind->start_s + (has_python ? PYTHON_START_S : 0);
    // The correctness matrix: one worker, one launch and one reference a problem. A measured problem is
    // checked before and after its samples; the reference of the first round is used in all.
    double oracle_flop = 0;
    for (size_t i = 0; i < plan->check_count; ++i) oracle_flop += problem_flops(&plan->checks[i].problem);
    for (size_t i = 0; i < plan->case_count; ++i) oracle_flop += 2 * problem_flops(&plan->cases[i].problem);
    // A round: a new worker, clock stabilization, and samples of at least their shortest time on every side.
    double round_s = start_s + (double)sampling->stabilize_ns / 1e9;
    for (size_t i = 0; i < plan->case_count; ++i) {
        const double launch_s = problem_flops(&plan->cases[i].problem) / kind->kernel_flop_per_s;
        const double sample_s = (launch_s > least_s ? launch_s : least_s) + kind->sample_s;
        round_s += (double)plan->side_count * (sampling->sample_count + sampling->warmup_count) * sample_s;
    }
    const uint32_t round_count = plan->look_count ? plan->looks[0] : 0;
    return (plan->check_count ? start_s : 0) + oracle_flop / kind->oracle_flop_per_s + round_count * round_s;
}
