// SPDX-License-Identifier: Apache-2.0
//
// A timed batch: its launches are captured as a graph once and replayed between two events, behind a spin
// that lasts until the host has enqueued everything, so that no launch waits for the host. The device works
// alone: it is synchronised before, and what goes on after our stream is done counts as part of the batch.
// docs/measuring.md says what the figures mean.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/rng.h"
#include "worker/backend/cuda/cuda_codes.h"
#include "worker/backend/cuda/cuda_internal.h"

#define GRAPHS_MAX    16
#define HIDE_FIRST_NS 200000u // enqueueing takes a tenth of that
#define HIDE_MOST_NS  100000000u
#define HIDE_DECAY    8

struct graph {
    const struct assay_kernel *kernel;
    const struct batch_hooks *hooks;
    void *state, *workspace;
    uint64_t tensors_key; // of all addresses of the sets
    uint32_t set_count, first_set, launches;
    cuda_graph_exec exec; // NULL: a free place
    uint64_t used;        // number of the use, for the least recent one
};

struct cuda_graphs {
    struct graph items[GRAPHS_MAX];
    uint64_t uses, hide_ns;
    cuda_event start, stop;
};

static int say_err(const struct err *err, struct assay_message *message) {
    return assay_say(message, ASSAY_FAILED, err->text);
}

// ---- the graphs that are kept ----

static uint64_t tensors_key(const struct batch *batch) {
    uint64_t key = 0;
    for (uint32_t k = 0; k < batch->set_count; ++k)
        for (uint32_t i = 0; i < batch->sets[k].tensor_count; ++i)
            key = rng_u64(key, (uint64_t)(uintptr_t)assay_tensor_at(&batch->sets[k], i)->data, i);
    return key;
}

static bool is_same(const struct graph *a, const struct graph *b) {
    return a->kernel == b->kernel && a->hooks == b->hooks && a->state == b->state &&
           a->workspace == b->workspace && a->tensors_key == b->tensors_key && a->set_count == b->set_count &&
           a->first_set == b->first_set && a->launches == b->launches;
}

static void drop(struct cuda_device *machine, struct graph *graph) {
    if (graph->exec) machine->driver->graph_exec_destroy(graph->exec);
    memset(graph, 0, sizeof *graph);
}

void cuda_graphs_forget(struct cuda_device *machine) {
    for (size_t i = 0; machine->graphs && i < GRAPHS_MAX; ++i) drop(machine, &machine->graphs->items[i]);
}

void cuda_forget_kernel(struct device *device) {
    cuda_graphs_forget(cuda_device_of(device));
}

// A kernel with hooks is told of one place that its next launches write to: it has one graph at a time.
static struct graph *make_room(struct cuda_device *machine, const struct graph *wanted) {
    struct graph *items = machine->graphs->items, *oldest = &items[0];
    for (size_t i = 0; i < GRAPHS_MAX; ++i)
        if (wanted->hooks && items[i].kernel == wanted->kernel && items[i].state == wanted->state)
            drop(machine, &items[i]);
    for (size_t i = 1; i < GRAPHS_MAX; ++i)
        if (items[i].used < oldest->used) oldest = &items[i]; // a free place was never used
    drop(machine, oldest);
    return oldest;
}

// ---- capturing ----

static int refuse_capture(struct cuda_device *machine, cuda_result code, const char *kernel_says,
                          struct assay_message *message) {
    char words[256], text[1024];
    if (!cuda_code_is_of_capture(code)) // would have failed without one
        return cuda_launch_fail(machine, code, kernel_says, message);
    cuda_error_text(machine->driver, code, words, sizeof words);
    snprintf(text, sizeof text,
             "launch cannot be captured into a graph: it synchronises, allocates, or uses another stream "
             "(%s)%s%s",
             words, *kernel_says ? "; it says: " : "", kernel_says);
    return assay_say(message, ASSAY_FAILED, text);
}

// One after the other, noting where each ends.
static int launch_all(struct cuda_device *machine, const struct batch *batch,
                      struct cuda_serialization *order, struct assay_message *message) {
    struct batch one = *batch;
    one.launches = 1;
    int status = ASSAY_OK;
    for (uint32_t i = 0; i < batch->launches && status == ASSAY_OK; ++i) {
        one.first_set = (batch->first_set + i) % batch->set_count;
        status = cuda_launch_all(machine, &one, message);
        cuda_serialization_note(machine, order);
    }
    return status;
}

// *ret_graph is the caller's to destroy when ASSAY_OK is returned.
static int record_launches(struct cuda_device *machine, const struct batch *batch,
                           struct cuda_serialization *order, cuda_graph *ret_graph,
                           struct assay_message *message) {
    const struct cuda_driver *driver = machine->driver;
    cuda_result code = driver->stream_begin_capture(machine->stream, CUDA_CAPTURE_MODE_THREAD_LOCAL);
    if (code) return cuda_launch_fail(machine, code, "a graph cannot be captured", message);
    const int status = launch_all(machine, batch, order, message);
    code = driver->stream_end_capture(machine->stream, ret_graph);
    if (status == ASSAY_OK && code == CUDA_OK && *ret_graph) return ASSAY_OK;
    if (code == CUDA_OK) {
        if (*ret_graph) driver->graph_destroy(*ret_graph);
        return status == ASSAY_OK ? assay_say(message, ASSAY_FAILED, "launch cannot be captured into a graph")
                                  : status;
    }
    char says[512];
    snprintf(says, sizeof says, "%s",
             status != ASSAY_OK && message && message->length && message->text ? message->text : "");
    return refuse_capture(machine, code, says, message);
}

