// SPDX-License-Identifier: Apache-2.0
//
// Reads the stored calibration of this device; verdict/calibration/calibration_summary.c decides what
// follows from it.
#include "control/flow/calibration_store.h"
#include "control/flow/gate/gate_internal.h"
#include "control/flow/worker_query.h"
#include "verdict/calibration/calibration_summary.h"
#include "verdict/decision_make.h"

// A calibration is of times.
static bool has_rounds(const struct plan *plan) {
    return !plan->gate.stored_baseline && !plan->gate.is_same_code && plan->sampling.metric == METRIC_TIME;
}

enum lookup { LOOKUP_FAILED, LOOKUP_ABSENT, LOOKUP_FOUND };

// LOOKUP_FOUND: the caller frees *calibration. If the device's driver is unknown, the newest study's is
// assumed.
static enum lookup query_store(const struct plan *plan, const struct device_identity *device,
                               struct calibration *calibration, struct calibration_question *ret,
                               struct err *err) {
    const char *driver = device->driver;
    const int code = calibration_store_read(device->uuid, device->thread_count, calibration, err);
    if (code <= 0) return code < 0 ? LOOKUP_FAILED : LOOKUP_ABSENT;
    if (!driver && calibration->study_count)
        driver = calibration->studies[calibration->study_count - 1].driver;
    *ret = (struct calibration_question){
        .calibration = calibration,
        .conditions = {.driver = driver,
                       .power_mode = power_mode_name(plan->sampling.power_mode),
                       .cache_mode = cache_mode_name(plan->sampling.cache_mode),
                       .isolation = isolation_name(plan->sampling.isolation),
                       .sample_count = plan->sampling.sample_count,
                       .sample_count_noisy = plan->sampling.sample_count_noisy,
                       .sample_count_noisier = plan->sampling.sample_count_noisier,
                       .locked_clock_mhz = plan->sampling.locked_clock_mhz},
        .spec = plan->gate.spec,
        .round_count = plan->looks[plan->look_count - 1],
        .is_fixed = !plan->is_sequential,
    };
    return LOOKUP_FOUND;
}

int gate_calibration_refuse(struct run *run, bool is_ignored, struct decision *ret, bool *ret_is_refused,
                            struct err *err) {
    struct result *result = &run->result;
    *ret_is_refused = false;
    if (!has_rounds(&run->plan) || is_ignored) return 0;
    // A resumed run that has measured a round was not stopped when it began: it goes on.
    for (size_t i = 0; i < result->case_count; ++i)
        if (result->cases[i].round_count) return 0;
    if (!calibration_store_has_any()) return 0;
    struct device_identity device;
    TRY(query_device_identity(&run->plan, &result->arena, &device, err));
    struct calibration calibration;
    struct calibration_question question;
    struct err unread = {0}; // gate_calibration_note() reports it: a broken old file does not stop a gate
    if (query_store(&run->plan, &device, &calibration, &question, &unread) != LOOKUP_FOUND) return 0;
    if (calibration_survey(&question, result).refused_count) {
        *ret = calibration_refuse(&question, result, &result->arena);
        *ret_is_refused = true;
    }
    calibration_fini(&calibration);
    return 0;
}

void gate_calibration_note(struct run *run, bool is_ignored, struct decision *decision) {
    struct result *result = &run->result;
    struct arena *arena = &result->arena;
    const struct environment *environment = &result->environment;
    if (!has_rounds(&run->plan) || !environment->device_uuid) return;
    struct calibration calibration;
    struct calibration_question question;
    struct err unread = {0};
    const struct device_identity device = {environment->device_uuid, environment->driver,
                                           environment->thread_count};
    const enum lookup found = query_store(&run->plan, &device, &calibration, &question, &unread);
    if (found == LOOKUP_FAILED) {
        decision_note(decision, arena, "warning: the calibration was not used: %s", unread.text);
    } else if (found == LOOKUP_ABSENT) {
        decision_note(decision, arena,
                      "this device is not calibrated: 'assay calibrate' measures what it can detect");
    } else {
        const struct calibration_survey survey = calibration_survey(&question, result);
        decision_note(decision, arena, "%s", calibration_note_text(&question, &survey, is_ignored, arena));
        calibration_fini(&calibration);
    }
}
