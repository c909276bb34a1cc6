// SPDX-License-Identifier: Apache-2.0
//
// See estimate.h. Rates are those of the kind of device (device_kind.c); no kernel is known to be faster or
// slower yet.
#include "control/plan/estimate.h"

#include "control/plan/device_kind.h"

#define PYTHON_START_S 2.5 // importing PyTorch

static double worker_start_s(const struct plan *plan, const struct device_kind *kind) {
    double start_s = kind->start_s;
    for (size_t i = 0; i < plan->side_count; ++i)
        if (plan->sides[i].python) return start_s + PYTHON_START_S;
    return start_s;
}

// The matrix: one worker, one launch and one reference a problem.
static double matrix_s(const struct plan *plan, const struct device_kind *kind) {
    double flops = 0;
    for (size_t i = 0; i < plan->check_count; ++i) flops += problem_flops(&plan->checks[i].problem);
    return plan->check_count ? worker_start_s(plan, kind) + flops / kind->oracle_flop_per_s : 0;
}

// Samples of at least their shortest time on every side, and settling before the first.
static double round_s(const struct plan *plan, const struct device_kind *kind) {
    const struct sampling *sampling = &plan->sampling;
    const double least_s = (double)sampling->sample_time_ns / 1e9;
    double sum_s = (double)sampling->stabilize_ns / 1e9 + worker_start_s(plan, kind);
    for (size_t i = 0; i < plan->case_count; ++i) {
        const double launch_s = problem_flops(&plan->cases[i].problem) / kind->kernel_flop_per_s;
        const double sample_s = (launch_s > least_s ? launch_s : least_s) + kind->sample_s;
        sum_s += (double)plan->side_count * (sampling->sample_count + sampling->warmup_count) * sample_s;
    }
    return sum_s;
}

// A measured problem is checked before and after its samples; the reference of the first round serves all.
static double references_s(const struct plan *plan, const struct device_kind *kind) {
    double flops = 0;
    for (size_t i = 0; i < plan->case_count; ++i) flops += 2 * problem_flops(&plan->cases[i].problem);
    return flops / kind->oracle_flop_per_s;
}

double plan_expected_s(const struct plan *plan) {
    const struct device_kind *kind = device_kind_of(plan->device);
    if (!kind || kind->takes_scripts || plan->gate.is_same_code) return 0;
    const uint32_t round_count = plan->look_count ? plan->looks[0] : 0;
    return matrix_s(plan, kind) + references_s(plan, kind) + round_count * round_s(plan, kind);
}