static int instantiate(struct cuda_device *machine, cuda_graph graph, cuda_graph_exec *ret,
                       struct assay_message *message) {
    const struct cuda_driver *driver = machine->driver;
    size_t node_count = 0;
    cuda_result code = driver->graph_get_nodes(graph, NULL, &node_count);
    if (code) return cuda_launch_fail(machine, code, "a captured graph cannot be read", message);
    if (!node_count)
        return assay_say(message, ASSAY_FAILED, "launch enqueued nothing on the stream it was given");
    code = driver->graph_instantiate(ret, graph, 0);
    if (code) return cuda_launch_fail(machine, code, "the captured launches cannot be made a graph", message);
    code = driver->graph_upload(*ret, machine->stream);
    if (code == CUDA_OK) return ASSAY_OK;
    driver->graph_exec_destroy(*ret);
    *ret = NULL;
    return cuda_launch_fail(machine, code, "the captured launches cannot be brought to the device", message);
}

// Between the callbacks of a kernel that returns tensors. *ret_graph is the caller's to destroy when ASSAY_OK
// is returned.
static int record_between(struct cuda_device *machine, const struct batch *batch,
                          struct cuda_serialization *order, cuda_graph *ret_graph,
                          struct assay_message *message) {
    const struct batch_hooks *hooks = batch->hooks;
    if (hooks && hooks->capture_begin) {
        int begun = hooks->capture_begin(batch->state, machine->stream, message);
        if (begun == ASSAY_OK) begun = cuda_take_back(machine, message);
        if (begun != ASSAY_OK) return begun;
    }
    const int status = record_launches(machine, batch, order, ret_graph, message);
    if (!hooks || !hooks->capture_end) return status;
    int ended = hooks->capture_end(batch->state, machine->stream, status == ASSAY_OK ? message : NULL);
    if (ended == ASSAY_OK) ended = cuda_take_back(machine, status == ASSAY_OK ? message : NULL);
    if (status == ASSAY_OK && ended != ASSAY_OK) machine->driver->graph_destroy(*ret_graph);
    return status == ASSAY_OK ? ended : status;
}

static int capture(struct cuda_device *machine, const struct batch *batch, cuda_graph_exec *ret,
                   struct assay_message *message) {
    cuda_graph graph = NULL;
    struct cuda_serialization *order = cuda_serialization_new();
    int status = record_between(machine, batch, order, &graph, message);
    if (status == ASSAY_OK) {
        status = cuda_serialization_check(machine, order, graph, message);
        if (status == ASSAY_OK) status = instantiate(machine, graph, ret, message);
        machine->driver->graph_destroy(graph);
    }
    cuda_serialization_free(order);
    return status;
}

static int find(struct cuda_device *machine, const struct batch *batch, struct graph **ret,
                struct assay_message *message) {
    struct cuda_graphs *graphs = machine->graphs;
    struct graph wanted = {.kernel = batch->kernel,
                           .hooks = batch->hooks,
                           .state = batch->state,
                           .workspace = batch->workspace,
                           .tensors_key = tensors_key(batch),
                           .set_count = batch->set_count,
                           .first_set = batch->first_set,
                           .launches = batch->launches};
    *ret = NULL;
    for (size_t i = 0; i < GRAPHS_MAX && !*ret; ++i)
        if (graphs->items[i].exec && is_same(&graphs->items[i], &wanted)) *ret = &graphs->items[i];
    if (!*ret) {
        struct graph *place = make_room(machine, &wanted);
        const int status = capture(machine, batch, &wanted.exec, message);
        if (status != ASSAY_OK) return status;
        *place = wanted;
        *ret = place;
    }
    (*ret)->used = ++graphs->uses;
    return ASSAY_OK;
}

// ---- replaying ----

// Everything that is timed, behind a spin. *ret_ns: how long the host took.
static int enqueue(struct cuda_device *machine, cuda_graph_exec exec, uint64_t *ret_ns, struct err *err) {
    const struct cuda_driver *driver = machine->driver;
    const struct cuda_graphs *graphs = machine->graphs;
    const uint64_t begin_ns = clock_ns();
    TRY(cuda_spin(machine, graphs->hide_ns, err));
    TRY(cuda_stamp(machine, 0, err));
    cuda_result code = driver->event_record(graphs->start, machine->stream);
    if (code == CUDA_OK) code = driver->graph_launch(exec, machine->stream);
    if (code == CUDA_OK) code = driver->event_record(graphs->stop, machine->stream);
    if (code) {
        cuda_note_loss(machine, code);
        return cuda_fail(driver, code, err, "a captured graph cannot be launched");
    }
    TRY(cuda_stamp(machine, 1, err));
    *ret_ns = clock_ns() - begin_ns;
    return 0;
}

