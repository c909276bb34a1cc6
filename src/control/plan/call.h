// SPDX-License-Identifier: Apache-2.0
//
// The key `call` of a kernel: the signature of a function that exists, in words of the operator.
//     launch_rmsnorm(x, weight, y, int rows, int hidden, float eps, stream)
// A tensor's name stands for its address, a C type and a name for an axis or a scalar, int64 stride(x, 0) for
// a stride in elements. control/compile/call_shim.h makes a module of it.
#ifndef CONTROL_PLAN_CALL_H
#define CONTROL_PLAN_CALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "op/declared/declared.h"
#include "op/operator.h"

#define CALL_ARGUMENTS_MAX 128
#define CALL_EXAMPLE       "launch(x, y, int n, float factor)"

struct call_type {
    const char *word, *c_type; // "int64", "int64_t"; both may be written
    double least, most;        // of whole numbers; 0 and 0: it has fractions
};

enum call_kind { CALL_TENSOR, CALL_NUMBER, CALL_STRIDE, CALL_STREAM, CALL_THREADS };

struct call_argument {
    enum call_kind kind;
    const char *name;             // of the tensor, of the axis or scalar
    int32_t dtype;                // of a tensor: the only one that the function takes
    int32_t dim;                  // CALL_STRIDE
    const struct call_type *type; // CALL_NUMBER, CALL_STRIDE, CALL_THREADS
};

struct call {
    const char *function;
    bool has_status; // it returns an int, and 0 is success
    struct call_argument *arguments;
    size_t argument_count;
};

// ERR_CONFIG: the column, what is wrong there and what to write.
int call_parse(const char *text, const struct operator_def *op, const char *backend, struct arena *arena,
               struct call *ret, struct err *err);

// The arguments of a function in Python, "module:function(y, x, eps)" or "function(y, x)": names alone. One
// without parentheses, and those of a compiled operator, whose tensors differ by problem, fit any.
int call_check_python(const char *text, const struct operator_def *op, struct arena *arena, struct err *err);

// The signature of a declared operator's reference, whose floating-point tensors are of that type (fp64, or
// fp32, where `double` means float).
int reference_call_parse(const struct declared *declared, int32_t dtype, struct arena *arena,
                         struct call *ret, struct err *err);

#endif
