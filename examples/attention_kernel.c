// SPDX-License-Identifier: Apache-2.0
//
// A right attention kernel to start from: O = softmax(scale Q K^T) V in fp32, for every mask, layout and
// group of heads that assay checks. `assay init` writes it; all of it is yours to edit.
//
//   assay fuzz --kernel mine --suite boundary    is it still right? (a few seconds)
//   assay gate                                     did my edit make it slower than what is committed?
#include <assay/kernel.h>
#include <math.h>
#include <stdlib.h>

// What prepare notes of a problem for its launches.
struct shape {
    int64_t batch, heads, group, queries, keys, dim; // group: query heads that share one head of K and V
    int causal;                                      // 0: no mask, 1: top-left, 2: bottom-right
    float scale;
};

// One launch. Each gets other pointers, so nothing of it is kept.
struct job {
    const struct shape *shape;
    const struct assay_tensor *q, *k, *v, *out, *lse; // lse is null where the problem asks for none
};

// Rows lie where the strides say: they are what tells one layout from another, and padding from none.
static float *row_of(const struct assay_tensor *t, int64_t batch, int64_t head, int64_t row) {
    return (float *)t->data + batch * t->stride[0] + head * t->stride[1] + row * t->stride[2];
}

// Query i sees keys [0, result). With the mask bottom-right and more queries than keys the first see none.
static int64_t visible_keys(const struct shape *s, int64_t i) {
    const int64_t last = s->causal == 1 ? i : s->causal == 2 ? i + s->keys - s->queries : s->keys - 1;
    return last < 0 ? 0 : last >= s->keys ? s->keys : last + 1;
}

// One row of the output. The maximum of the scores so far, the sum of weights and the row itself go along
// (online softmax); a new maximum rescales what was added before. It begins at -infinity: all scores of a row
// may lie below any finite value.
static void attend(void *arg, int64_t index, uint32_t thread) {
    const struct job *job = arg;
    const struct shape *s = job->shape;
    const int64_t i = index % s->queries, h = index / s->queries % s->heads,
                  b = index / s->queries / s->heads;
    const float *q = row_of(job->q, b, h, i);
    float *out = row_of(job->out, b, h, i), max = -INFINITY, sum = 0;
    for (int64_t d = 0; d < s->dim; ++d) out[d] = 0;
    for (int64_t j = 0; j < visible_keys(s, i); ++j) {
        const float *k = row_of(job->k, b, h / s->group, j), *v = row_of(job->v, b, h / s->group, j);
        float score = 0;
        for (int64_t d = 0; d < s->dim; ++d) score += q[d] * k[d];
        score *= s->scale;
        const float new_max = score > max ? score : max;
        const float keep = expf(max - new_max), weight = expf(score - new_max);
        sum = sum * keep + weight;
        for (int64_t d = 0; d < s->dim; ++d) out[d] = out[d] * keep + weight * v[d];
        max = new_max;
    }
    for (int64_t d = 0; d < s->dim && sum != 0; ++d) out[d] /= sum; // a row that sees no key is 0
    if (job->lse) ((float *)job->lse->data)[index] = sum != 0 ? max + logf(sum) : -INFINITY;
    (void)thread; // to find this thread's part of a workspace, if you ask for one in prepare
}

// A fair "not mine" is no failure: assay then chooses the problems that it checks by what is supported.
static int supports(const struct assay_problem *problem, struct assay_message *message) {
    for (uint32_t i = 0; i < problem->tensors.tensor_count; ++i)
        if (assay_tensor_at(&problem->tensors, i)->dtype != ASSAY_FP32)
            return assay_say(message, ASSAY_UNSUPPORTED, "fp32 only");
    return ASSAY_OK;
}

static int64_t axis(const struct assay_problem *problem, const char *name) {
    return (int64_t)assay_scalar_get(problem->scalars, problem->scalar_count, name, 1);
}

// Once a problem, untimed: the place for tables and plans. *workspace is memory that each launch gets.
static int prepare(const struct assay_problem *problem, const struct assay_env *env, void **state,
                   size_t *workspace, struct assay_message *message) {
    struct shape *s = malloc(sizeof *s);
    if (!s) return assay_say(message, ASSAY_FAILED, "out of memory");
    *s = (struct shape){.batch = axis(problem, "batch"),
                        .heads = axis(problem, "heads"),
                        .queries = axis(problem, "seq_q"),
                        .keys = axis(problem, "seq_k"),
                        .dim = axis(problem, "head_dim"),
                        .causal = (int)axis(problem, "causal")};
    s->group = s->heads / axis(problem, "heads_kv");
    s->scale = (float)assay_scalar_get(problem->scalars, problem->scalar_count, "scale", 1);
    *state = s;
    (void)env, (void)workspace; // none is asked for
    return ASSAY_OK;
}

// What is timed. Everything is done when it returns; the threads are assay's.
static int launch(void *state, const struct assay_tensors *tensors, void *workspace, void *stream,
                  struct assay_message *message) {
    const struct shape *s = state;
    const struct assay_cpu_stream *threads = stream;
    struct job job = {s,
                      assay_tensor_find(tensors, ASSAY_Q),
                      assay_tensor_find(tensors, ASSAY_K),
                      assay_tensor_find(tensors, ASSAY_V),
                      assay_tensor_find(tensors, ASSAY_O),
                      assay_tensor_find(tensors, ASSAY_LSE)};
    threads->parallel_for(threads, s->batch * s->heads * s->queries, attend, &job);
    (void)workspace, (void)message;
    return ASSAY_OK;
}

static const struct assay_kernel kernels[] = {{.struct_size = sizeof(struct assay_kernel),
                                               .abi_version = ASSAY_ABI_VERSION,
                                               .name = "mine",
                                               .op = "attention",
                                               .backend = "cpu",
                                               .supports = supports,
                                               .launch = launch,
                                               .prepare = prepare,
                                               .release = free,
                                               .summary = "online softmax, one query row at a time"}};
ASSAY_MODULE(kernels)
