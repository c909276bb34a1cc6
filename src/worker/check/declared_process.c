// SPDX-License-Identifier: Apache-2.0
//
// See declared_process.h.
#include "worker/check/declared_process.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "op/declared/declared_fills.h"

#define IMPORT_SUBJECT "Python kernel '" // worker/module/python_kernel.c

static struct declared_process *kept; // by this worker
static bool is_keeping;               // in an order that times, too

// ---- the order ----

static const char *module_of(const struct declared_process *process) {
    const struct declared_reference *reference = &process->declared->reference;
    return process->precision == REFERENCE_SINGLE ? reference->single_module_path : reference->module_path;
}

// In Python. `accept` knows results by the names behind it.
static const char *function_of(struct declared_process *process) {
    const struct declared *declared = process->declared;
    const struct declared_reference *reference = &declared->reference;
    if (process->precision == REFERENCE_INPUTS) return "inputs";
    if (process->precision == REFERENCE_PLAIN) return reference->plain;
    if (process->precision != REFERENCE_ACCEPT) return reference->function;
    const char *ret = reference->accept, *sign = ":";
    for (size_t i = 0; i < declared->tensor_count; ++i) {
        if (declared->tensors[i].access == ASSAY_IN) continue;
        ret = arena_format(&process->arena, "%s%s%s", ret, sign, declared->tensors[i].name);
        sign = ",";
    }
    return ret;
}

// Whether it may use the kernels' device.
static bool computes_on(const struct declared_process *process, const struct device *device) {
    return process->declared->reference.function && device->backend->is_accelerator &&
           process->precision != REFERENCE_INPUTS;
}

// device: that of the kernels.
static struct work_side make_side(struct declared_process *process, const struct device *device) {
    static const char *const modes[] = {[REFERENCE_DOUBLE] = "float64",
                                        [REFERENCE_SINGLE] = "written",
                                        [REFERENCE_PLAIN] = "written",
                                        [REFERENCE_ACCEPT] = "accept",
                                        [REFERENCE_INPUTS] = "inputs"};
    const struct declared_reference *reference = &process->declared->reference;
    const bool is_double = process->precision == REFERENCE_DOUBLE;
    const char *path = module_of(process);
    struct work_side side = {.label = "reference", .op = process->declared->name};
    if (!reference->function) {
        side.module_path = path;
        side.is_plain_call = reference->call != NULL;
        side.module_hash = is_double ? reference->module_hash : reference->single_module_hash;
        return side;
    }
    side.python = declared_callable(&process->arena, path, function_of(process), &side.python_path);
    side.python_interpreter = reference->python_interpreter;
    side.python_bridge = reference->python_bridge;
    side.python_library = reference->python_library;
    side.python_tree = reference->python_tree;
    side.python_mode = modes[process->precision];
    if (computes_on(process, device)) side.python_device = arena_strdup(&process->arena, device->info.device);
    return side;
}

static int add_case(struct declared_process *process, const struct operator_def *op,
                    const struct problem *problem, struct err *err) {
    struct work_case *item = &process->order.cases[process->order.case_count];
    *item = (struct work_case){
        .distribution = OP_DISTRIBUTION_DEFAULT, .memory_layout = MEMORY_LAYOUT_DENSE, .side_mask = 1};
    TRY(problem_make(op, strchr(problem->name, '/') + 1, &item->problem, err));
    ++process->order.case_count;
    return 0;
}

static const struct work_case *find_case(const struct declared_process *process,
                                         const struct problem *problem) {
    for (size_t i = 0; i < process->order.case_count; ++i)
        if (str_equal(process->order.cases[i].problem.name, problem->name)) return &process->order.cases[i];
    return NULL;
}

static int make_order(struct declared_process *process, const struct case_buffers *buffers,
                      const struct problem *problem, struct err *err) {
    const struct work_order *parent = buffers->order;
    const struct operator_def **op = arena_alloc(&process->arena, sizeof *op);
    const size_t most = 1 + (process->is_kept ? parent->case_count : 0);
    struct declared *declared = arena_alloc(&process->arena, sizeof *declared);
    const bool is_double = process->precision == REFERENCE_DOUBLE;
    if (process->precision == REFERENCE_INPUTS)
        declared_maker(&process->arena, problem->op, declared);
    else if (process->precision == REFERENCE_ACCEPT)
        declared_accepter(&process->arena, process->declared, declared);
    else if (is_double || !process->declared->reference.function)
        declared_with_floats(&process->arena, process->declared, is_double ? ASSAY_FP64 : ASSAY_FP32,
                             declared);
    else
        *declared = *process->declared;
    process->has_fills = process->precision <= REFERENCE_PLAIN && computes_on(process, buffers->device) &&
                         declared_with_fills(&process->arena, declared, declared);
    TRY(declared_make(&process->arena, declared, op, err));
    process->order =
        (struct work_order){.kind = WORK_CHECK,
                            .operators = {op, 1},
                            .device = "cpu",
                            .thread_count = 1,
                            .side_count = 1,
                            .cases = arena_array(&process->arena, most, sizeof(struct work_case)),
                            .sampling = sampling_default()};
    process->order.sides[0] = make_side(process, buffers->device);
    TRY(add_case(process, *op, problem, err));
    for (size_t i = 0; process->is_kept && i < parent->case_count; ++i) {
        const struct problem *next = &parent->cases[i].problem;
        if (declared_of(next->op) == process->declared && !find_case(process, next))
            TRY(add_case(process, *op, next, err));
    }
    if (!parent) return 0;
    process->order.program = parent->program;
    process->order.thread_count = parent->thread_count;
    process->order.may_lack_sandbox = parent->may_lack_sandbox;
    process->order.sampling.limits = parent->sampling.limits;
    process->order.scratch_dir = parent->scratch_dir;
    return 0;
}

