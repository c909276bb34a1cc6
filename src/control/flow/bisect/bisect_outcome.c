// SPDX-License-Identifier: Apache-2.0
//
// What a bisect found, and how sure it is.
#include "control/flow/bisect/bisect_outcome_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/signed_figure.h"
#include "base/strbuf.h"
#include "stats/round_stats.h"

#define SHORT_ID  10
#define ID_FORMAT "%.*s"
#define ID(id)    SHORT_ID, (id)

// Why a commit could not be measured; NULL: it was, or need not be.
static const char *reason_of(const struct bisect *bisect, size_t place) {
    const char *id = bisect_commit(bisect, place)->id;
    if (bisect->search.is_usable[place]) return NULL;
    for (size_t i = bisect->record.step_count; i-- > 0;) {
        const struct bisect_step *step = &bisect->record.steps[i];
        if (str_equal(step->commit, id)) return str_or(step->reason, bisect_answer_names[step->answer]);
    }
    return NULL;
}

static void set_suspects(struct bisect *bisect) {
    struct bisect_record *record = &bisect->record;
    const size_t count = bisect->history.commit_count;
    bool *is_suspect = mem_alloc(count * sizeof *is_suspect);
    record->probability_pct = 100 * bisection_suspects(&bisect->search, is_suspect);
    record->suspects = arena_array(&bisect->arena, count, sizeof *record->suspects);
    record->suspect_count = 0;
    for (size_t i = 0; i < count; ++i) {
        const struct revision_commit *commit = bisect_commit(bisect, i);
        if (!is_suspect[i]) continue;
        record->suspects[record->suspect_count++] = (struct bisect_suspect){.commit = commit->id,
                                                                            .author = commit->author,
                                                                            .date = commit->date,
                                                                            .subject = commit->subject,
                                                                            .reason = reason_of(bisect, i)};
    }
    free(is_suspect);
}

// Measured steps that lie clearly between "unchanged" and "changed": more than one commit made the change.
static const struct bisect_step *find_between(const struct bisect *bisect) {
    for (size_t i = 1; i < bisect->record.step_count; ++i) {
        const struct bisect_step *step = &bisect->record.steps[i];
        if (!bisect_step_is_measured(step) || step->answer == BISECT_ANSWER_KNOWN) continue;
        const struct bisection_measurement found = bisect_measurement(step);
        const double share = found.change / bisect->step.change, error = found.se / fabs(bisect->step.change);
        if (share - 2 * error > 0.2 && share + 2 * error < 0.8) return step;
    }
    return NULL;
}

static const char *change_words(struct bisect *bisect) {
    const double pct = log_to_pct(bisect->step.change);
    return arena_format(&bisect->arena, "%.1f %% %s", fabs(pct), pct > 0 ? "slower" : "faster");
}

static void tell_found(struct bisect *bisect) {
    struct bisect_record *record = &bisect->record;
    struct arena *arena = &bisect->arena;
    const struct bisect_suspect *first = &record->suspects[0],
                                *last = &record->suspects[record->suspect_count - 1];
    if (record->suspect_count == 1) {
        record->outcome = BISECT_OUTCOME_FOUND;
        record->exit_code = 0;
        record->sentence = arena_format(arena, ID_FORMAT " made %s %s (%.1f %% sure)", ID(first->commit),
                                        record->problem, change_words(bisect), record->probability_pct);
        return;
    }
    record->outcome = BISECT_OUTCOME_RANGE;
    record->sentence = arena_format(arena,
                                    "one of the %zu commits from " ID_FORMAT " to " ID_FORMAT
                                    " made %s %s (%.1f %% sure); those before the "
                                    "last of them cannot be measured, so they cannot be told apart",
                                    record->suspect_count, ID(first->commit), ID(last->commit),
                                    record->problem, change_words(bisect), record->probability_pct);
}

void bisect_conclude(struct bisect *bisect, const char *reason) {
    struct bisect_record *record = &bisect->record;
    struct arena *arena = &bisect->arena;
    record->exit_code = 3;
    record->running_commit = record->running_run_id = NULL;
    if (bisect->step.change != 0) {
        set_suspects(bisect);
        const struct bisect_step *between = find_between(bisect);
        if (between)
            record->note = arena_format(
                arena,
                ID_FORMAT " has a part of the change only (%s %%): several commits made it. Bisect the two "
                          "parts, GOOD.." ID_FORMAT " and " ID_FORMAT "..BAD",
                ID(between->commit), signed_figure(between->change_pct, 1).text, ID(between->commit),
                ID(between->commit));
    }
    if (!reason) {
        tell_found(bisect);
        return;
    }
    record->outcome = BISECT_OUTCOME_UNDECIDED;
    record->sentence = arena_strdup(arena, reason);
}
