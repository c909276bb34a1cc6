// SPDX-License-Identifier: Apache-2.0
//
// The steps of a check. The order reports the finding that explains most: memory, unwritten outputs,
// repeatability, values, other inputs, the 2 x rule.
#include "worker/check/case_check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "op/dtype.h"
#include "op/seed_stream.h"
#include "worker/check/case_samples.h"
#include "worker/check/declared_precision.h"
#include "worker/check/same_precision.h"
#include "worker/check/tensor_compare.h"

// What a kernel's threads may do after launch has returned: spin before they sleep (ours 50 us), then a
// fifth of a processor.
static const struct idle_watch late_watch = {.park_ns = 5000000,
                                             .watch_ns = 10000000,
                                             .alone_ns = 4000000,
                                             .busy_ns = 2000000,
                                             .held_up_ns = 100000000};
#define LATE_LAUNCHES  3          // busy after each of this many launches in a row
#define LATE_DRAIN_NS  200000000u // for a kernel that works late to end before its memory goes away
#define ORDER_DELAY_NS 2000000u   // longer than a kernel needs to begin elsewhere
#define STALE_ROWS_MAX 64         // rows checked for other inputs
// An honest kernel's largest error among a few drawn rows may be twice the plain kernel's by chance (one in
// some hundred problems). It is drawn again, with other inputs, unless it is far beyond the limit.
#define DRAWS_MOST   4
#define FAR_OFF      2.0
#define FAR_OFF_ROWS 16 // of fewer the plain kernel's largest error may be small by chance

struct check {
    const struct check_request *request;
    struct case_buffers *buffers;
    struct check_result *result;
    struct kept_outputs first; // of the first launch
    struct tensor_verdict verdicts[OP_TENSORS_MAX];
    bool is_far_off; // by the 2 x rule, more than FAR_OFF times beyond a limit
};

// Returns CHECK_STEP_FAILED.
__attribute__((format(printf, 3, 4))) static int fail(struct check_result *result, enum finding finding,
                                                      const char *format, ...) {
    result->outcome = OUTCOME_FAIL;
    result->finding = finding;
    va_list args;
    va_start(args, format);
    vsnprintf(result->message, sizeof result->message, format, args);
    va_end(args);
    return CHECK_STEP_FAILED;
}

static const char *output_name(const struct check *check, uint32_t k) {
    return case_buffers_host_output(check->buffers, k)->name;
}

// ---- memory ----

bool case_check_memory(struct case_buffers *buffers, enum poison poison,
                       const struct kernel_instance *instance, const struct tensor_hashes *hashes,
                       struct check_result *ret) {
    for (uint32_t i = 0; i <= buffers->tensor_count; ++i) {
        const struct buffer *buffer = i < buffers->tensor_count ? &buffers->buffers[i] : &instance->workspace;
        int64_t distance;
        if (!buffer->map || !buffers->device->backend->buffer_is_violated(buffers->device, buffer, &distance))
            continue;
        const char *place = distance < 0 ? "before the start of" : "past the end of";
        if (distance)
            fail(ret, FINDING_OUT_OF_BOUNDS, "the kernel wrote %lld bytes %s '%s'",
                 llabs((long long)distance), place, buffer->label);
        else
            fail(ret, FINDING_OUT_OF_BOUNDS, "the kernel wrote right behind the end of '%s'", buffer->label);
        return false;
    }
    uint32_t k, input;
    uint64_t row;
    if (buffers->checker->find_gap_written(buffers, poison, &k, &row)) {
        const struct assay_tensor *tensor = case_buffers_host_output(buffers, k);
        fail(ret, FINDING_GAP_WRITTEN,
             "the gap behind row %llu of '%s' was written; rows are %lld elements, their distance is in the "
             "strides",
             (unsigned long long)row, tensor->name, (long long)tensor->shape[tensor->dim_count - 1]);
        return false;
    }
    if (case_buffers_find_changed_input(buffers, hashes, &input)) {
        const struct assay_tensor *tensor = &buffers->host[input];
        char where[COORD_TEXT_BYTES] = "";
        int64_t coord[ASSAY_MAX_DIMS];
        if (!buffers->is_rotated && buffers->checker->locate_change(buffers, input, coord, NULL) == 0)
            coord_format(coord, tensor->dim_count, where, sizeof where);
        fail(ret, FINDING_INPUT_CHANGED, "input '%s' was changed by the launch%s%s", tensor->name,
             *where ? ", first at " : "", where);
        return false;
    }
    return true;
}

