// SPDX-License-Identifier: Apache-2.0
//
// The interface of an operator: its problems' names, the tensors a kernel gets, how much work a problem
// is, which inputs to try, and what is right (a float64 oracle). All other code of assay handles problems
// through this interface. A new operator is a folder and one line in op/table.c; op/scale/scale.c is
// annotated for that purpose.
#ifndef OP_OPERATOR_H
#define OP_OPERATOR_H

#include <assay/kernel.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/dice.h"
#include "base/err.h"
#include "base/strbuf.h"
#include "device/kernel_launch.h"
#include "op/far_rows.h"

#define PROBLEM_NAME_BYTES      512 // a type, 16 axes, and the operator
#define PROBLEM_PARAM_BYTES     384
#define OP_TENSORS_MAX          64
#define TENSOR_NAME_BYTES       40
#define OP_SCALARS_MAX          32
#define OP_FEATURES_BYTES       96
#define OP_DISTRIBUTION_DEFAULT "normal" // every operator has this input distribution

struct operator_def;
struct mutant; // op/mutant.h

// One problem: a value, copied freely. name is canonical: problem_parse(name) gives the same problem back.
struct problem {
    // NULL: the problem has only a name: of a benchmark in another tool's file, or of an operator that this
    // program does not have
    const struct operator_def *op;
    char name[PROBLEM_NAME_BYTES];
    alignas(16) unsigned char params[PROBLEM_PARAM_BYTES]; // the operator's own struct
};

// Where tensors lie. Dense: the layout's own strides, 256-byte aligned. Padded: every row of the innermost
// dimension followed by a gap (a multiple of 16 bytes) that must stay untouched. Offset: dense, but aligned
// to 16 bytes only. Packed: rows follow each other without the bytes that round them up to 16, which breaks
// the ABI's promise for strides: only for kernels that refuse rows with gaps, and take these. Far: the last
// row begins more than 2^31 elements behind the first, where offsets of 32 bits do not reach. The rows
// themselves lie in memory as dense ones do; a kernel's process maps them at these distances, and nothing
// between them.
enum memory_layout {
    MEMORY_LAYOUT_INVALID = 0,
    MEMORY_LAYOUT_DENSE,
    MEMORY_LAYOUT_PADDED,
    MEMORY_LAYOUT_OFFSET,
    MEMORY_LAYOUT_PACKED,
    MEMORY_LAYOUT_FAR,
    MEMORY_LAYOUT_COUNT
};
extern const char *const memory_layout_names[MEMORY_LAYOUT_COUNT]; // NULL at INVALID
const char *memory_layout_name(enum memory_layout memory_layout);
enum memory_layout memory_layout_parse(const char *name); // MEMORY_LAYOUT_INVALID when unknown
// How tensors of that layout lie in the judge's memory: as they do for the kernel, but for far ones.
enum memory_layout memory_layout_behind(enum memory_layout memory_layout);

// The problem as a kernel sees it. Pointers inside point into this struct: do not copy it by value.
struct problem_abi {
    struct assay_problem problem;
    struct assay_scalar scalars[OP_SCALARS_MAX];
    struct assay_tensor tensors[OP_TENSORS_MAX]; // inputs, then outputs and in-out ones (else BUG); data NULL
    char features[OP_FEATURES_BYTES];            // for problem.features, where it is made of parts
    uint32_t tensor_count;
};

// Tolerances of an output. An element passes when |out - ref| <= atol + rtol |ref|; at least
// min_pass_fraction of the elements must pass.
struct op_tolerance {
    double atol, rtol;
    double min_pass_fraction; // 1.0 nearly always
    // Where a share may fail: none of it by more than this many times atol + rtol |ref|, so that it cannot
    // be a row that was never written. 0: no limit.
    double far_factor;
    double rel_l2_max;   // INFINITY: no limit
    double max_error;    // of any element; 0: no limit
    bool is_two_x_gated; // the 2 x rule against the same-precision reference applies
};

