// SPDX-License-Identifier: Apache-2.0
//
// What do the verdicts of many problems come to together: counts, means, adjusted p?
#include "control/verdict/family.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "control/verdict/decision_case.h"
#include "stats/multiplicity.h"

enum { NOTES_MAX = 1000 }; // people read them; a document's reader refuses more than 4096

struct decision family_empty(const char *rule, const struct gate_spec *spec) {
    return (struct decision){.rule = rule,
                             .regression_pct = spec ? spec->regression_pct : 0,
                             .improvement_pct = spec ? spec->improvement_pct : 0,
                             .geomean_speedup = NAN,
                             .best_speedup = NAN,
                             .worst_speedup = NAN};
}

void family_add_note(struct decision *decision, struct arena *arena, const char *text) {
    if (decision->note_count > NOTES_MAX) return;
    if (decision->note_count == NOTES_MAX) text = "there is more to note than can be listed";
    const char **grown = arena_array(arena, decision->note_count + 1, sizeof *grown);
    if (decision->note_count) memcpy(grown, decision->notes, decision->note_count * sizeof *grown);
    grown[decision->note_count++] = text;
    decision->notes = grown;
}

static bool is_member(const struct decision_case *item) {
    double speedup = decision_case_speedup(item);
    return isfinite(speedup) && speedup > 0 && item->verdict != VERDICT_NOT_VALID &&
           item->verdict != VERDICT_WRONG;
}

void family_summarize(struct decision *decision, struct arena *arena) {
    double log_sum = 0;
    size_t member_count = 0;
    decision->best_speedup = decision->worst_speedup = NAN;
    memset(decision->counts, 0, sizeof decision->counts);
    for (size_t i = 0; i < decision->case_count; ++i) {
        const struct decision_case *item = &decision->cases[i];
        ++decision->counts[item->verdict];
        if (!is_member(item)) continue;
        double speedup = decision_case_speedup(item);
        const char *name = decision_case_name(item);
        log_sum += log(speedup);
        ++member_count;
        if (!(decision->best_speedup >= speedup)) {
            decision->best_speedup = speedup;
            decision->best_name = name;
        }
        if (!(decision->worst_speedup <= speedup)) {
            decision->worst_speedup = speedup;
            decision->worst_name = name;
        }
    }
    decision->geomean_speedup = member_count ? exp(log_sum / (double)member_count) : NAN;
    if (member_count && member_count < decision->case_count)
        family_add_note(
            decision, arena,
            arena_format(arena,
                         "the geometric mean is over %zu of %zu problems: the others have no valid pair "
                         "of times",
                         member_count, decision->case_count));
}

int family_adjust(struct decision *decision, struct err *err) {
    double *p = mem_alloc((decision->case_count + 1) * sizeof *p);
    size_t count = 0;
    int status = 0;
    for (size_t i = 0; i < decision->case_count; ++i)
        if (isfinite(decision->cases[i].p_raw)) p[count++] = decision->cases[i].p_raw;
    if (multiplicity_holm(p, count, p) < 0) {
        status = err_set(err, ERR_INTERNAL, "cannot adjust %zu p-values", count);
        goto out;
    }
    count = 0;
    for (size_t i = 0; i < decision->case_count; ++i)
        if (isfinite(decision->cases[i].p_raw)) decision->cases[i].p_holm = p[count++];
out:
    free(p);
    return status;
}
