// SPDX-License-Identifier: Apache-2.0
//
// A definition of a data set (FlashInfer Trace, SOL-ExecBench): a JSON document with axes, tensors,
// constraints and a reference in Python, as the texts that it has; and the declaration of an operator that
// is made of it. Everything in such a file is a stranger's.
#ifndef CONTROL_PLAN_DATASET_DEFINITION_H
#define CONTROL_PLAN_DATASET_DEFINITION_H

#include "base/arena.h"
#include "base/json.h"
#include "op/declared/declared.h"

#define DEFINITION_AXES_MAX 64

enum axis_kind { AXIS_CONST, AXIS_VAR, AXIS_EXPR };

struct definition_axis {
    const char *name;
    enum axis_kind kind;
    const char *size;   // a number, or an expression; of a free one its default
    const char *stands; // the axis's name in the declaration; or its number in parentheses, in its place
    bool is_derived;    // from others, by its expression or by a constraint
};

struct definition_tensor {
    const char *name, *dtype, *description;
    bool is_scalar; // a number, and no tensor
    bool is_output;
    bool is_made;       // by a function of the reference's text, or from a file
    const char *family; // what fills it; NULL: what its type has
    // An expert and its weight in each integer, as a router packs them: how many experts there are. NULL: not
    // so.
    const char *routing;
    size_t dim_count;
    const char *dims[ASSAY_MAX_DIMS]; // expressions of axes
};

struct definition {
    const char *name, *op_type; // op_type: "" where it is not given
    const char *reference;      // text of a Python file with the function `run`
    const char *make_inputs;    // its function that makes inputs; NULL: none does
    size_t axis_count, tensor_count, constraint_count;
    struct definition_axis *axes;
    struct definition_tensor *tensors; // inputs, then outputs
    const char **constraints;
    size_t where_count;
    const char *where[DECLARED_WHERE_MAX]; // comparisons of axes that the constraints say
    size_t scalar_count;
    struct declared_scalar scalars[OP_SCALARS_MAX];
    const char *operator_name; // the name as one of an operator
};

// Reads a document, of which nothing is kept. ERR_DATA.
int definition_read(struct arena *arena, const struct json_at *at, struct definition *ret, struct err *err);
struct definition_axis *definition_axis(const struct definition *definition, const char *name); // NULL: none
struct definition_tensor *definition_tensor(const struct definition *definition, const char *name);
// The names of axes in an expression, replaced by what stands for them.
const char *definition_expression(struct arena *arena, const struct definition *definition, const char *text);
// The axes and structure that follow from constraints and names. ERR_DATA: a constraint is not understood.
int definition_derive(struct arena *arena, struct definition *definition, struct err *err);
// What fills the inputs. given: "kv_indices=below(num_pages); x=ones", of --input; NULL: nothing is given.
// ERR_DATA: of an input that nobody explains. ERR_USAGE: of `given`.
int definition_explain(struct arena *arena, struct definition *definition, const char *given,
                       struct err *err);
// Whether the reference draws its results: the text has torch.multinomial. Then the function
// DEFINITION_ACCEPT, which dataset_store adds (peers/assay_drawn.py), says which are right.
#define DEFINITION_ACCEPT "assay_accept"
bool definition_is_drawn(const struct definition *definition);
// The declaration, without a place for its reference. ERR_DATA.
int definition_declare(struct arena *arena, struct definition *definition, struct declared *ret,
                       struct err *err);

#endif
