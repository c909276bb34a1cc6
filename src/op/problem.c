// SPDX-License-Identifier: Apache-2.0
//
// Problems of any operator: from a name to a value and back, and described as a kernel sees them. The
// operator knows what the fields of a name mean and what the tensors hold.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/comma.h"
#include "base/err.h"
#include "base/mem.h"
#include "op/dtype.h"
#include "op/operator.h"

#define FIELDS_MAX       (OP_SCALARS_MAX + 2) // the operator, a type, and sizes and numbers
#define PADDED_ROW_BYTES 16 // the gap after every row; rows of all layouts are rounded up to this too
#define SHOWN_NAME_BYTES 80

const char *const memory_layout_names[MEMORY_LAYOUT_COUNT] = {[MEMORY_LAYOUT_DENSE] = "dense",
                                                              [MEMORY_LAYOUT_PADDED] = "padded",
                                                              [MEMORY_LAYOUT_OFFSET] = "offset",
                                                              [MEMORY_LAYOUT_PACKED] = "packed",
                                                              [MEMORY_LAYOUT_FAR] = "far"};

const char *memory_layout_name(enum memory_layout memory_layout) {
    return memory_layout > MEMORY_LAYOUT_INVALID && memory_layout < MEMORY_LAYOUT_COUNT
               ? memory_layout_names[memory_layout]
               : "invalid";
}

enum memory_layout memory_layout_parse(const char *name) {
    for (int i = MEMORY_LAYOUT_INVALID + 1; i < MEMORY_LAYOUT_COUNT; ++i)
        if (str_equal(name, memory_layout_names[i])) return (enum memory_layout)i;
    return MEMORY_LAYOUT_INVALID;
}

enum memory_layout memory_layout_behind(enum memory_layout memory_layout) {
    return memory_layout == MEMORY_LAYOUT_FAR ? MEMORY_LAYOUT_DENSE : memory_layout;
}

// ---- names ----

// A name for a message: printable ASCII, cut when long.
static void shown_name(const char *name, char ret_text[SHOWN_NAME_BYTES + 4]) {
    size_t i = 0;
    for (; name[i] && i < SHOWN_NAME_BYTES; ++i)
        ret_text[i] = name[i] >= ' ' && name[i] <= '~' ? name[i] : '?';
    memcpy(ret_text + i, name[i] ? "..." : "", name[i] ? 4 : 1);
}

static int unknown_operator(const struct operator_set *set, const char *shown, const char *op_name,
                            struct err *err) {
    struct strbuf known = {0};
    const struct operator_def *op;
    for (size_t i = 0; (op = operator_at(set, i)); ++i) comma_add(&known, op->name);
    char shown_op[SHOWN_NAME_BYTES + 4];
    shown_name(op_name, shown_op);
    const int code =
        err_set(err, ERR_USAGE, "problem '%s': unknown operator '%s'; known: %s (for example '%s')", shown,
                shown_op, strbuf_text(&known), operator_at(set, 0)->example);
    strbuf_fini(&known);
    return code;
}

static int check_text(const char *name, struct err *err) {
    char shown[SHOWN_NAME_BYTES + 4];
    shown_name(name, shown);
    const size_t length = strlen(name);
    if (length >= PROBLEM_NAME_BYTES)
        return err_set(err, ERR_USAGE, "problem '%s': the name has %zu characters, at most %d are allowed",
                       shown, length, PROBLEM_NAME_BYTES - 1);
    for (size_t i = 0; i < length; ++i)
        if (name[i] < ' ' || name[i] > '~')
            return err_set(err, ERR_USAGE, "problem '%s': character %zu is not printable ASCII", shown,
                           i + 1);
    return 0;
}

int problem_name_check(const char *name, struct err *err) {
    TRY(check_text(name, err));
    if (name[0] != '/' && strchr(name, '/')) return 0;
    return err_set(err, ERR_USAGE, "problem '%s': a name is an operator and its fields, such as '%s'", name,
                   operator_at(&operators_compiled, 0)->example);
}

struct name {
    char shown[SHOWN_NAME_BYTES + 4], text[PROBLEM_NAME_BYTES];
    const char *fields[FIELDS_MAX]; // in text; the first is the operator
    size_t field_count;
};

