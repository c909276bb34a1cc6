// SPDX-License-Identifier: Apache-2.0
//
// A process (declared_process.h) and the buffers of one case, with the types of the reference. In Python a
// second one is at hand, for what is right as written.
#include "worker/check/declared_reference.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "op/declared/declared_fills.h"
#include "op/dtype.h"
#include "worker/check/declared_process.h"
#include "worker/check/kernel_instance.h"
#include "worker/check/tensor_rows.h"

// By the flags of control/compile/reference_build.c.
#define TRAPPED      "killed by signal 4 (" // SIGILL
#define TRAPPED_ARM  "killed by signal 5 (" // SIGTRAP
#define INPUTS_RAISE "inputs raises "       // peers/assay_reference.py

#define RESTING_BYTES_MAX (UINT64_C(32) << 20) // of tensors that wait for their problem's next launch

struct declared_reference_run {
    const struct case_buffers *kernels; // of the kernels that are judged
    const struct problem *problem;
    const struct declared *declared;
    enum reference_precision precision;
    struct declared_process *process;
    bool is_filling;              // it takes what fills an input in place of the bytes
    const struct work_case *item; // of the process's order
    struct case_buffers buffers;
    struct kernel_instance instance;
    struct check_result result;
    struct declared_reference_run *written; // in Python, of one in fp64: as written; NULL: not started
    struct reference_decides decides;
};

bool declared_reference_has(const struct problem *problem, enum reference_precision precision) {
    const struct declared *declared = declared_of(problem->op);
    if (!declared) return false;
    return precision == REFERENCE_DOUBLE ? declared->reference.module_path
                                         : declared->reference.single_module_path;
}

void declared_reference_add_hash(const struct problem *problem, struct hash_state *hash) {
    const struct declared *declared = declared_of(problem->op);
    if (!declared) return;
    hash_add_text(hash, str_or(declared->reference.module_hash, ""));
    hash_add_text(hash, str_or(declared->reference.single_module_hash, ""));
    for (size_t i = 0; i < declared->tensor_count; ++i) hash_add_text(hash, declared->tensors[i].spec);
}

// ---- tensors ----

// Elements of two tensors of one shape, each in its type.
static void copy_rows(const struct assay_tensor *from, const struct assay_tensor *to) {
    const bool is_same = from->dtype == to->dtype;
    const size_t row = (size_t)tensor_row_length(to);
    const uint64_t count = tensor_element_count(to);
    double *values = mem_alloc(row * sizeof *values);
    for (uint64_t first = 0; first < count; first += row) {
        const void *source = tensor_element_at(from, first);
        void *target = tensor_element_at(to, first);
        if (is_same) {
            memcpy(target, source, row * dtype_bytes(to->dtype));
            continue;
        }
        dtype_load_row(from->dtype, source, row, values);
        dtype_store_row(to->dtype, target, row, values);
    }
    free(values);
}

// Its results as doubles, rounded to the type of the kernel's output on the way.
static void read_output(const struct assay_tensor *from, int32_t rounded_to, double *ret) {
    const size_t row = (size_t)tensor_row_length(from);
    const uint64_t count = tensor_element_count(from);
    const size_t bytes = dtype_bytes(rounded_to);
    char *narrow = mem_alloc(row * bytes);
    for (uint64_t first = 0; first < count; first += row) {
        const char *source = (const char *)from->data + first * dtype_bytes(from->dtype); // dense
        dtype_load_row(from->dtype, source, row, ret + first);
        if (rounded_to == from->dtype) continue;
        dtype_store_row(rounded_to, narrow, row, ret + first);
        dtype_load_row(rounded_to, narrow, row, ret + first);
    }
    free(narrow);
}

static int open_buffers(struct declared_reference_run *run, struct err *err) {
    const struct case_memory memory = {.memory_layout = MEMORY_LAYOUT_DENSE, .is_apart = true};
    return case_buffers_init(&run->buffers, run->process->device, &run->item->problem, &memory, err);
}

