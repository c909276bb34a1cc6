// SPDX-License-Identifier: Apache-2.0
//
// Do the launches of a captured batch run one behind another? A capture is valid as soon as all its streams
// are joined at its end, so a kernel that forks every launch from an event of the first is captured and
// right, and its sample tells how many launches the device does at once, not how long one takes. Where every
// launch ended on our stream is noted while it is captured; afterwards every node of the graph has to lie
// between two such ends. Within a launch nodes may fork and join.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "worker/backend/cuda/cuda_internal.h"

#define NO_LAUNCH UINT32_MAX

struct cuda_serialization {
    cuda_graph_node *tips; // of all launches, one after the other: what the next one would be ordered behind
    size_t tip_count, tip_capacity;
    size_t *ends; // [launch_count], of each launch's tips
    size_t launch_count, launch_capacity;
    bool has_idle;         // a launch after which the stream was as before
    bool is_programmatic;  // an end of a launch is no end
    bool is_not_capturing; // the capture is broken, and ends with a code of its own
};

// The captured graph with numbers for nodes. Launches count from 0.
struct edges {
    size_t node_count, edge_count;
    cuda_graph_node *nodes;            // sorted by address
    uint32_t *froms, *tos;             // [edge_count]
    size_t *pred_begins, *succ_begins; // [node_count + 1]
    uint32_t *preds, *succs;           // [edge_count]
    uint32_t *sorted;                  // [node_count], every node behind all that it depends on
    uint32_t *tip_of;                  // [node_count] the first launch whose end it is; NO_LAUNCH: none's
    uint32_t *done_in;                 // [node_count] the first launch whose end waits for it
    uint32_t *waits_for; // [node_count] launches that it is ordered behind, counted from the first
};

// ---- while it is captured ----

struct cuda_serialization *cuda_serialization_new(void) {
    return mem_alloc(sizeof(struct cuda_serialization));
}

void cuda_serialization_free(struct cuda_serialization *order) {
    if (!order) return;
    free(order->tips);
    free(order->ends);
    free(order);
}

static size_t begin_of(const struct cuda_serialization *order, size_t launch) {
    return launch ? order->ends[launch - 1] : 0;
}

static bool is_as_before(const struct cuda_serialization *order, const cuda_graph_node *tips, size_t count) {
    if (!order->launch_count) return count == 0;
    const size_t begin = begin_of(order, order->launch_count - 1);
    if (order->tip_count - begin != count) return false;
    return memcmp(order->tips + begin, tips, count * sizeof *tips) == 0;
}

void cuda_serialization_note(struct cuda_device *machine, struct cuda_serialization *order) {
    const cuda_graph_node *tips = NULL;
    size_t count = 0;
    int status = 0;
    const cuda_result code =
        machine->driver->stream_get_capture_info(machine->stream, &status, NULL, NULL, &tips, &count);
    order->is_programmatic |= code == CUDA_ERROR_LOSSY_QUERY_CODE;
    order->is_not_capturing |= code || status != CUDA_CAPTURE_STATUS_ACTIVE;
    if (order->is_not_capturing) return;
    order->has_idle |= is_as_before(order, tips, count);
    MEM_GROW(order->tips, order->tip_capacity, order->tip_count + count + 1);
    if (count) memcpy(order->tips + order->tip_count, tips, count * sizeof *tips);
    order->tip_count += count;
    MEM_GROW(order->ends, order->launch_capacity, order->launch_count + 1);
    order->ends[order->launch_count++] = order->tip_count;
}

// ---- the graph ----

static int compare_nodes(const void *a, const void *b) {
    const uintptr_t x = (uintptr_t) * (const cuda_graph_node *)a,
                    y = (uintptr_t) * (const cuda_graph_node *)b;
    return (x > y) - (x < y);
}

static uint32_t number_of(const struct edges *edges, cuda_graph_node node) {
    const cuda_graph_node *found =
        bsearch(&node, edges->nodes, edges->node_count, sizeof *edges->nodes, compare_nodes);
    return found ? (uint32_t)(found - edges->nodes) : NO_LAUNCH;
}

