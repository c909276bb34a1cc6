// SPDX-License-Identifier: Apache-2.0
//
// See declared_precision.h.
#include "worker/check/declared_precision.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/strbuf.h"
#include "op/declared/declared.h"
#include "op/dtype.h"
#include "op/seed_stream.h"
#include "worker/check/declared_reference.h"

// An honest kernel's errors may be 1.4 times as large, as where it rounds twice; of few rows they vary by
// chance, by 1/sqrt(2 n) of themselves.
#define HONEST_RATIO 1.4
#define CHANCE_SIGMA 4.5
#define LONG_ROW     64        // elements; of fewer the mean varies by chance
#define SMALL_ROW    (1. / 64) // of the size of all rows

static void add_errors(const double *values, const double *right, size_t count, struct error_sums *to) {
    struct error_sums sums = *to; // in registers
    for (size_t i = 0; i < count; ++i) {
        if (!isfinite(right[i])) continue; // such elements are compared exactly, elsewhere
        const double size = fabs(values[i] - right[i]);
        sums.max_abs = isnan(sums.max_abs) || size <= sums.max_abs ? sums.max_abs : size; // NaN stays
        sums.sum_square += size * size;
        sums.ref_sum_square += right[i] * right[i];
        ++sums.count;
    }
    *to = sums;
}

static void add_sums(const struct error_sums *from, struct error_sums *to) {
    to->max_abs = isnan(to->max_abs) || from->max_abs <= to->max_abs ? to->max_abs : from->max_abs;
    to->sum_square += from->sum_square;
    to->ref_sum_square += from->ref_sum_square;
    to->count += from->count;
}

// The size of results, so that a row of next to nothing is not judged by its own.
static double size_of(const double *right, uint64_t count) {
    struct error_sums all = {0};
    add_errors(right, right, count, &all);
    return precision_figures(&all).ref_rms;
}

// A row in which all elements are off by a little is lost in the sums over many rows.
static void add_row(const double *values, const double *right, size_t count, double size,
                    struct error_sums *to) {
    struct error_sums row = {0};
    add_errors(values, right, count, &row);
    add_sums(&row, to);
    if (count < LONG_ROW) return;
    const struct reference_same_precision figures = precision_figures(&row);
    const double own = fmax(figures.ref_rms, SMALL_ROW * size);
    if (own > 0 && figures.rms / own > to->worst_row) to->worst_row = figures.rms / own;
}

// values: dense; NULL: what lies in the tensor.
static void add_tensor(const struct assay_tensor *tensor, const double *values, const double *right,
                       struct error_sums *to) {
    const size_t row = (size_t)tensor_row_length(tensor);
    const uint64_t count = tensor_element_count(tensor);
    const double size = size_of(right, count);
    double *loaded = values ? NULL : mem_alloc(row * sizeof *loaded);
    for (uint64_t first = 0; first < count; first += row) {
        if (loaded) dtype_load_row(tensor->dtype, tensor_element_at(tensor, first), row, loaded);
        add_row(loaded ? loaded : values + first, right + first, row, size, to);
    }
    free(loaded);
}

static struct reference_same_precision figures_of(const struct assay_tensor *tensor,
                                                  const struct error_sums *sums) {
    struct reference_same_precision ret = precision_figures(sums);
    const double rows = (double)(tensor_element_count(tensor) / tensor_row_length(tensor));
    ret.slack = fmax(1, HONEST_RATIO * (1 + CHANCE_SIGMA / sqrt(2 * rows)) / 2);
    ret.row_count = sums->count ? tensor_element_count(tensor) / tensor_row_length(tensor) : 0;
    return ret;
}

// ---- the reference in single precision ----

// Few rows have small errors by chance: all elements of a row may share the error of one sum. So inputs are
// drawn until there are so many rows, but no more elements than that, or four draws.
#define ROWS_LEAST    64
#define ELEMENTS_MOST (UINT64_C(1) << 24)
#define DRAWS_LEAST   4

