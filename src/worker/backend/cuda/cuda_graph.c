// SPDX-License-Identifier: Apache-2.0
//
// A timed batch. Its launches are captured as a graph once, and replayed between two events after a blocking
// kernel, which spins until the host has enqueued everything, so that no launch waits for the host. It takes
// every place of the device, so that nothing else is computed meanwhile. The
// device is idle before; work that continues after our stream has finished counts as part of the batch.
// docs/measuring.md says what the figures mean.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/rng.h"
#include "worker/backend/cuda/cuda_device_internal.h"
#include "worker/backend/late_inputs.h"

#define GRAPHS_MAX        16
#define BLOCKING_LEAST_NS 200000u // enqueueing takes a tenth of that
#define BLOCKING_MOST_NS  100000000u
#define BLOCKING_DECAY    8

struct graph {
    const struct assay_kernel *kernel;
    const struct batch_hooks *hooks;
    void *state, *workspace;
    uint64_t tensors_key; // hash of the addresses of all tensors
    uint32_t set_count, first_set, launches;
    const void *late_data; // of late inputs; NULL: none, and then late_seed is 0
    uint64_t late_seed;
    cuda_graph_exec exec; // NULL: a free place
    // What the hooks outputs_in and outputs_out enqueue. NULL: they are called each time.
    cuda_graph_exec bring_in, bring_out;
    uint64_t used; // number of the last use, to find the least recently used one
};

struct cuda_graphs {
    struct graph items[GRAPHS_MAX];
    uint64_t uses, blocking_ns; // blocking_ns: duration of the blocking kernel
    cuda_event start, stop;
};

// ---- cached graphs ----

static uint64_t tensors_key(const struct batch *batch) {
    uint64_t key = 0;
    for (uint32_t k = 0; k < batch->set_count; ++k)
        key = rng_u64(key, batch->set_keys ? batch->set_keys[k] : batch_set_key(&batch->sets[k]), k);
    return key;
}

static bool is_same(const struct graph *a, const struct graph *b) {
    return a->kernel == b->kernel && a->hooks == b->hooks && a->state == b->state &&
           a->workspace == b->workspace && a->tensors_key == b->tensors_key && a->set_count == b->set_count &&
           a->first_set == b->first_set && a->launches == b->launches && a->late_data == b->late_data &&
           a->late_seed == b->late_seed;
}

static void drop(struct cuda_device *cuda, struct graph *graph) {
    const cuda_graph_exec items[] = {graph->exec, graph->bring_in, graph->bring_out};
    for (size_t i = 0; i < sizeof items / sizeof *items; ++i)
        if (items[i]) cuda->driver->graph_exec_destroy(items[i]);
    memset(graph, 0, sizeof *graph);
}

void cuda_graphs_forget(struct cuda_device *cuda) {
    for (size_t i = 0; cuda->graphs && i < GRAPHS_MAX; ++i) drop(cuda, &cuda->graphs->items[i]);
}

// A kernel with hooks knows one place that its next launches write to, so it has one graph at a time.
static struct graph *make_room(struct cuda_device *cuda, const struct graph *wanted) {
    struct graph *items = cuda->graphs->items, *oldest = &items[0];
    for (size_t i = 0; i < GRAPHS_MAX; ++i)
        if (wanted->hooks && items[i].kernel == wanted->kernel && items[i].state == wanted->state)
            drop(cuda, &items[i]);
    for (size_t i = 1; i < GRAPHS_MAX; ++i)
        if (items[i].used < oldest->used) oldest = &items[i]; // a free place was never used
    drop(cuda, oldest);
    return oldest;
}

// ---- capturing ----

typedef int late_inputs_fn(struct device *device, const struct late_inputs *late,
                           const struct assay_tensors *set, struct err *err);

static int enqueue_late(struct cuda_device *cuda, const struct batch *batch, late_inputs_fn *copies,
                        uint32_t launch, struct assay_message *message) {
    struct err err = {0};
    const uint32_t set = (batch->first_set + launch) % batch->set_count;
    if (copies(&cuda->device, batch->late, &batch->sets[set], &err) == 0) return ASSAY_OK;
    return assay_say(message, ASSAY_FAILED, err.text);
}

