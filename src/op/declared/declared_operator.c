// SPDX-License-Identifier: Apache-2.0
//
// The operator behind a declaration: what is wrong in one, the names of its problems, and what a kernel gets.
#include "op/declared/declared.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/comma.h"
#include "base/expression.h"
#include "base/strbuf.h"
#include "op/declared/declared_internal.h"
#include "op/dtype.h"

#define SUMMARY_MAX     72
#define WHERE_EXAMPLE   "hidden % 8 == 0"
#define BOUNDARY_ENDING "_boundary" // of the suite's name

// ---- axes ----

static struct declared_values values_of(const struct problem *problem) {
    const struct declared *declared = declared_operator_of(problem->op)->declared;
    return (struct declared_values){declared, declared_params_of(problem)->axes, declared->axis_count};
}

// ---- tensors ----

static void declared_describe(const struct problem *problem, struct problem_abi *ret) {
    const struct declared_operator *op = declared_operator_of(problem->op);
    const struct declared *declared = op->declared;
    const struct declared_params *params = declared_params_of(problem);
    struct err err = {0};
    for (size_t i = 0; i < declared->tensor_count; ++i)
        if (declared_describe_tensor(op, i, params->axes, &ret->tensors[i], &err) < 0)
            BUG("a problem that was parsed: %s", err.text);
    ret->tensor_count = (uint32_t)declared->tensor_count;
    size_t count = 0;
    for (size_t i = 0; i < declared->axis_count; ++i)
        ret->scalars[count++] = (struct assay_scalar){declared->axes[i].name, (double)params->axes[i]};
    for (size_t i = 0; i < declared->scalar_count; ++i)
        ret->scalars[count++] = (struct assay_scalar){declared->scalars[i].name, params->scalars[i]};
    ret->problem.scalar_count = (uint32_t)count;
    ret->problem.axis_count = (uint32_t)declared->axis_count;
}

// ---- names of problems ----

// The free axes, then the scalars, by number; NULL past the end. *ret_axis: of the declaration, or -1.
static const char *field_name_at(const struct declared *declared, size_t number, ptrdiff_t *ret_axis,
                                 size_t *ret_scalar) {
    *ret_scalar = 0;
    for (size_t i = 0; i < declared->axis_count; ++i) {
        int64_t size;
        if (!declared_size_is_number(declared->axes[i].size, &size) || number-- > 0) continue;
        *ret_axis = (ptrdiff_t)i;
        return declared->axes[i].name;
    }
    *ret_axis = -1;
    *ret_scalar = number;
    return number < declared->scalar_count ? declared->scalars[number].name : NULL;
}

static int unknown_field(const struct declared *declared, const char *field, struct err *err) {
    struct strbuf known = {0};
    ptrdiff_t axis;
    size_t scalar;
    const char *name;
    for (size_t i = 0; (name = field_name_at(declared, i, &axis, &scalar)); ++i) comma_add(&known, name);
    const int code =
        err_set(err, ERR_USAGE, "'%.40s': expected one of %s with a number behind it, as in '%s1'", field,
                known.length ? strbuf_text(&known) : DECLARED_DEFAULT,
                known.length ? field_name_at(declared, 0, &axis, &scalar) : "");
    strbuf_fini(&known);
    return code;
}

bool declared_scalar_parse(const char *text, struct declared_scalar *ret) {
    static const char *const bools[] = {"false", "true", "False", "True"};
    for (int i = 0; i < 4; ++i) {
        if (!str_equal(text, bools[i])) continue;
        *ret = (struct declared_scalar){.value = i % 2, .is_bool = true};
        return true;
    }
    *ret = (struct declared_scalar){0};
    return str_parse_double(text, &ret->value) == 0;
}

// Behind its name in a problem's.
static int parse_scalar(const struct declared_scalar *scalar, const char *field, double *ret,
                        struct err *err) {
    struct declared_scalar parsed;
    const bool is_one = declared_scalar_parse(field + strlen(scalar->name), &parsed);
    *ret = parsed.value;
    if (scalar->is_bool && is_one && (parsed.value == 0 || parsed.value == 1)) return 0;
    if (scalar->is_bool)
        return err_set(err, ERR_USAGE, "'%.40s': behind %s stands True or False", field, scalar->name);
    if (scalar->is_integer && parsed.value != floor(parsed.value))
        return err_set(err, ERR_USAGE, "'%.40s': behind %s stands a whole number", field, scalar->name);
    if (is_one && !parsed.is_bool && isfinite(parsed.value)) return 0;
    return err_set(err, ERR_USAGE, "'%.40s': behind %s stands a number, such as %s0.5", field, scalar->name,
                   scalar->name);
}

