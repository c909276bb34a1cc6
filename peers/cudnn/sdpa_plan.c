/* SPDX-License-Identifier: Apache-2.0
 *
 * Builds the graph and its execution plan. Errors are sticky: the first call that fails is recorded with
 * its status, and later calls do nothing. */
#include "sdpa_plan.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define UNIFIED_SINCE       91301u /* attention as one node */
#define UNIFIED_STATS_UNTIL 92100u /* later versions have another descriptor for statistics */
#define INFINITY_SINCE      91000u /* earlier versions mask with the lowest number */
#define ALIGNMENT_BYTES     16
#define CONFIGS_MAX         32

static bool has_succeeded(const struct sdpa_plan *plan) {
    return plan->status == 0;
}

static void record_failure(struct sdpa_plan *plan, cudnn_status status, const char *what) {
    if (status == 0 || plan->status != 0) return;
    plan->status = status;
    plan->failed = what;
}

static cudnn_descriptor create(struct sdpa_plan *plan, int type, const char *what) {
    cudnn_descriptor descriptor = NULL;
    if (!has_succeeded(plan)) return NULL;
    if (plan->descriptor_count == SDPA_DESCRIPTORS_MAX) {
        record_failure(plan, -1, "more descriptors than there is room for");
        return NULL;
    }
    record_failure(plan, plan->api->descriptor_create(type, &descriptor), what);
    if (descriptor) plan->descriptors[plan->descriptor_count++] = descriptor;
    return descriptor;
}

/* The value of an attribute; `what` names it in an error. */
struct attribute_value {
    int type;
    int64_t count;
    const void *values;
    const char *what;
};

static void set(struct sdpa_plan *plan, cudnn_descriptor descriptor, int attribute,
                struct attribute_value to) {
    if (has_succeeded(plan))
        record_failure(plan, plan->api->set_attribute(descriptor, attribute, to.type, to.count, to.values),
                       to.what);
}

static void finalize(struct sdpa_plan *plan, cudnn_descriptor descriptor, const char *what) {
    if (has_succeeded(plan)) record_failure(plan, plan->api->finalize(descriptor), what);
}

static void set_int64(struct sdpa_plan *plan, cudnn_descriptor descriptor, int attribute, int64_t value) {
    set(plan, descriptor, attribute,
        (struct attribute_value){CUDNN_OF_INT64, 1, &value, "an integer attribute"});
}

static void set_type(struct sdpa_plan *plan, cudnn_descriptor descriptor, int attribute, int data_type) {
    set(plan, descriptor, attribute,
        (struct attribute_value){CUDNN_OF_DATA_TYPE, 1, &data_type, "a data type"});
}

static void set_descriptor(struct sdpa_plan *plan, cudnn_descriptor descriptor, int attribute,
                           cudnn_descriptor value) {
    set(plan, descriptor, attribute,
        (struct attribute_value){CUDNN_OF_DESCRIPTOR, 1, &value, "a part of an operation"});
}

/* ---- tensors ---- */

struct tensor_shape {
    int64_t size[4], stride[4];
};

static cudnn_descriptor tensor(struct sdpa_plan *plan, int64_t id, int data_type,
                               const struct tensor_shape *shape, bool is_virtual, bool is_by_value) {
    cudnn_descriptor ret = create(plan, CUDNN_TENSOR, "a tensor");
    set_type(plan, ret, CUDNN_TENSOR_TYPE, data_type);
    set(plan, ret, CUDNN_TENSOR_DIMENSIONS,
        (struct attribute_value){CUDNN_OF_INT64, 4, shape->size, "a tensor's sizes"});
    set(plan, ret, CUDNN_TENSOR_STRIDES,
        (struct attribute_value){CUDNN_OF_INT64, 4, shape->stride, "a tensor's strides"});
    set_int64(plan, ret, CUDNN_TENSOR_ID, id);
    set_int64(plan, ret, CUDNN_TENSOR_ALIGNMENT, ALIGNMENT_BYTES);
    set(plan, ret, CUDNN_TENSOR_IS_VIRTUAL,
        (struct attribute_value){CUDNN_OF_BOOLEAN, 1, &is_virtual, "a tensor's kind"});
    set(plan, ret, CUDNN_TENSOR_IS_BY_VALUE,
        (struct attribute_value){CUDNN_OF_BOOLEAN, 1, &is_by_value, "a tensor's kind"});
    finalize(plan, ret, "a tensor");
    if (id < SDPA_ID_COUNT) plan->is_id_used[id] = true;
    return ret;
}

