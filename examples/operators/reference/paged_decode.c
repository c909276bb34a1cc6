// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdint.h>
void paged_decode_reference(const double *q, const double *keys, const double *values, const int32_t *table,
                            const int32_t *lengths, double *out, int64_t batch, int64_t kv_heads,
                            int64_t heads, int64_t dim, int64_t page, int64_t blocks) {
    for (int64_t i = 0; i < batch * heads; ++i, q += dim, out += dim) {
        double max = -INFINITY, total = 0;
        for (int64_t j = 0; j < lengths[i / heads]; ++j) {
            const int64_t token = table[i / heads * blocks + j / page] * page + j % page;
            const int64_t at = (token * kv_heads + i % heads / (heads / kv_heads)) * dim;
            double score = 0, before = max;
            for (int64_t d = 0; d < dim; ++d) score += q[d] * keys[at + d] / sqrt((double)dim);
            max = score > max ? score : max;
            total = total * exp(before - max) + exp(score - max);
            const double part = exp(score - max) / total;
            for (int64_t d = 0; d < dim; ++d) out[d] = (j ? (1 - part) * out[d] : 0) + part * values[at + d];
        }
    }
}
