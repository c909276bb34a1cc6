// SPDX-License-Identifier: Apache-2.0
//
// The annotated example: a complete operator in one file. `scale` computes y[i] = a x[i], small enough to
// show all that assay needs from an operator. To add your own: copy this folder, change what the comments
// describe, and add one line to op/table.c. fuzz, bench, gate and reports find everything here. A kernel
// for it sets .op = "scale" and is tried with `assay fuzz --problem scale/fp32/n1000 --module yours.so`.
#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "op/dtype.h"
#include "op/mutant.h"
#include "op/operator.h"
#include "op/random_normal.h"
#include "op/seed_stream.h"

// 1. Parameters: a plain struct of at most PROBLEM_PARAM_BYTES. Problems are copied by value, so it has no
// pointers.
struct scale_params {
    int64_t count;
    double factor; // 2 unless named
    int32_t dtype; // of x and y
};

static const struct scale_params *params_of(const struct problem *problem) {
    return (const struct scale_params *)(const void *)problem->params;
}

#define FACTOR_DEFAULT 2.0
#define COUNT_MAX      (INT64_C(1) << 32)

// 2. Names: "scale/<dtype>/n<N>[/a<factor>]". parse gets the fields after "scale", params zeroed; its
// error says what is allowed. problem_parse puts the problem's name in front.
static int scale_parse(const struct operator_def *op, const char *const *fields, size_t field_count,
                       void *params, struct err *err) {
    (void)op; // for functions that serve several operators
    struct scale_params *p = params;
    long long count = 0;
    p->factor = FACTOR_DEFAULT;
    if (field_count < 2 || field_count > 3)
        return err_set(err, ERR_USAGE, "expected scale/<dtype>/n<N>[/a<factor>]");
    p->dtype = dtype_parse(fields[0]);
    if (p->dtype != ASSAY_FP32 && p->dtype != ASSAY_FP16 && p->dtype != ASSAY_BF16)
        return err_set(err, ERR_USAGE, "'%.40s': the element type must be one of fp32, fp16, bf16",
                       fields[0]);
    if (fields[1][0] != 'n' || str_parse_i64(fields[1] + 1, &count) < 0 || count < 1 || count > COUNT_MAX)
        return err_set(err, ERR_USAGE, "'%.40s': expected n<N> with N from 1 to 2^32", fields[1]);
    p->count = count;
    if (field_count == 3 && (fields[2][0] != 'a' || str_parse_double(fields[2] + 1, &p->factor) < 0))
        return err_set(err, ERR_USAGE, "'%.40s': expected a<factor> such as a0.5", fields[2]);
    if (!(fabs(p->factor) <= (double)FLT_MAX))
        return err_set(err, ERR_USAGE, "'%.40s': the factor must fit a float", fields[2]);
    p->factor = (double)(float)p->factor; // kernels get a float, and so does the name
    return 0;
}

// From parameters to the canonical name, which omits defaults and parses to the same parameters: a float
// needs 9 digits.
static void scale_format(const struct problem *problem, struct strbuf *out) {
    const struct scale_params *p = params_of(problem);
    strbuf_addf(out, "%s/n%lld", dtype_name(p->dtype), (long long)p->count);
    if (p->factor != FACTOR_DEFAULT) strbuf_addf(out, "/a%.9g", p->factor);
}

// 3. What a kernel gets: tensors by name, inputs first, with dense strides, and named numbers, the axes
// first. A new operator's tensors have the role ASSAY_NAMED (X and Y are older than names).
static void scale_describe(const struct problem *problem, struct problem_abi *ret) {
    const struct scale_params *p = params_of(problem);
    const char *const names[] = {"x", "y"};
    const int32_t roles[] = {ASSAY_X, ASSAY_Y}, access[] = {ASSAY_IN, ASSAY_OUT};
    for (int i = 0; i < 2; ++i)
        ret->tensors[i] = (struct assay_tensor){.name = names[i],
                                                .role = roles[i],
                                                .access = access[i],
                                                .dtype = p->dtype,
                                                .dim_count = 1,
                                                .shape = {p->count},
                                                .stride = {1}};
    ret->tensor_count = 2;
    ret->scalars[0] = (struct assay_scalar){"count", (double)p->count};
    ret->scalars[1] = (struct assay_scalar){"factor", p->factor};
    ret->problem.scalar_count = 2;
    ret->problem.axis_count = 1; // count
}

// 4. The work model, from which throughput, roofline and the sanity check against measured ceilings are
// computed. Count useful operations only, and every byte once.
static double scale_flops(const struct problem *problem) {
    return (double)params_of(problem)->count;
}

