// SPDX-License-Identifier: Apache-2.0
//
// See bisect_state.h: what the steps of a bisect say to its search.
#include "control/flow/bisect/bisect_state.h"

#include <math.h>
#include <stdlib.h>

// Results of other days were taken in another state of the machine: worth a question less, not a verdict.
#define KNOWN_MISLEADING 0.1
#define EXACT_SE_PCT     0.005
#define EXACT_DF         1000

void bisect_state_fini(struct bisect *bisect) {
    bisection_free(&bisect->search);
    bisect_record_fini(&bisect->record);
    arena_fini(&bisect->arena);
    free(bisect->dir);
    *bisect = (struct bisect){0};
}

const struct revision_commit *bisect_commit(const struct bisect *bisect, size_t place) {
    return &bisect->history.commits[place];
}

size_t bisect_gates_left(struct bisect *bisect) {
    return bisection_answers_left(&bisect->search) + (bisect->step.change == 0);
}

double bisect_seconds_left(struct bisect *bisect) {
    const struct bisect_record *record = &bisect->record;
    double seconds = 0;
    size_t count = 0;
    for (size_t i = 0; i < record->step_count; ++i) {
        if (!record->steps[i].run_id || !isfinite(record->steps[i].seconds)) continue;
        seconds += record->steps[i].seconds;
        ++count;
    }
    return count ? seconds / (double)count * (double)bisect_gates_left(bisect) : NAN;
}

// ---- steps ----

size_t bisect_place(const struct bisect *bisect, const char *commit) {
    for (size_t i = 0; i < bisect->history.commit_count; ++i)
        if (str_equal(bisect->history.commits[i].id, commit)) return i;
    return SIZE_MAX;
}

const struct bisect_step *bisect_find_code(const struct bisect *bisect, const char *code) {
    const struct bisect_record *record = &bisect->record;
    for (size_t i = 0; code && i < record->step_count; ++i) {
        const struct bisect_step *step = &record->steps[i];
        if (str_equal(step->code, code) && bisect_step_is_measured(step)) return step;
    }
    return NULL;
}

struct bisection_measurement bisect_measurement(const struct bisect_step *step) {
    const bool is_exact = step->se_pct < EXACT_SE_PCT; // counts, the same in every round
    return (struct bisection_measurement){.change = log1p(step->change_pct / 100),
                                          .se = step->se_pct / 100,
                                          .df = is_exact ? EXACT_DF : (double)(step->round_count - 1)};
}

static size_t count_answers(const struct bisect *bisect, const char *commit, enum bisect_answer answer) {
    size_t count = 0;
    for (size_t i = 0; i < bisect->record.step_count; ++i)
        count +=
            str_equal(bisect->record.steps[i].commit, commit) && bisect->record.steps[i].answer == answer;
    return count;
}

static void apply_measured(struct bisect *bisect, const struct bisect_step *step, size_t place) {
    const struct bisection_measurement found = bisect_measurement(step);
    if (place + 1 == bisect->history.commit_count) { // BAD; unchanged, there is nothing to search for
        if (step->answer == BISECT_ANSWER_CHANGED) bisect->step = found;
        return;
    }
    const bool is_known = step->answer == BISECT_ANSWER_KNOWN;
    bisection_observe(&bisect->search, place, bisection_evidence(&found, &bisect->step),
                      is_known ? KNOWN_MISLEADING : BISECTION_MISLEADING);
    if (count_answers(bisect, step->commit, BISECT_ANSWER_UNCLEAR) >= BISECT_UNCLEAR_MAX)
        bisection_set_unusable(&bisect->search, place);
}

void bisect_apply(struct bisect *bisect, const struct bisect_step *step) {
    const size_t place = bisect_place(bisect, step->commit);
    const size_t other = step->same_as ? bisect_place(bisect, step->same_as) : SIZE_MAX;
    if (place == SIZE_MAX) return;
    switch (step->answer) {
    case BISECT_ANSWER_CHANGED:
    case BISECT_ANSWER_UNCHANGED:
    case BISECT_ANSWER_UNCLEAR:
    case BISECT_ANSWER_KNOWN: apply_measured(bisect, step, place); break;
    case BISECT_ANSWER_SAME_CODE: bisection_observe_same(&bisect->search, place, other); break;
    case BISECT_ANSWER_NOT_BUILT:
    case BISECT_ANSWER_WRONG: bisection_set_unusable(&bisect->search, place); break;
    case BISECT_ANSWER_NO_DATA:
        if (count_answers(bisect, step->commit, BISECT_ANSWER_NO_DATA) >= BISECT_NO_DATA_MAX)
            bisection_set_unusable(&bisect->search, place);
        break;
    case BISECT_ANSWER_NONE:
    case BISECT_ANSWER_COUNT: break;
    }
}

static void add_known(struct bisect *bisect, size_t place, const struct bisect_known *known) {
    const struct revision_commit *commit = bisect_commit(bisect, place);
    struct bisect_step step = {
        .commit = commit->id,
        .subject = commit->subject,
        .answer = known->cannot_build ? BISECT_ANSWER_NOT_BUILT : BISECT_ANSWER_KNOWN,
        .reason = known->source,
        .change_pct = known->cannot_build ? NAN : known->change_pct,
        .change_low_pct = NAN,
        .change_high_pct = NAN,
        .se_pct = known->cannot_build ? NAN : known->se_pct,
        .p_changed_pct = NAN,
        .round_count = known->cannot_build ? 0 : known->round_count,
        .seconds = NAN,
    };
    if (!known->cannot_build && known->round_count < 2) return;
    if (!known->cannot_build) {
        const struct bisection_measurement found = bisect_measurement(&step);
        step.p_changed_pct = 100 * bisection_evidence(&found, &bisect->step);
    }
    bisect_record_add_step(&bisect->record, &step);
    bisect_apply(bisect, &step);
}

void bisect_ask_known(struct bisect *bisect) {
    const struct bisect_callbacks *callbacks = &bisect->callbacks;
    const struct bisect_record *record = &bisect->record;
    for (size_t i = 0; callbacks->known && i + 1 < bisect->history.commit_count; ++i) {
        const struct bisect_question question = {.good = record->good,
                                                 .commit = bisect_commit(bisect, i)->id,
                                                 .kernel = record->kernel,
                                                 .problem = record->problem,
                                                 .device = record->device};
        struct bisect_known known = {0};
        if (callbacks->known(callbacks->arg, &question, &known)) add_known(bisect, i, &known);
    }
}