// "rows17", "eps1e-05" or "causalTrue".
static int parse_field(const struct declared *declared, const char *field, struct declared_params *params,
                       uint64_t *given, struct err *err) {
    ptrdiff_t axis;
    size_t scalar, length = 0, found = 0;
    const char *name;
    for (size_t i = 0; (name = field_name_at(declared, i, &axis, &scalar)); ++i)
        if (str_starts(field, name) && strlen(name) > length) length = strlen(name), found = i;
    if (!length) return unknown_field(declared, field, err);
    name = field_name_at(declared, found, &axis, &scalar);
    if (*given >> found & 1) return err_set(err, ERR_USAGE, "'%.40s': %s is there twice", field, name);
    *given |= UINT64_C(1) << found;
    if (axis < 0) return parse_scalar(&declared->scalars[scalar], field, &params->scalars[scalar], err);
    long long size;
    if (str_parse_i64(field + length, &size) < 0 || size < 1 || size > DECLARED_AXIS_MAX)
        return err_set(err, ERR_USAGE, "'%.40s': behind %s stands a size from 1 to 2^40, such as %s64", field,
                       name, name);
    params->axes[axis] = size;
    return 0;
}

// The shortest of some forms that reads back.
static void format_number(struct strbuf *out, double value) {
    char text[40];
    for (int digits = 6; digits <= 17; ++digits) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value) break;
    }
    strbuf_add(out, text);
}

static void declared_format(const struct problem *problem, struct strbuf *out) {
    const struct declared *declared = declared_operator_of(problem->op)->declared;
    const struct declared_params *params = declared_params_of(problem);
    const size_t start = out->length;
    ptrdiff_t axis;
    size_t scalar;
    const char *name;
    for (size_t i = 0; (name = field_name_at(declared, i, &axis, &scalar)); ++i) {
        if (axis < 0 && params->scalars[scalar] == declared->scalars[scalar].value) continue;
        strbuf_addf(out, "%s%s", out->length > start ? "/" : "", name);
        if (axis < 0 && declared->scalars[scalar].is_bool)
            strbuf_add(out, params->scalars[scalar] != 0 ? "True" : "False");
        else if (axis < 0)
            format_number(out, params->scalars[scalar]);
        else
            strbuf_addf(out, "%lld", (long long)params->axes[axis]);
    }
    if (out->length == start) strbuf_add(out, DECLARED_DEFAULT);
}

// A problem's whole name, which can be longer than the given one: defaults are part of it.
static int check_name_length(const struct declared_operator *op, const struct declared_params *params,
                             struct err *err) {
    struct problem problem = {.op = &op->def};
    struct strbuf fields = {0};
    memcpy(problem.params, params, sizeof *params);
    declared_format(&problem, &fields);
    const size_t length = strlen(op->declared->name) + 1 + fields.length;
    strbuf_fini(&fields);
    if (length < PROBLEM_NAME_BYTES) return 0;
    return err_set(err, ERR_USAGE, "its whole name has %zu characters, and at most %d are allowed", length,
                   PROBLEM_NAME_BYTES - 1);
}

static int declared_parse(const struct operator_def *def, const char *const *fields, size_t field_count,
                          void *params, struct err *err) {
    const struct declared_operator *op = declared_operator_of(def);
    const struct declared *declared = op->declared;
    struct declared_params *p = params;
    uint64_t given = 0;
    for (size_t i = 0; i < declared->axis_count; ++i)
        (void)declared_size_is_number(declared->axes[i].size, &p->axes[i]);
    for (size_t i = 0; i < declared->scalar_count; ++i) p->scalars[i] = declared->scalars[i].value;
    const bool is_default = field_count == 1 && str_equal(fields[0], DECLARED_DEFAULT);
    for (size_t i = 0; i < field_count && !is_default; ++i)
        TRY(parse_field(declared, fields[i], p, &given, err));
    TRY(declared_settle(op, p->axes, err));
    return check_name_length(op, p, err);
}

// ---- work, sizes ----

