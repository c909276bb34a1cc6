// SPDX-License-Identifier: Apache-2.0
//
// Options of a session: the values of the common command-line options.
#ifndef CONTROL_FLOW_SESSION_OPTIONS_H
#define CONTROL_FLOW_SESSION_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "record/work_order.h"

#define SESSION_SAMPLES_DEFAULT UINT32_MAX

struct device_lock;

// Which kernels a command uses if none is named.
enum session_unnamed {
    SESSION_UNNAMED_NONE = 0,
    SESSION_UNNAMED_CANDIDATE, // the manifest's gate.candidate, else its only one
    SESSION_UNNAMED_ALL,       // all kernels of the manifest that run on the device
};

struct session_options {
    const char *command;       // "gate": a run is resumed by the command that began it
    const char *command_line;  // as typed, for reports; may be NULL
    const char *manifest;      // path; NULL: assay.yaml here or above
    const char *kernel;        // --kernel; NULL: the command's default
    const char *module;        // --module FILE.so in place of a manifest's kernel
    const char *operator_file; // "ops/rmsnorm.py", which declares one; NULL: none but the manifest's
    // A definition of a data set in a folder, one of its solutions, and what fills inputs that nobody
    // explains (control/plan/dataset); NULL: not given.
    const char *dataset, *definition, *solution, *inputs;
    const char *operator_name; // that of the file or the definition, when it has been read
    const char *config, *arch;
    const char *suite, *only, *problem, *dtype;
    const char *distributions; // of inputs, a comma list or "all"; NULL: as the suite says
    const char *device;        // "cpu", "sim:steady"
    bool is_device_default; // --device is not given: the named kernels decide (control/flow/device_choice.h)
    // Kernels that a command names besides --kernel, as comma lists; NULL: none.
    const char *candidate; // the kernel under test ...
    const char *others;    // ... and what it is measured or checked with
    enum session_unnamed unnamed;
    const char *lock_clocks; // "base", "max", "1500"; NULL: they are not locked
    const char *output_dir, *resume;
    const char *reference_dir; // where references are, and are left for other runs; NULL: the run's own
    uint64_t seed;
    uint32_t thread_count;           // 0: all
    const char *cpus;                // --cpus "0-3,6"; NULL: not given
    struct device_lock *device_lock; // the command's; NULL: it measures nothing (control/flow/device_lock.h)
    bool is_verbose, wants_progress;
    bool is_store_off;        // by --no-store
    bool is_priority_given;   // by --priority
    bool is_metric_given;     // by --metric
    bool is_case_time_given;  // by --case-time
    bool is_isolation_given;  // by --isolation; else sampling.isolation is the command's default
    bool is_seed_given;       // by --seed: it repeats what else is drawn from a secret
    struct sampling sampling; // not given: sample_count SESSION_SAMPLES_DEFAULT, sample_time_ns 0
};

#endif