static int load(const struct declared_reference_run *run, struct reference_inputs *inputs, uint32_t i,
                struct err *err) {
    const struct case_buffers *from = run->kernels;
    if (inputs->is_loaded[i] || inputs->source == REFERENCE_INPUTS_GIVEN) return 0;
    inputs->is_loaded[i] = true;
    if (inputs->source == REFERENCE_INPUTS_OWN) return case_buffers_bring_input(from, i, err);
    return from->problem.op->fill(&from->problem, from->distribution, inputs->seed, i, &inputs->tensors[i],
                                  err);
}

// The record that stands for the bytes of input i.
static bool give_fill(struct declared_reference_run *run, const struct reference_inputs *inputs, uint32_t i) {
    const struct case_buffers *from = run->kernels;
    struct declared_fill_record record = {0};
    if (!run->process->has_fills || i >= from->input_count) return false;
    const bool ret = run->is_filling && inputs->source != REFERENCE_INPUTS_GIVEN &&
                     declared_record_fill(&from->problem, from->distribution, inputs->seed, i, &record);
    if (!ret) record.dtype = 0;
    memcpy((struct declared_fill_record *)run->buffers.before[from->input_count].data + i, &record,
           sizeof record);
    return ret;
}

static int give_tensors(struct declared_reference_run *run, struct reference_inputs *inputs,
                        struct err *err) {
    const uint32_t input_count = run->kernels->input_count;
    for (uint32_t i = 0; i < run->kernels->tensor_count; ++i) {
        if (inputs->tensors[i].access == ASSAY_OUT || give_fill(run, inputs, i)) continue;
        TRY(load(run, inputs, i, err));
        copy_rows(&inputs->tensors[i],
                  &run->buffers.before[i + (i >= input_count && run->process->has_fills)]);
    }
    return 0;
}

// Whether numbers that stand for integers, as those of a result with steps do, have one that is none.
static bool lacks_number(const struct assay_tensor *from, const struct assay_tensor *kernels) {
    const uint64_t count =
        dtype_is_integer(kernels->dtype) && !dtype_is_integer(from->dtype) ? tensor_element_count(from) : 0;
    uint64_t i = 0;
    while (i < count && !isnan(dtype_load(from->dtype, tensor_element_at(from, i)))) ++i;
    return i < count;
}

static int take_outputs(const struct declared_reference_run *run, double *const *outputs, struct err *err) {
    for (uint32_t k = 0; k < case_buffers_output_count(&run->buffers); ++k) {
        const struct assay_tensor *from = case_buffers_host_output(&run->buffers, k);
        const struct assay_tensor *kernels = case_buffers_host_output(run->kernels, k);
        const bool is_double = run->precision == REFERENCE_DOUBLE;
        if (!outputs[k]) continue;
        if (lacks_number(from, kernels))
            return err_set(err, ERR_DATA,
                           "it gives NaN as '%s', which is %s: no integer is right there; say which is",
                           kernels->name, dtype_name(kernels->dtype));
        read_output(from, is_double ? from->dtype : kernels->dtype, outputs[k]);
    }
    return 0;
}

// ---- the process ----

// In Python an exception, which needs no number of a launch.
static const char *message_of(const struct declared_reference_run *run) {
    const char *message = run->result.message, *rest = strstr(message, ": ");
    const bool is_raised = run->declared->reference.function && rest &&
                           (str_starts(message, "launch ") || str_starts(message, "prepare: "));
    return is_raised ? rest + strlen(": ") : message;
}

// The process has said no, or has ended.
static int fail_of_result(const struct declared_reference_run *run, struct err *err) {
    static const char subject[] = "the kernel ";
    const char *message = message_of(run);
    const bool is_kernel = str_starts(message, subject);
    if (is_kernel) message += sizeof subject - 1;
    if (!run->declared->reference.function &&
        (str_starts(message, TRAPPED) || str_starts(message, TRAPPED_ARM)))
        return err_set(err, ERR_DATA,
                       "it makes an integer of a number that none can hold (NaN, or too large), which gives "
                       "another one on other machines; say which is right");
    if (run->result.outcome == OUTCOME_UNSUPPORTED)
        return err_set(err, ERR_DATA, "it must take every problem of the operator, but not %s: %s%s",
                       run->item->problem.name, is_kernel ? "it " : "", message);
    return err_set(err, ERR_DATA, "%s%s%s", is_kernel ? "it " : "", message,
                   run->result.outcome == OUTCOME_TIMEOUT ? " (limits.reference_s)" : "");
}

