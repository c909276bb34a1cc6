// SPDX-License-Identifier: Apache-2.0
//
// Rows sampled from a problem, run as small problems of their own: by the plain kernel, for the 2 x rule, and
// by the oracle, for inputs that have no complete reference.
#include "worker/check/same_precision.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <assay/kernel_supports.h>

#include "base/mem.h"
#include "op/declared/declared.h"
#include "op/dtype.h"
#include "op/seed_stream.h"
#include "worker/check/declared_precision.h"
#include "worker/check/declared_reference.h"
#include "worker/check/result_rules.h"
#include "worker/check/tensor_compare.h"
#include "worker/module/builtin.h"

#define TWO_X_FACTOR 2.0
#define TWO_X_ULPS   2.0
// The worst of many rows varies by chance more than their mean, and other rows are the worst of another order
// of sums.
#define WORST_ROW_FACTOR 4
#define LIMIT_FACTOR     2.0
#define LIMIT_ULPS       16.0 // of an element's error without a plain kernel, twice
// Rows of one call share what it loads: so many times as many cost no more than as many calls.
#define WHOLE_RATIO 4u

#define CHUNK_ELEMENTS 1024 // that are compared at a time
// Root mean square of one rounding's error, in units in the last place: 1/sqrt(12).
#define ROUNDING_RMS_ULPS 0.28867513459481287

struct row_plan {
    uint64_t groups, rows, groups_drawn, rows_a_group, count, seed;
    uint64_t pieces_a_group; // of its rows, which share what they load: so many that no thread is idle
};

// Whether all rows at once cost no more than that many, one by one.
static bool is_cheap_whole(const struct row_plan *plan, uint64_t count) {
    return plan->groups * plan->rows <= WHOLE_RATIO * count;
}

// rows_a_group: drawn ones, besides the first and the last.
static struct row_plan plan_rows(const struct problem *problem, uint64_t seed, uint64_t rows_a_group) {
    struct row_plan plan = {.seed = seed};
    if (!problem->op->slice) return plan;
    problem->op->slice_counts(problem, &plan.groups, &plan.rows);
    if (!plan.groups || !plan.rows) return plan;
    uint64_t wanted = rows_a_group + 2;
    plan.groups_drawn = plan.groups < SAME_PRECISION_GROUPS_MAX ? plan.groups : SAME_PRECISION_GROUPS_MAX;
    if (wanted * plan.groups_drawn > SAME_PRECISION_ROWS_MAX)
        wanted = SAME_PRECISION_ROWS_MAX / plan.groups_drawn;
    plan.rows_a_group = plan.rows < wanted ? plan.rows : wanted;
    plan.count = plan.groups_drawn * plan.rows_a_group;
    return plan;
}

// The k-th of `count` among `all`: the first, the last, and one drawn from each of the equally long stretches
// between them, none twice.
static uint64_t drawn_at(uint64_t all, uint64_t count, uint64_t k, uint64_t seed, const char *name,
                         uint64_t number) {
    if (count == all || k == 0) return k;
    if (k == count - 1) return all - 1;
    const uint64_t inner = all - 2, pieces = count - 2;
    const uint64_t begin = inner * (k - 1) / pieces, end = inner * k / pieces;
    return 1 + begin + seed_below(seed, name, number, end - begin);
}

static void row_at(const struct row_plan *plan, uint64_t index, uint64_t *ret_group, uint64_t *ret_row) {
    const uint64_t group = index / plan->rows_a_group, row = index % plan->rows_a_group;
    *ret_group = drawn_at(plan->groups, plan->groups_drawn, group, plan->seed, "yardstick group", group);
    *ret_row = drawn_at(plan->rows, plan->rows_a_group, row, plan->seed, "yardstick row", index);
}

static int64_t spread_rows(struct row_plan *plan, const struct assay_cpu_stream *stream) {
    const uint64_t wanted = (stream->thread_count + plan->groups_drawn - 1) / plan->groups_drawn;
    plan->pieces_a_group = wanted < plan->rows_a_group ? wanted : plan->rows_a_group;
    return (int64_t)(plan->groups_drawn * plan->pieces_a_group);
}

// Drawn rows of one group, and the index of the first one. The caller frees them.
struct piece {
    struct op_rows of;
    uint64_t *rows, first;
};

