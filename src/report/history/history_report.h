// SPDX-License-Identifier: Apache-2.0
//
// What the store has, for people and programs. Pure functions of what was read from it.
#ifndef REPORT_HISTORY_HISTORY_REPORT_H
#define REPORT_HISTORY_HISTORY_REPORT_H

#include <stdbool.h>

#include "base/strbuf.h"
#include "store/series.h"
#include "store/store_profile.h"
#include "store/store_tuning.h"

// Runs: a row each.
void history_runs_text(const struct stored_run *runs, size_t count, bool color, struct strbuf *out);
void history_runs_json(const struct stored_run *runs, size_t count, struct strbuf *out);

// Results: the newest of each problem as a table; any of them for programs.
void history_problems_text(const struct stored_result *results, size_t count, bool color, struct strbuf *out);
void history_results_json(const struct stored_result *results, size_t count, struct strbuf *out);
void history_results_csv(const struct stored_result *results, size_t count, struct strbuf *out);

// Profiles: a row each.
void history_profiles_text(const struct stored_profile *profiles, size_t count, bool color,
                           struct strbuf *out);
void history_profiles_json(const struct stored_profile *profiles, size_t count, struct strbuf *out);

// Tunings: a row each.
void history_tunings_text(const struct stored_tuning *tunings, size_t count, bool color, struct strbuf *out);
void history_tunings_json(const struct stored_tuning *tunings, size_t count, struct strbuf *out);

// Change points, and the results that they are places of.
struct history_changes {
    const struct stored_result *results;
    size_t count;
    const struct series_change *items;
};
void history_changes_text(const struct history_changes *changes, bool color, struct strbuf *out);
void history_changes_json(const struct history_changes *changes, struct strbuf *out);
// A row for each of the result_count results with a bar from zero, on a scale of its metric, and the change
// points between them.
void history_plot(const struct history_changes *changes, size_t result_count, bool color, struct strbuf *out);

#endif
