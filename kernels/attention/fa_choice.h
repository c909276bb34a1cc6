// SPDX-License-Identifier: Apache-2.0
//
// Host logic of `fa`: which kernel it launches for a problem. A table that `assay tune --kernel fa --emit`
// wrote says it by ranges of problems ("FORM=2"); a problem in no range takes the nearest of its kind. Where
// a form refuses the problem or the device, the others are asked, the newest first. Nothing here needs a
// device.
#ifndef ATTENTION_FA_CHOICE_H
#define ATTENTION_FA_CHOICE_H

#include <assay/kernel.h>

#include "attention/attention_args.h"
#include "attention/attention_table.h"

struct fa_forms {
    const struct assay_kernel *kernels[4]; // form 1 first
    int count;
    attention_table_fn choose; // NULL: there is no table
    int forced;                // this form alone; 0: by the table
};

// The state of `fa`: that of the form that it chose.
struct fa_choice {
    const struct assay_kernel *kernel;
    void *state;
};

// The form that the table has for a problem, from 1; 0: none.
static inline int fa_form_of(const struct fa_forms *forms, const struct attention_args *args) {
    int is_measured = 0;
    if (!forms->choose) return 0;
    const struct attention_shape shape = attention_shape_of(args);
    const int form = attention_setting(forms->choose(shape.kind, shape.axes, &is_measured), "FORM=");
    return form >= 1 && form <= forms->count ? form : 0;
}

// The form that is asked in this turn: first the table's, then the newest that was not asked. 0: no more.
static inline int fa_form_at(const struct fa_forms *forms, int first, int turn) {
    if (forms->forced) return turn == 0 ? forms->forced : 0;
    if (first && turn == 0) return first;
    int form = forms->count - (first ? turn - 1 : turn);
    if (first && form <= first) --form; // those below it move up by one
    return form > 0 ? form : 0;
}

static inline int fa_supports_any(const struct fa_forms *forms, const struct assay_problem *problem,
                                  struct assay_message *message) {
    int status = ASSAY_UNSUPPORTED;
    for (int turn = 0, form; status != ASSAY_OK && (form = fa_form_at(forms, 0, turn)); ++turn)
        status = forms->kernels[form - 1]->supports(problem, message);
    return status;
}

// Prepares the first form that takes the problem on this device.
static inline int fa_prepare_first(const struct fa_forms *forms, const struct assay_problem *problem,
                                   const struct assay_env *env, struct fa_choice *ret,
                                   size_t *workspace_bytes, struct assay_message *message) {
    struct attention_args args;
    int status = attention_args_read(problem, &args, message);
    if (status != ASSAY_OK) return status;
    const int first = fa_form_of(forms, &args);
    status = ASSAY_UNSUPPORTED;
    for (int turn = 0, form; status == ASSAY_UNSUPPORTED && (form = fa_form_at(forms, first, turn)); ++turn) {
        ret->kernel = forms->kernels[form - 1];
        status = ret->kernel->supports(problem, message);
        if (status == ASSAY_OK)
            status = ret->kernel->prepare(problem, env, &ret->state, workspace_bytes, message);
    }
    return status;
}

#endif