static double evaluate_work(const struct problem *problem, const char *text) {
    const struct declared_values values = values_of(problem);
    const struct expression_scope scope = declared_scope(&values);
    struct expression_value value;
    if (!text || expression_evaluate(text, &scope, &value, NULL) < 0 || !value.is_defined) return NAN;
    return (double)value.number;
}

static double declared_flops(const struct problem *problem) {
    return evaluate_work(problem, declared_operator_of(problem->op)->declared->flops);
}

static double declared_bytes(const struct problem *problem) {
    const char *text = declared_operator_of(problem->op)->declared->bytes;
    if (text) return evaluate_work(problem, text);
    struct problem_abi abi;
    double bytes = 0;
    problem_describe(problem, MEMORY_LAYOUT_DENSE, &abi);
    for (uint32_t i = 0; i < abi.tensor_count; ++i)
        bytes += (double)tensor_span_bytes(&abi.tensors[i]) * (abi.tensors[i].access == ASSAY_INOUT ? 2 : 1);
    return bytes;
}

// By the reference's own errors (worker/check/same_precision.h), which are not known before it has run.
static struct op_tolerance declared_tolerance(const struct problem *problem, const char *distribution,
                                              uint32_t tensor_index) {
    (void)distribution;
    const struct declared_operator *op = declared_operator_of(problem->op);
    return (struct op_tolerance){.min_pass_fraction = 1,
                                 .rel_l2_max = INFINITY,
                                 .is_two_x_gated = op->declared->reference.single_module_path &&
                                                   !op->declared->reference.accept &&
                                                   op->specs[tensor_index].dtype != ASSAY_FP64};
}

static int64_t declared_size(const struct problem *problem, size_t axis) {
    const struct declared *declared = declared_operator_of(problem->op)->declared;
    const ptrdiff_t place = declared_free_axis(declared, axis);
    return place >= 0 ? declared_params_of(problem)->axes[place] : 0;
}

static bool declared_resize(const struct problem *problem, size_t axis, int64_t size, struct problem *ret) {
    const struct declared_operator *op = declared_operator_of(problem->op);
    const ptrdiff_t place = declared_free_axis(op->declared, axis);
    if (place < 0) return false;
    struct declared_params params = *declared_params_of(problem);
    params.axes[place] = size;
    if (declared_settle(op, params.axes, NULL) < 0 || check_name_length(op, &params, NULL) < 0) return false;
    *ret = *problem;
    memcpy(ret->params, &params, sizeof params);
    problem_rename(ret);
    return declared_can_fill(ret);
}

static bool declared_drop_option(struct problem *problem, size_t step) {
    const struct declared *declared = declared_operator_of(problem->op)->declared;
    if (step >= declared->scalar_count) return false;
    struct declared_params params = *declared_params_of(problem);
    params.scalars[step] = declared->scalars[step].value;
    memcpy(problem->params, &params, sizeof params);
    return true;
}

// ---- declarations ----

const char *declared_name_of(struct arena *arena, const char *text, size_t length) {
    char *ret = arena_strndup(arena, text, length);
    for (char *at = ret; *at; ++at) {
        const unsigned char letter = (unsigned char)*at;
        *at = isalnum(letter) ? (char)tolower(letter) : '_';
    }
    return ret;
}