// Two processes that get the same inputs.
struct both_references {
    const struct case_buffers *buffers;
    struct declared_reference_run *twice, *once; // in fp64 and in fp32
    bool is_gated[OP_TENSORS_MAX];
    struct assay_tensor tensors[OP_TENSORS_MAX]; // of a draw
    double *right[OP_TENSORS_MAX], *single[OP_TENSORS_MAX];
    struct error_sums sums[OP_TENSORS_MAX];
    void *memory;
};

static size_t input_bytes(const struct assay_tensor *tensor) {
    return tensor->access == ASSAY_OUT ? 0 : ((size_t)tensor_span_bytes(tensor) + 63) / 64 * 64;
}

// One piece: results of both, then inputs of a draw.
static int alloc(struct both_references *all, struct err *err) {
    const struct case_buffers *buffers = all->buffers;
    const uint32_t count = case_buffers_output_count(buffers);
    size_t bytes = 0, doubles = 0;
    for (uint32_t i = 0; i < buffers->tensor_count; ++i) bytes += input_bytes(&buffers->before[i]);
    for (uint32_t k = 0; k < count; ++k)
        doubles += 2 * (size_t)tensor_element_count(case_buffers_host_output(buffers, k));
    all->memory = mem_try_array(doubles * sizeof(double) + bytes, 1);
    if (!all->memory)
        return err_set(err, ERR_UNAVAILABLE, "no memory for the reference of %s in single precision",
                       buffers->problem.name);
    double *at = all->memory;
    for (uint32_t k = 0; k < count; ++k) {
        const uint64_t elements = tensor_element_count(case_buffers_host_output(buffers, k));
        all->right[k] = at;
        all->single[k] = at + elements;
        at += 2 * elements;
    }
    char *inputs = (char *)at;
    for (uint32_t i = 0; i < buffers->tensor_count; ++i) {
        all->tensors[i] = buffers->before[i];
        if (all->tensors[i].access != ASSAY_OUT) all->tensors[i].data = inputs;
        inputs += input_bytes(&all->tensors[i]);
    }
    return 0;
}

static void add_draw(struct both_references *all, double *const *right) {
    for (uint32_t k = 0; k < case_buffers_output_count(all->buffers); ++k)
        if (all->is_gated[k])
            add_tensor(case_buffers_host_output(all->buffers, k), all->single[k], right[k], &all->sums[k]);
}

static int draw(struct both_references *all, uint32_t number, struct err *err) {
    const uint64_t seed = seed_child(all->buffers->seed, "more inputs", number);
    struct reference_inputs inputs = {
        .tensors = all->tensors, .source = REFERENCE_INPUTS_DRAWN, .seed = seed};
    TRY(declared_reference_launch(all->twice, &inputs, all->right, err));
    TRY(declared_reference_launch(all->once, &inputs, all->single, err));
    add_draw(all, all->right);
    return 0;
}

// Besides the case's own inputs; 0: they are enough.
static uint32_t draws_wanted(const struct both_references *all) {
    uint64_t most = 0;
    for (uint32_t k = 0; k < case_buffers_output_count(all->buffers); ++k) {
        const struct assay_tensor *tensor = case_buffers_host_output(all->buffers, k);
        const uint64_t count = tensor_element_count(tensor), rows = count / tensor_row_length(tensor);
        if (!all->is_gated[k] || rows >= ROWS_LEAST) continue;
        const uint64_t by_rows = ROWS_LEAST / rows, by_elements = ELEMENTS_MOST / count;
        const uint64_t limited = by_elements > DRAWS_LEAST ? by_elements : DRAWS_LEAST;
        const uint64_t wanted = by_rows < limited ? by_rows : limited;
        most = wanted > most ? wanted : most;
    }
    return (uint32_t)most;
}

// Of an output's root mean square: farther from fp64 as written, its inputs are ill-conditioned, or a
// rounding is meant.
static double far_from_double(int32_t dtype) {
    switch (dtype) {
    case ASSAY_BF16: return 0.1;
    case ASSAY_FP16: return 0.02;
    case ASSAY_FP32: return 0.001;
    default: return INFINITY;
    }
}

