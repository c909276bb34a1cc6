// SPDX-License-Identifier: Apache-2.0
//
// The memory of one case: one guarded buffer per tensor, inputs filled from the seed, outputs poisoned. The
// inputs serve every side of the case, in the check and in the measurement. So do the outputs where all sides
// run in one process; where each has its own, so have the outputs, and one side is selected.
//
// Two implementations (struct checker_ops) fill, hash and compare them: the host's threads on host memory
// (checker_host.c), or our device kernels in device memory (checker_device.c). The checks, their order and
// the findings are the same for both: case_check.c.
#ifndef WORKER_CHECK_CASE_BUFFERS_H
#define WORKER_CHECK_CASE_BUFFERS_H

#include <math.h>

#include "base/err.h"
#include "base/hash.h"
#include "op/dtype.h"
#include "op/operator.h"
#include "record/work_order.h"
#include "worker/backend/backend.h"
#include "worker/check/tensor_compare.h"

struct case_buffers;
struct reference;
struct precision_tally;
struct made_inputs;
struct reference_same_precision;

// Hashes of the tensors of one case. The two implementations hash differently: never compare one's hash
// with the other's.
struct tensor_hashes {
    char outputs[HASH_HEX_BYTES]; // of all outputs, without gaps
    char inputs[OP_TENSORS_MAX][HASH_HEX_BYTES];
};
enum hashed { HASHED_INPUTS = 1, HASHED_OUTPUTS = 2, HASHED_ALL = 3 };

// Copies of a launch's outputs, by output, to compare later launches with.
struct kept_outputs {
    void *data[OP_TENSORS_MAX];
};

// Which rows check_rows computes: drawn from the seed; row_max limits the host only. tally: gets the rows'
// errors, on the host (NULL: nothing).
struct rows_wanted {
    uint32_t row_max;
    uint64_t seed;
    struct precision_tally *tally;
};
// The worst element of the rows that check_rows found wrong: by it rounding is told from another result.
struct slice_failure {
    uint32_t output;
    int64_t coord[ASSAY_MAX_DIMS];
    double expected, got;
    char why[TENSOR_WHY_BYTES]; // as tensor_verdict's
};

// Results of functions that search for a fault. A negative result is an error of assay's own.
enum check_search { CHECK_NOT_FOUND = 0, CHECK_FOUND = 1 };

// Functions returning int: 0, or negative for an error (a device that is lost, no memory), except where they
// say enum check_search.
struct checker_ops {
    const char *name; // "host", "device"

    // Whether the device and the operator can do all of this for the problem, distribution and memory layout
    // of these buffers. NULL: always.
    bool (*can)(const struct case_buffers *buffers);

    // Fills the inputs from buffers->distribution and ->seed; keeps their hashes in buffers->input_hash.
    int (*fill)(struct case_buffers *buffers, struct err *err);
    // Puts other inputs at the same addresses; a second call restores those of fill.
    int (*rotate)(struct case_buffers *buffers, struct err *err);
    // Poisons the outputs, gaps included; fills in-out tensors, as fill does.
    int (*poison)(struct case_buffers *buffers, enum poison poison, struct err *err);
    // For kernels with a stream: enqueues a delay of delay_ns and then the poisoning of the outputs,
    // without waiting for either. *ret_staged: device memory that must stay until both are done.
    int (*poison_behind)(struct case_buffers *buffers, enum poison poison, uint64_t delay_ns,
                         void **ret_staged, struct err *err);
    // Call after a launch, before any of the functions below: makes the outputs, or all tensors, visible
    // to them.
    int (*make_visible)(struct case_buffers *buffers, bool with_inputs, struct err *err);

    // Hashes several cases at once. what: enum hashed.
    int (*hash)(struct case_buffers *const *sets, uint32_t set_count, int what, struct tensor_hashes *ret,
                struct err *err);
    // Coordinate of the first element of that input that differs from fill's value. Only for unrotated
    // inputs.
    int (*locate_change)(struct case_buffers *buffers, uint32_t input, int64_t ret_coord[ASSAY_MAX_DIMS],
                         struct err *err);
    // True if a gap of an output no longer holds the poison; *ret_output and *ret_row: the first such gap.
    bool (*find_gap_written)(const struct case_buffers *buffers, enum poison poison, uint32_t *ret_output,
                             uint64_t *ret_row);
    bool (*has_poison)(struct case_buffers *buffers, enum poison poison); // anywhere in an output

