// SPDX-License-Identifier: Apache-2.0
//
// The fake driver: streams, events and graphs. A stream queues its work and runs it when somebody waits
// for it, so that enqueueing costs no time and errors come late, as on a GPU. During a capture it records
// instead; a graph is that list, and every launch of the graph enqueues it.
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "fake_cuda.h"

struct node {
    void (*run)(void *arg);
    void *arg; // a copy
    size_t arg_bytes;
};

struct edge {
    cuda_graph_node from, to;
    bool is_programmatic;
};

// A node of a graph is identified by its number, from 1.
struct cuda_graph_opaque {
    struct node *nodes;
    size_t count, edge_count;
    struct edge *edges;
};

#define TIPS_MAX 16
// The nodes that the next captured node of a stream depends on.
struct tips {
    cuda_graph_node nodes[TIPS_MAX];
    size_t count;
};

struct cuda_graph_exec_opaque {
    struct cuda_graph_opaque graph;
};

struct cuda_stream_opaque {
    struct cuda_stream_opaque *next;
    cuda_context context;
    struct cuda_graph_opaque queue;
    struct cuda_graph_opaque *capture; // NULL: runs
    struct tips tips;
    size_t window_bytes; // size of the access policy window
    bool is_invalidated;
};

struct cuda_event_opaque {
    struct timespec time;
    bool is_recorded;
    struct cuda_graph_opaque *capture; // the capture that recorded this event; NULL: none
    struct tips tips;
};

static struct cuda_stream_opaque *streams;

bool fake_is_capturing(void) {
    for (const struct cuda_stream_opaque *stream = streams; stream; stream = stream->next)
        if (stream->capture) return true;
    return false;
}

static void invalidate_captures(void) {
    for (struct cuda_stream_opaque *stream = streams; stream; stream = stream->next)
        if (stream->capture) stream->is_invalidated = true;
}

// ---- lists of work ----

static void add_node(struct cuda_graph_opaque *graph, const struct node *node) {
    graph->nodes = realloc(graph->nodes, (graph->count + 1) * sizeof *graph->nodes);
    void *copy = malloc(node->arg_bytes ? node->arg_bytes : 1);
    if (!graph->nodes || !copy) abort();
    memcpy(copy, node->arg, node->arg_bytes);
    graph->nodes[graph->count] = *node;
    graph->nodes[graph->count++].arg = copy;
}

static void add_all(struct cuda_graph_opaque *to, const struct cuda_graph_opaque *from) {
    for (size_t i = 0; i < from->count; ++i) add_node(to, &from->nodes[i]);
}

static void clear_graph(struct cuda_graph_opaque *graph) {
    for (size_t i = 0; i < graph->count; ++i) free(graph->nodes[i].arg);
    free(graph->nodes);
    free(graph->edges);
    *graph = (struct cuda_graph_opaque){0};
}

// For kernels of tests: nodes captured from now on begin before the nodes that they depend on have
// finished.
static bool is_programmatic;
FAKE_EXPORT void fake_cuda_launch_programmatic(int is_on);
FAKE_EXPORT void fake_cuda_launch_programmatic(int is_on) {
    is_programmatic = is_on != 0;
}

static void add_captured(struct cuda_stream_opaque *stream, const struct node *node) {
    struct cuda_graph_opaque *graph = stream->capture;
    add_node(graph, node);
    const cuda_graph_node added = (cuda_graph_node)(uintptr_t)graph->count;
    for (size_t i = 0; i < stream->tips.count; ++i) {
        graph->edges = realloc(graph->edges, (graph->edge_count + 1) * sizeof *graph->edges);
        if (!graph->edges) abort();
        graph->edges[graph->edge_count++] = (struct edge){stream->tips.nodes[i], added, is_programmatic};
    }
    stream->tips = (struct tips){{added}, 1};
}

static void add_tips(struct tips *to, const struct tips *from) {
    for (size_t i = 0; i < from->count; ++i) {
        size_t k = 0;
        while (k < to->count && to->nodes[k] != from->nodes[i]) ++k;
        if (k == TIPS_MAX) abort();
        if (k == to->count) to->nodes[to->count++] = from->nodes[i];
    }
}

static bool has_tip(const struct tips *tips, cuda_graph_node node) {
    for (size_t i = 0; i < tips->count; ++i)
        if (tips->nodes[i] == node) return true;
    return false;
}

static bool has_worked; // since the last fake_take_work

bool fake_take_work(void) {
    const bool had = has_worked;
    has_worked = false;
    return had;
}

