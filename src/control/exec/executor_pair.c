// SPDX-License-Identifier: Apache-2.0
//
// How are sides measured that cannot share a process? Case by case, each side in fresh workers of its own in
// the order A B B A with half of the samples each (begun by the other side in every second round), and the
// halves of a side are put together: so neighbours in time are paired, and a kill loses one case at most.
#include <math.h>
#include <stdio.h>

#include "base/rng.h"
#include "base/strbuf.h"
#include "control/exec/job.h"

// One case's collection over its workers.
struct pairing {
    struct executor *executor;
    const struct work_order *order;
    const struct work_case *item;
    struct measurement total;
    struct measurement of_side[WORK_SIDES_MAX]; // states only: the clock that each side had
    uint64_t first_hello_ns;
    bool is_over; // a side failed: nothing is kept
};

static uint32_t half(uint32_t count) {
    return count / 2 + count % 2;
}

// Halves of a side draw for themselves: with one seed a simulated device would give both the same times.
static uint64_t half_seed(const struct work_order *order, uint32_t number) {
    return rng_u64(order->seed, rng_stream("half of a side"), number);
}

// number: 0, then 1.
static int measure_half(struct pairing *pairing, uint32_t side, uint32_t number, struct err *err) {
    struct arena arena = {0};
    struct work_order order;
    order_of_one_side(pairing->order, side, pairing->item->index, &arena, &order);
    order.seed = half_seed(pairing->order, number);
    order.sampling.sample_count = half(order.sampling.sample_count);
    order.sampling.sample_count_noisy = half(order.sampling.sample_count_noisy);
    order.sampling.sample_count_noisier = half(order.sampling.sample_count_noisier);
    order.sampling.case_budget_ns /= 2;
    struct job job = {.mode = JOB_PART, .executor = pairing->executor, .order = &order, .side_map = {side}};
    int code = job_run(&job, err);
    if (code >= 0) code = executor_judge_end(&job, err);
    if (code > 0) {
        code = executor_keep_death(&job, side, job.is_timing ? "while it was timed: " : "", err);
        pairing->is_over = true;
    } else if (code == 0 && executor_has_failed_side(pairing->executor->result, pairing->item->index, side)) {
        pairing->is_over = true;
    } else if (code == 0 && !measurement_is_complete(&job.measurement, 1u << side)) {
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

// A worker with one side cannot see that the other side had another clock.
static void compare_clocks(struct pairing *pairing) {
    double low_hz = INFINITY, high_hz = 0;
    for (uint32_t side = 0; side < WORK_SIDES_MAX; ++side) {
        const struct record *state = &pairing->of_side[side].state;
        if (state->kind == RECORD_INVALID || !isfinite(state->state.clock_probe_hz)) continue;
        low_hz = fmin(low_hz, state->state.clock_probe_hz);
        high_hz = fmax(high_hz, state->state.clock_probe_hz);
    }
    if (!(high_hz > low_hz * (1 + CLOCKS_APART_MAX_PCT / 100)) || !pairing->total.state.is_valid) return;
    pairing->total.state.is_valid = false;
    pairing->total.state.invalid_cause = INVALID_CAUSE_CLOCKS_APART;
    pairing->total.state.text =
        arena_format(&pairing->total.arena, "the spin clocks of the sides were %.1f %% apart",
                     100 * (high_hz / low_hz - 1));
}

static int keep_total(struct pairing *pairing, struct err *err) {
    compare_clocks(pairing);
    measurement_judge(&pairing->total, pairing->order->sampling.sample_count);
    for (uint32_t side = 0; side < WORK_SIDES_MAX; ++side) {
        if (pairing->total.samples[side].kind == RECORD_INVALID) continue;
        TRY(executor_keep(pairing->executor, &pairing->total.samples[side], true, err));
    }
    TRY(executor_keep(pairing->executor, &pairing->total.state, false, err));
    char what[32];
    snprintf(what, sizeof what, "round %u", (unsigned)pairing->order->round + 1);
    const struct work_case *item = pairing->item;
    executor_show_progress(pairing->executor, str_or(item->short_name, item->problem.name), what);
    return 0;
}

int executor_measure_apart(struct executor *executor, const struct work_order *order,
                           const struct work_case *item, struct err *err) {
    struct pairing pairing = {.executor = executor, .order = order, .item = item};
    uint32_t sides[WORK_SIDES_MAX];
    uint32_t count = 0;
    int code = 0;
    for (uint32_t side = 0; side < order->side_count; ++side) {
        if (item->side_mask >> side & 1) sides[count++] = side;
    }
    for (uint32_t step = 0; step < 2 * count && code >= 0 && !pairing.is_over; ++step) {
        const uint32_t place = step < count ? step : 2 * count - 1 - step; // A B B A
        const uint32_t side = sides[order->is_first_side_flipped ? count - 1 - place : place];
        code = measure_half(&pairing, side, step / count, err);
    }
    if (code >= 0 && !pairing.is_over) code = keep_total(&pairing, err);
    measurement_clear(&pairing.total);
    for (size_t i = 0; i < WORK_SIDES_MAX; ++i) measurement_clear(&pairing.of_side[i]);
    return code;
}
