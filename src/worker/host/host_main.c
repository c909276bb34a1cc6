// SPDX-License-Identifier: Apache-2.0
//
// The host's loop: one command, one answer. What a command does is in the order of its life: load, prepare,
// map, run, release, end.
#include "worker/host/host_main.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "record/record.h"
#include "record/work_order.h"
#include "worker/backend/fault_signal.h"
#include "worker/backend/late_inputs.h"
#include "worker/host/host_channel.h"
#include "worker/host/host_main_internal.h"
#include "worker/host/host_memory.h"
#include "worker/host/host_process.h"
#include "worker/host/sandbox.h"
#include "worker/module/kernel_describe.h"
#include "worker/module/kernel_load.h"
#include "worker/module/python_kernel.h"

#define ORDER_BYTES_MAX ((size_t)64 << 20)
#define SPIN_NS         UINT64_C(2000000) // for a command
#define ABORT_EXIT      (128 + SIGABRT)   // the judge knows it as that signal

enum { HOST_LIBRARIES_MAX = 2 };

struct host_set {
    uint32_t buffer_count;
    struct buffer buffers[OP_TENSORS_MAX];
    struct assay_tensor tensors[OP_TENSORS_MAX];
};

struct host_state {
    struct arena arena;
    struct work_order order; // of one side
    const struct host_setup *setup;
    struct sandbox_policy policy;
    const char **read_dirs; // of the policy: the interpreter's, and the kernel's
    struct device *device;
    bool has_entered;
    char module_path[64]; // of its descriptor; "": none
    struct kernel kernel;
    struct problem_abi *abi;    // of the case that is prepared
    struct problem_abi *behind; // the same as it lies in memory
    bool is_far;                // abi's rows are mapped elsewhere
    struct kernel_prepared prepared;
    struct buffer workspace;
    size_t set_count, set_capacity, list_capacity, key_capacity;
    struct host_set **sets;
    struct assay_tensors *lists; // [set_count], of the sets
    uint64_t *keys;              // [set_count], of the sets
    struct late_inputs late;     // kept for the next batch
};

// ---- when the kernel breaks the process ----

static void on_fault(const struct buffer_fault *place, enum fault_access access) {
    static struct host_answer answer; // static: the stack may be what is broken
    answer.kind = HOST_ANSWER_FAULT;
    answer.fault.place = place->place;
    answer.fault.access = access;
    answer.fault.distance_bytes = place->distance_bytes;
    for (size_t i = 0; i + 1 < sizeof answer.fault.label && place->label[i]; ++i)
        answer.fault.label[i] = place->label[i];
    (void)host_channel_send(HOST_CHANNEL_FD, &answer, sizeof answer, NULL); // else the judge sees the end
    _exit(ABORT_EXIT);
}

// The first process of a namespace is not killed by a signal that it sends itself, so abort() would end in a
// fault of the C library's.
static void on_abort(int number) {
    (void)number;
    _exit(ABORT_EXIT);
}

// ---- load ----

static int read_order(struct host_state *host, int fd, struct err *err) {
    struct stat about;
    if (fstat(fd, &about) < 0 || about.st_size <= 0 || (size_t)about.st_size > ORDER_BYTES_MAX)
        return err_set(err, ERR_DATA, "a host got no order");
    const size_t bytes = (size_t)about.st_size;
    char *text = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE, fd, 0);
    if (text == MAP_FAILED) return err_set_errno(err, ERR_UNAVAILABLE, "a host cannot read its order");
    const int code = work_order_parse(text, bytes, &host->arena, &host->order, err);
    munmap(text, bytes);
    if (code == 0 && host->order.side_count != 1)
        return err_set(err, ERR_DATA, "a host serves one side, and its order has %zu",
                       host->order.side_count);
    return code;
}

static int open_device(struct host_state *host, struct err *err) {
    const struct work_order *order = &host->order;
    const struct device_request request = {.device = order->device ? order->device : "cpu",
                                           .thread_count = order->thread_count,
                                           .round = order->round,
                                           .attempt = order->attempt,
                                           .is_host = true,
                                           .has_no_helpers = order->sides[0].is_plain_call,
                                           .sim = order->sim};
    return device_open(&request, &host->device, err);
}

