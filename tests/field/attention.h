/* SPDX-License-Identifier: Apache-2.0
 *
 * Plain attention for processors that is right but for what a file that includes it changes: each file here
 * has one bug of a public report. DIM: how many of the head's elements are multiplied; IS_SEEN: whether a key
 * counts at all; HEAD_KV: the head of K and V of a head; FIRST_KEY: the first key of a window; INDEX: the row
 * of a thread; BIAS: what is added to a score; MASK_BATCH: the batch entry whose mask is read; LAST_KEY: the
 * key behind the last that a row sees. */
#include <assay/kernel.h>
#include <math.h>

#ifndef DIM
#define DIM(dim) (dim)
#endif
#ifndef IS_SEEN
#define IS_SEEN(key, keys) ((void)(keys), 1)
#endif
#ifndef HEAD_KV
#define HEAD_KV(head, group) ((head) / (group))
#endif
#ifndef FIRST_KEY
#define FIRST_KEY(first) (first)
#endif
#ifndef INDEX
#define INDEX(index) (index)
#endif
#ifndef MASK_BATCH
#define MASK_BATCH(batch) (batch)
#endif
#ifndef LAST_KEY
#define LAST_KEY(a, end) (end)
#endif
#ifndef BIAS
#define BIAS(bias, scale) ((void)(scale), (bias))
#endif

struct job {
    struct assay_attention a;
    const struct assay_tensor *mask, *bias;
};

static float score(const struct job *job, int64_t batch, int64_t head, int64_t row, int64_t key) {
    const struct assay_attention *a = &job->a;
    const int8_t *sees = job->mask ? assay_row(job->mask, MASK_BATCH(batch), head, row) : NULL;
    const float *bias = job->bias ? assay_row(job->bias, batch, head, row) : NULL;
    const float *q = assay_row(a->q, batch, head, row);
    const float *k = assay_row(a->k, batch, HEAD_KV(head, a->heads / a->heads_kv), key);
    float sum = 0;
    if (sees && !sees[key]) return -INFINITY;
    if (!IS_SEEN(key, a->keys)) return -INFINITY;
    for (int64_t d = 0; d < DIM(a->dim); ++d) sum += q[d] * k[d];
    return sum * (float)a->scale + (bias ? BIAS(bias[key], (float)a->scale) : 0);
}

static void attend(void *arg, int64_t thread_index, uint32_t thread) {
    const struct job *job = arg;
    const struct assay_attention *a = &job->a;
    const int64_t index = INDEX(thread_index), row = index % a->queries, head = index / a->queries % a->heads,
                  batch = index / a->queries / a->heads, head_kv = HEAD_KV(head, a->heads / a->heads_kv);
    const int64_t first = FIRST_KEY(assay_first_key(a->problem, row)),
                  end = LAST_KEY(a, assay_visible_keys(a->problem, row));
    float *out = assay_row(a->out, batch, head, row), most = -INFINITY, sum = 0;
    (void)thread;
    for (int64_t key = first; key < end; ++key) { /* a NaN stays */
        const float s = score(job, batch, head, row, key);
        if (s > most || isnan(s)) most = s;
    }
    for (int64_t d = 0; d < a->dim_v; ++d) out[d] = 0;
    for (int64_t key = first; key < end && most != -INFINITY; ++key) {
        const float weight = expf(score(job, batch, head, row, key) - most);
        const float *v = assay_row(a->v, batch, head_kv, key);
        sum += weight;
        for (int64_t d = 0; d < a->dim_v; ++d) out[d] += weight * v[d];
    }
    for (int64_t d = 0; d < a->dim_v && sum != 0; ++d) out[d] /= sum;
    if (a->lse) ((float *)a->lse->data)[index] = sum != 0 ? most + logf(sum) : -INFINITY;
}

static int launch(ASSAY_LAUNCH_ARGS) {
    (void)workspace;
    struct job job = {.a = assay_attention_get(state, tensors),
                      .mask = assay_tensor_named(tensors, "mask"),
                      .bias = assay_tensor_named(tensors, "bias")};
    const struct assay_cpu_stream *cpu = stream;
    cpu->parallel_for(cpu, job.a.batch * job.a.heads * job.a.queries, attend, &job);
    return ASSAY_OK;
}

ASSAY_KERNEL(.name = "field", .op = "attention", .backend = "cpu", .launch = launch,
             .dtypes = ASSAY_BIT(ASSAY_FP32), .features = "head_dim_v window mask bias",
             .summary = "attention with one bug of a public report")