// ---- launches ----

// All steps from here on: enum check_step, or negative for an error of ours.

static int sync_after_launch(struct check *check, bool is_launched, struct err *err) {
    if (check->request->on_progress) check->request->on_progress(check->request->arg);
    TRY(case_buffers_make_visible(check->buffers, true, err));
    return is_launched ? CHECK_STEP_PASSED : CHECK_STEP_FAILED;
}

static int launch_poisoned(struct check *check, enum poison poison, uint64_t *ret_ns, struct err *err) {
    TRY(case_buffers_poison(check->buffers, poison, err));
    const bool is_launched =
        kernel_instance_launch(check->request->instance, check->buffers, ret_ns, check->result);
    return sync_after_launch(check, is_launched, err);
}

// Guards, gaps and inputs as they are now.
static int check_memory(struct check *check, enum poison poison, struct err *err) {
    struct tensor_hashes hashes;
    TRY(check->buffers->checker->hash(&check->buffers, 1, HASHED_INPUTS, &hashes, err));
    return case_check_memory(check->buffers, poison, check->request->instance, &hashes, check->result)
               ? CHECK_STEP_PASSED
               : CHECK_STEP_FAILED;
}

// Where the outputs first differ from those of the first launch.
struct difference {
    uint32_t output;
    int64_t offset;
    char where[COORD_TEXT_BYTES];
};

static void locate(const struct check *check, struct difference *difference) {
    const struct assay_tensor *tensor = case_buffers_host_output(check->buffers, difference->output);
    int64_t coord[ASSAY_MAX_DIMS];
    tensor_coord_at(tensor, difference->offset, coord);
    coord_format(coord, tensor->dim_count, difference->where, sizeof difference->where);
}

// enum check_search, or negative.
static int find_difference(struct check *check, struct difference *ret, struct err *err) {
    const int code = check->buffers->checker->find_difference(check->buffers, &check->first, &ret->output,
                                                              &ret->offset, err);
    if (code == CHECK_FOUND) locate(check, ret);
    return code;
}

// The same for another launch on the same inputs. An operator whose sums may be added in any order has
// other bits every time: its outputs differ where they are beyond the tolerance, and were within it at first.
static int find_other_result(struct check *check, struct difference *ret, struct err *err) {
    struct case_buffers *buffers = check->buffers;
    if (!buffers->problem.op->is_order_free) return find_difference(check, ret, err);
    for (uint32_t k = 0; k < case_buffers_output_count(buffers); ++k) {
        const struct op_tolerance tolerance = case_buffers_tolerance(buffers, k);
        struct tensor_verdict verdict;
        if (!check->verdicts[k].is_passed) continue; // wrong from the first launch on: said later
        TRY(buffers->checker->compare(buffers, check->request->reference, k, &tolerance, &verdict, err));
        if (verdict.is_passed) continue;
        int64_t coord[ASSAY_MAX_DIMS];
        const struct assay_tensor *tensor = case_buffers_host_output(buffers, k);
        tensor_coord(tensor, verdict.first_failed, coord);
        ret->output = k;
        ret->offset = tensor_offset(tensor, coord);
        locate(check, ret);
        return CHECK_FOUND;
    }
    return CHECK_NOT_FOUND;
}

// ---- the first launch ----

// A hypervisor's pause counts as work of the thread that it held up, so only a kernel that is busy after
// every launch fails.
static int check_busy_threads(struct check *check, int64_t busy_ns, struct err *err) {
    const int64_t most_ns = (int64_t)late_watch.busy_ns;
    for (int launch = 1; busy_ns > most_ns && launch < LATE_LAUNCHES; ++launch) {
        const int code = launch_poisoned(check, POISON_OUTPUT, NULL, err);
        if (code != CHECK_STEP_PASSED) return code;
        busy_ns = kernel_instance_idle(check->request->instance, &late_watch);
    }
    if (busy_ns <= most_ns) return CHECK_STEP_PASSED;
    clock_sleep_ns(LATE_DRAIN_NS);
    return fail(
        check->result, FINDING_LATE_WORK,
        "threads of the kernel used a processor for %.1f ms from %.0f ms after launch had returned; all "
        "work must be done by then, and threads that wait for the next launch must sleep",
        (double)busy_ns / 1e6, (double)late_watch.park_ns / 1e6);
}