// Such outputs of a function in Python.
static void find_far(struct both_references *all, struct reference *reference, double *const *outputs) {
    const struct declared *declared = declared_of(all->buffers->problem.op);
    struct strbuf names = {0};
    for (uint32_t k = 0; k < reference->output_count && declared->reference.function; ++k) {
        const struct assay_tensor *tensor = case_buffers_host_output(all->buffers, k);
        const struct reference_same_precision figures = precision_figures(&all->sums[k]);
        const double limit = far_from_double(tensor->dtype);
        if (!all->is_gated[k] || figures.rms <= limit * figures.ref_rms) continue;
        all->is_gated[k] = false;
        if (declared->reference.plain) {
            snprintf(reference->decides.note, sizeof reference->decides.note,
                     DECIDES_SUBJECT
                     "'%s': '%s' of 'plain' is far from float64, so the tolerance of the type decides",
                     declared->name, tensor->name);
            continue;
        }
        if (!isfinite(figures.rms)) {
            snprintf(reference->decides.note, sizeof reference->decides.note,
                     DECIDES_SUBJECT "'%s': as written '%s' is not finite where it is in float64, so the "
                                     "tolerance of the type decides",
                     declared->name, tensor->name);
            continue;
        }
        memcpy(outputs[k], all->single[k], reference->element_count[k] * sizeof *outputs[k]);
        reference->decides.as_written |= UINT64_C(1) << k;
        strbuf_addf(&names, "%s'%s'", names.length ? ", " : "", tensor->name);
    }
    if (names.length)
        snprintf(reference->decides.note, sizeof reference->decides.note,
                 DECIDES_SUBJECT "'%s': %.200s as written (far from float64: ill-conditioned inputs, or a "
                                 "rounding that is meant), by the tolerance of the type",
                 declared->name, names.text);
    strbuf_fini(&names);
}

static int measure(struct both_references *all, struct reference *reference, double *const *outputs,
                   struct err *err) {
    const struct case_buffers *buffers = all->buffers;
    struct reference_inputs inputs = {.tensors = buffers->before, .source = REFERENCE_INPUTS_OWN};
    const uint32_t draws = draws_wanted(all);
    const bool has_plain = declared_of(buffers->problem.op)->reference.plain;
    TRY(alloc(all, err));
    TRY(declared_reference_open(buffers, &buffers->problem, has_plain ? REFERENCE_PLAIN : REFERENCE_SINGLE,
                                &all->once, err));
    TRY(declared_reference_launch(all->once, &inputs, all->single, err));
    add_draw(all, outputs);
    find_far(all, reference, outputs);
    if (draws) TRY(declared_reference_open(buffers, &buffers->problem, REFERENCE_DOUBLE, &all->twice, err));
    for (uint32_t number = 0; number < draws; ++number) TRY(draw(all, number, err));
    return 0;
}

// A function in Python that raises as written decides in fp64, and no rule of its own limits errors.
static bool is_double_alone(const struct both_references *all, struct reference *reference) {
    const char *reason;
    if (!all->once || !declared_reference_may_differ(all->once, &reason)) return false;
    snprintf(reference->decides.note, sizeof reference->decides.note,
             DECIDES_SUBJECT "'%s': in float64, by the tolerance of the type, since %s does not run (%.300s)",
             all->buffers->problem.op->name,
             declared_of(all->buffers->problem.op)->reference.plain ? "'plain'" : "as written it", reason);
    return true;
}