static void edges_fini(struct edges *edges) {
    void *const all[] = {edges->nodes,       edges->froms,   edges->tos,      edges->pred_begins,
                         edges->succ_begins, edges->preds,   edges->succs,    edges->sorted,
                         edges->tip_of,      edges->done_in, edges->waits_for};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i) free(all[i]);
}

// Both ends of every edge as numbers. The first version of the call refuses edges that are no full
// dependencies.
static cuda_result read_edges(const struct cuda_driver *driver, cuda_graph graph, struct edges *edges) {
    cuda_result code = driver->graph_get_nodes(graph, NULL, &edges->node_count);
    if (code) return code;
    edges->nodes = mem_alloc((edges->node_count + 1) * sizeof *edges->nodes);
    code = driver->graph_get_nodes(graph, edges->nodes, &edges->node_count);
    if (!code) code = driver->graph_get_edges(graph, NULL, NULL, &edges->edge_count);
    if (code) return code;
    qsort(edges->nodes, edges->node_count, sizeof *edges->nodes, compare_nodes);
    const size_t bytes = (edges->edge_count + 1) * sizeof(cuda_graph_node);
    cuda_graph_node *from = mem_alloc(bytes), *to = mem_alloc(bytes);
    if (edges->edge_count) code = driver->graph_get_edges(graph, from, to, &edges->edge_count);
    edges->froms = mem_alloc((edges->edge_count + 1) * sizeof *edges->froms);
    edges->tos = mem_alloc((edges->edge_count + 1) * sizeof *edges->tos);
    for (size_t i = 0; !code && i < edges->edge_count; ++i) {
        edges->froms[i] = number_of(edges, from[i]);
        edges->tos[i] = number_of(edges, to[i]);
        if (edges->froms[i] == NO_LAUNCH || edges->tos[i] == NO_LAUNCH) code = CUDA_ERROR_UNKNOWN_CODE;
    }
    free(from);
    free(to);
    return code;
}

// The other ends of the edges at every node, one node after the other.
static void group(const struct edges *edges, const uint32_t *at, const uint32_t *other, size_t **ret_begins,
                  uint32_t **ret_others) {
    size_t *begins = *ret_begins = mem_alloc((edges->node_count + 2) * sizeof *begins);
    uint32_t *others = *ret_others = mem_alloc((edges->edge_count + 1) * sizeof *others);
    for (size_t i = 0; i < edges->edge_count; ++i) ++begins[at[i] + 2];
    for (size_t i = 2; i < edges->node_count + 2; ++i) begins[i] += begins[i - 1];
    for (size_t i = 0; i < edges->edge_count; ++i) others[begins[at[i] + 1]++] = other[i];
}

static void sort_nodes(struct edges *edges) {
    size_t *missing = mem_alloc((edges->node_count + 1) * sizeof *missing), count = 0;
    edges->sorted = mem_alloc((edges->node_count + 1) * sizeof *edges->sorted);
    for (uint32_t v = 0; v < edges->node_count; ++v) {
        missing[v] = edges->pred_begins[v + 1] - edges->pred_begins[v];
        if (!missing[v]) edges->sorted[count++] = v;
    }
    for (size_t i = 0; i < count; ++i) {
        const uint32_t v = edges->sorted[i];
        for (size_t k = edges->succ_begins[v]; k < edges->succ_begins[v + 1]; ++k)
            if (--missing[edges->succs[k]] == 0) edges->sorted[count++] = edges->succs[k];
    }
    free(missing);
}

// ---- the question ----

static void mark_tips(const struct cuda_serialization *order, struct edges *edges) {
    edges->tip_of = mem_alloc((edges->node_count + 1) * sizeof *edges->tip_of);
    for (size_t v = 0; v < edges->node_count; ++v) edges->tip_of[v] = NO_LAUNCH;
    for (size_t launch = order->launch_count; launch-- > 0;)
        for (size_t i = begin_of(order, launch); i < order->ends[launch]; ++i) {
            const uint32_t v = number_of(edges, order->tips[i]);
            if (v != NO_LAUNCH) edges->tip_of[v] = (uint32_t)launch;
        }
}

