// SPDX-License-Identifier: Apache-2.0
//
// Sides that cannot share a process. Case by case, each side is measured in fresh workers of its own, in the
// order A B B A (B A A B in every second round) with half of the samples each; then the halves of a side are
// joined. So measurements compared are close in time, and a kill loses one case at most.
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/rng.h"
#include "base/strbuf.h"
#include "control/exec/job_internal.h"

// One case while its workers measure it.
struct pairing {
    struct executor *executor;
    const struct work_order *order;
    const struct work_case *item;
    struct measurement total;
    struct measurement of_side[WORK_SIDES_MAX]; // only their states: each side's clock
    uint64_t first_hello_ns;
    bool is_over; // a side failed: nothing is kept
};

// number: which half of the side's samples, 0 or 1.
static int measure_half(struct pairing *pairing, uint32_t side, uint32_t number, struct err *err) {
    struct arena arena = {0};
    struct work_order order;
    order_of_one_side(pairing->order, side, pairing->item->index, &arena, &order);
    // Each half draws its own numbers: with one seed a simulated device would give both the same times.
    order.seed = rng_u64(pairing->order->seed, rng_stream("half of a side"), number);
    order.sampling.sample_count -= order.sampling.sample_count / 2;
    order.sampling.sample_count_noisy -= order.sampling.sample_count_noisy / 2;
    order.sampling.sample_count_noisier -= order.sampling.sample_count_noisier / 2;
    order.sampling.case_budget_ns /= 2;
    struct job job = {.mode = JOB_PART, .executor = pairing->executor, .order = &order, .side_map = {side}};
    int code = job_run(&job, err);
    if (code >= 0 && job.fate == JOB_KILLED) {
        job.order = pairing->order; // of all sides, by the plan's numbers
        code = executor_judge_kill(&job, err);
        pairing->is_over = true;
    } else if (code >= 0 && job.fate != JOB_FINISHED) {
        code = executor_keep_death(&job, side, job.is_timing ? "while it was timed: " : "", err);
        pairing->is_over = true;
    } else if (code >= 0 && executor_has_failed_side(pairing->executor->result, pairing->item->index, side)) {
        pairing->is_over = true;
    } else if (code >= 0 && !measurement_is_complete(&job.measurement, 1u << side)) {
        code = err_set(err, ERR_INTERNAL, "a worker ended well but did not measure '%s'",
                       pairing->item->problem.name);
    }
    if (code >= 0 && !pairing->is_over) {
        if (pairing->first_hello_ns == 0) pairing->first_hello_ns = job.hello_ns;
        measurement_append(&pairing->total, &job.measurement, job.hello_ns - pairing->first_hello_ns);
        measurement_append(&pairing->of_side[side], &job.measurement, 0);
    }
    job_fini(&job);
    arena_fini(&arena);
    return code;
}

// A worker with one side cannot see that the other side had another clock. In the sustained power mode it may
// have one: it follows from its power.
static void compare_clocks(struct pairing *pairing) {
    if (pairing->order->sampling.power_mode == POWER_MODE_SUSTAINED) return;
    struct record *total = &pairing->total.state;
    double low_hz = INFINITY, high_hz = 0;
    for (uint32_t side = 0; side < WORK_SIDES_MAX; ++side) {
        const struct record *state = &pairing->of_side[side].state;
        if (state->kind == RECORD_INVALID || !isfinite(state->state.clock_probe_hz)) continue;
        low_hz = fmin(low_hz, state->state.clock_probe_hz);
        high_hz = fmax(high_hz, state->state.clock_probe_hz);
    }
    if (!(high_hz > low_hz * (1 + CLOCKS_APART_MAX_PCT / 100)) || !total->is_valid) return;
    total->is_valid = false;
    total->invalid_cause = INVALID_CAUSE_CLOCKS_APART;
    total->text = arena_format(&pairing->total.arena, "the clock probes of the sides were %.1f %% apart",
                               100 * (high_hz / low_hz - 1));
}

int executor_measure_apart(struct executor *executor, const struct work_order *order,
                           const struct work_case *item, struct err *err) {
    struct pairing *pairing = mem_alloc(sizeof *pairing); // too large for a stack
    pairing->executor = executor;
    pairing->order = order;
    pairing->item = item;
    uint32_t sides[WORK_SIDES_MAX];
    uint32_t count = 0;
    int code = 0;
    for (uint32_t side = 0; side < order->side_count; ++side) {
        if (item->side_mask >> side & 1) sides[count++] = side;
    }
    for (uint32_t step = 0; step < 2 * count && code >= 0 && !pairing->is_over; ++step) {
        const uint32_t place = step < count ? step : 2 * count - 1 - step; // A B B A
        const uint32_t side = sides[order->is_first_side_flipped ? count - 1 - place : place];
        code = measure_half(pairing, side, step / count, err);
    }
    if (code >= 0 && !pairing->is_over) {
        compare_clocks(pairing);
        code = executor_keep_measurement(executor, &pairing->total, order, err);
        if (code >= 0) executor_show_progress(executor, order, item);
    }
    measurement_clear(&pairing->total);
    for (size_t i = 0; i < WORK_SIDES_MAX; ++i) measurement_clear(&pairing->of_side[i]);
    free(pairing);
    return code;
}
