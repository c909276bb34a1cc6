// SPDX-License-Identifier: Apache-2.0
//
// The steps of a check, in the order in which a finding explains most: memory first, then what is missing,
// then values, then repeatability, then other inputs, then the 2 x rule.
#include "worker/check/case_check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/rng.h"
#include "op/dtype.h"
#include "worker/check/same_precision.h"
#include "worker/check/tensor_compare.h"

#define LATE_PARK_NS                                                                                         \
    5000000u // after launch has returned, for threads that spin before they sleep (ours 50 us)
#define LATE_WAIT_NS  10000000u // then the kernel must be idle this long, and outputs are looked at again
#define LATE_BUSY_MAX 0.2       // share of one processor
#define LATE_LAUNCHES 3         // so many in a row
// a kernel that works late gets this long to end before its memory goes away
#define LATE_DRAIN_NS    200000000u
#define ORDER_DELAY_NS   2000000u // longer than a kernel needs to begin elsewhere
#define STALE_ROWS_MAX   64       // rows checked for other inputs
#define COORD_TEXT_BYTES 128

struct check {
    const struct check_request *request;
    struct case_buffers *buffers;
    struct check_result *result;
    struct kept_outputs first; // of the first launch
    struct tensor_verdict verdicts[OP_TENSORS_MAX];
};

__attribute__((format(printf, 3, 4))) static bool fail(struct check *check, enum finding finding,
                                                       const char *format, ...) {
    check->result->outcome = OUTCOME_FAIL;
    check->result->finding = finding;
    va_list args;
    va_start(args, format);
    vsnprintf(check->result->message, sizeof check->result->message, format, args);
    va_end(args);
    return false;
}

static const struct assay_tensor *output_at(const struct case_buffers *buffers, uint32_t k) {
    return &buffers->host[buffers->input_count + k];
}

static const char *output_name(const struct check *check, uint32_t k) {
    return role_name(output_at(check->buffers, k)->role);
}

static void format_offset(const struct assay_tensor *tensor, int64_t offset, char *ret_text,
                          size_t capacity) {
    int64_t coord[ASSAY_MAX_DIMS];
    tensor_coord_at(tensor, offset, coord);
    coord_format(coord, tensor->dim_count, ret_text, capacity);
}

// ---- memory ----

static bool check_guard(struct case_buffers *buffers, const struct buffer *buffer,
                        struct check_result *result) {
    int64_t distance;
    if (!buffer->map || !buffers->device->backend->buffer_is_violated(buffers->device, buffer, &distance))
        return true;
    result->outcome = OUTCOME_FAIL;
    result->finding = FINDING_OUT_OF_BOUNDS;
    if (distance >= 0)
        snprintf(result->message, sizeof result->message, "the kernel wrote %lld bytes past the end of '%s'",
                 (long long)distance, buffer->label);
    else
        snprintf(result->message, sizeof result->message,
                 "the kernel wrote %lld bytes before the start of '%s'", (long long)-distance, buffer->label);
    return false;
}

static bool check_inputs(struct case_buffers *buffers, const struct tensor_hashes *hashes,
                         struct check_result *result) {
    int input = case_buffers_find_changed_input(buffers, hashes);
    if (input < 0) return true;
    const struct assay_tensor *tensor = &buffers->host[input];
    char where[COORD_TEXT_BYTES] = "";
    int64_t coord[ASSAY_MAX_DIMS];
    if (!buffers->is_rotated && case_buffers_locate_change(buffers, (uint32_t)input, coord, NULL) == 0)
        coord_format(coord, tensor->dim_count, where, sizeof where);
    result->outcome = OUTCOME_FAIL;
    result->finding = FINDING_INPUT_CHANGED;
    snprintf(result->message, sizeof result->message, "input '%s' was changed by the launch%s%s",
             role_name(tensor->role), *where ? ", first at " : "", where);
    return false;
}