// What this kind of kernel needs beyond a plain one: programs, a GPU, libraries that the user has named.
static void make_policy(struct host_state *host) {
    const struct work_order *order = &host->order;
    const struct work_side *side = &order->sides[0];
    static const char *const names[HOST_LIBRARIES_MAX] = {"ASSAY_CUDA_DRIVER", "ASSAY_CUDNN"};
    const struct backend *backend = NULL;
    const char *const *known = host->setup ? host->setup->read_dirs : NULL;
    size_t count = 0;
    while (known && known[count]) ++count;
    host->read_dirs = mem_alloc((count + 2 + HOST_LIBRARIES_MAX) * sizeof *host->read_dirs);
    if (count) memcpy(host->read_dirs, known, count * sizeof *known);
    if (side->python && side->python_path) host->read_dirs[count++] = side->python_path;
    const uint64_t limit_bytes = host_memory_limit(&order->sampling.limits);
    // Beside the references lies the record of the run, or those of other hours.
    char *hidden = order->reference_dir ? path_dir(order->reference_dir) : NULL;
    host->policy = (struct sandbox_policy){.allows_programs = side->python != NULL,
                                           .memory_limit_bytes = limit_bytes,
                                           .file_limit_bytes = limit_bytes,
                                           .may_go_without = order->may_lack_sandbox,
                                           .scratch_dir = order->scratch_dir,
                                           .read_dirs = host->read_dirs,
                                           .hidden_dir = arena_strdup(&host->arena, hidden)};
    free(hidden);
    const char *device = str_or(side->python_device, str_or(order->device, "cpu"));
    if (backend_of(device, &backend, NULL) < 0 || !backend->is_accelerator) return;
    for (size_t i = 0; i < HOST_LIBRARIES_MAX; ++i) {
        const char *path = getenv(names[i]);
        if (path && *path) host->read_dirs[count++] = path;
    }
    host->policy.allows_gpu = true;
    host->policy.memory_limit_bytes = 0; // a driver reserves far more than it uses
    host->policy.file_limit_bytes = 0;
}

// Reads the order and gives up what its kernel does not need; from now on code of the kernel may run.
// *ret_given: the module's path as the judge knows it, for messages.
static int enter(struct host_state *host, const struct host_request *request, struct host_fds *fds,
                 const char **ret_given, struct err *err) {
    if (!fds->count || host->has_entered)
        return err_set(err, ERR_DATA, "a host is loaded once, with an order");
    host->has_entered = true;
    TRY(read_order(host, fds->items[0], err));
    struct work_side *side = &host->order.sides[0];
    *ret_given = side->module_path;
    if (request->has_module && fds->count > 1) {
        snprintf(host->module_path, sizeof host->module_path, "/proc/self/fd/%d",
                 fds->items[1]); // closed once it is loaded
        side->module_path = host->module_path;
    }
    struct sandbox_report report;
    make_policy(host);
    return sandbox_enter(&host->policy, &report, err); // before there are threads
}

// Sentences about a module name the file that the user knows.
static int name_module(const struct host_state *host, const char *given, int code, struct err *err) {
    const size_t length = strlen(host->module_path);
    if (code >= 0 || !given || !length) return code;
    struct strbuf text = {0};
    for (const char *at = err->text; *at;) {
        const bool is_path = strncmp(at, host->module_path, length) == 0;
        if (is_path)
            strbuf_add(&text, given);
        else
            strbuf_add_char(&text, *at);
        at += is_path ? length : 1;
    }
    snprintf(err->text, sizeof err->text, "%s", strbuf_text(&text));
    strbuf_fini(&text);
    return code;
}

int host_state_load(struct host_state *host, uint32_t side, struct err *err) {
    if (!host->device) TRY(open_device(host, err));
    struct kernel_source source;
    TRY(kernel_source_of(&host->order, 0, &source, err));
    source.number = side; // as the judge's order has it
    return kernel_load(&source, host->device, &host->kernel, err);
}

static int load_kernel(struct host_state *host, uint32_t number, struct err *err) {
    TRY(open_device(host, err));
    fault_signal_arm(host->device->backend, on_fault);
    return host_state_load(host, number, err);
}

int host_state_read(struct host_state *host, int order_fd, struct err *err) {
    return read_order(host, order_fd, err);
}

