// SPDX-License-Identifier: Apache-2.0
//
// The steps of a check, in the order in which a finding explains most: memory first, then what is missing, then values,
// then repeatability, then other inputs, then the 2 x rule.
#include "check/case_check.h"

#include "base/clock.h"
#include "base/mem.h"
#include "check/tensor_compare.h"
#include "check/yardstick.h"
#include "op/dtype.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LATE_PARK_NS                                                                                         \
    5000000u // after launch has returned, for threads that spin before they sleep (ours 50 us)
#define LATE_WAIT_NS     10000000u // then the process must be idle this long, and outputs are looked at again
#define LATE_BUSY_MAX    0.2       // share of one processor
#define LATE_DRAIN_NS    200000000u // a kernel that works late gets this long to end before its memory goes away
#define STALE_ROWS_MAX   64         // rows checked for other inputs
#define COORD_TEXT_BYTES 128

struct check {
    const struct check_request *request;
    struct case_buffers *buffers;
    struct check_result *result;
    void *first[OP_TENSORS_MAX]; // outputs of the first launch, packed; by output
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

static bool check_inputs(struct case_buffers *buffers, struct check_result *result) {
    int input = case_buffers_find_changed_input(buffers);
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
                       const struct kernel_instance *instance, struct check_result *ret) {
    for (uint32_t i = 0; i < buffers->tensor_count; ++i)
        if (!check_guard(buffers, &buffers->buffers[i], ret)) return false;
    if (!check_guard(buffers, &instance->workspace, ret)) return false;
    for (uint32_t k = 0; k < case_buffers_output_count(buffers); ++k) {
        uint64_t row;
        if (!tensor_find_gap_written(output_at(buffers, k), poison, &row)) continue;
        ret->outcome = OUTCOME_FAIL;
        ret->finding = FINDING_GAP_WRITTEN;
        snprintf(ret->message, sizeof ret->message,
                 "the gap behind row %llu of '%s' was written; rows are %lld elements, their distance is in "
                 "the strides",
                 (unsigned long long)row, role_name(output_at(buffers, k)->role),
                 (long long)output_at(buffers, k)->shape[output_at(buffers, k)->dim_count - 1]);
        return false;
    }
    return check_inputs(buffers, ret);
}

// ---- the first launch ----

static int keep_first(struct check *check, struct err *err) {
    for (uint32_t k = 0; k < case_buffers_output_count(check->buffers); ++k) {
        const struct assay_tensor *tensor = output_at(check->buffers, k);
        check->first[k] = mem_try_array((size_t)tensor_packed_bytes(tensor), 1);
        if (!check->first[k])
            return err_set(err, ERR_UNAVAILABLE, "no memory for a copy of '%s' of %s",
                           role_name(tensor->role), check->buffers->problem.name);
    }
    return 0;
}

// Negative: error of ours; 0: finding in result; 1: go on.
static int launch_poisoned(struct check *check, enum poison poison, uint64_t *ret_ns, struct err *err) {
    TRY(case_buffers_poison(check->buffers, poison, err));
    const bool is_fine =
        kernel_instance_launch(check->request->instance, &check->buffers->list, ret_ns, check->result);
    if (check->request->on_progress) check->request->on_progress(check->request->arg);
    TRY(case_buffers_download(check->buffers, true, err));
    return is_fine;
}

static bool find_late_work(struct check *check) {
    for (uint32_t k = 0; k < case_buffers_output_count(check->buffers); ++k) {
        int64_t offset;
        const struct assay_tensor *tensor = output_at(check->buffers, k);
        if (!tensor_find_change(tensor, check->first[k], &offset)) continue;
        char where[COORD_TEXT_BYTES];
        format_offset(tensor, offset, where, sizeof where);
        fail(check, FINDING_LATE_WORK,
             "'%s'%s still changed after launch had returned; all work must be done (or ordered on the "
             "stream) by then",
             output_name(check, k), where);
        clock_sleep_ns(LATE_DRAIN_NS);
        return true;
    }
    return false;
}

static uint64_t process_ns(void) {
    struct timespec t;
    if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t) < 0) return 0;
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

// Nothing has been asked for: share of a processor that threads of the kernel used nevertheless.
static double wait_for_late_work(void) {
    clock_sleep_ns(LATE_PARK_NS);
    const uint64_t start_ns = clock_ns(), busy_ns = process_ns();
    clock_sleep_ns(LATE_WAIT_NS);
    return (double)(process_ns() - busy_ns) / (double)(clock_ns() - start_ns);
}