// ---- the process ----

static int start(struct declared_process *process, const struct case_buffers *buffers,
                 const struct problem *problem, struct err *err) {
    const struct device_request request = {.device = "cpu", .thread_count = 1, .is_host = true};
    TRY(make_order(process, buffers, problem, err));
    process->device = buffers->device;
    if (!str_equal(process->device->backend->name, "cpu")) {
        TRY(device_open(&request, &process->own_device, err));
        process->device = process->own_device;
    }
    TRY(host_begin(&process->order, 0, &process->host, err));
    host_set_answer_limit(process->host, run_limits_reference_ns(&process->order.sampling.limits));
    return host_complete(process->host, process->device, 0, err);
}

static void free_process(struct declared_process *process) {
    host_close(process->host);
    device_close(process->own_device);
    arena_fini(&process->arena);
    free(process);
}

// A kernel in this process could look for its children: there none waits but an interpreter where nothing is
// timed.
static bool may_wait(const struct declared *declared, const struct work_order *order) {
    const bool is_apart = order->sampling.isolation == ISOLATION_PROCESS;
    const bool times_nothing =
        order->kind == WORK_CHECK || order->kind == WORK_REFERENCE || order->kind == WORK_AUDIT;
    if (declared->reference.function && times_nothing) return true;
    return is_apart && (times_nothing || is_keeping);
}

int declared_process_take(const struct case_buffers *buffers, const struct problem *problem,
                          enum reference_precision precision, struct declared_process **ret,
                          const struct work_case **ret_item, struct err *err) {
    const struct declared *declared = declared_of(buffers->problem.op);
    bool is_first = true;
    for (struct declared_process *at = kept; at; at = at->next) {
        if (at->declared != declared || at->precision != precision) continue;
        is_first = false;
        *ret_item = find_case(at, problem);
        if (at->is_taken || !*ret_item) continue;
        at->is_taken = true;
        *ret = at;
        return 0;
    }
    struct declared_process *process = *ret = mem_alloc(sizeof *process);
    process->declared = declared;
    process->precision = precision;
    process->is_taken = true;
    process->is_kept = is_first && buffers->order && may_wait(declared, buffers->order);
    if (process->is_kept) {
        process->next = kept;
        kept = process;
    }
    TRY(start(process, buffers, problem, err));
    *ret_item = find_case(process, problem);
    return 0;
}

static int end(struct declared_process *process, struct err *err) {
    struct check_result result = {0};
    if (host_end(process->host) != HOST_GONE) return 0;
    host_is_gone(process->host, &result);
    struct err why;
    (void)err_set(&why, ERR_DATA, "%s", result.message);
    return declared_process_blame(process->declared, process->precision, &why, err);
}

int declared_process_leave(struct declared_process *process, int code, struct err *err) {
    if (!process) return code;
    process->is_taken = false;
    if (process->is_kept && process->host && host_pid(process->host)) return code;
    for (struct declared_process **at = &kept; *at; at = &(*at)->next) {
        if (*at != process) continue;
        *at = process->next;
        break;
    }
    if (process->resting) process->end_resting(process->resting);
    if (code == 0) code = end(process, err);
    free_process(process);
    return code;
}

void declared_process_keep(void) {
    is_keeping = true;
}

static int end_kept(bool is_python_spared, int code, struct err *err) {
    for (struct declared_process *at = kept, *next; at; at = next) {
        next = at->next;
        if (is_python_spared && at->declared->reference.function) continue;
        at->is_kept = false;
        code = declared_process_leave(at, code, err);
    }
    return code;
}

int declared_process_end_all(int code, struct err *err) {
    is_keeping = false;
    return end_kept(false, code, err);
}

int declared_process_end_built(int code, struct err *err) {
    return end_kept(true, code, err);
}

int declared_process_blame(const struct declared *declared, enum reference_precision precision,
                           const struct err *why, struct err *err) {
    const struct declared_reference *reference = &declared->reference;
    const char *text = why->text;
    const bool is_import = reference->function && str_starts(text, IMPORT_SUBJECT);
    if (is_import)
        text = strchr(text + strlen(IMPORT_SUBJECT), '\'') + 1; // ": no module" or " cannot be imported"
    if (is_import && *text == ':') ++text;
    text += is_import && *text == ' ';
    return err_set(err, is_import ? ERR_DATA : why->code, "the %s of '%s' (%s)%s: %s",
                   precision == REFERENCE_INPUTS   ? "inputs"
                   : precision == REFERENCE_PLAIN  ? "function 'plain'"
                   : precision == REFERENCE_ACCEPT ? "function 'accept'"
                                                   : "reference",
                   declared->name, str_or(reference->source, "?"),
                   precision != REFERENCE_SINGLE ? ""
                   : reference->function         ? " as written"
                                                 : " in single precision",
                   text);
}
