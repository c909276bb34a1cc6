// SPDX-License-Identifier: Apache-2.0
//
// A calibration (A/A study): one kernel as baseline and as candidate, in one or more runs with a fixed number
// of rounds of fresh workers. Every run has its folder and its result.json, and its study is stored as soon
// as it is measured. verdict/calibration/calibration_summary.h draws the conclusions;
// control/cmd/calibrate.c prints them.
#ifndef CONTROL_FLOW_CALIBRATE_CALIBRATE_RUN_H
#define CONTROL_FLOW_CALIBRATE_CALIBRATE_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "control/flow/run_folder.h"
#include "control/flow/session.h"
#include "report/calibration/calibration_report.h"

#define CALIBRATE_RUNS_MAX CALIBRATION_STUDIES_MAX

struct calibrate_request {
    struct session_options session;
    struct gate_spec spec; // thresholds NAN: the manifest's
    uint32_t round_count;  // of a run
    uint32_t run_count;
};

struct calibrate {
    struct arena arena;
    struct calibrate_request request;
    struct session session;
    struct calibration calibration;        // what is stored after the runs
    size_t run_count;                      // runs made so far
    struct calibration_study *studies;     // of these runs, in the arena
    const char *store_path, *results_path; // NULL: not stored; folder of the last run
    struct rounds_options rule;
    struct calibration_wanted wanted;
    const char *history_warning; // why the last run is not in the history; NULL: it is, or none is kept
    const char *failure;         // why the kernel cannot be calibrated, as a sentence; NULL: it can
    struct calibration_summary summary;
};

// Opens the session, adds the kernel twice and builds it, unless a run is resumed. ERR_USAGE, ERR_BUILD, ...
int calibrate_open(struct calibrate *calibrate, const struct calibrate_request *request, struct err *err);
// The plan of the run of that number, from 0.
int calibrate_plan(struct calibrate *calibrate, uint32_t number, struct plan *ret, struct err *err);
// Reads the device's stored calibration first (ERR_DATA if it cannot be read), then measures all runs. If the
// kernel fails its check, crashes or hangs, stops with calibrate->failure set; nothing of that run is stored.
// on_run (may be NULL) is called before each run, with its plan.
typedef void (*calibrate_run_fn)(void *arg, const struct plan *plan, uint32_t number);
int calibrate_measure(struct calibrate *calibrate, const struct run_callbacks *callbacks,
                      calibrate_run_fn on_run, struct err *err);
// Fills calibrate->summary; call it after runs without a failure.
int calibrate_conclude(struct calibrate *calibrate, struct err *err);
// The figures and studies that calibration_report.h prints; the studies live in the arena.
struct calibration_report calibrate_report(struct calibrate *calibrate);
void calibrate_close(struct calibrate *calibrate); // accepts a zeroed one

#endif
