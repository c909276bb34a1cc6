// SPDX-License-Identifier: Apache-2.0
//
// See definition.h: reading the document, and the declaration of what was read.
#include "control/plan/dataset/definition.h"

#include <ctype.h>
#include <string.h>

#include "base/strbuf.h"
#include "op/dtype.h"

#define CONSTRAINTS_MAX 64

struct definition_axis *definition_axis(const struct definition *definition, const char *name) {
    for (size_t i = 0; i < definition->axis_count; ++i)
        if (str_equal(definition->axes[i].name, name)) return &definition->axes[i];
    return NULL;
}

struct definition_tensor *definition_tensor(const struct definition *definition, const char *name) {
    for (size_t i = 0; i < definition->tensor_count; ++i)
        if (str_equal(definition->tensors[i].name, name)) return &definition->tensors[i];
    return NULL;
}

const char *definition_expression(struct arena *arena, const struct definition *definition,
                                  const char *text) {
    struct strbuf out = {0};
    while (*text) {
        size_t length = 0;
        while (isalnum((unsigned char)text[length]) || text[length] == '_') ++length;
        const char *word = arena_strndup(arena, text, length ? length : 1);
        const struct definition_axis *axis = length ? definition_axis(definition, word) : NULL;
        strbuf_add(&out, axis ? axis->stands : word);
        text += length ? length : 1;
    }
    const char *ret = arena_strdup(arena, strbuf_text(&out));
    strbuf_fini(&out);
    return ret;
}

// ---- the document ----

// A copy of a name: of a Python identifier, so that it is one in expressions and parameters.
static int read_name(struct arena *arena, const char *key, const char *what, const char **ret,
                     struct err *err) {
    size_t length = 0;
    while (isalnum((unsigned char)key[length]) || key[length] == '_') ++length;
    if (!length || key[length] || isdigit((unsigned char)*key) || length >= TENSOR_NAME_BYTES)
        return err_set(err, ERR_DATA, "%s '%s': a name has letters, digits and '_', and at most %d of them",
                       what, str_shown(key).text, TENSOR_NAME_BYTES - 1);
    *ret = arena_strdup(arena, key);
    return 0;
}

static int read_axis(struct arena *arena, const struct json_at *at, struct definition_axis *ret,
                     struct err *err) {
    const char *type, *expression;
    int64_t value;
    TRY(json_get_string(at, "type", &type, err));
    ret->stands = ret->name;
    if (str_equal(type, "var")) {
        ret->kind = AXIS_VAR;
        return 0;
    }
    ret->is_derived = true;
    if (str_equal(type, "expr")) {
        ret->kind = AXIS_EXPR;
        TRY(json_get_string(at, "expression", &expression, err));
        ret->size = arena_strdup(arena, expression);
        return 0;
    }
    if (!str_equal(type, "const"))
        return err_set(err, ERR_DATA, "axis '%s' has the type '%s', and types are const, var and expr",
                       ret->name, str_shown(type).text);
    ret->kind = AXIS_CONST;
    TRY(json_get_i64(at, "value", &value, err));
    ret->size = arena_format(arena, "(%lld)", (long long)value); // in parentheses it is no default, but fixed
    return 0;
}

static int read_axes(struct arena *arena, const struct json_at *at, struct definition *ret, struct err *err) {
    const json_t *axes, *value;
    const char *key;
    TRY(json_get_object(at, "axes", &axes, err));
    if (json_object_size(axes) > DEFINITION_AXES_MAX)
        return err_set(err, ERR_DATA, "%zu axes, and a definition has at most %d", json_object_size(axes),
                       DEFINITION_AXES_MAX);
    ret->axes = arena_array(arena, json_object_size(axes), sizeof *ret->axes);
    json_object_foreach(axes, key, value) {
        struct definition_axis *axis = &ret->axes[ret->axis_count++];
        TRY(read_name(arena, key, "axis", &axis->name, err));
        TRY(read_axis(arena, &(struct json_at){value, arena_format(arena, "axis '%s'", axis->name)}, axis,
                      err));
    }
    return 0;
}

// A size is the name of an axis, an expression of some, or a number.
static int read_shape(struct arena *arena, const json_t *shape, struct definition_tensor *ret,
                      struct err *err) {
    const json_t *item;
    size_t i;
    ret->is_scalar = !shape || json_is_null(shape);
    if (ret->is_scalar) return 0;
    if (!json_is_array(shape) || json_array_size(shape) > ASSAY_MAX_DIMS)
        return err_set(err, ERR_DATA, "'%s': 'shape' is a list of at most %d sizes, or null", ret->name,
                       ASSAY_MAX_DIMS);
    json_array_foreach(shape, i, item) {
        if (!json_is_string(item) && !json_is_integer(item))
            return err_set(err, ERR_DATA, "'%s': a size is the name of an axis, or a number", ret->name);
        ret->dims[ret->dim_count++] = json_is_string(item)
                                          ? arena_strdup(arena, json_string_value(item))
                                          : arena_format(arena, "%lld", (long long)json_integer_value(item));
    }
    return 0;
}