// What a reference must not do, either.
static int look_at_memory(struct declared_reference_run *run, struct err *err) {
    const struct case_buffers *buffers = &run->buffers;
    for (uint32_t i = 0; i < buffers->tensor_count; ++i) {
        int64_t distance;
        if (!run->process->device->backend->buffer_is_violated(run->process->device, &buffers->buffers[i],
                                                               &distance))
            continue;
        return err_set(err, ERR_DATA, "it wrote beyond '%s'", buffers->own[i].name);
    }
    return 0;
}

static int launch(struct declared_reference_run *run, enum poison poison, struct err *err) {
    TRY(case_buffers_poison(&run->buffers, poison, err));
    if (!kernel_instance_launch(&run->instance, &run->buffers, NULL, &run->result))
        return fail_of_result(run, err);
    TRY(case_buffers_make_visible(&run->buffers, false, err));
    return look_at_memory(run, err);
}

// A result may be the poison by chance, a byte in one of 256. One that was written is the same over another.
static int look_for_unwritten(struct declared_reference_run *run, struct err *err) {
    const struct checker_ops *checker = run->buffers.checker;
    struct kept_outputs kept = {0};
    uint32_t output;
    int64_t offset;
    if (!checker->has_poison(&run->buffers, POISON_OUTPUT)) return 0;
    int code = checker->keep_outputs(&run->buffers, &kept, err);
    if (code == 0) code = launch(run, POISON_OUTPUT_AGAIN, err);
    if (code == 0) code = checker->find_difference(&run->buffers, &kept, &output, &offset, err);
    checker->drop_outputs(&run->buffers, &kept);
    if (code != CHECK_FOUND) return code;
    return err_set(err, ERR_DATA, "it left elements of its results unwritten");
}

static int prepare(struct declared_reference_run *run, struct err *err) {
    struct problem_abi abi;
    TRY(open_buffers(run, err));
    const struct kernel_home home = {
        .device = run->process->device, .host = run->process->host, .is_plain = true};
    problem_describe(&run->item->problem, MEMORY_LAYOUT_DENSE, &abi);
    TRY(kernel_instance_open(&home, run->item, &abi.problem, &run->instance, &run->result, err));
    run->is_filling = run->process->has_fills && str_equal(run->result.note, DECLARED_FILLS_NOTE);
    return run->result.outcome == OUTCOME_NONE ? 0 : fail_of_result(run, err);
}

// ---- resting ----

// Before its device, which is the process's.
static void free_run(struct declared_reference_run *run) {
    kernel_instance_close(&run->instance);
    case_buffers_fini(&run->buffers);
    free(run);
}

// A round asks for the results of one problem some eight times a side. To map and to prepare it each time
// took as long as to compute it.
static bool may_rest(const struct declared_reference_run *run) {
    const struct declared_process *process = run->process;
    return process && process->is_kept && !run->declared->reference.function && run->instance.is_prepared &&
           host_pid(process->host) && case_buffers_bytes(&run->buffers) <= RESTING_BYTES_MAX;
}

// Takes the place of *run where the process has this problem ready.
static bool go_on_resting(struct declared_reference_run **run) {
    struct declared_reference_run *resting = (*run)->process->resting;
    (*run)->process->resting = NULL;
    if (resting && resting->item != (*run)->item) {
        free_run(resting);
        resting = NULL;
    }
    if (!resting) return false;
    resting->kernels = (*run)->kernels;
    resting->problem = (*run)->problem;
    resting->decides = (*run)->decides;
    free(*run);
    *run = resting;
    return true;
}

static int start(struct declared_reference_run **run, struct err *err) {
    TRY(declared_process_take((*run)->kernels, (*run)->problem, (*run)->precision, &(*run)->process,
                              &(*run)->item, err));
    return go_on_resting(run) ? 0 : prepare(*run, err);
}

