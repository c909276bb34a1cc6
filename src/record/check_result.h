// SPDX-License-Identifier: Apache-2.0
//
// The result of checking one case on one side. Written by the worker, kept in the journal and in the
// result file.
#ifndef RECORD_CHECK_RESULT_H
#define RECORD_CHECK_RESULT_H

#include <stdint.h>

#include "record/member.h"
#include "record/outcome.h"

// In a note, what an autotuner chose follows this, up to the next "; " (peers/assay_bridge.py).
#define CHECK_NOTE_CHOSE "; chose "

// A note that begins so states the version of the library that computes: "@9.19.0 cuDNN 9.19.0, engine 7". A
// worker keeps the two apart (peers/cudnn/cudnn.c, peers/assay_bridge.py).
#define CHECK_NOTE_VERSION '@'

// A warning that begins so says which results of a declared operator's reference decide.
#define DECIDES_SUBJECT "reference of "
// The same of tensors that a Python file makes.
#define MADE_SUBJECT "inputs of "

#define CHECK_TENSORS_MAX 4
#define CHECK_DIMS_MAX    8

// Errors of one output tensor against float64. Figures that do not exist are NAN (absent in JSON).
struct tensor_error {
    char tensor[TENSOR_NAME_BYTES]; // its name: "out", "lse"
    uint64_t element_count, failed_count;
    double max_abs; // largest |out - ref|
    double max_rel; // largest |out - ref| / largest |ref|
    double mean_abs, rms, rel_l2, correlation;
    int64_t worst_coord[CHECK_DIMS_MAX]; // of the first failing element, else of max_abs
    int dim_count;
    double worst_expected, worst_got;
    double same_precision_max_abs, same_precision_rms; // of the same-precision reference, sampled rows
    double sampled_max_abs, sampled_rms;               // this kernel on the same rows
    uint64_t sampled_row_count;
};

struct check_result {
    enum outcome outcome;
    enum finding finding;
    char message[768]; // one sentence: what, where, expected, got; "" when OK
    // The message that prepare left while returning ASSAY_OK (versions, the algorithm or backend chosen);
    // "" when none.
    char note[256];
    char version[32]; // of the library that computes; "" when not stated
    int tensor_count;
    struct tensor_error tensors[CHECK_TENSORS_MAX];
    uint64_t duration_ns; // the whole check
    uint64_t kernel_ns;   // the first launch alone
    uint64_t workspace_bytes;
};

extern const struct member_table check_result_members;

#endif