// Runs the queue. Nothing runs in a broken context.
static void drain(struct cuda_stream_opaque *stream) {
    struct cuda_graph_opaque queue = stream->queue;
    stream->queue = (struct cuda_graph_opaque){0};
    has_worked |= queue.count > 0;
    for (size_t i = 0; i < queue.count && !fake_broken(); ++i) queue.nodes[i].run(queue.nodes[i].arg);
    clear_graph(&queue);
}

void fake_drain_all(void) {
    for (struct cuda_stream_opaque *stream = streams; stream; stream = stream->next) drain(stream);
}

void fake_drain_context(void) {
    for (struct cuda_stream_opaque *stream = streams; stream; stream = stream->next)
        if (stream->context == fake_current()) drain(stream);
}

// Work may be enqueued only while the context of the stream is current.
static bool is_ours(const struct cuda_stream_opaque *stream) {
    return stream->context == fake_current();
}

cuda_result fake_enqueue(cuda_stream stream, void (*run)(void *arg), const void *arg, size_t arg_bytes) {
    const struct node node = {run, (void *)(uintptr_t)arg, arg_bytes};
    if (stream && !is_ours(stream)) return FAKE_INVALID_HANDLE;
    if (stream) {
        if (stream->capture)
            add_captured(stream, &node);
        else
            add_node(&stream->queue, &node);
        return 0;
    }
    if (fake_is_capturing()) { // the default stream would wait for all others
        invalidate_captures();
        return FAKE_CAPTURE_IMPLICIT;
    }
    struct cuda_stream_opaque once = {0};
    add_node(&once.queue, &node);
    drain(&once);
    return 0;
}

// ---- graphs ----

FAKE_EXPORT cuda_result cuStreamBeginCapture_v2(cuda_stream stream, int mode) {
    FAKE_ENTER(stream_begin_capture);
    if (!stream || mode < 0 || mode > 2) return FAKE_INVALID_VALUE;
    if (stream->capture) return FAKE_INVALID_VALUE;
    stream->capture = calloc(1, sizeof *stream->capture);
    if (!stream->capture) abort();
    stream->is_invalidated = false;
    stream->tips = (struct tips){0};
    return 0;
}

FAKE_EXPORT cuda_result cuStreamGetCaptureInfo_v2(cuda_stream stream, int *ret_status, uint64_t *ret_id,
                                                  cuda_graph *ret_graph, const cuda_graph_node **ret_tips,
                                                  size_t *ret_count) {
    FAKE_ENTER(stream_get_capture_info);
    if (!stream || ret_id || ret_graph) return FAKE_INVALID_VALUE; // assay only reads the tips
    *ret_status = !stream->capture ? 0 : stream->is_invalidated ? 2 : 1;
    *ret_tips = stream->tips.nodes;
    *ret_count = stream->tips.count;
    return 0;
}

// Ends the recording of streams that were forked into the capture. True if all that they recorded is
// joined.
static bool take_forks(const struct cuda_stream_opaque *origin, const struct cuda_graph_opaque *graph) {
    bool is_joined = true;
    for (struct cuda_stream_opaque *stream = streams; stream; stream = stream->next) {
        if (stream->capture != graph) continue;
        stream->capture = NULL;
        for (size_t i = 0; i < stream->tips.count; ++i) {
            bool is_waited_for = has_tip(&origin->tips, stream->tips.nodes[i]);
            for (size_t k = 0; k < graph->edge_count; ++k)
                is_waited_for |= graph->edges[k].from == stream->tips.nodes[i];
            is_joined &= is_waited_for;
        }
    }
    return is_joined;
}

FAKE_EXPORT cuda_result cuStreamEndCapture(cuda_stream stream, cuda_graph *ret) {
    FAKE_ENTER(stream_end_capture);
    *ret = NULL;
    if (!stream || !stream->capture) return FAKE_INVALID_VALUE;
    struct cuda_graph_opaque *graph = stream->capture;
    const bool is_joined = take_forks(stream, graph);
    if (is_joined && !stream->is_invalidated) {
        *ret = graph;
        return 0;
    }
    clear_graph(graph);
    free(graph);
    return is_joined ? FAKE_CAPTURE_INVALIDATED : FAKE_CAPTURE_UNJOINED;
}

FAKE_EXPORT cuda_result cuGraphInstantiateWithFlags(cuda_graph_exec *ret, cuda_graph graph,
                                                    unsigned long long flags) {
    FAKE_ENTER(graph_instantiate);
    (void)flags;
    cuda_graph_exec exec = calloc(1, sizeof *exec);
    if (!exec) abort();
    add_all(&exec->graph, graph);
    *ret = exec;
    return 0;
}