// Unit of output that can be computed alone, as a smaller problem on the same inputs: the same-precision
// reference runs on a sample of these, such as one query row of one head. tensor_count 0: nothing to
// compute here (a row that sees no key).
struct op_slice {
    // e.g. Sq = 1, Sk = keys that this row sees; with its parent's name, since writing one takes long
    struct problem problem;
    // inputs and in-out tensors point into the parent's buffers; outputs have data NULL
    struct assay_tensor tensors[OP_TENSORS_MAX];
    uint32_t tensor_count; // 0: this unit has nothing to compare
    // [k]: the k-th OUTPUT tensor, as in oracle()'s outputs.
    uint64_t output_offset[OP_TENSORS_MAX]; // index of the slice's first element in the parent's dense result
    uint64_t output_count[OP_TENSORS_MAX];  // elements of it; contiguous in the dense result
};

// Some of the units of a group that can be computed alone: rows, ascending, none twice.
struct op_rows {
    uint64_t group;
    const uint64_t *rows;
    size_t count;
};

// One case of a matrix: a problem with the inputs and the memory layout to try it with.
struct op_case {
    struct problem problem;
    char distribution[32];
    enum memory_layout memory_layout;
    bool is_declared_only;
    bool is_alternative; // to the case before it: only for kernels that do not take that one
};

// Cases that are collected, in an arena.
struct op_cases {
    struct arena *arena;
    struct op_case *items;
    size_t count;
};

// A row of the boundary matrix: problems that share inputs and memory layout.
struct op_boundary {
    const char *distribution;
    enum memory_layout memory_layout;
    // Only for kernels that declare that they take the problem (assay_support), and in one of their dtypes: a
    // feature, an unusual size, a count beyond 65535.
    bool is_declared_only;
    // Comma list of names after "<operator>/<dtype>/". "a|b": b for a kernel that does not take a.
    const char *fields;
};

// fill, oracle and same-precision reference as launches of device kernels (device/), which work on tensors
// in device memory. Tensors are dense and hold device addresses. Each function returns how many launches
// it stored, to be run in order; 0: not possible on a device, the host does it. Results equal the host's:
// fill bit for bit, the oracle to the rounding of float64. Without an oracle, of declared operators, the host
// computes what is right; fill works at any strides, and what it cannot do the host does by tensor.
#define OP_PROGRAMS_MAX 4
struct op_device {
    const char *const *entries; // names of its device kernels: "assay_<operator>_fill"; ends with NULL
    // The device kernels need the table of normal deviates (op/random_normal.h): it is copied to the device
    // once, `table` below.
    bool has_normal_table;
    size_t (*fill)(const struct problem *problem, const char *distribution, uint64_t seed,
                   const struct assay_tensor *tensor, const void *table,
                   struct kernel_launch ret[OP_PROGRAMS_MAX]);
    // outputs[k]: float64, dense, on the device. Only rows row_first, row_first + row_step, ... of every
    // group and its last one are computed; the others are left alone. row_first < row_step; 0 and 1: all.
    size_t (*oracle)(const struct problem *problem, const struct assay_tensor *tensors,
                     double *const *outputs, uint32_t row_first, uint32_t row_step,
                     struct kernel_launch ret[OP_PROGRAMS_MAX]);
    // The results of the plain kernel (operator_def.same_precision), rounded to the outputs' types;
    // outputs[k]: dense.
    size_t (*same_precision)(const struct problem *problem, const struct assay_tensor *tensors,
                             void *const *outputs, struct kernel_launch ret[OP_PROGRAMS_MAX]);
};

// A suite: problems that are measured or checked together.
struct op_suite_problem {
    const char *short_name; // NULL in matrix suites
    const char *fields;     // what problem_fields returns: "b32/h8/s512/d64"
};

// A matrix is checked, not measured. Unless a dtype is named, it is checked in those that the kernel
// supports.
enum op_matrix {
    OP_MATRIX_NONE = 0,
    OP_MATRIX_LARGE,    // in one dtype: its own, where the kernel supports it
    OP_MATRIX_BOUNDARY, // the cases of problem_boundary, in every dtype that the kernel supports
};

struct op_suite {
    const char *name; // unique among all operators
    const char *summary;
    const char *dtype; // NULL where the operator's types are fixed
    enum op_matrix matrix;
    size_t problem_count; // 0 in OP_MATRIX_BOUNDARY
    const struct op_suite_problem *problems;
};
#define OP_SUITE_PROBLEMS(list) .problem_count = sizeof(list) / sizeof *(list), .problems = (list)

