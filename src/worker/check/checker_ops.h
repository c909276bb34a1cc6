// SPDX-License-Identifier: Apache-2.0
//
// Where the work on the tensors of a case is done: by the host's threads on memory that it sees
// (checker_host.c), or by device kernels of ours on the device, where the tensors lie (checker_device.c).
// Every step of a check that looks at tensors or fills them is one entry here; what is checked, in which
// order and what is said of it is case_check.c's, the same for both.
#ifndef WORKER_CHECK_CHECKER_OPS_H
#define WORKER_CHECK_CHECKER_OPS_H

#include "base/err.h"
#include "worker/check/tensor_compare.h"

struct case_buffers;
struct reference;
struct reference_same_precision;
struct slice_failure;
struct rows_wanted;

// Bits of the tensors of one case, as this site tells equal ones (hashes of two sites have nothing in
// common).
struct tensor_hashes {
    char outputs[HASH_HEX_BYTES]; // of all outputs, without gaps
    char inputs[OP_TENSORS_MAX][HASH_HEX_BYTES];
};
enum hashed { HASHED_INPUTS = 1, HASHED_OUTPUTS = 2, HASHED_ALL = 3 };

// Outputs of a launch, kept to be held against those of others; by output.
struct kept_outputs {
    void *data[OP_TENSORS_MAX];
};

// All but where it says otherwise: 0, or negative for an error (a device that is lost, no memory).
struct checker_ops {
    const char *name; // "host", "device"

    // Inputs of buffers->family and ->seed; their hashes are kept in buffers->input_hash.
    int (*fill)(struct case_buffers *buffers, struct err *err);
    // Other inputs at the same addresses, and (called again) those of fill.
    int (*rotate)(struct case_buffers *buffers, struct err *err);
    // Outputs, gaps included.
    int (*poison)(struct case_buffers *buffers, enum poison poison, struct err *err);
    // Where kernels have a stream: keeps it busy for so long, and poisons the outputs behind that, both
    // without waiting. *ret_staged: memory of the device that this needs until it is done.
    int (*poison_behind)(struct case_buffers *buffers, enum poison poison, uint64_t delay_ns,
                         void **ret_staged, struct err *err);
    // After a launch, before any of what follows: makes what it left visible.
    int (*look)(struct case_buffers *buffers, bool with_inputs, struct err *err);

    // Of several cases at once. what: enum hashed.
    int (*hash)(struct case_buffers *const *sets, uint32_t set_count, int what, struct tensor_hashes *ret,
                struct err *err);
    // Coordinate of the first element of that input that is not what fill gives. Only for unrotated inputs.
    int (*locate_change)(struct case_buffers *buffers, uint32_t input, int64_t ret_coord[ASSAY_MAX_DIMS],
                         struct err *err);
    // The first output of which a gap no longer holds the poison; negative: none.
    int (*find_gap_written)(const struct case_buffers *buffers, enum poison poison, uint64_t *ret_row);
    bool (*has_poison)(struct case_buffers *buffers, enum poison poison); // anywhere in an output

    // kept: zeroed, or kept before; drop_outputs (accepts a zeroed one) frees it.
    int (*keep_outputs)(struct case_buffers *buffers, struct kept_outputs *kept, struct err *err);
    int (*restore_outputs)(struct case_buffers *buffers, const struct kept_outputs *kept, struct err *err);
    void (*drop_outputs)(struct case_buffers *buffers, struct kept_outputs *kept);
    // 1: the outputs differ from the kept ones, first output number *ret_output, *ret_offset elements from
    // its data.
    int (*find_difference)(struct case_buffers *buffers, const struct kept_outputs *kept,
                           uint32_t *ret_output, int64_t *ret_offset, struct err *err);
    // One element of any tensor: the bytes of its type.
    int (*read_element)(struct case_buffers *buffers, uint32_t tensor, int64_t offset, unsigned char ret[8],
                        struct err *err);

    int (*open_reference)(struct reference *ret, const struct case_buffers *buffers, const char *dir,
                          struct err *err);
    // Output k, poisoned with POISON_OUTPUT before the launch, against its reference.
    int (*compare)(struct case_buffers *buffers, const struct reference *reference, uint32_t k,
                   const struct op_tolerance *tolerance, struct tensor_verdict *ret, struct err *err);
    // The kernel's errors for the 2 x rule, on the rows of reference->same-precision reference; the outputs
    // are those of `verdicts`.
    void (*measure_rows)(const struct case_buffers *buffers, const struct reference *reference,
                         const struct tensor_verdict *verdicts,
                         struct reference_same_precision *ret); // [OP_TENSORS_MAX]
    // Some rows of the outputs against the oracle on the inputs as they are now. 1: one is wrong, *ret says
    // which element.
    int (*check_rows)(struct case_buffers *buffers, const struct rows_wanted *rows, struct slice_failure *ret,
                      struct err *err);
};

// Which rows check_rows looks at: drawn from the seed; row_max is the host's measure.
struct rows_wanted {
    uint32_t row_max;
    uint64_t seed;
};

extern const struct checker_ops checker_host, checker_device;

// By buffers->problem, family and memory layout, and by what the device and the operator can do.
const struct checker_ops *checker_ops_choose(const struct case_buffers *buffers);
// Can all of that be done on the device? (checker_device.c)
bool checker_device_can(const struct case_buffers *buffers);

#endif