static int check_first_launch(struct check *check, struct err *err) {
    int code = launch_poisoned(check, POISON_OUTPUT, &check->result->kernel_ns, err);
    if (code != CHECK_STEP_PASSED) return code;
    TRY(check->buffers->checker->keep_outputs(check->buffers, &check->first, err));
    const int64_t busy_ns = kernel_instance_idle(check->request->instance, &late_watch);
    TRY(case_buffers_make_visible(check->buffers, true, err));
    code = check_memory(check, POISON_OUTPUT, err);
    if (code != CHECK_STEP_PASSED) return code;
    struct difference late;
    code = find_difference(check, &late, err);
    if (code < 0) return code;
    if (code == CHECK_NOT_FOUND) return check_busy_threads(check, busy_ns, err);
    clock_sleep_ns(LATE_DRAIN_NS);
    return fail(check->result, FINDING_LATE_WORK,
                "'%s'%s still changed after launch had returned; all work must be done (or ordered on the "
                "stream) by then",
                output_name(check, late.output), late.where);
}

// ---- values ----

// Reports a failure at the element of output k with that dense index.
static int fail_value(struct check *check, uint32_t k, enum finding finding, uint64_t index, uint64_t count,
                      struct err *err) {
    const struct assay_tensor *tensor = case_buffers_host_output(check->buffers, k);
    struct tensor_error *error = &check->result->tensors[k];
    char where[COORD_TEXT_BYTES];
    tensor_coord(tensor, index, error->worst_coord);
    coord_format(error->worst_coord, tensor->dim_count, where, sizeof where);
    TRY(reference_read(check->request->reference, k, index, &error->worst_expected, err));
    TRY(case_buffers_read_value(check->buffers, check->buffers->input_count + k,
                                tensor_offset(tensor, error->worst_coord), &error->worst_got, err));
    if (finding == FINDING_UNWRITTEN)
        return fail(check->result, finding,
                    "%llu of %llu elements of '%s' were never written, first %s (expected %.9g)",
                    (unsigned long long)count, (unsigned long long)error->element_count, error->tensor, where,
                    error->worst_expected);
    if (*check->verdicts[k].why) return fail(check->result, finding, "%s", check->verdicts[k].why);
    return fail(check->result, finding, "'%s'%s is %.9g, expected %.9g; %llu of %llu elements are wrong",
                error->tensor, where, error->worst_got, error->worst_expected, (unsigned long long)count,
                (unsigned long long)error->element_count);
}

// Elements that hold the poison: were they left alone, or computed from what they held? A number in place of
// the NaN tells, and a launch that fails now explains nothing.
static int fail_unwritten(struct check *check, uint32_t k, struct err *err) {
    const struct tensor_verdict *v = &check->verdicts[k];
    int code = fail_value(check, k, FINDING_UNWRITTEN, v->first_unwritten, v->unwritten_count, err);
    if (code != CHECK_STEP_FAILED) return code;
    const struct check_result said = *check->result;
    code = launch_poisoned(check, POISON_FINITE, NULL, err);
    *check->result = said;
    if (code != CHECK_STEP_PASSED) return code;
    const struct assay_tensor *tensor = case_buffers_host_output(check->buffers, k);
    const uint32_t index = check->buffers->input_count + k;
    struct tensor_error *error = &check->result->tensors[k];
    const int64_t offset = tensor_offset(tensor, error->worst_coord);
    unsigned char element[8];
    TRY(check->buffers->checker->read_element(check->buffers, index, offset, element, err));
    if (tensor_is_poison(tensor, element, POISON_FINITE)) return CHECK_STEP_FAILED;
    char where[COORD_TEXT_BYTES];
    coord_format(error->worst_coord, tensor->dim_count, where, sizeof where);
    TRY(case_buffers_read_value(check->buffers, index, offset, &error->worst_got, err));
    return fail(check->result, FINDING_WRONG_VALUE,
                "'%s'%s depends on what it held before the launch: NaN where that was NaN, %.9g where it was "
                "a number (expected %.9g); %llu of %llu elements do",
                error->tensor, where, error->worst_got, error->worst_expected,
                (unsigned long long)v->unwritten_count, (unsigned long long)error->element_count);
}