static int split(const char *name, struct name *ret, struct err *err) {
    ret->field_count = 0;
    TRY(check_text(name, err));
    shown_name(name, ret->shown);
    snprintf(ret->text, sizeof ret->text, "%s", name);
    for (char *at = ret->text; at;) {
        if (ret->field_count == FIELDS_MAX)
            return err_set(err, ERR_USAGE, "problem '%s': more than %d fields between slashes", ret->shown,
                           FIELDS_MAX);
        ret->fields[ret->field_count++] = at;
        at = strchr(at, '/');
        if (at) *at++ = 0;
    }
    return 0;
}

static int make(const struct operator_def *op, const struct name *name, struct problem *ret,
                struct err *err) {
    memset(ret, 0, sizeof *ret);
    ret->op = op;
    for (size_t i = 1; i < name->field_count; ++i)
        if (!name->fields[i][0])
            return err_set(err, ERR_USAGE, "problem '%s': field %zu is empty; a name looks like '%s'",
                           name->shown, i + 1, op->example);
    if (op->parse(op, name->fields + 1, name->field_count - 1, ret->params, err) < 0)
        return err_prefix(err, "problem '%s'", name->shown);
    problem_rename(ret);
    return 0;
}

int problem_parse(const struct operator_set *set, const char *name, struct problem *ret, struct err *err) {
    struct name parts;
    TRY(split(name, &parts, err));
    const struct operator_def *op = operator_of_problem(set, name);
    return op ? make(op, &parts, ret, err) : unknown_operator(set, parts.shown, parts.fields[0], err);
}

int problem_make(const struct operator_def *op, const char *fields, struct problem *ret, struct err *err) {
    struct name parts;
    char *name = mem_format("%s/%s", op->name, fields);
    int code = split(name, &parts, err);
    if (code == 0) code = make(op, &parts, ret, err);
    free(name);
    return code;
}

int problem_bind(const struct operator_set *set, struct problem *problem, struct err *err) {
    struct problem bound;
    TRY(problem_parse(set, problem->name, &bound, err));
    *problem = bound;
    return 0;
}

int problem_name_from_variables(const struct operator_def *op, const char *dtype, op_variable_fn get,
                                struct strbuf *ret_name, struct err *err) {
    bool is_asked = false;
    strbuf_clear(ret_name);
    strbuf_addf(ret_name, "%s/%s", op->name, dtype);
    for (const struct op_variable *variable = op->variables; variable && variable->name; ++variable) {
        const char *text = get(variable->name);
        long long size = variable->fallback;
        if (text && (str_parse_i64(text, &size) < 0 || size < 1 || size > UINT32_MAX))
            return err_set(
                err, ERR_USAGE,
                "the environment variable %s is '%s', but it must be a size of the problem: a whole "
                "number from 1 on (or name the problem with --problem)",
                variable->name, str_shown(text).text);
        strbuf_addf(ret_name, "/%s%lld", variable->prefix, size);
        is_asked = is_asked || text;
    }
    return is_asked;
}

int problem_make_in(const struct operator_def *op, const char *dtype, const char *fields, struct problem *ret,
                    struct err *err) {
    char all[PROBLEM_NAME_BYTES];
    if (!op->has_fixed_types) {
        snprintf(all, sizeof all, "%s%s%s", dtype, *fields ? "/" : "", fields);
        return problem_make(op, all, ret, err);
    }
    if (dtype)
        return err_set(err, ERR_USAGE,
                       "operator '%s' declares the types of its tensors: there is no other problem of it in "
                       "'%.40s'",
                       op->name, dtype);
    return problem_make(op, fields, ret, err);
}

const char *problem_fields(const struct problem *problem) {
    const char *fields = strchr(problem->name, '/') + 1, *rest = strchr(fields, '/');
    if (problem->op->has_fixed_types) return fields;
    return rest ? rest + 1 : "";
}

const char *problem_dtype_field(const struct problem *problem) {
    return problem->op->has_fixed_types ? NULL : problem_dtype_name(problem);
}

