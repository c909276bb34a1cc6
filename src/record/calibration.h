// SPDX-License-Identifier: Apache-2.0
//
// The A/A studies that `assay calibrate` keeps: each is a run of a kernel against itself. One JSON
// document per device and number of threads, in the cache folder (control/flow/calibration_store.h).
// verdict/calibration/calibration_study.h pools the studies.
#ifndef RECORD_CALIBRATION_H
#define RECORD_CALIBRATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/decision.h"
#include "record/member.h"

#define CALIBRATION_KIND           "assay.calibration" // the document's "kind" key
#define CALIBRATION_SCHEMA_VERSION 2                   // 2: problems are named by problem_key
#define CALIBRATION_STUDIES_MAX    200                 // the newest are kept
#define CALIBRATION_PROBLEMS_MAX   1024
#define CALIBRATION_SPREAD_MAX_PCT                                                                           \
    1000.0 // spread_pct, within_cv_pct, within_sd_pct are capped at this when written

// One problem of one study. Figures that do not exist are NAN.
struct calibration_problem {
    const char *name, *short_name; // problem_key, so that input distributions are apart
    double median_ns;              // geometric mean of the round medians of both sides
    double offset_pct;             // mean of d_r = ln(candidate / baseline), x 100: expected 0
    double spread_pct;             // sd of d_r between rounds, x 100; NAN with fewer than 2 rounds
    double within_cv_pct;          // CV of the samples inside a round, pooled over rounds and sides
    double within_sd_pct;          // sd of d_r, x 100, that the samples' noise inside rounds alone would give
    double pair_count;             // mean number of samples per side and round
    uint32_t round_count;          // rounds that count
    uint32_t invalid_round_count;  // attempts that do not count
    const char *invalid_reason;    // of the last such attempt; NULL: none, or not known
    enum verdict verdict; // the rounds rule's at 3 %, on the first 20 rounds; VERDICT_NONE: fewer rounds
};

// One run of the program.
struct calibration_study {
    const char *run_id, *created_utc, *assay_version;
    const char *driver, *power_mode, *cache_mode,
        *isolation;                         // must agree before spreads are pooled; NULL: not known
    const char *kernel, *code_hash, *suite; // NULL: not known
    uint64_t seed;
    bool is_simulated;    // the same kernel, seed and sampling would give the same rounds again
    uint32_t round_count; // asked for
    uint32_t sample_count, sample_count_noisy, sample_count_noisier; // pairs a round
    uint32_t locked_clock_mhz; // must agree before spreads are pooled; 0: the clocks were not held
    // Lag-1 autocorrelation of d_r from round to round over all problems, and the p of its permutation test
    // (stats/serial_correlation.h); NAN: too few rounds, or an older document.
    double round_correlation, round_correlation_p;
    size_t problem_count;
    struct calibration_problem *problems;
};

struct calibration {
    struct arena arena; // owns everything below
    const char *device, *device_name, *device_uuid;
    int64_t thread_count;
    size_t study_count;
    struct calibration_study *studies; // in order of arrival, the newest last
};

void calibration_fini(struct calibration *calibration); // accepts a zeroed one

// Whether the study is of this kernel: the same machine code, or the same name when the code changed or is
// not known.
bool calibration_study_is_of_kernel(const struct calibration_study *study, const char *kernel,
                                    const char *code_hash);

// A deep copy: all its texts and problems live in the arena.
struct calibration_study calibration_study_copy(const struct calibration_study *from, struct arena *arena);

// Adds a copy as the newest. An earlier study of the same run id (a run that was resumed) goes. A simulated
// device gives the same rounds of a problem for the same kernel, seed, sampling, power mode, cache mode and
// driver again: of two such observations the one with more rounds stays (of equals the newer), the other
// leaves its study, and a study that is left without problems goes. Beyond CALIBRATION_STUDIES_MAX the oldest
// goes.
void calibration_add_study(struct calibration *calibration, const struct calibration_study *study);

void calibration_write(const struct calibration *calibration,
                       struct strbuf *out); // indented, ends with a newline
extern const struct member_table calibration_study_members;

// ERR_DATA with the place: another kind or schema version, a name twice, a figure that cannot be, too many
// studies. *ret is to be freed with calibration_fini when 0 is returned.
int calibration_parse(const json_t *root, const char *where, struct calibration *ret, struct err *err);

#endif
