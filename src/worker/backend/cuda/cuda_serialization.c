// SPDX-License-Identifier: Apache-2.0
//
// Checks that the launches of a captured batch run one after the other. A capture is valid once all its
// streams are joined at its end. So a kernel that forks every launch from an event of the first one is
// captured and its results are right, but the sample shows how many launches the device runs at once, not how
// long one takes. During the capture we record where every launch ends on our stream; afterwards every node
// of the graph has to lie between two such ends. Within a launch nodes may fork and join.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "worker/backend/cuda/cuda_device_internal.h"

#define NO_LAUNCH UINT32_MAX

struct cuda_serialization {
    cuda_graph_node *tips; // of all launches: the nodes that the next launch will be ordered after
    size_t tip_count, tip_capacity;
    size_t *ends; // [launch_count] of each launch's tips
    size_t launch_count, launch_capacity;
    bool has_idle;         // some launch enqueued nothing on our stream
    bool is_programmatic;  // the end of a launch does not wait for all its work
    bool is_not_capturing; // the capture is broken, and ends with a code of its own
};

// The captured graph, with numbers for nodes, in one arena. Launches count from 0.
struct edges {
    struct arena arena;
    size_t node_count, edge_count;
    cuda_graph_node *nodes;            // sorted by address
    uint32_t *froms, *tos;             // [edge_count]
    size_t *pred_begins, *succ_begins; // [node_count + 1]
    uint32_t *preds, *succs;           // [edge_count]
    uint32_t *sorted;    // [node_count] topological order: every node after all that it depends on
    uint32_t *tip_of;    // [node_count] the first launch that the node is an end of; NO_LAUNCH: none
    uint32_t *done_in;   // [node_count] the first launch whose end waits for the node
    uint32_t *waits_for; // [node_count] number of launches, from the first on, that the node waits for
};

// ---- during the capture ----

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

