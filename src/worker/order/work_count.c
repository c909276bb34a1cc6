// SPDX-License-Identifier: Apache-2.0
//
// Counting in place of timing (metric_is_counted). A round checks every side as always, then starts a worker
// that counts: on a GPU work_count_device.c, on a processor one in callgrind that launches the side's kernel,
// with the order WORK_COUNT. Only batch_run is counted there, and what it does besides costs the same however
// often it launches: the difference of two workers is the cost of the second launch. The first may set up
// what is kept.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "worker/host/batch_run.h"
#include "worker/measure/callgrind.h"
#include "worker/order/fault.h"
#include "worker/order/work_count.h"

enum { LAUNCHES_FEW = 1, LAUNCHES_MANY = 2 };

// ---- in callgrind ----

// Every launch has inputs of its own, which all are drawn however many are used.
static int launch_all(struct work *work, struct case_buffers sets[LAUNCHES_MANY], struct err *err) {
    const struct work_case *wanted = &work->order->cases[0];
    struct kernel_instance instance = {0};
    struct check_result result = {0};
    struct kernel_home home;
    struct assay_tensors lists[LAUNCHES_MANY];
    char text[MODULE_MESSAGE_BYTES] = "";
    struct assay_message message = {.capacity = sizeof text, .text = text};
    struct batch_time time = {0};
    const struct case_memory memory = {.memory_layout = wanted->memory_layout};
    for (uint32_t i = 0; i < LAUNCHES_MANY; ++i) {
        TRY(case_buffers_init(&sets[i], work->device, &wanted->problem, &memory, err));
        TRY(case_buffers_fill(&sets[i], wanted->distribution, wanted->seed + i, err));
        lists[i] = sets[i].list;
    }
    TRY(work_find_home(work, 0, &home, err));
    TRY(kernel_instance_open(&home, wanted, &sets[0].abi.problem, &instance, &result, err));
    if (result.outcome != OUTCOME_NONE) return err_set(err, ERR_DATA, "%.400s", result.message);
    // One batch: what surrounds it is none of a launch, and the same however many there are.
    struct batch batch = kernel_instance_batch(&instance, lists, LAUNCHES_MANY);
    batch.launches = work->order->launch_count;
    const int status = batch_run(work->device, &batch, &time, &message);
    kernel_instance_close(&instance);
    return status == ASSAY_OK ? 0
                              : err_set(err, ERR_DATA, "a launch returned status %d: %.400s", status, text);
}

int work_count(struct work *work, struct err *err) {
    static struct case_buffers sets[LAUNCHES_MANY];
    const struct work_order *order = work->order;
    if (order->case_count != 1 || order->side_count != 1 || order->launch_count > LAUNCHES_MANY)
        return err_set(err, ERR_DATA, "an order to count has one side, one case, and at most %d launches",
                       LAUNCHES_MANY);
    const int code = launch_all(work, sets, err);
    for (uint32_t i = 0; i < LAUNCHES_MANY; ++i) case_buffers_fini(&sets[i]);
    return code;
}

// ---- in a round ----

static int count_once(const struct work_order *order, uint32_t launches, uint64_t *ret, struct err *err) {
    struct work_order counted = *order;
    struct strbuf text = {0};
    char *self = path_self();
    const char *const argv[] = {self, "worker", NULL};
    counted.launch_count = launches;
    work_order_write(&counted, &text);
    const struct callgrind_request request = {
        .argv = argv, .function = "batch_run", .stdin_text = text.text, .stdin_length = text.length};
    const int code = self ? callgrind_run(&request, ret, err)
                          : err_set(err, ERR_UNAVAILABLE, "this program is not found any more");
    strbuf_fini(&text);
    free(self);
    return code;
}

static int count_in_callgrind(const struct work_order *alone, uint64_t *ret, struct err *err) {
    struct work_order order = *alone;
    uint64_t few = 0, many = 0;
    order.kind = WORK_COUNT;
    order.thread_count = 1; // threads that wait for others would count by how long they wait
    TRY(count_once(&order, LAUNCHES_FEW, &few, err));
    TRY(count_once(&order, LAUNCHES_MANY, &many, err));
    *ret = many > few ? (many - few) / (LAUNCHES_MANY - LAUNCHES_FEW) : 0;
    return 0;
}

