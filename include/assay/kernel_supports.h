/* SPDX-License-Identifier: Apache-2.0
 *
 * For hosts of kernels: whether a kernel takes a problem, by what it says that it can do (of struct
 * assay_kernel dtypes, layouts, causal, lacks, head_dims, features) and by its supports. A kernel's author
 * needs kernel.h alone. */
#ifndef ASSAY_KERNEL_SUPPORTS_H
#define ASSAY_KERNEL_SUPPORTS_H

#include <assay/kernel.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Whether the first word of `word` is among the words of list. */
static inline int assay_has_word_(const char *list, const char *word) {
    while (list && *list) {
        const char *a = list, *b = word;
        while (*a && *a != ' ' && *a == *b) ++a, ++b;
        if ((!*a || *a == ' ') && (!*b || *b == ' ')) return 1;
        while (*list && *list != ' ') ++list;
        while (*list == ' ') ++list;
    }
    return 0;
}

static inline int assay_is_packed_(const struct assay_tensor *tensor, int is_exchanged) {
    int64_t expected = 1;
    for (int32_t i = tensor->dim_count; i-- > 0;) {
        const int32_t axis = is_exchanged && (i == 1 || i == 2) ? 3 - i : i;
        if (tensor->shape[axis] != 1 && tensor->stride[axis] != expected) return 0;
        expected *= tensor->shape[axis];
    }
    return 1;
}

static inline int assay_has_gaps_(const struct assay_tensor *tensor) {
    int64_t row = 0;
    for (int32_t i = 0; i + 1 < tensor->dim_count; ++i)
        if (tensor->stride[i] && (!row || tensor->stride[i] < row)) row = tensor->stride[i];
    return row > tensor->shape[tensor->dim_count - 1];
}

/* Whether the kernel takes the tensor as it lies. ASSAY_LAYOUT_QKV_PACKED is dense for "qkv" and BSHD for the
 * output. */
static inline int assay_has_layout_(uint32_t layouts, const struct assay_tensor *tensor, int is_qkv_packed) {
    const int is_dense = assay_is_packed_(tensor, 0),
              is_bshd = tensor->dim_count == 4 && assay_is_packed_(tensor, 1);
    if ((layouts & ASSAY_LAYOUT_QKV_PACKED) && is_qkv_packed &&
        (assay_name_is(tensor->name, "qkv") ? is_dense : is_bshd))
        return 1;
    return !layouts || (layouts & ASSAY_LAYOUT_STRIDED) || ((layouts & ASSAY_LAYOUT_DENSE) && is_dense) ||
           ((layouts & ASSAY_LAYOUT_BSHD) && is_bshd);
}

/* ".dtypes: q is fp16, and the kernel takes fp32 bf16" */
static inline int assay_say_dtype_(const struct assay_kernel *kernel, const struct assay_tensor *tensor,
                                   struct assay_message *message) {
    assay_say(message, ASSAY_UNSUPPORTED, ".dtypes: ");
    assay_say_more(message, tensor->name);
    assay_say_more(message, " is ");
    assay_say_more(message, assay_dtype_name(tensor->dtype));
    assay_say_more(message, ", and the kernel takes");
    for (int32_t dtype = ASSAY_FP32; dtype < ASSAY_DTYPE_END; ++dtype) {
        if (!(kernel->dtypes & ASSAY_BIT(dtype))) continue;
        assay_say_more(message, " ");
        assay_say_more(message, assay_dtype_name(dtype));
    }
    return ASSAY_UNSUPPORTED;
}

