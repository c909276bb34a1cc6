// SPDX-License-Identifier: Apache-2.0
//
// OpenBLAS's cblas_sgemm as a peer of gemm, in fp32. The host's threads share the rows or the columns of
// C, one product a thread, each on its calling thread: OpenBLAS's own threads would not be those that
// other kernels are measured on. Bias and activation follow in a second pass over the thread's part of C.
// The library is loaded when the peer is asked for; without it the peer is UNSUPPORTED.
#include <assay/kernel.h>
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cpu_threads.h"
#include "gemm/gemm_args.h"

#define ROW_MAJOR     101 // CblasRowMajor, CblasNoTrans, CblasTrans of cblas.h
#define NO_TRANSPOSE  111
#define TRANSPOSE     112
#define PARTS_OF_ROWS 16 // a part begins at a multiple of it

typedef void sgemm_fn(int order, int transpose_a, int transpose_b, int m, int n, int k, float alpha,
                      const float *a, int lda, const float *b, int ldb, float beta, float *c, int ldc);

struct openblas_state {
    struct gemm_args args;
    uint32_t thread_count;
    sgemm_fn *sgemm;
};

struct openblas_job {
    const struct openblas_state *state;
    struct gemm_data data;
};

// All are loaded once a process and stay. set_threads: OpenBLAS's own. get_config: "OpenBLAS 0.3.21
// DYNAMIC_ARCH NO_AFFINITY Haswell"; null in old versions.
struct openblas_api {
    sgemm_fn *sgemm;
    void (*set_threads)(int count);
    const char *(*get_config)(void);
};

static int openblas_load(struct openblas_api *ret, struct assay_message *message) {
    static const char *const names[] = {"libopenblas.so.0", "libopenblas.so"};
    setenv("OPENBLAS_NUM_THREADS", "1",
           1); // else it starts threads when it is loaded, which spin between launches
    void *library = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && !library; ++i)
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return assay_say(message, ASSAY_UNSUPPORTED,
                         "OpenBLAS is not installed (libopenblas.so.0; Debian: libopenblas0-pthread)");
    // POSIX: dlsym's pointer is a function's; ISO C has no conversion.
    *(void **)&ret->sgemm = dlsym(library, "cblas_sgemm");
    *(void **)&ret->set_threads = dlsym(library, "openblas_set_num_threads");
    *(void **)&ret->get_config = dlsym(library, "openblas_get_config");
    if (ret->sgemm && ret->set_threads) return ASSAY_OK;
    return assay_say(message, ASSAY_UNSUPPORTED,
                     "libopenblas lacks cblas_sgemm or openblas_set_num_threads: is it another BLAS?");
}

static void openblas_version_format(const struct openblas_api *api, char ret_text[32]) {
    *ret_text = 0;
    if (api->get_config) (void)sscanf(api->get_config(), "OpenBLAS %31s", ret_text);
}

int openblas_find_library(struct assay_message *message); // of src/worker/module/builtin.c
int openblas_find_library(struct assay_message *message) {
    struct openblas_api api;
    char version[32];
    if (openblas_load(&api, message) != ASSAY_OK) return ASSAY_UNSUPPORTED;
    openblas_version_format(&api, version);
    return assay_say(message, ASSAY_OK, version);
}

// Part `index` of `count` parts of an extent.
static void part_of(int64_t extent, int64_t index, int64_t count, int64_t *ret_first, int64_t *ret_end) {
    const int64_t blocks = (extent + PARTS_OF_ROWS - 1) / PARTS_OF_ROWS;
    *ret_first = blocks * index / count * PARTS_OF_ROWS;
    *ret_end = blocks * (index + 1) / count * PARTS_OF_ROWS;
    if (*ret_end > extent) *ret_end = extent;
}