static int load(struct host_state *host, const struct host_request *request, struct host_fds *fds,
                struct err *err) {
    const char *given = NULL;
    TRY(enter(host, request, fds, &given, err));
    return name_module(host, given, load_kernel(host, request->side, err), err);
}

// ---- describe ----

static int add_kernel(void *arg, const struct kernel_description *kernel, struct err *err) {
    (void)err;
    struct kernel_description copy = *kernel;
    const struct record record = {.kind = RECORD_KERNEL,
                                  .phase = PHASE_QUERY,
                                  .state = device_state_unknown(),
                                  .environment = environment_unknown(),
                                  .kernel = &copy};
    record_write(&record, arg);
    return 0;
}

// The last descriptor is the judge's file: it gets the kernels, or the sentence that says why there are none.
static int describe(struct host_state *host, const struct host_request *request, struct host_fds *fds,
                    struct err *err) {
    struct strbuf text = {0};
    struct err why = {0};
    const char *given = NULL;
    int code = enter(host, request, fds, &given, &why);
    if (code == 0) {
        code = kernel_describe(&host->order, 0, add_kernel, &text, &host->kernel.module, &why);
        name_module(host, given, code, &why);
    }
    if (code < 0) {
        strbuf_clear(&text);
        strbuf_add(&text, why.text);
    }
    const int fd = fds->count ? fds->items[fds->count - 1] : -1;
    const bool is_written = write(fd, strbuf_text(&text), text.length) == (ssize_t)text.length;
    strbuf_fini(&text);
    if (code < 0) return err_set(err, why.code, "%s", why.text);
    return is_written ? 0 : err_set_errno(err, ERR_UNAVAILABLE, "cannot write a description");
}

// ---- prepare, release ----

static void forget_sets(struct host_state *host) {
    const struct backend *backend = host->device->backend;
    for (size_t k = 0; k < host->set_count; ++k) {
        for (uint32_t i = 0; host->sets[k] && i < host->sets[k]->buffer_count; ++i)
            backend->buffer_free(host->device, &host->sets[k]->buffers[i]);
        free(host->sets[k]);
        host->sets[k] = NULL;
    }
    host->set_count = 0;
    backend->buffer_free(host->device, &host->workspace);
}

static void release(struct host_state *host) {
    const struct backend *backend = host->device->backend;
    if (host->prepared.has_state) {
        if (backend->forget_kernel) backend->forget_kernel(host->device);
        if (host->prepared.release) host->prepared.release(host->prepared.state);
    }
    host->prepared = (struct kernel_prepared){0};
    late_inputs_drop(host->device, &host->late);
    forget_sets(host);
}

static int prepare(struct host_state *host, uint32_t item, struct host_answer *answer, struct err *err) {
    if (!host->kernel.abi || item >= host->order.case_count)
        return err_set(err, ERR_DATA, "a host has no case %u", item);
    release(host);
    const struct work_case *wanted = &host->order.cases[item];
    free(host->abi);
    free(host->behind);
    host->abi = mem_alloc(sizeof *host->abi);
    host->behind = mem_alloc(sizeof *host->behind);
    problem_describe(&wanted->problem, wanted->memory_layout, host->abi);
    problem_describe(&wanted->problem, memory_layout_behind(wanted->memory_layout), host->behind);
    host->is_far = wanted->memory_layout == MEMORY_LAYOUT_FAR;
    errno = 0;
    kernel_prepare(host->device, &host->kernel, &host->abi->problem, &host->prepared);
    const int error = errno;
    answer->status = host->prepared.status;
    answer->callback = host->prepared.callback;
    answer->workspace_bytes = host->prepared.workspace_bytes;
    memcpy(answer->text, host->prepared.text, sizeof answer->text);
    if (answer->status == ASSAY_FAILED) sandbox_add_refusal(error, answer->text, sizeof answer->text);
    return 0;
}

// ---- memory ----

// From now on the descriptor belongs to the caller.
static int take_fd(struct host_fds *fds, uint32_t i) {
    const int fd = fds->items[i];
    fds->items[i] = -1;
    return fd;
}

