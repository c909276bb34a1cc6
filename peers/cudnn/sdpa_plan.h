/* SPDX-License-Identifier: Apache-2.0
 *
 * An attention problem as a cuDNN graph, and the execution plan that cuDNN's heuristics choose for it.
 * Uses the single attention node if this version has it, else the graph of products, mask and softmax
 * that its fused engines recognise. */
#ifndef CUDNN_SDPA_PLAN_H
#define CUDNN_SDPA_PLAN_H

#include "attention/attention_args.h"
#include "cudnn_api.h"

#define SDPA_DESCRIPTORS_MAX 64
#define SDPA_OPERATIONS_MAX  16

/* Ids of the tensors that a launch provides; ids from SDPA_ID_COUNT on are virtual. */
enum sdpa_id {
    SDPA_ID_Q = 1,
    SDPA_ID_K,
    SDPA_ID_V,
    SDPA_ID_O,
    SDPA_ID_LSE,
    SDPA_ID_SCALE, /* by value, from here on */
    SDPA_ID_MASKED,
    SDPA_ID_SEQ_K,
    SDPA_ID_SEQ_Q,
    SDPA_ID_COUNT
};

struct sdpa_plan {
    const struct cudnn_api *api;
    struct attention_args args;
    bool has_lse, is_unified;
    float scale, masked;
    int32_t seq_q, seq_k;
    cudnn_descriptor descriptors[SDPA_DESCRIPTORS_MAX]; /* all created, in order */
    size_t descriptor_count;
    cudnn_descriptor operations[SDPA_OPERATIONS_MAX];
    size_t operation_count;
    bool is_id_used[SDPA_ID_COUNT];
    int64_t next_id;
    cudnn_descriptor plan;
    int64_t workspace_bytes, engine_index; /* engine_index -1: unknown */
    const char *heuristics;                /* "A", "B", "fallback" */
    cudnn_status status;                   /* of the first call that failed; later calls are skipped */
    const char *failed;                    /* that call */
};

/* ASSAY_OK, or ASSAY_UNSUPPORTED with cuDNN's reason. Needs sdpa_plan_fini in both cases. */
int sdpa_plan_make(struct sdpa_plan *plan, const struct cudnn_api *api, const struct attention_args *args,
                   bool has_lse, struct assay_message *message);
void sdpa_plan_fini(struct sdpa_plan *plan);

#endif
