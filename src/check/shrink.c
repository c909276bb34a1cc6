// SPDX-License-Identifier: Apache-2.0
//
// Shrinking: greedy descent along the operator's suggestions.
#include "check/shrink.h"

#include "base/clock.h"
#include "base/mem.h"
#include "check/case_buffers.h"
#include "check/case_check.h"
#include "check/kernel_instance.h"
#include "check/reference.h"

#include <stdlib.h>

// What a check of its own finds on this problem; FINDING_NONE also when it cannot be run.
static enum finding find(const struct shrink_request *request, const struct problem *problem) {
    struct case_buffers *buffers = mem_alloc(sizeof *buffers);
    struct reference reference = {0};
    struct kernel_instance instance = {0};
    struct check_result *result = mem_alloc(sizeof *result);
    enum finding finding = FINDING_NONE;
    if (case_buffers_init(buffers, request->device, problem, request->placement, 0, NULL) < 0) goto out;
    if (case_buffers_fill(buffers, request->family, request->seed, NULL) < 0) goto out;
    if (reference_open(&reference, buffers, NULL, NULL) < 0) goto out;
    if (kernel_instance_open(request->device, request->kernel, &buffers->abi, &instance, result, NULL) < 0)
        goto out;
    if (result->outcome == OUTCOME_NONE) {
        struct check_request check = {.buffers = buffers,
                                      .reference = &reference,
                                      .instance = &instance,
                                      .repeat_count = request->repeat_count};
        if (case_check_run(&check, result, NULL) < 0) goto out;
    }
    if (result->outcome == OUTCOME_FAIL) finding = result->finding;
out:
    kernel_instance_close(&instance);
    reference_close(&reference);
    case_buffers_fini(buffers);
    free(buffers);
    free(result);
    return finding;
}

int shrink_run(const struct shrink_request *request, struct problem *ret) {
    const struct operator_def *op = request->problem->op;
    if (!op->shrink) return 0;
    struct problem best = *request->problem;
    uint32_t tries = 0;
    bool has_smaller = false;
    for (size_t index = 0; tries < request->try_max && clock_ns() < request->deadline_ns; ++index) {
        struct problem candidate;
        if (!op->shrink(&best, index, &candidate)) break;
        ++tries;
        if (find(request, &candidate) != request->finding) continue;
        best = candidate;
        has_smaller = true;
        index = (size_t)-1; // start again from the smaller problem
    }
    if (has_smaller) *ret = best;
    return has_smaller;
}
