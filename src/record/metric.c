// SPDX-License-Identifier: Apache-2.0
//
// Names of metrics, and what depends on the metric alone.
#include "record/metric.h"

#include <stddef.h>

#include "base/strbuf.h"

#define REGRESSION_PCT              3.0
#define REGRESSION_PCT_INSTRUCTIONS 1.0 // counts hardly vary, so that a smaller change can be told

const char *const metric_names[METRIC_COUNT] = {
    [METRIC_TIME] = "time",
    [METRIC_CALL_TIME] = "call_time",
    [METRIC_INSTRUCTIONS] = "instructions",
    [METRIC_MATRIX_INSTRUCTIONS] = "matrix_instructions",
    [METRIC_DRAM_BYTES] = "dram_bytes",
};

const char *metric_name(enum metric metric) {
    return (unsigned)metric < METRIC_COUNT ? metric_names[metric] : "invalid";
}

enum metric metric_parse(const char *name) {
    for (int i = 0; i < METRIC_COUNT; ++i)
        if (str_equal(metric_names[i], name)) return (enum metric)i;
    return METRIC_COUNT;
}

const char *metric_choices(void) {
    return "time, call_time, instructions, matrix_instructions or dram_bytes";
}

double metric_regression_pct(enum metric one) {
    const bool repeats = one == METRIC_INSTRUCTIONS || one == METRIC_MATRIX_INSTRUCTIONS;
    return repeats ? REGRESSION_PCT_INSTRUCTIONS : REGRESSION_PCT;
}

bool metric_is_counted(enum metric one) {
    return metric_unit(one) != NULL;
}

const char *metric_unit(enum metric one) {
    switch (one) {
    case METRIC_INSTRUCTIONS:
    case METRIC_MATRIX_INSTRUCTIONS: return "instr";
    case METRIC_DRAM_BYTES: return "B";
    default: return NULL;
    }
}
