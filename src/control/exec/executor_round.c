// SPDX-License-Identifier: Apache-2.0
//
// The rounds of a run: which cases a round still needs, and what happens when a worker dies in it. A round is
// complete when every case in play has a valid measurement in it or has used up its repetitions. Sides that
// need processes of their own are measured by executor_pair.c.
#include <stdlib.h>

#include "base/clock.h"
#include "base/interrupt.h"
#include "base/mem.h"
#include "base/process/proc.h"
#include "control/exec/job_internal.h"
#include "record/round_count.h"

#define PAUSE_SLICE_NS UINT64_C(50000000)

// Whether one wrong side makes the times of the others useless: a baseline, a candidate and no peers.
static bool is_gate(const struct plan *plan) {
    bool has_baseline = false, has_candidate = false;
    for (size_t i = 0; i < plan->side_count; ++i) {
        if (plan->sides[i].role == SIDE_PEER) return false;
        if (plan->sides[i].role == SIDE_BASELINE) has_baseline = true;
        if (plan->sides[i].role == SIDE_CANDIDATE) has_candidate = true;
    }
    return has_baseline && has_candidate;
}

// Sides of a case that are still measured; 0: the case is out of play.
static uint32_t play_mask(const struct executor *executor, uint32_t case_index) {
    if (executor->closed_cases && executor->closed_cases[case_index]) return 0;
    uint32_t mask = 0;
    for (uint32_t side = 0; side < executor->plan->side_count; ++side) {
        if (executor->closed_side_mask >> side & 1) continue;
        if (!executor_has_failed_side(executor->result, case_index, side))
            mask |= 1u << side;
        else if (is_gate(executor->plan))
            return 0;
    }
    return mask;
}

// Whether every side of mask has a sample that counts.
static bool has_samples(const struct result_round *round, uint32_t mask) {
    for (uint32_t side = 0; side < WORK_SIDES_MAX; ++side) {
        const struct samples *samples = &round->samples[side];
        bool is_counting = false;
        for (size_t i = 0; i < samples->count && !is_counting; ++i)
            is_counting = samples->items[i].discard == DISCARD_NONE;
        if ((mask >> side & 1) && !is_counting) return false;
    }
    return true;
}

// Whether the case has a valid measurement in the round. *ret_attempt: the number of the next one.
static bool is_measured(const struct executor *executor, uint32_t case_index, uint32_t round, uint32_t mask,
                        uint32_t *ret_attempt) {
    const struct result_case *item = &executor->result->cases[case_index];
    uint32_t attempt = 0;
    for (size_t i = 0; i < item->round_count; ++i) {
        const struct result_round *measured = &item->rounds[i];
        if (measured->round != round || !measured->has_state) continue;
        if (measured->is_valid && has_samples(measured, mask)) return true;
        if (measured->attempt >= attempt) attempt = measured->attempt + 1;
    }
    *ret_attempt = attempt;
    return false;
}

// Whether more measurements of a case were disturbed than counted.
static bool is_given_up(const struct executor *executor, uint32_t case_index, uint32_t mask) {
    const struct result_case *item = &executor->result->cases[case_index];
    size_t valid = 0, measured = 0;
    for (size_t i = 0; i < item->round_count; ++i) {
        measured += item->rounds[i].has_state;
        valid += item->rounds[i].has_state && item->rounds[i].is_valid && has_samples(&item->rounds[i], mask);
    }
    return rounds_are_given_up(valid, measured - valid, executor->plan->round_repeat_max);
}

// The cases to be measured next in the round: those with the lowest attempt, which is at most `last_attempt`.
// Returns how many.
static size_t find_pending(const struct executor *executor, uint32_t round, uint32_t last_attempt,
                           uint32_t *ret_indices, uint32_t *ret_attempt) {
    const struct plan *plan = executor->plan;
    uint32_t lowest = UINT32_MAX;
    size_t count = 0;
    *ret_attempt = lowest;
    if (executor->is_hopeless) return 0;
    for (uint32_t i = 0; i < plan->case_count; ++i) {
        const uint32_t mask = play_mask(executor, i);
        uint32_t attempt = 0;
        if (mask == 0 || is_measured(executor, i, round, mask, &attempt) || attempt > last_attempt ||
            is_given_up(executor, i, mask))
            continue;
        if (attempt < lowest) {
            lowest = attempt;
            count = 0;
        }
        if (attempt == lowest) ret_indices[count++] = i;
    }
    *ret_attempt = lowest;
    return count;
}

// Runs the case with each side alone to see which one dies. If none does, the measurement becomes invalid.
static int probe_sides(struct job *job, uint32_t mask, struct err *err) {
    uint32_t found_mask = 0;
    TRY(executor_probe_sides(job, mask, "while it was timed: ", &found_mask, err));
    if (found_mask) return 0;
    return executor_keep_lost(
        job, INVALID_CAUSE_WORKER_DIED,
        "the worker died while the sides were timed in turn, and no side died alone: ", err);
}