// Whether the file holds what the window says, so that nothing beyond its end is touched.
static bool fits(const struct buffer_window *window, uint64_t least_bytes, int fd) {
    const uint64_t most = UINT64_MAX / 4;
    struct stat about;
    if (window->bytes < least_bytes || !window->bytes || window->bytes > most || window->front_bytes > most ||
        window->back_bytes > most || fstat(fd, &about) < 0)
        return false;
    const uint64_t whole = window->front_bytes + window->bytes + window->back_bytes;
    return !S_ISREG(about.st_mode) || whole <= (uint64_t)about.st_size; // memory of a GPU is no file
}

// The set of that number, empty. NULL: the number is too great.
static struct host_set *renew_set(struct host_state *host, uint32_t number) {
    if (number >= HOST_SETS_MAX) return NULL;
    while (host->set_count <= number) {
        MEM_GROW(host->sets, host->set_capacity, host->set_count + 1);
        MEM_GROW(host->lists, host->list_capacity, host->set_count + 1);
        MEM_GROW(host->keys, host->key_capacity, host->set_count + 1);
        host->sets[host->set_count] = NULL;
        host->keys[host->set_count] = 0;
        host->lists[host->set_count++] = (struct assay_tensors){0};
    }
    if (!host->sets[number]) host->sets[number] = mem_alloc(sizeof *host->sets[number]);
    struct host_set *set = host->sets[number];
    for (uint32_t i = 0; i < set->buffer_count; ++i)
        host->device->backend->buffer_free(host->device, &set->buffers[i]);
    set->buffer_count = 0;
    host->lists[number] = (struct assay_tensors){0}; // until it is mapped again
    return set;
}

static int map_set(struct host_state *host, const struct host_request *request, struct host_fds *fds,
                   struct err *err) {
    const struct problem_abi *abi = host->abi;
    struct host_set *set = abi ? renew_set(host, request->item) : NULL;
    if (!set || request->window_count != abi->tensor_count)
        return err_set(err, ERR_DATA, "set %u of %u tensors does not fit", request->item,
                       request->window_count);
    for (uint32_t i = 0; i < abi->tensor_count; ++i) {
        const char *label = abi->tensors[i].name;
        if (!fits(&request->windows[i], tensor_span_bytes(&host->behind->tensors[i]), fds->items[i]))
            return err_set(err, ERR_DATA, "tensor '%s' of set %u does not fit", label, request->item);
        struct buffer_window window = request->windows[i];
        if (host->is_far) window.far = tensor_far_rows(&host->behind->tensors[i]);
        TRY(host->device->backend->buffer_import(host->device, label, &window, take_fd(fds, i),
                                                 &set->buffers[i], err));
        set->buffer_count = i + 1;
        set->tensors[i] = abi->tensors[i];
        set->tensors[i].data = set->buffers[i].data;
    }
    host->lists[request->item] = (struct assay_tensors){.struct_size = sizeof(struct assay_tensors),
                                                        .tensor_count = abi->tensor_count,
                                                        .tensor_bytes = sizeof set->tensors[0],
                                                        .items = set->tensors};
    host->keys[request->item] = batch_set_key(&host->lists[request->item]);
    return 0;
}

static int map_workspace(struct host_state *host, const struct host_request *request, struct host_fds *fds,
                         struct err *err) {
    host->device->backend->buffer_free(host->device, &host->workspace);
    if (!fits(&request->windows[0], host->prepared.workspace_bytes, fds->items[0]))
        return err_set(err, ERR_DATA, "a workspace does not fit");
    return host->device->backend->buffer_import(host->device, "workspace", &request->windows[0],
                                                take_fd(fds, 0), &host->workspace, err);
}

// ---- launches ----

// Outputs as the judge left them, to be put back once the stream has been busy for a while.
struct staged {
    void *data; // NULL: nothing
    const struct host_set *set;
};

static int copy_outputs(struct host_state *host, const struct staged *staged, bool is_back, struct err *err) {
    char *at = staged->data;
    for (uint32_t i = 0; i < staged->set->buffer_count; ++i) {
        const struct buffer *buffer = &staged->set->buffers[i];
        if (staged->set->tensors[i].access == ASSAY_IN) continue;
        TRY(host->device->backend->work->copy(host->device, is_back ? buffer->data : at,
                                              is_back ? at : buffer->data, buffer->bytes, err));
        at += buffer->bytes;
    }
    return 0;
}

