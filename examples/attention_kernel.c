// SPDX-License-Identifier: Apache-2.0
//
// A complete attention kernel to start from: O = softmax(scale Q K^T) V in fp32, for every mask, memory order
// and group of heads that assay checks. `assay init` writes it; all of it is yours to edit.
//
//   assay fuzz --kernel mine --suite boundary    is it still right? (a few seconds)
//   assay gate                                   did my edit make it slower than what is committed?
#include <assay/kernel.h>
#include <math.h>

#define PARTS 16

// The sum in parts, which a vector unit adds side by side: the compiler may not change the order of additions
// by itself, and one after the other they would wait for each other.
static float dot(const float *a, const float *b, int64_t count) {
    float part[PARTS] = {0}, sum = 0;
    int64_t d = 0;
    for (; d + PARTS <= count; d += PARTS)
        for (int i = 0; i < PARTS; ++i) part[i] += a[d + i] * b[d + i];
    for (; d < count; ++d) sum += a[d] * b[d];
    for (int i = 0; i < PARTS; ++i) sum += part[i];
    return sum;
}

// Row `index` of the output, by online softmax: the maximum of the scores so far and the sum of weights go
// along, and a new maximum rescales what was added before. It begins at -infinity: all scores of a row may
// lie below any finite value.
static void attend(void *arg, int64_t index, uint32_t thread) {
    const struct assay_attention *a = arg;
    const int64_t i = index % a->queries, row = index / a->queries, h = row % a->heads, b = row / a->heads;
    const int64_t group = a->heads / a->heads_kv; // query heads that share one head of K and V
    const float *q = assay_row(a->q, b, h, i);
    float *out = assay_row(a->out, b, h, i), max = -INFINITY, sum = 0;
    (void)thread;
    for (int64_t d = 0; d < a->dim; ++d) out[d] = 0;
    for (int64_t j = 0, keys = assay_visible_keys(a->problem, i); j < keys; ++j) {
        const float *k = assay_row(a->k, b, h / group, j), *v = assay_row(a->v, b, h / group, j);
        const float score = dot(q, k, a->dim) * (float)a->scale;
        const float new_max = score > max ? score : max;
        const float keep = expf(max - new_max), weight = expf(score - new_max);
        sum = sum * keep + weight;
        for (int64_t d = 0; d < a->dim; ++d) out[d] = out[d] * keep + weight * v[d];
        max = new_max;
    }
    for (int64_t d = 0; d < a->dim && sum != 0; ++d) out[d] /= sum; // a row that sees no key is 0
    if (a->lse) ((float *)a->lse->data)[index] = sum != 0 ? max + logf(sum) : -INFINITY;
}

// What is timed: every launch gets `tensors` of other data, so nothing is kept. The threads of `stream` are
// assay's, and everything is done when it returns. Without .prepare the state is the problem.
static int launch(ASSAY_LAUNCH_ARGS) {
    struct assay_attention a = assay_attention_get(state, tensors);
    const struct assay_cpu_stream *threads = stream;
    threads->parallel_for(threads, a.batch * a.heads * a.queries, attend, &a);
    return ASSAY_OK;
}

// What it is called, and what it can do; what is not said is not limited.
ASSAY_KERNEL(.name = "mine", .op = "attention", .backend = "cpu", .launch = launch,
             .dtypes = ASSAY_BIT(ASSAY_FP32), .summary = "online softmax, one query row at a time")