static int read_tensors(struct arena *arena, const struct json_at *at, const char *key, bool is_output,
                        struct definition *ret, struct err *err) {
    const json_t *tensors, *value;
    const char *name;
    TRY(json_get_object(at, key, &tensors, err));
    const size_t most = ret->tensor_count + json_object_size(tensors);
    if (most > OP_TENSORS_MAX)
        return err_set(err, ERR_DATA, "%zu inputs and outputs, and a definition has at most %d", most,
                       OP_TENSORS_MAX);
    json_object_foreach(tensors, name, value) {
        struct definition_tensor *tensor = &ret->tensors[ret->tensor_count++];
        tensor->is_output = is_output;
        TRY(read_name(arena, name, key, &tensor->name, err));
        const struct json_at here = {value, arena_format(arena, "'%s'", name)};
        TRY(json_get_string(&here, "dtype", &tensor->dtype, err));
        tensor->dtype = arena_strdup(arena, tensor->dtype);
        TRY(json_find_string(&here, "description", &tensor->description, err));
        tensor->description = arena_strdup(arena, str_or(tensor->description, ""));
        TRY(read_shape(arena, json_object_get(value, "shape"), tensor, err));
    }
    return 0;
}

static int read_constraints(struct arena *arena, const struct json_at *at, struct definition *ret,
                            struct err *err) {
    const json_t *list = NULL, *item;
    size_t i;
    TRY(json_find_array(at, "constraints", &list, err));
    if (json_array_size(list) > CONSTRAINTS_MAX)
        return err_set(err, ERR_DATA, "%zu constraints, and a definition has at most %d",
                       json_array_size(list), CONSTRAINTS_MAX);
    ret->constraints = arena_array(arena, json_array_size(list), sizeof *ret->constraints);
    for (i = 0; i < json_array_size(list); ++i) {
        item = json_array_get(list, i);
        if (!json_is_string(item)) return err_set(err, ERR_DATA, "a constraint is a text");
        ret->constraints[ret->constraint_count++] = arena_strdup(arena, json_string_value(item));
    }
    return 0;
}

static int name_operator(struct arena *arena, struct definition *ret, struct err *err) {
    const size_t length = strlen(ret->name);
    if (!length || length > DECLARED_NAME_MAX)
        return err_set(err, ERR_DATA, "its name has %zu characters, and at most %d are allowed", length,
                       DECLARED_NAME_MAX);
    ret->operator_name = declared_name_of(arena, ret->name, length);
    return 0;
}

int definition_read(struct arena *arena, const struct json_at *at, struct definition *ret, struct err *err) {
    const char *name, *op_type = "", *reference, *make_inputs = NULL;
    *ret = (struct definition){.tensors = arena_array(arena, OP_TENSORS_MAX, sizeof *ret->tensors)};
    TRY(json_get_string(at, "name", &name, err));
    TRY(json_find_string(at, "op_type", &op_type, err));
    TRY(json_get_string(at, "reference", &reference, err));
    TRY(json_find_string(at, "custom_inputs_entrypoint", &make_inputs, err));
    ret->name = arena_strdup(arena, name);
    ret->op_type = arena_strdup(arena, op_type);
    ret->reference = arena_strdup(arena, reference);
    if (make_inputs) TRY(read_name(arena, make_inputs, "custom_inputs_entrypoint", &ret->make_inputs, err));
    TRY(name_operator(arena, ret, err));
    TRY(read_axes(arena, at, ret, err));
    TRY(read_tensors(arena, at, "inputs", false, ret, err));
    TRY(read_tensors(arena, at, "outputs", true, ret, err));
    return read_constraints(arena, at, ret, err);
}

// ---- the declaration ----

static const struct {
    const char *name;
    int32_t dtype;
} types[] = {{"float64", ASSAY_FP64},
             {"float32", ASSAY_FP32},
             {"float16", ASSAY_FP16},
             {"bfloat16", ASSAY_BF16},
             {"float8_e4m3fn", ASSAY_FP8_E4M3},
             {"float8_e5m2", ASSAY_FP8_E5M2},
             {"float8_e8m0fnu", ASSAY_E8M0},
             {"float4_e2m1", ASSAY_FP4_E2M1X2},
             {"float4_e2m1fn_x2", ASSAY_FP4_E2M1X2},
             {"int64", ASSAY_INT64},
             {"int32", ASSAY_INT32},
             {"int16", ASSAY_INT16},
             {"int8", ASSAY_INT8},
             {"uint8", ASSAY_UINT8},
             {"bool", ASSAY_BOOL}};