static int elapsed_ns(struct cuda_device *machine, uint64_t *ret_ns, struct err *err) {
    float ms = 0;
    const cuda_result code =
        machine->driver->event_elapsed_ms(&ms, machine->graphs->start, machine->graphs->stop);
    if (code) return cuda_fail(machine->driver, code, err, "the time between two events cannot be read");
    const double ns = 1e6 * (double)ms;
    *ret_ns = ns >= 1 ? (uint64_t)llround(ns) : 1;
    return 0;
}

// An enqueueing that outlasted the spin may have left the device without work: the sample is called
// disturbed, and the spins to come are longer, until the host has been fast for a while.
static uint64_t judge_enqueueing(struct cuda_graphs *graphs, uint64_t enqueue_ns) {
    const bool is_disturbed = enqueue_ns >= graphs->hide_ns;
    uint64_t hide_ns = graphs->hide_ns - graphs->hide_ns / HIDE_DECAY;
    if (hide_ns < 2 * enqueue_ns) hide_ns = 2 * enqueue_ns;
    if (hide_ns < HIDE_FIRST_NS) hide_ns = HIDE_FIRST_NS;
    graphs->hide_ns = hide_ns < HIDE_MOST_NS ? hide_ns : HIDE_MOST_NS;
    return is_disturbed ? enqueue_ns : 0;
}

static int replay(struct cuda_device *machine, cuda_graph_exec exec, struct batch_time *ret,
                  struct assay_message *message) {
    const struct cuda_driver *driver = machine->driver;
    struct err err = {0};
    uint64_t enqueue_ns = 0;
    cuda_result code = driver->ctx_synchronize();
    if (code) return cuda_launch_fail(machine, code, "work before a timed batch", message);
    ret->start_ns = clock_ns();
    if (enqueue(machine, exec, &enqueue_ns, &err) < 0) return say_err(&err, message);
    code = driver->stream_synchronize(machine->stream);
    if (code) return cuda_launch_fail(machine, code, "a timed batch", message);
    code = cuda_wait_for_tail(machine, ret);
    if (code) return cuda_launch_fail(machine, code, "a timed batch", message);
    if (elapsed_ns(machine, &ret->duration_ns, &err) < 0) return say_err(&err, message);
    ret->duration_ns += ret->late_ns;
    ret->wait_ns = judge_enqueueing(machine->graphs, enqueue_ns);
    ret->kernel_clock_hz = cuda_stamped_hz(machine);
    return ASSAY_OK;
}

int cuda_graph_run(struct cuda_device *machine, const struct batch *batch, struct batch_time *ret,
                   struct assay_message *message) {
    const struct batch_hooks *hooks = batch->hooks;
    struct graph *graph;
    *ret = (struct batch_time){.kernel_clock_hz = NAN};
    int status = find(machine, batch, &graph, message);
    if (status == ASSAY_OK && hooks && hooks->outputs_in)
        status = hooks->outputs_in(batch->state, batch->sets, batch->set_count, machine->stream, message);
    if (status == ASSAY_OK && hooks) status = cuda_take_back(machine, message);
    if (status == ASSAY_OK && batch->is_cold) cuda_flush_cache(&machine->device);
    if (status == ASSAY_OK) status = replay(machine, graph->exec, ret, message);
    if (status != ASSAY_OK) return status;
    if (hooks && hooks->outputs_out)
        status = hooks->outputs_out(batch->state, batch->sets, batch->set_count, machine->stream, message);
    if (status == ASSAY_OK && hooks) status = cuda_take_back(machine, message);
    if (status != ASSAY_OK || !hooks || !hooks->outputs_out) return status;
    const cuda_result code = machine->driver->stream_synchronize(machine->stream);
    return code ? cuda_launch_fail(machine, code, "copying what a timed batch returned", message) : ASSAY_OK;
}

// ---- opening ----

int cuda_graphs_open(struct cuda_device *machine, struct err *err) {
    struct cuda_graphs *graphs = machine->graphs = mem_alloc(sizeof *graphs);
    graphs->hide_ns = HIDE_FIRST_NS;
    cuda_result code = machine->driver->event_create(&graphs->start, CUDA_EVENT_DEFAULT_FLAG);
    if (code == CUDA_OK) code = machine->driver->event_create(&graphs->stop, CUDA_EVENT_DEFAULT_FLAG);
    if (code) return cuda_fail(machine->driver, code, err, "no events to time with");
    return cuda_timer_measure(machine, err);
}

void cuda_graphs_close(struct cuda_device *machine) {
    if (!machine->graphs) return;
    cuda_graphs_forget(machine);
    if (machine->graphs->start) machine->driver->event_destroy(machine->graphs->start);
    if (machine->graphs->stop) machine->driver->event_destroy(machine->graphs->stop);
    free(machine->graphs);
    machine->graphs = NULL;
}
