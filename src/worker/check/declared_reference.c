// SPDX-License-Identifier: Apache-2.0
//
// An order of one side and one case, whose operator is the declared one with other types; its buffers; its
// host.
#include "worker/check/declared_reference.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "op/declared/declared.h"
#include "op/dtype.h"
#include "worker/check/kernel_instance.h"

struct declared_reference_run {
    struct arena arena;
    const struct case_buffers *kernels; // of the kernels that are judged
    const struct declared *declared;
    enum reference_precision precision;
    struct work_order order; // what its host gets
    struct work_case item;
    const struct operator_def *op; // with the types of the reference
    struct device *device, *own_device;
    struct case_buffers buffers;
    struct host *host;
    struct kernel_instance instance;
    struct check_result result;
};

static const char *module_of(const struct declared *declared, enum reference_precision precision) {
    const struct declared_reference *reference = &declared->reference;
    return precision == REFERENCE_DOUBLE ? reference->module_path : reference->single_module_path;
}

bool declared_reference_has(const struct problem *problem, enum reference_precision precision) {
    const struct declared *declared = declared_of(problem->op);
    return declared && module_of(declared, precision);
}

void declared_reference_add_hash(const struct problem *problem, struct hash_state *hash) {
    const struct declared *declared = declared_of(problem->op);
    if (!declared) return;
    hash_add_text(hash, str_or(declared->reference.module_hash, ""));
    hash_add_text(hash, str_or(declared->reference.single_module_hash, ""));
    for (size_t i = 0; i < declared->tensor_count; ++i) hash_add_text(hash, declared->tensors[i].spec);
}

// ---- the order ----

static int make_order(struct declared_reference_run *run, const struct problem *problem, struct err *err) {
    const bool is_double = run->precision == REFERENCE_DOUBLE;
    const struct work_order *parent = run->kernels->order;
    struct declared *declared = arena_alloc(&run->arena, sizeof *declared);
    const char *const fields = strchr(problem->name, '/') + 1;
    declared_with_floats(&run->arena, run->declared, is_double ? ASSAY_FP64 : ASSAY_FP32, declared);
    TRY(declared_make(&run->arena, declared, &run->op, err));
    run->item = (struct work_case){
        .distribution = OP_DISTRIBUTION_DEFAULT, .memory_layout = MEMORY_LAYOUT_DENSE, .side_mask = 1};
    TRY(problem_make(run->op, fields, &run->item.problem, err));
    run->order = (struct work_order){.kind = WORK_CHECK,
                                     .operators = {&run->op, 1},
                                     .device = "cpu",
                                     .thread_count = 1,
                                     .side_count = 1,
                                     .case_count = 1,
                                     .cases = &run->item,
                                     .sampling = sampling_default()};
    if (parent) {
        run->order.thread_count = parent->thread_count;
        run->order.may_lack_sandbox = parent->may_lack_sandbox;
        run->order.sampling.limits = parent->sampling.limits;
    }
    run->order.sides[0] = (struct work_side){
        .label = "reference",
        .module_path = module_of(declared, run->precision),
        .module_hash = is_double ? declared->reference.module_hash : declared->reference.single_module_hash,
        .op = declared->name};
    return 0;
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
    const struct device_request request = {.device = "cpu", .thread_count = 1, .is_host = true};
    const struct case_memory memory = {.memory_layout = MEMORY_LAYOUT_DENSE, .is_apart = true};
    run->device = run->kernels->device;
    if (!str_equal(run->device->backend->name, "cpu")) {
        TRY(device_open(&request, &run->own_device, err));
        run->device = run->own_device;
    }
    return case_buffers_init(&run->buffers, run->device, &run->item.problem, &memory, err);
}

static void give_tensors(struct declared_reference_run *run, const struct assay_tensor *tensors) {
    for (uint32_t i = 0; i < run->buffers.tensor_count; ++i)
        if (tensors[i].access != ASSAY_OUT) copy_rows(&tensors[i], &run->buffers.before[i]);
}

static void take_outputs(const struct declared_reference_run *run, double *const *outputs) {
    for (uint32_t k = 0; k < case_buffers_output_count(&run->buffers); ++k) {
        const struct assay_tensor *from = case_buffers_host_output(&run->buffers, k);
        const bool is_double = run->precision == REFERENCE_DOUBLE;
        read_output(from, is_double ? from->dtype : case_buffers_host_output(run->kernels, k)->dtype,
                    outputs[k]);
    }
}