// Its suites are found by name alone, as those that come with assay are.
static int check_operator_name(const char *name, struct err *err) {
    const size_t length = strlen(name);
    if (!length || length > DECLARED_NAME_MAX || name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_")])
        return err_set(err, ERR_CONFIG,
                       "an operator's name has lower-case letters, digits and '_', and at most %d characters",
                       DECLARED_NAME_MAX);
    const struct operator_def *op;
    const struct op_suite *suite;
    bool is_taken = operator_find(&operators_compiled, name) || str_ends(name, BOUNDARY_ENDING);
    for (size_t i = 0; (suite = operator_suite_at(&operators_compiled, i, &op)); ++i)
        is_taken |= str_equal(suite->name, name);
    if (!is_taken) return 0;
    return err_set(err, ERR_CONFIG,
                   "assay has an operator or a suite of that name, or suites of such names ('" BOUNDARY_ENDING
                   "'); take another one, for example 'my_%s'",
                   name);
}

// Every name that a field of a problem can begin with, tensors included: they are names of one list to
// whoever writes a kernel.
static int check_name(const char *name, const char *what, const char *const *before, size_t count,
                      struct err *err) {
    const size_t length = strlen(name);
    if (!length || length >= TENSOR_NAME_BYTES || (name[0] >= '0' && name[0] <= '9') ||
        name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")])
        return err_set(err, ERR_CONFIG,
                       "%s '%s': a name has letters, digits and '_', begins with no digit and has at most %d "
                       "characters",
                       what, str_shown(name).text, TENSOR_NAME_BYTES - 1);
    for (size_t i = 0; i < count; ++i)
        if (str_equal(name, before[i]))
            return err_set(err, ERR_CONFIG, "%s '%s': that name is there twice", what, name);
    return 0;
}

// "w" with 12 behind it and "w1" with 2 would be one field of a problem's name.
static int check_prefix(const char *name, const char *other, struct err *err) {
    const char *longer = strlen(name) > strlen(other) ? name : other;
    const char *shorter = longer == name ? other : name;
    const char *rest = longer + strlen(shorter);
    if (!str_starts(longer, shorter) || rest[strspn(rest, "0123456789")]) return 0;
    return err_set(
        err, ERR_CONFIG,
        "'%s' and '%s' differ by digits at the end: in a problem's name they would be mistaken for "
        "each other; write for example '%s_%s'",
        shorter, longer, shorter, rest);
}

static int check_names(const struct declared *declared, struct err *err) {
    const char *names[DECLARED_AXES_MAX + OP_SCALARS_MAX + OP_TENSORS_MAX];
    size_t count = 0;
    for (size_t i = 0; i < declared->axis_count; ++i, ++count) {
        TRY(check_name(declared->axes[i].name, "axis", names, count, err));
        names[count] = declared->axes[i].name;
    }
    for (size_t i = 0; i < declared->scalar_count; ++i, ++count) {
        TRY(check_name(declared->scalars[i].name, "scalar", names, count, err));
        if (!isfinite(declared->scalars[i].value))
            return err_set(err, ERR_CONFIG, "scalar '%s': its default is a finite number",
                           declared->scalars[i].name);
        names[count] = declared->scalars[i].name;
    }
    for (size_t i = 0; i < count; ++i)
        for (size_t k = 0; k < i; ++k) TRY(check_prefix(names[i], names[k], err));
    for (size_t i = 0; i < declared->tensor_count; ++i, ++count) {
        TRY(check_name(declared->tensors[i].name, "tensor", names, count, err));
        names[count] = declared->tensors[i].name;
    }
    return 0;
}

static int check_counts(const struct declared *declared, struct err *err) {
    size_t inputs = 0;
    while (inputs < declared->tensor_count && declared->tensors[inputs].access == ASSAY_IN) ++inputs;
    if (declared->axis_count > DECLARED_AXES_MAX)
        return err_set(err, ERR_CONFIG, "%zu axes, and an operator has at most %d", declared->axis_count,
                       DECLARED_AXES_MAX);
    if (declared->axis_count + declared->scalar_count > OP_SCALARS_MAX)
        return err_set(err, ERR_CONFIG, "%zu axes and scalars, and an operator has at most %d",
                       declared->axis_count + declared->scalar_count, OP_SCALARS_MAX);
    if (declared->tensor_count > OP_TENSORS_MAX)
        return err_set(err, ERR_CONFIG, "%zu tensors, and an operator has at most %d", declared->tensor_count,
                       OP_TENSORS_MAX);
    if (declared->reference.accept && 3 * declared->tensor_count - 2 * inputs >= OP_TENSORS_MAX)
        return err_set(
            err, ERR_CONFIG,
            "%zu inputs and %zu results, which 'accept' gets three times at most: together at most "
            "%d tensors",
            inputs, declared->tensor_count - inputs, OP_TENSORS_MAX - 1);
    if (declared->where_count > DECLARED_WHERE_MAX)
        return err_set(err, ERR_CONFIG, "%zu comparisons in 'where', and an operator has at most %d",
                       declared->where_count, DECLARED_WHERE_MAX);
    if (inputs == declared->tensor_count && !declared_is_timed_only(declared))
        return err_set(err, ERR_CONFIG,
                       "there is no result; write for example 'outputs: {y: \"bf16[rows]\"}'");
    for (size_t i = inputs; i < declared->tensor_count; ++i)
        if (declared->tensors[i].access == ASSAY_IN)
            return err_set(err, ERR_CONFIG, "tensor '%s': an input stands before what a kernel writes",
                           declared->tensors[i].name);
    return 0;
}

static int check_sizes(const struct declared *declared, struct err *err) {
    for (size_t i = 0; i < declared->axis_count; ++i) {
        int64_t size;
        if (!declared_size_is_number(declared->axes[i].size, &size) ||
            (size >= 1 && size <= DECLARED_AXIS_MAX))
            continue;
        return err_set(err, ERR_CONFIG,
                       "axis '%s': its default is %lld, and a size is at least 1 and at most 2^40",
                       declared->axes[i].name, (long long)size);
    }
    return 0;
}

static int check_expressions(const struct declared *declared, struct err *err) {
    const struct expression_scope form = {.example = WHERE_EXAMPLE};
    for (size_t i = 0; i < declared->where_count; ++i) {
        struct expression_value value;
        TRY(expression_evaluate(declared->where[i], &form, &value, err));
        if (!value.is_comparison)
            return err_set(err, ERR_CONFIG, "where: '%s' compares nothing; write for example '%s'",
                           declared->where[i], WHERE_EXAMPLE);
    }
    return 0;
}

// Where a reference in C computes, nobody makes data.
static int check_made(const struct declared *declared, const struct tensor_spec *specs, struct err *err) {
    const bool has_file = !declared->reference.source || declared->reference.function;
    for (size_t i = 0; i < declared->tensor_count && !has_file; ++i)
        if (specs[i].family == FILL_MADE)
            return err_set(
                err, ERR_CONFIG,
                "tensor '%s': '%s' is data of a Python file's function 'inputs', which a reference in C "
                "does not have; say what fills it",
                declared->tensors[i].name, fill_family_name(FILL_MADE));
    return 0;
}

// Of the default problem: arguments of what fills the tensors, and work.
static int check_default(const struct problem *problem, struct err *err) {
    const struct declared_operator *op = declared_operator_of(problem->op);
    const struct declared_values values = values_of(problem);
    const struct expression_scope scope = declared_scope(&values);
    struct expression_value value;
    double arguments[FILL_ARGUMENTS_MAX];
    for (size_t i = 0; i < op->declared->tensor_count; ++i)
        if (tensor_spec_arguments(&op->specs[i], &scope, arguments, err) < 0)
            return err_prefix(err, "tensor '%s'", op->declared->tensors[i].name);
    if (op->declared->flops) TRY(expression_evaluate(op->declared->flops, &scope, &value, err));
    if (op->declared->bytes) TRY(expression_evaluate(op->declared->bytes, &scope, &value, err));
    return 0;
}

// "y = rmsnorm(x, weight, eps)"; cut when it is long.
static const char *summary_of(struct arena *arena, const struct declared *declared) {
    struct strbuf results = {0}, arguments = {0};
    for (size_t i = 0; i < declared->tensor_count; ++i) {
        const struct declared_tensor *tensor = &declared->tensors[i];
        if (tensor->access != ASSAY_IN) comma_add(&results, tensor->name);
        if (tensor->access != ASSAY_OUT) comma_add(&arguments, tensor->name);
    }
    for (size_t i = 0; i < declared->scalar_count; ++i) comma_add(&arguments, declared->scalars[i].name);
    strbuf_addf(&results, " = %s(%s)", declared->name, strbuf_text(&arguments));
    const bool is_long = results.length > SUMMARY_MAX;
    const char *ret = arena_format(arena, "%.*s%s", SUMMARY_MAX, strbuf_text(&results), is_long ? "..." : "");
    strbuf_fini(&results);
    strbuf_fini(&arguments);
    return ret;
}

// What is measured and checked where nothing is named.
static void add_suites(struct arena *arena, struct operator_def *def) {
    static const struct op_suite_problem default_problem[] = {{"default", DECLARED_DEFAULT}};
    struct op_suite *suites = arena_array(arena, 3, sizeof *suites);
    suites[0] = (struct op_suite){.name = def->name,
                                  .summary = "the default problem of a declared operator",
                                  OP_SUITE_PROBLEMS(default_problem)};
    suites[1] = (struct op_suite){.name = arena_format(arena, "%s" BOUNDARY_ENDING, def->name),
                                  .summary = "tails, extreme inputs, memory layouts: what gates check",
                                  .matrix = OP_MATRIX_BOUNDARY};
    def->suites = suites;
    def->cpu_suite = def->gpu_suite = suites[0].name;
    def->check_suite = def->gate_check_suite = suites[!declared_is_timed_only(declared_of(def))].name;
}

// So that any size that is tried has a name.
static int check_longest_name(const struct declared *declared, struct err *err) {
    size_t length = strlen(declared->name);
    int64_t size;
    for (size_t i = 0; i < declared->axis_count; ++i)
        if (declared_size_is_number(declared->axes[i].size, &size))
            length += strlen("/") + strlen(declared->axes[i].name) + DECLARED_AXIS_DIGITS;
    if (length < PROBLEM_NAME_BYTES) return 0;
    return err_set(err, ERR_CONFIG,
                   "with its free axes the name of a problem can have %zu characters, and at most %d are "
                   "allowed; take shorter names of axes",
                   length, PROBLEM_NAME_BYTES - 1);
}

static int make(struct arena *arena, const struct declared *declared, struct declared_operator *ret,
                struct err *err) {
    TRY(check_operator_name(declared->name, err));
    TRY(check_counts(declared, err));
    TRY(check_names(declared, err));
    TRY(check_sizes(declared, err));
    TRY(check_longest_name(declared, err));
    TRY(check_expressions(declared, err));
    struct tensor_spec *specs = arena_array(arena, declared->tensor_count, sizeof *specs);
    for (size_t i = 0; i < declared->tensor_count; ++i)
        if (tensor_spec_parse(arena, declared->tensors[i].spec, declared->tensors[i].access, &specs[i], err) <
            0)
            return err_prefix(err, "tensor '%s'", declared->tensors[i].name);
    *ret = (struct declared_operator){.declared = declared, .specs = specs};
    TRY(check_made(declared, specs, err));
    TRY(declared_make_rules(arena, ret, &ret->rules, err));
    ret->def = (struct operator_def){.name = declared->name,
                                     .summary = summary_of(arena, declared),
                                     .example = declared->name,
                                     .has_fixed_types = true,
                                     .parse = declared_parse,
                                     .format = declared_format,
                                     .describe = declared_describe,
                                     .flops = declared_flops,
                                     .compulsory_bytes = declared_bytes,
                                     .distributions = declared_distributions,
                                     .distribution_applies = declared_distribution_applies,
                                     .fill = declared_fill,
                                     .tolerance = declared_tolerance,
                                     .is_order_free =
                                         str_equal(str_or(declared->reference.random, ""), DECLARED_DRAWN),
                                     .device = &declared_device,
                                     .add_cases = declared_add_cases,
                                     .draw = declared_draw,
                                     .size = declared_size,
                                     .resize = declared_resize,
                                     .drop_option = declared_drop_option};
    add_suites(arena, &ret->def);
    declared_add_mutants(arena, ret);
    const char *const fields[] = {DECLARED_DEFAULT};
    struct problem problem = {.op = &ret->def};
    TRY(declared_parse(&ret->def, fields, 1, problem.params, err));
    problem_rename(&problem);
    ret->def.example = arena_strdup(arena, problem.name);
    return check_default(&problem, err);
}

int declared_make(struct arena *arena, const struct declared *declared, const struct operator_def **ret,
                  struct err *err) {
    struct declared_operator *op = arena_alloc(arena, sizeof *op);
    struct err why = {0};
    *ret = &op->def;
    if (make(arena, declared, op, &why) == 0) return 0;
    // Of a default problem that cannot be, too.
    return err_set(err, ERR_CONFIG, "%s", why.text);
}

const struct declared *declared_of(const struct operator_def *op) {
    return op && op->parse == declared_parse ? declared_operator_of(op)->declared : NULL;
}

const struct declared_rule *declared_rule_of(const struct operator_def *op, size_t tensor) {
    if (!declared_of(op)) return NULL;
    const struct declared_rule *rule = &declared_operator_of(op)->rules[tensor];
    return rule->steps || rule->picks >= 0 || rule->used >= 0 || rule->is_accepted ? rule : NULL;
}

void declared_add(struct arena *arena, struct operator_set *set, const struct operator_def *op) {
    if (!declared_of(op) || operator_find(set, op->name)) return;
    const struct operator_def **grown = arena_array(arena, set->declared_count + 1, sizeof *grown);
    for (size_t i = 0; i < set->declared_count; ++i) grown[i] = set->declared[i];
    grown[set->declared_count] = op;
    *set = (struct operator_set){grown, set->declared_count + 1};
}
