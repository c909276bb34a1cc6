// SPDX-License-Identifier: Apache-2.0
//
// The document of a tuning, runs/<id>/tune.json: what was searched, every variant that was tried, and who is
// in the elite. It is written after every heat, and read to be shown only: a tuning goes on from the journals
// of its heats.
#ifndef RECORD_TUNE_RECORD_H
#define RECORD_TUNE_RECORD_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/strbuf.h"
#include "record/member.h"

#define TUNE_KIND           "assay.tune" // the document's "kind" key
#define TUNE_SCHEMA_VERSION 1

enum tune_fate {
    TUNE_FATE_NONE = 0,
    TUNE_FATE_ALIVE,   // right, timed, and never shown to be slower than another
    TUNE_FATE_DROPPED, // another one is faster
    TUNE_FATE_NOT_BUILT,
    TUNE_FATE_WRONG,    // failed its check, crashed or hung: it has no time
    TUNE_FATE_NO_DATA,  // no measurement of it counts
    TUNE_FATE_TOO_SLOW, // beyond the time limit of a variant
    TUNE_FATE_PARTIAL,  // takes some problems only: out of the race, and timed for those
    TUNE_FATE_COUNT
};
extern const char *const tune_fate_names[TUNE_FATE_COUNT];

struct tune_variant {
    const char *config;
    enum tune_fate fate;
    const char *reason; // why it has no time; NULL: it has one
    uint32_t heat;      // its first one, from 1
    uint32_t round_count;
    double speedup; // against the baseline, geometric mean over the suite; of the race, and so too good
    uint32_t unsupported_count; // problems that it does not take; the speed-up is over the others
    const char *prediction;     // its proposer's; NULL: none
    const char *log;            // of what failed, all lines, for a proposer; NULL: none. Not in the document
};

// What a proposer was asked for, and what came of it. In tune.json, and one file each in the tuning's folder,
// from which a resumed tuning reads it again.
enum tune_answer {
    TUNE_ANSWER_NONE = 0,
    TUNE_ANSWER_TAKEN,    // it became a variant
    TUNE_ANSWER_REPEATED, // source and settings were proposed before
    TUNE_ANSWER_REFUSED,  // no source, no patch that fits, settings outside the space
    TUNE_ANSWER_TIMEOUT,
    TUNE_ANSWER_FAILED, // the program ended badly
    TUNE_ANSWER_COUNT
};
extern const char *const tune_answer_names[TUNE_ANSWER_COUNT];

struct tune_proposal {
    uint32_t number; // from 1
    enum tune_answer answer;
    const char *reason;      // why it did not become a variant; NULL: it did
    const char *variant;     // what it became: the name of the variant; NULL: nothing
    const char *config;      // settings that it asked for; NULL: the baseline's
    const char *source_file; // in the tuning's folder; NULL: the manifest's source
    const char *prediction;  // NULL: none
    double wall_s;
};

enum tune_rank {
    TUNE_RANK_NONE = 0,
    TUNE_RANK_ELITE,
    TUNE_RANK_SMALL_GAIN,
    TUNE_RANK_UNPROVEN,
    TUNE_RANK_SLOWER,
    TUNE_RANK_NO_DATA,
    TUNE_RANK_NOT_BUILT,
    TUNE_RANK_WRONG,   // it has no time
    TUNE_RANK_PARTIAL, // takes some problems only: never in the elite, may be chosen for those
    TUNE_RANK_COUNT
};
extern const char *const tune_rank_names[TUNE_RANK_COUNT];

struct tune_finalist {
    const char *config;
    enum tune_rank rank;
    double speedup, speedup_low, speedup_high; // claimed; NAN: no data
    const char *reason;         // why there is no time, or not of all problems; NULL: there is one
    uint32_t slower_count;      // problems that are shown to be slower
    uint32_t unsupported_count; // problems that it does not take; the speed-up is over the others
};

// What is best for one problem, by the final.
struct tune_problem_choice {
    const char *problem;
    const char *config; // of a finalist; NULL: the baseline
    double speedup;     // on that problem: what is claimed
};

struct tune_record {
    const char *run_id, *created_utc, *command_line;
    const char *kernel, *device, *suite, *strategy;
    uint64_t seed, point_count;
    uint32_t heat_count, round_max, final_rounds;
    size_t variant_count, variant_capacity;
    struct tune_variant *variants; // in the order of their trial; owned, texts by the arena
    size_t proposal_count, proposal_capacity;
    struct tune_proposal *proposals; // in the order of the questions; owned, texts by the arena
    const char *proposer;            // its command; NULL: none
    const char *steered_by;          // what of a profile put settings first; NULL: nothing
    size_t finalist_count;
    struct tune_finalist *finalists; // fastest of the race first; in the arena
    size_t choice_count;
    struct tune_problem_choice *choices; // in the order of the suite; in the arena. None without an elite
    const char *prediction;              // of the one variant that was asked for; NULL: none
    const char *sentence;                // one line for people; NULL: it goes on
    int exit_code;
    struct arena arena;
};

void tune_record_fini(struct tune_record *record); // accepts a zeroed one
// The variant of that name; NULL: it was not tried yet.
struct tune_variant *tune_record_find(const struct tune_record *record, const char *config);
void tune_record_write(const struct tune_record *record, struct strbuf *out);
int tune_record_write_file(const struct tune_record *record, const char *path, struct err *err); // atomic
// What was written, to be shown: everything lives in the arena, and there is nothing to free. ERR_DATA: it is
// none, with the place; where: its name.
int tune_record_read(const struct strbuf *text, const char *where, struct arena *arena,
                     struct tune_record *ret, struct err *err);

int tune_proposal_write_file(const struct tune_proposal *proposal, const char *path,
                             struct err *err); // atomic
// Texts go to the arena.
int tune_proposal_read_file(const char *path, struct arena *arena, struct tune_proposal *ret,
                            struct err *err);

#endif
