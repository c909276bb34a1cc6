// SPDX-License-Identifier: Apache-2.0
//
// See audit_case.h. The comparison itself is tensor_compare.c and same_precision.c, as for a kernel.
#include "worker/check/audit_case.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "op/declared/declared.h"
#include "op/dtype.h"
#include "worker/check/declared_reference.h"
#include "worker/check/result_used.h"
#include "worker/check/same_precision.h"

#define ROW_CHUNK     512   // elements converted at a time
#define ACCEPTED_PART 0.125 // of the largest result: a rounding to fp8 is less
#define RIGHT_FACTOR  2.0   // the room that the 2 x rule leaves to a right kernel

static const struct assay_tensor *output_of(const struct audit_case *audit, uint32_t k) {
    return case_buffers_host_output(&audit->buffers, k);
}

// ---- results into buffers ----

struct store_job {
    const struct assay_tensor *tensor;
    const double *values;
    uint64_t row_elements;
};

static void store_row(void *arg, int64_t row, uint32_t thread) {
    (void)thread;
    const struct store_job *job = arg;
    const uint64_t first = (uint64_t)row * job->row_elements;
    const size_t element_bytes = dtype_bytes(job->tensor->dtype);
    int64_t coord[ASSAY_MAX_DIMS] = {0};
    tensor_coord(job->tensor, first, coord);
    char *to = (char *)job->tensor->data + (size_t)tensor_offset(job->tensor, coord) * element_bytes;
    double values[ROW_CHUNK];
    for (uint64_t done = 0; done < job->row_elements; done += ROW_CHUNK) {
        const uint64_t left = job->row_elements - done;
        const size_t count = left < ROW_CHUNK ? (size_t)left : ROW_CHUNK;
        for (size_t i = 0; i < count; ++i) {
            const double value = job->values[first + done + i];
            values[i] = isnan(value) ? (double)NAN : value; // one NaN for all: their bits say nothing
        }
        dtype_store_row(job->tensor->dtype, to + done * element_bytes, count, values);
    }
}

static void store_results(struct audit_case *audit, double *const *results) {
    const struct assay_cpu_stream *stream = audit->buffers.device->host_stream;
    for (uint32_t k = 0; k < audit->output_count; ++k) {
        const struct assay_tensor *tensor = output_of(audit, k);
        struct store_job job = {
            .tensor = tensor, .values = results[k], .row_elements = tensor_row_length(tensor)};
        stream->parallel_for(stream, (int64_t)(tensor_element_count(tensor) / job.row_elements), store_row,
                             &job);
    }
    result_used_clear(audit->buffers.problem.op, audit->buffers.host, audit->buffers.tensor_count);
}

// ---- judging what lies in the buffers ----

static enum audit_rule broken_rule(const struct tensor_verdict *verdict,
                                   const struct op_tolerance *tolerance) {
    if (verdict->is_passed) return AUDIT_RULE_NONE;
    if (verdict->not_number_count || verdict->unwritten_count) return AUDIT_RULE_NOT_A_NUMBER;
    const double failed = (double)verdict->error.failed_count, all = (double)verdict->error.element_count;
    const bool is_rel_l2_kept =
        !isfinite(tolerance->rel_l2_max) || verdict->error.rel_l2 <= tolerance->rel_l2_max;
    return is_rel_l2_kept || 1 - failed / all < tolerance->min_pass_fraction ? AUDIT_RULE_ELEMENTS
                                                                             : AUDIT_RULE_REL_L2;
}