static int io_type(const struct sdpa_plan *plan) {
    return plan->args.q.dtype == ASSAY_BF16 ? CUDNN_BFLOAT16 : CUDNN_HALF;
}

static struct tensor_shape shape_of(const struct sdpa_plan *plan, const struct attention_view *view,
                                    int64_t heads, int64_t rows) {
    return (struct tensor_shape){.size = {plan->args.batch, heads, rows, plan->args.head_dim},
                                 .stride = {view->stride_batch, view->stride_head, view->stride_row, 1}};
}

static struct tensor_shape dense(int64_t batch, int64_t heads, int64_t rows, int64_t columns) {
    return (struct tensor_shape){.size = {batch, heads, rows, columns},
                                 .stride = {heads * rows * columns, rows * columns, columns, 1}};
}

static struct tensor_shape score_shape(const struct sdpa_plan *plan) {
    const struct attention_args *a = &plan->args;
    return dense(a->batch, a->heads, a->seq_q, a->seq_k);
}

static struct tensor_shape row_shape(const struct sdpa_plan *plan) {
    const struct attention_args *a = &plan->args;
    return dense(a->batch, a->heads, a->seq_q, 1);
}

static cudnn_descriptor scalar(struct sdpa_plan *plan, int64_t id, int data_type) {
    const struct tensor_shape shape = dense(1, 1, 1, 1);
    return tensor(plan, id, data_type, &shape, false, true);
}

static cudnn_descriptor scores(struct sdpa_plan *plan, int data_type) {
    const struct tensor_shape shape = score_shape(plan);
    return tensor(plan, plan->next_id++, data_type, &shape, true, false);
}

static cudnn_descriptor rows(struct sdpa_plan *plan) {
    const struct tensor_shape shape = row_shape(plan);
    return tensor(plan, plan->next_id++, CUDNN_FLOAT, &shape, true, false);
}

/* The engines support the graph only with its statistics; without has_lse they go to a virtual tensor. */
static cudnn_descriptor lse(struct sdpa_plan *plan) {
    const struct tensor_shape shape = row_shape(plan);
    if (!plan->has_lse) return rows(plan);
    return tensor(plan, SDPA_ID_LSE, CUDNN_FLOAT, &shape, false, false);
}

static cudnn_descriptor input(struct sdpa_plan *plan, int64_t id) {
    const struct attention_args *a = &plan->args;
    const bool is_query = id == SDPA_ID_Q || id == SDPA_ID_O;
    const struct attention_view *view = id == SDPA_ID_Q   ? &a->q
                                        : id == SDPA_ID_K ? &a->k
                                        : id == SDPA_ID_V ? &a->v
                                                          : &a->o;
    const struct tensor_shape shape =
        shape_of(plan, view, is_query ? a->heads : a->heads_kv, is_query ? a->seq_q : a->seq_k);
    return tensor(plan, id, io_type(plan), &shape, false, false);
}

/* K transposed for the product: [batch][head][dim][key]. */
static cudnn_descriptor k_transposed(struct sdpa_plan *plan) {
    const struct attention_args *a = &plan->args;
    struct tensor_shape shape = shape_of(plan, &a->k, a->heads_kv, a->seq_k);
    shape.size[2] = a->head_dim;
    shape.size[3] = a->seq_k;
    shape.stride[2] = 1;
    shape.stride[3] = a->k.stride_row;
    return tensor(plan, SDPA_ID_K, io_type(plan), &shape, false, false);
}

