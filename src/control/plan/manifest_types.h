// SPDX-License-Identifier: Apache-2.0
//
// What a manifest says (assay.yaml), as structs: kernels, suites, simulated devices, gate, peers, limits.
// manifest/manifest.h reads it.
#ifndef CONTROL_PLAN_MANIFEST_TYPES_H
#define CONTROL_PLAN_MANIFEST_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "op/declared/declared.h"
#include "op/operator.h"
#include "record/gate_spec.h"
#include "record/metric.h"
#include "record/own_tolerance.h"
#include "record/run_limits.h"
#include "record/sim_script.h"

#define MANIFEST_FILE_NAME "assay.yaml"

// Of a kernel's source, and of a reference's: the text is checked when the manifest is read, symbolic links
// when it is built.
#define MANIFEST_SOURCE_RULE "must be a path below the manifest's folder, so that every revision has its own"

struct call;

struct manifest_setting { // BLOCK_M: 64
    const char *name;
    int64_t value;
};

// What `assay tune` may change of a kernel (key `tune`), besides the values that the kernel itself declares.
struct manifest_knob { // BLOCK_M: [32, 64, 128]
    const char *name;
    size_t value_count;
    int64_t *values; // ascending
};
struct manifest_effect { // on a simulated kernel
    size_t when_count;
    struct manifest_setting *when; // all of these hold
    const struct sim_kernel *sim;  // factors of time are multiplied, other members replaced where given
};
#define MANIFEST_TUNE_NO_LIMIT UINT32_MAX
struct manifest_tune {
    size_t knob_count;
    struct manifest_knob *knobs;
    size_t rule_count;
    const char **rules; // "BLOCK_M * BLOCK_N <= 16384" (control/plan/config_rule.h), each checked to parse
    uint32_t shared_bytes_max, registers_max, spill_bytes_max; // of the compiler's report on a variant
    size_t effect_count;
    struct manifest_effect *effects;
};

// A kernel has exactly one of source, library, build_run, python, sim.
struct manifest_kernel {
    const char *name;
    const char *op, *backend; // an operator's name; "cpu", "cuda", "sim"
    const char *summary;      // a line for lists; NULL: none
    const char *entry;        // kernel name inside the module; NULL: its only one
    const char *source;       // path below the manifest's folder
    const char *library;      // a built .so
    const char *python;       // "module:function" or "module:function(x, y)"
    const char *dir;          // its folder; NULL: the manifest's
    const char *build_run, *build_output;
    const struct call *call; // control/plan/call.h, of source, library or build; NULL: they hold modules
    size_t build_input_count;
    const char **build_inputs; // globs below the manifest's folder; ** crosses folders
    size_t config_count;
    struct manifest_setting *config; // becomes -DNAME=VALUE
    size_t flag_count;
    const char **flags; // further compiler flags
    size_t arch_count;
    const char **archs;                    // GPU targets that it can be built for: "sm_90a"; none: any
    bool is_fast_math;                     // fast_math: true
    const struct own_tolerance *tolerance; // NULL: the operator's
    const struct sim_kernel *sim;     // backend sim: its script, in place of source, library, build, python
    const struct manifest_tune *tune; // NULL: all values that the kernel declares
};

struct manifest_problem {
    const char *short_name, *problem;      // checked to parse
    const char *distribution;              // "normal" unless it is named; checked to apply
    enum memory_layout memory_layout;      // dense unless it is named
    const struct own_tolerance *tolerance; // of this problem; NULL: its suite's
};

struct manifest_suite {
    const char *name;
    const char *from; // another suite (shipped or of this manifest); NULL when problems are given
    size_t only_count;
    const char **only; // short names of problems of `from`
    size_t problem_count;
    struct manifest_problem *problems;
    size_t distribution_count;
    const char **distributions; // of inputs: every problem once with each; none: as the problems say
    const struct own_tolerance *tolerance; // of kernels that have none; NULL: the operator's
};

struct manifest {
    struct arena arena;     // owns everything
    const char *path, *dir; // of the file; dir is absolute
    bool is_extended;       // path is that of the file that another one extends, which has kernels only
    struct operator_set operators; // with those that it declares
    // Of operators.declared, by its place: their references are filled in when they are built.
    struct declared **declared;
    size_t kernel_count;
    struct manifest_kernel *kernels;
    size_t suite_count;
    struct manifest_suite *suites;
    struct {
        const char *suite, *candidate, *baseline;
        const char *check; // suite of the correctness matrix; NULL: the operator's
        enum metric metric;
        bool is_regression_given; // else spec.regression_pct is the default of the metric
        struct gate_spec spec;
    } gate;
    double target_speedup;                        // bench --vs: target met line; NAN when not given
    double cost_per_hour;                         // NAN when not given
    const char *store;                            // "none", or an address; NULL: not given
    struct {                                      // notify: nobody is told, unless one of both is given
        const char *email_to, *email_from, *smtp; // all three, or none; email_to: comma-separated
        const char *smtp_tls;                     // "none": without TLS, a server on this machine; NULL: with
        const char *webhook;                      // its form: slack, teams or json
        const char *branches;                     // comma-separated; NULL: main and master
    } notify;
    struct run_limits limits;
    size_t sim_device_count;
    struct sim_device *sim_devices; // devices: {"sim:mine": {...}}
    size_t peer_count;
    const char **peers;             // default of --vs
    const char *python_interpreter; // of what is written in Python; NULL: VIRTUAL_ENV's, else python3
};

// Asks Python files what operators they declare (peers/assay_declare.py): of each JSON with the mapping of an
// operator, or with the sentence that says what is wrong. Of the declarations the name is there, and the file
// as source of the reference. ret_answers: in the manifest's arena.
struct manifest_asker {
    int (*ask)(const struct manifest_asker *asker, struct manifest *manifest,
               const struct declared *const *declared, size_t count, const char **ret_answers,
               struct err *err);
    const char *dir; // where an interpreter is that a manifest names by a path; NULL: below the manifest
};

#endif