// The 2 x rule for output k, whose error on the sampled rows is `sampled`.
static void judge_two_x(const struct audit_case *audit, uint32_t k,
                        const struct reference_same_precision *sampled, struct audit_result *ret) {
    const struct reference_same_precision *plain = &audit->reference.same_precision[k];
    ret->right_max_abs = audit->rounded_max_abs[k];
    ret->right_rms = audit->rounded_rms[k];
    ret->two_x_max_abs = ret->two_x_rms = (double)NAN;
    if (!plain->row_count) return;
    ret->right_max_abs = fmax(ret->right_max_abs, plain->max_abs);
    ret->right_rms = fmax(ret->right_rms, plain->rms);
    ret->has_plain = case_buffers_tolerance(&audit->buffers, k).is_two_x_gated;
    if (!ret->has_plain) return;
    struct reference_same_precision limit;
    const bool is_kept =
        same_precision_passes(sampled, plain, output_of(audit, k)->dtype, audit->max_ref[k], &limit);
    ret->two_x_max_abs = limit.max_abs;
    ret->two_x_rms = limit.rms;
    if (!is_kept && ret->rule == AUDIT_RULE_NONE) ret->rule = AUDIT_RULE_TWO_X;
}

// Whether a function of the operator's file says what is right.
static bool is_accepted(const struct audit_case *audit) {
    const struct declared *declared = declared_of(audit->buffers.problem.op);
    return declared && declared->reference.accept;
}

// A right kernel may be off by twice the plain kernel's error, and its result is rounded once: no tolerance
// can reject a result that is as near to the reference as that. Nor could somebody narrow a tolerance that
// nobody gave.
static bool is_hidden(const struct audit_case *audit, uint32_t k, const struct audit_result *result) {
    // How precise results are is up to a function that accepts them.
    if (is_accepted(audit)) return result->max_abs <= ACCEPTED_PART * audit->max_ref[k];
    if (audit->error_limits[k] > 0 && !audit->buffers.tolerances[0]) return true;
    return !(result->max_abs > RIGHT_FACTOR * result->right_max_abs + audit->rounded_max_abs[k]) &&
           !(result->rms > RIGHT_FACTOR * result->right_rms + audit->rounded_rms[k]);
}

// Other picks of the same values are no mistake.
static bool is_as_right(const struct audit_case *audit, uint32_t k) {
    const struct declared_rule *rule =
        declared_rule_of(audit->buffers.problem.op, audit->buffers.input_count + k);
    return rule && rule->picks >= 0;
}

// Compares what lies in the buffers. Verdicts: SAME, DETECTED, HIDDEN, PASSED.
static int judge(struct audit_case *audit, struct audit_result ret[OP_TENSORS_MAX], struct err *err) {
    struct case_buffers *buffers = &audit->buffers;
    struct tensor_verdict verdicts[OP_TENSORS_MAX];
    struct reference_same_precision sampled[OP_TENSORS_MAX];
    for (uint32_t k = 0; k < audit->output_count; ++k) {
        const struct op_tolerance tolerance = case_buffers_tolerance(buffers, k);
        TRY(buffers->checker->compare(buffers, &audit->reference, k, &tolerance, &verdicts[k], err));
        const struct tensor_error *error = &verdicts[k].error;
        ret[k] = (struct audit_result){.output = output_of(audit, k)->name,
                                       .rule = broken_rule(&verdicts[k], &tolerance),
                                       .failed_count = error->failed_count,
                                       .element_count = error->element_count,
                                       .max_abs = error->max_abs,
                                       .rms = error->rms,
                                       .rel_l2 = error->rel_l2,
                                       .atol = is_accepted(audit) ? (double)NAN : tolerance.atol,
                                       .rtol = tolerance.rtol,
                                       .min_pass_fraction = tolerance.min_pass_fraction,
                                       .rel_l2_max = tolerance.rel_l2_max};
    }
    TRY(buffers->checker->measure_rows(buffers, &audit->reference, verdicts, sampled, err));
    for (uint32_t k = 0; k < audit->output_count; ++k) {
        int64_t offset;
        judge_two_x(audit, k, &sampled[k], &ret[k]);
        if (audit->kept.data[k] && !tensor_find_change(output_of(audit, k), audit->kept.data[k], &offset))
            ret[k].verdict = AUDIT_SAME;
        else if (ret[k].rule != AUDIT_RULE_NONE)
            ret[k].verdict = AUDIT_DETECTED;
        else if (is_as_right(audit, k))
            ret[k].verdict = AUDIT_SAME;
        else
            ret[k].verdict = is_hidden(audit, k, &ret[k]) ? AUDIT_HIDDEN : AUDIT_PASSED;
    }
    return 0;
}