static void openblas_part(void *arg, int64_t index, uint32_t thread) {
    (void)thread;
    const struct openblas_job *job = (const struct openblas_job *)arg;
    const struct gemm_args *args = &job->state->args;
    int64_t row = 0, row_end = args->m, column = 0, column_end = args->n;
    if (args->m >= args->n)
        part_of(args->m, index, job->state->thread_count, &row, &row_end);
    else
        part_of(args->n, index, job->state->thread_count, &column, &column_end);
    if (row == row_end || column == column_end) return;
    const float *a = (const float *)(const void *)job->data.a + row * args->stride_a;
    const float *b =
        (const float *)(const void *)job->data.b + (args->is_b_transposed ? column * args->stride_b : column);
    float *c = (float *)(void *)job->data.c + row * args->stride_c + column;
    job->state->sgemm(ROW_MAJOR, NO_TRANSPOSE, args->is_b_transposed ? TRANSPOSE : NO_TRANSPOSE,
                      (int)(row_end - row), (int)(column_end - column), (int)args->k, 1.0f, a,
                      (int)args->stride_a, b, (int)args->stride_b, args->is_accumulating ? 1.0f : 0.0f, c,
                      (int)args->stride_c);
    const float *bias = (const float *)(const void *)job->data.bias;
    if (!bias && args->activation == GEMM_ACTIVATION_NONE) return;
    for (int64_t r = 0; r < row_end - row; ++r)
        for (int64_t i = 0; i < column_end - column; ++i) {
            float *at = c + r * args->stride_c + i;
            *at = gemm_activate(*at + (bias ? bias[column + i] : 0.0f), args->activation);
        }
}

static int openblas_supports(const struct assay_problem *problem, struct assay_message *message) {
    struct gemm_args args;
    const int status = gemm_args_read(problem, &args, message);
    if (status != ASSAY_OK) return status;
    if (args.dtype != ASSAY_FP32 || args.dtype_out != ASSAY_FP32)
        return assay_say(message, ASSAY_UNSUPPORTED, "cblas_sgemm is for fp32");
    if (args.m > INT_MAX || args.n > INT_MAX || args.k > INT_MAX || args.stride_a > INT_MAX ||
        args.stride_b > INT_MAX || args.stride_c > INT_MAX)
        return assay_say(message, ASSAY_UNSUPPORTED, "cblas_sgemm takes extents up to 2^31 - 1");
    struct openblas_api api;
    return openblas_load(&api, message);
}

static int openblas_prepare(const struct assay_problem *problem, const struct assay_env *env, void **state,
                            size_t *workspace_bytes, struct assay_message *message) {
    (void)workspace_bytes;
    struct gemm_args args;
    struct openblas_api api;
    int status = gemm_args_read(problem, &args, message);
    if (status == ASSAY_OK) status = openblas_load(&api, message);
    if (status != ASSAY_OK) return status;
    struct openblas_state *self = (struct openblas_state *)calloc(1, sizeof *self);
    if (!self) return assay_say(message, ASSAY_FAILED, "out of memory");
    api.set_threads(1);
    self->args = args;
    self->thread_count = cpu_thread_count(env);
    self->sgemm = api.sgemm;
    *state = self;
    char version[32], note[256] = "";
    openblas_version_format(&api, version);
    if (*version) snprintf(note, sizeof note, "@%s %s", version, api.get_config());
    return assay_say(message, ASSAY_OK, note);
}

static int openblas_launch(void *state, const struct assay_tensors *tensors, void *workspace, void *stream,
                           struct assay_message *message) {
    (void)workspace;
    struct openblas_job job = {.state = (const struct openblas_state *)state};
    const int status = gemm_data_read(tensors, &job.data, message);
    if (status != ASSAY_OK) return status;
    cpu_parallel_for(stream, job.state->thread_count, job.state->thread_count, openblas_part, &job);
    return ASSAY_OK;
}

static void openblas_release(void *state) {
    free(state);
}

static const struct assay_kernel openblas_kernels[] = {{
    .struct_size = sizeof(struct assay_kernel),
    .abi_version = ASSAY_ABI_VERSION,
    .name = "openblas",
    .op = "gemm",
    .backend = "cpu",
    .supports = openblas_supports,
    .launch = openblas_launch,
    .prepare = openblas_prepare,
    .release = openblas_release,
    .summary = "OpenBLAS's cblas_sgemm, a product a thread",
}};

ASSAY_MODULE(openblas_kernels)
