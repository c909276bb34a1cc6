// SPDX-License-Identifier: Apache-2.0
//
// Common part of the broken kernels: a small, slow and correct attention forward in fp32, row by row. Each
// .c file next to this one is wrong in one known way, and expected.txt says what assay must find.
#ifndef BROKEN_H
#define BROKEN_H

#include <assay/kernel.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BROKEN_DIM_MAX 512

// What prepare asks for, in bytes.
#ifndef BROKEN_WORKSPACE
#define BROKEN_WORKSPACE 0
#endif

// The compiler makes the same code of such a function whatever else its file holds: a kernel that differs
// from
// right.c only by a trick takes the same time.
#if defined(__GNUC__) && !defined(__clang__)
#define BROKEN_ALONE __attribute__((noipa, unused, aligned(64)))
#else
#define BROKEN_ALONE __attribute__((noinline, unused, aligned(64)))
#endif

// One problem, kept as the kernel's state.
struct broken {
    int64_t batch, heads, heads_kv, seq_q, seq_k, head_dim;
    int causal;
    float scale;
    int launches;                   // so far
    void *own;                      // the broken kernel's private memory
    void *workspace;                // BROKEN_WORKSPACE bytes
    struct assay_tensor q, k, v, o; // of the current launch
};

static int broken_supports(const struct assay_problem *problem, struct assay_message *message) {
    const struct assay_tensor *q = assay_tensor_find(&problem->tensors, ASSAY_Q);
    const struct assay_tensor *k = assay_tensor_find(&problem->tensors, ASSAY_K);
    if (!q || !k || q->dtype != ASSAY_FP32 || k->dtype != ASSAY_FP32 || q->shape[3] > BROKEN_DIM_MAX)
        return assay_say(message, ASSAY_UNSUPPORTED, "fp32 up to head_dim 512 only");
    if (assay_tensor_find(&problem->tensors, ASSAY_LSE))
        return assay_say(message, ASSAY_UNSUPPORTED, "no log-sum-exp");
    return ASSAY_OK;
}

static int broken_prepare(const struct assay_problem *problem, const struct assay_env *env, void **state,
                          size_t *workspace_bytes, struct assay_message *message) {
    (void)env;
    *workspace_bytes = BROKEN_WORKSPACE;
    struct broken *b = calloc(1, sizeof *b);
    if (!b) return assay_say(message, ASSAY_FAILED, "out of memory");
    const struct assay_scalar *s = problem->scalars;
    const uint32_t n = problem->scalar_count;
    b->batch = (int64_t)assay_scalar_get(s, n, "batch", 1);
    b->heads = (int64_t)assay_scalar_get(s, n, "heads", 1);
    b->heads_kv = (int64_t)assay_scalar_get(s, n, "heads_kv", 1);
    b->seq_q = (int64_t)assay_scalar_get(s, n, "seq_q", 1);
    b->seq_k = (int64_t)assay_scalar_get(s, n, "seq_k", 1);
    b->head_dim = (int64_t)assay_scalar_get(s, n, "head_dim", 1);
    b->causal = (int)assay_scalar_get(s, n, "causal", 0);
    b->scale = (float)assay_scalar_get(s, n, "scale", 1);
    *state = b;
    return ASSAY_OK;
}

static inline void broken_release(void *state) {
    free(((struct broken *)state)->own);
    free(state);
}

static void broken_begin(struct broken *b, const struct assay_tensors *tensors) {
    b->q = *assay_tensor_find(tensors, ASSAY_Q);
    b->k = *assay_tensor_find(tensors, ASSAY_K);
    b->v = *assay_tensor_find(tensors, ASSAY_V);
    b->o = *assay_tensor_find(tensors, ASSAY_O);
    ++b->launches;
}

static inline float *broken_at(const struct assay_tensor *t, int64_t batch, int64_t head, int64_t row) {
    return (float *)t->data + batch * t->stride[0] + head * t->stride[1] + row * t->stride[2];
}

static inline int64_t broken_visible(const struct broken *b, int64_t row) {
    int64_t n = b->seq_k;
    if (b->causal == 1) n = row + 1;
    if (b->causal == 2) n = row + 1 + b->seq_k - b->seq_q;
    return n < 0 ? 0 : n > b->seq_k ? b->seq_k : n;
}