// ---- other inputs ----

// A process for all results of the problem's own scalars.
static int run_reference(struct audit_case *audit, const struct problem *problem,
                         const struct assay_tensor *tensors, double *const *outputs, struct err *err) {
    const bool is_own = problem == &audit->buffers.problem;
    struct declared_reference_run *run = is_own ? audit->others : NULL;
    int code = 0;
    if (!run) code = declared_reference_open(&audit->buffers, problem, REFERENCE_DOUBLE, &run, err);
    struct reference_inputs inputs = {.tensors = tensors};
    if (code == 0) code = declared_reference_launch(run, &inputs, outputs, err);
    const bool is_kept = is_own && code == 0;
    audit->others = is_kept ? run : is_own ? NULL : audit->others;
    return is_kept ? 0 : declared_reference_close(run, code, err);
}

static int oracle_of(const struct mutant_case *at, const struct problem *problem,
                     const struct assay_tensor *tensors, double *const *outputs, struct err *err) {
    if (declared_of(problem->op)) return run_reference(at->arg, problem, tensors, outputs, err);
    return problem->op->oracle(problem, tensors, outputs, at->stream, err);
}

// ---- one case ----

static int alloc_results(struct audit_case *audit, struct err *err) {
    uint64_t total = 0, offset = 0;
    for (uint32_t k = 0; k < audit->output_count; ++k) total += audit->reference.element_count[k];
    audit->memory = mem_try_array((size_t)total, 3 * sizeof *audit->memory);
    if (!audit->memory)
        return err_set(err, ERR_UNAVAILABLE, "no memory for wrong results of %s",
                       audit->buffers.problem.name);
    for (uint32_t k = 0; k < audit->output_count; ++k) {
        audit->right[k] = audit->memory + offset;
        audit->stale[k] = audit->right[k] + total;
        audit->made[k] = audit->stale[k] + total;
        offset += audit->reference.element_count[k];
    }
    return 0;
}

// Keeps the right results, and what one rounding does to them.
static int keep_right(struct audit_case *audit, struct err *err) {
    struct audit_result results[OP_TENSORS_MAX];
    for (uint32_t k = 0; k < audit->output_count; ++k) {
        memcpy(audit->right[k], audit->reference.outputs[k],
               audit->reference.element_count[k] * sizeof(double));
        audit->max_ref[k] = precision_max_ref(&audit->reference, k);
    }
    store_results(audit, audit->right);
    TRY(judge(audit, results, err));
    for (uint32_t k = 0; k < audit->output_count; ++k) {
        audit->rounded_max_abs[k] = results[k].max_abs;
        audit->rounded_rms[k] = results[k].rms;
    }
    return audit->buffers.checker->keep_outputs(&audit->buffers, &audit->kept, err);
}

int audit_case_open(struct audit_case *ret, const struct audit_wanted *wanted, struct err *err) {
    memset(ret, 0, sizeof *ret);
    struct case_buffers *buffers = &ret->buffers;
    const struct case_memory memory = {.memory_layout = wanted->memory_layout,
                                       .tolerances = {wanted->tolerance},
                                       .error_limits = ret->error_limits,
                                       .own_reference = &ret->reference,
                                       .order = wanted->order};
    TRY(case_buffers_init(buffers, wanted->device, wanted->problem, &memory, err));
    TRY(case_buffers_fill(buffers, wanted->distribution, wanted->seed, err));
    if (buffers->checker != &checker_host)
        return err_set(err, ERR_USAGE, "an audit computes in the host's memory, not on '%s'",
                       wanted->device->info.device);
    TRY(reference_open(&ret->reference, buffers, NULL, err));
    same_precision_limit_elements(buffers, &ret->reference, ret->error_limits);
    ret->output_count = case_buffers_output_count(buffers);
    TRY(alloc_results(ret, err));
    ret->inputs = (struct mutant_case){.problem = &buffers->problem,
                                       .distribution = buffers->distribution,
                                       .seed = buffers->seed,
                                       .tensors = buffers->before,
                                       .input_count = buffers->input_count,
                                       .output_count = ret->output_count,
                                       .right = ret->right,
                                       .stream = wanted->device->host_stream,
                                       .oracle = oracle_of,
                                       .arg = ret};
    TRY(keep_right(ret, err));
    TRY(mutant_make_stale(&ret->inputs, ret->stale, err));
    ret->inputs.stale = ret->stale;
    return 0;
}