/* ---- operations ---- */

static void operation_add(struct sdpa_plan *plan, cudnn_descriptor operation) {
    finalize(plan, operation, "an operation");
    if (!has_succeeded(plan)) return;
    if (plan->operation_count == SDPA_OPERATIONS_MAX)
        record_failure(plan, -1, "more operations than there is room for");
    else
        plan->operations[plan->operation_count++] = operation;
}

static void matmul(struct sdpa_plan *plan, cudnn_descriptor a, cudnn_descriptor b, cudnn_descriptor c) {
    cudnn_descriptor product = create(plan, CUDNN_MATMUL, "a product");
    set_type(plan, product, CUDNN_MATMUL_PRECISION, CUDNN_FLOAT);
    finalize(plan, product, "a product");
    cudnn_descriptor operation = create(plan, CUDNN_OPERATION_MATMUL, "a product");
    set_descriptor(plan, operation, CUDNN_OP_MATMUL_A, a);
    set_descriptor(plan, operation, CUDNN_OP_MATMUL_B, b);
    set_descriptor(plan, operation, CUDNN_OP_MATMUL_C, c);
    set_descriptor(plan, operation, CUDNN_OP_MATMUL_DESCRIPTOR, product);
    operation_add(plan, operation);
}

struct pointwise {
    int mode, precision;
    int64_t axis;                /* -1: none */
    cudnn_descriptor x, b, t, y; /* b, t: null where the mode takes none */
};

static void pointwise(struct sdpa_plan *plan, const struct pointwise *what) {
    cudnn_descriptor function = create(plan, CUDNN_POINTWISE, "a pointwise function");
    set(plan, function, CUDNN_POINTWISE_MODE,
        (struct attribute_value){CUDNN_OF_POINTWISE_MODE, 1, &what->mode, "a pointwise mode"});
    set_type(plan, function, CUDNN_POINTWISE_PRECISION, what->precision);
    if (what->axis >= 0) set_int64(plan, function, CUDNN_POINTWISE_AXIS, what->axis);
    finalize(plan, function, "a pointwise function");
    cudnn_descriptor operation = create(plan, CUDNN_OPERATION_POINTWISE, "a pointwise operation");
    set_descriptor(plan, operation, CUDNN_OP_POINTWISE_DESCRIPTOR, function);
    set_descriptor(plan, operation, CUDNN_OP_POINTWISE_X, what->x);
    if (what->b) set_descriptor(plan, operation, CUDNN_OP_POINTWISE_B, what->b);
    if (what->t) set_descriptor(plan, operation, CUDNN_OP_POINTWISE_T, what->t);
    set_descriptor(plan, operation, CUDNN_OP_POINTWISE_Y, what->y);
    operation_add(plan, operation);
}

/* y = mode(x, b) in float; b null for functions of one argument. */
static void apply(struct sdpa_plan *plan, int mode, cudnn_descriptor x, cudnn_descriptor b,
                  cudnn_descriptor y) {
    const struct pointwise what = {
        .mode = mode, .precision = CUDNN_FLOAT, .axis = -1, .x = x, .b = b, .y = y};
    pointwise(plan, &what);
}

static void reduce(struct sdpa_plan *plan, int reduction, cudnn_descriptor x, cudnn_descriptor y) {
    cudnn_descriptor function = create(plan, CUDNN_REDUCTION, "a reduction");
    set(plan, function, CUDNN_REDUCTION_OPERATOR,
        (struct attribute_value){CUDNN_OF_REDUCTION_OPERATOR, 1, &reduction, "a reduction"});
    set_type(plan, function, CUDNN_REDUCTION_PRECISION, CUDNN_FLOAT);
    finalize(plan, function, "a reduction");
    cudnn_descriptor operation = create(plan, CUDNN_OPERATION_REDUCTION, "a reduction");
    set_descriptor(plan, operation, CUDNN_OP_REDUCTION_X, x);
    set_descriptor(plan, operation, CUDNN_OP_REDUCTION_Y, y);
    set_descriptor(plan, operation, CUDNN_OP_REDUCTION_DESCRIPTOR, function);
    operation_add(plan, operation);
}

