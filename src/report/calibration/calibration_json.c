// SPDX-License-Identifier: Apache-2.0
//
// See calibration_report.h: the document of --json and --output. The new studies as they are stored, the
// figures pooled with earlier ones, and the power of the rule.
#include <math.h>

#include "base/json_writer.h"
#include "report/calibration/calibration_report.h"
#include "verdict/rounds/rounds.h"

static const char *const fitness_names[] = {[CALIBRATION_UNKNOWN] = "unknown",
                                            [CALIBRATION_DETECTS] = "certified",
                                            [CALIBRATION_UNCERTAIN] = "uncertain",
                                            [CALIBRATION_REFUSES] = "refused"};

static void write_problem(struct json_writer *w, const struct calibration_pooled *problem,
                          double threshold_pct, double detected_pct) {
    const struct calibration_gate gate = {threshold_pct, CALIBRATION_ROUNDS, .is_fixed = false};
    const enum calibration_fitness fitness = calibration_judge(problem, &gate);
    json_object_begin(w, NULL);
    json_write_string(w, "problem", problem->name);
    json_maybe_string(w, "short_name", problem->short_name);
    json_maybe_double(w, "median_ns", problem->median_ns);
    json_maybe_double(w, "within_cv_pct", problem->within_cv_pct);
    json_maybe_double(w, "within_sd_pct", problem->within_sd_pct);
    json_maybe_double(w, "spread_pct", problem->spread_pct);
    json_maybe_double(w, "spread_low_pct", problem->spread_low_pct);
    json_maybe_double(w, "spread_high_pct", problem->spread_high_pct);
    json_write_u64(w, "degrees", problem->degrees);
    json_maybe_double(w, "within_part_pct", 100 * problem->within_part);
    json_write_u64(w, "study_count", problem->study_count);
    json_write_u64(w, "round_count", problem->round_count);
    json_write_u64(w, "invalid_round_count", problem->invalid_round_count);
    json_maybe_string(w, "invalid_reason", problem->invalid_reason);
    json_maybe_double(w, "certified_pct", problem->detectable_pct);
    json_maybe_double(w, "half_width_pct", problem->half_width_pct);
    json_maybe_double(w, "caught_pct", detected_pct);
    json_write_string(w, "fitness", fitness_names[fitness]);
    uint32_t needed =
        fitness == CALIBRATION_UNKNOWN ? 0 : rounds_needed(problem->spread_high_pct / 100, threshold_pct);
    if (needed) json_write_u64(w, "rounds_needed", needed);
    json_write_u64(w, "comparison_count", problem->comparison_count);
    json_write_u64(w, "accusation_count", problem->false_alarm_count);
    json_object_end(w);
}

static void write_view(struct json_writer *w, const struct calibration_view *view) {
    json_object_begin(w, NULL);
    json_write_string(w, "problem", view->problem->name);
    json_write_double(w, "spread_pct", view->problem->spread_pct);
    json_array_begin(w, "points");
    for (size_t i = 0; i < CALIBRATION_CHANGES; ++i) {
        const struct calibration_shares *shares = &view->table[i];
        json_object_begin(w, NULL);
        json_write_double(w, "change_pct", calibration_changes_pct[i]);
        json_write_double(w, "regression_pct", 100 * shares->regression);
        json_write_double(w, "maintained_pct", 100 * shares->maintained);
        json_write_double(w, "improvement_pct", 100 * shares->improvement);
        json_write_double(w, "undecidable_pct", 100 * shares->undecidable);
        json_object_end(w);
    }
    json_array_end(w);
    json_object_end(w);
}

void calibration_report_json(const struct calibration_report *report, struct strbuf *out) {
    const struct calibration_summary *summary = report->summary;
    const struct calibration_false_alarms *all = &summary->false_alarms;
    struct json_writer w = json_writer_make(out, 2);
    json_object_begin(&w, NULL);
    json_write_string(&w, "kind", CALIBRATION_REPORT_KIND);
    json_write_u64(&w, "schema_version", CALIBRATION_REPORT_SCHEMA_VERSION);
    json_write_string(&w, "sentence", summary->sentence);
    json_write_i64(&w, "exit_code", summary->exit_code);
    json_maybe_string(&w, "device", report->calibration->device);
    json_maybe_string(&w, "device_name", report->calibration->device_name);
    json_maybe_string(&w, "device_uuid", report->calibration->device_uuid);
    json_write_i64(&w, "thread_count", report->calibration->thread_count);
    json_maybe_string(&w, "stored_in", report->store_path);
    json_write_double(&w, "threshold_pct", summary->threshold_pct);
    json_write_u64(&w, "certified_in_rounds", CALIBRATION_ROUNDS);
    json_maybe_double(&w, "certified_pct", summary->detectable_pct);
    if (summary->pair_count) json_write_u64(&w, "pair_count_recommended", summary->pair_count);
    json_object_begin(&w, "false_accusations");
    json_write_u64(&w, "comparison_count", all->comparison_count);
    json_write_u64(&w, "run_count", all->run_count);
    json_write_u64(&w, "accusation_count", all->false_alarm_count);
    json_write_double(&w, "upper_bound_pct", all->upper_bound_pct);
    json_write_u64(&w, "accused_run_count", all->false_alarm_run_count);
    json_write_double(&w, "run_upper_bound_pct", all->run_upper_bound_pct);
    json_object_end(&w);
    json_object_begin(&w, "round_dependence");
    json_write_u64(&w, "study_count", summary->dependence.study_count);
    json_write_u64(&w, "dependent_study_count", summary->dependence.dependent_count);
    json_maybe_double(&w, "correlation", summary->dependence.correlation);
    json_object_end(&w);
    json_array_begin(&w, "problems"); // pooled over the studies of the same conditions
    for (size_t i = 0; i < summary->problem_count; ++i)
        write_problem(&w, &summary->problems[i], summary->threshold_pct, summary->detected_pct[i]);
    json_array_end(&w);
    json_array_begin(&w, "power");
    for (size_t i = 0; i < summary->view_count; ++i) write_view(&w, &summary->views[i]);
    json_array_end(&w);
    json_array_begin(&w, "studies"); // made now
    for (size_t i = 0; i < report->study_count; ++i)
        members_write_object(&w, NULL, &calibration_study_members, &report->studies[i], NULL);
    json_array_end(&w);
    json_object_end(&w);
    strbuf_add_char(out, '\n');
}
