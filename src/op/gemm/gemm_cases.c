// SPDX-License-Identifier: Apache-2.0
//
// Gemm in checks and measurements: tolerances, slices for the same-precision reference, smaller
// problems, mutants, suites, peers.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "op/dtype.h"
#include "op/gemm/gemm_internal.h"

// ---- tolerances ----

// Inputs have unit variance, C's standard deviation is sqrt(k). Sums in fp32, in any order: an error of about
// 2^-24 k / 4 (each of k additions is off by half a unit of a partial sum of up to sqrt(k)), of which
// 2^-20 k is more than 12 standard deviations. Then C is rounded once, half a unit; a whole one is allowed.
#define FP32_SUM_ERROR 0x1p-20 // times k

// Tensor cores add 32 products of fp8 and the sum so far at a time, each cut towards 0 at 2^-13 of the
// largest one's power of two. After j terms that is the sum, sqrt(j), and a cut is uniform in [0, 2^-13
// sqrt(j)): of mean square 2^-26 j / 3, its sign that of the term. k of them add up to 2^-13 k / sqrt(6), or
// half of that since powers of two are cut at: 2^-15.3 k. A model of the adder gives 0.4 x 2^-14 k for k
// from 4096 on, less below, and at most 4.1 x 2^-14 k in the worst of 40000 elements (k = 2: one of two
// products is cut; k = 512: sums of four deviations, whose cuts are four times larger). Twice the worst is
// 2^-11 k. No hardware has confirmed this bound yet.
#define FP8_SUM_ERROR 0x1p-11 // times k
#define FP8_SUM_RMS   0x1p-15
// Small integers are never cut.
#define FP8_EXACT_ERROR 0x1p-14

static double sum_error(const struct gemm_params *p, const char *distribution) {
    if (!gemm_is_scaled(p)) return FP32_SUM_ERROR;
    return str_equal(distribution, "exact") || str_equal(distribution, "cancel") ? FP8_EXACT_ERROR
                                                                                 : FP8_SUM_ERROR;
}

// The plain kernel adds in fp32. Where fp8's sums are cut by more than C's type rounds, the 2 x rule would
// refuse every tensor core: in fp32 always, in narrower types where sums are long.
static bool is_two_x_fair(const struct gemm_params *p) {
    const double deviation = sqrt((double)p->k);
    return !gemm_is_scaled(p) || FP8_SUM_RMS * (double)p->k <= dtype_ulp(p->dtype_out, deviation) / 2;
}

struct op_tolerance gemm_tolerance(const struct problem *problem, const char *distribution,
                                   uint32_t tensor_index) {
    (void)tensor_index; // one output
    const struct gemm_params *p = gemm_params_of(problem);
    return (struct op_tolerance){.atol = sum_error(p, distribution) * (double)p->k,
                                 .rtol = p->dtype_out == ASSAY_FP32 ? 0x1p-20 : dtype_ulp(p->dtype_out, 1),
                                 .min_pass_fraction = 1,
                                 .rel_l2_max = INFINITY,
                                 .is_two_x_gated = is_two_x_fair(p)};
}

// ---- slices: a row of C ----

void gemm_slice_counts(const struct problem *problem, uint64_t *ret_groups, uint64_t *ret_rows) {
    *ret_groups = 1;
    *ret_rows = (uint64_t)gemm_params_of(problem)->m;
}

void gemm_slice(const struct problem *problem, const struct assay_tensor *tensors, uint64_t group,
                uint64_t row, struct op_slice *ret) {
    (void)group;
    ret->problem = *problem;
    struct gemm_params *p = (struct gemm_params *)(void *)ret->problem.params;
    p->m = 1;
    struct problem_abi abi;
    problem_describe(&ret->problem, MEMORY_LAYOUT_DENSE, &abi);
    memcpy(ret->tensors, tensors, (abi.tensor_count - 1) * sizeof *tensors); // B, bias and scales are whole
    ret->tensors[0].shape[0] = 1;
    ret->tensors[0].data =
        (char *)tensors[0].data + row * (uint64_t)tensors[0].stride[0] * dtype_bytes(tensors[0].dtype);
    const uint32_t c = abi.tensor_count - 1;
    ret->tensors[c] = abi.tensors[c];
    if (p->is_accumulating)
        ret->tensors[c].data =
            (char *)tensors[c].data + row * (uint64_t)tensors[c].stride[0] * dtype_bytes(tensors[c].dtype);
    ret->tensor_count = abi.tensor_count;
    ret->output_offset[0] = row * (uint64_t)p->n;
    ret->output_count[0] = (uint64_t)p->n;
}

