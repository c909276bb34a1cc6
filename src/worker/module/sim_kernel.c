// SPDX-License-Identifier: Apache-2.0
//
// Scripted kernels: the kernel is its script, and the state of a problem knows its kernel.
#include "worker/module/sim_kernel.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/rng.h"
#include "base/strbuf.h"
#include "op/dtype.h"
#include "op/operator.h"
#include "worker/backend/sim/sim_stream.h"

#define ANSWER_FD 3 // of a host the channel, of a worker its records

struct sim_side {
    struct assay_kernel abi;
    const struct operator_def *op;
    const struct sim_kernel *script;
    uint64_t key;
    uint64_t launch_count;
};

// The state that prepare creates, for one problem.
struct sim_state {
    struct sim_side *side;
    struct problem problem;
    struct batch_cost spend;
    double *outputs[OP_TENSORS_MAX]; // by output, dense
};

// ---- preparing ----

static void release(void *state) {
    struct sim_state *sim = state;
    if (!sim) return;
    for (size_t k = 0; k < OP_TENSORS_MAX; ++k) free(sim->outputs[k]);
    free(sim);
}

static int prepare(void *self, const struct assay_problem *problem, const struct assay_env *env,
                   void **ret_state, size_t *workspace_bytes, struct assay_message *message) {
    struct sim_side *side = self;
    struct err err = {0};
    (void)env, (void)workspace_bytes;
    const char *unsupported_on = side->script->unsupported_on;
    if (unsupported_on && strcmp(unsupported_on, problem->name) == 0)
        return assay_say(message, ASSAY_UNSUPPORTED, "its script does not take this problem");
    if (!side->op->oracle)
        return assay_say(message, ASSAY_UNSUPPORTED,
                         "a simulated kernel computes what its operator's oracle does, and a declared "
                         "operator's reference runs in another process");
    struct sim_state *sim = mem_alloc(sizeof *sim);
    sim->side = side;
    if (problem_make(side->op, problem->name + strlen(side->op->name) + 1, &sim->problem, &err) < 0) {
        release(sim);
        return assay_say(message, ASSAY_FAILED, err.text);
    }
    struct problem_abi abi;
    problem_describe(&sim->problem, MEMORY_LAYOUT_DENSE, &abi);
    size_t k = 0;
    for (uint32_t i = 0; i < abi.tensor_count; ++i) {
        if (abi.tensors[i].access == ASSAY_IN) continue;
        sim->outputs[k] = mem_try_array((size_t)tensor_element_count(&abi.tensors[i]), sizeof(double));
        if (sim->outputs[k++]) continue;
        release(sim);
        return assay_say(message, ASSAY_FAILED, "no memory for the oracle's results");
    }
    const struct sim_kernel *script = side->script;
    const bool is_slower = !script->slower_on || strcmp(script->slower_on, sim->problem.name) == 0;
    sim->spend = (struct batch_cost){
        .side_key = side->key,
        .problem_key = hash_text_u64(sim->problem.name),
        .nominal_ns = script->base_us * 1e3 * (is_slower ? 1 + script->slower_pct / 100 : 1),
        .overhead_ns = isnan(script->call_overhead_us) ? 0 : 1e3 * script->call_overhead_us,
        .cv_pct = script->cv_pct,
        .slow_process_pct = script->slow_process_pct,
        .slow_process_share_pct = script->slow_process_share_pct,
        .stamp_ratio = isnan(script->stamps_pct) ? 0 : script->stamps_pct / 100};
    *ret_state = sim;
    return ASSAY_OK;
}

// ---- launching ----

// Stores rows of the innermost dimension; gaps between them stay as they are.
static void store(const struct assay_tensor *tensor, const double *values) {
    const uint64_t count = tensor_element_count(tensor);
    const int32_t last = tensor->dim_count - 1;
    const uint64_t row = last >= 0 && tensor->stride[last] == 1 ? (uint64_t)tensor->shape[last] : 1;
    for (uint64_t i = 0; i < count; i += row) {
        int64_t coord[ASSAY_MAX_DIMS];
        tensor_coord(tensor, i, coord);
        char *at = (char *)tensor->data + tensor_offset(tensor, coord) * (int64_t)dtype_bytes(tensor->dtype);
        dtype_store_row(tensor->dtype, at, (size_t)row, values + i);
    }
}

_Noreturn static void hang(void) {
    for (;;) pause(); // until control's time limit ends the process
}

static bool has_come(const struct sim_side *side, uint64_t launch) {
    return launch && side->launch_count >= launch;
}

static void write_an_input(const struct assay_tensors *list) {
    for (uint32_t i = 0; i < list->tensor_count; ++i) {
        const struct assay_tensor *tensor = assay_tensor_at(list, i);
        if (tensor->access != ASSAY_IN) continue;
        *(volatile unsigned char *)tensor->data ^= 1;
        return;
    }
}

// What it does besides its work, where its script says so.
static void misbehave(const struct sim_side *side, const struct assay_tensors *list) {
    static const char nonsense[] = "all is well\n";
    const struct sim_kernel *script = side->script;
    if (has_come(side, script->crash_at_launch)) abort();
    if (has_come(side, script->hang_at_launch)) hang();
    if (has_come(side, script->ends_at_launch)) _exit(0);
    if (has_come(side, script->answers_nonsense_at_launch))
        (void)!write(ANSWER_FD, nonsense, sizeof nonsense - 1);
    if (has_come(side, script->writes_inputs_at_launch)) write_an_input(list);
}

static int launch(void *state, const struct assay_tensors *list, void *workspace, void *stream,
                  struct assay_message *message) {
    (void)workspace;
    struct sim_state *sim = state;
    struct sim_side *side = sim->side;
    struct sim_stream *device = stream;
    side->launch_count += device->launches;
    device->spend = sim->spend;
    misbehave(side, list);
    if (has_come(side, side->script->skips_work_at_launch)) return ASSAY_OK;
    if (list->tensor_count > OP_TENSORS_MAX) return assay_say(message, ASSAY_FAILED, "too many tensors");
    struct assay_tensor tensors[OP_TENSORS_MAX];
    struct err err = {0};
    for (uint32_t i = 0; i < list->tensor_count; ++i) tensors[i] = *assay_tensor_at(list, i);
    if (sim->problem.op->oracle(&sim->problem, tensors, sim->outputs, &device->host, &err) < 0)
        return assay_say(message, ASSAY_FAILED, err.text);
    size_t k = 0;
    for (uint32_t i = 0; i < list->tensor_count; ++i)
        if (tensors[i].access != ASSAY_IN) store(&tensors[i], sim->outputs[k++]);
    return ASSAY_OK;
}

// ---- making one ----

static const struct kernel_maker maker = {.prepare = prepare, .free = free};

void sim_kernel_make(const struct kernel_source *source, struct kernel *ret) {
    const struct sim_kernel *script = source->side->sim;
    struct sim_side *made = mem_alloc(sizeof *made);
    *made = (struct sim_side){.abi = {.struct_size = sizeof(struct assay_kernel),
                                      .abi_version = ASSAY_ABI_VERSION,
                                      .name = script->name,
                                      .op = source->op->name,
                                      .backend = "sim",
                                      .features = "*", // every operator's oracle knows all of them
                                      .launch = launch,
                                      .release = release,
                                      .summary = "simulated: the oracle's results, scripted times"},
                              .op = source->op,
                              .script = script,
                              .key = rng_u64(hash_text_u64(str_or(source->side->label, script->name)),
                                             rng_stream("sim side"), source->number)};
    *ret = (struct kernel){.abi = &made->abi, .maker = &maker, .self = made};
}