FAKE_EXPORT cuda_result cuGraphGetNodes(cuda_graph graph, cuda_graph_node *ret_nodes, size_t *ret_count) {
    FAKE_ENTER(graph_get_nodes);
    if (ret_nodes && *ret_count < graph->count) return FAKE_INVALID_VALUE;
    *ret_count = graph->count;
    for (size_t i = 0; ret_nodes && i < graph->count; ++i) ret_nodes[i] = (cuda_graph_node)(uintptr_t)(i + 1);
    return 0;
}

// The first version of this call does not return kinds of edges, so it fails if there are any but full
// dependencies.
FAKE_EXPORT cuda_result cuGraphGetEdges(cuda_graph graph, cuda_graph_node *ret_from, cuda_graph_node *ret_to,
                                        size_t *ret_count) {
    FAKE_ENTER(graph_get_edges);
    if (ret_from && *ret_count < graph->edge_count) return FAKE_INVALID_VALUE;
    for (size_t i = 0; ret_from && i < graph->edge_count; ++i) {
        if (graph->edges[i].is_programmatic) return CUDA_ERROR_LOSSY_QUERY_CODE;
        ret_from[i] = graph->edges[i].from;
        ret_to[i] = graph->edges[i].to;
    }
    *ret_count = graph->edge_count;
    return 0;
}

FAKE_EXPORT cuda_result cuGraphDestroy(cuda_graph graph) {
    clear_graph(graph);
    free(graph);
    return fake_enter("graph_destroy");
}

FAKE_EXPORT cuda_result cuGraphExecDestroy(cuda_graph_exec exec) {
    clear_graph(&exec->graph);
    free(exec);
    return fake_enter("graph_exec_destroy");
}

FAKE_EXPORT cuda_result cuGraphUpload(cuda_graph_exec exec, cuda_stream stream) {
    FAKE_ENTER(graph_upload);
    return exec && stream ? 0 : FAKE_INVALID_VALUE;
}

FAKE_EXPORT cuda_result cuGraphLaunch(cuda_graph_exec exec, cuda_stream stream) {
    FAKE_ENTER(graph_launch);
    if (!stream || stream->capture) return FAKE_NOT_SUPPORTED;
    if (!is_ours(stream)) return FAKE_INVALID_HANDLE;
    add_all(&stream->queue, &exec->graph);
    return 0;
}

// ---- streams ----

FAKE_EXPORT cuda_result cuStreamCreate(cuda_stream *ret, unsigned flags) {
    FAKE_ENTER(stream_create);
    if (!fake_current()) return FAKE_INVALID_CONTEXT;
    if (flags > CUDA_STREAM_NON_BLOCKING_FLAG) return FAKE_INVALID_VALUE;
    cuda_stream stream = calloc(1, sizeof *stream);
    if (!stream) return CUDA_ERROR_OUT_OF_MEMORY_CODE;
    stream->next = streams;
    stream->context = fake_current();
    *ret = streams = stream;
    return 0;
}

FAKE_EXPORT cuda_result cuStreamDestroy_v2(cuda_stream stream) {
    struct cuda_stream_opaque **at = &streams;
    while (*at && *at != stream) at = &(*at)->next;
    if (!*at) return FAKE_INVALID_HANDLE;
    *at = stream->next;
    drain(stream);
    if (stream->capture) {
        clear_graph(stream->capture);
        free(stream->capture);
    }
    free(stream);
    return fake_enter("stream_destroy");
}

// For tests: another process has the device, so that this many waits for a stream take that much longer.
static unsigned occupied_waits, occupied_us;
FAKE_EXPORT void fake_cuda_occupy(unsigned waits, unsigned us);
FAKE_EXPORT void fake_cuda_occupy(unsigned waits, unsigned us) {
    occupied_waits = waits;
    occupied_us = us;
}

// Waiting for a stream that records is an error, and invalidates the recording.
FAKE_EXPORT cuda_result cuStreamSynchronize(cuda_stream stream) {
    FAKE_ENTER(stream_synchronize);
    if (occupied_waits) --occupied_waits, usleep(occupied_us);
    if (stream && stream->capture) {
        stream->is_invalidated = true;
        return FAKE_CAPTURE_UNSUPPORTED;
    }
    if (stream)
        drain(stream);
    else
        fake_drain_all();
    return fake_broken();
}