// ---- shrinking ----

static int64_t *size_of(struct gemm_params *p, size_t axis) {
    int64_t *const sizes[] = {&p->m, &p->n, &p->k};
    return axis < sizeof sizes / sizeof *sizes ? sizes[axis] : NULL;
}

int64_t gemm_size(const struct problem *problem, size_t axis) {
    struct gemm_params p = *gemm_params_of(problem);
    const int64_t *size = size_of(&p, axis);
    return size ? *size : 0;
}

bool gemm_resize(const struct problem *problem, size_t axis, int64_t size, struct problem *ret) {
    *ret = *problem;
    *size_of((struct gemm_params *)(void *)ret->params, axis) = size;
    problem_rename(ret);
    return true;
}

// False: no such step.
bool gemm_drop_option(struct problem *problem, size_t step) {
    struct gemm_params *p = (struct gemm_params *)(void *)problem->params;
    switch (step) {
    case 0: p->activation = GEMM_NONE; return true;
    case 1: p->has_bias = false; return true;
    case 2: p->is_b_transposed = false; return true;
    case 3: p->is_accumulating = false; return true;
    case 4: p->dtype_out = gemm_dtype_out_default(p->dtype); return true;
    default: return false;
    }
}

// ---- mutants: the oracle on a changed problem, or parts of its result moved ----

#define TILE 16

struct changed {
    struct problem problem;
    struct gemm_params *params; // of problem
    struct assay_tensor tensors[OP_TENSORS_MAX];
};

static void changed_init(struct changed *changed, const struct mutant_case *at) {
    changed->problem = *at->problem;
    changed->params = (struct gemm_params *)(void *)changed->problem.params;
    memcpy(changed->tensors, at->tensors, (at->input_count + at->output_count) * sizeof *at->tensors);
}

static bool has_bias(const struct mutant_case *at) {
    return gemm_params_of(at->problem)->has_bias;
}
static bool is_accumulating(const struct mutant_case *at) {
    return gemm_params_of(at->problem)->is_accumulating;
}
static bool has_activation(const struct mutant_case *at) {
    return gemm_params_of(at->problem)->activation != GEMM_NONE;
}
static bool has_scales(const struct mutant_case *at) {
    return gemm_is_scaled(gemm_params_of(at->problem));
}
static bool has_more_terms(const struct mutant_case *at) {
    return gemm_params_of(at->problem)->k > 1;
}
static bool has_tail_of_k(const struct mutant_case *at) {
    const struct gemm_params *p = gemm_params_of(at->problem);
    return p->k > TILE && p->k % TILE;
}
static bool is_square(const struct mutant_case *at) {
    const struct gemm_params *p = gemm_params_of(at->problem);
    return p->n == p->k && p->n > 1;
}
static bool has_column_tail(const struct mutant_case *at) {
    const struct gemm_params *p = gemm_params_of(at->problem);
    return p->n > TILE && p->n % TILE;
}
static bool has_row_tail(const struct mutant_case *at) {
    const struct gemm_params *p = gemm_params_of(at->problem);
    return p->m > TILE && p->m % TILE;
}

// The tensors stay where they are: a smaller k ends rows of A, and of a transposed B, earlier.
static int run_with_terms(const struct mutant_case *at, int64_t k, double *const *outputs, struct err *err) {
    struct changed changed;
    changed_init(&changed, at);
    changed.params->k = k;
    return gemm_oracle(&changed.problem, changed.tensors, outputs, at->stream, err);
}

static int drop_last_term(const struct mutant_case *at, double *const *outputs, struct err *err) {
    return run_with_terms(at, gemm_params_of(at->problem)->k - 1, outputs, err);
}

static int drop_tail(const struct mutant_case *at, double *const *outputs, struct err *err) {
    const int64_t k = gemm_params_of(at->problem)->k;
    return run_with_terms(at, k - k % TILE, outputs, err);
}

static int drop_activation(const struct mutant_case *at, double *const *outputs, struct err *err) {
    struct changed changed;
    changed_init(&changed, at);
    changed.params->activation = GEMM_NONE;
    return gemm_oracle(&changed.problem, changed.tensors, outputs, at->stream, err);
}

static int drop_former(const struct mutant_case *at, double *const *outputs, struct err *err) {
    struct changed changed;
    changed_init(&changed, at);
    changed.params->is_accumulating = false;
    return gemm_oracle(&changed.problem, changed.tensors, outputs, at->stream, err);
}

