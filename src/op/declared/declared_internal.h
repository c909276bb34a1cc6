// SPDX-License-Identifier: Apache-2.0
//
// What the files of op/declared share: the operator behind a declaration, and what a problem of it is.
#ifndef OP_DECLARED_DECLARED_INTERNAL_H
#define OP_DECLARED_DECLARED_INTERNAL_H

#include "op/declared/declared.h"
#include "op/declared/device_declared_args.h"
#include "op/declared/tensor_spec.h"

struct declared_operator {
    struct operator_def def; // first: callbacks get its address
    const struct declared *declared;
    const struct tensor_spec *specs;   // by tensor
    const struct declared_rule *rules; // by tensor
};

// The rules of all tensors, in the arena. ERR_CONFIG: a tensor that does not exist, or does not fit.
int declared_make_rules(struct arena *arena, const struct declared_operator *op,
                        const struct declared_rule **ret, struct err *err);

struct declared_params {
    int64_t axes[DECLARED_AXES_MAX]; // those that follow from others too
    double scalars[OP_SCALARS_MAX];
};
_Static_assert(sizeof(struct declared_params) <= PROBLEM_PARAM_BYTES, "a problem has room for them");

static inline const struct declared_operator *declared_operator_of(const struct operator_def *op) {
    return (const struct declared_operator *)(const void *)op;
}

static inline const struct declared_params *declared_params_of(const struct problem *problem) {
    return (const struct declared_params *)(const void *)problem->params;
}

// Values of the first axis_count axes of a declaration.
struct declared_values {
    const struct declared *declared;
    const int64_t *axes;
    size_t axis_count;
};

// For expressions over those axes; *values outlives it.
struct expression_scope declared_scope(const struct declared_values *values);

bool declared_size_is_number(const char *size, int64_t *ret); // of a free axis
// The place of a free axis among all, by number; -1: past the last.
ptrdiff_t declared_free_axis(const struct declared *declared, size_t number);
#define DECLARED_AXIS_MAX    (INT64_C(1) << 40)
#define DECLARED_AXIS_DIGITS 13
// A tensor of a problem, by number. ERR_USAGE: one of its sizes is none.
int declared_describe_tensor(const struct declared_operator *op, size_t index, const int64_t *axes,
                             struct assay_tensor *ret, struct err *err);
// Of free axes: computes those that follow, and whether there is such a problem. ERR_USAGE.
int declared_settle(const struct declared_operator *op, int64_t *axes, struct err *err);
#define DECLARED_DEFAULT "default" // the name of a problem in which nothing differs and no axis is free

// operator_def.fill, and the inputs that a problem can be given besides the declared ones.
int declared_fill(const struct problem *problem, const char *distribution, uint64_t seed,
                  uint32_t tensor_index, const struct assay_tensor *tensor, struct err *err);
// What it is filled by; data is the tensor's, and the table is left to a device. ERR_USAGE: an argument.
int declared_fill_prepare(const struct problem *problem, const char *distribution, uint64_t seed,
                          const struct assay_tensor *tensor, struct dev_declared_fill *ret, struct err *err);
bool declared_device_fills(int32_t family);    // enum fill_family
extern const struct op_device declared_device; // operator_def.device
extern const char *const declared_distributions[];
bool declared_distribution_applies(const struct problem *problem, const char *distribution);
// Whether its tensors hold what fills them: not twice as many numbers as differ.
bool declared_can_fill(const struct problem *problem);

// operator_def.mutants: each input ignored.
void declared_add_mutants(struct arena *arena, struct declared_operator *op);

// operator_def.add_cases and draw.
void declared_add_cases(const struct operator_def *op, struct op_cases *ret);
void declared_draw(const struct operator_def *op, struct dice *dice, struct strbuf *ret_fields);

#endif
