// SPDX-License-Identifier: Apache-2.0
#include <assay/kernel.h>
#include <math.h>
#define AXIS(name)   name = assay_problem_get(state, #name)
#define TENSOR(name) *name = assay_tensor_named(tensors, #name)->data
static int launch(ASSAY_LAUNCH_ARGS) {
    const int64_t AXIS(batch), AXIS(kv_heads), AXIS(group), AXIS(dim), AXIS(page), AXIS(blocks), AXIS(heads);
    const double TENSOR(q), TENSOR(keys), TENSOR(values), root = sqrt((double)dim);
    const int32_t TENSOR(table), TENSOR(lengths);
    double TENSOR(out);
    for (int64_t i = 0; i < batch * heads; ++i, q += dim, out += dim) {
        double max = -INFINITY, total = 0;
        for (int64_t j = 0; j < lengths[i / heads]; ++j) {
            const int64_t token = table[i / heads * blocks + j / page] * page + j % page;
            const int64_t at = (token * kv_heads + i % heads / group) * dim;
            double score = 0, before = max;
            for (int64_t d = 0; d < dim; ++d) score += q[d] * keys[at + d] / root;
            max = score > max ? score : max;
            total = total * exp(before - max) + exp(score - max);
            const double part = exp(score - max) / total;
            for (int64_t d = 0; d < dim; ++d) out[d] = (j ? (1 - part) * out[d] : 0) + part * values[at + d];
        }
    }
    return ASSAY_OK;
}
ASSAY_KERNEL(.name = "paged_decode_reference", .op = "paged_decode", .backend = "cpu", .launch = launch)