#define ATTRIBUTE_ACCESS_WINDOW 1
struct access_window {
    void *begin;
    size_t bytes;
};

FAKE_EXPORT cuda_result cuStreamSetAttribute(cuda_stream stream, int attribute, const void *value) {
    FAKE_ENTER(stream_set_attribute);
    if (!stream || attribute != ATTRIBUTE_ACCESS_WINDOW) return FAKE_INVALID_VALUE;
    stream->window_bytes = ((const struct access_window *)value)->bytes;
    return 0;
}

FAKE_EXPORT size_t fake_cuda_window_bytes(cuda_stream stream);
FAKE_EXPORT size_t fake_cuda_window_bytes(cuda_stream stream) {
    return stream->window_bytes;
}

// ---- events ----

FAKE_EXPORT cuda_result cuEventCreate(cuda_event *ret, unsigned flags) {
    FAKE_ENTER(event_create);
    (void)flags;
    *ret = calloc(1, sizeof **ret);
    return *ret ? 0 : CUDA_ERROR_OUT_OF_MEMORY_CODE;
}

FAKE_EXPORT cuda_result cuEventDestroy_v2(cuda_event event) {
    free(event);
    return fake_enter("event_destroy");
}

static uint64_t virtual_ns;

// The noise depends on the process and the number of the call, so that rounds differ as in real
// measurements.
void fake_pass_call(void) {
    static uint64_t draws;
    const uint64_t call_ns = fake_script()->call_ns;
    if (!draws) draws = (uint64_t)getpid() * 0x9e3779b97f4a7c15u;
    draws = draws * 6364136223846793005u + 1442695040888963407u;
    const double unit = (double)(draws >> 40) / (double)(1u << 24); // [0, 1)
    virtual_ns += (uint64_t)((double)call_ns * (0.997 + 0.006 * unit));
}

// For kernels of tests: the present launch takes this much longer in virtual time.
FAKE_EXPORT void fake_cuda_spend(uint64_t duration_ns) {
    virtual_ns += duration_ns;
}

static void record(void *arg) {
    cuda_event event = *(cuda_event *)arg;
    if (fake_script()->call_ns)
        event->time = (struct timespec){(time_t)(virtual_ns / 1000000000u), (long)(virtual_ns % 1000000000u)};
    else
        clock_gettime(CLOCK_MONOTONIC_RAW, &event->time);
    event->is_recorded = true;
}

FAKE_EXPORT cuda_result cuEventRecord(cuda_event event, cuda_stream stream) {
    FAKE_ENTER(event_record);
    event->capture = stream ? stream->capture : NULL;
    if (event->capture) { // a place in the graph, no node of it
        event->tips = stream->tips;
        return 0;
    }
    return fake_enqueue(stream, record, &event, sizeof event);
}

// During a capture the stream continues after the event, and is captured too. Otherwise the work that it
// waits for runs at once.
FAKE_EXPORT cuda_result cuStreamWaitEvent(cuda_stream stream, cuda_event event, unsigned flags);
FAKE_EXPORT cuda_result cuStreamWaitEvent(cuda_stream stream, cuda_event event, unsigned flags) {
    FAKE_ENTER(stream_wait_event);
    if (!stream || !event || flags) return FAKE_INVALID_VALUE;
    if (!event->capture) {
        fake_drain_context();
        return 0;
    }
    if (!stream->capture) stream->tips = (struct tips){0};
    stream->capture = event->capture;
    add_tips(&stream->tips, &event->tips);
    return 0;
}

FAKE_EXPORT cuda_result cuEventSynchronize(cuda_event event) {
    FAKE_ENTER(event_synchronize);
    fake_drain_all();
    return event ? fake_broken() : FAKE_INVALID_HANDLE;
}

// For kernels of tests that patch the driver: events say that share of the truth.
static double told_share = 1;
FAKE_EXPORT void fake_cuda_tell(double share);
FAKE_EXPORT void fake_cuda_tell(double share) {
    told_share = share;
}

FAKE_EXPORT cuda_result cuEventElapsedTime(float *ret, cuda_event start, cuda_event stop) {
    FAKE_ENTER(event_elapsed_ms);
    if (!start->is_recorded || !stop->is_recorded) return FAKE_INVALID_HANDLE;
    const double ns = 1e9 * (double)(stop->time.tv_sec - start->time.tv_sec) +
                      (double)(stop->time.tv_nsec - start->time.tv_nsec);
    *ret = (float)(told_share * ns / 1e6);
    return 0;
}
