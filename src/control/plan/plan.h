// SPDX-License-Identifier: Apache-2.0
//
// The plan of a run: sides x cases x rounds with all seeds and settings, fixed before anything runs and
// written to runs/<id>/plan.json, so that a resumed run does exactly what the first one would have done.
#ifndef CONTROL_PLAN_PLAN_H
#define CONTROL_PLAN_PLAN_H

#include "base/arena.h"
#include "record/gate_spec.h"
#include "record/policy.h"
#include "record/result.h"
#include "record/work_order.h"

#define PLAN_SCHEMA_VERSION 1

struct plan_case {
    struct problem problem;
    const char *short_name, *distribution;
    enum memory_layout memory_layout;
    const struct own_tolerance *tolerance; // of its suite; NULL: none
    uint64_t seed;
};

// What only a gate, and its calibration, need. plan.json holds these among the plan's own keys.
struct plan_gate {
    struct gate_spec spec;
    const struct policy *policy;  // against a revision: whose manifest decided all of this; NULL
    bool is_same_code;            // nothing is measured
    const char *stored_baseline;  // against a result file: its path; NULL: the baseline is measured
    const char *added_problems;   // comma list of names that only the candidate's suite has; NULL
    const char *removed_problems; // comma list of names that only the baseline's suite has; NULL
    // the newest failed gate of this code: this one confirms it on fresh data; NULL
    const char *confirms_run_id;
    uint32_t earlier_run_count;     // gates of the same code before this one, when confirms_run_id is set ...
    uint32_t failed_run_count;      // ... and those of them that failed
    uint32_t unfinished_run_count;  // gates of the same code that were begun and never decided
    uint32_t earlier_attempt_count; // of the job that the gate is part of, as its code host says ...
    const char *attempt_host;       // ... which is called so: "GitHub"; NULL: there was none
};

// A gate has interim analyses after 5, 10, 15, 20 rounds, and one after 3 where it is asked for: the same
// numbers as in verdict/rounds/rounds_rule.h.
#define PLAN_GATE_LOOK_STEP  5
#define PLAN_GATE_LOOK_COUNT 4
#define PLAN_GATE_FIRST_LOOK 3
// Of a gate that counts instructions: the second one shows whether counts repeat.
#define PLAN_COUNTED_ROUNDS 2

// How rounds go on: looks at these round counts; a fixed count has one look with is_sequential false.
#define PLAN_LOOKS_MAX 8
struct plan {
    struct arena arena;
    const char *run_id, *command, *created_utc, *suite, *check_suite, *device;
    const struct sim_device *sim; // script of a simulated device; NULL: none
    const char *not_checked; // what the matrix has and the kernel does not declare (suite.h); NULL: nothing
    uint64_t seed;
    uint32_t thread_count;
    const char *processors_note;   // why on fewer processors than there are; NULL: nothing to say
    const char *processors;        // where threads run: "0-3,6"; NULL: on all that we may use
    struct operator_set operators; // of its problems; of each name the first problem's
    size_t side_count;
    struct result_side sides[WORK_SIDES_MAX];
    uint32_t check_side_mask; // sides that go through the check matrix
    size_t check_count;
    struct plan_case *checks;
    size_t case_count;
    struct plan_case *cases;
    size_t look_count;
    uint32_t looks[PLAN_LOOKS_MAX]; // 5, 10, 15, 20; or 3 and these
    bool is_sequential;
    bool needs_two_processes;             // sides cannot share a process (unique symbols)
    uint32_t round_repeat_max;            // 3
    uint32_t repeat_count;                // fuzz --repeat
    uint32_t variant_limit;               // of a tuning's heat: new variants it had room for; 0: no heat
    bool is_oracle_only;                  // fuzz without a kernel: the oracle alone is checked
    bool is_integrated_form;              // the result is also written in the older integrated form
    const char *command_line;             // as the user typed it, for reports; NULL
    const char *manifest;                 // --manifest; NULL: found by looking upwards
    double target_speedup, cost_per_hour; // of the manifest; NAN (or not above 0): none
    struct sampling sampling;             // and limits
    struct plan_gate gate;
};

// Which run of this code a gate is, of those that are known here and of those that its code host counts.
// They may be the same ones, so the larger number counts. 1: no rerun.
uint32_t plan_rerun_number(const struct plan *plan);

void plan_fini(struct plan *plan);
void plan_write(const struct plan *plan, struct strbuf *out);
int plan_write_file(const struct plan *plan, const char *path, struct err *err);
// ERR_DATA names the place: `where`, or the path. *ret is to be freed with plan_fini when 0 is returned.
int plan_parse(const json_t *root, const char *where, struct plan *ret, struct err *err);
int plan_read_file(const char *path, struct plan *ret, struct err *err);

// The work orders of a plan. The order's arrays live in the arena.
struct plan_round {
    uint32_t round, attempt;
    const uint32_t *case_indices; // into plan->cases; NULL: all
    size_t case_count;
};
// Makes the order of a round: its cases as drawn from (seed, round). A repetition keeps the order of its
// round.
void plan_round_order(const struct plan *plan, const struct plan_round *wanted, struct arena *arena,
                      struct work_order *ret);
void plan_check_order(const struct plan *plan, const uint32_t *case_indices, size_t case_count,
                      struct arena *arena, struct work_order *ret);
// The part of a side that a worker needs; texts are the side's.
struct work_side work_side_of(const struct result_side *side);
// Estimated seconds until the first look is over: the correctness matrix, and the rounds of that look. 0 if
// time is virtual, or nothing is measured.
double plan_expected_s(const struct plan *plan);
// The rounds up to the first look, if the first measurement, of that case, took so long.
double plan_first_look_s(const struct plan *plan, size_t index, double took_s);
// The same of one problem: checked once, measured in one round; and of all that the plan may come to.
double plan_check_s(const struct plan *plan, size_t index);
double plan_measure_s(const struct plan *plan, size_t index);
double plan_work_s(const struct plan *plan);
// A result with the plan's header, sides and empty cases, ready for result_add_record.
int plan_result(const struct plan *plan, struct result *ret, struct err *err);

#endif