static bool find_busy_threads(struct check *check, double busy_ratio) {
    if (busy_ratio <= LATE_BUSY_MAX) return false;
    fail(check, FINDING_LATE_WORK,
         "threads of the kernel used %.0f %% of a processor from %.0f ms after launch had returned; all work "
         "must be done by then, and threads that wait for the next launch must sleep",
         100 * busy_ratio, LATE_PARK_NS / 1e6);
    clock_sleep_ns(LATE_DRAIN_NS);
    return true;
}

static int check_first_launch(struct check *check, struct err *err) {
    int code = launch_poisoned(check, POISON_OUTPUT, &check->result->kernel_ns, err);
    if (code <= 0) return code;
    for (uint32_t k = 0; k < case_buffers_output_count(check->buffers); ++k)
        tensor_pack(output_at(check->buffers, k), check->first[k]);
    const double busy_ratio = check->buffers->device->is_virtual ? 0 : wait_for_late_work();
    TRY(case_buffers_download(check->buffers, true, err));
    if (!case_check_memory(check->buffers, POISON_OUTPUT, check->request->instance, check->result)) return 0;
    return !find_late_work(check) && !find_busy_threads(check, busy_ratio);
}

// ---- values ----

static void describe_value(struct check *check, uint32_t k, enum finding finding, uint64_t index,
                           uint64_t count) {
    const struct assay_tensor *tensor = output_at(check->buffers, k);
    struct tensor_error *error = &check->result->tensors[k];
    int64_t coord[ASSAY_MAX_DIMS];
    char where[COORD_TEXT_BYTES];
    tensor_coord(tensor, index, coord);
    coord_format(coord, tensor->dim_count, where, sizeof where);
    memcpy(error->worst_coord, coord, sizeof coord);
    error->worst_expected = check->request->reference->outputs[k][index];
    const char *at =
        (const char *)tensor->data + (size_t)tensor_offset(tensor, coord) * dtype_bytes(tensor->dtype);
    error->worst_got = dtype_load(tensor->dtype, at);
    if (finding == FINDING_UNWRITTEN)
        fail(check, finding, "%llu of %llu elements of '%s' were never written, first %s (expected %.9g)",
             (unsigned long long)count, (unsigned long long)error->element_count, error->tensor, where,
             error->worst_expected);
    else
        fail(check, finding, "'%s'%s is %.9g, expected %.9g; %llu of %llu elements are wrong", error->tensor,
             where, error->worst_got, error->worst_expected, (unsigned long long)count,
             (unsigned long long)error->element_count);
}

static bool check_values(struct check *check) {
    const struct case_buffers *buffers = check->buffers;
    const struct operator_def *op = buffers->problem.op;
    uint32_t outputs = case_buffers_output_count(buffers);
    check->result->tensor_count = (int)(outputs < CHECK_TENSORS_MAX ? outputs : CHECK_TENSORS_MAX);
    for (uint32_t k = 0; k < outputs; ++k) {
        struct op_tolerance tolerance = op->tolerance(buffers->problem.params, buffers->input_count + k);
        tensor_compare(output_at(buffers, k), check->request->reference->outputs[k], &tolerance,
                       POISON_OUTPUT, buffers->device->host_stream, &check->verdicts[k]);
        check->result->tensors[k] = check->verdicts[k].error;
    }
    for (uint32_t k = 0; k < outputs; ++k) {
        const struct tensor_verdict *v = &check->verdicts[k];
        if (v->unwritten_count) {
            describe_value(check, k, FINDING_UNWRITTEN, v->first_unwritten, v->unwritten_count);
            return false;
        }
    }
    return true;
}

// After repeatability: of two findings on the same element "other bits every time" explains more than "wrong".
static bool judge_values(struct check *check) {
    for (uint32_t k = 0; k < case_buffers_output_count(check->buffers); ++k) {
        const struct tensor_verdict *v = &check->verdicts[k];
        if (v->is_passed) continue;
        if (v->not_number_count)
            describe_value(check, k, FINDING_NOT_A_NUMBER, v->first_not_number, v->not_number_count);
        else if (v->error.failed_count)
            describe_value(check, k, FINDING_WRONG_VALUE, v->first_failed, v->error.failed_count);
        else
            fail(check, FINDING_WRONG_VALUE, "'%s': relative L2 error %.3g is above what its type allows",
                 v->error.tensor, v->error.rel_l2);
        return false;
    }
    return true;
}

// ---- again ----