bool case_check_memory(struct case_buffers *buffers, enum poison poison,
                       const struct kernel_instance *instance, const struct tensor_hashes *hashes,
                       struct check_result *ret) {
    for (uint32_t i = 0; i < buffers->tensor_count; ++i)
        if (!check_guard(buffers, &buffers->buffers[i], ret)) return false;
    if (!check_guard(buffers, &instance->workspace, ret)) return false;
    uint64_t row;
    const int k = buffers->checker->find_gap_written(buffers, poison, &row);
    if (k >= 0) {
        const struct assay_tensor *tensor = output_at(buffers, (uint32_t)k);
        ret->outcome = OUTCOME_FAIL;
        ret->finding = FINDING_GAP_WRITTEN;
        snprintf(ret->message, sizeof ret->message,
                 "the gap behind row %llu of '%s' was written; rows are %lld elements, their distance is in "
                 "the strides",
                 (unsigned long long)row, role_name(tensor->role),
                 (long long)tensor->shape[tensor->dim_count - 1]);
        return false;
    }
    return check_inputs(buffers, hashes, ret);
}

// ---- the first launch ----

static int look_after(struct check *check, bool is_fine, struct err *err) {
    if (check->request->on_progress) check->request->on_progress(check->request->arg);
    TRY(case_buffers_sync_to_host(check->buffers, true, err));
    return is_fine;
}

// Negative: error of ours; 0: finding in result; 1: go on.
static int launch_poisoned(struct check *check, enum poison poison, uint64_t *ret_ns, struct err *err) {
    TRY(case_buffers_poison(check->buffers, poison, err));
    const bool is_fine =
        kernel_instance_launch(check->request->instance, &check->buffers->list, ret_ns, check->result);
    return look_after(check, is_fine, err);
}

// Guards, gaps and inputs as they are now. Negative, 0: finding in result, 1: go on.
static int check_memory(struct check *check, enum poison poison, struct err *err) {
    struct tensor_hashes hashes;
    TRY(check->buffers->checker->hash(&check->buffers, 1, HASHED_INPUTS, &hashes, err));
    return case_check_memory(check->buffers, poison, check->request->instance, &hashes, check->result);
}

// Negative; 0: the outputs are those of the first launch; 1: not, *ret_output and *ret_where say where first.
static int find_difference(struct check *check, uint32_t *ret_output, int64_t *ret_offset,
                           char ret_where[COORD_TEXT_BYTES], struct err *err) {
    const int code =
        check->buffers->checker->find_difference(check->buffers, &check->first, ret_output, ret_offset, err);
    if (code > 0)
        format_offset(output_at(check->buffers, *ret_output), *ret_offset, ret_where, COORD_TEXT_BYTES);
    return code;
}

// Codes as above.
static int check_late_work(struct check *check, struct err *err) {
    uint32_t k;
    int64_t offset;
    char where[COORD_TEXT_BYTES];
    const int code = find_difference(check, &k, &offset, where, err);
    if (code <= 0) return code < 0 ? code : 1;
    fail(check, FINDING_LATE_WORK,
         "'%s'%s still changed after launch had returned; all work must be done (or ordered on the "
         "stream) by then",
         output_name(check, k), where);
    clock_sleep_ns(LATE_DRAIN_NS);
    return 0;
}

// Nothing has been asked for: share of a processor that threads of the kernel used nevertheless. 0 where they
// may.
static double wait_for_late_work(struct device *device) {
    if (!device->backend->other_threads_ns) return 0;
    clock_sleep_ns(LATE_PARK_NS);
    const uint64_t start_ns = clock_ns();
    const int64_t busy_ns = device->backend->other_threads_ns(device);
    clock_sleep_ns(LATE_WAIT_NS);
    return (double)(device->backend->other_threads_ns(device) - busy_ns) / (double)(clock_ns() - start_ns);
}

// A hypervisor's pause counts as work of the thread that it held up: only a kernel that is busy after every
// launch is. Codes as above.
static int check_busy_threads(struct check *check, double busy_ratio, struct err *err) {
    for (int launch = 1; busy_ratio > LATE_BUSY_MAX && launch < LATE_LAUNCHES; ++launch) {
        const int code = launch_poisoned(check, POISON_OUTPUT, NULL, err);
        if (code <= 0) return code;
        busy_ratio = wait_for_late_work(check->buffers->device);
    }
    if (busy_ratio <= LATE_BUSY_MAX) return 1;
    fail(check, FINDING_LATE_WORK,
         "threads of the kernel used %.0f %% of a processor from %.0f ms after launch had returned; all work "
         "must be done by then, and threads that wait for the next launch must sleep",
         100 * busy_ratio, LATE_PARK_NS / 1e6);
    clock_sleep_ns(LATE_DRAIN_NS);
    return 0;
}

