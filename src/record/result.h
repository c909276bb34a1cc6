// SPDX-License-Identifier: Apache-2.0
//
// The result document: all data of a run. It is folded from the plan's header and the journal's records,
// at any time and as often as wanted. Verdicts are computed from it, reports print it, and it is written
// to runs/<id>/result.json. Its schema is docs/result-format.md and docs/result.schema.json.
#ifndef RECORD_RESULT_H
#define RECORD_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "record/decision.h"
#include "record/explanation.h"
#include "record/policy.h"
#include "record/record.h"
#include "record/work_order.h"

#define RESULT_SCHEMA_VERSION 1
#define RESULT_KIND           "assay.result" // the document's "kind" key
#define RESULT_CASES_MAX      8192           // of one document

enum side_role { SIDE_INVALID = 0, SIDE_BASELINE, SIDE_CANDIDATE, SIDE_PEER, SIDE_COUNT };
extern const char *const side_role_names[SIDE_COUNT];
const char *side_role_name(enum side_role role);
enum side_role side_role_parse(const char *name);

// The compiler's report on a variant. Absent figures are -1.
struct build_report {
    const char *compiler, *flags; // "gcc 12.2.0", "-O3 -fPIC ..."
    const char *code_hash;        // of all that is loaded; equal hashes mean the same code
    const char *source_hash;      // of a Python kernel's own files, not of their imports
    const char *module_hash;      // of the module file
    const char *log_tail;         // the end of the compiler's output
    const char *targets;          // GPU targets compiled for: "sm_80,sm_90a"; NULL: none
    const char *entries;          // each GPU kernel's registers, spills, stack, shared memory, one a line
    const char *matrix; // matrix instructions by name, as PTX has them: "sm_90a: 64 wgmma.mma_async"
    int64_t code_bytes, stack_bytes_max, registers, spill_bytes,
        shared_bytes;            // the largest of any GPU kernel
    int64_t matrix_instructions; // matrix multiply instructions in the PTX
    int64_t binary_bytes;        // of the module that are loaded
    double build_s;              // of this module's commands alone, also when others were built beside it
    bool is_cached;
    bool is_from_ccache; // from ccache: the compiler did not run either
};
struct build_report build_report_unknown(void); // for a side that was not built or whose build is not known
// The hash that identifies a kernel's version in the gate log: the machine code's hash, else the source's.
// Equal source hashes need not be the same code. NULL: neither is known.
const char *build_report_version(const struct build_report *build);

struct result_side {
    enum side_role role;
    const char *label; // as in reports: "simd", "tiled", "simd @ git:HEAD"
    const char *kernel, *op, *backend;
    const char *kernel_name; // inside the module
    // Of the library behind a peer: in a plan the one asked for ("9.19"), in a result the one that ran
    // ("9.19.0"); NULL: any, or not known. It is part of the label.
    const char *version;
    bool has_stated_version; // the process that computes stated `version`; in no document
    // A C function that is called by its signature on a processor; in no document, so that who resumes a run
    // treats it like any other.
    bool is_plain_call;
    const char *config;      // "BLOCK_M=64,BLOCK_N=64"; NULL: defaults
    const char *revision;    // commit, "dirty" or NULL
    const char *module_path; // NULL: linked in
    const char *reproduce;   // options that select this side again: "--module /abs/fa.so"; NULL: --kernel
    struct build_report build;
    const struct own_tolerance *tolerance; // of the manifest; NULL: the case's, else the operator's
    const struct sim_kernel *sim;          // a simulated kernel's script; NULL: a real one
    // A Python callable: "module:function", the folder it is imported from, the interpreter; NULL: none.
    const char *python, *python_path, *python_interpreter;
};

