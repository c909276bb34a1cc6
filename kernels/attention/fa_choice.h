// SPDX-License-Identifier: Apache-2.0
//
// Host logic of `fa`: which kernel it launches for a problem. A table that `assay tune --kernel fa --emit`
// wrote says it by ranges of problems ("FORM=2"); a problem in no range takes the nearest of its kind. Where
// a form refuses the problem or the device, the others are asked, the newest first. Nothing here needs a
// device.
#ifndef ATTENTION_FA_CHOICE_H
#define ATTENTION_FA_CHOICE_H

#include <assay/kernel.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attention/attention_args.h"

#define FA_AXES_MAX 8
#define FA_SETTING  "FORM="

// A problem as a dispatch table names it: "attention/fp16/b*/h*/s*/d*/causal" and the numbers of its axes.
struct fa_shape {
    char kind[96];
    int axis_count;
    long long axes[FA_AXES_MAX];
};

// What an emitted header has. NULL: there is no table.
typedef const char *(*fa_choose_fn)(const char *kind, const long long *axes, int *is_measured);

struct fa_forms {
    const struct assay_kernel *kernels[4]; // form 1 first
    int count;
    fa_choose_fn choose;
    int forced; // this form alone; 0: by the table
};

// The state of `fa`: that of the form that it chose.
struct fa_choice {
    const struct assay_kernel *kernel;
    void *state;
};

static inline void fa_shape_text(struct fa_shape *shape, const char *text) {
    const size_t length = strlen(shape->kind);
    snprintf(shape->kind + length, sizeof shape->kind - length, "/%s", text);
}

static inline void fa_shape_axis(struct fa_shape *shape, const char *name, int64_t value) {
    const size_t length = strlen(shape->kind);
    snprintf(shape->kind + length, sizeof shape->kind - length, "/%s*", name);
    shape->axes[shape->axis_count++] = (long long)value;
}

// In the order of a problem's name (docs/operators.md). Scale, layout and log-sum-exp change no choice.
static inline struct fa_shape fa_shape_of(const struct attention_args *args) {
    struct fa_shape ret = {"attention", 0, {0}};
    fa_shape_text(&ret, args->q.dtype == ASSAY_FP16   ? "fp16"
                        : args->q.dtype == ASSAY_BF16 ? "bf16"
                                                      : "other");
    fa_shape_axis(&ret, "b", args->batch);
    fa_shape_axis(&ret, "h", args->heads);
    if (args->heads_kv != args->heads) fa_shape_axis(&ret, "hkv", args->heads_kv);
    if (args->seq_q == args->seq_k) {
        fa_shape_axis(&ret, "s", args->seq_q);
    } else {
        fa_shape_axis(&ret, "sq", args->seq_q);
        fa_shape_axis(&ret, "sk", args->seq_k);
    }
    fa_shape_axis(&ret, "d", args->head_dim);
    if (args->mask == ATTENTION_MASK_TOP_LEFT) fa_shape_text(&ret, "causal");
    if (args->mask == ATTENTION_MASK_BOTTOM_RIGHT) fa_shape_text(&ret, "causal_br");
    return ret;
}

// The form that the table has for a problem, from 1; 0: none.
static inline int fa_form_of(const struct fa_forms *forms, const struct attention_args *args) {
    int is_measured = 0;
    if (!forms->choose) return 0;
    const struct fa_shape shape = fa_shape_of(args);
    const char *config = forms->choose(shape.kind, shape.axes, &is_measured);
    const char *setting = config ? strstr(config, FA_SETTING) : NULL;
    const long form = setting ? strtol(setting + strlen(FA_SETTING), NULL, 10) : 0;
    return form >= 1 && form <= forms->count ? (int)form : 0;
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
