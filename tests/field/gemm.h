/* SPDX-License-Identifier: Apache-2.0
 *
 * Plain gemm for processors that is right but for what a file that includes it changes, as attention.h.
 * TERMS: how many terms are summed; BIAS: what is added; ROW: the row of a thread; OFFSET: where a row
 * begins. */
#include <assay/kernel.h>
#include <math.h>

#ifndef TERMS
#define TERMS(terms) (terms)
#endif
#ifndef BIAS
#define BIAS(bias, terms) ((void)(terms), (bias))
#endif
#ifndef OFFSET
#define OFFSET(row, stride) ((row) * (stride))
#endif
#ifndef ROW
#define ROW(row) (row)
#endif

struct job {
    const struct assay_tensor *a, *b, *bias, *c;
    int64_t n, k;
    int is_transposed, accumulates, activation;
};

static float activate(float x, int activation) {
    return activation == 1 ? (x < 0 ? 0 : x) : activation == 2 ? 0.5f * x * (1 + erff(x * 0.70710678f)) : x;
}

static void multiply_row(void *arg, int64_t index, uint32_t thread) {
    const struct job *job = arg;
    const int64_t row = ROW(index);
    const float *a = (const float *)job->a->data + OFFSET(row, job->a->stride[0]), *b = job->b->data;
    float *c = (float *)job->c->data + OFFSET(row, job->c->stride[0]);
    const int64_t along_n = job->is_transposed ? job->b->stride[0] : 1,
                  along_k = job->is_transposed ? 1 : job->b->stride[0];
    (void)thread;
    for (int64_t j = 0; j < job->n; ++j) {
        float sum = 0;
        for (int64_t t = 0; t < TERMS(job->k); ++t) sum += a[t] * b[j * along_n + t * along_k];
        if (job->accumulates) sum += c[j];
        if (job->bias) sum += BIAS(((const float *)job->bias->data)[j], job->k);
        c[j] = activate(sum, job->activation);
    }
}

static int launch(ASSAY_LAUNCH_ARGS) {
    (void)workspace;
    const struct assay_problem *problem = state;
    const struct job job = {.a = assay_tensor_named(tensors, "a"),
                            .b = assay_tensor_named(tensors, "b"),
                            .bias = assay_tensor_named(tensors, "bias"),
                            .c = assay_tensor_named(tensors, "c"),
                            .n = (int64_t)assay_problem_get(problem, "n"),
                            .k = (int64_t)assay_problem_get(problem, "k"),
                            .is_transposed = (int)assay_problem_get(problem, "b_transposed"),
                            .accumulates = (int)assay_problem_get(problem, "accumulates"),
                            .activation = (int)assay_problem_get(problem, "activation")};
    const struct assay_cpu_stream *cpu = stream;
    cpu->parallel_for(cpu, (int64_t)assay_problem_get(problem, "m"), multiply_row, (void *)&job);
    return ASSAY_OK;
}

ASSAY_KERNEL(.name = "field", .op = "gemm", .backend = "cpu", .launch = launch,
             .dtypes = ASSAY_BIT(ASSAY_FP32), .summary = "gemm with one bug of a public report")