// A peer: a library with a name of its own, measured as a kernel is.
struct op_peer {
    const char *name;     // "torch:flash"; operators may share one
    const char *python;   // callable in peers/: "torch_sdpa:flash"; NULL: a linked-in kernel of that name
    const char *backends; // where it runs: "cuda cpu"
    const char *summary;  // one line
    int oracle_rank; // fuzz checks it when no kernel is named, those with the lowest number first; 0: never
};

// A size that older scripts take from an environment variable.
struct op_variable {
    const char *name;   // "S"
    const char *prefix; // of its field in a problem's name: "s"
    uint32_t fallback;  // where the variable is not set
};
typedef char *(*op_variable_fn)(const char *name); // getenv

struct operator_def {
    const char *name;    // first field of a problem's name
    const char *summary; // one line
    const char *example; // a problem name, for help texts and errors
    // Name of the linked-in plain kernel (worker/module/builtin.h) used by the 2 x rule; NULL: none.
    const char *same_precision;
    // The operator declares the types of its tensors: names of its problems have no dtype field.
    bool has_fixed_types;

    // Every function gets the operator that it serves, first or in a problem: one body may serve many
    // operators.
    //
    // fields: the name split at '/', without the operator. Fills params (zeroed). ERR_USAGE with what is
    // allowed.
    int (*parse)(const struct operator_def *op, const char *const *fields, size_t field_count, void *params,
                 struct err *err);
    // Appends the canonical fields, '/'-separated, without the operator. Of a problem it reads op and params.
    void (*format)(const struct problem *problem, struct strbuf *out);
    // Fills tensors (name, role, access, dtype, shape, dense strides) and scalars, of which the first
    // problem.axis_count are the axes; problem.name, op and axes are filled by the caller.
    void (*describe)(const struct problem *problem, struct problem_abi *ret);

    double (*flops)(const struct problem *problem); // useful floating-point operations of one launch
    // Every input read once, every output written once.
    double (*compulsory_bytes)(const struct problem *problem);

    // Input distributions besides "normal": NULL-terminated names; distribution_applies may be NULL: all
    // apply.
    const char *const *distributions;
    bool (*distribution_applies)(const struct problem *problem, const char *distribution);
    // Those of them that times are measured with too, NULL-terminated; NULL: none. A device fills them.
    const char *const *measured_distributions;
    // Fills one input or in-out tensor at its strides. Pure in (params, distribution, seed, tensor index):
    // same call, same bytes.
    int (*fill)(const struct problem *problem, const char *distribution, uint64_t seed, uint32_t tensor_index,
                const struct assay_tensor *tensor, struct err *err);

    // float64 results on the (rounded) inputs, and on what in-out tensors hold before a launch, dense in
    // shape order; outputs[k] belongs to the k-th output tensor. stream: threads to use. Shares no code
    // with any kernel.
    int (*oracle)(const struct problem *problem, const struct assay_tensor *tensors, double *const *outputs,
                  const struct assay_cpu_stream *stream, struct err *err);
    // The same bits for these rows alone, on the calling thread, at their places in the whole results: what
    // they share is loaded once. NULL: oracle() runs each as a slice.
    int (*oracle_rows)(const struct problem *problem, const struct assay_tensor *tensors,
                       const struct op_rows *rows, double *const *outputs, struct err *err);

    // Of results for inputs of this distribution.
    struct op_tolerance (*tolerance)(const struct problem *problem, const char *distribution,
                                     uint32_t tensor_index);
    // Kernels may add in any order, so that the same inputs give other bits in every launch: launches are
    // compared by tolerance. False: bit by bit.
    bool is_order_free;

    const struct op_device *device; // NULL: fill, oracle and plain kernel run on the host only

