// SPDX-License-Identifier: Apache-2.0
//
// See made_inputs.h.
#include "op/declared/made_inputs.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "base/str.h"
#include "op/declared/declared_internal.h"

#define ALIGNMENT 64

static struct made_inputs *open_problems; // the worker works on cases in one thread

void declared_maker(struct arena *arena, const struct operator_def *op, struct declared *ret) {
    const struct declared *from = declared_operator_of(op)->declared;
    struct declared_tensor *tensors = arena_array(arena, from->tensor_count + 1, sizeof *tensors);
    *ret = *from;
    ret->tensors = tensors;
    ret->tensor_count = 0;
    tensors[ret->tensor_count++] = (struct declared_tensor){DECLARED_SEED, "int64[1]", ASSAY_IN};
    for (size_t i = 0; i < from->tensor_count; ++i)
        if (declared_operator_of(op)->specs[i].family == FILL_MADE)
            tensors[ret->tensor_count++] = (struct declared_tensor){
                from->tensors[i].name, tensor_spec_bare(arena, from->tensors[i].spec), ASSAY_OUT};
}

bool made_inputs_describe(const struct problem *problem, struct made_inputs *ret) {
    struct problem_abi abi;
    *ret = (struct made_inputs){.problem = *problem, .is_all = true};
    const struct tensor_spec *specs = declared_operator_of(problem->op)->specs;
    problem_describe(problem, MEMORY_LAYOUT_DENSE, &abi);
    for (uint32_t i = 0; i < abi.tensor_count; ++i) {
        ret->is_all &= specs[i].family == FILL_MADE || abi.tensors[i].access == ASSAY_OUT;
        if (specs[i].family != FILL_MADE) continue;
        ret->offset[i] = ret->set_bytes;
        ret->set_bytes +=
            ((size_t)tensor_span_bytes(&abi.tensors[i]) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }
    if (!ret->set_bytes) return false;
    const uint64_t count = MADE_BYTES_MAX / ret->set_bytes;
    ret->set_count = count > MADE_SETS_MAX     ? MADE_SETS_MAX
                     : count < MADE_SETS_LEAST ? MADE_SETS_LEAST
                                               : (uint32_t)count;
    return true;
}

void made_inputs_add(struct made_inputs *made) {
    made->user_count = 1;
    made->next = open_problems;
    open_problems = made;
}

struct made_inputs *made_inputs_find(const struct problem *problem) {
    struct made_inputs *made = open_problems;
    while (made && (made->problem.op != problem->op || !str_equal(made->problem.name, problem->name)))
        made = made->next;
    return made;
}

void made_inputs_release(struct made_inputs *made) {
    if (!made || --made->user_count) return;
    struct made_inputs **at = &open_problems;
    while (*at != made) at = &(*at)->next;
    *at = made->next;
    if (made->map_bytes)
        (void)munmap(made->memory, made->map_bytes);
    else
        free(made->memory);
    free(made);
}

const char *made_inputs_tensor(const struct made_inputs *made, uint32_t set, uint32_t tensor_index) {
    return made->sets + set * made->set_bytes + made->offset[tensor_index];
}

uint32_t made_inputs_set(const struct made_inputs *made, uint64_t seed) {
    if (made->set_count == 1 || seed == made->seed) return 0;
    return 1 + (uint32_t)(seed % (made->set_count - 1));
}