void cuda_serialization_add(struct cuda_device *cuda, struct cuda_serialization *order) {
    const cuda_graph_node *tips = NULL;
    size_t count = 0;
    int status = 0;
    const cuda_result code =
        cuda->driver->stream_get_capture_info(cuda->stream, &status, NULL, NULL, &tips, &count);
    order->is_programmatic |= code == CUDA_ERROR_LOSSY_QUERY_CODE;
    order->is_not_capturing |= code || status != CUDA_CAPTURE_STATUS_ACTIVE;
    if (order->is_not_capturing) return;
    const size_t last = order->launch_count ? begin_of(order, order->launch_count - 1) : 0;
    order->has_idle |= order->tip_count - last == count &&
                       (!count || memcmp(order->tips + last, tips, count * sizeof *tips) == 0);
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

// Both ends of every edge as numbers. The first version of the driver's call rejects edges that are not full
// dependencies.
static cuda_result read_edges(const struct cuda_driver *driver, cuda_graph graph, struct edges *edges) {
    struct arena *arena = &edges->arena;
    cuda_result code = driver->graph_get_nodes(graph, NULL, &edges->node_count);
    if (code) return code;
    edges->nodes = arena_array(arena, edges->node_count + 1, sizeof *edges->nodes);
    code = driver->graph_get_nodes(graph, edges->nodes, &edges->node_count);
    if (!code) code = driver->graph_get_edges(graph, NULL, NULL, &edges->edge_count);
    if (code) return code;
    qsort(edges->nodes, edges->node_count, sizeof *edges->nodes, compare_nodes);
    const size_t capacity = edges->edge_count + 1;
    cuda_graph_node *from = arena_array(arena, capacity, sizeof *from);
    cuda_graph_node *to = arena_array(arena, capacity, sizeof *to);
    if (edges->edge_count) code = driver->graph_get_edges(graph, from, to, &edges->edge_count);
    edges->froms = arena_array(arena, capacity, sizeof *edges->froms);
    edges->tos = arena_array(arena, capacity, sizeof *edges->tos);
    for (size_t i = 0; !code && i < edges->edge_count; ++i) {
        edges->froms[i] = number_of(edges, from[i]);
        edges->tos[i] = number_of(edges, to[i]);
        if (edges->froms[i] == NO_LAUNCH || edges->tos[i] == NO_LAUNCH) code = CUDA_ERROR_UNKNOWN_CODE;
    }
    return code;
}

// Groups the edges by the node at one end: `others` lists the nodes at the other end, node by node.
static void group(struct edges *edges, const uint32_t *at, const uint32_t *other, size_t **ret_begins,
                  uint32_t **ret_others) {
    size_t *begins = *ret_begins = arena_array(&edges->arena, edges->node_count + 2, sizeof *begins);
    uint32_t *others = *ret_others = arena_array(&edges->arena, edges->edge_count + 1, sizeof *others);
    for (size_t i = 0; i < edges->edge_count; ++i) ++begins[at[i] + 2];
    for (size_t i = 2; i < edges->node_count + 2; ++i) begins[i] += begins[i - 1];
    for (size_t i = 0; i < edges->edge_count; ++i) others[begins[at[i] + 1]++] = other[i];
}

static void sort_nodes(struct edges *edges) {
    size_t count = 0;
    size_t *missing = arena_array(&edges->arena, edges->node_count + 1, sizeof *missing);
    edges->sorted = arena_array(&edges->arena, edges->node_count + 1, sizeof *edges->sorted);
    for (uint32_t v = 0; v < edges->node_count; ++v) {
        missing[v] = edges->pred_begins[v + 1] - edges->pred_begins[v];
        if (!missing[v]) edges->sorted[count++] = v;
    }
    for (size_t i = 0; i < count; ++i) {
        const uint32_t v = edges->sorted[i];
        for (size_t k = edges->succ_begins[v]; k < edges->succ_begins[v + 1]; ++k)
            if (--missing[edges->succs[k]] == 0) edges->sorted[count++] = edges->succs[k];
    }
}

// ---- the check ----

// True if node v waits for all nodes that `launch` ended with.
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

// Fills tip_of, waits_for and done_in.
static void place_nodes(const struct cuda_serialization *order, struct edges *edges) {
    const size_t count = edges->node_count;
    edges->tip_of = arena_array(&edges->arena, count + 1, sizeof *edges->tip_of);
    edges->waits_for = arena_array(&edges->arena, count + 1, sizeof *edges->waits_for);
    edges->done_in = arena_array(&edges->arena, count + 1, sizeof *edges->done_in);
    for (size_t v = 0; v < count; ++v) edges->tip_of[v] = NO_LAUNCH;
    for (size_t launch = order->launch_count; launch-- > 0;)
        for (size_t i = begin_of(order, launch); i < order->ends[launch]; ++i) {
            const uint32_t v = number_of(edges, order->tips[i]);
            if (v != NO_LAUNCH) edges->tip_of[v] = (uint32_t)launch;
        }
    for (size_t i = 0; i < count; ++i) {
        const uint32_t v = edges->sorted[i];
        uint32_t waits = 0;
        for (size_t k = edges->pred_begins[v]; k < edges->pred_begins[v + 1]; ++k) {
            const uint32_t pred = edges->preds[k], launch = edges->tip_of[pred];
            if (edges->waits_for[pred] > waits) waits = edges->waits_for[pred];
            if (launch != NO_LAUNCH && launch + 1 > waits && is_behind(order, edges, v, launch))
                waits = launch + 1;
        }
        edges->waits_for[v] = waits;
    }
    for (size_t i = count; i-- > 0;) {
        const uint32_t v = edges->sorted[i];
        uint32_t first = edges->tip_of[v];
        for (size_t k = edges->succ_begins[v]; k < edges->succ_begins[v + 1]; ++k)
            if (edges->done_in[edges->succs[k]] < first) first = edges->done_in[edges->succs[k]];
        edges->done_in[v] = first;
    }
}

static int check_edges(const struct cuda_serialization *order, struct edges *edges,
                       struct assay_message *message) {
    group(edges, edges->tos, edges->froms, &edges->pred_begins, &edges->preds);
    group(edges, edges->froms, edges->tos, &edges->succ_begins, &edges->succs);
    sort_nodes(edges);
    place_nodes(order, edges);
    size_t v = 0;
    while (v < edges->node_count && edges->waits_for[v] == edges->done_in[v]) ++v;
    if (v == edges->node_count) return ASSAY_OK;
    const size_t launch = edges->done_in[v] == NO_LAUNCH ? order->launch_count : edges->done_in[v] + 1u;
    char text[512];
    snprintf(
        text, sizeof text,
        "its launches are not ordered one after the other: work that ends in launch %zu of a batch may run "
        "at the same time as launch %zu; work on other streams has to begin after an event recorded on the "
        "stream that the launch was given, and that stream has to wait for it",
        launch, (size_t)edges->waits_for[v] + 1);
    return assay_say(message, ASSAY_FAILED, text);
}

int cuda_serialization_check(struct cuda_device *cuda, const struct cuda_serialization *order,
                             cuda_graph graph, struct assay_message *message) {
    static const char programmatic[] =
        "its launches are not ordered one after the other: they use programmatic dependent launch, by "
        "which a kernel may begin before the previous one has finished";
    if (order->is_programmatic) return assay_say(message, ASSAY_FAILED, programmatic);
    if (order->has_idle)
        return assay_say(message, ASSAY_FAILED, "launch enqueued nothing on the stream it was given");
    if (order->is_not_capturing)
        return assay_say(message, ASSAY_FAILED, "launch ended the capture of the stream it was given");
    struct edges edges = {0};
    const cuda_result code = read_edges(cuda->driver, graph, &edges);
    const int status = code == CUDA_ERROR_LOSSY_QUERY_CODE ? assay_say(message, ASSAY_FAILED, programmatic)
                       : code ? cuda_launch_fail(cuda, code, "a captured graph cannot be read", message)
                              : check_edges(order, &edges, message);
    arena_fini(&edges.arena);
    return status;
}