static inline int assay_tensors_supported_(const struct assay_kernel *kernel,
                                           const struct assay_problem *problem,
                                           struct assay_message *message) {
    const int is_qkv_packed = assay_tensor_named(&problem->tensors, "qkv") != NULL;
    for (uint32_t i = 0; i < problem->tensors.tensor_count; ++i) {
        const struct assay_tensor *tensor = assay_tensor_at(&problem->tensors, i);
        /* a tensor that is a feature has its own type and strides: who names it knows them */
        if ((tensor->flags & ASSAY_STATISTIC) || assay_has_word_(problem->features, tensor->name)) continue;
        if (kernel->dtypes && !(kernel->dtypes & ASSAY_BIT(tensor->dtype)))
            return assay_say_dtype_(kernel, tensor, message);
        if (assay_has_layout_(kernel->layouts, tensor, is_qkv_packed)) continue;
        assay_say(message, ASSAY_UNSUPPORTED, ".layouts: the kernel does not take the memory layout of ");
        assay_say_more(message, tensor->name);
        if (assay_has_gaps_(tensor)) assay_say_more(message, ", whose rows have gaps");
        return ASSAY_UNSUPPORTED;
    }
    return ASSAY_OK;
}

static inline int assay_attention_supported_(const struct assay_kernel *kernel,
                                             const struct assay_problem *problem,
                                             struct assay_message *message) {
    const double dim = assay_problem_get(problem, "head_dim"), scale = assay_problem_get(problem, "scale");
    const int is_square = assay_problem_get(problem, "seq_q") == assay_problem_get(problem, "seq_k");
    uint32_t mask = ASSAY_BIT((int)assay_problem_get(problem, "causal"));
    const int64_t *known = kernel->head_dims;
    if (mask != ASSAY_MASK_NONE && is_square) mask = ASSAY_MASK_TOP_LEFT | ASSAY_MASK_BOTTOM_RIGHT;
    if (kernel->causal && !(kernel->causal & mask))
        return assay_say(message, ASSAY_UNSUPPORTED, ".causal: the kernel does not take the problem's mask");
    while (known && *known && (double)*known != dim) ++known;
    if (known && !*known)
        return assay_say(message, ASSAY_UNSUPPORTED,
                         ".head_dims: the kernel does not take the problem's head_dim");
    if ((kernel->lacks & ASSAY_LACKS_TWO_LENGTHS) && !is_square)
        return assay_say(message, ASSAY_UNSUPPORTED, ".lacks: the kernel takes only equal seq_q and seq_k");
    if ((kernel->lacks & ASSAY_LACKS_GROUPED_HEADS) &&
        assay_problem_get(problem, "heads") != assay_problem_get(problem, "heads_kv"))
        return assay_say(message, ASSAY_UNSUPPORTED,
                         ".lacks: the kernel takes only equal heads and heads_kv");
    if ((kernel->lacks & ASSAY_LACKS_SCALE) &&
        (scale * scale * dim < 0.999999 || scale * scale * dim > 1.000001))
        return assay_say(message, ASSAY_UNSUPPORTED,
                         ".lacks: the kernel takes only a scale of 1 / sqrt(head_dim)");
    if ((kernel->lacks & ASSAY_LACKS_LSE) && assay_tensor_find(&problem->tensors, ASSAY_LSE))
        return assay_say(message, ASSAY_UNSUPPORTED, ".lacks: the kernel writes no log-sum-exp");
    return ASSAY_OK;
}

/* What the kernel says that it can do, then its supports. Both structs are of this header's size. */
static inline int assay_kernel_supports(const struct assay_kernel *kernel,
                                        const struct assay_problem *problem, struct assay_message *message) {
    const char *word = problem->features;
    while (word && *word) {
        if (!assay_has_word_(kernel->features, word) && !assay_has_word_(kernel->features, "*")) {
            assay_say(message, ASSAY_UNSUPPORTED, ".features: the kernel does not know all of ");
            assay_say_more(message, problem->features);
            return ASSAY_UNSUPPORTED;
        }
        while (*word && *word != ' ') ++word;
        while (*word == ' ') ++word;
    }
    const int status = assay_tensors_supported_(kernel, problem, message);
    if (status != ASSAY_OK) return status;
    if (assay_name_is(problem->op, "attention") &&
        assay_attention_supported_(kernel, problem, message) != ASSAY_OK)
        return ASSAY_UNSUPPORTED;
    return kernel->supports ? kernel->supports(problem, message) : ASSAY_OK;
}

#ifdef __cplusplus
}
#endif
#endif