// What a launch of this side executes or moves.
static int count_launch(const struct work *work, const struct work_case *wanted, uint32_t side, uint64_t *ret,
                        struct err *err) {
    const char *label = work->order->sides[side].label;
    struct work_case alone = *wanted;
    struct work_order order = *work->order;
    struct err why = {0};
    alone.side_mask = 1;
    order.side_count = 1;
    order.sides[0] = work->order->sides[side];
    order.case_count = 1;
    order.cases = &alone;
    const int code = work->device->backend->is_accelerator ? work_count_on_device(&order, ret, &why)
                                                           : count_in_callgrind(&order, ret, &why);
    const char *metric = metric_name(order.sampling.metric);
    if (code < 0)
        return err_set(err, ERR_UNAVAILABLE, "the %s of '%s' were not counted: %s", metric, label, why.text);
    if (!*ret) return err_set(err, ERR_UNAVAILABLE, "a launch of '%s' has no %s", label, metric);
    return 0;
}

static int write_count(struct work *work, const struct work_case *wanted, uint32_t side, uint64_t count,
                       struct err *err) {
    struct sample sample = {.duration_ns = count, .launches = 1, .clock_hz = NAN, .kernel_clock_hz = NAN};
    struct record record = work_record(work, RECORD_SAMPLES);
    record.case_index = wanted->index;
    record.side = side;
    record.samples = (struct samples){
        .count = 1, .items = &sample, .call_wall_ns = NAN, .launch_energy_j = NAN, .power_w = NAN};
    return work_write(work, &record, err);
}

// The checks were held back: they are written now, and first.
static int write_checks(struct work *work, struct case_run *run, struct err *err) {
    for (uint32_t side = 0; side < work->order->side_count; ++side) {
        struct record *record = run->checks[side];
        if (!record) continue;
        if (run->instances[side].is_prepared) TRY(work_release_side(work, run, side, &record->check, err));
        record->time_ns = device_now_ns(work->device);
        TRY(work_write(work, record, err));
    }
    return 0;
}

static int count_sides(struct work *work, struct case_run *run, struct err *err) {
    uint64_t counts[WORK_SIDES_MAX] = {0};
    bool is_any = false;
    for (uint32_t side = 0; side < work->order->side_count; ++side) {
        struct record *record = run->checks[side];
        struct err why = {0};
        if (run->outcomes[side] != OUTCOME_OK || !record) continue;
        TRY(work_write_case(work, run->wanted->index, side, err));
        if (count_launch(work, run->wanted, side, &counts[side], &why) == 0) continue;
        record->check.outcome = OUTCOME_NOT_VALID;
        snprintf(record->check.message, sizeof record->check.message, "%.700s", why.text);
    }
    TRY(write_checks(work, run, err));
    for (uint32_t side = 0; side < work->order->side_count; ++side) {
        if (run->outcomes[side] != OUTCOME_OK || !counts[side]) continue;
        TRY(write_count(work, run->wanted, side, counts[side], err));
        is_any = true;
    }
    if (!is_any) return 0;
    struct record state = work_record(work, RECORD_CASE_STATE);
    state.case_index = run->wanted->index;
    state.is_valid = true; // no state of the machine changes a count
    return work_write(work, &state, err);
}

int work_count_case(struct work *work, const struct work_case *wanted, struct err *err) {
    struct case_run *run = case_run_new(work, wanted, 0);
    int code = 0;
    for (uint32_t turn = 0; turn < work->order->side_count && code == 0; ++turn) {
        const uint32_t side = work_side_in_turn(work, turn);
        if (wanted->side_mask & (1u << side)) code = work_check_side(work, run, side, err);
    }
    if (code == 0) code = count_sides(work, run, err);
    case_run_free(run, work);
    return code;
}