// Summary figures per case and side, for readers of the document. Control computes them from the raw
// samples before writing; they are never read back, since statistics come from samples. Figures that do
// not exist are NAN.
struct case_summary {
    bool is_set;                                     // false: not written
    double median_ns, median_low_ns, median_high_ns; // 95 % interval
    double mean_ns, sd_ns, iqr_ns, p50_ns, p95_ns, p99_ns, cv_pct;
    double gflop_per_s, gb_per_s;      // at the median; GB/s of compulsory bytes
    double peak_memory_bytes;          // tensors and workspace
    double flop_per_byte, ceiling_pct; // arithmetic intensity; share of the measured ceiling
    double call_wall_ns;             // a single launch, from call to completion; median over the valid rounds
    double kernel_clock_hz;          // the device's clock while samples ran, median
    double launch_energy_j, power_w; // of this side alone, medians over the valid rounds
    size_t sample_count, discarded_count;
};

// One measurement of a case: one round (one fresh worker).
struct result_round {
    uint32_t round, attempt;
    bool has_state, is_valid;
    enum invalid_cause invalid_cause;       // NONE when valid, or when the file does not say
    const char *invalid_reason;             // the same as a sentence; NULL while valid
    struct device_state state;              // over the samples' window
    struct samples samples[WORK_SIDES_MAX]; // count 0: that side was not measured
};

// What an autotuner chose when a side's kernel was prepared for a measurement.
struct result_choice {
    uint32_t round, attempt, side;
    const char *text; // "fwd BLOCK_M=64 num_warps=4"
};

// What a launch does, as its operator says (op/operator.h). It is kept with the case, for readers that do not
// have the operator. NAN, NULL: not known.
struct case_work {
    double flop_count, compulsory_bytes;
    const char *dtype;
};
struct case_work case_work_of(const struct problem *problem);

struct result_case {
    uint32_t index; // in the plan
    struct problem problem;
    struct case_work work;
    const char *short_name; // NULL: none
    const char *distribution;
    enum memory_layout memory_layout;
    const struct own_tolerance *tolerance; // of its suite; NULL: none
    uint64_t seed;
    struct check_result checks[WORK_SIDES_MAX]; // outcome NONE: not checked yet
    size_t round_count, round_capacity;
    struct result_round *rounds;                   // every attempt, in order of arrival
    struct case_summary summaries[WORK_SIDES_MAX]; // see result_write
    size_t choice_count, choice_capacity;
    struct result_choice *choices; // in order of arrival; the first of a round, attempt and side stands
    // Set for a benchmark from another tool's file; not written to the document. Why it cannot be compared
    // ("no raw samples: ..."; REASON_NONE: it can), the kind of its times ("GPU times"; NULL: the file has
    // one kind), its threads (0: not stated).
    enum reason unusable_reason;
    size_t left_out_count; // times left out: negative, not finite, absurd
    const char *unusable_text, *time_kind;
    int64_t external_thread_count;
};

// In result.not_checked: kernels show assay no results.
#define RESULT_TIMES_ONLY "times only: nobody checked results"

struct result {
    struct arena arena;          // owns everything below
    const char *external_format; // "nvbench": another tool's file was read; NULL: assay's own. Not written
    const char *run_id, *created_utc, *suite, *check_suite;
    const char *not_checked; // what the matrix has and the kernel does not declare; NULL: nothing
    const char *command;     // as typed: "assay gate --baseline git:HEAD"
    uint64_t seed;
    uint32_t repeat_count, thread_count; // --repeat and --threads as asked for; 0: not given, not written
    const char *manifest;                // --manifest; NULL: searched in the parent folders
    // The job of a code host's CI that made a decision: "github", the number of its page, the runner. NULL:
    // none, or not known.
    const char *job_host, *job_id, *job_runner;
    double target_speedup, cost_per_hour; // from the manifest; NAN (or not above 0): none, not written
    const struct policy *policy;          // of a gate against a revision; NULL: another run
    struct environment environment;
    struct sampling sampling;
    size_t side_count;
    struct result_side sides[WORK_SIDES_MAX];
    size_t check_count;
    struct result_case *checks; // the correctness matrix (phase check); may be empty
    size_t case_count;
    struct result_case *cases; // the measured suite (phase round)
    size_t warning_count, warning_capacity;
    const char **warnings;
    struct decision *decision;             // NULL until decided
    const struct explanation *explanation; // why the sides differ; NULL: not asked for, or nothing to explain
    // What the file does not state: its samples, warm-ups and times of samples; its seed. `sampling` and
    // `seed` are then the defaults, which reports do not show and which are not written.
    bool lacks_sampling, lacks_seed;
    double elapsed_s; // from the beginning of the run, or its last --resume, to its end; 0: not known
    double device_s;  // device (or processor) time used: the workers' lifetimes, by their records' times
    const char *file; // named by warnings, where two files are compared; NULL. Not in the document
    uint64_t clock_seen_ns; // time of the latest record of the present worker; 0: none. Not in the document
};

