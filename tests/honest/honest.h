// SPDX-License-Identifier: Apache-2.0
//
// Common part of the honest kernels: a small, slow and right attention forward, row by row, for C and
// C++. Each file next to this one does the same in a style that may look like cheating and is none;
// honest.txt lists them.
#ifndef HONEST_H
#define HONEST_H

#include <assay/kernel.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define HONEST_DIM_MAX  256
#define HONEST_KEYS_MAX 4096

// One problem, kept as the kernel's state.
struct honest {
    int64_t batch, heads, heads_kv, seq_q, seq_k, head_dim;
    int causal;
    double scale;
    int64_t launches; // so far
    void *own;        // the kernel's private memory
    // of the current launch
    struct assay_tensor q, k, v, o;
    void *workspace;
    const struct assay_cpu_stream *stream;
    struct assay_message *message;
};

// Where an output row lies, and what it needs.
struct honest_place {
    int64_t batch, head, head_kv, row;
    int64_t visible; // keys
    const float *q;
    float *o;
};

static inline float *honest_at(const struct assay_tensor *t, int64_t batch, int64_t head, int64_t row) {
    return (float *)t->data + batch * t->stride[0] + head * t->stride[1] + row * t->stride[2];
}

static inline int64_t honest_rows(const struct honest *h) {
    return h->batch * h->heads * h->seq_q;
}

// index: below honest_rows().
static inline struct honest_place honest_place_of(const struct honest *h, int64_t index) {
    struct honest_place p;
    p.row = index % h->seq_q;
    p.head = index / h->seq_q % h->heads;
    p.batch = index / h->seq_q / h->heads;
    p.head_kv = p.head / (h->heads / h->heads_kv);
    p.visible = h->seq_k;
    if (h->causal == 1) p.visible = p.row + 1;
    if (h->causal == 2) p.visible = p.row + 1 + h->seq_k - h->seq_q;
    if (p.visible < 0) p.visible = 0;
    if (p.visible > h->seq_k) p.visible = h->seq_k;
    p.q = honest_at(&h->q, p.batch, p.head, p.row);
    p.o = honest_at(&h->o, p.batch, p.head, p.row);
    return p;
}

static inline const float *honest_key(const struct honest *h, const struct honest_place *p, int64_t j) {
    return honest_at(&h->k, p->batch, p->head_kv, j);
}

static inline const float *honest_value(const struct honest *h, const struct honest_place *p, int64_t j) {
    return honest_at(&h->v, p->batch, p->head_kv, j);
}

static inline double honest_score(const struct honest *h, const float *q, const float *k) {
    double sum = 0;
    for (int64_t d = 0; d < h->head_dim; ++d) sum += (double)q[d] * k[d];
    return sum * h->scale;
}

// Row `index`, written to out, with an exponential of the caller's (of arguments up to 0, or not finite).
static inline void honest_row_with(const struct honest *h, int64_t index, double (*exponential)(double),
                                   float *out) {
    const struct honest_place p = honest_place_of(h, index);
    double score[HONEST_KEYS_MAX], sum[HONEST_DIM_MAX] = {0}, weight = 0, max = -INFINITY;
    for (int64_t j = 0; j < p.visible; ++j) {
        score[j] = honest_score(h, p.q, honest_key(h, &p, j));
        if (score[j] > max) max = score[j];
    }
    for (int64_t j = 0; j < p.visible; ++j) {
        const float *v = honest_value(h, &p, j);
        const double e = exponential(score[j] - max);
        weight += e;
        for (int64_t d = 0; d < h->head_dim; ++d) sum[d] += e * v[d];
    }
    for (int64_t d = 0; d < h->head_dim; ++d) out[d] = p.visible ? (float)(sum[d] / weight) : 0;
}

static inline void honest_row_to(const struct honest *h, int64_t index, float *out) {
    honest_row_with(h, index, exp, out);
}

static inline void honest_row(const struct honest *h, int64_t index) {
    honest_row_to(h, index, honest_place_of(h, index).o);
}

// Rows first, first + step, first + 2 step ...
static inline void honest_rows_by(const struct honest *h, int64_t first, int64_t step) {
    for (int64_t i = first; i < honest_rows(h); i += step) honest_row(h, i);
}

static inline void honest_all(const struct honest *h) {
    honest_rows_by(h, 0, 1);
}

// The launch of a kernel whose style is elsewhere.
static inline int honest_launch_all(struct honest *h) {
    honest_all(h);
    return ASSAY_OK;
}

static inline void honest_all_with(const struct honest *h, double (*exponential)(double)) {
    for (int64_t i = 0; i < honest_rows(h); ++i) honest_row_with(h, i, exponential, honest_place_of(h, i).o);
}