/* ---- attention as one node ---- */

static void build_unified(struct sdpa_plan *plan) {
    cudnn_descriptor operation = create(plan, CUDNN_OPERATION_SDPA_FORWARD, "the attention operation");
    set_descriptor(plan, operation, CUDNN_OP_SDPA_Q, input(plan, SDPA_ID_Q));
    set_descriptor(plan, operation, CUDNN_OP_SDPA_K, input(plan, SDPA_ID_K));
    set_descriptor(plan, operation, CUDNN_OP_SDPA_V, input(plan, SDPA_ID_V));
    set_descriptor(plan, operation, CUDNN_OP_SDPA_O, input(plan, SDPA_ID_O));
    set_descriptor(plan, operation, CUDNN_OP_SDPA_SCALE, scalar(plan, SDPA_ID_SCALE, CUDNN_FLOAT));
    if (plan->has_lse) set_descriptor(plan, operation, CUDNN_OP_SDPA_STATS, lse(plan));
    operation_add(plan, operation);
}

/* ---- attention as its parts ---- */

static cudnn_descriptor index_along(struct sdpa_plan *plan, cudnn_descriptor x, int64_t axis) {
    cudnn_descriptor index = scores(plan, CUDNN_INT32);
    const struct pointwise what = {
        .mode = CUDNN_GENERATE_INDEX, .precision = CUDNN_FLOAT, .axis = axis, .x = x, .y = index};
    pointwise(plan, &what);
    return index;
}

/* Bottom-right mask: row + seq_k - seq_q >= column, in the order of operations that the engines recognise. */
static cudnn_descriptor shift_row(struct sdpa_plan *plan, cudnn_descriptor row, int mode, int64_t id) {
    cudnn_descriptor shifted = scores(plan, CUDNN_INT32);
    const struct pointwise what = {.mode = mode,
                                   .precision = CUDNN_INT32,
                                   .axis = 3,
                                   .x = row,
                                   .b = scalar(plan, id, CUDNN_INT32),
                                   .y = shifted};
    pointwise(plan, &what);
    return shifted;
}

static cudnn_descriptor mask_causally(struct sdpa_plan *plan, cudnn_descriptor x) {
    cudnn_descriptor row = index_along(plan, x, 2), column = index_along(plan, x, 3);
    if (plan->args.mask == ATTENTION_MASK_BOTTOM_RIGHT) {
        row = shift_row(plan, row, CUDNN_ADD, SDPA_ID_SEQ_K);
        row = shift_row(plan, row, CUDNN_SUB, SDPA_ID_SEQ_Q);
    }
    cudnn_descriptor is_visible = scores(plan, CUDNN_BOOLEAN), masked = scores(plan, CUDNN_FLOAT);
    const struct pointwise compare = {.mode = CUDNN_COMPARE_GE,
                                      .precision = CUDNN_BOOLEAN,
                                      .axis = -1,
                                      .x = row,
                                      .b = column,
                                      .y = is_visible};
    pointwise(plan, &compare);
    const struct pointwise select = {.mode = CUDNN_SELECT,
                                     .precision = CUDNN_FLOAT,
                                     .axis = -1,
                                     .x = x,
                                     .b = scalar(plan, SDPA_ID_MASKED, CUDNN_FLOAT),
                                     .t = is_visible,
                                     .y = masked};
    pointwise(plan, &select);
    return masked;
}

