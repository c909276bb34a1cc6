// SPDX-License-Identifier: Apache-2.0
//
// A kernel for "cuda" that needs no GPU: it enqueues a host function on the stream that it is given, which
// does the same as the shipped kernel `naive`. With the driver of these tests it is checked, measured and
// gated like any CUDA kernel. $ASSAY_FAKE_ATTENTION=<mode>@<seq_q> makes it go wrong on problems with this
// number of queries:
//   fault:<code>  the launch breaks the context with this error
//   worn:<code>   the same, after a hundred launches
//   refuse        launch returns an error of its own
//   past_end      writes past the output
//   before_start  writes before the output
//   input         changes an input
//   worn_input    the same, after a hundred launches
//   false_events  in its process, events say a quarter of the truth
//   row           leaves the last row unwritten
//   limit         prepare sets a limit of the context
//   sync          waits for the stream in launch
//   legacy        works on the default stream
// Modes that are right when checked but not when timed; computing takes 7.4 us more than the driver's
// call_ns:
//   honest        is right when timed, too
//   wrong_rows    wrong in most rows, except for addresses that were checked
//   by_address    copies what it computed once at an address, except where it was checked
//   by_content    copies what it computed once for some bytes of the inputs
//   skip_repeats  does nothing if its results are there already
//   skip_half     the same in every other launch
//   ahead         computes the next launch along with its own, in the same time, if that is enqueued already
#include <assay/kernel.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TENSORS_MAX      8
#define WORN_RUNS        100
#define L2_PERSIST_LIMIT 6 // the driver's number
#define KEPT_MAX         256
#define KEY_BYTES        64 // of every input
#define COMPUTE_NS       7400
#define GRID_ROWS        32 // of a head: wrong_rows is right in every (rows / 32)th

const struct assay_module *assay_module_naive(void);

typedef int (*launch_host_func_fn)(void *stream, void (*function)(void *arg), void *arg);
typedef int (*stream_synchronize_fn)(void *stream);
typedef void (*break_fn)(int code);
typedef void (*spend_fn)(uint64_t duration_ns);
typedef void (*tell_fn)(double share);

// The arguments of one launch, kept until release because a graph may run it again.
struct fake_call {
    struct fake_call *next;
    struct fake_state *state;
    struct assay_tensors tensors;
    struct assay_tensor items[TENSORS_MAX];
    void *workspace;
};

// One launch in the mode ahead.
struct fake_pair {
    struct fake_pair *next;
    struct fake_call *call;
    struct fake_pair *partner; // computed along with this one; NULL: none
    int is_partner, has_run;
};

// A result, and its key.
struct kept {
    void *address;
    unsigned char key[3 * KEY_BYTES];
    void *result;
};

struct fake_state {
    void *naive;
    void *first; // output that was checked
    struct kept kept[KEPT_MAX];
    int kept_count, skip_count;
    struct fake_call *calls;
    struct fake_pair *pairs; // the newest first
    char mode[24];           // "": right
    int code, run_count;
};