static int32_t type_of(const char *name) {
    for (size_t i = 0; i < sizeof types / sizeof *types; ++i)
        if (str_equal(types[i].name, name)) return types[i].dtype;
    return ASSAY_DTYPE_INVALID;
}

static int spec_of(struct arena *arena, const struct definition *definition,
                   const struct definition_tensor *tensor, const char **ret, struct err *err) {
    const int32_t dtype = type_of(tensor->dtype);
    const bool counts_numbers = str_equal(tensor->dtype, "float4_e2m1"); // of which a byte holds two
    struct strbuf text = {0};
    if (dtype == ASSAY_DTYPE_INVALID)
        return err_set(err, ERR_DATA, "'%s' is %s, which assay does not have", tensor->name,
                       str_shown(tensor->dtype).text);
    strbuf_addf(&text, "%s[", dtype_name(dtype));
    for (size_t i = 0; i < tensor->dim_count; ++i) {
        const char *size = definition_expression(arena, definition, tensor->dims[i]);
        const bool is_halved = counts_numbers && i + 1 == tensor->dim_count;
        strbuf_addf(&text, is_halved ? "%sceil_div(%s, 2)" : "%s%s", i ? ", " : "", size);
    }
    strbuf_add(&text, "]");
    if (tensor->is_made || tensor->family)
        strbuf_addf(&text, " %s", tensor->is_made ? "made" : tensor->family);
    *ret = arena_strdup(arena, strbuf_text(&text));
    strbuf_fini(&text);
    return 0;
}

// A buffer among the inputs is written, too.
static enum assay_access access_of(const struct definition_tensor *tensor) {
    if (tensor->is_output) return ASSAY_OUT;
    return strstr(tensor->name, "buffer") ? ASSAY_INOUT : ASSAY_IN;
}

// Inputs first, whatever the order in the document.
static int declare_tensors(struct arena *arena, const struct definition *definition, struct declared *ret,
                           struct err *err) {
    static const enum assay_access order[] = {ASSAY_IN, ASSAY_INOUT, ASSAY_OUT};
    struct declared_tensor *tensors = arena_array(arena, definition->tensor_count, sizeof *tensors);
    ret->tensors = tensors;
    for (size_t k = 0; k < sizeof order / sizeof *order; ++k)
        for (size_t i = 0; i < definition->tensor_count; ++i) {
            const struct definition_tensor *tensor = &definition->tensors[i];
            if (tensor->is_scalar && tensor->is_output)
                return err_set(err, ERR_DATA, "'%s' is an output without a shape; write [] for one number",
                               tensor->name);
            if (tensor->is_scalar || access_of(tensor) != order[k]) continue;
            struct declared_tensor *made = &tensors[ret->tensor_count++];
            *made = (struct declared_tensor){.name = tensor->name, .access = (int32_t)order[k]};
            TRY(spec_of(arena, definition, tensor, &made->spec, err));
        }
    return 0;
}

// Free ones and numbers, then what follows from axes that stand before.
static void declare_axes(struct arena *arena, const struct definition *definition, struct declared *ret) {
    struct declared_axis *axes = arena_array(arena, definition->axis_count, sizeof *axes);
    ret->axes = axes;
    for (int is_derived = 0; is_derived < 2; ++is_derived)
        for (size_t i = 0; i < definition->axis_count; ++i) {
            const struct definition_axis *axis = &definition->axes[i];
            const bool follows = axis->is_derived && axis->kind != AXIS_CONST;
            if (follows != is_derived || *axis->stands == '(') continue;
            axes[ret->axis_count++] = (struct declared_axis){
                axis->stands, follows ? definition_expression(arena, definition, axis->size) : axis->size};
        }
}

bool definition_is_drawn(const struct definition *definition) {
    return strstr(definition->reference, "multinomial(");
}

int definition_declare(struct arena *arena, struct definition *definition, struct declared *ret,
                       struct err *err) {
    *ret = (struct declared){.name = definition->operator_name,
                             .scalars = definition->scalars,
                             .scalar_count = definition->scalar_count,
                             .where = definition->where,
                             .where_count = definition->where_count,
                             .reference.function = "run"};
    if (definition_is_drawn(definition)) {
        ret->reference.random = DECLARED_DRAWN;
        ret->reference.accept = DEFINITION_ACCEPT;
    }
    declare_axes(arena, definition, ret);
    return declare_tensors(arena, definition, ret, err);
}
