// SPDX-License-Identifier: Apache-2.0
//
// Asking a dispatch table that `assay tune --emit` wrote: a problem by the name of its kind and the numbers
// of its axes, and the settings that the table answers with. Nothing here needs a device.
#ifndef ATTENTION_ATTENTION_TABLE_H
#define ATTENTION_ATTENTION_TABLE_H

#include <assay/kernel.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attention/attention_args.h"

#define ATTENTION_AXES_MAX 8

// The choice of an emitted header. *is_measured: whether the problem itself was measured.
typedef const char *(*attention_table_fn)(const char *kind, const long long *axes, int *is_measured);

// A problem as a dispatch table names it: "attention/fp16/b*/h*/s*/d*/causal" and the numbers of its axes.
struct attention_shape {
    char kind[96];
    int axis_count;
    long long axes[ATTENTION_AXES_MAX];
};

static inline void attention_shape_text(struct attention_shape *shape, const char *text) {
    const size_t length = strlen(shape->kind);
    snprintf(shape->kind + length, sizeof shape->kind - length, "/%s", text);
}

static inline void attention_shape_axis(struct attention_shape *shape, const char *name, int64_t value) {
    const size_t length = strlen(shape->kind);
    snprintf(shape->kind + length, sizeof shape->kind - length, "/%s*", name);
    shape->axes[shape->axis_count++] = (long long)value;
}

static inline const char *attention_shape_dtype(int32_t dtype) {
    switch (dtype) {
    case ASSAY_FP16: return "fp16";
    case ASSAY_BF16: return "bf16";
    case ASSAY_FP8_E4M3: return "fp8_e4m3";
    default: return "other";
    }
}

// In the order of a problem's name (docs/operators.md). Scale, layout and log-sum-exp change no choice.
static inline struct attention_shape attention_shape_of(const struct attention_args *args) {
    struct attention_shape ret = {"attention", 0, {0}};
    attention_shape_text(&ret, attention_shape_dtype(args->q.dtype));
    attention_shape_axis(&ret, "b", args->batch);
    attention_shape_axis(&ret, "h", args->heads);
    if (args->heads_kv != args->heads) attention_shape_axis(&ret, "hkv", args->heads_kv);
    if (args->seq_q == args->seq_k) {
        attention_shape_axis(&ret, "s", args->seq_q);
    } else {
        attention_shape_axis(&ret, "sq", args->seq_q);
        attention_shape_axis(&ret, "sk", args->seq_k);
    }
    attention_shape_axis(&ret, "d", args->head_dim);
    if (args->mask == ATTENTION_MASK_TOP_LEFT) attention_shape_text(&ret, "causal");
    if (args->mask == ATTENTION_MASK_BOTTOM_RIGHT) attention_shape_text(&ret, "causal_br");
    return ret;
}

// The number of a setting: 2 for "FORM=" of "FORM=2,OTHER=1". 0 where the settings (may be NULL) lack it.
static inline int attention_setting(const char *settings, const char *name) {
    const size_t length = strlen(name);
    for (const char *at = settings; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        if (strncmp(at, name, length) == 0) return (int)strtol(at + length, NULL, 10);
    return 0;
}

#endif
