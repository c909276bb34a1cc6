// SPDX-License-Identifier: Apache-2.0
//
// What a stored calibration says of a gate: can the rounds planned certify its threshold on every problem? If
// not, a decision without measurements and the sentences that say what would help. Pure;
// control/flow/gate/gate_calibration.c has the store.
#ifndef CONTROL_VERDICT_CALIBRATION_CALIBRATION_REFUSAL_H
#define CONTROL_VERDICT_CALIBRATION_CALIBRATION_REFUSAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "control/verdict/calibration/calibration_study.h"
#include "record/decision.h"
#include "record/gate_spec.h"
#include "record/result.h"

// A gate that is about to measure, and what is stored of its device.
struct calibration_question {
    const struct calibration *calibration;
    struct calibration_conditions conditions; // of the gate; its kernels are the result's
    struct gate_spec spec;
    uint32_t round_count; // planned at most
    bool is_fixed;        // --rounds N: one decision; else looks
};

// The problems of a result by the calibration.
struct calibration_survey {
    struct calibration_pooled worst; // the largest spread; its texts are the calibration's
    size_t case_count;
    size_t known_count;     // have a spread from enough rounds under these conditions
    size_t refused_count;   // of these: the threshold is surely finer than the rounds planned certify
    size_t uncertain_count; // it may be
};
struct calibration_survey calibration_survey(const struct calibration_question *question,
                                             const struct result *result);

// The decision of a gate that is refused, ready for gate_rule_apply(): rule "rounds", VERDICT_UNDECIDABLE
// with REASON_TOO_NOISY and a sentence where the threshold cannot be certified, VERDICT_NONE on the other
// problems. Texts and cases live in the arena.
struct decision calibration_refuse(const struct calibration_question *question, const struct result *result,
                                   struct arena *arena);

// What the calibration says of a gate that was measured. is_ignored: by --ignore-calibration.
const char *calibration_note_text(const struct calibration_question *question,
                                  const struct calibration_survey *survey, bool is_ignored,
                                  struct arena *arena);

// A threshold that cannot be certified, of one problem or of all.
struct calibration_shortfall {
    double threshold_pct;
    uint32_t round_count;   // so many rounds ...
    double certified_pct;   // ... certify this
    uint32_t rounds_needed; // for the threshold; 0: more than ROUNDS_LIMIT
};
// "20 rounds certify 10.4 %; gate --rounds 154 would do, or a quieter machine"
const char *calibration_help_text(const struct calibration_shortfall *shortfall, struct arena *arena);

#endif