static int named(const struct declared_reference_run *run, int code, const struct err *why, struct err *err) {
    return code < 0 ? declared_process_blame(run->declared, run->precision, why, err) : code;
}

int declared_reference_open(const struct case_buffers *buffers, const struct problem *problem,
                            enum reference_precision precision, struct declared_reference_run **ret,
                            struct err *err) {
    struct declared_reference_run *run = *ret = mem_alloc(sizeof *run);
    struct err why = {0};
    run->kernels = buffers;
    run->problem = problem;
    run->precision = precision;
    run->declared = declared_of(buffers->problem.op);
    if (buffers->own_reference) run->decides.as_written = buffers->own_reference->decides.as_written;
    const int code = start(ret, &why);
    return named(*ret, code, &why, err);
}

int declared_reference_close(struct declared_reference_run *run, int code, struct err *err) {
    if (!run) return code;
    struct declared_process *process = run->process;
    code = declared_reference_close(run->written, code, err);
    run->written = NULL;
    if (code == 0 && may_rest(run)) {
        process->resting = run;
        process->end_resting = free_run;
        return declared_process_leave(process, 0, err);
    }
    free_run(run);
    return declared_process_leave(process, code, err);
}

// ---- a launch ----

bool declared_reference_may_differ(const struct declared_reference_run *run, const char **ret) {
    *ret = message_of(run);
    return run->declared->reference.function &&
           (run->result.outcome == OUTCOME_FAIL || run->result.outcome == OUTCOME_UNSUPPORTED);
}

static int launch_own(struct declared_reference_run *run, struct reference_inputs *inputs,
                      double *const *outputs, struct err *err) {
    struct err why = {0};
    run->result = (struct check_result){0};
    TRY(give_tensors(run, inputs, err));
    int code = launch(run, POISON_OUTPUT, &why);
    if (code == 0) code = look_for_unwritten(run, &why);
    if (code == 0) code = take_outputs(run, outputs, &why);
    return named(run, code, &why, err);
}

// What raises in fp64 decides as written from now on.
static int launch_written(struct declared_reference_run *run, struct reference_inputs *inputs,
                          double *const *outputs, struct err *err) {
    double *wanted[OP_TENSORS_MAX] = {NULL};
    for (uint32_t k = 0; k < case_buffers_output_count(&run->buffers); ++k)
        if (run->decides.as_written & UINT64_C(1) << k) wanted[k] = outputs[k];
    if (!run->written)
        TRY(declared_reference_open(run->kernels, run->problem, REFERENCE_SINGLE, &run->written, err));
    return launch_own(run->written, inputs, wanted, err);
}

int declared_reference_launch(struct declared_reference_run *run, struct reference_inputs *inputs,
                              double *const *outputs, struct err *err) {
    const uint64_t all = UINT64_MAX >> (OP_TENSORS_MAX - case_buffers_output_count(&run->buffers));
    struct err why = {0};
    const char *reason;
    int code = 0;
    if (inputs->source == REFERENCE_INPUTS_OWN) inputs->seed = case_buffers_filled_seed(run->kernels);
    if (run->precision != REFERENCE_DOUBLE) return launch_own(run, inputs, outputs, err);
    if (run->decides.as_written != all) code = launch_own(run, inputs, outputs, &why);
    if (code < 0 && declared_reference_may_differ(run, &reason)) {
        run->decides.as_written = all;
        snprintf(run->decides.note, sizeof run->decides.note,
                 DECIDES_SUBJECT "'%s': as written (%.400s), by the tolerance of the type",
                 run->declared->name, reason);
        code = 0;
    }
    if (code == 0 && run->decides.as_written) code = launch_written(run, inputs, outputs, &why);
    return code < 0 ? err_set(err, why.code, "%s", why.text) : code;
}