static struct piece piece_at(const struct row_plan *plan, int64_t index) {
    const uint64_t all = plan->rows_a_group, pieces = plan->pieces_a_group;
    const uint64_t group = (uint64_t)index / pieces, piece = (uint64_t)index % pieces;
    const uint64_t begin = all * piece / pieces, end = all * (piece + 1) / pieces;
    struct piece ret = {.first = group * all + begin, .rows = mem_alloc((end - begin) * sizeof *ret.rows)};
    ret.of = (struct op_rows){.rows = ret.rows, .count = end - begin};
    for (uint64_t r = 0; r < ret.of.count; ++r) row_at(plan, ret.first + r, &ret.of.group, &ret.rows[r]);
    return ret;
}

// ---- one row ----

// The larger one; NaN if either is NaN, which fails the rule.
static double larger(double a, double b) {
    return isnan(a) || b <= a ? a : b;
}

static void run_serially(const struct assay_cpu_stream *stream, int64_t count,
                         void (*body)(void *arg, int64_t index, uint32_t thread), void *arg) {
    (void)stream;
    for (int64_t i = 0; i < count; ++i) body(arg, i, 0);
}

static const struct assay_cpu_stream serial_stream = {
    .struct_size = sizeof serial_stream, .thread_count = 1, .parallel_for = run_serially};

// Through the ABI like any kernel; a row on one thread: the rows are spread over the threads instead. Outputs
// of the slice get memory in one piece, *ret_memory, which the caller frees.
static bool run_plain(const struct assay_kernel *kernel, const struct assay_cpu_stream *on,
                      struct op_slice *slice, void **ret_memory) {
    size_t bytes = 0, offsets[OP_TENSORS_MAX];
    for (uint32_t i = 0; i < slice->tensor_count; ++i) {
        offsets[i] = bytes;
        if (slice->tensors[i].access == ASSAY_IN) continue;
        bytes += ((size_t)tensor_span_bytes(&slice->tensors[i]) + 63) / 64 * 64;
    }
    char *memory = *ret_memory = aligned_alloc(64, bytes ? bytes : 64);
    if (!memory) return false;
    for (uint32_t i = 0; i < slice->tensor_count; ++i) {
        struct assay_tensor *tensor = &slice->tensors[i], before = *tensor;
        if (tensor->access == ASSAY_IN) continue;
        tensor->data = memory + offsets[i];
        if (tensor->access == ASSAY_INOUT) tensor_copy(tensor, &before);
    }

    struct problem_abi abi;
    problem_describe(&slice->problem, MEMORY_LAYOUT_DENSE, &abi);
    for (uint32_t i = 0; i < slice->tensor_count; ++i) { // the inputs keep their parent's strides
        abi.tensors[i] = slice->tensors[i];
        abi.tensors[i].data = NULL;
    }
    if (assay_kernel_supports(kernel, &abi.problem, NULL) != ASSAY_OK) return false;
    struct assay_env env = {.struct_size = sizeof env, .thread_count = on->thread_count, .device_index = -1};
    void *state = &abi.problem, *workspace = NULL;
    size_t workspace_bytes = 0;
    if (kernel->prepare && kernel->prepare(&abi.problem, &env, &state, &workspace_bytes, NULL) != ASSAY_OK)
        return false;
    bool is_run = false;
    if (workspace_bytes) workspace = aligned_alloc(256, (workspace_bytes + 255) / 256 * 256);
    if (!workspace_bytes || workspace) {
        struct assay_tensors list = {.struct_size = sizeof list,
                                     .tensor_count = slice->tensor_count,
                                     .tensor_bytes = sizeof slice->tensors[0],
                                     .items = slice->tensors};
        void *stream = (void *)(uintptr_t)on; // the ABI passes it without const
        is_run = kernel->launch(state, &list, workspace, stream, NULL) == ASSAY_OK;
    }
    free(workspace);
    if (kernel->release && state != &abi.problem) kernel->release(state);
    return is_run;
}

struct same_precision_job {
    const struct case_buffers *buffers;
    const struct reference *reference;
    const struct assay_kernel *plain; // NULL: use the outputs in the buffers
    struct op_slice whole;            // tensor_count: the plain kernel has run on everything, into these
    struct row_plan plan;
    bool is_gated[OP_TENSORS_MAX];
    struct error_sums *errors; // [plan.count][outputs]
    uint32_t output_count;
    atomic_bool has_failed;
};

