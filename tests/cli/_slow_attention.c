// SPDX-License-Identifier: Apache-2.0
//
// A plain attention kernel for the command-line tests, as a user would write one: fp32, dense, no mask.
// EXTRA_ROWS makes every EXTRA_ROWS-th row be computed twice: 16 is 6.25 % more arithmetic.
#include <assay/kernel.h>
#include <math.h>

#ifndef EXTRA_ROWS
#define EXTRA_ROWS 0
#endif
#define KEYS_MAX 1024

static int supports(const struct assay_problem *problem, struct assay_message *message) {
    if (assay_problem_get(problem, "seq_k") > KEYS_MAX)
        return assay_say(message, ASSAY_UNSUPPORTED, "up to 1024 keys");
    return ASSAY_OK;
}

struct job {
    const struct assay_tensor *q, *k, *v, *o;
    double scale;
};

static float dot(const float *a, const float *b, int64_t count) {
    float sum = 0;
    for (int64_t d = 0; d < count; ++d) sum += a[d] * b[d];
    return sum;
}

static void one_row(const struct job *job, int64_t b, int64_t h, int64_t i) {
    float p[KEYS_MAX], high = -INFINITY, sum = 0;
    int64_t keys = job->k->shape[2], dim = job->q->shape[3], kv = h / (job->q->shape[1] / job->k->shape[1]);
    for (int64_t j = 0; j < keys; ++j) {
        p[j] = dot(assay_row(job->q, b, h, i), assay_row(job->k, b, kv, j), dim) * (float)job->scale;
        high = p[j] > high ? p[j] : high;
    }
    for (int64_t j = 0; j < keys; ++j) sum += p[j] = expf(p[j] - high);
    float *o = assay_row(job->o, b, h, i);
    for (int64_t d = 0; d < dim; ++d) o[d] = 0;
    for (int64_t j = 0; j < keys; ++j)
        for (int64_t d = 0; d < dim; ++d)
            o[d] += p[j] / sum * ((const float *)assay_row(job->v, b, kv, j))[d];
}

static void body(void *arg, int64_t index, uint32_t thread) {
    const struct job *job = arg;
    int64_t heads = job->q->shape[1], rows = job->q->shape[2];
    (void)thread;
    for (int64_t i = 0; i < rows; ++i) {
        int times = EXTRA_ROWS && i % (EXTRA_ROWS ? EXTRA_ROWS : 1) == 0 ? 2 : 1;
        for (int t = 0; t < times; ++t) one_row(job, index / heads, index % heads, i);
    }
}

struct state {
    double scale;
};
static struct state the_state;

static int prepare(const struct assay_problem *problem, const struct assay_env *env, void **state,
                   size_t *bytes, struct assay_message *message) {
    (void)env, (void)bytes, (void)message;
    the_state.scale = assay_scalar_get(problem->scalars, problem->scalar_count, "scale", 1.0);
    *state = &the_state;
    return ASSAY_OK;
}

static int launch(void *state, const struct assay_tensors *tensors, void *workspace, void *stream,
                  struct assay_message *message) {
    (void)workspace, (void)message;
    struct job job = {assay_tensor_find(tensors, ASSAY_Q), assay_tensor_find(tensors, ASSAY_K),
                      assay_tensor_find(tensors, ASSAY_V), assay_tensor_find(tensors, ASSAY_O),
                      ((struct state *)state)->scale};
    const struct assay_cpu_stream *cpu = stream;
    cpu->parallel_for(cpu, job.q->shape[0] * job.q->shape[1], body, &job);
    return ASSAY_OK;
}

static const struct assay_kernel kernels[] = {{.struct_size = sizeof(struct assay_kernel),
                                               .abi_version = ASSAY_ABI_VERSION,
                                               .name = "mine",
                                               .op = "attention",
                                               .backend = "cpu",
                                               .supports = supports,
                                               .dtypes = ASSAY_BIT(ASSAY_FP32),
                                               .causal = ASSAY_MASK_NONE,
                                               .launch = launch,
                                               .prepare = prepare}};
ASSAY_MODULE(kernels)