// Launch i of a batch with what surrounds it where inputs come late.
static int launch_late(struct cuda_device *cuda, const struct batch *batch, const struct late_places *places,
                       uint32_t i, struct assay_message *message) {
    struct batch one = *batch;
    one.first_set = (batch->first_set + i) % batch->set_count;
    one.launches = 1;
    int status = ASSAY_OK;
    for (uint32_t k = 0; k < places->count && status == ASSAY_OK; ++k)
        if (places->items[k] == i) status = enqueue_late(cuda, batch, late_inputs_bring, i, message);
    if (status == ASSAY_OK) status = cuda_launch_all(cuda, &one, message);
    const uint32_t kept = places->items[places->kept];
    if (status == ASSAY_OK && kept == i)
        status = enqueue_late(cuda, batch, late_inputs_keep_outputs, i, message);
    if (status == ASSAY_OK && i + 1 == batch->launches)
        status = enqueue_late(cuda, batch, late_inputs_return_outputs, kept, message);
    return status;
}

// Captures the launches, one after the other. *ret_graph is the caller's to destroy if ASSAY_OK is returned.
static int record_launches(struct cuda_device *cuda, const struct batch *batch,
                           struct cuda_serialization *order, cuda_graph *ret_graph,
                           struct assay_message *message) {
    const struct cuda_driver *driver = cuda->driver;
    cuda_result code = driver->stream_begin_capture(cuda->stream, CUDA_CAPTURE_MODE_THREAD_LOCAL);
    if (code) return cuda_launch_fail(cuda, code, "a graph cannot be captured", message);
    struct late_places places = {0};
    if (batch->late) places = late_inputs_places(batch->late, batch->set_count, batch->launches);
    struct batch one = *batch;
    one.launches = 1;
    int status = ASSAY_OK;
    for (uint32_t i = 0; i < batch->launches && status == ASSAY_OK; ++i) {
        one.first_set = (batch->first_set + i) % batch->set_count;
        status = batch->late ? launch_late(cuda, batch, &places, i, message)
                             : cuda_launch_all(cuda, &one, message);
        cuda_serialization_add(cuda, order);
    }
    code = driver->stream_end_capture(cuda->stream, ret_graph);
    if (status == ASSAY_OK && code == CUDA_OK && *ret_graph) return ASSAY_OK;
    if (code == CUDA_OK) {
        if (*ret_graph) driver->graph_destroy(*ret_graph);
        return status == ASSAY_OK ? assay_say(message, ASSAY_FAILED, "launch cannot be captured into a graph")
                                  : status;
    }
    char says[512], words[256], text[1024];
    snprintf(says, sizeof says, "%s",
             status != ASSAY_OK && message && message->length && message->text ? message->text : "");
    if (!cuda_code_is_of_capture(code)) // fails without a capture too
        return cuda_launch_fail(cuda, code, says, message);
    cuda_error_text(driver, code, words, sizeof words);
    snprintf(text, sizeof text,
             "launch cannot be captured into a graph: it synchronises, allocates, or uses another stream "
             "(%s)%s%s",
             words, *says ? "; it says: " : "", says);
    return assay_say(message, ASSAY_FAILED, text);
}

static int instantiate(struct cuda_device *cuda, cuda_graph graph, cuda_graph_exec *ret,
                       struct assay_message *message) {
    const struct cuda_driver *driver = cuda->driver;
    size_t node_count = 0;
    cuda_result code = driver->graph_get_nodes(graph, NULL, &node_count);
    if (code) return cuda_launch_fail(cuda, code, "a captured graph cannot be read", message);
    if (!node_count)
        return assay_say(message, ASSAY_FAILED, "launch enqueued nothing on the stream it was given");
    code = driver->graph_instantiate(ret, graph, 0);
    if (code) return cuda_launch_fail(cuda, code, "the captured launches cannot be made a graph", message);
    code = driver->graph_upload(*ret, cuda->stream);
    if (code == CUDA_OK) return ASSAY_OK;
    driver->graph_exec_destroy(*ret);
    *ret = NULL;
    return cuda_launch_fail(cuda, code, "the captured launches cannot be brought to the device", message);
}

