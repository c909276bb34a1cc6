// SPDX-License-Identifier: Apache-2.0
//
// A complete attention kernel to start from: O = softmax(scale Q K^T) V in fp32, for every mask, memory order
// and group of heads that assay checks. `assay init` writes it; all of it is yours to edit.
//
//   assay fuzz --kernel mine --suite boundary    is it still right? (a few seconds)
//   assay gate                                   did my edit make it slower than what is committed?
#include <assay/kernel.h>
#include <math.h>

// One launch. Each gets other tensors, so nothing of it is kept.
struct job {
    const struct assay_problem *problem;
    const struct assay_tensor *q, *k, *v, *out, *lse; // lse is null where the problem asks for none
    float scale;
};

// Row `index` of the output, by online softmax: the maximum of the scores so far and the sum of weights go
// along, and a new maximum rescales what was added before. It begins at -infinity: all scores of a row may
// lie below any finite value.
static void attend(void *arg, int64_t index, uint32_t thread) {
    const struct job *job = arg;
    const int64_t heads = job->q->shape[1], queries = job->q->shape[2], dim = job->q->shape[3];
    const int64_t i = index % queries, h = index / queries % heads, b = index / queries / heads;
    const int64_t group = heads / job->k->shape[1]; // query heads that share one head of K and V
    const float *q = assay_row(job->q, b, h, i);
    float *out = assay_row(job->out, b, h, i), max = -INFINITY, sum = 0;
    (void)thread;
    for (int64_t d = 0; d < dim; ++d) out[d] = 0;
    for (int64_t j = 0, keys = assay_visible_keys(job->problem, i); j < keys; ++j) {
        const float *k = assay_row(job->k, b, h / group, j), *v = assay_row(job->v, b, h / group, j);
        float score = 0;
        for (int64_t d = 0; d < dim; ++d) score += q[d] * k[d];
        score *= job->scale;
        const float new_max = score > max ? score : max;
        const float keep = expf(max - new_max), weight = expf(score - new_max);
        sum = sum * keep + weight;
        for (int64_t d = 0; d < dim; ++d) out[d] = out[d] * keep + weight * v[d];
        max = new_max;
    }
    for (int64_t d = 0; d < dim && sum != 0; ++d) out[d] /= sum; // a row that sees no key is 0
    if (job->lse) ((float *)job->lse->data)[index] = sum != 0 ? max + logf(sum) : -INFINITY;
}

// What is timed. Everything is done when it returns; the threads are assay's. Without .prepare the state is
// the problem.
static int launch(void *state, const struct assay_tensors *tensors, void *workspace, void *stream,
                  struct assay_message *message) {
    const struct assay_tensor *q = assay_tensor_find(tensors, ASSAY_Q);
    const struct assay_cpu_stream *threads = stream;
    struct job job = {.problem = state, .q = q, .scale = (float)assay_problem_get(state, "scale")};
    job.k = assay_tensor_find(tensors, ASSAY_K), job.v = assay_tensor_find(tensors, ASSAY_V);
    job.out = assay_tensor_find(tensors, ASSAY_O), job.lse = assay_tensor_find(tensors, ASSAY_LSE);
    threads->parallel_for(threads, q->shape[0] * q->shape[1] * q->shape[2], attend, &job);
    (void)workspace, (void)message;
    return ASSAY_OK;
}

static const struct assay_kernel kernels[] = {{.struct_size = sizeof(struct assay_kernel),
                                               .abi_version = ASSAY_ABI_VERSION,
                                               .name = "mine",
                                               .op = "attention",
                                               .backend = "cpu",
                                               .dtypes = ASSAY_BIT(ASSAY_FP32),
                                               .launch = launch,
                                               .summary = "online softmax, one query row at a time"}};
ASSAY_MODULE(kernels)