int declared_precision_measure(const struct case_buffers *buffers, struct reference *reference,
                               double *const *outputs, struct err *err) {
    struct both_references *all = mem_alloc(sizeof *all);
    struct err why = {0};
    bool is_wanted = false, is_alone = false;
    int code = 0;
    all->buffers = buffers;
    (void)precision_find_gated(buffers, all->is_gated);
    for (uint32_t k = 0; k < reference->output_count; ++k) {
        all->is_gated[k] &= !(reference->decides.as_written & UINT64_C(1) << k);
        is_wanted |= all->is_gated[k];
    }
    if (is_wanted) {
        code = measure(all, reference, outputs, &why);
        is_alone = code < 0 && is_double_alone(all, reference);
        if (is_alone) code = 0;
        code = declared_reference_close(all->twice, code, &why);
        code = declared_reference_close(all->once, code, &why);
    }
    for (uint32_t k = 0; k < case_buffers_output_count(buffers) && code == 0 && !is_alone; ++k)
        if (all->is_gated[k] && isfinite(all->sums[k].max_abs))
            reference->same_precision[k] = figures_of(case_buffers_host_output(buffers, k), &all->sums[k]);
    free(all->memory);
    free(all);
    return code < 0 ? err_set(err, why.code, "%s", why.text) : code;
}

int declared_precision_widen(const struct case_buffers *buffers, struct reference *reference,
                             struct err *err) {
    struct reference *host = reference->on_host ? reference->on_host : reference;
    struct reference_same_precision before[OP_TENSORS_MAX];
    double *outputs[OP_TENSORS_MAX], *at = host->owned;
    if (!declared_of(buffers->problem.op) || !at) return 0;
    memcpy(before, reference->same_precision, sizeof before);
    for (uint32_t k = 0; k < host->output_count; at += host->element_count[k++]) outputs[k] = at;
    TRY(declared_precision_measure(buffers, host, outputs, err));
    for (uint32_t k = 0; k < host->output_count; ++k) {
        const struct reference_same_precision these = host->same_precision[k];
        struct reference_same_precision *to = &reference->same_precision[k];
        *to = before[k];
        to->max_abs = fmax(to->max_abs, these.max_abs);
        to->rms = fmax(to->rms, these.rms);
        to->worst_row = fmax(to->worst_row, these.worst_row);
        to->ref_rms = fmax(to->ref_rms, these.ref_rms);
    }
    return 0;
}

// ---- kernels ----

void declared_precision_sample(const struct case_buffers *buffers, const struct reference *reference,
                               struct reference_same_precision ret[OP_TENSORS_MAX]) {
    for (uint32_t k = 0; k < case_buffers_output_count(buffers); ++k) {
        const struct assay_tensor *tensor = case_buffers_host_output(buffers, k);
        struct error_sums sums = {0};
        if (!reference->same_precision[k].row_count) continue;
        add_tensor(tensor, NULL, reference->outputs[k], &sums);
        ret[k] = figures_of(tensor, &sums);
    }
}

static void add_own(const struct reference_same_precision *single, uint64_t count, struct error_sums *to) {
    to->max_abs = fmax(to->max_abs, single->max_abs);
    to->worst_row = fmax(to->worst_row, single->worst_row);
    to->sum_square += single->rms * single->rms * (double)count;
    to->ref_sum_square += single->ref_rms * single->ref_rms * (double)count;
    to->count += count;
}

// The largest magnitude that is finite.
static double largest_of(const double *values, uint64_t count) {
    double ret = 0;
    for (uint64_t i = 0; i < count; ++i) {
        const double size = fabs(values[i]);
        if (size > ret && isfinite(size)) ret = size;
    }
    return ret;
}

void declared_precision_add(const struct case_buffers *buffers, double *const *right,
                            struct precision_tally *tally) {
    const struct reference *own = buffers->own_reference;
    for (uint32_t k = 0; k < case_buffers_output_count(buffers); ++k) {
        const struct assay_tensor *tensor = case_buffers_host_output(buffers, k);
        const uint64_t before = tally->kernel[k].count;
        if (!own->same_precision[k].row_count) continue;
        add_tensor(tensor, NULL, right[k], &tally->kernel[k]);
        add_own(&own->same_precision[k], tally->kernel[k].count - before, &tally->plain[k]);
        tally->max_ref[k] = fmax(fmax(tally->max_ref[k], precision_max_ref(own, k)),
                                 largest_of(right[k], tensor_element_count(tensor)));
        tally->slack[k] = own->same_precision[k].slack;
        tally->row_count[k] += tensor_element_count(tensor) / tensor_row_length(tensor);
    }
}