static inline int honest_supports(const struct assay_problem *problem, struct assay_message *message) {
    const struct assay_tensor *q = assay_tensor_find(&problem->tensors, ASSAY_Q);
    const struct assay_tensor *k = assay_tensor_find(&problem->tensors, ASSAY_K);
    if (!q || !k || q->dtype != ASSAY_FP32 || k->dtype != ASSAY_FP32)
        return assay_say(message, ASSAY_UNSUPPORTED, "fp32 only");
    if (q->shape[3] > HONEST_DIM_MAX || k->shape[2] > HONEST_KEYS_MAX)
        return assay_say(message, ASSAY_UNSUPPORTED, "up to head_dim 256 and 4096 keys only");
    if (assay_tensor_find(&problem->tensors, ASSAY_LSE))
        return assay_say(message, ASSAY_UNSUPPORTED, "no log-sum-exp");
    return ASSAY_OK;
}

static inline struct honest *honest_new(const struct assay_problem *problem) {
    const struct assay_scalar *s = problem->scalars;
    const uint32_t n = problem->scalar_count;
    struct honest *h = (struct honest *)calloc(1, sizeof *h);
    if (!h) return NULL;
    h->batch = (int64_t)assay_scalar_get(s, n, "batch", 1);
    h->heads = (int64_t)assay_scalar_get(s, n, "heads", 1);
    h->heads_kv = (int64_t)assay_scalar_get(s, n, "heads_kv", 1);
    h->seq_q = (int64_t)assay_scalar_get(s, n, "seq_q", 1);
    h->seq_k = (int64_t)assay_scalar_get(s, n, "seq_k", 1);
    h->head_dim = (int64_t)assay_scalar_get(s, n, "head_dim", 1);
    h->causal = (int)assay_scalar_get(s, n, "causal", 0);
    h->scale = (float)assay_scalar_get(s, n, "scale", 1);
    return h;
}

static inline void honest_begin(struct honest *h, const struct assay_tensors *tensors, void *workspace,
                                void *stream, struct assay_message *message) {
    h->q = *assay_tensor_find(tensors, ASSAY_Q);
    h->k = *assay_tensor_find(tensors, ASSAY_K);
    h->v = *assay_tensor_find(tensors, ASSAY_V);
    h->o = *assay_tensor_find(tensors, ASSAY_O);
    h->workspace = workspace;
    h->stream = (const struct assay_cpu_stream *)stream;
    h->message = message;
    ++h->launches;
}

static inline int honest_failed(struct honest *h, const char *text) {
    return assay_say(h->message, ASSAY_FAILED, text);
}

static inline int honest_no_setup(struct honest *h, size_t *workspace_bytes) {
    (void)h, (void)workspace_bytes;
    return ASSAY_OK;
}

static inline void honest_no_cleanup(struct honest *h) {
    (void)h;
}

// The callbacks of the ABI, from three functions of the file: int launch(h), int setup(h, workspace_bytes),
// void cleanup(h). What own points to is freed here.
#define HONEST_CALLBACKS(launch_function, setup_function, cleanup_function)                                  \
    static int honest_launch(void *state, const struct assay_tensors *tensors, void *workspace,              \
                             void *stream, struct assay_message *message) {                                  \
        struct honest *h = (struct honest *)state;                                                           \
        honest_begin(h, tensors, workspace, stream, message);                                                \
        return launch_function(h);                                                                           \
    }                                                                                                        \
    static void honest_release(void *state) {                                                                \
        struct honest *h = (struct honest *)state;                                                           \
        cleanup_function(h);                                                                                 \
        free(h->own);                                                                                        \
        free(h);                                                                                             \
    }                                                                                                        \
    static int honest_prepare(const struct assay_problem *problem, const struct assay_env *env,              \
                              void **state, size_t *workspace_bytes, struct assay_message *message) {        \
        struct honest *h = honest_new(problem);                                                              \
        (void)env;                                                                                           \
        if (!h) return assay_say(message, ASSAY_FAILED, "out of memory");                                    \
        h->message = message;                                                                                \
        *state = h;                                                                                          \
        return setup_function(h, workspace_bytes);                                                           \
    }

#define HONEST_ENTRY(kernel_name)                                                                            \
    .struct_size = sizeof(struct assay_kernel), .abi_version = ASSAY_ABI_VERSION, .name = kernel_name,       \
    .op = "attention", .backend = "cpu", .supports = honest_supports, .launch = honest_launch,               \
    .prepare = honest_prepare, .release = honest_release

// Ends a file.
#define HONEST_KERNEL_WITH(launch_function, setup_function, cleanup_function)                                \
    HONEST_CALLBACKS(launch_function, setup_function, cleanup_function)                                      \
    static const struct assay_kernel honest_kernels[] = {{HONEST_ENTRY("honest")}};                          \
    ASSAY_MODULE(honest_kernels)

#define HONEST_KERNEL(launch_function) HONEST_KERNEL_WITH(launch_function, honest_no_setup, honest_no_cleanup)

#endif
