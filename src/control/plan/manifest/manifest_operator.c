// SPDX-License-Identifier: Apache-2.0
//
// An operator of a manifest, as the texts of op/declared/declared.h, which says what is wrong with them.
#include <string.h>

#include "base/str.h"
#include "control/plan/call.h"
#include "control/plan/manifest/manifest_internal.h"
#include "op/declared/declared.h"

#define INPUTS_EXAMPLE "inputs: {x: \"bf16[rows, hidden]\", eps: 1e-6}"

static int bind_axes(const struct schema_reader *reader, yaml_node_t *node, const char *key, void *target) {
    struct declared *declared = target;
    TRY(schema_expect_mapping(reader, node, key, "axes: {rows: 4096}"));
    const size_t count = schema_pair_count(node);
    struct declared_axis *axes = arena_array(reader->arena, count, sizeof *axes);
    for (size_t i = 0; i < count; ++i) {
        yaml_node_t *value;
        schema_pair(reader, node, i, &axes[i].name, &value);
        TRY(schema_text(reader, value, schema_join(reader, key, axes[i].name), &axes[i].size));
    }
    declared->axes = axes;
    declared->axis_count = count;
    return 0;
}

// Adds the tensors of a list behind those that are there. A plain number, or true, is a scalar, of inputs
// only.
static int bind_tensors(const struct schema_reader *reader, yaml_node_t *node, const char *key,
                        struct declared *declared, enum assay_access access) {
    TRY(schema_expect_mapping(reader, node, key, INPUTS_EXAMPLE));
    const size_t count = schema_pair_count(node), before = declared->tensor_count;
    struct declared_tensor *tensors = arena_array(reader->arena, before + count, sizeof *tensors);
    struct declared_scalar *scalars = arena_array(reader->arena, count, sizeof *scalars);
    for (size_t i = 0; i < before; ++i) tensors[i] = declared->tensors[i];
    if (access == ASSAY_IN) declared->scalars = scalars;
    declared->tensors = tensors;
    for (size_t i = 0; i < count; ++i) {
        const char *name, *text;
        yaml_node_t *value;
        struct declared_scalar scalar;
        schema_pair(reader, node, i, &name, &value);
        TRY(schema_text(reader, value, schema_join(reader, key, name), &text));
        if (access == ASSAY_IN && value->data.scalar.style == YAML_PLAIN_SCALAR_STYLE &&
            declared_scalar_parse(text, &scalar)) {
            scalar.name = name;
            scalars[declared->scalar_count++] = scalar;
        } else
            tensors[declared->tensor_count++] = (struct declared_tensor){name, text, (int32_t)access};
    }
    return 0;
}

static int bind_inputs(const struct schema_reader *reader, yaml_node_t *node, const char *key, void *target) {
    return bind_tensors(reader, node, key, target, ASSAY_IN);
}

static int bind_inout(const struct schema_reader *reader, yaml_node_t *node, const char *key, void *target) {
    return bind_tensors(reader, node, key, target, ASSAY_INOUT);
}

static int bind_outputs(const struct schema_reader *reader, yaml_node_t *node, const char *key,
                        void *target) {
    return bind_tensors(reader, node, key, target, ASSAY_OUT);
}

#define VALUES_JSON(types)                                                                                   \
    "{\"type\": \"object\", \"propertyNames\": {\"pattern\": \"" MANIFEST_MACRO_PATTERN                      \
    "\"}, \"additionalProperties\": {\"type\": " types "}}"
#define TENSORS(key_, bind_, types_, type_, ...)                                                             \
    {                                                                                                        \
        .key = key_, .kind = SCHEMA_BOUND, .bind = bind_, .json = VALUES_JSON(types_), .type = type_,        \
        .fallback = "none", .meaning = __VA_ARGS__                                                           \
    }
#define OPERATOR(key_, member_, ...)                                                                         \
    SCHEMA_FIELD_AS(key_, struct declared, member_, SCHEMA_TEXT, 0, 0, __VA_ARGS__)