static void *driver_function(const char *symbol) {
    const char *path = getenv("ASSAY_CUDA_DRIVER");
    void *library = dlopen(path ? path : "libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    void *found = library ? dlsym(library, symbol) : NULL;
    if (library) dlclose(library); // the host holds it
    return found;
}

#define FIND(type, symbol)                                                                                   \
    type function_ = NULL;                                                                                   \
    void *found_ = driver_function(symbol);                                                                  \
    memcpy(&function_, &found_, sizeof found_)

static const struct assay_kernel *naive(void) {
    return &assay_module_naive()->kernels[0];
}

static void run_serially(const struct assay_cpu_stream *stream, int64_t count,
                         void (*body)(void *arg, int64_t index, uint32_t thread), void *arg) {
    (void)stream;
    for (int64_t i = 0; i < count; ++i) body(arg, i, 0);
}

static int fake_supports(const struct assay_problem *problem, struct assay_message *message) {
    return naive()->supports(problem, message);
}

#ifdef FAKE_HONEST
// For libfake_cupti.so, which tells the two libraries apart by it.
__attribute__((visibility("default"))) extern const char fake_kernel_is_honest;
const char fake_kernel_is_honest = 1;
#endif

static void read_mode(const struct assay_problem *problem, struct fake_state *state) {
#ifdef FAKE_HONEST
    const char *text = NULL;
#else
    const char *text = getenv("ASSAY_FAKE_ATTENTION");
#endif
    long seq_q = 0;
    const double wanted = assay_scalar_get(problem->scalars, problem->scalar_count, "seq_q", 0);
    char mode[24] = "";
    int code = 0;
    if (!text) return;
    if (sscanf(text, "%23[a-z_]:%d@%ld", mode, &code, &seq_q) != 3 &&
        sscanf(text, "%23[a-z_]@%ld", mode, &seq_q) != 2)
        abort();
    if ((double)seq_q != wanted) return;
    memcpy(state->mode, mode, sizeof mode);
    state->code = code;
}

static int is_mode(const struct fake_state *state, const char *mode) {
    return strcmp(state->mode, mode) == 0;
}

typedef int (*set_limit_fn)(int limit, size_t value);

static int fake_prepare(const struct assay_problem *problem, const struct assay_env *env, void **state,
                        size_t *workspace_bytes, struct assay_message *message) {
    struct assay_env one_thread = *env;
    one_thread.thread_count = 1;
    struct fake_state *self = calloc(1, sizeof *self);
    if (!self) return assay_say(message, ASSAY_FAILED, "out of memory");
    const int status = naive()->prepare(problem, &one_thread, &self->naive, workspace_bytes, message);
    if (status != ASSAY_OK) {
        free(self);
        return status;
    }
    read_mode(problem, self);
    if (is_mode(self, "limit")) {
        FIND(set_limit_fn, "cuCtxSetLimit");
        function_(L2_PERSIST_LIMIT, 1 << 20);
    }
    if (is_mode(self, "false_events")) {
        FIND(tell_fn, "fake_cuda_tell");
        function_(0.25);
    }
    *state = self;
    return assay_say(message, ASSAY_OK, "naive on the processor");
}

static void fake_release(void *state) {
    struct fake_state *self = state;
    while (self->calls) {
        struct fake_call *call = self->calls;
        self->calls = call->next;
        free(call);
    }
    while (self->pairs) {
        struct fake_pair *pair = self->pairs;
        self->pairs = pair->next;
        free(pair);
    }
    for (int i = 0; i < self->kept_count; ++i) free(self->kept[i].result);
    naive()->release(self->naive);
    free(self);
}

static size_t element_bytes(int32_t dtype) {
    return dtype == ASSAY_FP32 ? 4 : dtype == ASSAY_FP8_E4M3 ? 1 : 2;
}

// Bytes from the first element to the end of the last one.
static size_t span_bytes(const struct assay_tensor *tensor) {
    int64_t last = 0;
    for (int32_t d = 0; d < tensor->dim_count; ++d) last += (tensor->shape[d] - 1) * tensor->stride[d];
    return (size_t)(last + 1) * element_bytes(tensor->dtype);
}

static void misbehave(struct fake_call *call, unsigned char *row_before, size_t row_bytes) {
    const struct assay_tensor *out = assay_tensor_find(&call->tensors, ASSAY_O);
    unsigned char *end = (unsigned char *)out->data + span_bytes(out);
    if (is_mode(call->state, "past_end")) end[3] ^= 0xffu;
    if (is_mode(call->state, "before_start")) ((unsigned char *)out->data)[-2] ^= 0xffu;
    if (is_mode(call->state, "worn_input") && ++call->state->run_count > WORN_RUNS)
        *(unsigned char *)assay_tensor_find(&call->tensors, ASSAY_K)->data = 0x41;
    if (is_mode(call->state, "input"))
        *(unsigned char *)assay_tensor_find(&call->tensors, ASSAY_K)->data ^= 0x40u;
    if (is_mode(call->state, "row")) memcpy(end - row_bytes, row_before, row_bytes);
}

static void fake_break(int code) {
    FIND(break_fn, "fake_cuda_break");
    if (function_) function_(code);
}

// ---- modes that cheat when timed ----

static void run_naive(struct fake_call *call) {
    struct assay_cpu_stream stream = {
        .struct_size = sizeof stream, .thread_count = 1, .parallel_for = run_serially};
    naive()->launch(call->state->naive, &call->tensors, call->workspace, &stream, NULL);
}

static void compute(struct fake_call *call) {
    FIND(spend_fn, "fake_cuda_spend");
    if (function_) function_(COMPUTE_NS);
    run_naive(call);
}

static void run_pair(void *arg) {
    struct fake_pair *pair = arg;
    pair->has_run = 1;
    if (pair->is_partner) return;
    compute(pair->call);
    if (pair->partner) run_naive(pair->partner->call);
}

static struct fake_pair *add_pair(struct fake_state *state, struct fake_call *call) {
    struct fake_pair *pair = calloc(1, sizeof *pair), *before = state->pairs;
    if (!pair) return NULL;
    pair->call = call;
    pair->next = before;
    state->pairs = pair;
    if (!before || before->has_run || before->is_partner || before->call == call) return pair;
    before->partner = pair;
    pair->is_partner = 1;
    return pair;
}

static struct kept *find_kept(struct fake_state *state, const struct kept *wanted, int by_address,
                              int by_content) {
    for (int i = 0; i < state->kept_count; ++i) {
        struct kept *kept = &state->kept[i];
        if (by_address && kept->address != wanted->address) continue;
        if (!by_content || memcmp(kept->key, wanted->key, sizeof kept->key) == 0) return kept;
    }
    return NULL;
}

static void compute_and_keep(struct fake_call *call, const struct kept *wanted, size_t bytes) {
    struct fake_state *state = call->state;
    compute(call);
    if (state->kept_count == KEPT_MAX) return;
    struct kept *kept = &state->kept[state->kept_count];
    *kept = *wanted;
    kept->result = malloc(bytes);
    if (!kept->result) return;
    memcpy(kept->result, wanted->address, bytes);
    ++state->kept_count;
}

static void blank_rows(const struct assay_tensor *out) {
    const int64_t rows = out->shape[2], step = rows > GRID_ROWS ? rows / GRID_ROWS : 1;
    const size_t row_bytes = (size_t)out->shape[3] * element_bytes(out->dtype);
    for (int64_t i = 0; i < out->shape[0] * out->shape[1] * rows; ++i)
        if (i % rows % step && i % rows != rows - 1)
            memset((char *)out->data + (size_t)i * row_bytes, 0, row_bytes);
}

static int is_done_before(struct fake_call *call, const struct kept *wanted, size_t bytes) {
    struct fake_state *state = call->state;
    const int is_skipping = is_mode(state, "skip_repeats") || is_mode(state, "skip_half");
    const int by_content = is_mode(state, "by_content");
    if (!is_skipping && !by_content && (!is_mode(state, "by_address") || wanted->address == state->first))
        return 0;
    const struct kept *kept = find_kept(state, wanted, !by_content, is_skipping || by_content);
    if (!kept) return 0;
    if (!is_skipping) {
        memcpy(wanted->address, kept->result, bytes);
        return 1;
    }
    if (memcmp(wanted->address, kept->result, bytes) != 0) return 0;
    return is_mode(state, "skip_repeats") || ++state->skip_count % 2;
}

static int cheats(struct fake_call *call) {
    static const char *const modes[] = {"honest",     "wrong_rows",   "by_address",
                                        "by_content", "skip_repeats", "skip_half"};
    struct fake_state *state = call->state;
    int is_known = 0;
    for (size_t i = 0; i < sizeof modes / sizeof *modes; ++i) is_known |= is_mode(state, modes[i]);
    if (!is_known) return 0;
    static const int32_t roles[] = {ASSAY_Q, ASSAY_K, ASSAY_V};
    const struct assay_tensor *out = assay_tensor_find(&call->tensors, ASSAY_O);
    struct kept wanted = {.address = out->data};
    for (int i = 0; i < 3; ++i)
        memcpy(wanted.key + (size_t)i * KEY_BYTES, assay_tensor_find(&call->tensors, roles[i])->data,
               KEY_BYTES);
    if (!state->first) state->first = out->data;
    if (is_done_before(call, &wanted, span_bytes(out))) return 1;
    compute_and_keep(call, &wanted, span_bytes(out));
    if (is_mode(state, "wrong_rows") && out->data != state->first) blank_rows(out);
    return 1;
}

// Runs on the "device", in stream order.
static void run_call(void *arg) {
    struct fake_call *call = arg;
    struct fake_state *state = call->state;
    const struct assay_tensor *out = assay_tensor_find(&call->tensors, ASSAY_O);
    const int is_worn = is_mode(state, "worn") && ++state->run_count > WORN_RUNS;
    if (is_worn || is_mode(state, "fault")) {
        fake_break(state->code);
        return;
    }
    if (cheats(call)) return;
    unsigned char row[4096];
    size_t row_bytes = (size_t)out->shape[out->dim_count - 1] * element_bytes(out->dtype);
    if (row_bytes > sizeof row) row_bytes = sizeof row;
    memcpy(row, (unsigned char *)out->data + span_bytes(out) - row_bytes, row_bytes);
    run_naive(call);
    misbehave(call, row, row_bytes);
}

// The same tensors share one record.
static struct fake_call *find_call(struct fake_state *state, const struct assay_tensors *tensors,
                                   void *workspace) {
    struct assay_tensor items[TENSORS_MAX];
    memset(items, 0, sizeof items);
    for (uint32_t i = 0; i < tensors->tensor_count; ++i) items[i] = *assay_tensor_at(tensors, i);
    struct fake_call *call = state->calls;
    while (call && (call->workspace != workspace || memcmp(call->items, items, sizeof items) != 0))
        call = call->next;
    if (call) return call;
    call = calloc(1, sizeof *call);
    if (!call) return NULL;
    call->next = state->calls;
    call->state = state;
    call->workspace = workspace;
    memcpy(call->items, items, sizeof items);
    call->tensors = (struct assay_tensors){.struct_size = sizeof call->tensors,
                                           .tensor_count = tensors->tensor_count,
                                           .tensor_bytes = sizeof *items,
                                           .items = call->items};
    state->calls = call;
    return call;
}

static int fake_launch(void *state, const struct assay_tensors *tensors, void *workspace, void *stream,
                       struct assay_message *message) {
    struct fake_state *self = state;
    if (tensors->tensor_count > TENSORS_MAX) return assay_say(message, ASSAY_FAILED, "too many tensors");
    if (is_mode(self, "refuse")) return assay_say(message, ASSAY_FAILED, "the plan does not fit");
    struct fake_call *call = find_call(self, tensors, workspace);
    if (!call) return assay_say(message, ASSAY_FAILED, "out of memory");
    if (is_mode(self, "sync")) {
        FIND(stream_synchronize_fn, "cuStreamSynchronize");
        if (!function_ || function_(stream))
            return assay_say(message, ASSAY_FAILED, "the stream cannot be waited for");
    }
    FIND(launch_host_func_fn, "cuLaunchHostFunc");
    if (!function_) return assay_say(message, ASSAY_FAILED, "the driver has no cuLaunchHostFunc");
    struct fake_pair *pair = is_mode(self, "ahead") ? add_pair(self, call) : NULL;
    const int code = pair ? function_(stream, run_pair, pair)
                          : function_(is_mode(self, "legacy") ? NULL : stream, run_call, call);
    if (!code) return ASSAY_OK;
    char text[64];
    snprintf(text, sizeof text, "cuLaunchHostFunc: error %d", code);
    return assay_say(message, ASSAY_FAILED, text);
}

static const struct assay_kernel fake_kernels[] = {{
    .struct_size = sizeof(struct assay_kernel),
    .abi_version = ASSAY_ABI_VERSION,
    .name = "fake_attention",
    .op = "attention",
    .backend = "cuda",
    .supports = fake_supports,
    .launch = fake_launch,
    .prepare = fake_prepare,
    .release = fake_release,
    .summary = "naive behind the driver's interface, for tests without a GPU",
}};

ASSAY_MODULE(fake_kernels)