// Elements `first` and following of a tensor, against as many results of the oracle.
static void add_errors(const struct assay_tensor *from, uint64_t first, const double *ref, uint64_t count,
                       struct error_sums *to) {
    for (uint64_t e = 0; e < count; ++e) {
        const void *at = tensor_element_at(from, first + e);
        if (!isfinite(ref[e])) continue; // such elements are compared exactly, elsewhere
        const double size = fabs(dtype_load(from->dtype, at) - ref[e]);
        to->max_abs = larger(to->max_abs, size);
        to->sum_square += size * size;
        to->ref_sum_square += ref[e] * ref[e];
        ++to->count;
    }
}

// place, row: of a slice of several rows, which of them it is and which of its group; else 0.
static void add_slice_outputs(struct same_precision_job *job, const struct op_slice *slice, uint64_t place,
                              uint64_t row, struct error_sums *errors) {
    uint32_t output = 0;
    for (uint32_t i = 0; i < slice->tensor_count; ++i) {
        const struct assay_tensor *tensor = &slice->tensors[i];
        if (tensor->access == ASSAY_IN) continue;
        const uint64_t count = slice->output_count[output];
        const uint64_t offset = slice->output_offset[output] + row * count;
        const bool is_row = job->plain && !job->whole.tensor_count;
        const struct assay_tensor *from = is_row ? tensor
                                          : job->plain
                                              ? &job->whole.tensors[job->buffers->input_count + output]
                                              : case_buffers_host_output(job->buffers, output);
        const double *ref = job->reference->outputs[output] + offset;
        if (job->is_gated[output])
            add_errors(from, is_row ? place * count : offset, ref, count, &errors[output]);
        ++output;
    }
}

static void measure_row(struct same_precision_job *job, uint64_t index, uint64_t group, uint64_t row) {
    struct op_slice slice;
    job->buffers->problem.op->slice(&job->buffers->problem, job->buffers->before, group, row, &slice);
    if (!slice.tensor_count) return; // a row without anything to compute
    void *memory = NULL;
    if (job->plain && !job->whole.tensor_count && !run_plain(job->plain, &serial_stream, &slice, &memory))
        atomic_store(&job->has_failed, true);
    else
        add_slice_outputs(job, &slice, 0, 0, &job->errors[index * job->output_count]);
    free(memory);
}

// The plain kernel on rows that then share what it loads. False: they need a call each.
static bool measure_together(struct same_precision_job *job, const struct piece *piece) {
    const struct problem *problem = &job->buffers->problem;
    struct op_slice slice;
    void *inputs = NULL, *outputs = NULL;
    if (!job->plain || job->whole.tensor_count || !problem->op->slice_rows) return false;
    if (!problem->op->slice_rows(problem, job->buffers->before, &piece->of, &slice, &inputs)) return false;
    const bool is_run = run_plain(job->plain, &serial_stream, &slice, &outputs);
    if (!is_run) atomic_store(&job->has_failed, true);
    for (uint64_t r = 0; is_run && r < piece->of.count; ++r)
        add_slice_outputs(job, &slice, r, piece->rows[r],
                          &job->errors[(piece->first + r) * job->output_count]);
    free(outputs);
    free(inputs);
    return true;
}

static void measure_piece(void *arg, int64_t index, uint32_t thread) {
    (void)thread;
    struct same_precision_job *job = arg;
    const struct piece piece = piece_at(&job->plan, index);
    if (!measure_together(job, &piece))
        for (uint64_t r = 0; r < piece.of.count; ++r)
            measure_row(job, piece.first + r, piece.of.group, piece.rows[r]);
    free(piece.rows);
}

// Distributes rows over threads and adds their sums in the order of rows, so that the figures do not
// depend on the threads.
static bool run_rows(struct same_precision_job *job, struct reference_same_precision *ret) {
    const struct assay_cpu_stream *stream = job->buffers->device->host_stream;
    void *memory = NULL;
    if (job->plain && is_cheap_whole(&job->plan, job->plan.count)) {
        job->whole.problem = job->buffers->problem;
        job->whole.tensor_count = job->buffers->tensor_count;
        memcpy(job->whole.tensors, job->buffers->before,
               job->whole.tensor_count * sizeof *job->whole.tensors);
        if (!run_plain(job->plain, stream, &job->whole, &memory)) atomic_store(&job->has_failed, true);
    }
    job->output_count = case_buffers_output_count(job->buffers);
    job->errors = mem_alloc(job->plan.count * job->output_count * sizeof *job->errors);
    stream->parallel_for(stream, spread_rows(&job->plan, stream), measure_piece, job);
    for (uint32_t k = 0; k < job->output_count; ++k) {
        struct error_sums all = {0};
        uint64_t rows = 0;
        for (uint64_t r = 0; r < job->plan.count; ++r) {
            const struct error_sums *e = &job->errors[r * job->output_count + k];
            all.max_abs = larger(all.max_abs, e->max_abs);
            all.sum_square += e->sum_square;
            all.ref_sum_square += e->ref_sum_square;
            all.count += e->count;
            rows += e->count > 0;
        }
        ret[k] = precision_figures(&all);
        ret[k].row_count = rows;
    }
    free(job->errors);
    free(memory);
    return !atomic_load(&job->has_failed);
}