    // Slices for the same-precision reference: groups (heads) of rows. May be NULL when same_precision is
    // NULL.
    void (*slice_counts)(const struct problem *problem, uint64_t *ret_groups, uint64_t *ret_rows);
    void (*slice)(const struct problem *problem, const struct assay_tensor *tensors, uint64_t group,
                  uint64_t row, struct op_slice *ret);
    // Rows of a group as one smaller problem, whose outputs hold them in this order: output_offset is for the
    // group's row 0, output_count for one row. *ret_memory holds inputs that had to be gathered; the caller
    // frees it. False: what a row sees depends on which it is, or there is no memory. NULL: always so.
    bool (*slice_rows)(const struct problem *problem, const struct assay_tensor *tensors,
                       const struct op_rows *rows, struct op_slice *ret, void **ret_memory);

    // The boundary matrix (problem_boundary); ends with a row without fields. What does not exist in a dtype,
    // or with a row's inputs, is left out there.
    const struct op_boundary *boundary;
    void (*add_cases)(const struct operator_def *op, struct op_cases *ret); // where there is no such list
    // Draws a problem that the boundary matrix could have had, of sizes and options that its list does not
    // name: its fields (problem_fields). Cheap: at most about 1e7 FLOP. NULL: none are drawn.
    void (*draw)(const struct operator_def *op, struct dice *dice, struct strbuf *ret_fields);
    // What shrinking a failing problem changes (control/flow/shrink.h). Sizes: axis 0, 1, ...; 0: there is no
    // such axis. resize makes one of them `size`, with all that follows from it; false: there is no such
    // problem.
    int64_t (*size)(const struct problem *problem, size_t axis);
    bool (*resize)(const struct problem *problem, size_t axis, int64_t size, struct problem *ret);
    // Changes params to those without option number `step`, whether the problem has it or not; what cannot be
    // without it is left out by problem_simplify. False past the last option.
    bool (*drop_option)(struct problem *problem, size_t step);

    // Suites, ends with a nameless one, and which of them are measured (on the CPU, on a GPU), checked by
    // fuzz, and checked by a gate, when a command names none.
    const struct op_suite *suites;
    const char *cpu_suite, *gpu_suite, *check_suite, *gate_check_suite;
    // Sizes that make a problem, in the order of its fields; ends with a nameless one. NULL: none.
    const struct op_variable *variables;
    // Libraries that kernels are measured against; ends with a nameless one. NULL: none.
    const struct op_peer *peers;

    // Wrong results that only this operator knows, for `assay fuzz --audit`; ends with a nameless one. NULL:
    // only those that every operator has.
    const struct mutant *mutants;
};

// The operators that a name can mean: the compiled ones, then those that somebody declares. Who reads names
// has a set: a manifest, a plan, a work order. Two of them may declare one name differently.
struct operator_set {
    const struct operator_def *const *declared;
    size_t declared_count;
};
extern const struct operator_set operators_compiled; // nothing is declared
const struct operator_def *operator_find(const struct operator_set *set,
                                         const char *name); // NULL when unknown
const struct operator_def *operator_at(const struct operator_set *set,
                                       size_t index); // NULL past the end; 0: the default
// All suites, and all peers, operator by operator; NULL past the end.
const struct op_suite *operator_suite_at(const struct operator_set *set, size_t index,
                                         const struct operator_def **ret_op);
const struct op_peer *operator_peer_at(const struct operator_set *set, size_t index,
                                       const struct operator_def **ret_op);

// The operator that the first field of a problem's name means; NULL when unknown.
const struct operator_def *operator_of_problem(const struct operator_set *set, const char *name);
// "<operator>/fp16/b32/h8/s512/d64" -> problem. ERR_USAGE with the place and the grammar.
int problem_parse(const struct operator_set *set, const char *name, struct problem *ret, struct err *err);
// What holds for the names of all operators, known or not: an operator and fields behind slashes, in
// printable ASCII, below PROBLEM_NAME_BYTES.
int problem_name_check(const char *name, struct err *err);
// The same of a known operator: fields is what follows its name, "fp16/b32/h8/s512/d64".
int problem_make(const struct operator_def *op, const char *fields, struct problem *ret, struct err *err);
// The name of the problem that the operator's variables ask for: 1, or 0 where none of them is set.
// ERR_USAGE: a value that is no size.
int problem_name_from_variables(const struct operator_def *op, const char *dtype, op_variable_fn get,
                                struct strbuf *ret_name, struct err *err);
