// SPDX-License-Identifier: Apache-2.0
//
// See case_samples.h.
#include "worker/check/case_samples.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "op/declared/declared.h"
#include "op/seed_stream.h"
#include "worker/check/result_rules.h"
#include "worker/check/tensor_rows.h"

static int alloc(const struct case_buffers *buffers, char *ret[OP_TENSORS_MAX], struct err *err) {
    for (uint32_t k = 0; k < case_buffers_output_count(buffers); ++k) {
        const size_t bytes = (size_t)tensor_packed_bytes(case_buffers_host_output(buffers, k));
        ret[k] = mem_try_array(bytes, DECLARED_SAMPLES);
        if (!ret[k])
            return err_set(err, ERR_UNAVAILABLE, "no memory for %d launches of %s", DECLARED_SAMPLES,
                           buffers->problem.name);
    }
    return 0;
}

// Another seed, in the place of the case's own.
static int draw_seed(struct case_buffers *buffers, const char *name, uint32_t launch, struct err *err) {
    const struct problem *problem = &buffers->problem;
    const uint64_t seed = seed_child(buffers->seed, "samples", launch);
    for (uint32_t i = 0; i < buffers->input_count; ++i) {
        if (!str_equal(buffers->host[i].name, name)) continue;
        TRY(problem->op->fill(problem, buffers->distribution, seed, i, &buffers->host[i], err));
        TRY(buffers->device->backend->buffer_upload(buffers->device, &buffers->buffers[i], err));
    }
    return 0;
}

static int launch(const struct check_request *request, uint32_t number, char *const *drawn,
                  struct check_result *ret, struct err *err) {
    struct case_buffers *buffers = request->buffers;
    TRY(draw_seed(buffers, declared_of(buffers->problem.op)->reference.random, number, err));
    TRY(case_buffers_poison(buffers, POISON_OUTPUT, err));
    if (!kernel_instance_launch(request->instance, buffers, NULL, ret)) return CHECK_STEP_FAILED;
    if (request->on_progress) request->on_progress(request->arg);
    TRY(case_buffers_make_visible(buffers, false, err));
    if (buffers->device->backend->work) TRY(case_buffers_bring_outputs(buffers, err));
    for (uint32_t k = 0; k < case_buffers_output_count(buffers); ++k) {
        const struct assay_tensor *tensor = case_buffers_host_output(buffers, k);
        tensor_pack(tensor, drawn[k] + number * (size_t)tensor_packed_bytes(tensor));
    }
    return CHECK_STEP_PASSED;
}

static int draw(const struct check_request *request, char *const *drawn, struct check_result *ret,
                struct err *err) {
    struct case_buffers *buffers = request->buffers;
    const struct reference *reference = request->reference;
    char why[DECLARED_ANSWER_BYTES];
    int code = CHECK_STEP_PASSED;
    for (uint32_t i = 0; i < DECLARED_SAMPLES && code == CHECK_STEP_PASSED; ++i)
        code = launch(request, i, drawn, ret, err);
    TRY(code);
    TRY(case_buffers_fill(buffers, buffers->distribution, buffers->seed, err));
    if (code == CHECK_STEP_FAILED) return code;
    if (reference->on_host) reference = reference->on_host;
    for (uint32_t i = 0; i < buffers->tensor_count; ++i) TRY(case_buffers_bring_input(buffers, i, err));
    TRY(result_rules_ask(buffers, reference->outputs, drawn, why, err));
    if (!*why) return CHECK_STEP_PASSED;
    ret->outcome = OUTCOME_FAIL;
    ret->finding = FINDING_WRONG_VALUE;
    snprintf(ret->message, sizeof ret->message, "'accept' refuses the results of %d launches: %.220s",
             DECLARED_SAMPLES, why);
    return CHECK_STEP_FAILED;
}

int case_samples_check(const struct check_request *request, struct check_result *ret, struct err *err) {
    char *drawn[OP_TENSORS_MAX] = {NULL};
    if (!declared_is_sampler(request->buffers->problem.op)) return CHECK_STEP_PASSED;
    int code = alloc(request->buffers, drawn, err);
    if (code == 0) code = draw(request, drawn, ret, err);
    for (uint32_t k = 0; k < OP_TENSORS_MAX; ++k) free(drawn[k]);
    return code;
}
