// SPDX-License-Identifier: Apache-2.0
//
// See tune_history.h.
#include "control/flow/tune/tune_history.h"

#include <math.h>

#include "control/flow/history_keep.h"

// The first of the elite, and how many it has.
static const struct tune_finalist *elite_of(const struct tune_record *record, int64_t *ret_count) {
    const struct tune_finalist *first = NULL;
    *ret_count = 0;
    for (size_t i = 0; i < record->finalist_count; ++i) {
        if (record->finalists[i].rank != TUNE_RANK_ELITE) continue;
        if (!first) first = &record->finalists[i];
        ++*ret_count;
    }
    return first;
}

void tune_history_keep(struct tune *tune, const char **ret_warning) {
    const struct tune_record *record = &tune->record;
    struct strbuf document = {0};
    struct stored_tuning row = {.created_utc = record->created_utc,
                                .run_id = record->run_id,
                                .kernel = record->kernel,
                                .device = record->device,
                                .suite = record->suite,
                                .strategy = record->strategy,
                                .speedup = NAN,
                                .speedup_low = NAN,
                                .speedup_high = NAN,
                                .variant_count = (int64_t)record->variant_count,
                                .sentence = record->sentence};
    const struct tune_finalist *first = elite_of(record, &row.elite_count);
    if (first) {
        row.config = first->config;
        row.speedup = first->speedup;
        row.speedup_low = first->speedup_low;
        row.speedup_high = first->speedup_high;
    }
    tune_record_write(record, &document);
    history_keep_tuning(&tune->session, &row, &document, ret_warning);
    strbuf_fini(&document);
}
