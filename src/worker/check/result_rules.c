// SPDX-License-Identifier: Apache-2.0
//
// See result_rules.h. Rows (of the last axis) are judged by threads, in blocks whose figures are added up in
// their order.
#include "worker/check/result_rules.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "op/declared/declared.h"
#include "op/dtype.h"
#include "worker/check/declared_reference.h"
#include "worker/check/result_used.h"

#define BLOCKS_MOST 256
// Of a row ten times the share of the output may be steps off, or one element.
#define ROW_TIMES 10
// How far single precision may take a number from where it is rounded: some operations' errors, 16 x 2^-24.
// So near to the middle of two steps both are right.
#define NEAR_MIDDLE 0x1p-20
#define E5M2_MOST   0x7b // 57344: where the reference is a number, so is the result

// ---- what is compared ----

struct rule_part {
    uint64_t wrong, near;                // near: steps off, and few enough of a row
    uint64_t first_wrong, first_near;    // dense; DEV_NONE
    uint64_t unwritten, first_unwritten; // of the wrong ones
    uint64_t used;                       // elements
    char *why;                           // NULL: no sentence is wanted
};

struct rule_job {
    const struct case_buffers *buffers;
    const double *const *right;
    const struct declared_rule *rule;
    const struct assay_tensor *tensor, *from, *values; // from, values: of picks
    const double *reference;                           // of the tensor
    uint64_t row_length, row_count, block_rows;
    struct rule_part *blocks;
};

static double load(const struct assay_tensor *tensor, uint64_t index) {
    return dtype_load(tensor->dtype, tensor_element_at(tensor, index));
}

__attribute__((format(printf, 2, 3))) static void say(struct rule_part *part, const char *format, ...) {
    if (!part->why || *part->why) return; // the first one
    va_list args;
    va_start(args, format);
    vsnprintf(part->why, TENSOR_WHY_BYTES, format, args);
    va_end(args);
}

static void add_wrong(const struct rule_job *job, uint64_t index, struct rule_part *part) {
    ++part->wrong;
    dev_note_first(&part->first_wrong, index);
    if (!tensor_is_poison(job->tensor, tensor_element_at(job->tensor, index), POISON_OUTPUT)) return;
    ++part->unwritten;
    dev_note_first(&part->first_unwritten, index);
}

// Elements of a row that are used, by the reference.
static uint64_t used_of_row(const struct rule_job *job, uint64_t row) {
    const struct case_buffers *buffers = job->buffers;
    const int32_t counts = job->rule->used;
    if (counts < 0) return job->row_length;
    const uint64_t first = row * job->row_length, block = result_used_block(job->rule, job->tensor, first);
    const double count = (uint32_t)counts < buffers->input_count
                             ? load(&buffers->host[counts], block)
                             : job->right[(uint32_t)counts - buffers->input_count][block];
    const uint64_t end = result_used_end(job->rule, job->tensor, block, count);
    return end <= first ? 0 : end - first < job->row_length ? end - first : job->row_length;
}

static const char *coord_of(const struct assay_tensor *tensor, uint64_t index, char text[COORD_TEXT_BYTES]) {
    int64_t coord[ASSAY_MAX_DIMS];
    tensor_coord(tensor, index, coord);
    coord_format(coord, tensor->dim_count, text, COORD_TEXT_BYTES);
    return text;
}

// ---- steps ----

// Numbers of a type that follow each other have whole numbers that do.
static int64_t place_of(int32_t dtype, const void *element) {
    if (dtype != ASSAY_FP8_E4M3 && dtype != ASSAY_FP8_E5M2) return (int64_t)dtype_load(dtype, element);
    const int bits = *(const unsigned char *)element;
    return bits & 0x80 ? -(bits & 0x7f) : bits;
}

static int64_t fp4_place(int bits) {
    return bits & 8 ? -(bits & 7) : bits & 7;
}