// Tensors stand in the order of these rows, whatever the order in the file.
static const struct schema_field operator_fields[] = {
    TENSORS("axes", bind_axes, "[\"integer\", \"string\"]", "mapping NAME: size",
            "Sizes of a problem. A whole number: the axis is free, problems name its size, and this is its "
            "default. A text: it follows from axes before it, such as `hidden // 128`.",
            .example = "axes: {rows: 4096}"),
    SCHEMA_LIST("where", struct declared, where, where_count, "[\"hidden % 8 == 0\"]", .fallback = "none",
                .meaning = "Comparisons of axes that hold for every problem."),
    TENSORS(
        "inputs", bind_inputs, "[\"string\", \"number\", \"boolean\"]", "mapping NAME: tensor or number",
        "What a kernel reads, in its order. A number is a scalar of the problem, and this its default; so "
        "is `true` or `false`, which kernels get as 1 or 0, in Python as `True` or `False`."),
    TENSORS("inout", bind_inout, "\"string\"", "mapping NAME: tensor", "What it reads and changes."),
    TENSORS("outputs", bind_outputs, "\"string\"", "mapping NAME: tensor", "What it writes."),
    OPERATOR("reference", reference.source, "reference/rmsnorm.c", .type = "path", .fallback = "none",
             .meaning = "What computes the right results, below the manifest's folder: C source with all "
                        "floating-point tensors in fp64, or a Python file, `ops/rmsnorm.py:reference`, whose "
                        "function (`reference`, if none is named) gets the tensors by name. Without it no "
                        "kernel of the operator is checked or measured."),
    OPERATOR("reference_call", reference.call, "\"rmsnorm(x, weight, y, int rows, int hidden, double eps)\"",
             .type = "signature", .fallback = "the source is a module of `assay/kernel.h`",
             .meaning = "The signature of a function in that source, as `call` of a kernel: floating-point "
                        "tensors are `double *`, numbers are `double` or whole."),
    OPERATOR("flops", flops, "4 * rows * hidden", .type = "expression of axes", .fallback = "not known",
             .meaning = "Floating-point operations of a problem."),
    OPERATOR("bytes", bytes, "4 * rows * hidden", .type = "expression of axes",
             .fallback = "every tensor once, of `inout` twice", .meaning = "Bytes that a problem must move."),
};
const struct schema_table manifest_operator_table =
    SCHEMA_TABLE(operator_fields, "operator",
                 .rule = "{\"anyOf\": [{\"required\": [\"outputs\"]}, {\"required\": [\"inout\"]}]}");

// Of the axis, scalar or tensor that a sentence begins with, "axis 'NAME': ", the node and the whole key;
// else those of the operator.
static yaml_node_t *find_part(const struct schema_reader *reader, yaml_node_t *node, const char *sentence,
                              const char **key) {
    static const char *const sections[] = {"axes", "inputs", "inout", "outputs"};
    const char *quote = strchr(sentence, '\'');
    for (size_t s = 0; quote && s < sizeof sections / sizeof *sections; ++s) {
        const yaml_node_t *section = schema_find(reader, node, sections[s]);
        for (size_t i = 0; section && i < schema_pair_count(section); ++i) {
            const char *name;
            yaml_node_t *value;
            schema_pair(reader, section, i, &name, &value);
            if (!str_starts(quote + 1, name) || !str_starts(quote + 1 + strlen(name), "':")) continue;
            *key = schema_join(reader, schema_join(reader, *key, sections[s]), name);
            return value;
        }
    }
    return node;
}

// "ops/rmsnorm.py:reference": a file and its function.
static int split_python(const struct schema_reader *reader, const yaml_node_t *node, const char *key,
                        struct declared_reference *reference) {
    static const char signs[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    const char *end = reference->source ? strstr(reference->source, ".py:") : NULL;
    const yaml_node_t *value = schema_find(reader, node, "reference");
    if (!end && !str_ends(str_or(reference->source, ""), ".py")) return 0;
    reference->function = end ? end + 4 : "reference";
    if (end)
        reference->source =
            arena_format(reader->arena, "%.*s", (int)(end + 3 - reference->source), reference->source);
    if (!*reference->function || reference->function[strspn(reference->function, signs)])
        return schema_fail(reader, value, schema_join(reader, key, "reference"),
                           "'%s' is no name of a function; write '%s:reference'", reference->function,
                           reference->source);
    if (!reference->call) return 0;
    return schema_fail(
        reader, schema_find(reader, node, "reference_call"), schema_join(reader, key, "reference_call"),
        "has no effect here: a function in Python gets tensors and numbers by the names of its "
        "parameters; remove the key");
}

static int check_reference_call(const struct schema_reader *reader, const yaml_node_t *node, const char *key,
                                const struct declared *declared) {
    struct call call;
    struct err why = {0};
    const yaml_node_t *value = schema_find(reader, node, "reference_call");
    if (!value || reference_call_parse(declared, ASSAY_FP64, reader->arena, &call, &why) == 0) return 0;
    return schema_fail(reader, value, schema_join(reader, key, "reference_call"), "%s", why.text);
}

int manifest_bind_operator(const struct schema_reader *reader, yaml_node_t *node, const char *key,
                           struct declared *declared, const struct operator_def **ret) {
    struct err why = {0};
    declared->reference.dir = reader->dir;
    TRY(schema_bind(reader, node, key, &manifest_operator_table, declared));
    TRY(split_python(reader, node, key, &declared->reference));
    TRY(manifest_check_source(reader, schema_find(reader, node, "reference"),
                              schema_join(reader, key, "reference"), declared->reference.source));
    if (declared_make(reader->arena, declared, ret, &why) == 0)
        return check_reference_call(reader, node, key, declared);
    yaml_node_t *part = find_part(reader, node, why.text, &key);
    return schema_fail(reader, part, key, "%s", why.text);
}