// Of a problem that has only a name: gives it its operator and params. ERR_USAGE, and it stays as it is: the
// set has none of that name, or one that takes no such fields.
int problem_bind(const struct operator_set *set, struct problem *problem, struct err *err);
// The same of fields after the dtype, "b32/h8/s512/d64". dtype NULL: the operator's types are fixed, and then
// no other is taken.
int problem_make_in(const struct operator_def *op, const char *dtype, const char *fields, struct problem *ret,
                    struct err *err);
// What of a problem's name follows operator and dtype; the dtype, NULL where the operator's types are fixed.
const char *problem_fields(const struct problem *problem);
const char *problem_dtype_field(const struct problem *problem);
// The same problem in another dtype. ERR_USAGE: the operator has none like it.
int problem_retype(const struct problem *problem, const char *dtype, struct problem *ret, struct err *err);
// The boundary matrix of an operator in a dtype ("fp16"; NULL where its types are fixed), in the arena.
struct op_cases problem_boundary(const struct operator_def *op, const char *dtype, struct arena *arena);
void op_cases_add(struct op_cases *cases, const struct op_case *item);
// The problem without one of its options: call with index 0, 1, ... until it returns 0; it returns 1 with
// *ret filled otherwise.
int problem_simplify(const struct problem *problem, size_t index, struct problem *ret);
// Rebuilds the canonical name from params (an operator calls it after changing params).
void problem_rename(struct problem *problem);
// Fills *ret with tensors, scalars and the strides of the memory layout. Never fails on a parsed problem.
void problem_describe(const struct problem *problem, enum memory_layout memory_layout,
                      struct problem_abi *ret);
// Whether rows of the dense layout are rounded up: it differs from the packed one.
bool problem_has_gaps(const struct problem *problem);
// Whether its tensors have few enough rows for MEMORY_LAYOUT_FAR (op/far_rows.h).
bool problem_can_be_far(const struct problem *problem);
double problem_flops(const struct problem *problem); // both NAN for a problem without an operator
double problem_bytes(const struct problem *problem);
const char *problem_dtype_name(const struct problem *problem); // of the first input tensor; the same: NULL
// Of one of its outputs. Integers are compared exactly, whatever the operator says.
struct op_tolerance problem_tolerance(const struct problem *problem, const char *distribution,
                                      const struct assay_tensor *output, uint32_t tensor_index);
// 0 when the operator has this input distribution and it applies to the problem; ERR_USAGE with the known
// ones otherwise.
int problem_check_distribution(const struct problem *problem, const char *distribution, struct err *err);
// Whether times are measured with these inputs.
bool problem_is_measured_with(const struct problem *problem, const char *distribution);
// The problem with its inputs: its name alone for the default ones, else "NAME FAMILY" in the buffer.
#define PROBLEM_KEY_BYTES (PROBLEM_NAME_BYTES + 32)
const char *problem_key(const struct problem *problem, const char *distribution,
                        char buffer[PROBLEM_KEY_BYTES]);
// ERR_USAGE: no problem can have that key; of an operator of the set none has, or it has no such inputs.
int problem_key_check(const struct operator_set *set, const char *key, struct err *err);

// ---- tensors ----
bool tensor_is_statistic(const struct assay_tensor *tensor); // ASSAY_STATISTIC: always dense
uint64_t tensor_element_count(const struct assay_tensor *tensor);
uint64_t tensor_row_length(const struct assay_tensor *tensor); // of the innermost dimension; of one number: 1
uint64_t tensor_span_bytes(const struct assay_tensor *tensor); // from the first to past the last element
void tensor_coord(const struct assay_tensor *tensor, uint64_t dense_index, int64_t ret_coord[ASSAY_MAX_DIMS]);
int64_t tensor_offset(const struct assay_tensor *tensor, const int64_t *coord);   // in elements
void *tensor_element_at(const struct assay_tensor *tensor, uint64_t dense_index); // its address
// Of a tensor as it lies in memory: where its rows are mapped when it is far. One row alone lies nowhere
// else, nor do more than problem_can_be_far allows.
struct far_rows tensor_far_rows(const struct assay_tensor *tensor);

#endif