// How many steps an element is off; 0 where its number is as near to the reference as the right one.
static uint64_t steps_off(int32_t dtype, const void *element, double reference) {
    unsigned char right[8];
    if (dtype == ASSAY_FP4_E2M1X2) {
        const int got = *(const unsigned char *)element, expected = (int)reference;
        const int64_t low = fp4_place(got) - fp4_place(expected);
        const int64_t high = fp4_place(got >> 4) - fp4_place(expected >> 4);
        return (uint64_t)(llabs(low) > llabs(high) ? llabs(low) : llabs(high));
    }
    dtype_store(dtype, right, reference);
    if (dtype == ASSAY_FP8_E5M2 && isinf(dtype_load(dtype, right)))
        right[0] = (unsigned char)((right[0] & 0x80) | E5M2_MOST);
    const int64_t off = place_of(dtype, element) - place_of(dtype, right);
    const double error = fabs(dtype_load(dtype, element) - reference);
    const double least = fabs(dtype_load(dtype, right) - reference);
    return error <= least + NEAR_MIDDLE * fabs(reference) ? 0 : (uint64_t)llabs(off);
}

static void judge_steps(const struct rule_job *job, uint64_t row, struct rule_part *part) {
    const uint64_t first = row * job->row_length, count = used_of_row(job, row);
    const size_t bytes = dtype_bytes(job->tensor->dtype);
    const unsigned char *at = tensor_element_at(job->tensor, first);
    uint64_t near = 0, first_near = DEV_NONE;
    part->used += count;
    for (uint64_t i = 0; i < count; ++i, at += bytes) {
        const double reference = job->reference[first + i];
        if (!isfinite(reference) || !isfinite(dtype_load(job->tensor->dtype, at)))
            continue; // compared before
        const uint64_t off = steps_off(job->tensor->dtype, at, reference);
        if (off > job->rule->steps) add_wrong(job, first + i, part);
        if (!off || off > job->rule->steps) continue;
        ++near;
        dev_note_first(&first_near, first + i);
    }
    if (!near) return;
    part->near += near;
    dev_note_first(&part->first_near, first_near);
    if (near <= 1 || (double)near <= ROW_TIMES * job->rule->share * (double)count) return;
    part->near -= near;
    part->wrong += near;
    dev_note_first(&part->first_wrong, first_near);
}

// ---- picks ----

struct pick {
    double value;  // that it picks; of what lies outside of the axis, itself
    int64_t index; // -1: outside
    uint64_t at;   // dense
};

static double compare_values(double a, double b) {
    if (isnan(a) || isnan(b)) return isnan(a) - isnan(b);
    return (a > b) - (a < b);
}