static uint64_t rows_a_group_of(const struct reference *reference) {
    return reference->rows_a_group ? reference->rows_a_group : SAME_PRECISION_ROWS_A_GROUP;
}

struct oracle_job {
    const struct case_buffers *buffers;
    struct row_plan plan;
    double *const *outputs;
    atomic_bool has_failed;
};

// A group's rows one by one, as small problems.
static int compute_slices(const struct oracle_job *job, const struct op_rows *rows) {
    const struct problem *problem = &job->buffers->problem;
    for (size_t i = 0; i < rows->count; ++i) {
        struct op_slice slice;
        double *outputs[OP_TENSORS_MAX] = {NULL};
        problem->op->slice(problem, job->buffers->before, rows->group, rows->rows[i], &slice);
        if (!slice.tensor_count) continue;
        for (uint32_t k = 0; k < case_buffers_output_count(job->buffers); ++k)
            outputs[k] = job->outputs[k] + slice.output_offset[k];
        TRY(problem->op->oracle(&slice.problem, slice.tensors, outputs, &serial_stream, NULL));
    }
    return 0;
}

static void compute_piece(void *arg, int64_t index, uint32_t thread) {
    (void)thread;
    struct oracle_job *job = arg;
    const struct problem *problem = &job->buffers->problem;
    const struct piece piece = piece_at(&job->plan, index);
    const int code = problem->op->oracle_rows ? problem->op->oracle_rows(problem, job->buffers->before,
                                                                         &piece.of, job->outputs, NULL)
                                              : compute_slices(job, &piece.of);
    if (code < 0) atomic_store(&job->has_failed, true);
    free(piece.rows);
}

int same_precision_oracle(const struct case_buffers *buffers, const struct reference *reference,
                          double *const *outputs, struct err *err) {
    const struct assay_cpu_stream *stream = buffers->device->host_stream;
    struct oracle_job job = {.buffers = buffers, .outputs = outputs};
    job.plan = plan_rows(&buffers->problem, buffers->seed, rows_a_group_of(reference));
    if (is_cheap_whole(&job.plan, job.plan.count)) return oracle_run(buffers, outputs, NULL, err);
    stream->parallel_for(stream, spread_rows(&job.plan, stream), compute_piece, &job);
    if (!atomic_load(&job.has_failed)) return 0;
    return err_set(err, ERR_INTERNAL, "the oracle cannot run rows of %s", buffers->problem.name);
}

int same_precision_measure(const struct case_buffers *buffers, const struct reference *reference,
                           struct reference_same_precision ret[OP_TENSORS_MAX], struct err *err) {
    memset(ret, 0, OP_TENSORS_MAX * sizeof *ret);
    struct same_precision_job job = {.buffers = buffers, .reference = reference};
    job.plan = plan_rows(&buffers->problem, buffers->seed, rows_a_group_of(reference));
    const char *name = buffers->problem.op->same_precision;
    if (!name || !job.plan.count || !precision_find_gated(buffers, job.is_gated)) return 0;
    job.plain = builtin_find(name, err);
    if (!job.plain) return -ERR_INTERNAL;
    if (!run_rows(&job, ret))
        return err_set(err, ERR_INTERNAL, "the plain kernel '%s' cannot run rows of %s", name,
                       buffers->problem.name);
    return 0;
}

void same_precision_sample(const struct case_buffers *buffers, const struct reference *reference,
                           struct reference_same_precision ret[OP_TENSORS_MAX]) {
    memset(ret, 0, OP_TENSORS_MAX * sizeof *ret);
    if (declared_of(buffers->problem.op)) declared_precision_sample(buffers, reference, ret);
    struct same_precision_job job = {.buffers = buffers, .reference = reference};
    job.plan = plan_rows(&buffers->problem, buffers->seed, rows_a_group_of(reference));
    if (buffers->problem.op->same_precision && job.plan.count && precision_find_gated(buffers, job.is_gated))
        run_rows(&job, ret);
}