    // kept: zeroed, or filled by an earlier call; drop_outputs (accepts a zeroed one) frees it.
    int (*keep_outputs)(struct case_buffers *buffers, struct kept_outputs *kept, struct err *err);
    int (*restore_outputs)(struct case_buffers *buffers, const struct kept_outputs *kept, struct err *err);
    void (*drop_outputs)(struct case_buffers *buffers, struct kept_outputs *kept);
    // enum check_search. Found: the outputs differ from the kept ones, first output number *ret_output,
    // *ret_offset elements from its data.
    int (*find_difference)(struct case_buffers *buffers, const struct kept_outputs *kept,
                           uint32_t *ret_output, int64_t *ret_offset, struct err *err);
    // One element of any tensor: the bytes of its type.
    int (*read_element)(struct case_buffers *buffers, uint32_t tensor, int64_t offset, unsigned char ret[8],
                        struct err *err);

    int (*open_reference)(struct reference *ret, const struct case_buffers *buffers, const char *dir,
                          struct err *err);
    // Compares output k, poisoned with POISON_OUTPUT before the launch, with its reference.
    int (*compare)(struct case_buffers *buffers, const struct reference *reference, uint32_t k,
                   const struct op_tolerance *tolerance, struct tensor_verdict *ret, struct err *err);
    // The kernel's errors for the 2 x rule, on the rows of reference->same_precision; `verdicts` belong to
    // the same outputs.
    int (*measure_rows)(const struct case_buffers *buffers, const struct reference *reference,
                        const struct tensor_verdict *verdicts,
                        struct reference_same_precision *ret, // [OP_TENSORS_MAX]
                        struct err *err);
    // Compares some rows of the outputs with the oracle on the inputs as they are now. enum check_search:
    // found an element that is wrong.
    int (*check_rows)(struct case_buffers *buffers, const struct rows_wanted *rows, struct slice_failure *ret,
                      struct err *err);
};

extern const struct checker_ops checker_host, checker_device;

struct case_buffers {
    struct device *device;
    struct problem problem;
    enum memory_layout memory_layout; // of this memory: far rows are dense here
    char distribution[32];
    uint64_t seed;
    struct problem_abi abi; // shapes and strides, data NULL
    uint32_t tensor_count, input_count;
    uint32_t number;     // of this set of tensors among those of its case; the caller's
    uint64_t generation; // no other buffers had it: they are mapped anew where it has changed
    size_t shift_bytes;
    bool is_apart;   // the sides run in processes of their own
    bool keeps_made; // of case_memory
    bool is_audited; // of a sampler whose results a known wrong one takes: it does so in every launch
    uint32_t side;   // selected
    const struct own_tolerance *tolerances[WORK_SIDES_MAX]; // NULL: the operator's
    const double *error_limits;                             // of case_memory; NULL: there are none
    const struct reference *own_reference;                  // of case_memory; NULL: of none
    const struct work_order *order;                         // of case_memory; NULL: of none
    // Of each tensor, in one piece of memory: there are hundreds of these structs, of few tensors each.
    struct buffer *buffers;    // outputs: of the selected side
    struct buffer *others;     // [WORK_SIDES_MAX][tensor_count] outputs of the sides that are not
    struct assay_tensor *host; // data: what the host reads and writes
    struct assay_tensor *own;  // data: what kernels get
    // As host; in-out tensors with what they hold before a launch, in memory of its own: what oracles read.
    struct assay_tensor *before;
    void **device_before; // the same in device memory; NULL: there is none, or it has gaps
    char (*input_hash)[HASH_HEX_BYTES];
    bool has_in_out;           // an output is ASSAY_INOUT
    enum poison poison;        // that outputs got last
    struct assay_tensors list; // of own
    bool is_rotated;
    struct made_inputs *made; // what `inputs` of a Python file has made of them (made_pool.h); NULL: nothing
    const struct checker_ops *checker; // chosen by case_buffers_fill
    struct device_scratch *scratch;    // of checker_device; NULL on the host
};

struct case_memory {
    enum memory_layout memory_layout;
    size_t shift_bytes;  // shifts dense tensors, by another distance in every round; a multiple of 256
    bool is_apart;       // the sides run in processes of their own, which can map these buffers
    uint32_t first_side; // then the first one to get outputs: where memory lies counts, so that is in turn
    bool keeps_made;     // data that a process makes are kept for other workers of the run
    const struct own_tolerance *tolerances[WORK_SIDES_MAX]; // of each side; NULL: the operator's
    // [OP_TENSORS_MAX], borrowed: how far an element of each output may be off, where that follows from the
    // reference's own errors (same_precision_limit_elements); NULL, or 0: it does not
    const double *error_limits;
    // borrowed: the reference on the case's own inputs, when it is there. A declared operator's in single
    // precision does not run again for other inputs: its figures on these are those of all, until a kernel
    // is beyond them (declared_precision_widen). NULL: of none
    const struct reference *own_reference;
    const struct work_order *order; // borrowed: what a process of its own may use; NULL: the defaults
};

