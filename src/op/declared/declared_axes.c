// SPDX-License-Identifier: Apache-2.0
//
// Axes of a declaration: which are free, the names that its expressions know, and what follows from free
// axes, the others and the tensors.
#include <string.h>

#include "base/str.h"
#include "op/declared/declared_internal.h"
#include "op/dtype.h"

bool declared_size_is_number(const char *size, int64_t *ret) {
    long long value;
    if (str_parse_i64(size, &value) < 0) return false;
    *ret = value;
    return true;
}

ptrdiff_t declared_free_axis(const struct declared *declared, size_t number) {
    int64_t size;
    for (size_t i = 0; i < declared->axis_count; ++i)
        if (declared_size_is_number(declared->axes[i].size, &size) && number-- == 0) return (ptrdiff_t)i;
    return -1;
}

static bool find_axis(const void *context, const char *name, size_t length, int64_t *ret) {
    const struct declared_values *values = context;
    for (size_t i = 0; i < values->axis_count; ++i) {
        const char *axis = values->declared->axes[i].name;
        if (strlen(axis) != length || memcmp(axis, name, length) != 0) continue;
        *ret = values->axes[i];
        return true;
    }
    return false;
}

static const char *nearest_axis(const void *context, const char *name) {
    const struct declared_values *values = context;
    const char *names[DECLARED_AXES_MAX];
    for (size_t i = 0; i < values->axis_count; ++i) names[i] = values->declared->axes[i].name;
    return str_nearest(name, names, values->axis_count);
}

struct expression_scope declared_scope(const struct declared_values *values) {
    return (struct expression_scope){.lookup = find_axis,
                                     .context = values,
                                     .unknown = "there is no axis of that name before it",
                                     .nearest = nearest_axis,
                                     .example = "hidden // 128"};
}

// A size from 1 on; else ERR_USAGE, or ERR_CONFIG: the text is no expression.
static int evaluate_size(const char *text, const struct declared_values *values, int64_t *ret,
                         struct err *err) {
    const struct expression_scope scope = declared_scope(values);
    struct expression_value value;
    TRY(expression_evaluate(text, &scope, &value, err));
    *ret = value.number;
    if (!value.is_defined)
        return err_set(err, ERR_USAGE, "'%s' divides by zero or is beyond 64 bits here", text);
    if (!value.is_comparison && *ret >= 1 && *ret <= DECLARED_AXIS_MAX) return 0;
    return err_set(err, ERR_USAGE, "'%s' is %lld here, and a size is at least 1 and at most 2^40", text,
                   (long long)*ret);
}

// The axes that follow from others, and whether all that is declared holds.
static int derive(const struct declared *declared, int64_t *axes, struct err *err) {
    for (size_t i = 0; i < declared->axis_count; ++i) {
        int64_t number;
        if (declared_size_is_number(declared->axes[i].size, &number)) continue;
        const struct declared_values before = {declared, axes, i};
        if (evaluate_size(declared->axes[i].size, &before, &axes[i], err) < 0)
            return err_prefix(err, "axis '%s'", declared->axes[i].name);
    }
    const struct declared_values values = {declared, axes, declared->axis_count};
    const struct expression_scope scope = declared_scope(&values);
    for (size_t i = 0; i < declared->where_count; ++i) {
        struct expression_value value;
        TRY(expression_evaluate(declared->where[i], &scope, &value, err));
        if (value.is_defined && value.number) continue;
        return err_set(err, ERR_USAGE, "'%s' does not hold, as %s declares", declared->where[i],
                       declared->name);
    }
    return 0;
}

int declared_describe_tensor(const struct declared_operator *op, size_t index, const int64_t *axes,
                             struct assay_tensor *ret, struct err *err) {
    const struct declared_tensor *tensor = &op->declared->tensors[index];
    const struct tensor_spec *spec = &op->specs[index];
    const struct declared_values values = {op->declared, axes, op->declared->axis_count};
    *ret = (struct assay_tensor){.name = tensor->name,
                                 .role = ASSAY_NAMED,
                                 .access = tensor->access,
                                 .dtype = spec->dtype,
                                 .dim_count = (int32_t)spec->dim_count};
    int64_t count = 1;
    for (uint32_t d = spec->dim_count; d-- > 0;) {
        if (evaluate_size(spec->sizes[d], &values, &ret->shape[d], err) < 0)
            return err_prefix(err, "tensor '%s'", tensor->name);
        ret->stride[d] = count;
        if (__builtin_mul_overflow(count, ret->shape[d], &count)) count = INT64_MAX / (int64_t)sizeof(double);
    }
    return 0;
}

// Whether all tensors have sizes, and are together not too large.
static int check_tensors(const struct declared_operator *op, const int64_t *axes, struct err *err) {
    double bytes = 0;
    for (size_t i = 0; i < op->declared->tensor_count; ++i) {
        struct assay_tensor tensor;
        double count = 1;
        TRY(declared_describe_tensor(op, i, axes, &tensor, err));
        for (int32_t d = 0; d < tensor.dim_count; ++d) count *= (double)tensor.shape[d];
        bytes += count * (double)dtype_bytes(tensor.dtype);
        if (bytes > (double)DECLARED_TENSORS_BYTES)
            return err_set(err, ERR_USAGE, "its tensors have more than 256 GiB, with '%s'; take smaller axes",
                           tensor.name);
    }
    return 0;
}

int declared_settle(const struct declared_operator *op, int64_t *axes, struct err *err) {
    TRY(derive(op->declared, axes, err));
    return check_tensors(op, axes, err);
}
