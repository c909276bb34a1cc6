// SPDX-License-Identifier: Apache-2.0
//
// The profile order: one case on one side, whose launches the device's counters watch. The kernel is in this
// process. Nothing is checked or timed: what is written explains and never decides.
#include <stdio.h>

#include "worker/backend/counters.h"
#include "worker/host/batch_run.h"
#include "worker/order/work_internal.h"
#include "worker/order/work_sets.h"

struct profiled {
    struct work *work;
    struct kernel_instance *instance;
    struct work_sets *sets;
    uint32_t launches; // so far
};

static int launch(void *arg, struct err *err) {
    struct profiled *profiled = arg;
    char text[MODULE_MESSAGE_BYTES] = "";
    struct assay_message message = {.capacity = sizeof text, .text = text};
    struct batch_time time = {0};
    struct batch batch =
        kernel_instance_batch(profiled->instance, profiled->sets->lists, profiled->sets->count);
    batch.launches = 1;
    batch.first_set = profiled->launches++ % profiled->sets->count;
    const int status = batch_run(profiled->work->device, &batch, &time, &message);
    return status == ASSAY_OK ? 0
                              : err_set(err, ERR_DATA, "a launch returned status %d: %.400s", status, text);
}

static int on_counted(void *arg, const struct launch_counters *counted, struct err *err) {
    struct profiled *profiled = arg;
    struct record record = work_record(profiled->work, RECORD_COUNTERS);
    record.counters = *counted;
    return work_write(profiled->work, &record, err);
}

static int on_note(void *arg, const char *text, struct err *err) {
    struct profiled *profiled = arg;
    return work_warn(profiled->work, text, err);
}

// What Python returns is copied to the outputs after all launches, not inside each.
static int count_between_hooks(struct profiled *profiled, const struct counter_request *request,
                               struct err *err) {
    struct work *work = profiled->work;
    char text[MODULE_MESSAGE_BYTES] = "";
    struct assay_message message = {.capacity = sizeof text, .text = text};
    const struct batch batch =
        kernel_instance_batch(profiled->instance, profiled->sets->lists, profiled->sets->count);
    int status = batch_calls_hook(work->device, &batch, true, &message);
    const int code = status == ASSAY_OK ? work->device->backend->count(work->device, request, err) : 0;
    const int ended = batch_calls_hook(work->device, &batch, false, status == ASSAY_OK ? &message : NULL);
    if (status == ASSAY_OK) status = ended;
    if (code == 0 && status != ASSAY_OK)
        return err_set(err, ERR_DATA, "a callback returned status %d: %.400s", status, text);
    return code;
}

static int profile_case(struct work *work, struct case_run *run, struct work_sets *sets, struct err *err) {
    const struct work_order *order = work->order;
    const struct case_memory memory = {.memory_layout = run->wanted->memory_layout};
    struct kernel_instance *instance = &run->instances[0];
    struct check_result result = {0};
    struct kernel_home home;
    TRY(case_buffers_init(&run->buffers, work->device, &run->wanted->problem, &memory, err));
    run->is_open = true;
    TRY(case_buffers_fill(&run->buffers, run->wanted->distribution, run->wanted->seed, err));
    TRY(work_sets_init(sets, work, run, err));
    TRY(work_find_home(work, 0, &home, err));
    TRY(kernel_instance_open(&home, run->wanted, &run->abi.problem, instance, &result, err));
    if (result.outcome != OUTCOME_NONE)
        return err_set(err, ERR_DATA, "'%s' does not run %s: %.400s", order->sides[0].label,
                       run->wanted->problem.name, result.message);
    struct profiled profiled = {work, instance, sets, 0};
    const struct counter_request request = {.name_count = order->counter_count,
                                            .names = (const char *const *)order->counters,
                                            .launch = launch,
                                            .on_counted = on_counted,
                                            .on_note = on_note,
                                            .arg = &profiled};
    return count_between_hooks(&profiled, &request, err);
}

int work_profile(struct work *work, struct err *err) {
    const struct work_order *order = work->order;
    struct work_sets sets = {0};
    if (order->case_count != 1 || order->side_count != 1)
        return err_set(err, ERR_DATA, "an order to profile has one side and one case");
    if (!work->device->backend->count)
        return err_set(err, ERR_UNAVAILABLE, "device '%s' is simulated: it has no counters",
                       work->device->info.device);
    struct case_run *run = case_run_new(work, &order->cases[0], 0);
    const int code = profile_case(work, run, &sets, err);
    if (sets.work) work_sets_fini(&sets);
    case_run_free(run, work);
    return code;
}