static int check_first_launch(struct check *check, struct err *err) {
    int code = launch_poisoned(check, POISON_OUTPUT, &check->result->kernel_ns, err);
    if (code <= 0) return code;
    TRY(check->buffers->checker->keep_outputs(check->buffers, &check->first, err));
    const double busy_ratio = wait_for_late_work(check->buffers->device);
    TRY(case_buffers_sync_to_host(check->buffers, true, err));
    code = check_memory(check, POISON_OUTPUT, err);
    if (code <= 0) return code;
    code = check_late_work(check, err);
    if (code <= 0) return code;
    return check_busy_threads(check, busy_ratio, err);
}

// ---- values ----

static int describe_value(struct check *check, uint32_t k, enum finding finding, uint64_t index,
                          uint64_t count, struct err *err) {
    const struct assay_tensor *tensor = output_at(check->buffers, k);
    struct tensor_error *error = &check->result->tensors[k];
    int64_t coord[ASSAY_MAX_DIMS];
    char where[COORD_TEXT_BYTES];
    tensor_coord(tensor, index, coord);
    coord_format(coord, tensor->dim_count, where, sizeof where);
    memcpy(error->worst_coord, coord, sizeof coord);
    TRY(reference_read(check->request->reference, k, index, &error->worst_expected, err));
    unsigned char element[8];
    TRY(check->buffers->checker->read_element(check->buffers, check->buffers->input_count + k,
                                              tensor_offset(tensor, coord), element, err));
    error->worst_got = dtype_load(tensor->dtype, element);
    if (finding == FINDING_UNWRITTEN)
        fail(check, finding, "%llu of %llu elements of '%s' were never written, first %s (expected %.9g)",
             (unsigned long long)count, (unsigned long long)error->element_count, error->tensor, where,
             error->worst_expected);
    else
        fail(check, finding, "'%s'%s is %.9g, expected %.9g; %llu of %llu elements are wrong", error->tensor,
             where, error->worst_got, error->worst_expected, (unsigned long long)count,
             (unsigned long long)error->element_count);
    return 0;
}

// Negative; 0: finding in result; 1: everything is written.
static int check_values(struct check *check, struct err *err) {
    struct case_buffers *buffers = check->buffers;
    const struct operator_def *op = buffers->problem.op;
    uint32_t outputs = case_buffers_output_count(buffers);
    check->result->tensor_count = (int)(outputs < CHECK_TENSORS_MAX ? outputs : CHECK_TENSORS_MAX);
    for (uint32_t k = 0; k < outputs; ++k) {
        struct op_tolerance tolerance = op->tolerance(buffers->problem.params, buffers->input_count + k);
        TRY(buffers->checker->compare(buffers, check->request->reference, k, &tolerance, &check->verdicts[k],
                                      err));
        check->result->tensors[k] = check->verdicts[k].error;
    }
    for (uint32_t k = 0; k < outputs; ++k) {
        const struct tensor_verdict *v = &check->verdicts[k];
        if (v->unwritten_count)
            return describe_value(check, k, FINDING_UNWRITTEN, v->first_unwritten, v->unwritten_count, err);
    }
    return 1;
}

// After repeatability: of two findings on the same element "other bits every time" explains more than
// "wrong".
static int judge_values(struct check *check, struct err *err) {
    for (uint32_t k = 0; k < case_buffers_output_count(check->buffers); ++k) {
        const struct tensor_verdict *v = &check->verdicts[k];
        if (v->is_passed) continue;
        if (v->not_number_count)
            return describe_value(check, k, FINDING_NOT_A_NUMBER, v->first_not_number, v->not_number_count,
                                  err);
        if (v->error.failed_count)
            return describe_value(check, k, FINDING_WRONG_VALUE, v->first_failed, v->error.failed_count, err);
        fail(check, FINDING_WRONG_VALUE, "'%s': relative L2 error %.3g is above what its type allows",
             v->error.tensor, v->error.rel_l2);
        return 0;
    }
    return 1;
}

// ---- again ----