int problem_retype(const struct problem *problem, const char *dtype, struct problem *ret, struct err *err) {
    return problem_make_in(problem->op, dtype, problem_fields(problem), ret, err);
}

void problem_rename(struct problem *problem) {
    struct strbuf name = {0};
    strbuf_addf(&name, "%s/", problem->op->name);
    problem->op->format(problem, &name);
    if (name.length >= sizeof problem->name) BUG("problem name '%s' is too long", strbuf_text(&name));
    memset(problem->name, 0, sizeof problem->name);
    memcpy(problem->name, name.text, name.length);
    strbuf_fini(&name);
}

int problem_simplify(const struct problem *problem, size_t index, struct problem *ret) {
    const struct operator_def *op = problem->op;
    for (size_t step = 0; op->drop_option; ++step) {
        struct problem next = *problem;
        if (!op->drop_option(&next, step)) return 0;
        problem_rename(&next);
        if (str_equal(next.name, problem->name)) continue;
        if (problem_make(op, strchr(next.name, '/') + 1, ret, NULL) == 0 && index-- == 0) return 1;
    }
    return 0;
}

// ---- descriptions ----

// Every outer stride of a described tensor is a multiple of the distance between rows, which is the smallest
// of them, or 0: the tensor repeats along that axis. 0: there is no such distance.
static int64_t row_distance(const struct assay_tensor *tensor) {
    int64_t row = 0;
    for (int32_t d = 0; d < tensor->dim_count - 1 && !tensor_is_statistic(tensor); ++d)
        if (tensor->stride[d] && (!row || tensor->stride[d] < row)) row = tensor->stride[d];
    return row;
}

static void set_row_distance(struct assay_tensor *tensor, int64_t distance) {
    const int64_t row = row_distance(tensor);
    for (int32_t d = 0; d < tensor->dim_count - 1 && row; ++d)
        tensor->stride[d] = tensor->stride[d] / row * distance;
}

#define FAR_ELEMENTS (UINT64_C(1) << 31)

static uint64_t divide_up(uint64_t value, uint64_t by) {
    return (value + by - 1) / by;
}

static uint64_t row_bytes_of(const struct assay_tensor *tensor) {
    return (uint64_t)row_distance(tensor) * dtype_bytes(tensor->dtype);
}

// Of a tensor without rows that lie apart from each other: 0.
static uint64_t row_count_of(const struct assay_tensor *tensor) {
    const uint64_t row_bytes = row_bytes_of(tensor);
    return row_bytes ? divide_up(tensor_span_bytes(tensor), row_bytes) : 0;
}

static bool is_too_large_for_far(const struct assay_tensor *tensor) {
    const uint64_t count = row_count_of(tensor);
    return count > FAR_ROWS_MAX || (count && tensor_span_bytes(tensor) > FAR_BYTES_MAX);
}

struct far_rows tensor_far_rows(const struct assay_tensor *tensor) {
    const uint64_t bytes = dtype_bytes(tensor->dtype), count = row_count_of(tensor);
    if (count < 2 || is_too_large_for_far(tensor)) return (struct far_rows){0};
    const uint64_t far_bytes = divide_up(FAR_ELEMENTS, count - 1) * bytes;
    const uint64_t whole_bytes = tensor_span_bytes(tensor) + FAR_GUARD_BYTES;
    const uint64_t least_bytes = far_bytes > whole_bytes ? far_bytes : whole_bytes;
    return (struct far_rows){count, row_bytes_of(tensor),
                             divide_up(least_bytes, FAR_STEP_BYTES) * FAR_STEP_BYTES};
}

bool problem_can_be_far(const struct problem *problem) {
    struct problem_abi abi;
    problem_describe(problem, MEMORY_LAYOUT_DENSE, &abi);
    for (uint32_t i = 0; i < abi.tensor_count; ++i)
        if (is_too_large_for_far(&abi.tensors[i])) return false;
    return true;
}

static void place_rows_far(struct assay_tensor *tensor) {
    const struct far_rows far = tensor_far_rows(tensor);
    if (!far.count) return;
    set_row_distance(tensor, (int64_t)((far.step_bytes + far.row_bytes) / dtype_bytes(tensor->dtype)));
}