static int exchange_activation(const struct mutant_case *at, double *const *outputs, struct err *err) {
    struct changed changed;
    changed_init(&changed, at);
    changed.params->activation = changed.params->activation == GEMM_RELU ? GEMM_GELU : GEMM_RELU;
    return gemm_oracle(&changed.problem, changed.tensors, outputs, at->stream, err);
}

static int flip_b(const struct mutant_case *at, double *const *outputs, struct err *err) {
    struct changed changed;
    changed_init(&changed, at);
    changed.params->is_b_transposed = !changed.params->is_b_transposed;
    return gemm_oracle(&changed.problem, changed.tensors, outputs, at->stream, err);
}

// Runs the oracle with other values in place of a small input, the bias or a scale.
static int run_with(const struct mutant_case *at, const char *name, bool is_shifted, double *const *outputs,
                    struct err *err) {
    struct changed changed;
    changed_init(&changed, at);
    void *memory = NULL;
    for (uint32_t i = 0; i < at->input_count; ++i) {
        struct assay_tensor *tensor = &changed.tensors[i];
        if (!str_equal(tensor->name, name)) continue;
        const size_t element = dtype_bytes(tensor->dtype), count = (size_t)tensor->shape[0];
        memory = mem_try_array(count, element);
        if (!memory) return err_set(err, ERR_UNAVAILABLE, "no memory for another '%s'", name);
        for (size_t k = 0; k < count; ++k) {
            const char *from = (const char *)tensor->data + (k + is_shifted) % count * element;
            dtype_store(tensor->dtype, (char *)memory + k * element,
                        is_shifted                    ? dtype_load(tensor->dtype, from)
                        : tensor_is_statistic(tensor) ? 1
                                                      : 0);
        }
        tensor->data = memory;
    }
    const int code = gemm_oracle(&changed.problem, changed.tensors, outputs, at->stream, err);
    free(memory);
    return code;
}

static int drop_bias(const struct mutant_case *at, double *const *outputs, struct err *err) {
    return run_with(at, "bias", false, outputs, err);
}

static bool has_wide_bias(const struct mutant_case *at) {
    return has_bias(at) && gemm_params_of(at->problem)->n > 1;
}

static int shift_bias(const struct mutant_case *at, double *const *outputs, struct err *err) {
    return run_with(at, "bias", true, outputs, err);
}

static int drop_scale(const struct mutant_case *at, double *const *outputs, struct err *err) {
    return run_with(at, "b_scale", false, outputs, err);
}

static int leave_row_tail(const struct mutant_case *at, double *const *outputs, struct err *err) {
    (void)err;
    const struct gemm_params *p = gemm_params_of(at->problem);
    for (int64_t i = p->m / TILE * TILE * p->n; i < p->m * p->n; ++i)
        outputs[0][i] = at->stale ? at->stale[0][i] : 0;
    return 0;
}

static int leave_column_tail(const struct mutant_case *at, double *const *outputs, struct err *err) {
    (void)err;
    const struct gemm_params *p = gemm_params_of(at->problem);
    for (int64_t i = 0; i < p->m * p->n; ++i)
        if (i % p->n >= p->n / TILE * TILE) outputs[0][i] = at->stale ? at->stale[0][i] : 0;
    return 0;
}

const struct mutant gemm_mutants[] = {
    {"last_term_lost", "the last term of each sum is left out", has_more_terms, drop_last_term},
    {"k_tail_lost", "terms behind the last whole tile are left out", has_tail_of_k, drop_tail},
    {"row_tail_stale", "rows behind the last whole tile are not written", has_row_tail, leave_row_tail},
    {"column_tail_stale", "columns behind the last whole tile are not written", has_column_tail,
     leave_column_tail},
    {"b_flipped", "B is read the other way round", is_square, flip_b},
    {"bias_missing", "the bias is not added", has_bias, drop_bias},
    {"bias_shifted", "column j gets the bias of column j + 1", has_wide_bias, shift_bias},
    {"former_c_lost", "C is overwritten, not added to", is_accumulating, drop_former},
    {"activation_missing", "the activation is left out", has_activation, drop_activation},
    {"activation_wrong", "relu in place of gelu, or the other way", has_activation, exchange_activation},
    {"scale_missing", "fp8: the scale of B is taken for 1", has_scales, drop_scale},
    {NULL, NULL, NULL, NULL},
};

// ---- suites and peers ----