// Negative; 0: finding in result; 1: go on.
static int check_same_as_first(struct check *check, uint32_t launch, enum poison poison, struct err *err) {
    uint32_t k;
    int64_t offset;
    char where[COORD_TEXT_BYTES];
    const int code = find_difference(check, &k, &offset, where, err);
    if (code <= 0) return code < 0 ? code : 1;
    unsigned char element[8];
    const uint32_t tensor = check->buffers->input_count + k;
    TRY(check->buffers->checker->read_element(check->buffers, tensor, offset, element, err));
    if (tensor_is_poison(output_at(check->buffers, k), element, poison))
        fail(check, FINDING_STALE, "'%s'%s was written by launch 1 and left alone by launch %u",
             output_name(check, k), where, launch);
    else
        fail(check, FINDING_NOT_REPEATABLE,
             "'%s'%s: launch %u gives other bits than launch 1 on the same inputs", output_name(check, k),
             where, launch);
    return 0;
}

static int check_repeat(struct check *check, uint32_t launch, struct err *err) {
    enum poison poison = launch % 2 ? POISON_OUTPUT : POISON_OUTPUT_AGAIN;
    int code = launch_poisoned(check, poison, NULL, err);
    if (code <= 0) return code;
    code = check_memory(check, poison, err);
    if (code <= 0) return code;
    return check_same_as_first(check, launch, poison, err);
}

static int launch_behind(struct check *check, struct err *err) {
    struct case_buffers *buffers = check->buffers;
    void *staged = NULL;
    int code = buffers->checker->poison_behind(buffers, POISON_OUTPUT_AGAIN, ORDER_DELAY_NS, &staged, err);
    if (code == 0)
        code = look_after(
            check, kernel_instance_launch_behind(check->request->instance, &buffers->list, check->result),
            err);
    if (staged) buffers->device->backend->work->scratch_free(buffers->device, staged);
    return code;
}

// A launch while the stream is busy: what a kernel puts elsewhere runs ahead of the poison that is ordered on
// the stream, and is written over by it. A launch more, without delay, tells this from results that are just
// not repeatable.
static int check_order(struct check *check, uint32_t launch, struct err *err) {
    struct device *device = check->buffers->device;
    if (!device->backend->work || !device->backend->work->delay) return 1;
    int code = launch_behind(check, err);
    if (code <= 0) return code;
    uint32_t k;
    int64_t offset;
    char where[COORD_TEXT_BYTES];
    code = find_difference(check, &k, &offset, where, err);
    if (code <= 0) return code < 0 ? code : 1;
    code = check_repeat(check, launch, err);
    if (code <= 0) return code;
    fail(
        check, FINDING_LATE_WORK,
        "'%s'%s is another when the stream is still busy for %.0f ms at the launch: work that is not ordered "
        "on the stream that was passed",
        output_name(check, k), where, ORDER_DELAY_NS / 1e6);
    return 0;
}

static int check_repeats(struct check *check, struct err *err) {
    uint32_t count = check->request->repeat_count > 2 ? check->request->repeat_count : 2;
    for (uint32_t launch = 2; launch <= count; ++launch) {
        const int code = check_repeat(check, launch, err);
        if (code <= 0) return code;
    }
    return check_order(check, count + 1, err);
}

// ---- other inputs at the same addresses ----

static int judge_other_inputs(struct check *check, struct err *err) {
    int code = check_memory(check, POISON_OUTPUT, err);
    if (code <= 0) return code;
    struct slice_failure failure = {0};
    const struct rows_wanted rows = {.row_max = STALE_ROWS_MAX,
                                     .seed = rng_u64(check->buffers->seed, rng_stream("rows"), 0)};
    code = check->buffers->checker->check_rows(check->buffers, &rows, &failure, err);
    if (code <= 0) return code < 0 ? code : 1;
    const struct assay_tensor *tensor = output_at(check->buffers, failure.output);
    char where[COORD_TEXT_BYTES];
    coord_format(failure.coord, tensor->dim_count, where, sizeof where);
    fail(check, FINDING_STALE,
         "right for the first inputs, wrong for others at the same addresses: '%s'%s is %.9g, expected %.9g",
         output_name(check, failure.output), where, failure.got, failure.expected);
    return 0;
}

static int check_other_inputs(struct check *check, struct err *err) {
    TRY(case_buffers_rotate(check->buffers, err));
    int code = launch_poisoned(check, POISON_OUTPUT, NULL, err);
    if (code > 0) code = judge_other_inputs(check, err);
    if (check->result->finding != FINDING_INPUT_CHANGED) {
        int undone = case_buffers_rotate(check->buffers, err);
        if (undone < 0) return undone;
    }
    return code;
}