static cudnn_descriptor softmax(struct sdpa_plan *plan, cudnn_descriptor x) {
    cudnn_descriptor max = rows(plan), centred = scores(plan, CUDNN_FLOAT),
                     exponential = scores(plan, CUDNN_FLOAT), sum = rows(plan), log_sum = rows(plan),
                     p = scores(plan, io_type(plan));
    reduce(plan, CUDNN_REDUCE_MAX, x, max);
    apply(plan, CUDNN_SUB, x, max, centred);
    apply(plan, CUDNN_EXP, centred, NULL, exponential);
    reduce(plan, CUDNN_REDUCE_ADD, exponential, sum);
    apply(plan, CUDNN_LOG, sum, NULL, log_sum);
    apply(plan, CUDNN_ADD, max, log_sum, lse(plan));
    apply(plan, CUDNN_DIV, exponential, sum, p);
    return p;
}

static void build_composite(struct sdpa_plan *plan) {
    cudnn_descriptor product = scores(plan, CUDNN_FLOAT), scaled = scores(plan, CUDNN_FLOAT);
    matmul(plan, input(plan, SDPA_ID_Q), k_transposed(plan), product);
    apply(plan, CUDNN_MUL, product, scalar(plan, SDPA_ID_SCALE, CUDNN_FLOAT), scaled);
    if (plan->args.mask != ATTENTION_MASK_NONE) scaled = mask_causally(plan, scaled);
    cudnn_descriptor p = softmax(plan, scaled);
    matmul(plan, p, input(plan, SDPA_ID_V), input(plan, SDPA_ID_O));
}

/* ---- the plan ---- */

static void read_plan(struct sdpa_plan *plan, cudnn_descriptor config) {
    int64_t count = 0;
    const struct cudnn_api *api = plan->api;
    record_failure(plan,
                   api->get_attribute(plan->plan, CUDNN_PLAN_WORKSPACE_BYTES, CUDNN_OF_INT64, 1, &count,
                                      &plan->workspace_bytes),
                   "the plan's workspace");
    /* The engine's index is only reported. */
    cudnn_descriptor engine = create(plan, CUDNN_ENGINE, "an engine");
    if (!engine || api->get_attribute(config, CUDNN_CONFIG_ENGINE, CUDNN_OF_DESCRIPTOR, 1, &count, &engine) ||
        api->get_attribute(engine, CUDNN_ENGINE_INDEX, CUDNN_OF_INT64, 1, &count, &plan->engine_index))
        plan->engine_index = -1;
}

/* Uses the first configuration that finalises. One that cuDNN rejects is skipped without an error. */
static bool try_configs(struct sdpa_plan *plan, cudnn_descriptor *configs, int64_t count) {
    for (int64_t i = 0; i < count && has_succeeded(plan); ++i) {
        cudnn_descriptor candidate = create(plan, CUDNN_EXECUTION_PLAN, "an execution plan");
        set(plan, candidate, CUDNN_PLAN_HANDLE,
            (struct attribute_value){CUDNN_OF_HANDLE, 1, &plan->api->handle, "the plan's handle"});
        set_descriptor(plan, candidate, CUDNN_PLAN_CONFIG, configs[i]);
        if (!has_succeeded(plan)) return false;
        if (plan->api->finalize(candidate) == 0) {
            plan->plan = candidate;
            read_plan(plan, configs[i]);
            return has_succeeded(plan);
        }
        plan->api->descriptor_destroy(candidate);
        --plan->descriptor_count;
    }
    return false;
}