static const struct op_suite_problem gpu_problems[] = {
    {"square1024", "m1024/n1024/k1024/bt"},   {"square4096", "m4096/n4096/k4096/bt"},
    {"square4096_nn", "m4096/n4096/k4096"},   {"mlp", "m4096/n14336/k4096/bt/bias/gelu"},
    {"tall", "m16384/n1024/k1024/bt/bias"},   {"narrow", "m8192/n512/k4096/bt"},
    {"decode1", "m1/n4096/k4096/bt/bias"},    {"decode16", "m16/n4096/k4096/bt/bias"},
    {"decode64", "m64/n14336/k4096/bt/bias"}, {"odd", "m4095/n4090/k4100/bt"},
};

// Sized for two processor cores: at most 2 GFLOP.
static const struct op_suite_problem cpu_problems[] = {
    {"square256", "m256/n256/k256"},         {"square512", "m512/n512/k512"},
    {"square1000", "m1000/n1000/k1000"},     {"square512_bt", "m512/n512/k512/bt"},
    {"mlp", "m128/n2048/k512/bt/bias/gelu"}, {"tall", "m8192/n64/k256/bias/relu"},
    {"decode1", "m1/n4096/k1024/bt/bias"},   {"decode16", "m16/n2048/k1024/bt/bias"},
    {"deep", "m96/n96/k16384/bt"},
};

// Checked by default, beside the boundary matrix of --boundary: every combination of sizes around tiles.
static const struct op_suite_problem fuzz_problems[] = {
    {NULL, "m128/n128/k128"},
    {NULL, "m256/n384/k512"},
    {NULL, "m257/n384/k512"},
    {NULL, "m256/n385/k512"},
    {NULL, "m256/n384/k513"},
    {NULL, "m640/n320/k192"},
    {NULL, "m1/n512/k1024"},
    {NULL, "m16/n1024/k512"},
    {NULL, "m100/n100/k100"},
    {NULL, "m128/n128/k128/bt"},
    {NULL, "m256/n384/k512/bt"},
    {NULL, "m257/n385/k513/bt"},
    {NULL, "m640/n320/k192/bt"},
    {NULL, "m1/n512/k1024/bt"},
    {NULL, "m16/n1024/k512/bt"},
    {NULL, "m256/n384/k512/bias"},
    {NULL, "m256/n384/k512/bt/bias"},
    {NULL, "m256/n384/k512/relu"},
    {NULL, "m256/n384/k512/bt/gelu"},
    {NULL, "m250/n390/k515/bias/relu"},
    {NULL, "m250/n390/k515/bt/bias/gelu"},
    {NULL, "m512/n64/k2048/bias"},
    {NULL, "m64/n512/k2048/bt/bias"},
    {NULL, "m513/n129/k1025/bt/bias/relu"},
};

static const struct op_suite_problem quick_problems[] = {{"q64", "m64/n64/k64"},
                                                         {"q96_bias", "m96/n80/k72/bt/bias/gelu"},
                                                         {"q80_acc", "m80/n96/k64/acc"},
                                                         {"q1", "m1/n128/k128/bt"}};

const struct op_suite gemm_suites[] = {
    {.name = "gemm",
     .summary = "square, tall and decode-like products (GPU sizes)",
     .dtype = "bf16",
     OP_SUITE_PROBLEMS(gpu_problems)},
    {.name = "gemm_cpu",
     .summary = "the same kinds of products, sized for two processor cores",
     .dtype = "fp32",
     OP_SUITE_PROBLEMS(cpu_problems)},
    {.name = "gemm_fuzz",
     .summary = "24 products of the correctness matrix",
     .dtype = "fp32",
     .matrix = OP_MATRIX_LARGE,
     OP_SUITE_PROBLEMS(fuzz_problems)},
    {.name = "gemm_boundary",
     .summary = "tails, epilogues, layouts, extreme inputs: what gates check",
     .dtype = "fp32",
     .matrix = OP_MATRIX_BOUNDARY},
    {.name = "gemm_quick",
     .summary = "four tiny products for a first try",
     .dtype = "fp32",
     OP_SUITE_PROBLEMS(quick_problems)},
    {0},
};

const struct op_peer gemm_peers[] = {
    {"torch", "torch_gemm:own", "cuda cpu", "PyTorch's linear: cuBLAS on a GPU, oneDNN or OpenBLAS on a CPU",
     .oracle_rank = 1},
    {"openblas", NULL, "cpu", "OpenBLAS's cblas_sgemm from C, without PyTorch", 0},
    {0},
};
