// SPDX-License-Identifier: Apache-2.0
//
// The check order: every case on every side, one after the other, a CASE and a CHECK record each.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "op/declared/made_inputs.h"
#include "worker/check/case_check.h"
#include "worker/check/same_precision.h"
#include "worker/order/fault.h"
#include "worker/order/work_internal.h"

struct case_run *case_run_new(const struct work *work, const struct work_case *wanted, size_t shift_bytes) {
    struct case_run *run = mem_alloc(sizeof *run);
    run->wanted = wanted;
    run->dice = dice_child(&work->dice, "case", wanted->index);
    run->shift_bytes = shift_bytes;
    problem_describe(&wanted->problem, memory_layout_behind(wanted->memory_layout), &run->abi);
    return run;
}

void case_run_free(struct case_run *run, struct work *work) {
    if (!run) return;
    for (size_t i = 0; i < work->order->side_count; ++i) {
        kernel_instance_close(&run->instances[i]);
        free(run->checks[i]);
    }
    reference_close(&run->reference);
    case_buffers_fini(&run->buffers);
    free(run);
}

int case_run_init_buffers(const struct work *work, const struct case_run *run, struct case_buffers *ret,
                          struct err *err) {
    const struct work_case *wanted = run->wanted;
    struct case_memory memory = {.memory_layout = wanted->memory_layout,
                                 .shift_bytes = run->shift_bytes,
                                 .is_apart = work->is_apart,
                                 .first_side = work_side_in_turn(work, 0),
                                 .keeps_made = wanted->index & WORK_CASE_REFERENCE,
                                 .error_limits = run->error_limits,
                                 .own_reference = &run->reference,
                                 .order = work->order};
    work_order_find_tolerances(work->order, wanted, memory.tolerances);
    return case_buffers_init(ret, work->device, &wanted->problem, &memory, err);
}

// Where it is not fp64 and the 2 x rule; once.
static int say_what_decides(struct work *work, const struct reference *reference, struct err *err) {
    if (!*reference->decides.note || str_equal(work->said, reference->decides.note)) return 0;
    snprintf(work->said, sizeof work->said, "%s", reference->decides.note);
    return work_warn(work, work->said, err);
}

// Of the usual problem: small ones have few data that differ.
static int say_what_is_made(struct work *work, const struct case_buffers *buffers, struct err *err) {
    char text[sizeof work->said];
    const struct operator_def *op = buffers->problem.op;
    const struct made_inputs *made = buffers->made;
    const char *what = !made                  ? NULL
                       : made->set_count == 1 ? "the same data whatever the seed, so no others are tried"
                       : made->is_all ? "all of them are data, so timed launches repeat a few sets, whose "
                                        "results a kernel could remember; let assay fill one by a text"
                                      : NULL;
    if (!what || !str_equal(buffers->problem.name, op->example) || work->has_said_made) return 0;
    work->has_said_made = true;
    snprintf(text, sizeof text, MADE_SUBJECT "'%s': %s", op->name, what);
    return work_warn(work, text, err);
}

static int open_all(struct work *work, struct case_run *run, struct err *err) {
    const struct work_case *wanted = run->wanted;
    if (!run->is_open) {
        TRY(work_check_memory(work, run, err));
        TRY(case_run_init_buffers(work, run, &run->buffers, err));
        run->is_open = true;
        TRY(case_buffers_fill(&run->buffers, wanted->distribution, wanted->seed, err));
        TRY(say_what_is_made(work, &run->buffers, err));
    }
    if (!run->has_reference) {
        TRY(reference_open(&run->reference, &run->buffers, work->order->reference_dir, err));
        same_precision_limit_elements(&run->buffers, &run->reference, run->error_limits);
        run->has_reference = true;
        TRY(say_what_decides(work, &run->reference, err));
    }
    return 0;
}

int case_run_open(struct work *work, struct case_run *run, struct err *err) {
    work_own_begin(work); // the reference of a large problem takes minutes
    const int code = open_all(work, run, err);
    work_own_end();
    return code;
}

static struct record check_record(const struct work *work, const struct case_run *run, uint32_t side) {
    struct record record = work_record(work, RECORD_CHECK);
    record.case_index = run->wanted->index;
    record.side = side;
    return record;
}

void work_arm_fault(struct work *work, const struct case_run *run, uint32_t side, size_t slot) {
    const struct record armed = check_record(work, run, side);
    fault_arm(slot, work->device->backend, work->fd, &armed);
}

// Asks the kernel before inputs and reference are made: a problem that it does not support costs nothing.
static int open_kernel(struct work *work, struct case_run *run, uint32_t side, struct check_result *result,
                       struct err *err) {
    struct kernel_home home;
    TRY(work_find_home(work, side, &home, err));
    work_arm_fault(work, run, side, 0);
    const int code =
        kernel_instance_open(&home, run->wanted, &run->abi.problem, &run->instances[side], result, err);
    fault_disarm(); // what follows is our own work
    return code;
}