static int begin_behind(struct host_state *host, const struct host_run *wanted, struct staged *ret,
                        struct err *err) {
    const struct device_work *work = host->device->backend->work;
    char byte;
    size_t bytes = 1;
    *ret = (struct staged){.set = host->sets[wanted->first_index]};
    if (!wanted->is_behind || !wanted->behind_ns || !work || !work->delay) return 0;
    for (uint32_t i = 0; i < ret->set->buffer_count; ++i) bytes += ret->set->buffers[i].bytes;
    TRY(work->scratch_alloc(host->device, bytes, &ret->data, err));
    TRY(copy_outputs(host, ret, false, err));
    TRY(work->copy_out(host->device, &byte, ret->data, 1, err)); // waits for the copies
    TRY(work->delay(host->device, wanted->behind_ns, err));
    return copy_outputs(host, ret, true, err);
}

static int keep_inputs(struct host_state *host, uint32_t number, struct err *err) {
    if (number >= host->set_count || !host->lists[number].items || !host->device->backend->work)
        return err_set(err, ERR_DATA, "inputs of set %u cannot be kept", number);
    return late_inputs_keep(host->device, &host->lists[number], &host->late, err);
}

static int run(struct host_state *host, const struct host_run *wanted, struct host_answer *answer,
               struct err *err) {
    const uint64_t end = (uint64_t)wanted->first_index + wanted->set_count;
    if (!host->prepared.has_state || !wanted->set_count || end > host->set_count)
        return err_set(err, ERR_DATA, "a host has %zu sets, and was asked to launch on %llu", host->set_count,
                       (unsigned long long)end);
    for (uint64_t k = wanted->first_index; k < end; ++k)
        if (!host->lists[k].items)
            return err_set(err, ERR_DATA, "set %llu is not mapped", (unsigned long long)k);
    if (wanted->has_late && !host->late.data)
        return err_set(err, ERR_DATA, "no inputs are kept that could come late");
    host->late.seed = wanted->late_seed;
    const struct batch batch = {.kernel = host->kernel.abi,
                                .state = host->prepared.state,
                                .workspace = host->workspace.data,
                                .sets = host->lists + wanted->first_index,
                                .set_keys = host->keys + wanted->first_index,
                                .set_count = wanted->set_count,
                                .first_set = wanted->first_set % wanted->set_count,
                                .launches = wanted->launches,
                                .is_timed = wanted->is_timed,
                                .is_by_call = wanted->is_by_call,
                                .is_behind = wanted->is_behind,
                                .is_cold = wanted->is_cold,
                                .part = (enum batch_part)wanted->part,
                                .late = wanted->has_late ? &host->late : NULL,
                                .blocking_ns = wanted->blocking_ns,
                                .hooks = kernel_hooks(&host->kernel)};
    struct assay_message message = {.capacity = sizeof answer->text, .text = answer->text};
    struct staged staged;
    const int code = begin_behind(host, wanted, &staged, err);
    errno = 0;
    if (code == 0) answer->status = host->device->backend->run(host->device, &batch, &answer->time, &message);
    const int error = errno;
    answer->text[sizeof answer->text - 1] = 0;
    if (answer->status == ASSAY_FAILED) sandbox_add_refusal(error, answer->text, sizeof answer->text);
    if (staged.data) host->device->backend->work->scratch_free(host->device, staged.data);
    return code;
}

static void run_calls_hook(struct host_state *host, bool is_begin, struct host_answer *answer) {
    const struct batch_hooks *hooks = kernel_hooks(&host->kernel);
    struct assay_message message = {.capacity = sizeof answer->text, .text = answer->text};
    if (!hooks) return;
    answer->status = is_begin ? hooks->call_begin(host->prepared.state, host->device->stream, &message)
                              : hooks->call_end(host->prepared.state, host->device->stream, &message);
}

// ---- commands ----

