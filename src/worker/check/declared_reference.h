// SPDX-License-Identifier: Apache-2.0
//
// The reference of a declared operator: a kernel (op/declared/declared.h) that runs in a process of its own.
// The process is started when results are asked for and has ended before a kernel is timed, and no kernel's
// process ever sees what it computes.
#ifndef WORKER_CHECK_DECLARED_REFERENCE_H
#define WORKER_CHECK_DECLARED_REFERENCE_H

#include "op/declared/declared.h"
#include "op/declared/made_inputs.h"
#include "worker/check/declared_process.h"
#include "worker/check/reference.h"

// Whether the results of the problem come from there; single: and its single precision exists.
bool declared_reference_has(const struct problem *problem, enum reference_precision precision);

struct declared_reference_run;
// Starts the process, for the problem of these buffers (which outlive it), or one of the same tensors with
// other scalars. Errors are ERR_DATA: it does not
// load, crashes, hangs, takes no such problem, writes where it must not or leaves results unwritten; the
// sentence names operator and source.
int declared_reference_open(const struct case_buffers *buffers, const struct problem *problem,
                            enum reference_precision precision, struct declared_reference_run **ret,
                            struct err *err);
// What a launch reads: the problem's tensors, in the host's memory with the strides of the buffers; of in-out
// ones what they hold before a launch. Where they are filled from a seed, memory gets its bytes only if the
// process does not fill the tensor itself, on a device.
struct reference_inputs {
    const struct assay_tensor *tensors;
    enum {
        REFERENCE_INPUTS_GIVEN = 0, // the bytes are there
        REFERENCE_INPUTS_OWN,       // those of the buffers, as they are filled now
        REFERENCE_INPUTS_DRAWN,     // others, from `seed`
    } source;
    uint64_t seed;
    bool is_loaded[OP_TENSORS_MAX]; // of others than given ones: the bytes are there
};

// One launch. outputs[k]: dense in shape order; NULL: not wanted. In Python, where fp64 raises, and for
// outputs of which the case's own reference says so, those as written take its place.
int declared_reference_launch(struct declared_reference_run *run, struct reference_inputs *inputs,
                              double *const *outputs, struct err *err);
// Of REFERENCE_INPUTS: what the function makes with this seed. set: gets dense tensors at the offsets of
// *made. ERR_USAGE: it raises, so there is no such problem.
int declared_reference_make(struct declared_reference_run *run, uint64_t seed, const struct made_inputs *made,
                            char *set, struct err *err);
// Results by output, of one launch. launches: of a sampler 1 or DECLARED_SAMPLES, of which all are in
// `drawn`, dense, or all are the same (NULL).
struct results_asked {
    const struct assay_tensor *tensors; // anywhere in the host's memory
    const double *const *right;         // dense, in fp64
    uint32_t launches;
    char *const *drawn;
};
// Of REFERENCE_ACCEPT: what the function says of these results, "" if it accepts them. tensors: as above.
int declared_reference_accept(struct declared_reference_run *run, const struct assay_tensor *tensors,
                              const struct results_asked *results, char ret_why[DECLARED_ANSWER_BYTES],
                              struct err *err);
// Ends the process; how it ends counts. code: of what came before; an error is passed on. Accepts NULL.
int declared_reference_close(struct declared_reference_run *run, int code, struct err *err);

// Whether the last launch failed, or the process refused the problem, in a way that another precision may
// not: a function in Python raised, or lacks a type. *ret: why, one sentence.
bool declared_reference_may_differ(const struct declared_reference_run *run, const char **ret);

// Right results for the inputs as they lie in the buffers, whoever computes them: the operator's oracle, or a
// declared one's reference in fp64. outputs[k]: dense in shape order. *ret (may be NULL): what decides.
int oracle_run(const struct case_buffers *buffers, double *const *outputs, struct reference_decides *ret,
               struct err *err);

// Adds what makes one reference another than the next (its source, as built) to a hash.
void declared_reference_add_hash(const struct problem *problem, struct hash_state *hash);

#endif