// ---- the process ----

// The process has said no, or has ended.
static int fail_of_result(const struct declared_reference_run *run, struct err *err) {
    static const char subject[] = "the kernel ";
    const char *message = run->result.message;
    const bool is_kernel = str_starts(message, subject);
    if (is_kernel) message += sizeof subject - 1;
    if (run->result.outcome == OUTCOME_UNSUPPORTED)
        return err_set(err, ERR_DATA, "it must take every problem of the operator, but not %s: %s%s",
                       run->item.problem.name, is_kernel ? "it " : "", message);
    return err_set(err, ERR_DATA, "%s%s%s", is_kernel ? "it " : "", message,
                   run->result.outcome == OUTCOME_TIMEOUT ? " (limits.reference_s)" : "");
}

// What a reference must not do, either.
static int look_at_memory(struct declared_reference_run *run, struct err *err) {
    const struct case_buffers *buffers = &run->buffers;
    for (uint32_t i = 0; i < buffers->tensor_count; ++i) {
        int64_t distance;
        if (!run->device->backend->buffer_is_violated(run->device, &buffers->buffers[i], &distance)) continue;
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

static int start(struct declared_reference_run *run, const struct problem *problem, struct err *err) {
    struct problem_abi abi;
    TRY(make_order(run, problem, err));
    TRY(open_buffers(run, err));
    TRY(host_begin(&run->order, 0, &run->host, err));
    host_set_answer_limit(run->host, run_limits_reference_ns(&run->order.sampling.limits));
    TRY(host_complete(run->host, run->device, 0, err));
    const struct kernel_home home = {.device = run->device, .host = run->host, .is_plain = true};
    problem_describe(&run->item.problem, MEMORY_LAYOUT_DENSE, &abi);
    TRY(kernel_instance_open(&home, &run->item, &abi.problem, &run->instance, &run->result, err));
    return run->result.outcome == OUTCOME_NONE ? 0 : fail_of_result(run, err);
}

static int end(struct declared_reference_run *run, struct err *err) {
    kernel_instance_close(&run->instance);
    if (host_end(run->host) != HOST_GONE) return 0;
    host_is_gone(run->host, &run->result);
    return err_set(err, ERR_DATA, "%s", run->result.message);
}

static int named(const struct declared_reference_run *run, int code, const struct err *why, struct err *err) {
    if (code >= 0) return code;
    return err_set(err, why->code, "the reference of '%s' (%s)%s: %s", run->declared->name,
                   str_or(run->declared->reference.source, "?"),
                   run->precision == REFERENCE_SINGLE ? " in single precision" : "", why->text);
}

int declared_reference_open(const struct case_buffers *buffers, const struct problem *problem,
                            enum reference_precision precision, struct declared_reference_run **ret,
                            struct err *err) {
    struct declared_reference_run *run = *ret = mem_alloc(sizeof *run);
    struct err why = {0};
    run->kernels = buffers;
    run->precision = precision;
    run->declared = declared_of(buffers->problem.op);
    return named(run, start(run, problem, &why), &why, err);
}

int declared_reference_launch(struct declared_reference_run *run, const struct assay_tensor *tensors,
                              double *const *outputs, struct err *err) {
    struct err why = {0};
    give_tensors(run, tensors);
    int code = launch(run, POISON_OUTPUT, &why);
    if (code == 0) code = look_for_unwritten(run, &why);
    if (code == 0) take_outputs(run, outputs);
    return named(run, code, &why, err);
}

int declared_reference_close(struct declared_reference_run *run, int code, struct err *err) {
    struct err why = {0};
    if (!run) return code;
    if (code == 0) code = named(run, end(run, &why), &why, err);
    kernel_instance_close(&run->instance);
    host_close(run->host);
    case_buffers_fini(&run->buffers);
    device_close(run->own_device);
    arena_fini(&run->arena);
    free(run);
    return code;
}

int declared_reference_compute(const struct case_buffers *buffers, double *const *outputs, struct err *err) {
    struct declared_reference_run *run;
    int code = declared_reference_open(buffers, &buffers->problem, REFERENCE_DOUBLE, &run, err);
    if (code == 0) code = declared_reference_launch(run, buffers->before, outputs, err);
    return declared_reference_close(run, code, err);
}
