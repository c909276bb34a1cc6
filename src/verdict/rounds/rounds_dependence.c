// SPDX-License-Identifier: Apache-2.0
//
// See rounds_dependence.h.
#include "verdict/rounds/rounds_dependence.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

bool rounds_are_dependent(double p) {
    return p <= ROUNDS_DEPENDENCE_P;
}

int rounds_dependence_find(const struct serial_series *own, size_t own_count,
                           const struct rounds_evidence *earlier, size_t round_count,
                           struct serial_correlation *ret) {
    const size_t earlier_count = earlier ? earlier->count : 0;
    struct serial_series *all = mem_try_array(own_count + earlier_count + 1, sizeof *all);
    if (!all) return -1;
    for (size_t i = 0; i < own_count; ++i)
        all[i] = (struct serial_series){
            .values = own[i].values,
            .count = own[i].count < round_count ? own[i].count : round_count,
        };
    for (size_t i = 0; i < earlier_count; ++i) all[own_count + i] = earlier->series[i];
    const int status = serial_correlation_test(all, own_count + earlier_count, ret);
    free(all);
    return status;
}

int rounds_dependence_look(const struct serial_series *own, size_t own_count,
                           const struct rounds_evidence *earlier, struct rounds_options *options) {
    const struct rounds_looks looks = rounds_looks_of(options);
    size_t longest = 0;
    for (size_t i = 0; i < own_count; ++i)
        if (own[i].count > longest) longest = own[i].count;
    memset(options->has_signs, 0, sizeof options->has_signs);
    for (size_t k = 0; k < looks.count && looks.rounds[k] <= longest; ++k) {
        struct serial_correlation found;
        if (rounds_dependence_find(own, own_count, earlier, looks.rounds[k], &found) < 0) return -1;
        options->has_signs[k] = found.p <= ROUNDS_SIGN_P;
    }
    return 0;
}

const char *rounds_dependence_text(const struct serial_correlation *found, struct arena *arena) {
    const char *where = found->session_count > 1
                            ? arena_format(arena, ", over %zu gates on this device", found->session_count)
                            : "";
    return arena_format(arena,
                        "rounds are like the ones before them (correlation %.2f, p = %.3f%s): a state of the "
                        "machine outlives processes, so wrong verdicts may be more frequent than promised",
                        found->lag1, found->p, where);
}

bool rounds_are_exposed(const struct decision *decision) {
    for (size_t i = 0; i < decision->case_count; ++i) {
        const struct decision_case *item = &decision->cases[i];
        const bool is_called = item->verdict == VERDICT_REGRESSION || item->verdict == VERDICT_IMPROVEMENT;
        const double change_pct = 100 * fabs(log1p(item->change_pct / 100));
        if (is_called && change_pct < ROUNDS_EXPOSED_SD * item->spread_pct) return true;
    }
    return false;
}
