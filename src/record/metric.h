// SPDX-License-Identifier: Apache-2.0
//
// What a run measures of a launch. It goes from manifest or command line through plan and work order into the
// environment of a result, and results of different metrics are never compared.
#ifndef RECORD_METRIC_H
#define RECORD_METRIC_H

#include <stdbool.h>

enum metric {
    METRIC_TIME = 0,            // launches one after the other, as many as fill a sample
    METRIC_CALL_TIME,           // single calls, each waited for by itself, launch overhead included
    METRIC_INSTRUCTIONS,        // instructions that a launch executes, counted and not timed
    METRIC_MATRIX_INSTRUCTIONS, // those of the tensor pipe, on a GPU
    METRIC_DRAM_BYTES,          // bytes read from and written to a GPU's DRAM
    METRIC_COUNT
};

// All of metric_names, as an option's help names its values; tests/unit/test_verdict_counts.c compares them.
#define METRIC_VALUES "time|call_time|instructions|matrix_instructions|dram_bytes"

extern const char *const metric_names[METRIC_COUNT];
const char *metric_name(enum metric metric);   // "time", "call_time", "instructions"
enum metric metric_parse(const char *name);    // METRIC_COUNT: unknown
const char *metric_choices(void);              // "time, call_time, ...", for messages
bool metric_is_counted(enum metric one);       // not timed
const char *metric_unit(enum metric one);      // of a count: "instr", "B"; NULL: a time
double metric_regression_pct(enum metric one); // the default threshold of a regression, per cent

#endif
