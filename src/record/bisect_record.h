// SPDX-License-Identifier: Apache-2.0
//
// The document of a bisect, runs/<id>/bisect.json: what was asked, every commit that was tried and what it
// said, and what follows. It is written after every step, so that a bisect that was killed goes on from it.
#ifndef RECORD_BISECT_RECORD_H
#define RECORD_BISECT_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "record/member.h"
#include "record/work_order.h"

#define BISECT_KIND           "assay.bisect" // the document's "kind" key
#define BISECT_SCHEMA_VERSION 1
#define BISECT_STEPS_MAX      8192
#define BISECT_SUSPECTS_MAX   4096

enum bisect_answer {
    BISECT_ANSWER_NONE = 0, // only while it is tried
    BISECT_ANSWER_CHANGED,  // measured: it has the change
    BISECT_ANSWER_UNCHANGED,
    BISECT_ANSWER_UNCLEAR,   // measured, and it says little
    BISECT_ANSWER_SAME_CODE, // the machine code of `same_as`: not measured
    BISECT_ANSWER_KNOWN,     // from earlier measurements
    BISECT_ANSWER_NOT_BUILT,
    BISECT_ANSWER_WRONG,   // failed its check, crashed or hung
    BISECT_ANSWER_NO_DATA, // the measurement does not count
    BISECT_ANSWER_COUNT
};

struct bisect_step {
    const char *commit, *subject;
    enum bisect_answer answer;
    const char *same_as;                                // a commit
    const char *reason;                                 // why there is no measurement, or what it lacks
    double change_pct, change_low_pct, change_high_pct; // against GOOD; NAN: not measured
    double se_pct;                                      // of ln(commit / GOOD), x 100
    double p_changed_pct;                               // from this step alone
    uint32_t round_count;
    const char *code;   // identity of the machine code; NULL: not known
    const char *run_id; // of the gate, a folder in the bisect's
    double seconds;
};

enum bisect_outcome {
    BISECT_OUTCOME_NONE = 0,  // it goes on
    BISECT_OUTCOME_FOUND,     // one commit
    BISECT_OUTCOME_RANGE,     // several that cannot be told apart, since some cannot be measured
    BISECT_OUTCOME_NO_CHANGE, // BAD does not differ from GOOD
    BISECT_OUTCOME_UNDECIDED,
    BISECT_OUTCOME_COUNT
};

struct bisect_suspect {
    const char *commit, *author, *date, *subject;
    const char *reason; // why it could not be measured; NULL: it was, or need not be
};

struct bisect_record {
    struct arena arena; // owns what a document that was read holds
    // What was asked.
    const char *run_id, *created_utc, *command_line;
    const char *good_name, *bad_name; // as typed
    const char *good, *bad;           // commits
    bool has_all_commits;
    const char *manifest, *kernel, *device, *processors, *lock_clocks;
    const char *suite, *only, *dtype; // NULL once `problem` is known
    const char *problem;              // asked for, or the one that changed most between the ends
    uint64_t seed;
    uint32_t thread_count, round_count, gate_max; // round_count 0: interim analyses
    bool is_calibration_ignored, is_priority_given, is_metric_given, is_isolation_given;
    bool is_case_time_given;
    double certainty_pct, regression_pct, improvement_pct; // thresholds NAN: GOOD's manifest's
    struct sampling sampling;
    // What was found so far.
    uint32_t commit_count;
    size_t step_count;
    struct bisect_step *steps;                   // the first is BAD
    const char *running_commit, *running_run_id; // a gate that goes on; NULL: none
    // What follows.
    enum bisect_outcome outcome;
    double probability_pct; // that one of the suspects is it
    size_t suspect_count;
    struct bisect_suspect *suspects; // oldest first
    uint32_t gate_count;             // that measured
    const char *sentence;
    const char *note; // what else was seen; NULL: nothing
    int exit_code;
};

extern const char *const bisect_answer_names[BISECT_ANSWER_COUNT];

void bisect_record_fini(struct bisect_record *record); // accepts a zeroed one
void bisect_record_add_step(struct bisect_record *record, const struct bisect_step *step); // copies
void bisect_record_write(const struct bisect_record *record, struct strbuf *out);
int bisect_record_write_file(const struct bisect_record *record, const char *path, struct err *err); // atomic
// ERR_DATA with the place. *ret is to be freed with bisect_record_fini when 0 is returned.
int bisect_record_parse(const json_t *root, const char *where, struct bisect_record *ret, struct err *err);
int bisect_record_read_file(const char *path, struct bisect_record *ret, struct err *err);

// The measurements of a step against GOOD count for Bayes' rule.
bool bisect_step_is_measured(const struct bisect_step *step);

#endif