static void place_rows(struct assay_tensor *tensor, enum memory_layout memory_layout) {
    const int64_t row = row_distance(tensor);
    if (!row) return;
    if (memory_layout == MEMORY_LAYOUT_PADDED)
        set_row_distance(tensor, row + PADDED_ROW_BYTES / (int64_t)dtype_bytes(tensor->dtype));
    if (memory_layout == MEMORY_LAYOUT_PACKED) set_row_distance(tensor, tensor->shape[tensor->dim_count - 1]);
    if (memory_layout == MEMORY_LAYOUT_FAR) place_rows_far(tensor);
}

void problem_describe(const struct problem *problem, enum memory_layout memory_layout,
                      struct problem_abi *ret) {
    memset(ret, 0, sizeof *ret);
    problem->op->describe(problem, ret);
    for (uint32_t i = 1; i < ret->tensor_count; ++i) // input_count and output k rely on it
        if (ret->tensors[i - 1].access != ASSAY_IN && ret->tensors[i].access == ASSAY_IN)
            BUG("operator '%s' describes an output before an input", problem->op->name);
    for (uint32_t i = 0; i < ret->tensor_count; ++i)
        if (!ret->tensors[i].name || strlen(ret->tensors[i].name) >= TENSOR_NAME_BYTES)
            BUG("operator '%s' has a tensor without a name, or with a long one", problem->op->name);
    for (uint32_t i = 0; i < ret->tensor_count; ++i) place_rows(&ret->tensors[i], memory_layout);
    ret->problem.struct_size = sizeof ret->problem;
    ret->problem.op = problem->op->name;
    ret->problem.name = problem->name;
    ret->problem.scalars = ret->problem.axes = ret->scalars;
    ret->problem.tensors = (struct assay_tensors){.struct_size = sizeof(struct assay_tensors),
                                                  .tensor_count = ret->tensor_count,
                                                  .tensor_bytes = sizeof(struct assay_tensor),
                                                  .items = ret->tensors};
}

bool problem_has_gaps(const struct problem *problem) {
    struct problem_abi abi;
    problem_describe(problem, MEMORY_LAYOUT_DENSE, &abi);
    for (uint32_t i = 0; i < abi.tensor_count; ++i) {
        const struct assay_tensor *tensor = &abi.tensors[i];
        const int64_t row = row_distance(tensor);
        if (row && row != tensor->shape[tensor->dim_count - 1]) return true;
    }
    return false;
}

double problem_flops(const struct problem *problem) {
    return problem->op ? problem->op->flops(problem) : NAN;
}

double problem_bytes(const struct problem *problem) {
    return problem->op ? problem->op->compulsory_bytes(problem) : NAN;
}

const char *problem_dtype_name(const struct problem *problem) {
    struct problem_abi abi;
    if (!problem->op) return NULL;
    problem_describe(problem, MEMORY_LAYOUT_DENSE, &abi);
    return dtype_name(abi.tensors[0].dtype);
}

struct op_tolerance problem_tolerance(const struct problem *problem, const char *distribution,
                                      const struct assay_tensor *output, uint32_t tensor_index) {
    if (!dtype_is_exact(output->dtype)) return problem->op->tolerance(problem, distribution, tensor_index);
    return (struct op_tolerance){.min_pass_fraction = 1, .rel_l2_max = INFINITY};
}

// ---- the boundary matrix ----

void op_cases_add(struct op_cases *cases, const struct op_case *item) {
    if ((cases->count & (cases->count - 1)) == 0) { // grows by doubling: there are tens
        struct op_case *grown = arena_array(cases->arena, cases->count ? cases->count * 2 : 1, sizeof *grown);
        if (cases->count) memcpy(grown, cases->items, cases->count * sizeof *grown);
        cases->items = grown;
    }
    cases->items[cases->count++] = *item;
}