// Compares all outputs; fails when something is unwritten.
static int check_written(struct check *check, struct err *err) {
    struct case_buffers *buffers = check->buffers;
    const uint32_t outputs = case_buffers_output_count(buffers);
    check->result->tensor_count = (int)outputs;
    for (uint32_t k = 0; k < outputs; ++k) {
        const struct op_tolerance tolerance = case_buffers_tolerance(buffers, k);
        TRY(buffers->checker->compare(buffers, check->request->reference, k, &tolerance, &check->verdicts[k],
                                      err));
        check->result->tensors[k] = check->verdicts[k].error;
    }
    for (uint32_t k = 0; k < outputs; ++k) {
        const struct tensor_verdict *v = &check->verdicts[k];
        if (v->unwritten_count) return fail_unwritten(check, k, err);
        if (!v->is_miscounted) continue;
        return fail_value(check, k, FINDING_WRONG_VALUE, v->first_failed, v->error.failed_count, err);
    }
    return CHECK_STEP_PASSED;
}

// Runs after the repeatability check: for one element "other bits every time" explains more than "wrong".
static int check_values(struct check *check, struct err *err) {
    for (uint32_t k = 0; k < case_buffers_output_count(check->buffers); ++k) {
        const struct tensor_verdict *v = &check->verdicts[k];
        if (v->is_passed) continue;
        if (v->not_number_count)
            return fail_value(check, k, FINDING_NOT_A_NUMBER, v->first_not_number, v->not_number_count, err);
        if (v->error.failed_count)
            return fail_value(check, k, FINDING_WRONG_VALUE, v->first_failed, v->error.failed_count, err);
        return fail(check->result, FINDING_WRONG_VALUE,
                    "'%s': relative L2 error %.3g is above what its type allows", v->error.tensor,
                    v->error.rel_l2);
    }
    return case_samples_check(check->request, check->result, err);
}

// ---- again ----

static int check_repeat(struct check *check, uint32_t launch, struct err *err) {
    const enum poison poison = launch % 2 ? POISON_OUTPUT : POISON_OUTPUT_AGAIN;
    int code = launch_poisoned(check, poison, NULL, err);
    if (code != CHECK_STEP_PASSED) return code;
    code = check_memory(check, poison, err);
    if (code != CHECK_STEP_PASSED) return code;
    struct difference other;
    code = find_other_result(check, &other, err);
    if (code < 0) return code;
    if (code == CHECK_NOT_FOUND) return CHECK_STEP_PASSED;
    unsigned char element[8];
    TRY(check->buffers->checker->read_element(check->buffers, check->buffers->input_count + other.output,
                                              other.offset, element, err));
    if (tensor_is_poison(case_buffers_host_output(check->buffers, other.output), element, poison))
        return fail(check->result, FINDING_STALE,
                    "'%s'%s was written by launch 1 and left alone by launch %u",
                    output_name(check, other.output), other.where, launch);
    return fail(check->result, FINDING_NOT_REPEATABLE,
                "'%s'%s: launch %u gives %s than launch 1 on the same inputs",
                output_name(check, other.output), other.where, launch,
                check->buffers->problem.op->is_order_free ? "other values" : "other bits");
}

// Launches while the stream is busy: work that a kernel puts on another stream runs before the poisoning
// that is enqueued on ours, and is overwritten by it. One more launch, without delay, distinguishes this
// from results that are merely not repeatable.
static int check_order(struct check *check, uint32_t launch, struct err *err) {
    struct case_buffers *buffers = check->buffers;
    struct device *device = buffers->device;
    if (!device->backend->work || !device->backend->work->delay) return CHECK_STEP_PASSED;
    void *staged = NULL;
    const bool is_apart = check->request->instance->home.host != NULL;
    int code = is_apart ? case_buffers_poison(buffers, POISON_OUTPUT_AGAIN, err)
                        : buffers->checker->poison_behind(buffers, POISON_OUTPUT_AGAIN, ORDER_DELAY_NS,
                                                          &staged, err);
    if (code == 0) {
        const bool is_launched = kernel_instance_launch_behind(check->request->instance, buffers,
                                                               is_apart ? ORDER_DELAY_NS : 0, check->result);
        code = sync_after_launch(check, is_launched, err);
    }
    if (staged) device->backend->work->scratch_free(device, staged);
    if (code != CHECK_STEP_PASSED) return code;
    struct difference other;
    code = find_other_result(check, &other, err);
    if (code < 0) return code;
    if (code == CHECK_NOT_FOUND) return CHECK_STEP_PASSED;
    code = check_repeat(check, launch, err);
    if (code != CHECK_STEP_PASSED) return code;
    return fail(check->result, FINDING_LATE_WORK,
                "'%s'%s differs when the stream is still busy for %.0f ms at the launch: work that is not "
                "ordered on the stream that was passed",
                output_name(check, other.output), other.where, ORDER_DELAY_NS / 1e6);
}