static int open_inputs(struct work *work, struct case_run *run, uint32_t side, struct err *err) {
    // by another side, which could write the inputs
    const bool is_used = run->is_open && work->has_open_inputs;
    TRY(case_run_open(work, run, err));
    if (is_used) TRY(case_buffers_fill(&run->buffers, run->wanted->distribution, run->wanted->seed, err));
    return case_buffers_select(&run->buffers, side, err);
}

// *ret_is_doubtful: wrong against a reference that was overwritten.
static void check_once(struct work *work, struct case_run *run, uint32_t side, struct check_result *result,
                       bool *ret_is_doubtful) {
    struct err err = {0};
    struct kernel_instance *instance = &run->instances[side];
    bool has_no_inputs = false; // there is no such problem
    int code = open_kernel(work, run, side, result, &err);
    work_say_progress(work);
    if (code == 0 && result->outcome == OUTCOME_NONE) {
        code = open_inputs(work, run, side, &err);
        has_no_inputs = code == -ERR_USAGE;
    }
    if (code == 0 && result->outcome == OUTCOME_NONE) {
        work_say_progress(work);
        work_arm_fault(work, run, side, 0);
        struct check_request request = {.buffers = &run->buffers,
                                        .reference = &run->reference,
                                        .instance = instance,
                                        .row_seed = dice_u64(&run->dice),
                                        .drawn_seed =
                                            work->order->kind == WORK_CHECK ? dice_u64(&run->dice) : 0,
                                        .repeat_count = work->order->repeat_count,
                                        .hashes = &run->hashes[side],
                                        .is_reference_changed = ret_is_doubtful,
                                        .on_progress = work_on_progress,
                                        .arg = work};
        code = case_check_run(&request, result, &err);
    }
    if (code < 0 && result->outcome != OUTCOME_FAIL) { // an earlier finding stands
        // An error of ours makes the case not valid: the other cases still have a worker.
        result->outcome = has_no_inputs ? OUTCOME_UNSUPPORTED : OUTCOME_NOT_VALID;
        result->finding = FINDING_NONE;
        snprintf(result->message, sizeof result->message, "%.700s", err.text);
    }
    if (result->outcome != OUTCOME_OK) kernel_instance_close(instance);
    fault_disarm();
    if (result->outcome != OUTCOME_FAIL) return;
    // A wrong kernel may have left anything in the buffers: the next side gets new ones. A reference on the
    // device lies within its reach too.
    case_buffers_fini(&run->buffers);
    run->is_open = false;
    if (!run->reference.device) return;
    reference_close(&run->reference);
    run->has_reference = false;
}

int work_release_side(struct work *work, struct case_run *run, uint32_t side, struct check_result *result,
                      struct err *err) {
    TRY(work_write_case(work, run->wanted->index, side, err));
    work_arm_fault(work, run, side, 0);
    kernel_instance_close(&run->instances[side]);
    fault_disarm();
    work_leave_home(work, side, result);
    run->outcomes[side] = result->outcome;
    return 0;
}

int work_check_side(struct work *work, struct case_run *run, uint32_t side, struct err *err) {
    work->own_bytes = work_own_bytes(work, run);
    TRY(work_write_case(work, run->wanted->index, side, err));
    struct record *record = mem_alloc(sizeof *record);
    *record = check_record(work, run, side);
    bool is_doubtful = false;
    check_once(work, run, side, &record->check, &is_doubtful);
    if (is_doubtful) {
        // Any earlier kernel may have overwritten the reference. Check again with a new one: only this
        // side runs then, so a second change is its own.
        record->check = (struct check_result){0};
        check_once(work, run, side, &record->check, &is_doubtful);
    }
    work_end_if_lost(work, record);
    run->outcomes[side] = record->check.outcome;
    record->time_ns = device_now_ns(work->device);
    if (work->order->kind == WORK_ROUND && record->check.outcome == OUTCOME_OK) {
        run->checks[side] = record;
        return 0;
    }
    int code = work_release_side(work, run, side, &record->check, err);
    if (code == 0) code = work_write(work, record, err);
    free(record);
    return code;
}

static bool is_last_case(const struct work_order *order, size_t number, uint32_t side) {
    for (size_t c = number + 1; c < order->case_count; ++c)
        if (order->cases[c].side_mask & (1u << side)) return false;
    return true;
}

int work_check(struct work *work, struct err *err) {
    for (size_t c = 0; c < work->order->case_count; ++c) {
        struct case_run *run = case_run_new(work, &work->order->cases[c], 0);
        int code = 0;
        for (uint32_t side = 0; side < work->order->side_count && code == 0; ++side) {
            if (!(run->wanted->side_mask & (1u << side))) continue;
            work->is_last_case = is_last_case(work->order, c, side);
            code = work_check_side(work, run, side, err);
        }
        case_run_free(run, work);
        TRY(code);
    }
    return 0;
}