static bool same_as_first(struct check *check, uint32_t launch, enum poison poison) {
    for (uint32_t k = 0; k < case_buffers_output_count(check->buffers); ++k) {
        const struct assay_tensor *tensor = output_at(check->buffers, k);
        int64_t offset;
        if (!tensor_find_change(tensor, check->first[k], &offset)) continue;
        char where[COORD_TEXT_BYTES];
        format_offset(tensor, offset, where, sizeof where);
        const char *element = (const char *)tensor->data + (size_t)offset * dtype_bytes(tensor->dtype);
        if (tensor_is_poison(tensor, element, poison))
            return fail(check, FINDING_STALE, "'%s'%s was written by launch 1 and left alone by launch %u",
                        output_name(check, k), where, launch);
        return fail(check, FINDING_NOT_REPEATABLE,
                    "'%s'%s: launch %u gives other bits than launch 1 on the same inputs",
                    output_name(check, k), where, launch);
    }
    return true;
}

static int check_repeats(struct check *check, struct err *err) {
    uint32_t count = check->request->repeat_count > 2 ? check->request->repeat_count : 2;
    for (uint32_t launch = 2; launch <= count; ++launch) {
        enum poison poison = launch % 2 ? POISON_OUTPUT : POISON_OUTPUT_AGAIN;
        int code = launch_poisoned(check, poison, NULL, err);
        if (code <= 0) return code;
        if (!case_check_memory(check->buffers, poison, check->request->instance, check->result)) return 0;
        if (!same_as_first(check, launch, poison)) return 0;
    }
    return 1;
}

// ---- other inputs at the same addresses ----

static int judge_other_inputs(struct check *check, struct err *err) {
    if (!case_check_memory(check->buffers, POISON_OUTPUT, check->request->instance, check->result)) return 0;
    struct slice_failure failure = {0};
    int code = slices_check(check->buffers, STALE_ROWS_MAX, &failure, err);
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

static bool judge_two_x(struct check *check, uint32_t k, const struct reference_yardstick *sampled) {
    const struct reference_yardstick *plain = &check->request->reference->yardstick[k];
    struct tensor_error *error = &check->result->tensors[k];
    error->yardstick_max_abs = plain->max_abs;
    error->yardstick_rms = plain->rms;
    error->sampled_max_abs = sampled->max_abs;
    error->sampled_rms = sampled->rms;
    error->sampled_row_count = sampled->row_count;
    double limit_max, limit_rms, max_ref = yardstick_max_ref(check->request->reference, k);
    if (yardstick_passes(sampled, plain, output_at(check->buffers, k)->dtype, max_ref, &limit_max,
                         &limit_rms))
        return true;
    return fail(check, FINDING_TWO_X,
                "'%s': error max %.3g, rms %.3g; twice the plain kernel's plus 2 ulp is max %.3g, rms %.3g "
                "(%llu rows)",
                error->tensor, sampled->max_abs, sampled->rms, limit_max, limit_rms,
                (unsigned long long)sampled->row_count);
}

static bool check_two_x(struct check *check) {
    struct reference_yardstick sampled[OP_TENSORS_MAX];
    for (uint32_t k = 0; k < case_buffers_output_count(check->buffers); ++k)
        tensor_unpack(output_at(check->buffers, k), check->first[k]);
    yardstick_sample(check->buffers, check->request->reference, sampled);
    bool has_passed = true;
    for (uint32_t k = 0; k < (uint32_t)check->result->tensor_count; ++k) {
        if (!check->request->reference->yardstick[k].row_count) continue;
        has_passed = judge_two_x(check, k, &sampled[k]) && has_passed;
    }
    return has_passed;
}

static int run_steps(struct check *check, struct err *err) {
    int code = check_first_launch(check, err);
    if (code <= 0) return code;
    if (!check_values(check)) return 0;
    code = check_repeats(check, err);
    if (code <= 0) return code;
    if (!judge_values(check)) return 0;
    code = check_other_inputs(check, err);
    if (code <= 0) return code;
    if (!check_two_x(check)) return 0;
    if (check->request->hashes) case_check_hash_outputs(check->buffers, check->request->hashes->outputs);
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
    int code = keep_first(check, err);
    if (code == 0) code = run_steps(check, err);
    ret->duration_ns = device_now_ns(request->buffers->device) - start_ns;
    for (uint32_t k = 0; k < OP_TENSORS_MAX; ++k) free(check->first[k]);
    free(check);
    return code < 0 ? code : 0;
}

void case_check_hash_outputs(const struct case_buffers *buffers, char ret_hex[HASH_HEX_BYTES]) {
    struct hash_state *hash = hash_new();
    for (uint32_t k = 0; k < case_buffers_output_count(buffers); ++k) {
        struct tensor_rows rows = tensor_rows_of(output_at(buffers, k));
        for (size_t r = 0; r < rows.row_count; ++r)
            hash_add(hash, rows.base + r * rows.pitch_bytes, rows.row_bytes);
    }
    hash_take_hex(hash, ret_hex);
}
