// SPDX-License-Identifier: Apache-2.0
//
// Attention forward by the kernel that is fastest for a problem on Hopper: fa_sm80 (form 1) or fa_sm90 (form
// 2, which chooses its tile configuration by fa_sm90_dispatch.h). The choice is attention/fa_dispatch.h's,
// which `assay tune --kernel fa --strategy exhaustive --suite ci --emit kernels/attention/fa_dispatch.h`
// writes; without that file, and where a form refuses a problem, the newest form that takes it.
// Tried and lost: fa_sm80 is slower on every problem of suite ci on an H200 (1.14x to 2.49x), so the table
// recorded there leaves the choice open (form 0), to the newest form, for all of them.
#include <assay/kernel.h>

#include "attention/fa_choice.h"

// The forms ask for different alignments of dynamic shared memory; fa_sm90 aligns its part itself.
#pragma nv_diag_suppress 1886

// Each form's module, under a name of its own.
#undef ASSAY_MODULE_SYMBOL
#define ASSAY_MODULE_SYMBOL fa_sm80_module
#include "attention/fa_sm80.cu"
#undef ASSAY_MODULE_SYMBOL
#define ASSAY_MODULE_SYMBOL fa_sm90_module
#include "attention/fa_sm90.cu"
#undef ASSAY_MODULE_SYMBOL
#define ASSAY_MODULE_SYMBOL assay_module

#if __has_include("attention/fa_dispatch.h")
#include "attention/fa_dispatch.h"
#define FA_TABLE fa_choose
#else
#define FA_TABLE nullptr
#endif

#ifndef FORM
#define FORM 0
#endif

static struct fa_forms fa_forms_all(void) {
    return {{fa_sm80_module()->kernels, fa_sm90_module()->kernels}, 2, FA_TABLE, FORM};
}

static int fa_supports(const struct assay_problem *problem, struct assay_message *message) {
    const struct fa_forms forms = fa_forms_all();
    return fa_supports_any(&forms, problem, message);
}

static int fa_prepare(const struct assay_problem *problem, const struct assay_env *env, void **state,
                      size_t *workspace_bytes, struct assay_message *message) {
    const struct fa_forms forms = fa_forms_all();
    struct fa_choice *self = (struct fa_choice *)calloc(1, sizeof *self);
    if (!self) return assay_say(message, ASSAY_FAILED, "out of memory");
    const int status = fa_prepare_first(&forms, problem, env, self, workspace_bytes, message);
    if (status == ASSAY_OK)
        *state = self;
    else
        free(self);
    return status;
}

static int fa_launch(void *state, const struct assay_tensors *tensors, void *workspace, void *stream,
                     struct assay_message *message) {
    const struct fa_choice *self = (const struct fa_choice *)state;
    return self->kernel->launch(self->state, tensors, workspace, stream, message);
}

static void fa_release(void *state) {
    struct fa_choice *self = (struct fa_choice *)state;
    self->kernel->release(self->state);
    free(self);
}

static const int64_t fa_form_values[] = {0, 1, 2};
static const struct assay_param fa_params[] = {
    {"FORM", "1: fa_sm80, 2: fa_sm90; 0: chosen by the problem", FORM, fa_form_values, 3, 0},
};

// In the order of struct assay_kernel: C++17 has no designated initialisers.
static const struct assay_kernel fa_kernels[] = {{
    sizeof(struct assay_kernel),                                   // struct_size
    ASSAY_ABI_VERSION,                                             // abi_version
    "fa",                                                          // name
    "attention",                                                   // op
    "cuda",                                                        // backend
    fa_supports,                                                   // supports
    fa_launch,                                                     // launch
    fa_prepare,                                                    // prepare
    fa_release,                                                    // release
    fa_params,                                                     // params
    sizeof fa_params / sizeof fa_params[0],                        // param_count
    sizeof(struct assay_param),                                    // param_bytes
    nullptr,                                                       // check_config
    "fa_sm90 or fa_sm80, by a recorded table; fp16, bf16, Hopper", // summary
}};

ASSAY_MODULE(fa_kernels)