static int by_index(const void *a, const void *b) {
    const struct pick *x = a, *y = b;
    if (x->index != y->index) return x->index < y->index ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

// What lies outside first.
static int by_value(const void *a, const void *b) {
    const struct pick *x = a, *y = b;
    if ((x->index < 0) != (y->index < 0)) return x->index < 0 ? -1 : 1;
    const double order = compare_values(x->value, y->value);
    return order < 0 ? -1 : order > 0;
}

static struct pick pick_of(const struct rule_job *job, uint64_t row, double index, uint64_t at) {
    const uint64_t length = tensor_row_length(job->from);
    if (!(index >= 0 && index < (double)length)) return (struct pick){index, -1, at};
    return (struct pick){load(job->from, row * length + (uint64_t)index), (int64_t)index, at};
}

static void refuse_twice(const struct rule_job *job, struct pick *got, uint64_t count,
                         struct rule_part *part) {
    char here[COORD_TEXT_BYTES], there[COORD_TEXT_BYTES];
    qsort(got, count, sizeof *got, by_index);
    for (uint64_t i = 1; i < count; ++i) {
        if (got[i].index < 0 || got[i].index != got[i - 1].index) continue;
        add_wrong(job, got[i].at, part);
        say(part, "'%s'%s is %lld, as %s is: no index may be there twice", job->tensor->name,
            coord_of(job->tensor, got[i].at, here), (long long)got[i].index,
            coord_of(job->tensor, got[i - 1].at, there));
    }
}

static void say_other(const struct rule_job *job, const struct pick *got, const struct pick *missing,
                      struct rule_part *part) {
    char here[COORD_TEXT_BYTES], there[COORD_TEXT_BYTES], value[64] = "nothing";
    const uint64_t row = got->at / job->row_length, length = tensor_row_length(job->from);
    coord_of(job->tensor, got->at, here);
    if (missing && missing->index >= 0) snprintf(value, sizeof value, "%.9g", missing->value);
    if (got->index < 0)
        say(part, "'%s'%s is %.0f, and '%s' has indices from 0 to %llu", job->tensor->name, here, got->value,
            job->from->name, (unsigned long long)length - 1);
    else
        say(part, "'%s'%s is %lld and picks '%s'%s = %.9g, and %s is missing", job->tensor->name, here,
            (long long)got->index, job->from->name,
            coord_of(job->from, row * length + (uint64_t)got->index, there), got->value, value);
}

// Both sorted. What the reference picks and the kernel does not is what is missing, in this order.
static void refuse_others(const struct rule_job *job, const struct pick *got, const struct pick *right,
                          uint64_t count, struct rule_part *part) {
    const struct pick *missing = NULL;
    for (uint64_t i = 0, k = 0; k < count && !missing;) {
        const int order = i < count ? by_value(&got[i], &right[k]) : 1;
        if (order > 0) missing = &right[k];
        i += order <= 0;
        k += order == 0;
    }
    for (uint64_t i = 0, k = 0; i < count;) {
        const int order = k < count ? by_value(&got[i], &right[k]) : -1;
        if (order < 0) {
            say_other(job, &got[i], missing, part);
            add_wrong(job, got[i].at, part);
        }
        i += order <= 0;
        k += order >= 0;
    }
}

// Of what is right as an index: whether the values lie in its order.
static void refuse_values(const struct rule_job *job, const struct pick *got, uint64_t count,
                          struct rule_part *part) {
    char here[COORD_TEXT_BYTES], there[COORD_TEXT_BYTES];
    for (uint64_t i = 0; i < count; ++i) {
        unsigned char rounded[8];
        if (got[i].index < 0) continue;
        dtype_store(job->values->dtype, rounded, got[i].value);
        const double expected = dtype_load(job->values->dtype, rounded);
        const double value = load(job->values, got[i].at);
        if (compare_values(value, expected) == 0) continue;
        coord_of(job->tensor, got[i].at, here);
        const uint64_t row = got[i].at / job->row_length, length = tensor_row_length(job->from);
        say(part, "'%s'%s is %.9g, and '%s'%s picks '%s'%s = %.9g", job->values->name, here, value,
            job->tensor->name, here, job->from->name,
            coord_of(job->from, row * length + (uint64_t)got[i].index, there), got[i].value);
        add_wrong(job, got[i].at, part);
    }
}

static void judge_picks(const struct rule_job *job, uint64_t row, struct rule_part *part) {
    const uint64_t first = row * job->row_length, count = used_of_row(job, row);
    part->used += count;
    if (!count) return;
    struct pick *got = mem_alloc(2 * count * sizeof *got), *right = got + count;
    for (uint64_t i = 0; i < count; ++i) {
        got[i] = pick_of(job, row, load(job->tensor, first + i), first + i);
        right[i] = pick_of(job, row, job->reference[first + i], first + i);
    }
    const uint64_t before = part->wrong;
    refuse_twice(job, got, count, part);
    if (part->wrong == before) {
        qsort(got, count, sizeof *got, by_value);
        qsort(right, count, sizeof *right, by_value);
        refuse_others(job, got, right, count, part);
    }
    if (part->wrong == before && job->values) refuse_values(job, got, count, part);
    free(got);
}

// ---- all rows ----

static void judge_row(const struct rule_job *job, uint64_t row, struct rule_part *part) {
    (job->from ? judge_picks : judge_steps)(job, row, part);
}

static void start(struct rule_part *part) {
    *part = (struct rule_part){.first_wrong = DEV_NONE, .first_near = DEV_NONE, .first_unwritten = DEV_NONE};
}

static void judge_block(void *arg, int64_t index, uint32_t thread) {
    (void)thread;
    struct rule_job *job = arg;
    const uint64_t begin = (uint64_t)index * job->block_rows, end = begin + job->block_rows;
    start(&job->blocks[index]);
    for (uint64_t row = begin; row < end && row < job->row_count; ++row)
        judge_row(job, row, &job->blocks[index]);
}

static void judge_all(struct rule_job *job, struct rule_part *ret) {
    const struct assay_cpu_stream *stream = job->buffers->device->host_stream;
    job->row_length = tensor_row_length(job->tensor);
    job->row_count = tensor_element_count(job->tensor) / job->row_length;
    job->block_rows = job->row_count / BLOCKS_MOST + 1;
    const uint64_t count = (job->row_count + job->block_rows - 1) / job->block_rows;
    job->blocks = mem_alloc(count * sizeof *job->blocks);
    stream->parallel_for(stream, (int64_t)count, judge_block, job);
    start(ret);
    for (uint64_t i = 0; i < count; ++i) {
        const struct rule_part *part = &job->blocks[i];
        ret->wrong += part->wrong;
        ret->near += part->near;
        ret->unwritten += part->unwritten;
        ret->used += part->used;
        dev_note_first(&ret->first_wrong, part->first_wrong);
        dev_note_first(&ret->first_near, part->first_near);
        dev_note_first(&ret->first_unwritten, part->first_unwritten);
    }
    free(job->blocks);
}

// In the order of what explains more.
static void explain(const struct rule_job *job, const struct rule_part *all, struct tensor_verdict *ret) {
    struct rule_part part;
    char where[COORD_TEXT_BYTES];
    const uint64_t index = ret->first_failed;
    start(&part);
    part.why = ret->why;
    if (job->from) {
        judge_row(job, index / job->row_length, &part);
        return;
    }
    const void *at = tensor_element_at(job->tensor, index);
    const uint64_t off = steps_off(job->tensor->dtype, at, job->reference[index]);
    say(&part, "'%s'%s is %.9g, expected %.9g: %llu step%s of %s off, as %llu of %llu elements are",
        job->tensor->name, coord_of(job->tensor, index, where), load(job->tensor, index),
        job->reference[index], (unsigned long long)off, off == 1 ? "" : "s", dtype_name(job->tensor->dtype),
        (unsigned long long)all->wrong, (unsigned long long)all->used);
}

static bool is_replaced(const struct own_tolerance *own) {
    return own && (isfinite(own->atol) || isfinite(own->rtol) || isfinite(own->min_pass));
}

static void add_to_verdict(const struct rule_job *job, struct rule_part *all, struct tensor_verdict *ret) {
    // One element is none too many where there are others.
    const double most = all->used > 1 ? fmax(1, ceil(job->rule->share * (double)all->used)) : 0;
    if ((double)all->near > most) {
        all->wrong += all->near;
        dev_note_first(&all->first_wrong, all->first_near);
    }
    if (!all->wrong) return;
    ret->is_passed = false;
    ret->error.failed_count += all->wrong;
    ret->unwritten_count += all->unwritten;
    dev_note_first(&ret->first_unwritten, all->first_unwritten);
    dev_note_first(&ret->first_failed, all->first_wrong);
    tensor_coord(job->tensor, ret->first_failed, ret->error.worst_coord);
    ret->error.worst_expected = job->reference[ret->first_failed];
    ret->error.worst_got = load(job->tensor, ret->first_failed);
    if (!ret->not_number_count) explain(job, all, ret);
}

// What counts the used elements, where the kernel says another number than the reference: NULL, or its
// sentence is in *ret.
static bool refuse_count(const struct rule_job *job, struct tensor_verdict *ret) {
    const struct case_buffers *buffers = job->buffers;
    const int32_t k = job->rule->used - (int32_t)buffers->input_count;
    if (job->rule->used < 0 || k < 0) return false;
    const struct assay_tensor *counts = &buffers->host[job->rule->used];
    const uint64_t block = tensor_element_count(job->tensor) / tensor_element_count(counts);
    char where[COORD_TEXT_BYTES];
    for (uint64_t c = 0; c < tensor_element_count(counts); ++c) {
        const double got = load(counts, c), expected = job->right[k][c];
        if (got == expected) continue;
        ret->is_passed = false;
        ret->unwritten_count = ret->not_number_count = 0;
        ret->first_failed = c * block;
        ret->error.failed_count = block;
        ret->is_miscounted = true;
        snprintf(ret->why, sizeof ret->why, "'%s'%s is %.9g, expected %.9g: as much of '%s' is used",
                 counts->name, coord_of(counts, c, where), got, expected, job->tensor->name);
        return true;
    }
    return false;
}

// ---- accept ----

// The reference's own results, rounded to the types of the outputs, in memory that the caller frees.
static int make_right(const struct case_buffers *buffers, const double *const *right,
                      struct assay_tensor ret[OP_TENSORS_MAX], char **ret_memory, struct err *err) {
    size_t total = 0;
    struct problem_abi dense;
    problem_describe(&buffers->problem, MEMORY_LAYOUT_DENSE, &dense);
    for (uint32_t i = buffers->input_count; i < buffers->tensor_count; ++i)
        total += (size_t)tensor_span_bytes(&dense.tensors[i]);
    char *at = *ret_memory = mem_try_array(total, 1);
    if (!at)
        return err_set(err, ERR_UNAVAILABLE, "no memory for the right results of %s", buffers->problem.name);
    for (uint32_t k = 0; k < case_buffers_output_count(buffers); ++k) {
        ret[k] = dense.tensors[buffers->input_count + k];
        ret[k].data = at;
        dtype_store_row(ret[k].dtype, at, (size_t)tensor_element_count(&ret[k]), right[k]);
        at += tensor_span_bytes(&ret[k]);
    }
    return 0;
}

// Whoever refuses what is right says nothing of a kernel.
static int doubt_refusal(struct declared_reference_run *run, const struct case_buffers *buffers,
                         const double *const *right, struct err *err) {
    struct assay_tensor results[OP_TENSORS_MAX];
    char why[DECLARED_ANSWER_BYTES], *memory;
    int code = make_right(buffers, right, results, &memory, err);
    const struct results_asked asked = {.tensors = results, .right = right, .launches = 1};
    if (code == 0) code = declared_reference_accept(run, buffers->before, &asked, why, err);
    free(memory);
    if (code < 0 || !*why) return code;
    struct err said;
    (void)err_set(&said, ERR_DATA, "it refuses the reference's own results of %s: %s", buffers->problem.name,
                  why);
    return declared_process_blame(declared_of(buffers->problem.op), REFERENCE_ACCEPT, &said, err);
}

int result_rules_ask(const struct case_buffers *buffers, const double *const *right, char *const *drawn,
                     char ret_why[DECLARED_ANSWER_BYTES], struct err *err) {
    const struct results_asked asked = {.tensors = case_buffers_host_output(buffers, 0),
                                        .right = right,
                                        .launches = drawn || buffers->is_audited ? DECLARED_SAMPLES : 1,
                                        .drawn = drawn};
    struct declared_reference_run *run;
    int code = declared_reference_open(buffers, &buffers->problem, REFERENCE_ACCEPT, &run, err);
    if (code == 0) code = declared_reference_accept(run, buffers->before, &asked, ret_why, err);
    if (code == 0 && *ret_why) code = doubt_refusal(run, buffers, right, err);
    return declared_reference_close(run, code, err);
}

// Elements that were left alone are found as everywhere; of all others only the sentence counts.
static int judge_accepted(const struct case_buffers *buffers, const double *const *right,
                          struct tensor_verdict *ret, struct err *err) {
    char why[DECLARED_ANSWER_BYTES];
    TRY(result_rules_ask(buffers, right, NULL, why, err));
    ret->error.failed_count = ret->unwritten_count;
    ret->not_number_count = 0;
    ret->is_passed = !ret->unwritten_count && !*why;
    if (!*why) return 0;
    ret->error.failed_count = ret->error.element_count;
    ret->error.worst_got = (double)NAN; // no element is near to anything
    ret->first_failed = 0;
    snprintf(ret->why, sizeof ret->why, "'accept' refuses the results: %.*s", 220, why);
    return 0;
}

int result_rules_compare(const struct case_buffers *buffers, const double *const *right, uint32_t k,
                         bool *ret_has, struct tensor_verdict *ret, struct err *err) {
    static const struct op_tolerance any = {
        .atol = INFINITY, .min_pass_fraction = 1, .rel_l2_max = INFINITY}; // NaN and infinity are compared
    const struct declared_rule *rule = declared_rule_of(buffers->problem.op, buffers->input_count + k);
    *ret_has = rule != NULL;
    if (!rule) return 0;
    struct rule_job job = {.buffers = buffers,
                           .right = right,
                           .rule = rule,
                           .tensor = case_buffers_host_output(buffers, k),
                           .from = rule->picks < 0 ? NULL : &buffers->before[rule->picks],
                           .values = rule->values < 0 ? NULL : &buffers->host[rule->values],
                           .reference = right[k]};
    struct rule_part all;
    tensor_compare(job.tensor, right[k], &any, POISON_OUTPUT, buffers->device->host_stream, ret);
    if (rule->is_accepted) return judge_accepted(buffers, right, ret, err);
    if (refuse_count(&job, ret)) return 0;
    *ret_has = job.from || (rule->steps && !is_replaced(buffers->tolerances[buffers->side]));
    if (!*ret_has) return 0;
    judge_all(&job, &all);
    add_to_verdict(&job, &all, ret);
    return 0;
}
