// SPDX-License-Identifier: Apache-2.0
//
// Estimates how long a plan takes, for --dry-run and the progress line: the order of magnitude only. The
// rates are those of the kind of device (device_kind.c), as no kernel has been measured yet.
#include <math.h>

#include "control/plan/device_kind.h"
#include "control/plan/plan.h"
#include "record/declared_members.h"

#define PYTHON_START_S 2.5 // importing PyTorch

// Of a problem, besides its arithmetic: memory, inputs, comparison.
#define CASE_LEAST_S      0.01
#define REFERENCE_START_S 0.1

// A declared operator need not say how much it computes: then as if an operation were a byte.
static double flop_of(const struct problem *problem) {
    const double flop = problem_flops(problem);
    return isfinite(flop) ? flop : problem_bytes(problem);
}

// Of a case, for the processes of a declared operator's reference.
static double reference_s(const struct problem *problem) {
    return declared_of(problem->op) ? REFERENCE_START_S : 0;
}

double plan_check_s(const struct plan *plan, size_t index) {
    const struct device_kind *kind = device_kind_of(plan->device);
    if (!kind || kind->takes_scripts) return CASE_LEAST_S;
    const struct problem *problem = &plan->checks[index].problem;
    return CASE_LEAST_S + reference_s(problem) + flop_of(problem) / kind->oracle_flop_per_s;
}

double plan_measure_s(const struct plan *plan, size_t index) {
    const struct device_kind *kind = device_kind_of(plan->device);
    const struct sampling *sampling = &plan->sampling;
    if (!kind || kind->takes_scripts) return CASE_LEAST_S;
    const double least_s = (double)sampling->sample_time_ns / 1e9;
    const double launch_s = flop_of(&plan->cases[index].problem) / kind->kernel_flop_per_s;
    const double sample_s = (launch_s > least_s ? launch_s : least_s) + kind->sample_s;
    return CASE_LEAST_S + reference_s(&plan->cases[index].problem) +
           (double)plan->side_count * (sampling->sample_count + sampling->warmup_count) * sample_s;
}

double plan_work_s(const struct plan *plan) {
    const uint32_t rounds = plan->look_count ? plan->looks[plan->look_count - 1] : 0;
    double sum = 0;
    for (size_t i = 0; i < plan->check_count; ++i) sum += plan_check_s(plan, i);
    for (size_t i = 0; i < plan->case_count; ++i) sum += rounds * plan_measure_s(plan, i);
    return sum;
}

// A new worker, and stabilization of the clock; what a round needs besides its samples.
static double round_start_s(const struct plan *plan, const struct device_kind *kind) {
    bool has_python = false;
    for (size_t i = 0; i < plan->side_count; ++i) has_python |= plan->sides[i].python != NULL;
    return kind->start_s + (has_python ? PYTHON_START_S : 0) + (double)plan->sampling.stabilize_ns / 1e9;
}

// The rounds up to the first look, with samples of at least their shortest time on every side.
static double first_look_s(const struct plan *plan, const struct device_kind *kind) {
    double round_s = round_start_s(plan, kind);
    for (size_t i = 0; i < plan->case_count; ++i) round_s += plan_measure_s(plan, i);
    return (plan->look_count ? plan->looks[0] : 0) * round_s;
}

double plan_expected_s(const struct plan *plan) {
    const struct device_kind *kind = device_kind_of(plan->device);
    if (!kind || kind->takes_scripts || plan->gate.is_same_code) return 0;
    // The correctness matrix: one worker, one launch and one reference a problem. A measured problem is
    // checked before and after its samples; the reference of the first round is used in all.
    double check_s = plan->check_count ? round_start_s(plan, kind) : 0;
    for (size_t i = 0; i < plan->check_count; ++i) check_s += plan_check_s(plan, i);
    for (size_t i = 0; i < plan->case_count; ++i)
        check_s += 2 * flop_of(&plan->cases[i].problem) / kind->oracle_flop_per_s;
    return check_s + first_look_s(plan, kind);
}

double plan_first_look_s(const struct plan *plan, size_t index, double took_s) {
    const struct device_kind *kind = device_kind_of(plan->device);
    if (!kind || kind->takes_scripts) return 0;
    return first_look_s(plan, kind) * took_s / (round_start_s(plan, kind) + plan_measure_s(plan, index));
}