// ---- the 2 x rule, on the outputs of the first launch ----

static bool judge_two_x(struct check *check, uint32_t k, const struct reference_same_precision *sampled) {
    const struct reference_same_precision *plain = &check->request->reference->same_precision[k];
    struct tensor_error *error = &check->result->tensors[k];
    error->same_precision_max_abs = plain->max_abs;
    error->same_precision_rms = plain->rms;
    error->sampled_max_abs = sampled->max_abs;
    error->sampled_rms = sampled->rms;
    error->sampled_row_count = sampled->row_count;
    double limit_max, limit_rms, max_ref = same_precision_max_ref(check->request->reference, k);
    if (same_precision_passes(sampled, plain, output_at(check->buffers, k)->dtype, max_ref, &limit_max,
                              &limit_rms))
        return true;
    return fail(check, FINDING_TWO_X,
                "'%s': error max %.3g, rms %.3g; twice the plain kernel's plus 2 ulp is max %.3g, rms %.3g "
                "(%llu rows)",
                error->tensor, sampled->max_abs, sampled->rms, limit_max, limit_rms,
                (unsigned long long)sampled->row_count);
}

static int check_two_x(struct check *check, struct err *err) {
    struct reference_same_precision sampled[OP_TENSORS_MAX];
    TRY(check->buffers->checker->restore_outputs(check->buffers, &check->first, err));
    check->buffers->checker->measure_rows(check->buffers, check->request->reference, check->verdicts,
                                          sampled);
    bool has_passed = true;
    for (uint32_t k = 0; k < (uint32_t)check->result->tensor_count; ++k) {
        if (!check->request->reference->same_precision[k].row_count) continue;
        has_passed = judge_two_x(check, k, &sampled[k]) && has_passed;
    }
    return has_passed;
}

static int keep_hash(struct check *check, struct err *err) {
    struct tensor_hashes hashes;
    if (!check->request->hashes) return 0;
    TRY(check->buffers->checker->hash(&check->buffers, 1, HASHED_OUTPUTS, &hashes, err));
    memcpy(check->request->hashes->outputs, hashes.outputs, sizeof hashes.outputs);
    return 0;
}

// Negative: error of ours; 0: finding in result; 1: go on.
static int (*const steps[])(struct check *check, struct err *err) = {
    check_first_launch, check_values, check_repeats, judge_values, check_other_inputs, check_two_x,
};

static bool is_by_reference(enum finding finding) {
    return finding == FINDING_WRONG_VALUE || finding == FINDING_NOT_A_NUMBER || finding == FINDING_TWO_X ||
           finding == FINDING_UNWRITTEN;
}

// Nobody is wrong by a reference that is not what it was.
static int doubt_finding(struct check *check, struct err *err) {
    if (!is_by_reference(check->result->finding)) return 0;
    const int is_changed = reference_is_changed(check->request->reference, check->buffers, err);
    if (is_changed <= 0) return is_changed;
    if (check->request->is_reference_changed) *check->request->is_reference_changed = true;
    fail(check, FINDING_OUT_OF_BOUNDS,
         "memory of assay's own on the device, the float64 reference, was written over while kernels ran");
    return 0;
}

static int run_steps(struct check *check, struct err *err) {
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; ++i) {
        const int code = steps[i](check, err);
        if (code == 0) return doubt_finding(check, err);
        if (code < 0) return code;
    }
    TRY(keep_hash(check, err));
    check->result->outcome = OUTCOME_OK;
    return 0;
}

int case_check_run(const struct check_request *request, struct check_result *ret, struct err *err) {
    if (case_buffers_output_count(request->buffers) > CHECK_TENSORS_MAX)
        BUG("operator '%s' has more outputs than a record holds", request->buffers->problem.op->name);
    struct check *check = mem_alloc(sizeof *check);
    check->request = request;
    check->buffers = request->buffers;
    check->result = ret;
    const uint64_t start_ns = device_now_ns(request->buffers->device);
    const int code = run_steps(check, err);
    ret->duration_ns = device_now_ns(request->buffers->device) - start_ns;
    check->buffers->checker->drop_outputs(check->buffers, &check->first);
    free(check);
    return code < 0 ? code : 0;
}
