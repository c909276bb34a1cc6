// SPDX-License-Identifier: Apache-2.0
//
// How much memory the harness itself takes for a case. It is told to control, so that no kernel is charged
// with it, and a case that needs too much is refused before anything is allocated.
#include "op/declared/declared.h"
#include "op/declared/made_inputs.h"
#include "worker/order/work_internal.h"

#define ROTATE_LEAST     2
#define ROTATED_SETS_MAX 64           // if it must: 2 x 60 MiB of L2 by sets of 2 MiB
#define FEW_SETS_MAX     8            // if a sample need not use all sets equally often
#define COPIED_BYTES     (256u << 20) // of sets that the host fills for a device, at about 100 MB/s

uint32_t work_sets_wanted(const struct work *work, uint64_t each_bytes) {
    const struct device *device = work->device;
    if (work->order->sampling.cache_mode != CACHE_ROTATE || !each_bytes) return 1;
    const uint32_t most = device->wants_whole_rotations ? ROTATED_SETS_MAX : FEW_SETS_MAX;
    const uint64_t count = (WORK_SETS_COVER * device->rotate_bytes + each_bytes - 1) / each_bytes;
    if (count < ROTATE_LEAST) return ROTATE_LEAST;
    return count > most ? most : (uint32_t)count;
}

uint32_t work_sets_a_sample(const struct case_buffers *buffers, uint32_t launches) {
    const bool is_copied = buffers->device->wants_whole_rotations && buffers->checker == &checker_host;
    const uint64_t most = COPIED_BYTES / (case_buffers_bytes(buffers) + 1) + 1;
    return is_copied && launches > most ? (uint32_t)most : launches;
}

// Bytes of a case, by what they are multiplied with.
struct case_bytes {
    uint64_t inputs, outputs, before; // of one set; before: what in-out tensors hold before a launch
    uint64_t reference;
};

static struct case_bytes measure(const struct problem_abi *abi) {
    struct case_bytes ret = {0};
    for (uint32_t i = 0; i < abi->tensor_count; ++i) {
        const struct assay_tensor *tensor = &abi->tensors[i];
        const uint64_t bytes = tensor_span_bytes(tensor);
        *(tensor->access == ASSAY_IN ? &ret.inputs : &ret.outputs) += bytes;
        if (tensor->access == ASSAY_INOUT) ret.before += bytes;
        if (tensor->access != ASSAY_IN) ret.reference += tensor_element_count(tensor) * sizeof(double);
    }
    return ret;
}

static uint32_t sets_of(const struct work *work, const struct case_bytes *bytes) {
    const bool is_timed = work->order->kind == WORK_ROUND && !metric_is_counted(work->order->sampling.metric);
    return is_timed ? work_sets_wanted(work, bytes->inputs + bytes->outputs) : 1;
}

// What `inputs` of a Python file makes, all sets of it. Of a file that is mapped every page is read once, for
// its hash.
static uint64_t made_bytes(const struct problem *problem) {
    struct made_inputs made;
    return declared_of(problem->op) && made_inputs_describe(problem, &made)
               ? made.set_count * (uint64_t)made.set_bytes
               : 0;
}

uint64_t work_own_bytes(const struct work *work, const struct case_run *run) {
    const struct case_bytes bytes = measure(&run->abi);
    const uint64_t made = made_bytes(&run->wanted->problem);
    if (work->device->backend->work) return made; // the tensors are in the device's memory (work_sets_init)
    const uint64_t sides = work->is_apart ? (uint64_t)__builtin_popcount(run->wanted->side_mask) : 1;
    const uint64_t set = bytes.inputs + bytes.before + sides * bytes.outputs;
    const uint64_t drawn = // of a sampler, and for its `accept`
        declared_is_sampler(run->wanted->problem.op) ? 2 * DECLARED_SAMPLES * bytes.outputs : 0;
    return drawn + sets_of(work, &bytes) * set + bytes.reference + bytes.outputs + made; // one launch is kept
}

static int too_large(const struct work *work, const struct case_run *run, const char *who, uint64_t has,
                     const char *advice, struct err *err) {
    const struct case_bytes bytes = measure(&run->abi);
    const unsigned sets = sets_of(work, &bytes);
    return err_set(err, ERR_UNAVAILABLE,
                   "the tensors (%u %s) and the float64 reference of %s take %.3g GB, and %s %.3g GB; %s",
                   sets, sets > 1 ? "sets" : "set", run->wanted->problem.name,
                   (double)work_own_bytes(work, run) / 1e9, who, (double)has / 1e9, advice);
}

int work_check_memory(const struct work *work, const struct case_run *run, struct err *err) {
    const uint64_t own = work_own_bytes(work, run);
    const uint64_t limit = run_limits_memory_bytes(&work->order->sampling.limits);
    const uint64_t machine = work->device->info.memory_bytes;
    if (limit && own > limit)
        return too_large(work, run, "limits.memory_gb allows", limit, "raise it, or choose a smaller problem",
                         err);
    if (machine && own > machine)
        return too_large(work, run, "this machine has", machine, "choose a smaller problem", err);
    return 0;
}