bool same_precision_passes(const struct reference_same_precision *kernel,
                           const struct reference_same_precision *plain, int32_t dtype, double max_ref,
                           struct reference_same_precision *ret_limit) {
    // A result of fp32 that is stored in a narrower type is rounded once; two units of the largest element
    // would hide half of the type's precision in the mean.
    const bool is_narrow = dtype_bytes(dtype) < dtype_bytes(ASSAY_FP32);
    const double slack_max = TWO_X_ULPS * dtype_ulp(dtype, max_ref);
    const double slack_rms = is_narrow ? ROUNDING_RMS_ULPS * dtype_ulp(dtype, plain->ref_rms) : slack_max;
    const double factor = TWO_X_FACTOR * fmax(1, plain->slack);
    *ret_limit = (struct reference_same_precision){.max_abs = factor * plain->max_abs + slack_max,
                                                   .rms = factor * plain->rms + slack_rms,
                                                   .worst_row = WORST_ROW_FACTOR * plain->worst_row +
                                                                dtype_ulp(dtype, 1)};
    return kernel->max_abs <= ret_limit->max_abs && kernel->rms <= ret_limit->rms &&
           kernel->worst_row <= ret_limit->worst_row;
}

struct same_precision_text same_precision_explain(const struct reference_same_precision *kernel,
                                                  const struct reference_same_precision *limit) {
    struct same_precision_text ret;
    if (kernel->max_abs <= limit->max_abs && kernel->rms <= limit->rms)
        snprintf(ret.text, sizeof ret.text,
                 "the error of one row is %.2g %% of its size (root mean squares); the most is, by the plain "
                 "kernel's, %.2g %%",
                 100 * kernel->worst_row, 100 * limit->worst_row);
    else
        snprintf(
            ret.text, sizeof ret.text,
            "error max %.3g, rms %.3g; the most is, by the plain kernel's, max %.3g, rms %.3g (%llu rows)",
            kernel->max_abs, kernel->rms, limit->max_abs, limit->rms, (unsigned long long)kernel->row_count);
    return ret;
}

void same_precision_limit_elements(const struct case_buffers *buffers, const struct reference *reference,
                                   double ret[OP_TENSORS_MAX]) {
    memset(ret, 0, OP_TENSORS_MAX * sizeof *ret);
    if (!declared_of(buffers->problem.op)) return;
    for (uint32_t k = 0; k < reference->output_count; ++k) {
        const int32_t dtype = case_buffers_host_output(buffers, k)->dtype;
        const struct reference_same_precision *single = &reference->same_precision[k];
        const double max_ref = precision_max_ref(reference, k);
        struct reference_same_precision limit = {.max_abs = LIMIT_ULPS * dtype_ulp(dtype, max_ref)};
        if (dtype_is_exact(dtype)) continue;
        if (single->row_count) (void)same_precision_passes(single, single, dtype, max_ref, &limit);
        ret[k] = LIMIT_FACTOR * limit.max_abs;
    }
}

// ---- rows compared with the oracle ----

// Of whole outputs. enum check_search.
static int find_rule_broken(const struct case_buffers *buffers, double *const *outputs, uint32_t k,
                            bool *ret_has, struct slice_failure *ret, struct err *err) {
    struct tensor_verdict verdict;
    TRY(result_rules_compare(buffers, (const double *const *)outputs, k, ret_has, &verdict, err));
    if (!*ret_has || verdict.is_passed) return CHECK_NOT_FOUND;
    const struct tensor_error *error = &verdict.error;
    *ret = (struct slice_failure){.output = k, .expected = error->worst_expected, .got = error->worst_got};
    memcpy(ret->coord, error->worst_coord, sizeof ret->coord);
    memcpy(ret->why, verdict.why, sizeof ret->why);
    return CHECK_FOUND;
}

// What the elements of one output of a slice add up to.
struct slice_sums {
    uint64_t failed;
    double error_sq, reference_sq, largest;
    uint64_t worst_element; // of the failed ones, where the error is largest
    double worst_got;
};

