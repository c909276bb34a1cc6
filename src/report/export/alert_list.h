// SPDX-License-Identifier: Apache-2.0
//
// What a decision holds against the candidate, one by one, as code hosts show it at a line of a file:
// annotations and SARIF.
#ifndef REPORT_EXPORT_ALERT_LIST_H
#define REPORT_EXPORT_ALERT_LIST_H

#include "base/arena.h"
#include "record/decision.h"

struct alert {
    enum severity severity; // never SEVERITY_NONE
    const char *rule;       // "regression", "compiler_regression", "expected_improvement"
    const char *subject;    // a problem, a figure of the compiler, or a claim
    const char *title;      // "s512: regression"
    const char *message;
    const char *accepted; // why it fails no gate; NULL: it does
    struct source_place place;
};

// A claim that is not proved, problems in the decision's order, figures of the compiler. In the arena, texts
// borrowed.
size_t alert_list(const struct decision *decision, struct arena *arena, const struct alert **ret);

#endif
