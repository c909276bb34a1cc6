// SPDX-License-Identifier: Apache-2.0
//
// Thresholds and claim of a gate: defaults, limits, and the command line's values replacing the
// manifest's.
#include "record/gate_spec.h"

#include <math.h>

#include "base/strbuf.h"
#include "record/metric.h"

struct gate_spec gate_spec_default(void) {
    return (struct gate_spec){.regression_pct = metric_regression_pct(METRIC_TIME), .improvement_pct = 10};
}

struct gate_spec gate_spec_none(void) {
    return (struct gate_spec){.regression_pct = NAN, .improvement_pct = NAN};
}

void gate_spec_override(struct gate_spec *spec, const struct gate_spec *given) {
    if (isfinite(given->regression_pct)) spec->regression_pct = given->regression_pct;
    if (isfinite(given->improvement_pct)) spec->improvement_pct = given->improvement_pct;
    spec->allows_removed |= given->allows_removed;
}

int gate_spec_check(const struct gate_spec *spec, struct err *err) {
    const struct {
        const char *option;
        double pct;
    } thresholds[] = {{"regression", spec->regression_pct}, {"improvement", spec->improvement_pct}};
    for (size_t i = 0; i < 2; ++i) {
        const double pct = thresholds[i].pct;
        if (isnan(pct) || (pct > 0 && pct < 100)) continue;
        return err_set(err, ERR_USAGE, "--%s %g: a threshold lies between 0 and 100 per cent",
                       thresholds[i].option, pct);
    }
    return 0;
}

int gate_spec_parse_expect(const char *text, struct arena *arena, struct gate_spec *spec, struct err *err) {
    static const char word[] = "improvement";
    bool has_list = str_starts(text, "improvement:") && text[sizeof word];
    if (!str_equal(text, word) && !has_list)
        return err_set(err, ERR_USAGE,
                       "cannot expect '%s'; use improvement, or improvement:PROBLEM,... such as "
                       "improvement:s512,mission",
                       text);
    spec->expects_improvement = true;
    spec->expected_problems = has_list ? arena_strdup(arena, text + sizeof word) : NULL;
    return 0;
}