static bool try_heuristics(struct sdpa_plan *plan, cudnn_descriptor graph, int mode, const char *name) {
    const struct cudnn_api *api = plan->api;
    cudnn_descriptor configs[CONFIGS_MAX] = {0}, query = create(plan, CUDNN_ENGINE_HEURISTICS, "heuristics");
    int64_t count = 0;
    bool is_found = false;
    set_descriptor(plan, query, CUDNN_HEURISTICS_GRAPH, graph);
    set(plan, query, CUDNN_HEURISTICS_MODE,
        (struct attribute_value){CUDNN_OF_HEURISTICS_MODE, 1, &mode, "the heuristics' mode"});
    if (!has_succeeded(plan) || api->finalize(query) != 0) return false; /* this mode finds no engine */
    size_t made = 0;
    while (made < CONFIGS_MAX && api->descriptor_create(CUDNN_ENGINE_CONFIG, &configs[made]) == 0) ++made;
    if (api->get_attribute(query, CUDNN_HEURISTICS_RESULTS, CUDNN_OF_DESCRIPTOR, (int64_t)made, &count,
                           configs) == 0)
        is_found = try_configs(plan, configs, count < (int64_t)made ? count : (int64_t)made);
    for (size_t i = 0; i < made; ++i) api->descriptor_destroy(configs[i]);
    plan->heuristics = name;
    return is_found;
}

static void choose(struct sdpa_plan *plan) {
    cudnn_descriptor graph = create(plan, CUDNN_OPERATION_GRAPH, "the graph");
    set(plan, graph, CUDNN_GRAPH_OPERATIONS,
        (struct attribute_value){CUDNN_OF_DESCRIPTOR, (int64_t)plan->operation_count, plan->operations,
                                 "the graph's operations"});
    set(plan, graph, CUDNN_GRAPH_HANDLE,
        (struct attribute_value){CUDNN_OF_HANDLE, 1, &plan->api->handle, "the graph's handle"});
    finalize(plan, graph, "the graph");
    if (!has_succeeded(plan) || try_heuristics(plan, graph, CUDNN_HEURISTICS_A, "A") ||
        try_heuristics(plan, graph, CUDNN_HEURISTICS_B, "B") ||
        try_heuristics(plan, graph, CUDNN_HEURISTICS_FALLBACK, "fallback"))
        return;
    record_failure(plan, -1, "no engine of this version supports the graph");
}

static int report_failure(const struct sdpa_plan *plan, struct assay_message *message) {
    char version[32], last[256] = "", text[512];
    cudnn_version_format(plan->api, version, sizeof version);
    /* A negative status comes from assay; the library's last error is unrelated to it. */
    const bool has_library_error = plan->status > 0;
    if (has_library_error && plan->api->get_last_error) plan->api->get_last_error(last, sizeof last);
    last[strcspn(last, "\n")] = 0;
    snprintf(text, sizeof text, "cuDNN %s does not take this problem: %s%s%s%s%s", version, plan->failed,
             has_library_error ? ": " : "",
             has_library_error ? plan->api->get_error_string(plan->status) : "", *last ? "; it says: " : "",
             last);
    return assay_say(message, ASSAY_UNSUPPORTED, text);
}

int sdpa_plan_make(struct sdpa_plan *plan, const struct cudnn_api *api, const struct attention_args *args,
                   bool has_lse, struct assay_message *message) {
    const size_t version = api->get_version();
    *plan = (struct sdpa_plan){.api = api,
                               .args = *args,
                               .has_lse = has_lse,
                               .scale = args->scale,
                               .masked = version < INFINITY_SINCE ? -3.402823466e38f : -INFINITY,
                               .seq_q = (int32_t)args->seq_q,
                               .seq_k = (int32_t)args->seq_k,
                               .next_id = SDPA_ID_COUNT,
                               .engine_index = -1};
    plan->is_unified = version >= UNIFIED_SINCE && args->mask == ATTENTION_MASK_NONE &&
                       (!has_lse || version < UNIFIED_STATS_UNTIL);
    if (plan->is_unified)
        build_unified(plan);
    else
        build_composite(plan);
    choose(plan);
    return has_succeeded(plan) ? ASSAY_OK : report_failure(plan, message);
}

void sdpa_plan_fini(struct sdpa_plan *plan) {
    while (plan->descriptor_count) plan->api->descriptor_destroy(plan->descriptors[--plan->descriptor_count]);
    plan->plan = NULL;
}
