// SPDX-License-Identifier: Apache-2.0
//
// Wrong results of a declared operator: each input ignored. The reference computes them, with other values in
// that input's place. Where the comparison lets such a result pass on all problems, nothing that is checked
// depends on the input.
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "op/declared/declared_internal.h"
#include "op/declared/made_inputs.h"
#include "op/dtype.h"
#include "op/mutant.h"
#include "op/seed_stream.h"

// One mutant for each tensor, also for those that are only written, then one for each scalar.
static size_t number_of(const struct operator_def *op, const struct mutant *mutant) {
    return (size_t)(mutant - op->mutants);
}

// Whether it may hold other numbers: not integers that a Python file makes, always the same.
static bool has_others(const struct mutant_case *at, size_t i) {
    const struct tensor_spec *spec = &declared_operator_of(at->problem->op)->specs[i];
    if (spec->family != FILL_MADE || spec->dtype == ASSAY_BOOL || !dtype_is_integer(spec->dtype)) return true;
    return made_inputs_find(at->problem)->set_count > 1;
}

static bool is_read(const struct mutant_case *at) {
    const size_t i = number_of(at->problem->op, at->mutant);
    return at->tensors[i].access != ASSAY_OUT &&
           !declared_operator_of(at->problem->op)->specs[i].is_ignored && has_others(at, i);
}

// ---- tensors ----

static void put_rows(const struct assay_tensor *tensor, bool is_reversed) {
    const size_t row = (size_t)tensor_row_length(tensor);
    const uint64_t count = tensor_element_count(tensor);
    double *values = mem_alloc(row * sizeof *values);
    for (uint64_t first = 0; first < count; first += row) {
        for (size_t i = 0; i < row; ++i) values[i] = is_reversed ? (double)(count - 1 - first - i) : 1;
        dtype_store_row(tensor->dtype, tensor_element_at(tensor, first), row, values);
    }
    free(values);
}

// Ones; integers, which may have to stay valid indices: others of the same family.
static int put_others(const struct mutant_case *at, uint32_t i, const struct assay_tensor *tensor,
                      struct err *err) {
    const enum fill_family family = declared_operator_of(at->problem->op)->specs[i].family;
    const bool is_fixed = family == FILL_MADE && made_inputs_find(at->problem)->set_count == 1;
    if (dtype_is_integer(tensor->dtype) && family != FILL_RANGE && !is_fixed)
        return at->problem->op->fill(at->problem, at->distribution, seed_child(at->seed, "ignored", 0), i,
                                     tensor, err);
    put_rows(tensor, family == FILL_RANGE && dtype_is_integer(tensor->dtype));
    return 0;
}

static int ignore_tensor(const struct mutant_case *at, double *const *outputs, struct err *err) {
    const uint32_t i = (uint32_t)number_of(at->problem->op, at->mutant);
    struct assay_tensor tensors[OP_TENSORS_MAX];
    memcpy(tensors, at->tensors, (at->input_count + at->output_count) * sizeof *tensors);
    void *memory = tensors[i].data = mem_try_array((size_t)tensor_span_bytes(&tensors[i]), 1);
    if (!memory)
        return err_set(err, ERR_UNAVAILABLE, "no memory for another '%s' of %s", tensors[i].name,
                       at->problem->name);
    int code = put_others(at, i, &tensors[i], err);
    if (code == 0) code = at->oracle(at, at->problem, tensors, outputs, err);
    free(memory);
    return code;
}

// ---- scalars ----

static int change_scalar(const struct mutant_case *at, double *const *outputs, struct err *err) {
    struct problem changed = *at->problem;
    struct declared_params params = *declared_params_of(&changed);
    const struct declared *declared = declared_operator_of(changed.op)->declared;
    const size_t number = number_of(changed.op, at->mutant) - declared->tensor_count;
    double *value = &params.scalars[number];
    *value = declared->scalars[number].is_bool ? 1 - *value : *value != 0 ? 2 * *value : 1;
    memcpy(changed.params, &params, sizeof params);
    problem_rename(&changed);
    return at->oracle(at, &changed, at->tensors, outputs, err);
}

// ---- the list ----

void declared_add_mutants(struct arena *arena, struct declared_operator *op) {
    const struct declared *declared = op->declared;
    struct mutant *list =
        arena_array(arena, declared->tensor_count + declared->scalar_count + 1, sizeof *list);
    struct mutant *next = list;
    for (size_t i = 0; i < declared->tensor_count; ++i)
        *next++ = (struct mutant){
            .name = arena_format(arena, "%s_ignored", declared->tensors[i].name),
            .summary = arena_format(arena, "other values in place of '%s'", declared->tensors[i].name),
            .applies = is_read,
            .make = ignore_tensor};
    for (size_t i = 0; i < declared->scalar_count; ++i)
        *next++ = (struct mutant){
            .name = arena_format(arena, "%s_ignored", declared->scalars[i].name),
            .summary = arena_format(arena, "'%s' %s", declared->scalars[i].name,
                                    declared->scalars[i].is_bool ? "the other one" : "doubled"),
            .make = change_scalar};
    op->def.mutants = list;
}

const char *declared_ignored_input(const struct operator_def *op, const struct mutant *mutant) {
    if (mutant->make != ignore_tensor && mutant->make != change_scalar) return NULL;
    const struct declared *declared = declared_operator_of(op)->declared;
    const size_t number = number_of(op, mutant), tensor_count = declared->tensor_count;
    return number < tensor_count ? declared->tensors[number].name
                                 : declared->scalars[number - tensor_count].name;
}
