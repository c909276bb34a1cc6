/* SPDX-License-Identifier: Apache-2.0
 *
 * The peer "cudnn": cuDNN's attention as a kernel. fp16 and bf16 forward, with or without log-sum-exp,
 * causal or not, grouped heads. Problems that this cuDNN does not support are UNSUPPORTED, with its reason.
 * prepare builds the execution plan once, by cuDNN's own heuristics, and reports version, graph and engine; a
 * launch sets pointers and executes it. */
#include <stdio.h>
#include <stdlib.h>

#include "cudnn_api.h"
#include "sdpa_plan.h"

static int cudnn_supports(const struct assay_problem *problem, struct assay_message *message) {
    struct attention_args args;
    const int status = attention_args_read(problem, &args, message);
    if (status != ASSAY_OK) return status;
    if (args.q.dtype != ASSAY_FP16 && args.q.dtype != ASSAY_BF16)
        return assay_say(message, ASSAY_UNSUPPORTED, "this peer builds cuDNN graphs of fp16 and bf16 only");
    if (args.k.dtype != args.q.dtype || args.v.dtype != args.q.dtype || args.o.dtype != args.q.dtype)
        return assay_say(message, ASSAY_UNSUPPORTED, "Q, K, V and O must have one type for cuDNN");
    if (args.mask == ATTENTION_MASK_BOTTOM_RIGHT && args.seq_q > args.seq_k)
        return assay_say(message, ASSAY_UNSUPPORTED, "rows that see no key have no defined result in cuDNN");
    return ASSAY_OK;
}

static int cudnn_prepare(const struct assay_problem *problem, const struct assay_env *env, void **state,
                         size_t *workspace_bytes, struct assay_message *message) {
    (void)env;
    struct attention_args args;
    const int status = attention_args_read(problem, &args, message);
    if (status != ASSAY_OK) return status;
    const struct cudnn_api *api = cudnn_api_get(message);
    if (!api) return ASSAY_UNSUPPORTED;
    struct sdpa_plan *plan = (struct sdpa_plan *)calloc(1, sizeof *plan);
    if (!plan) return assay_say(message, ASSAY_FAILED, "out of memory");
    const bool has_lse = assay_tensor_find(&problem->tensors, ASSAY_LSE) != NULL;
    const int built = sdpa_plan_make(plan, api, &args, has_lse, message);
    if (built != ASSAY_OK) {
        sdpa_plan_fini(plan);
        free(plan);
        return built;
    }
    char text[128], version[32];
    cudnn_version_format(api, version, sizeof version);
    snprintf(text, sizeof text, "@%s cuDNN %s, %s, heuristics %s, engine %lld", version, version,
             plan->is_unified ? "one attention node" : "graph of parts", plan->heuristics,
             (long long)plan->engine_index);
    *workspace_bytes = (size_t)plan->workspace_bytes;
    *state = plan;
    return assay_say(message, ASSAY_OK, text);
}

/* Addresses by enum sdpa_id; scalars passed by value point to the host's copy. */
static void addresses_fill(struct sdpa_plan *plan, const struct attention_data *data,
                           void *ret[SDPA_ID_COUNT]) {
    ret[SDPA_ID_Q] = (void *)(uintptr_t)data->q;
    ret[SDPA_ID_K] = (void *)(uintptr_t)data->k;
    ret[SDPA_ID_V] = (void *)(uintptr_t)data->v;
    ret[SDPA_ID_O] = data->o;
    ret[SDPA_ID_LSE] = data->lse;
    ret[SDPA_ID_SCALE] = &plan->scale;
    ret[SDPA_ID_MASKED] = &plan->masked;
    ret[SDPA_ID_SEQ_K] = &plan->seq_k;
    ret[SDPA_ID_SEQ_Q] = &plan->seq_q;
}

static cudnn_status execute(struct sdpa_plan *plan, void *const *addresses, void *workspace, void *stream) {
    const struct cudnn_api *api = plan->api;
    int64_t ids[SDPA_ID_COUNT];
    void *pointers[SDPA_ID_COUNT];
    int64_t count = 0;
    for (int64_t id = SDPA_ID_Q; id < SDPA_ID_COUNT; ++id) {
        if (!plan->is_id_used[id]) continue;
        ids[count] = id;
        pointers[count++] = addresses[id];
    }
    cudnn_descriptor pack = NULL;
    cudnn_status status = api->set_stream(api->handle, stream);
    if (status == 0) status = api->descriptor_create(CUDNN_VARIANT_PACK, &pack);
    if (status == 0) status = api->set_attribute(pack, CUDNN_PACK_IDS, CUDNN_OF_INT64, count, ids);
    if (status == 0)
        status = api->set_attribute(pack, CUDNN_PACK_POINTERS, CUDNN_OF_POINTER, count, pointers);
    if (status == 0) status = api->set_attribute(pack, CUDNN_PACK_WORKSPACE, CUDNN_OF_POINTER, 1, &workspace);
    if (status == 0) status = api->finalize(pack);
    if (status == 0) status = api->execute(api->handle, plan->plan, pack);
    if (pack) api->descriptor_destroy(pack);
    return status;
}

static int cudnn_launch(void *state, const struct assay_tensors *tensors, void *workspace, void *stream,
                        struct assay_message *message) {
    struct sdpa_plan *plan = (struct sdpa_plan *)state;
    struct attention_data data;
    void *addresses[SDPA_ID_COUNT];
    const int read = attention_data_read(tensors, &data, message);
    if (read != ASSAY_OK) return read;
    addresses_fill(plan, &data, addresses);
    const cudnn_status status = execute(plan, addresses, workspace, stream);
    return status == 0 ? ASSAY_OK : assay_say(message, ASSAY_FAILED, plan->api->get_error_string(status));
}

static void cudnn_release(void *state) {
    sdpa_plan_fini((struct sdpa_plan *)state);
    free(state);
}

static const struct assay_kernel cudnn_kernels[] = {{
    .struct_size = sizeof(struct assay_kernel),
    .abi_version = ASSAY_ABI_VERSION,
    .name = "cudnn",
    .op = "attention",
    .backend = "cuda",
    .supports = cudnn_supports,
    .launch = cudnn_launch,
    .prepare = cudnn_prepare,
    .release = cudnn_release,
    .summary = "cuDNN's own attention through its backend API",
}};

ASSAY_MODULE(cudnn_kernels)