void result_init(struct result *result);
void result_fini(struct result *result);

// Folds one record in (strings copied into the result's arena). Unknown cases and sides are ERR_DATA. A
// second record for the same (phase, round, attempt, case, side) is ignored: the first complete one
// stands. A measurement is complete once its CASE_STATE has arrived: until then it is not valid, and
// samples that arrive again replace those of the incomplete one. A case and side is checked several times
// in rounds (before and after the samples, in every round): the first failed check stands. In the matrix
// the first check stands, except that a passed one may still become CRASHED or TIMEOUT (in release).
int result_add_record(struct result *result, const struct record *record, struct err *err);

// Adds single facts, for the readers of documents and control's own warnings. A warning is added only
// once.
void result_add_warning(struct result *result, const char *text);
void result_case_add_choice(struct result *result, struct result_case *item, struct result_choice choice);
// What tells a result's cases apart: problem and inputs (problem_key).
const char *result_case_key(const struct result_case *item, char buffer[PROBLEM_KEY_BYTES]);
bool result_case_is(const struct result_case *item, const char *key);
// The measured case of that key; NULL: none.
const struct result_case *result_find_case(const struct result *result, const char *key);
struct result_round *result_case_find_round(const struct result_case *item, uint32_t round, uint32_t attempt);
struct result_round *result_case_add_round(struct result *result, struct result_case *item, uint32_t round,
                                           uint32_t attempt); // NULL: too many

// Access for statistics. Whether a round counts: valid, with samples of both sides.
bool result_round_is_usable(const struct result_round *round, uint32_t side_a, uint32_t side_b);
// Per-launch times of all counting samples of a side over all valid rounds; caller frees *ret_times_ns.
size_t result_case_times(const struct result_case *item, uint32_t side, double **ret_times_ns);
// The worst outcome of a case on a side over its check and rounds: NOT_VALID when it was measured and no
// measurement is valid; NONE when it was not checked (a document written by hand may hold samples without
// a check).
enum outcome result_case_outcome(const struct result_case *item, uint32_t side);
const char *result_case_name(const struct result_case *item); // "s512", else the problem's name
// "s512", or without a short name the problem's name with '/' as '_', and its inputs.
const char *result_case_file_name(const struct result_case *item, char buffer[PROBLEM_KEY_BYTES]);
// A side's name in reports: its label, "simd#2" when an earlier side has the same label, "kernel" when it
// has none.
const char *result_side_name(const struct result *result, size_t side, struct arena *arena);

void result_write(const struct result *result,
                  struct strbuf *out); // indented document with a summary per case
// Writes only cases[case_index], without the correctness matrix: runs/result_<problem>.json.
void result_write_case(const struct result *result, size_t case_index, struct strbuf *out);
int result_write_file(const struct result *result, const char *path, struct err *err); // atomic
int result_write_in(const struct result *result, const char *dir, struct err *err); // result.json; makes dir
// Of the document, and of parts that others share: sides (with plan.json), their builds, a problem's figures.
extern const struct member_table result_members, result_side_members, build_report_members,
    case_summary_members;
struct result_side result_side_copy(struct arena *arena,
                                    const struct result_side *side); // a deep copy
// Only kind, schema_version, sides and cases with problem and duration_ns are required: see
// docs/result-format.md. summary is skipped. *ret is to be freed with result_fini when 0 is returned.
// ERR_DATA: not a result document, another schema version, a time that is not finite and positive, ...
int result_parse(const json_t *root, const char *where, struct result *ret, struct err *err);
int result_read_file(const char *path, struct result *ret, struct err *err);
int result_read_text(const char *text, size_t length, const char *where, struct result *ret, struct err *err);

#endif