static int check_repeats(struct check *check, struct err *err) {
    const uint32_t count = check->request->repeat_count > 2 ? check->request->repeat_count : 2;
    for (uint32_t launch = 2; launch <= count; ++launch) {
        const int code = check_repeat(check, launch, err);
        if (code != CHECK_STEP_PASSED) return code;
    }
    return check_order(check, count + 1, err);
}

// ---- other inputs at the same addresses ----

static int launch_on_other_inputs(struct check *check, struct err *err) {
    int code = launch_poisoned(check, POISON_OUTPUT, NULL, err);
    if (code != CHECK_STEP_PASSED) return code;
    code = check_memory(check, POISON_OUTPUT, err);
    if (code != CHECK_STEP_PASSED) return code;
    struct slice_failure failure = {0};
    const struct rows_wanted rows = {.row_max = STALE_ROWS_MAX, .seed = check->request->row_seed};
    code = check->buffers->checker->check_rows(check->buffers, &rows, &failure, err);
    if (code != CHECK_FOUND) return code < 0 ? code : CHECK_STEP_PASSED;
    const bool is_rounding = slice_failure_is_rounding(check->buffers, &failure);
    slice_failure_explain(check->buffers, &failure);
    return fail(check->result, is_rounding ? FINDING_WRONG_VALUE : FINDING_STALE,
                "right for the first inputs, %s at the same addresses: %s",
                is_rounding ? "beyond the tolerance for others" : "wrong for others", failure.why);
}

static int check_other_inputs(struct check *check, struct err *err) {
    TRY(check->buffers->checker->rotate(check->buffers, err));
    const int code = launch_on_other_inputs(check, err);
    if (check->result->finding != FINDING_INPUT_CHANGED)
        TRY(check->buffers->checker->rotate(check->buffers, err));
    return code;
}

// ---- the 2 x rule, also on drawn inputs ----

// The rule on outputs whose errors are known. what: how the sentence begins.
static int judge_two_x(struct check *check, const struct reference *reference,
                       const struct reference_same_precision *sampled, const char *what) {
    int code = CHECK_STEP_PASSED;
    for (uint32_t k = 0; k < (uint32_t)check->result->tensor_count; ++k) {
        const struct reference_same_precision *plain = &reference->same_precision[k];
        if (!plain->row_count || !case_buffers_tolerance(check->buffers, k).is_two_x_gated) continue;
        struct tensor_error *error = &check->result->tensors[k];
        error->same_precision_max_abs = plain->max_abs;
        error->same_precision_rms = plain->rms;
        error->sampled_max_abs = sampled[k].max_abs;
        error->sampled_rms = sampled[k].rms;
        error->sampled_row_count = sampled[k].row_count;
        const struct assay_tensor *tensor = case_buffers_host_output(check->buffers, k);
        struct reference_same_precision limit;
        if (same_precision_passes(&sampled[k], plain, tensor->dtype, precision_max_ref(reference, k), &limit))
            continue;
        const bool is_far =
            !(sampled[k].max_abs <= FAR_OFF * limit.max_abs && // a NaN is, too
              sampled[k].rms <= FAR_OFF * limit.rms && sampled[k].worst_row <= FAR_OFF * limit.worst_row);
        check->is_far_off |= is_far && plain->row_count >= FAR_OFF_ROWS;
        code = fail(check->result, FINDING_TWO_X, "%s'%s': %s", what, tensor->name,
                    same_precision_explain(&sampled[k], &limit).text);
    }
    return code;
}

