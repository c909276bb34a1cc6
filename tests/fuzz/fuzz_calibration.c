// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as a stored calibration: it is written again as it was read and what it can detect is found, or
// it is refused with a sentence that names the file.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "verdict/calibration/calibration_study.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static bool parse(const char *text, size_t length, struct calibration *ret) {
    struct err err = {0};
    json_t *root = NULL;
    int code = json_read_text(text, length, "cal.json", &root, &err);
    if (code == 0) code = calibration_parse(root, "cal.json", ret, &err);
    json_decref(root);
    if (code < 0 && (code != -ERR_DATA || !strstr(err.text, "cal.json"))) abort();
    return code == 0;
}

static void use(struct calibration *calibration) {
    struct calibration_conditions any = {0};
    const struct calibration_gate gate = {3, 20, .is_fixed = false};
    const struct result nobody = {0};
    struct calibration_false_alarms all = calibration_false_alarms(calibration);
    if (!(all.upper_bound_pct >= 0 && all.upper_bound_pct <= 100)) abort();
    if (calibration->study_count == 0) return;
    struct calibration_study last = calibration->studies[calibration->study_count - 1];
    for (size_t i = 0; i < last.problem_count; ++i) {
        struct calibration_pooled problem;
        if (!calibration_pool(calibration, &any, last.problems[i].name, &problem)) abort();
        struct calibration_pooled nearest;
        bool is_known = calibration_pool_for(calibration, &any, &nobody, last.problems[i].name, &nearest);
        if (is_known && !calibration_is_measured(&nearest)) abort();
        if (problem.detectable_pct < 0 || problem.within_part > 1) abort();
        enum calibration_fitness fitness = calibration_judge(&problem, &gate);
        if ((fitness == CALIBRATION_UNKNOWN) == calibration_is_measured(&problem)) abort();
    }
    last.run_id = "another run";
    calibration_add_study(calibration, &last); // a simulated one may replace those that it repeats
    if (calibration->study_count == 0 || calibration->study_count > CALIBRATION_STUDIES_MAX) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    struct calibration calibration, again;
    struct strbuf once = {0}, twice = {0};
    if (!parse((const char *)bytes, count, &calibration)) return 0;
    calibration_write(&calibration, &once);
    if (!parse(once.text, once.length, &again)) abort();
    calibration_write(&again, &twice);
    if (!str_equal(once.text, twice.text)) abort();
    use(&calibration);
    calibration_fini(&calibration);
    calibration_fini(&again);
    strbuf_fini(&once);
    strbuf_fini(&twice);
    return 0;
}