void audit_case_close(struct audit_case *audit) {
    if (audit->buffers.checker) audit->buffers.checker->drop_outputs(&audit->buffers, &audit->kept);
    (void)declared_reference_close(audit->others, 0, NULL);
    free(audit->memory);
    reference_close(&audit->reference);
    case_buffers_fini(&audit->buffers);
    memset(audit, 0, sizeof *audit);
}

// Whether an input matters is no question of the tolerance on one problem: some problem must show it.
static void add_ignored(const struct audit_case *audit, const char *input,
                        struct audit_result ret[OP_TENSORS_MAX]) {
    for (uint32_t k = 0; k < audit->output_count; ++k) {
        ret[k].ignored_input = input;
        if (ret[k].verdict == AUDIT_PASSED) ret[k].verdict = AUDIT_HIDDEN;
    }
}

static void add_names(const struct audit_case *audit, const char *name, const char *summary,
                      struct audit_result ret[OP_TENSORS_MAX]) {
    for (uint32_t k = 0; k < audit->output_count; ++k) {
        ret[k].mutant = name;
        ret[k].summary = summary;
    }
}

// A function that gets all results could look at one of them alone: each is also tried beside right ones.
static int try_one_by_one(struct audit_case *audit, struct audit_result ret[OP_TENSORS_MAX],
                          struct err *err) {
    double *mixed[OP_TENSORS_MAX];
    struct audit_result results[OP_TENSORS_MAX];
    for (uint32_t k = 0; k < audit->output_count && audit->output_count > 1; ++k) {
        if (ret[k].verdict != AUDIT_DETECTED) continue;
        memcpy(mixed, audit->right, sizeof mixed);
        mixed[k] = audit->made[k];
        store_results(audit, mixed);
        TRY(judge(audit, results, err));
        if (results[k].verdict != AUDIT_DETECTED) ret[k] = results[k];
    }
    return 0;
}

int audit_case_try(struct audit_case *audit, const struct mutant *mutant,
                   struct audit_result ret[OP_TENSORS_MAX], bool *ret_applies, struct err *err) {
    const char *ignored = declared_ignored_input(audit->buffers.problem.op, mutant);
    struct err why = {0};
    audit->inputs.mutant = mutant;
    *ret_applies = !mutant->applies || mutant->applies(&audit->inputs);
    if (!*ret_applies) return 0;
    for (uint32_t k = 0; k < audit->output_count; ++k)
        memcpy(audit->made[k], audit->right[k], audit->reference.element_count[k] * sizeof(double));
    const int code = mutant->make(&audit->inputs, audit->made, &why);
    *ret_applies = !ignored || code != -ERR_DATA;
    if (!*ret_applies) return 0;
    if (code < 0) return err_set(err, why.code, "%s", why.text);
    audit->buffers.is_audited = true;
    store_results(audit, audit->made);
    TRY(judge(audit, ret, err));
    if (is_accepted(audit) && !ignored) TRY(try_one_by_one(audit, ret, err));
    add_names(audit, mutant->name, mutant->summary, ret);
    if (ignored) add_ignored(audit, ignored, ret);
    return 0;
}

int audit_case_try_right(struct audit_case *audit, struct audit_result ret[OP_TENSORS_MAX], struct err *err) {
    audit->buffers.is_audited = false;
    store_results(audit, audit->right);
    TRY(judge(audit, ret, err));
    for (uint32_t k = 0; k < audit->output_count; ++k)
        ret[k].verdict = ret[k].rule == AUDIT_RULE_NONE ? AUDIT_SAME : AUDIT_REFUSED;
    add_names(audit, AUDIT_RIGHT, "the right result, rounded to the output's type", ret);
    return 0;
}