static int judge_left(struct check *check, struct reference *reference, struct err *err) {
    struct case_buffers *buffers = check->buffers;
    struct reference_same_precision sampled[OP_TENSORS_MAX];
    for (uint32_t k = 0; k < reference->output_count && reference->device; ++k) {
        const struct op_tolerance tolerance = case_buffers_tolerance(buffers, k);
        TRY(buffers->checker->compare(buffers, reference, k, &tolerance, &check->verdicts[k], err));
    }
    TRY(buffers->checker->measure_rows(buffers, reference, check->verdicts, sampled, err));
    const int code = judge_two_x(check, reference, sampled, "on inputs drawn at random: ");
    if (code != CHECK_STEP_FAILED || !buffers->own_reference) return code;
    TRY(declared_precision_widen(buffers, reference, err));
    check->is_far_off = false;
    return judge_two_x(check, reference, sampled, "on inputs drawn at random: ");
}

static int judge_drawn(struct check *check, struct reference *reference, struct err *err) {
    const int code = launch_poisoned(check, POISON_OUTPUT, NULL, err);
    return code == CHECK_STEP_PASSED ? judge_left(check, reference, err) : code;
}

// enum check_step, of one draw.
static int draw_and_judge(struct check *check, uint64_t seed, uint64_t rows_a_group, struct err *err) {
    struct reference reference = {0};
    int code = case_buffers_fill(check->buffers, check->buffers->distribution, seed, err);
    if (code == 0) code = reference_open_rows(&reference, check->buffers, rows_a_group, err);
    if (code == 0) code = reference.output_count ? judge_drawn(check, &reference, err) : CHECK_STEP_PASSED;
    reference_close(&reference);
    return code;
}

// A search by the 2 x rule alone: a check, and the result that it writes.
struct search {
    struct check check;
    struct check_result result;
};

// NULL: the rule limits no output of the case. The caller frees it.
static struct search *search_new(const struct check_request *request) {
    bool is_gated[OP_TENSORS_MAX];
    if (!precision_find_gated(request->buffers, is_gated)) return NULL;
    struct search *ret = mem_alloc(sizeof *ret);
    ret->result.tensor_count = (int)case_buffers_output_count(request->buffers);
    ret->check.request = request;
    ret->check.buffers = request->buffers;
    ret->check.result = &ret->result;
    return ret;
}

// enum check_search from the last step's enum check_step.
static int search_end(struct search *search, int step, struct check_result *ret) {
    if (step == CHECK_STEP_FAILED) {
        ret->outcome = search->result.outcome;
        ret->finding = search->result.finding;
        memcpy(ret->message, search->result.message, sizeof ret->message);
    }
    free(search);
    return step < 0 ? step : step == CHECK_STEP_PASSED ? CHECK_NOT_FOUND : CHECK_FOUND;
}

int case_check_left(const struct check_request *request, uint64_t rows_a_group, struct check_result *ret,
                    bool *ret_is_far_off, struct err *err) {
    *ret_is_far_off = false;
    struct search *search = search_new(request);
    if (!search) return CHECK_NOT_FOUND;
    struct reference reference = {0};
    int code = reference_open_rows(&reference, request->buffers, rows_a_group, err);
    if (code == 0)
        code = reference.output_count ? judge_left(&search->check, &reference, err) : CHECK_STEP_PASSED;
    reference_close(&reference);
    *ret_is_far_off = search->check.is_far_off;
    return search_end(search, code, ret);
}

int case_check_drawn(const struct check_request *request, uint64_t seed, uint64_t rows_a_group,
                     struct check_result *ret, struct err *err) {
    struct search *search = search_new(request);
    if (!search) return CHECK_NOT_FOUND;
    struct check *check = &search->check;
    int code = draw_and_judge(check, seed, rows_a_group, err);
    for (uint64_t draw = 1; draw < DRAWS_MOST && code == CHECK_STEP_FAILED; ++draw) {
        if (search->result.finding != FINDING_TWO_X || check->is_far_off) break;
        code = draw_and_judge(check, seed_child(seed, "drawn again", draw), SAME_PRECISION_ROWS_A_GROUP, err);
    }
    return search_end(search, code, ret);
}