// Captures the launches between the hooks of a kernel that returns tensors. *ret_graph is the caller's to
// destroy if ASSAY_OK is returned.
static int record_between_hooks(struct cuda_device *cuda, const struct batch *batch,
                                struct cuda_serialization *order, cuda_graph *ret_graph,
                                struct assay_message *message) {
    const struct batch_hooks *hooks = batch->hooks;
    if (hooks && hooks->capture_begin) {
        int begun = hooks->capture_begin(batch->state, cuda->stream, message);
        if (begun == ASSAY_OK) begun = cuda_reenter(cuda, message);
        if (begun != ASSAY_OK) return begun;
    }
    const int status = record_launches(cuda, batch, order, ret_graph, message);
    if (!hooks || !hooks->capture_end) return status;
    int ended = hooks->capture_end(batch->state, cuda->stream, status == ASSAY_OK ? message : NULL);
    if (ended == ASSAY_OK) ended = cuda_reenter(cuda, status == ASSAY_OK ? message : NULL);
    if (status == ASSAY_OK && ended != ASSAY_OK) cuda->driver->graph_destroy(*ret_graph);
    return status == ASSAY_OK ? ended : status;
}

typedef int bring_fn(void *state, const struct assay_tensors *sets, uint32_t set_count, void *stream,
                     struct assay_message *message);

// NULL: the hook enqueues nothing, or nothing that can be captured; called as it is, it says what is wrong.
static cuda_graph_exec record_hook(struct cuda_device *cuda, const struct batch *batch, bring_fn *hook) {
    const struct cuda_driver *driver = cuda->driver;
    cuda_graph_exec ret = NULL;
    cuda_graph graph = NULL;
    size_t node_count = 0;
    if (!hook || driver->stream_begin_capture(cuda->stream, CUDA_CAPTURE_MODE_THREAD_LOCAL)) return NULL;
    const int status = hook(batch->state, batch->sets, batch->set_count, cuda->stream, NULL);
    const bool is_entered = cuda_reenter(cuda, NULL) == ASSAY_OK;
    if (driver->stream_end_capture(cuda->stream, &graph) || !graph) return NULL;
    if (status == ASSAY_OK && is_entered && driver->graph_get_nodes(graph, NULL, &node_count) == CUDA_OK &&
        node_count && driver->graph_instantiate(&ret, graph, 0))
        ret = NULL;
    driver->graph_destroy(graph);
    if (!ret || driver->graph_upload(ret, cuda->stream) == CUDA_OK) return ret;
    driver->graph_exec_destroy(ret);
    return NULL;
}

// To enter an interpreter around every sample takes hundreds of microseconds, by what lies in the caches, and
// the judge's clock does not know how many. Late inputs have a graph for one sample only.
static void record_bringing(struct cuda_device *cuda, const struct batch *batch, struct graph *graph) {
    if (!batch->hooks || batch->late) return;
    graph->bring_in = record_hook(cuda, batch, batch->hooks->outputs_in);
    if (graph->bring_in) graph->bring_out = record_hook(cuda, batch, batch->hooks->outputs_out);
}

// The graph of the batch: a cached one, else a new one.
static int find_or_capture(struct cuda_device *cuda, const struct batch *batch, struct graph **ret,
                           struct assay_message *message) {
    struct cuda_graphs *graphs = cuda->graphs;
    struct graph wanted = {.kernel = batch->kernel,
                           .hooks = batch->hooks,
                           .state = batch->state,
                           .workspace = batch->workspace,
                           .tensors_key = tensors_key(batch),
                           .set_count = batch->set_count,
                           .first_set = batch->first_set,
                           .launches = batch->launches,
                           .late_data = batch->late ? batch->late->data : NULL,
                           .late_seed = batch->late ? batch->late->seed : 0};
    *ret = NULL;
    for (size_t i = 0; i < GRAPHS_MAX && !*ret; ++i)
        if (graphs->items[i].exec && is_same(&graphs->items[i], &wanted)) *ret = &graphs->items[i];
    if (!*ret) {
        struct graph *place = make_room(cuda, &wanted);
        struct cuda_serialization *order = cuda_serialization_new();
        cuda_graph graph = NULL;
        int status = record_between_hooks(cuda, batch, order, &graph, message);
        if (status == ASSAY_OK) {
            status = cuda_serialization_check(cuda, order, graph, message);
            if (status == ASSAY_OK) status = instantiate(cuda, graph, &wanted.exec, message);
            cuda->driver->graph_destroy(graph);
        }
        cuda_serialization_free(order);
        if (status != ASSAY_OK) return status;
        record_bringing(cuda, batch, &wanted);
        *place = wanted;
        *ret = place;
    }
    (*ret)->used = ++graphs->uses;
    return ASSAY_OK;
}