// Points into itself: neither copy nor move it. Side 0 is selected. ERR_UNAVAILABLE when there is no memory.
int case_buffers_init(struct case_buffers *buffers, struct device *device, const struct problem *problem,
                      const struct case_memory *memory, struct err *err);
void case_buffers_fini(struct case_buffers *buffers); // accepts a zeroed one

// Chooses the checker, fills the inputs (their gaps with poison), uploads them and keeps their hashes.
int case_buffers_fill(struct case_buffers *buffers, const char *distribution, uint64_t seed, struct err *err);
// Poisons the outputs, gaps included, and uploads them; in-out tensors get what a launch shall find in them.
int case_buffers_poison(struct case_buffers *buffers, enum poison poison, struct err *err);
// After a launch: makes the outputs, or all tensors, visible to the checker. Elements that a declared
// operator does not use are 0 then.
int case_buffers_make_visible(struct case_buffers *buffers, bool with_inputs, struct err *err);

// Of tensors in device memory: poisons one that a launch writes, without gaps, or puts back what an in-out
// one holds before; copies to the host what references read, and what launches have left.
int case_buffers_poison_on_device(struct case_buffers *buffers, uint32_t i, enum poison poison,
                                  struct err *err);
// (nothing where that is the host's own memory).
int case_buffers_bring_input(const struct case_buffers *buffers, uint32_t i, struct err *err);
int case_buffers_bring_outputs(const struct case_buffers *buffers, struct err *err);

// Outputs in `buffers`, `host` and `own` (where sides do not share them) and tolerances are this side's from
// now on.
int case_buffers_select(struct case_buffers *buffers, uint32_t side, struct err *err);

// Before the first fill: `buffers` uses the scratch memory of another case of the same problem instead of its
// own. The two are worked on one after the other.
void case_buffers_share_scratch(struct case_buffers *buffers, const struct case_buffers *owner);

// Finds the first input whose bits differ from those that fill wrote; false: none.
bool case_buffers_find_changed_input(const struct case_buffers *buffers, const struct tensor_hashes *hashes,
                                     uint32_t *ret_input);
// The value of one element of any tensor, `offset` elements from its data.
int case_buffers_read_value(struct case_buffers *buffers, uint32_t tensor, int64_t offset, double *ret,
                            struct err *err);

// Of what the inputs are filled from, rotated or not. Only of a checker that draws them anew.
uint64_t case_buffers_filled_seed(const struct case_buffers *buffers);

static inline uint32_t case_buffers_output_count(const struct case_buffers *buffers) {
    return buffers->tensor_count - buffers->input_count;
}
// Output k as the host sees it, and as kernels do.
static inline const struct assay_tensor *case_buffers_host_output(const struct case_buffers *buffers,
                                                                  uint32_t k) {
    return &buffers->host[buffers->input_count + k];
}
static inline const struct assay_tensor *case_buffers_own_output(const struct case_buffers *buffers,
                                                                 uint32_t k) {
    return &buffers->own[buffers->input_count + k];
}
// Besides an error limit, which is of the case's own inputs: others may give larger results.
#define ERROR_LIMIT_ULPS 4
// Of the selected side.
static inline struct op_tolerance case_buffers_tolerance(const struct case_buffers *buffers, uint32_t k) {
    struct op_tolerance ret =
        problem_tolerance(&buffers->problem, buffers->distribution, case_buffers_own_output(buffers, k),
                          buffers->input_count + k);
    if (buffers->error_limits && buffers->error_limits[k] > 0) {
        ret.atol = buffers->error_limits[k];
        ret.rtol = ERROR_LIMIT_ULPS * dtype_ulp(case_buffers_own_output(buffers, k)->dtype, 1);
    }
    own_tolerance_apply(buffers->tolerances[buffers->side], &ret);
    return ret;
}
// An error of rounding rather than another result: beyond the tolerance, and not by more than a few times it.
#define ROUNDING_TIMES 8
static inline bool slice_failure_is_rounding(const struct case_buffers *buffers,
                                             const struct slice_failure *failure) {
    const struct op_tolerance tolerance = case_buffers_tolerance(buffers, failure->output);
    const bool is_integer = dtype_is_integer(case_buffers_host_output(buffers, failure->output)->dtype);
    return fabs(failure->got - failure->expected) <=
           fmax(is_integer, ROUNDING_TIMES * (tolerance.atol + tolerance.rtol * fabs(failure->expected)));
}
void slice_failure_explain(const struct case_buffers *buffers, struct slice_failure *failure); // fills `why`
uint64_t case_buffers_bytes(const struct case_buffers *buffers);

#endif