int declared_reference_make(struct declared_reference_run *run, uint64_t seed, const struct made_inputs *made,
                            char *set, struct err *err) {
    const struct problem_abi *kernels = &run->kernels->abi;
    struct err why = {0};
    run->result = (struct check_result){0};
    memcpy(run->buffers.before[0].data, &seed, sizeof seed);
    int code = launch(run, POISON_OUTPUT, &why);
    if (code == 0) code = look_for_unwritten(run, &why);
    if (code < 0 && str_starts(message_of(run), INPUTS_RAISE))
        return err_set(err, ERR_USAGE, "%s: there is no such problem: %s", run->problem->name,
                       message_of(run));
    for (uint32_t i = 0, k = 0; i < kernels->tensor_count && code == 0; ++i) {
        const struct assay_tensor *tensor = case_buffers_host_output(&run->buffers, k);
        if (k == case_buffers_output_count(&run->buffers) ||
            !str_equal(tensor->name, kernels->tensors[i].name))
            continue;
        tensor_pack(tensor, set + made->offset[i]);
        ++k;
    }
    return named(run, code, &why, err);
}

// Of a sampler, behind one another.
static void give_launches(const struct results_asked *results, uint32_t k, char *to) {
    const size_t bytes = (size_t)tensor_packed_bytes(&results->tensors[k]);
    for (uint32_t i = 0; i < results->launches; ++i, to += bytes)
        if (results->drawn)
            memcpy(to, results->drawn[k] + i * bytes, bytes);
        else
            tensor_pack(&results->tensors[k], to);
}

int declared_reference_accept(struct declared_reference_run *run, const struct assay_tensor *tensors,
                              const struct results_asked *results, char ret_why[DECLARED_ANSWER_BYTES],
                              struct err *err) {
    const struct case_buffers *kernels = run->kernels;
    const bool is_sampler = declared_is_sampler(kernels->problem.op);
    const struct assay_tensor *next = run->buffers.before;
    struct err why = {0};
    run->result = (struct check_result){0};
    for (uint32_t i = 0; i < kernels->tensor_count; ++i)
        if (tensors[i].access != ASSAY_OUT) copy_rows(&tensors[i], next++);
    for (uint32_t k = 0; k < case_buffers_output_count(kernels); ++k) {
        if (is_sampler)
            give_launches(results, k, next->data);
        else
            copy_rows(&results->tensors[k], next);
        ++next;
        dtype_store_row(next->dtype, next->data, (size_t)tensor_element_count(next), results->right[k]);
        ++next;
    }
    if (is_sampler) dtype_store(next->dtype, next->data, results->launches);
    const int code = launch(run, POISON_OUTPUT, &why);
    const char *answer = case_buffers_host_output(&run->buffers, 0)->data;
    *ret_why = 0;
    if (code == 0 && *answer == DECLARED_REFUSED)
        snprintf(ret_why, DECLARED_ANSWER_BYTES, "%.*s", DECLARED_ANSWER_BYTES - 1, answer + 1);
    return named(run, code, &why, err);
}

static int compute(const struct case_buffers *buffers, double *const *outputs, struct reference_decides *ret,
                   struct err *err) {
    struct declared_reference_run *run;
    struct reference_inputs inputs = {.tensors = buffers->before, .source = REFERENCE_INPUTS_OWN};
    int code = declared_reference_open(buffers, &buffers->problem, REFERENCE_DOUBLE, &run, err);
    if (code == 0) code = declared_reference_launch(run, &inputs, outputs, err);
    if (code == 0 && ret) *ret = run->decides;
    return declared_reference_close(run, code, err);
}

int oracle_run(const struct case_buffers *buffers, double *const *outputs, struct reference_decides *ret,
               struct err *err) {
    const struct problem *problem = &buffers->problem;
    if (declared_is_timed_only(declared_of(problem->op))) return 0; // there are no results
    if (problem->op->oracle)
        return problem->op->oracle(problem, buffers->before, outputs, buffers->device->host_stream, err);
    if (declared_reference_has(problem, REFERENCE_DOUBLE)) return compute(buffers, outputs, ret, err);
    return err_set(err, ERR_CONFIG, "operator '%s' has no reference, so that nothing says what is right",
                   problem->op->name);
}