// ---- replaying ----

// Enqueues the blocking kernel, and then everything that is timed (exec NULL: nothing). *ret_ns: how long
// that took the host.
static int enqueue(struct cuda_device *cuda, cuda_graph_exec exec, uint64_t blocking_ns, uint64_t *ret_ns,
                   struct err *err) {
    const struct cuda_driver *driver = cuda->driver;
    const struct cuda_graphs *graphs = cuda->graphs;
    const uint64_t begin_ns = clock_ns();
    TRY(cuda_block(cuda, blocking_ns, err));
    TRY(cuda_stamp(cuda, 0, err));
    cuda_result code = driver->event_record(graphs->start, cuda->stream);
    if (code == CUDA_OK && exec) code = driver->graph_launch(exec, cuda->stream);
    if (code == CUDA_OK) code = driver->event_record(graphs->stop, cuda->stream);
    if (code) return cuda_call_fail(cuda, code, err, "a captured graph cannot be launched");
    TRY(cuda_stamp(cuda, 1, err));
    *ret_ns = clock_ns() - begin_ns;
    return 0;
}

// If enqueueing took longer than the blocking kernel, the device may have waited for the host: the sample
// counts as disturbed. The next blocking kernels are longer, until the host has been fast for a while.
uint64_t cuda_next_blocking_ns(uint64_t blocking_ns, uint64_t enqueue_ns) {
    blocking_ns -= blocking_ns / BLOCKING_DECAY;
    if (blocking_ns < 2 * enqueue_ns) blocking_ns = 2 * enqueue_ns;
    if (blocking_ns < BLOCKING_LEAST_NS) blocking_ns = BLOCKING_LEAST_NS;
    return blocking_ns < BLOCKING_MOST_NS ? blocking_ns : BLOCKING_MOST_NS;
}

// wanted_ns: of the blocking kernel; 0: our choice.
static int replay(struct cuda_device *cuda, cuda_graph_exec exec, uint64_t wanted_ns, struct batch_time *ret,
                  struct assay_message *message) {
    const struct cuda_driver *driver = cuda->driver;
    struct cuda_graphs *graphs = cuda->graphs;
    const uint64_t blocking_ns = wanted_ns ? wanted_ns : graphs->blocking_ns;
    struct err err = {0};
    float ms = 0;
    cuda_result code = driver->ctx_synchronize();
    if (code) return cuda_launch_fail(cuda, code, "work before a timed batch", message);
    ret->start_ns = clock_ns();
    if (enqueue(cuda, exec, blocking_ns, &ret->enqueue_ns, &err) < 0)
        return assay_say(message, ASSAY_FAILED, err.text);
    code = driver->stream_synchronize(cuda->stream);
    if (code) return cuda_launch_fail(cuda, code, "a timed batch", message);
    code = cuda_wait_for_tail(cuda, ret);
    if (code) return cuda_launch_fail(cuda, code, "a timed batch", message);
    code = driver->event_elapsed_ms(&ms, graphs->start, graphs->stop);
    if (code) {
        cuda_fail(driver, code, &err, "the time between two events cannot be read");
        return assay_say(message, ASSAY_FAILED, err.text);
    }
    const double ns = 1e6 * (double)ms;
    ret->duration_ns = (ns >= 1 ? (uint64_t)llround(ns) : 1) + ret->late_ns;
    ret->kernel_clock_hz = cuda_stamped_hz(cuda);
    ret->wait_ns = ret->enqueue_ns >= blocking_ns ? ret->enqueue_ns : 0;
    if (!wanted_ns) graphs->blocking_ns = cuda_next_blocking_ns(blocking_ns, ret->enqueue_ns);
    return ASSAY_OK;
}

