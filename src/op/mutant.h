// SPDX-License-Identifier: Apache-2.0
//
// Mutants: known wrong results, for `assay fuzz --audit`. Each is put through the comparison that a kernel's
// outputs go through, and must not pass. The shared ones (zeros, stale output, half the precision, ...) serve
// every operator; an operator adds its own (a mask off by one, a key lost) in operator_def.mutants.
#ifndef OP_MUTANT_H
#define OP_MUTANT_H

#include "op/operator.h"

// A problem with its inputs and its right results.
struct mutant_case {
    const struct problem *problem;
    const char *distribution;
    uint64_t seed;
    // All of the problem's: inputs are filled, in-out tensors hold what they do before a launch, outputs
    // are not to be used.
    const struct assay_tensor *tensors;
    uint32_t input_count, output_count;
    double *const *right; // [output], dense in shape order, as oracle() gives them
    // The same for the inputs of another seed: what was in the outputs before. NULL while mutant_make_stale
    // makes them.
    double *const *stale;
    const struct assay_cpu_stream *stream;
    const struct mutant *mutant; // that is being made
    // Right results for other inputs, as operator_def.oracle; the problem is this one, or one of the same
    // tensors. arg: of who set it.
    int (*oracle)(const struct mutant_case *at, const struct problem *problem,
                  const struct assay_tensor *tensors, double *const *outputs, struct err *err);
    void *arg;
};

struct mutant {
    const char *name;    // "mask_one_more"; NULL ends a list
    const char *summary; // one line: what the wrong kernel did
    // False: no such mistake can be made on this problem. NULL: on every one.
    bool (*applies)(const struct mutant_case *at);
    // Turns outputs, which hold the right results, into the wrong ones. An output that the mistake does not
    // change is left alone. May differ from the right results by nothing at all: that is found.
    int (*make)(const struct mutant_case *at, double *const *outputs, struct err *err);
};

// The shared ones first, then the operator's; NULL past the end.
const struct mutant *mutant_at(const struct operator_def *op, size_t index);

// What mutant_case.stale holds.
int mutant_make_stale(const struct mutant_case *at, double *const *outputs, struct err *err);

// ---- for mutants of operators ----

static inline const struct assay_tensor *mutant_output(const struct mutant_case *at, uint32_t k) {
    return &at->tensors[at->input_count + k];
}
// value rounded to that many significant bits, to nearest, ties to even; the exponent stays.
double mutant_round(double value, int significant_bits);

#endif