static int carry_out(struct host_state *host, const struct host_request *request, struct host_fds *fds,
                     struct host_answer *answer, struct err *err) {
    const bool is_first = request->command == HOST_LOAD || request->command == HOST_DESCRIBE;
    if (host->setup && host->setup->err)
        return err_set(err, host->setup->err->code, "%s", host->setup->err->text);
    if (request->command == HOST_HELLO) return 0;
    if (!is_first && !host->kernel.abi) return err_set(err, ERR_DATA, "a host has no kernel yet");
    if (request->window_count != (is_first ? 0 : fds->count))
        return err_set(err, ERR_DATA, "%zu descriptors came for %u tensors", fds->count,
                       request->window_count);
    switch ((enum host_command)request->command) {
    case HOST_DESCRIBE: return describe(host, request, fds, err);
    case HOST_LOAD: return load(host, request, fds, err);
    case HOST_PREPARE: return prepare(host, request->item, answer, err);
    case HOST_MAP_SET: return map_set(host, request, fds, err);
    case HOST_MAP_WORKSPACE:
        return fds->count == 1 ? map_workspace(host, request, fds, err)
                               : err_set(err, ERR_DATA, "a workspace has one descriptor");
    case HOST_KEEP_INPUTS: return keep_inputs(host, request->item, err);
    case HOST_RUN: return run(host, &request->run, answer, err);
    case HOST_CALLS_BEGIN:
    case HOST_CALLS_END: run_calls_hook(host, request->command == HOST_CALLS_BEGIN, answer); return 0;
    case HOST_RELEASE: release(host); return 0;
    case HOST_TIGHTEN: return sandbox_tighten(&host->policy, err);
    default: return err_set(err, ERR_DATA, "a host knows no command %u", request->command);
    }
}

void host_serve(struct host_state *host, const struct host_request *request, struct host_fds *fds,
                struct host_answer *answer) {
    struct err err = {0};
    memset(answer, 0, sizeof *answer);
    const int code = carry_out(host, request, fds, answer, &err);
    for (size_t i = 0; i < fds->count; ++i)
        if (fds->items[i] >= 0) close(fds->items[i]);
    answer->number = request->number;
    answer->device_loss = host->device ? host->device->loss : DEVICE_LOSS_NONE;
    answer->kind = HOST_ANSWER_DONE;
    if (code >= 0) return;
    answer->kind = HOST_ANSWER_ERROR;
    answer->status = (int32_t)err.code;
    snprintf(answer->text, sizeof answer->text, "%.*s", (int)sizeof answer->text - 1, err.text);
}

struct host_state *host_state_new(void) {
    return mem_alloc(sizeof(struct host_state));
}

void host_state_free(struct host_state *host) {
    if (!host) return;
    if (host->kernel.abi) release(host);
    kernel_fini(&host->kernel);
    device_close(host->device);
    free(host->sets);
    free(host->keys);
    free(host->lists);
    free(host->behind);
    free(host->abi);
    free(host->read_dirs);
    arena_fini(&host->arena);
    free(host);
}

int host_main(const struct host_setup *setup) {
    struct host_state *host = host_state_new();
    host->setup = setup;
    struct host_request request;
    static struct host_answer answer;
    struct host_fds fds;
    signal(SIGABRT, on_abort);
    signal(SIGXFSZ, SIG_IGN); // a memory file beyond the limit is an error of the call, as too much memory is
    for (;;) {
        // Where the judge has another processor, its next command is expected.
        if (host->device && host->device->backend->wait_for_others)
            host_channel_spin(HOST_CHANNEL_FD, SPIN_NS);
        const int got = host_request_receive(HOST_CHANNEL_FD, &request, &fds);
        if (got <= 0) _exit(got < 0); // the judge is gone: nothing of the kernel runs any more
        if (request.command == HOST_END) break;
        host_serve(host, &request, &fds, &answer);
        if (host_channel_send(HOST_CHANNEL_FD, &answer, sizeof answer, NULL) < 0) _exit(1);
    }
    if (host->kernel.abi) release(host);
    device_close(host->device);
    return 0; // exit() runs the destructors of the module, and the judge looks at how that ends
}

int assay_python_host_main(const struct python_callbacks *callbacks, const char *const *read_dirs) {
    struct err err = {0};
    const int code = python_kernel_check_callbacks(callbacks, &err);
    const struct host_setup setup = {.read_dirs = read_dirs, .err = code < 0 ? &err : NULL};
    if (code == 0) python_kernel_set_callbacks(callbacks);
    return host_main(&setup);
}