// Elements that lie side by side, from number `first` of the slice on.
static void add_elements(const double *got, const double *expected, uint64_t first, size_t count,
                         const struct op_tolerance *tolerance, struct slice_sums *to) {
    for (size_t i = 0; i < count; ++i) {
        const double apart = got[i] - expected[i];
        const bool is_passed = element_passes(got[i], expected[i], tolerance);
        if (isfinite(expected[i])) {
            to->error_sq += apart * apart;
            to->reference_sq += expected[i] * expected[i];
        } else if (!is_passed) {
            to->error_sq = INFINITY;
        }
        if (is_passed) continue;
        ++to->failed;
        const double error = isfinite(apart) ? fabs(apart) : INFINITY;
        if (error <= to->largest) continue;
        to->largest = error;
        to->worst_element = first + i;
        to->worst_got = got[i];
    }
}

// Of elements [0, count) behind number `offset` of the tensor, which may begin within a row.
static void add_slice(const struct assay_tensor *tensor, uint64_t offset, uint64_t count,
                      const double *expected, const struct op_tolerance *tolerance, struct slice_sums *to) {
    const uint64_t row = tensor_row_length(tensor);
    double got[CHUNK_ELEMENTS];
    for (uint64_t done = 0; done < count;) {
        const uint64_t in_row = row - (offset + done) % row, left = count - done;
        uint64_t some = left < in_row ? left : in_row;
        if (some > CHUNK_ELEMENTS) some = CHUNK_ELEMENTS;
        dtype_load_row(tensor->dtype, tensor_element_at(tensor, offset + done), (size_t)some, got);
        add_elements(got, expected + done, done, (size_t)some, tolerance, to);
        done += some;
    }
}

static int compare_slice(const struct case_buffers *buffers, const struct op_slice *slice,
                         double *const *outputs, struct slice_failure *ret, struct err *err) {
    for (uint32_t k = 0; k < case_buffers_output_count(buffers); ++k) {
        const struct assay_tensor *tensor = case_buffers_host_output(buffers, k);
        const struct op_tolerance tolerance = case_buffers_tolerance(buffers, k);
        const uint64_t offset = slice->output_offset[k], count = slice->output_count[k];
        struct slice_sums sums = {.largest = -1};
        bool has_rule;
        const int code = find_rule_broken(buffers, outputs, k, &has_rule, ret, err);
        if (code != CHECK_NOT_FOUND) return code;
        if (has_rule) continue;
        add_slice(tensor, offset, count, outputs[k], &tolerance, &sums);
        if (tolerance_rows_pass(&tolerance, sums.failed, count, sums.error_sq, sums.reference_sq)) continue;
        *ret = (struct slice_failure){
            .output = k, .expected = outputs[k][sums.worst_element], .got = sums.worst_got};
        tensor_coord(tensor, offset + sums.worst_element, ret->coord);
        return CHECK_FOUND;
    }
    return CHECK_NOT_FOUND;
}

// The slice's row, as the kernel left it in the buffers and as the plain kernel computes it.
static int add_to_tally(const struct case_buffers *buffers, const struct op_slice *slice,
                        double *const *outputs, struct precision_tally *tally, struct err *err) {
    bool is_gated[OP_TENSORS_MAX];
    const char *name = buffers->problem.op->same_precision;
    if (!name || !precision_find_gated(buffers, is_gated)) return 0;
    struct op_slice plain = *slice;
    const struct assay_kernel *kernel = builtin_find(name, err);
    void *memory = NULL;
    if (!kernel) return -ERR_INTERNAL;
    int code = 0;
    if (!run_plain(kernel, &serial_stream, &plain, &memory))
        code = err_set(err, ERR_INTERNAL, "the plain kernel '%s' cannot run rows of %s", name,
                       buffers->problem.name);
    for (uint32_t i = 0, k = 0; i < plain.tensor_count && code == 0; ++i) {
        if (plain.tensors[i].access == ASSAY_IN) continue;
        const uint64_t count = slice->output_count[k];
        if (is_gated[k]) {
            add_errors(case_buffers_host_output(buffers, k), slice->output_offset[k], outputs[k], count,
                       &tally->kernel[k]);
            add_errors(&plain.tensors[i], 0, outputs[k], count, &tally->plain[k]);
            for (uint64_t e = 0; e < count; ++e)
                if (isfinite(outputs[k][e])) tally->max_ref[k] = fmax(tally->max_ref[k], fabs(outputs[k][e]));
            ++tally->row_count[k];
        }
        ++k;
    }
    free(memory);
    return code;
}