struct broken_scores {
    int64_t visible; // of keys [0, visible)
    double cap;      // 0: they are not capped
};

static inline __attribute__((always_inline)) void broken_row_of(const struct broken *b, int64_t batch,
                                                                int64_t head, int64_t row,
                                                                struct broken_scores scores, float *out) {
    const int64_t head_kv = head / (b->heads / b->heads_kv);
    const float *q = broken_at(&b->q, batch, head, row);
    double sum[BROKEN_DIM_MAX] = {0}, weight = 0, max = -INFINITY;
    for (int pass = 0; pass < 2; ++pass)
        for (int64_t j = 0; j < scores.visible; ++j) {
            const float *k = broken_at(&b->k, batch, head_kv, j), *v = broken_at(&b->v, batch, head_kv, j);
            double score = 0;
            for (int64_t d = 0; d < b->head_dim; ++d) score += (double)q[d] * k[d];
            score *= b->scale;
            if (scores.cap > 0) score = scores.cap * tanh(score / scores.cap);
            if (pass == 0) {
                if (score > max) max = score;
                continue;
            }
            const double p = exp(score - max);
            weight += p;
            for (int64_t d = 0; d < b->head_dim; ++d) sum[d] += p * v[d];
        }
    for (int64_t d = 0; d < b->head_dim; ++d) out[d] = scores.visible ? (float)(sum[d] / weight) : 0;
}

// One output row from keys [0, visible).
static inline void broken_row(const struct broken *b, int64_t batch, int64_t head, int64_t row,
                              int64_t visible, float *out) {
    broken_row_of(b, batch, head, row, (struct broken_scores){visible, 0}, out);
}

static BROKEN_ALONE void broken_right(const struct broken *b) {
    for (int64_t batch = 0; batch < b->batch; ++batch)
        for (int64_t head = 0; head < b->heads; ++head)
            for (int64_t row = 0; row < b->seq_q; ++row)
                broken_row(b, batch, head, row, broken_visible(b, row), broken_at(&b->o, batch, head, row));
}

// The launch of a kernel that is wrong elsewhere.
static inline int broken_launch_right(struct broken *b, struct assay_message *message) {
    (void)message;
    broken_right(b);
    return ASSAY_OK;
}

// Address of the last output row.
static inline float *broken_last_row(const struct broken *b) {
    return broken_at(&b->o, b->batch - 1, b->heads - 1, b->seq_q - 1);
}

#ifndef BROKEN_PREPARE
#define BROKEN_PREPARE broken_prepare
#endif
#ifndef BROKEN_RELEASE
#define BROKEN_RELEASE broken_release
#endif
#ifndef BROKEN_SUPPORTS
#define BROKEN_SUPPORTS broken_supports
#endif
#ifndef BROKEN_FEATURES
#define BROKEN_FEATURES NULL // fields of a problem that it says it knows
#endif
#ifndef BROKEN_NAME
#define BROKEN_NAME "broken"
#endif

// Ends a file. body_function: the launch, called after broken_begin.
#define BROKEN_KERNEL(body_function)                                                                         \
    static int broken_launch(void *state, const struct assay_tensors *tensors, void *workspace,              \
                             void *stream, struct assay_message *message) {                                  \
        (void)stream;                                                                                        \
        struct broken *b = state;                                                                            \
        b->workspace = workspace;                                                                            \
        broken_begin(b, tensors);                                                                            \
        return body_function(b, message);                                                                    \
    }                                                                                                        \
    static const struct assay_kernel broken_kernels[] = {{.struct_size = sizeof(struct assay_kernel),        \
                                                          .abi_version = ASSAY_ABI_VERSION,                  \
                                                          .name = BROKEN_NAME,                               \
                                                          .op = "attention",                                 \
                                                          .backend = "cpu",                                  \
                                                          .supports = BROKEN_SUPPORTS,                       \
                                                          .launch = broken_launch,                           \
                                                          .prepare = BROKEN_PREPARE,                         \
                                                          .release = BROKEN_RELEASE,                         \
                                                          .features = BROKEN_FEATURES}};                     \
    ASSAY_MODULE(broken_kernels)

#endif