static double scale_bytes(const struct problem *problem) {
    const struct scale_params *p = params_of(problem);
    return 2.0 * (double)p->count * (double)dtype_bytes(p->dtype);
}

// 5. Inputs. Besides "normal", name distributions that are likely to break kernels of this operator. fill
// is a pure function of its arguments: the same seed gives the same bytes on every machine, for any
// strides.
static const char *const scale_distributions[] = {"nan", "large", NULL};

static int scale_fill(const struct problem *problem, const char *distribution, uint64_t seed,
                      uint32_t tensor_index, const struct assay_tensor *tensor, struct err *err) {
    (void)problem, (void)tensor_index, (void)err; // one input, nothing that can fail
    struct normal_source normals;
    normal_source_init(&normals, seed, seed_stream("scale x"));
    const double amplitude = str_equal(distribution, "large") ? 8e3 : 1.0; // twice the largest is below 65504
    for (int64_t i = 0; i < tensor->shape[0]; ++i) {
        double value;
        normal_row(&normals, (uint64_t)i, 1, &value);
        value *= amplitude;
        if (str_equal(distribution, "nan") && i % 7 == 3) value = (double)NAN;
        dtype_store(tensor->dtype,
                    (char *)tensor->data + (size_t)(i * tensor->stride[0]) * dtype_bytes(tensor->dtype),
                    value);
    }
    return 0;
}

// 6. The oracle: the right results, in float64, from the rounded inputs (rounding by fill is no error of the
// kernel). Use the threads that the stream offers; share no code with a kernel.
struct scale_oracle {
    const struct assay_tensor *x;
    double factor;
    double *y;
};

#define ORACLE_BLOCK 4096 // elements of one task

static void scale_oracle_block(void *arg, int64_t index, uint32_t thread) {
    (void)thread; // would choose a scratch buffer
    const struct scale_oracle *o = arg;
    const int64_t first = index * ORACLE_BLOCK;
    const int64_t count = o->x->shape[0] - first < ORACLE_BLOCK ? o->x->shape[0] - first : ORACLE_BLOCK;
    const char *from =
        (const char *)o->x->data + (size_t)first * dtype_bytes(o->x->dtype); // rank 1 is always dense
    dtype_load_row(o->x->dtype, from, (size_t)count, o->y + first);
    for (int64_t i = 0; i < count; ++i) o->y[first + i] *= o->factor;
}

static int scale_oracle(const struct problem *problem, const struct assay_tensor *tensors,
                        double *const *outputs, const struct assay_cpu_stream *stream, struct err *err) {
    (void)err; // only needed by oracles that allocate
    const struct scale_params *p = params_of(problem);
    struct scale_oracle o = {.x = &tensors[0], .factor = p->factor, .y = outputs[0]};
    stream->parallel_for(stream, (p->count + ORACLE_BLOCK - 1) / ORACLE_BLOCK, scale_oracle_block, &o);
    return 0;
}

// 7. Tolerances. One multiplication is correctly rounded, so the relative tolerance is one unit in the
// last place, and the absolute one is the smallest subnormal number, where a relative one has no meaning.
// With a same-precision reference (a plain kernel in the same precision, linked in) the 2 x rule can gate
// as well; then slice_counts and slice give the parts of the output that can be computed alone.
static struct op_tolerance scale_tolerance(const struct problem *problem, const char *distribution,
                                           uint32_t tensor_index) {
    (void)distribution;
    (void)tensor_index; // one output
    const struct scale_params *p = params_of(problem);
    return (struct op_tolerance){.atol = dtype_ulp(p->dtype, 0),
                                 .rtol = dtype_ulp(p->dtype, 1),
                                 .min_pass_fraction = 1,
                                 .rel_l2_max = INFINITY,
                                 .is_two_x_gated = false};
}

// 8. Cases that regular shapes miss, for `assay fuzz --boundary`: around vector widths and blocks, special
// values, barely aligned tensors; and problems that are drawn anew in every run.
static const struct op_boundary scale_boundary[] = {
    {"normal", MEMORY_LAYOUT_DENSE, false, "n1, n7, n1023"},
    {"normal", MEMORY_LAYOUT_OFFSET, false, "n8, n1025"},
    {"nan", MEMORY_LAYOUT_DENSE, false, "n100/a0"},
    {"large", MEMORY_LAYOUT_DENSE, false, "n1000/a-0.375"},
    {0},
};

static void scale_draw(const struct operator_def *op, struct dice *dice, struct strbuf *ret_fields) {
    (void)op;
    strbuf_addf(ret_fields, "n%u/a%u.5", 1 + (unsigned)dice_below(dice, 5000), (unsigned)dice_below(dice, 9));
}