// The one graph of a kernel with hooks, whatever its launches; NULL: none.
static const struct graph *find_of_hooks(const struct cuda_device *cuda, const struct batch *batch) {
    const uint64_t key = tensors_key(batch);
    for (size_t i = 0; i < GRAPHS_MAX; ++i) {
        const struct graph *graph = &cuda->graphs->items[i];
        if (graph->exec && graph->hooks == batch->hooks && graph->kernel == batch->kernel &&
            graph->state == batch->state && graph->tensors_key == key)
            return graph;
    }
    return NULL;
}

// graph: of the batch; NULL: none. Returns when the copies are done.
static int bring(struct cuda_device *cuda, const struct batch *batch, const struct graph *graph, bool is_in,
                 struct assay_message *message) {
    if (!batch->hooks) return ASSAY_OK;
    const cuda_graph_exec exec = !graph ? NULL : is_in ? graph->bring_in : graph->bring_out;
    bring_fn *hook = is_in ? batch->hooks->outputs_in : batch->hooks->outputs_out;
    cuda_result code = CUDA_OK;
    if (exec) {
        code = cuda->driver->graph_launch(exec, cuda->stream);
    } else if (hook) {
        int status = hook(batch->state, batch->sets, batch->set_count, cuda->stream, message);
        if (status == ASSAY_OK) status = cuda_reenter(cuda, message);
        if (status != ASSAY_OK) return status;
    }
    if (code == CUDA_OK) code = cuda->driver->stream_synchronize(cuda->stream);
    return code ? cuda_launch_fail(cuda, code, "copying what a timed batch returns", message) : ASSAY_OK;
}

int cuda_graph_run(struct cuda_device *cuda, const struct batch *batch, struct batch_time *ret,
                   struct assay_message *message) {
    struct graph *graph = NULL;
    int status = ASSAY_OK;
    *ret = (struct batch_time){.kernel_clock_hz = NAN};
    if (batch->part == BATCH_COLLECT) return bring(cuda, batch, find_of_hooks(cuda, batch), false, message);
    if (batch->launches) status = find_or_capture(cuda, batch, &graph, message);
    if (status == ASSAY_OK && batch->launches && batch->part != BATCH_TIMED)
        status = bring(cuda, batch, graph, true, message);
    if (status != ASSAY_OK || batch->part == BATCH_STAGE) return status;
    if (batch->launches && batch->is_cold) cuda_flush_cache(&cuda->device);
    status = replay(cuda, graph ? graph->exec : NULL, batch->blocking_ns, ret, message);
    if (graph && batch->late) drop(cuda, graph); // the next one comes at another place
    if (status != ASSAY_OK || batch->part == BATCH_TIMED || !batch->launches) return status;
    return bring(cuda, batch, graph, false, message); // a dropped one has nothing captured
}

// ---- opening ----

int cuda_graphs_open(struct cuda_device *cuda, struct err *err) {
    struct cuda_graphs *graphs = cuda->graphs = mem_alloc(sizeof *graphs);
    graphs->blocking_ns = BLOCKING_LEAST_NS;
    cuda_result code = cuda->driver->event_create(&graphs->start, CUDA_EVENT_DEFAULT_FLAG);
    if (code == CUDA_OK) code = cuda->driver->event_create(&graphs->stop, CUDA_EVENT_DEFAULT_FLAG);
    return code ? cuda_fail(cuda->driver, code, err, "no events to time with") : 0;
}

void cuda_graphs_close(struct cuda_device *cuda) {
    if (!cuda->graphs) return;
    cuda_graphs_forget(cuda);
    if (cuda->graphs->start) cuda->driver->event_destroy(cuda->graphs->start);
    if (cuda->graphs->stop) cuda->driver->event_destroy(cuda->graphs->stop);
    free(cuda->graphs);
    cuda->graphs = NULL;
}