static int judge_round(struct job *job, struct err *err) {
    if (job->fate == JOB_LEFT) return 0; // the cases without a measurement are still pending
    if (job->fate == JOB_FINISHED) {
        if (job->finished_count > 0) return 0;
        return err_set(err, ERR_INTERNAL, "a worker ended well but measured nothing of round %u",
                       (unsigned)job->order->round + 1);
    }
    if (job->fate == JOB_KILLED) return executor_judge_kill(job, err);
    const uint32_t awaited = job_awaited_mask(job);
    uint32_t dead_mask;
    if (job->fate == JOB_DIED_AFTER_CASE) return executor_keep_late_death(job, awaited, &dead_mask, err);
    if (!job->is_timing) return executor_keep_death(job, job->case_side, "", err);
    if (job->end.is_overtime) return executor_keep_overtime(job, awaited, err);
    if (awaited && (awaited & (awaited - 1)) == 0)
        return executor_keep_death(job, (uint32_t)__builtin_ctz(awaited), "while it was timed: ", err);
    return probe_sides(job, awaited, err);
}

// Measures the wanted cases of a round in one worker, or in several for sides that cannot share a process.
static int run_pass(struct executor *executor, const struct plan_round *wanted, struct err *err) {
    struct arena arena = {0};
    struct work_order order;
    int code = 0;
    plan_round_order(executor->plan, wanted, &arena, &order);
    order.reference_dir = executor->state->reference_dir;
    for (size_t i = 0; i < order.case_count; ++i)
        order.cases[i].side_mask = play_mask(executor, order.cases[i].index);
    if (executor->plan->needs_two_processes) {
        for (size_t i = 0; i < order.case_count && code >= 0; ++i)
            code = executor_measure_apart(executor, &order, &order.cases[i], err);
    } else {
        struct job job = {.mode = JOB_ROUND, .executor = executor, .order = &order};
        job_map_all(&job);
        code = job_run(&job, err);
        if (code >= 0) code = judge_round(&job, err);
        job_fini(&job);
    }
    arena_fini(&arena);
    return code;
}

// Records that the round is complete; does nothing if no case took part.
static int close_round(struct executor *executor, uint32_t round, struct err *err) {
    struct record record = {
        .kind = RECORD_ROUND, .phase = PHASE_ROUND, .round = round, .time_ns = clock_ns(), .is_valid = true};
    size_t in_play = 0;
    for (uint32_t i = 0; i < executor->plan->case_count; ++i) {
        const uint32_t mask = play_mask(executor, i);
        uint32_t attempt = 0;
        if (mask == 0) continue;
        ++in_play;
        if (!is_measured(executor, i, round, mask, &attempt)) record.is_valid = false;
    }
    if (in_play == 0 || executor->state->is_round_done[round]) return 0;
    if (!record.is_valid) record.text = "some cases were not valid after all repetitions";
    TRY(executor_keep(executor, &record, false, err));
    executor->state->is_round_done[round] = true;
    if (executor->on_round) executor->on_round(executor->arg, executor->result, round);
    return 0;
}

// What kept the machine busy may be over soon. Waits in slices, so that Ctrl-C is noticed.
static void pause_before(const struct executor *executor, uint32_t attempt) {
    const uint64_t end_ns = clock_ns() + executor->repeat_pause_ns * attempt * attempt;
    while (clock_ns() < end_ns && !interrupt_is_set()) clock_sleep_ns(PAUSE_SLICE_NS);
}

// Measures in every round what has no more than that many attempts behind it; closes the rounds that are
// complete then.
static int run_attempts(struct executor *executor, uint32_t up_to, uint32_t last_attempt, struct err *err) {
    uint32_t *indices = mem_alloc(executor->plan->case_count * sizeof *indices);
    bool has_paused = false;
    int code = 0;
    for (uint32_t round = 0; round < up_to && code >= 0; ++round) {
        uint32_t attempt = 0;
        size_t count;
        while (code >= 0 && (count = find_pending(executor, round, last_attempt, indices, &attempt)) > 0) {
            if (attempt && !has_paused) pause_before(executor, last_attempt);
            has_paused |= attempt > 0;
            code = run_pass(executor, &(struct plan_round){round, attempt, indices, count}, err);
        }
        if (code >= 0 && !executor->is_hopeless &&
            !find_pending(executor, round, UINT32_MAX, indices, &attempt))
            code = close_round(executor, round, err);
    }
    free(indices);
    return code;
}

int executor_run_rounds(struct executor *executor, uint32_t up_to, struct err *err) {
    const struct plan *plan = executor->plan;
    if (plan->gate.is_same_code) return 0;
    if (up_to > ROUNDS_LIMIT)
        return err_set(err, ERR_USAGE, "%u rounds are too many; the limit is %d", (unsigned)up_to,
                       ROUNDS_LIMIT);
    TRY(executor_run_references(executor, err));
    int code = 0;
    executor_notice_load(executor);
    executor->state->rounds_since_ns = clock_ns();
    // What disturbed a round may be over when the others are done: it is repeated after them.
    for (uint32_t attempt = 0; attempt <= plan->round_repeat_max && code >= 0; ++attempt)
        code = run_attempts(executor, up_to, attempt, err);
    for (uint32_t round = 0; round < up_to && code >= 0 && !executor->is_hopeless; ++round)
        code = close_round(executor, round, err);
    return executor_fail(executor, code, err);
}