static void add_row(const struct operator_def *op, const struct op_boundary *row, const char *dtype,
                    struct op_cases *ret) {
    struct op_case one = {.memory_layout = row->memory_layout, .is_declared_only = row->is_declared_only};
    snprintf(one.distribution, sizeof one.distribution, "%s", row->distribution);
    struct comma_item item;
    for (const char *at = row->fields; comma_next(&at, &item);) {
        const char *const end = item.text + item.length;
        for (const char *from = item.text, *to; from < end; from = to + 1) {
            char fields[PROBLEM_NAME_BYTES];
            to = memchr(from, '|', (size_t)(end - from));
            if (!to) to = end;
            snprintf(fields, sizeof fields, "%.*s", (int)(to - from), from);
            one.is_alternative = from > item.text;
            if (problem_make_in(op, dtype, fields, &one.problem, NULL) == 0 &&
                problem_check_distribution(&one.problem, row->distribution, NULL) == 0)
                op_cases_add(ret, &one);
        }
    }
}

struct op_cases problem_boundary(const struct operator_def *op, const char *dtype, struct arena *arena) {
    struct op_cases ret = {.arena = arena};
    for (const struct op_boundary *row = op->boundary; row && row->fields; ++row)
        add_row(op, row, dtype, &ret);
    if (op->add_cases && !dtype) op->add_cases(op, &ret);
    return ret;
}

// ---- inputs ----

#define FAMILIES_SHOWN 64 // that a misspelt one is compared with

int problem_check_distribution(const struct problem *problem, const char *distribution, struct err *err) {
    if (str_equal(distribution, OP_DISTRIBUTION_DEFAULT)) return 0;
    const struct operator_def *op = problem->op;
    struct strbuf known = {0};
    comma_add(&known, OP_DISTRIBUTION_DEFAULT);
    const char *names[FAMILIES_SHOWN] = {OP_DISTRIBUTION_DEFAULT};
    size_t count = 1;
    bool is_known = false;
    for (size_t i = 0; op->distributions && op->distributions[i]; ++i) {
        if (str_equal(op->distributions[i], distribution)) is_known = true;
        if (count < FAMILIES_SHOWN) names[count++] = op->distributions[i];
        comma_add(&known, op->distributions[i]);
    }
    int code = 0;
    const char *nearest = is_known ? NULL : str_nearest(distribution, names, count);
    if (!is_known)
        code = err_set(err, ERR_USAGE, "unknown input distribution '%s'%s%s%s %s has: %s", distribution,
                       nearest ? ", did you mean '" : "", str_or(nearest, ""), nearest ? "'?" : ";", op->name,
                       strbuf_text(&known));
    else if (op->distribution_applies && !op->distribution_applies(problem, distribution))
        code = err_set(err, ERR_USAGE,
                       "problem '%s': the input distribution '%s' does not apply to it; try '%s'",
                       problem->name, distribution, OP_DISTRIBUTION_DEFAULT);
    strbuf_fini(&known);
    return code;
}

bool problem_is_measured_with(const struct problem *problem, const char *distribution) {
    const char *const *known = problem->op ? problem->op->measured_distributions : NULL;
    if (str_equal(distribution, OP_DISTRIBUTION_DEFAULT)) return true;
    for (size_t i = 0; known && known[i]; ++i)
        if (str_equal(known[i], distribution))
            return problem_check_distribution(problem, distribution, NULL) == 0;
    return false;
}

const char *problem_key(const struct problem *problem, const char *distribution,
                        char buffer[PROBLEM_KEY_BYTES]) {
    if (!distribution || str_equal(distribution, OP_DISTRIBUTION_DEFAULT)) return problem->name;
    snprintf(buffer, PROBLEM_KEY_BYTES, "%s %.30s", problem->name, distribution);
    return buffer;
}

int problem_key_check(const struct operator_set *set, const char *key, struct err *err) {
    struct problem problem;
    const char *space = strchr(key, ' ');
    char *name = mem_format("%.*s", (int)strcspn(key, " "), key);
    int code = problem_name_check(name, err);
    if (code == 0 && operator_of_problem(set, name)) {
        code = problem_parse(set, name, &problem, err);
        if (code == 0 && space) code = problem_check_distribution(&problem, space + 1, err);
    } else if (code == 0 && space && (!space[1] || strchr(space + 1, ' '))) {
        code = err_set(err, ERR_USAGE, "'%s': behind a problem's name stands one input distribution",
                       str_shown(key).text);
    }
    free(name);
    return code;
}