// On other inputs; the case's own and the first launch's outputs come back. enum check_search.
static int judge_other_inputs(struct check *check, uint64_t seed, struct err *err) {
    struct case_buffers *buffers = check->buffers;
    const uint64_t own_seed = buffers->seed;
    const int code = case_check_drawn(check->request, seed, SAME_PRECISION_ROWS_A_GROUP, check->result, err);
    TRY(code);
    TRY(case_buffers_fill(buffers, buffers->distribution, own_seed, err));
    TRY(buffers->checker->restore_outputs(buffers, &check->first, err));
    return code;
}

// As the last step.
static int check_drawn(struct check *check, struct err *err) {
    if (!check->request->drawn_seed) return CHECK_STEP_PASSED;
    const int code = judge_other_inputs(check, check->request->drawn_seed, err);
    TRY(code);
    return code == CHECK_FOUND ? CHECK_STEP_FAILED : CHECK_STEP_PASSED;
}

// ---- the 2 x rule, on the outputs of the first launch ----

// Of an honest kernel a few rows may be a little beyond the limit by chance, and with the same seed they are
// so in every run: it has to be so on other inputs too. These follow from the seed, so that a finding
// repeats; inputs that nobody knows before are check_drawn's.
static int check_two_x(struct check *check, struct err *err) {
    const struct reference *reference = check->request->reference;
    struct reference_same_precision sampled[OP_TENSORS_MAX];
    TRY(check->buffers->checker->restore_outputs(check->buffers, &check->first, err));
    TRY(check->buffers->checker->measure_rows(check->buffers, reference, check->verdicts, sampled, err));
    int code = judge_two_x(check, reference, sampled, "");
    if (code == CHECK_STEP_PASSED || check->is_far_off) return code;
    const struct check_result first = *check->result;
    code = judge_other_inputs(check, seed_child(check->buffers->seed, "drawn again", 0), err);
    TRY(code);
    *check->result = first;
    if (code == CHECK_FOUND) return CHECK_STEP_FAILED;
    check->result->outcome = OUTCOME_NONE;
    check->result->finding = FINDING_NONE;
    check->result->message[0] = 0;
    return CHECK_STEP_PASSED;
}

// ---- all of it ----

static int (*const steps[])(struct check *check, struct err *err) = {
    check_first_launch, check_written, check_repeats, check_values,
    check_other_inputs, check_two_x,   check_drawn,
};

// A finding based on the reference counts against the kernel only if the reference is unchanged since it
// was computed.
static int doubt_finding(struct check *check, struct err *err) {
    const enum finding finding = check->result->finding;
    if (finding != FINDING_WRONG_VALUE && finding != FINDING_NOT_A_NUMBER && finding != FINDING_TWO_X &&
        finding != FINDING_UNWRITTEN)
        return 0;
    const int code = reference_is_changed(check->request->reference, check->buffers, err);
    if (code != CHECK_FOUND) return code;
    if (check->request->is_reference_changed) *check->request->is_reference_changed = true;
    fail(check->result, FINDING_OUT_OF_BOUNDS,
         "memory of assay's own on the device, the float64 reference, was written over while kernels ran");
    return 0;
}

static int run_steps(struct check *check, struct err *err) {
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; ++i) {
        const int code = steps[i](check, err);
        if (code == CHECK_STEP_FAILED) return doubt_finding(check, err);
        if (code < 0) return code;
    }
    if (check->request->hashes) {
        struct tensor_hashes hashes;
        TRY(check->buffers->checker->hash(&check->buffers, 1, HASHED_OUTPUTS, &hashes, err));
        memcpy(check->request->hashes->outputs, hashes.outputs, sizeof hashes.outputs);
    }
    check->result->outcome = OUTCOME_OK;
    return 0;
}

int case_check_run(const struct check_request *request, struct check_result *ret, struct err *err) {
    const uint32_t outputs = case_buffers_output_count(request->buffers);
    if (outputs > CHECK_TENSORS_MAX)
        return err_set(err, ERR_INTERNAL, "operator '%s' has %u outputs, a record holds %d",
                       request->buffers->problem.op->name, outputs, CHECK_TENSORS_MAX);
    struct check *check = mem_alloc(sizeof *check);
    check->request = request;
    check->buffers = request->buffers;
    check->result = ret;
    const uint64_t start_ns = device_now_ns(request->buffers->device);
    const int code = run_steps(check, err);
    ret->duration_ns = device_now_ns(request->buffers->device) - start_ns;
    check->buffers->checker->drop_outputs(check->buffers, &check->first);
    free(check);
    return code;
}