// 9. Smaller problems, for the smallest one that shows a failure: sizes, and options that are left out.
static int64_t scale_size(const struct problem *problem, size_t axis) {
    return axis == 0 ? params_of(problem)->count : 0;
}

static bool scale_resize(const struct problem *problem, size_t axis, int64_t size, struct problem *ret) {
    (void)axis; // there is one
    *ret = *problem;
    ((struct scale_params *)(void *)ret->params)->count = size;
    problem_rename(ret); // after every change of params
    return true;
}

static bool scale_drop_option(struct problem *problem, size_t step) {
    ((struct scale_params *)(void *)problem->params)->factor = FACTOR_DEFAULT;
    return step == 0; // there is one
}

// 10. Mutants: wrong results that kernels of this operator may give, for `assay fuzz --audit`, which says
// where a tolerance lets one pass. Zeros, stale output, rows that are not written and half the precision
// need no entry: every operator has them (op/mutant.c). outputs hold the right results.
static bool has_factor(const struct mutant_case *at) {
    return params_of(at->problem)->factor != 1;
}

static int scale_twice(const struct mutant_case *at, double *const *outputs, struct err *err) {
    (void)err;
    const struct scale_params *p = params_of(at->problem);
    for (int64_t i = 0; i < p->count; ++i) outputs[0][i] *= p->factor;
    return 0;
}

static const struct mutant scale_mutants[] = {
    {"factor_twice", "the factor is multiplied twice", has_factor, scale_twice},
    {NULL, NULL, NULL, NULL},
};

// 11. Suites: what is measured and checked when a command names none, by name. Suite names are unique.
static const struct op_suite_problem scale_problems[] = {
    {"n1000", "n1000"}, {"n65536", "n65536"}, {"n1048577", "n1048577"}};

// Tiny problems for simulated devices. Kernels there last as long as their script says, so only the number
// of problems matters.
static const struct op_suite_problem sim_problems[] = {
    {"p0", "n64"},  {"p1", "n65"},  {"p2", "n66"},  {"p3", "n67"},  {"p4", "n68"},  {"p5", "n69"},
    {"p6", "n70"},  {"p7", "n71"},  {"p8", "n72"},  {"p9", "n73"},  {"p10", "n74"}, {"p11", "n75"},
    {"p12", "n76"}, {"p13", "n77"}, {"p14", "n78"}, {"p15", "n79"}, {"p16", "n80"}, {"p17", "n81"},
    {"p18", "n82"}, {"p19", "n83"}, {"p20", "n84"}, {"p21", "n85"}, {"p22", "n86"}, {"p23", "n87"},
    {"p24", "n88"}, {"p25", "n89"}, {"p26", "n90"},
};

static const struct op_suite scale_suites[] = {
    {.name = "scale",
     .summary = "three lengths of the example operator",
     .dtype = "fp32",
     OP_SUITE_PROBLEMS(scale_problems)},
    {.name = "scale_boundary", // the cases of .boundary below
     .summary = "tails, special values, barely aligned tensors: what gates check",
     .dtype = "fp32",
     .matrix = OP_MATRIX_BOUNDARY},
    {.name = "sim",
     .summary = "ten tiny problems for simulated devices",
     .dtype = "fp32",
     .problem_count = 10,
     .problems = sim_problems},
    {.name = "sim27",
     .summary = "27 of them, as many as a large suite has",
     .dtype = "fp32",
     OP_SUITE_PROBLEMS(sim_problems)},
    {0},
};

static_assert(sizeof(struct scale_params) <= PROBLEM_PARAM_BYTES, "the parameters must fit a problem");

// 12. The table entry, and the line OPERATOR(scale) in op/table.c.
extern const struct operator_def scale_operator;
const struct operator_def scale_operator = {
    .name = "scale",
    .summary = "y = a x, element by element: the annotated example",
    .example = "scale/fp32/n1000000",
    .same_precision = NULL,
    .parse = scale_parse,
    .format = scale_format,
    .describe = scale_describe,
    .flops = scale_flops,
    .compulsory_bytes = scale_bytes,
    .distributions = scale_distributions,
    .distribution_applies = NULL, // all of them, always
    .fill = scale_fill,
    .oracle = scale_oracle,
    .tolerance = scale_tolerance,
    .slice_counts = NULL, // no same-precision reference
    .slice = NULL,
    .boundary = scale_boundary,
    .draw = scale_draw,
    .size = scale_size,
    .resize = scale_resize,
    .drop_option = scale_drop_option,
    .mutants = scale_mutants,
    .suites = scale_suites,
    .cpu_suite = "scale",
    .gpu_suite = "scale",
    .check_suite = "scale",
    .gate_check_suite = "scale_boundary",
    .peers = NULL, // libraries that compute the same
};
