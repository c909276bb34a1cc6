// SPDX-License-Identifier: Apache-2.0
//
// The answer of `assay referee` about one candidate, runs/<id>/referee.json: is it right, is it honest, how
// fast is it against others. Programs read it, so what it says in words it says in members, too.
#ifndef RECORD_REFEREE_RECORD_H
#define RECORD_REFEREE_RECORD_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/strbuf.h"
#include "record/check_result.h"

#define REFEREE_KIND           "assay.referee" // the document's "kind" key
#define REFEREE_SCHEMA_VERSION 1
#define REFEREE_RATIOS_MAX     7    // kernels that a candidate is measured with
#define REFEREE_PROBLEMS_MAX   8192 // of one answer

enum referee_verdict {
    REFEREE_NONE = 0,
    REFEREE_RIGHT,
    REFEREE_WRONG,
    REFEREE_DISHONEST, // it is right only while it is watched: results kept, work left behind, a false clock
    REFEREE_DOES_NOT_COMPILE,
    REFEREE_DOES_NOT_LOAD, // it compiles, and is no module, or crashes when it is loaded
    REFEREE_CRASHED,
    REFEREE_TIMED_OUT,
    REFEREE_OUT_OF_MEMORY,
    REFEREE_UNSUPPORTED,  // it does not take a problem that it is asked for
    REFEREE_NOT_JUDGED,   // all checks passed, and a wrong kernel would have passed them, too
    REFEREE_NOT_MEASURED, // it is right, and no measurement counts
    REFEREE_VERDICT_COUNT
};
extern const char *const referee_verdict_names[REFEREE_VERDICT_COUNT];

// What the interval of a ratio says.
enum referee_speed { SPEED_NONE = 0, SPEED_FASTER, SPEED_SLOWER, SPEED_NO_DIFFERENCE, SPEED_COUNT };

// Against another kernel: how many times as fast the candidate is. NAN: not known.
struct referee_ratio {
    const char *name;
    enum referee_speed speed;
    double speedup, speedup_low, speedup_high; // 95 % interval, over rounds
    double median_ns;                          // the other's; of one problem only
    uint32_t round_count;
};

struct referee_problem {
    const char *problem; // with its inputs, where they are not the usual ones
    double median_ns, median_low_ns, median_high_ns;
    double gflop_per_s, gb_per_s, ceiling_pct;
    size_t against_count;
    struct referee_ratio *against; // in the order of the document's `against`
};

// What a profiler says of the candidate.
struct referee_profile {
    const char *problem;           // where a launch takes longest
    const char *profiler;          // "perf events"
    const char *bottleneck;        // "memory_bound"
    const char *because;           // the numbers that decide
    const char *hypothesis, *test; // what promises most, and how to find out
    const char *note;              // what was not counted, or why nothing was
    const char *sentence;          // one line
};

struct referee_record {
    const char *run_id, *created_utc, *command_line;
    const char *candidate, *name; // as it was named; its name in lists
    const char *operator_name, *suite, *device, *device_name, *device_uuid;
    const char *code_hash, *source_hash;
    const char *baseline_hash; // of what `against` names first
    enum referee_verdict verdict;
    enum finding finding;
    const char *message;                       // what is wrong: where, what was expected
    const char *problem, *smallest_problem;    // where it fails; the smallest that fails in the same way
    const char *smallest_message;              // what is wrong there
    const char *repeat;                        // the command that shows it again
    const char *compiler;                      // its words
    uint32_t checked_count, passed_count;      // problems and inputs
    double build_s, check_s, measure_s, all_s; // how long it took
    size_t against_count;
    struct referee_ratio *against; // over all problems; the first decides
    size_t problem_count;
    struct referee_problem *problems;      // that are measured
    const struct referee_profile *profile; // NULL: not asked for
    size_t note_count;
    const char **notes;
    const char *sentence; // one line, for people and programs
    int exit_code;
    struct arena arena; // of all texts and lists
};

void referee_record_init(struct referee_record *record); // all numbers not known
void referee_record_fini(struct referee_record *record); // accepts a zeroed one
void referee_record_write(const struct referee_record *record, int indent, struct strbuf *out);
// What was written, by the record's own arena. ERR_DATA: it is none, with the place; where: its name.
int referee_record_read(const struct strbuf *text, const char *where, struct referee_record *ret,
                        struct err *err);
extern const struct member_table referee_members;

#endif