bool precision_tally_passes(const struct precision_tally *tally, const struct case_buffers *buffers,
                            uint32_t k, struct reference_same_precision *ret_error,
                            struct reference_same_precision *ret_limit) {
    struct reference_same_precision plain = precision_figures(&tally->plain[k]);
    plain.slack = tally->slack[k];
    *ret_error = precision_figures(&tally->kernel[k]);
    ret_error->worst_row = 0; // of many more rows than the plain kernel's: the check looks at it
    const bool is_passed = same_precision_passes(
        ret_error, &plain, case_buffers_host_output(buffers, k)->dtype, tally->max_ref[k], ret_limit);
    return is_passed || !tally->row_count[k];
}

// Memory for the oracle's results on a slice; NULL: there is none.
static double *alloc_outputs(const struct case_buffers *buffers, const struct op_slice *slice,
                             double *ret[OP_TENSORS_MAX]) {
    uint64_t total = 0;
    const uint32_t count = case_buffers_output_count(buffers);
    for (uint32_t k = 0; k < count; ++k) total += slice->output_count[k];
    double *memory = mem_try_array((size_t)total, sizeof *memory), *at = memory;
    for (uint32_t k = 0; k < count && memory; ++k) {
        ret[k] = at;
        at += slice->output_count[k];
    }
    return memory;
}

static int no_memory(const struct case_buffers *buffers, struct err *err) {
    return err_set(err, ERR_UNAVAILABLE, "no memory to check rows of %s", buffers->problem.name);
}

// Runs the oracle on the slice into memory of its own and compares.
static int check_slice(const struct case_buffers *buffers, const struct op_slice *slice,
                       struct precision_tally *tally, struct slice_failure *ret, struct err *err) {
    double *outputs[OP_TENSORS_MAX] = {NULL};
    double *memory = alloc_outputs(buffers, slice, outputs);
    if (!memory) return no_memory(buffers, err);
    int code = buffers->problem.op->oracle(&slice->problem, slice->tensors, outputs, &serial_stream, err);
    if (code == 0) code = compare_slice(buffers, slice, outputs, ret, err);
    if (code == CHECK_NOT_FOUND && tally) code = add_to_tally(buffers, slice, outputs, tally, err);
    free(memory);
    return code;
}

// Everything.
static int check_whole(const struct case_buffers *buffers, const struct rows_wanted *rows,
                       struct slice_failure *ret, struct err *err) {
    struct op_slice all = {.problem = buffers->problem};
    double *outputs[OP_TENSORS_MAX] = {NULL};
    for (uint32_t k = 0; k < case_buffers_output_count(buffers); ++k)
        all.output_count[k] = tensor_element_count(case_buffers_host_output(buffers, k));
    double *memory = alloc_outputs(buffers, &all, outputs);
    if (!memory) return no_memory(buffers, err);
    int code = oracle_run(buffers, outputs, NULL, err);
    if (code == 0) code = compare_slice(buffers, &all, outputs, ret, err);
    if (code == CHECK_NOT_FOUND && rows->tally && buffers->own_reference)
        declared_precision_add(buffers, outputs, rows->tally);
    free(memory);
    return code;
}

int slices_check(struct case_buffers *buffers, const struct rows_wanted *rows, struct slice_failure *ret,
                 struct err *err) {
    const struct problem *problem = &buffers->problem;
    struct row_plan plan = plan_rows(problem, rows->seed, SAME_PRECISION_ROWS_A_GROUP);
    struct op_slice slice;
    if (!plan.count || (!rows->tally && is_cheap_whole(&plan, rows->row_max)))
        return check_whole(buffers, rows, ret, err);
    uint64_t count = plan.count < rows->row_max ? plan.count : rows->row_max;
    for (uint64_t i = 0; i < count; ++i) {
        const uint64_t begin = plan.count * i / count, end = plan.count * (i + 1) / count;
        uint64_t group, row,
            index = i == 0 ? plan.count - 1 : begin + seed_below(rows->seed, "stretch", i, end - begin);
        row_at(&plan, index, &group, &row);
        problem->op->slice(problem, buffers->before, group, row, &slice);
        if (!slice.tensor_count) continue;
        int code = check_slice(buffers, &slice, rows->tally, ret, err);
        if (code != CHECK_NOT_FOUND) return code;
    }
    return CHECK_NOT_FOUND;
}
