// SPDX-License-Identifier: Apache-2.0
//
// See gate_calibration.h: the store, and the question which device this is. What follows from it is
// control/verdict/calibration/calibration_refusal.h's.
#include "control/flow/gate/gate_calibration.h"

#include "control/flow/calibration_store.h"
#include "control/flow/worker_query.h"
#include "control/verdict/calibration/calibration_summary.h"
#include "control/verdict/decision_make.h"

static bool has_rounds(const struct gate *gate) {
    return !gate->is_stored_baseline && !gate->run.plan.gate.is_same_code;
}

// 1: found, and *calibration is to be freed, 0: nothing is stored. A driver that is not known is taken to be
// the newest study's.
static int query_store(const struct gate *gate, const struct device_identity *device,
                       struct calibration *calibration, struct calibration_question *ret, struct err *err) {
    const struct plan *plan = &gate->run.plan;
    const char *driver = device->driver;
    int code = calibration_store_read(device->uuid, device->thread_count, calibration, err);
    if (code <= 0) return code;
    if (!driver && calibration->study_count)
        driver = calibration->studies[calibration->study_count - 1].driver;
    *ret = (struct calibration_question){
        .calibration = calibration,
        .conditions = {.driver = driver,
                       .power_mode = power_mode_name(plan->sampling.power_mode),
                       .cache_mode = cache_mode_name(plan->sampling.cache_mode),
                       .sample_count = plan->sampling.sample_count,
                       .sample_count_noisy = plan->sampling.sample_count_noisy,
                       .sample_count_noisier = plan->sampling.sample_count_noisier,
                       .locked_clock_mhz = plan->sampling.locked_clock_mhz},
        .spec = plan->gate.spec,
        .round_count = plan->looks[plan->look_count - 1],
        .is_fixed = !plan->is_sequential,
    };
    return 1;
}

// A resumed run whose first rounds were let through goes on.
static bool is_measured(const struct result *result) {
    for (size_t i = 0; i < result->case_count; ++i)
        if (result->cases[i].round_count) return true;
    return false;
}

int gate_calibration_refuse(struct gate *gate, struct decision *ret, bool *ret_is_refused, struct err *err) {
    *ret_is_refused = false;
    if (!has_rounds(gate) || gate->request.is_calibration_ignored || is_measured(&gate->run.result)) return 0;
    if (!calibration_store_has_any()) return 0;
    struct device_identity device;
    TRY(query_device_identity(&gate->run.plan, &gate->run.result.arena, &device, err));
    struct result *result = &gate->run.result;
    struct calibration calibration;
    struct calibration_question question;
    struct err unread = {0}; // said by the note: a broken file of an earlier day is no reason not to measure
    if (query_store(gate, &device, &calibration, &question, &unread) <= 0) return 0;
    if (calibration_survey(&question, result).refused_count) {
        *ret = calibration_refuse(&question, result, &result->arena);
        *ret_is_refused = true;
    }
    calibration_fini(&calibration);
    return 0;
}

void gate_calibration_note(struct gate *gate, struct decision *decision) {
    struct result *result = &gate->run.result;
    const struct environment *environment = &result->environment;
    if (!has_rounds(gate) || !environment->device_uuid) return;
    struct calibration calibration;
    struct calibration_question question;
    struct err unread = {0};
    const struct device_identity device = {environment->device_uuid, environment->driver,
                                           environment->thread_count};
    int code = query_store(gate, &device, &calibration, &question, &unread);
    const char *sentence;
    if (code < 0) {
        sentence = arena_format(&result->arena, "warning: the calibration was not used: %s", unread.text);
    } else if (code == 0) {
        sentence = "this device is not calibrated: 'assay calibrate' measures what it can certify";
    } else {
        const struct calibration_survey survey = calibration_survey(&question, result);
        sentence =
            calibration_note_text(&question, &survey, gate->request.is_calibration_ignored, &result->arena);
    }
    decision_note(decision, &result->arena, "%s", sentence);
    calibration_fini(&calibration);
}