// Does node v wait for all that `launch` ended with?
static bool is_behind(const struct cuda_serialization *order, const struct edges *edges, uint32_t v,
                      uint32_t launch) {
    for (size_t i = begin_of(order, launch); i < order->ends[launch]; ++i) {
        const uint32_t tip = number_of(edges, order->tips[i]);
        size_t k = edges->pred_begins[v];
        while (k < edges->pred_begins[v + 1] && edges->preds[k] != tip) ++k;
        if (k == edges->pred_begins[v + 1]) return false;
    }
    return true;
}

static uint32_t count_waits(const struct cuda_serialization *order, const struct edges *edges, uint32_t v) {
    uint32_t count = 0;
    for (size_t k = edges->pred_begins[v]; k < edges->pred_begins[v + 1]; ++k) {
        const uint32_t pred = edges->preds[k], launch = edges->tip_of[pred];
        if (edges->waits_for[pred] > count) count = edges->waits_for[pred];
        if (launch != NO_LAUNCH && launch + 1 > count && is_behind(order, edges, v, launch))
            count = launch + 1;
    }
    return count;
}

static void place_nodes(const struct cuda_serialization *order, struct edges *edges) {
    edges->waits_for = mem_alloc((edges->node_count + 1) * sizeof *edges->waits_for);
    edges->done_in = mem_alloc((edges->node_count + 1) * sizeof *edges->done_in);
    for (size_t i = 0; i < edges->node_count; ++i)
        edges->waits_for[edges->sorted[i]] = count_waits(order, edges, edges->sorted[i]);
    for (size_t i = edges->node_count; i-- > 0;) {
        const uint32_t v = edges->sorted[i];
        uint32_t first = edges->tip_of[v];
        for (size_t k = edges->succ_begins[v]; k < edges->succ_begins[v + 1]; ++k)
            if (edges->done_in[edges->succs[k]] < first) first = edges->done_in[edges->succs[k]];
        edges->done_in[v] = first;
    }
}

static int refuse(const struct cuda_serialization *order, const struct edges *edges, uint32_t v,
                  struct assay_message *message) {
    char text[512];
    snprintf(
        text, sizeof text,
        "its launches are not ordered behind each other: work that ends in launch %llu of a batch may run "
        "beside launch %llu; what a launch puts on streams of its own has to begin behind an event "
        "recorded on the stream that it was given, which has to wait for it",
        edges->done_in[v] == NO_LAUNCH ? (unsigned long long)order->launch_count : edges->done_in[v] + 1ull,
        (unsigned long long)edges->waits_for[v] + 1);
    return assay_say(message, ASSAY_FAILED, text);
}

static int refuse_programmatic(struct assay_message *message) {
    return assay_say(
        message, ASSAY_FAILED,
        "its launches are not ordered behind each other: they use programmatic dependent launch, by "
        "which a kernel may begin before the one in front of it is done");
}

static int judge(const struct cuda_serialization *order, struct edges *edges, struct assay_message *message) {
    group(edges, edges->tos, edges->froms, &edges->pred_begins, &edges->preds);
    group(edges, edges->froms, edges->tos, &edges->succ_begins, &edges->succs);
    sort_nodes(edges);
    mark_tips(order, edges);
    place_nodes(order, edges);
    for (uint32_t v = 0; v < edges->node_count; ++v)
        if (edges->waits_for[v] != edges->done_in[v]) return refuse(order, edges, v, message);
    return ASSAY_OK;
}

int cuda_serialization_check(struct cuda_device *machine, const struct cuda_serialization *order,
                             cuda_graph graph, struct assay_message *message) {
    struct edges edges = {0};
    if (order->is_programmatic) return refuse_programmatic(message);
    if (order->has_idle)
        return assay_say(message, ASSAY_FAILED, "launch enqueued nothing on the stream it was given");
    if (order->is_not_capturing)
        return assay_say(message, ASSAY_FAILED, "launch ended the capture of the stream it was given");
    const cuda_result code = read_edges(machine->driver, graph, &edges);
    int status;
    if (code == CUDA_ERROR_LOSSY_QUERY_CODE)
        status = refuse_programmatic(message);
    else if (code)
        status = cuda_launch_fail(machine, code, "a captured graph cannot be read", message);
    else
        status = judge(order, &edges, message);
    edges_fini(&edges);
    return status;
}
