// SPDX-License-Identifier: Apache-2.0
//
// The operators of examples/operators, computed in ways that are all right: VARIANT 1 rounds weights or what
// lies between, 2 rounds twice, 3 adds in another order, 4 in parts, 5 with fused multiply-add. Where an
// operator has no such thing it does something else that is right.
#include <math.h>

#include "bf16.h"

#define DIM_MAX     256
#define CONTEXT_MAX (1 << 18)

static float dot(const float *a, const float *b, int count) {
    float sum = 0, other = 0;
#if VARIANT == 2
    double wide = 0;
    for (int i = 0; i < count; ++i) wide += (double)a[i] * b[i];
    return (float)wide;
#elif VARIANT == 3
    for (int i = count - 1; i >= 0; i -= 2) sum += a[i] * b[i];
    for (int i = count - 2; i >= 0; i -= 2) other += a[i] * b[i];
#elif VARIANT == 4
    for (int i = 0; i < count / 2; ++i) sum += a[i] * b[i];
    for (int i = count / 2; i < count; ++i) other += a[i] * b[i];
#elif VARIANT == 5
    for (int i = 0; i < count; i += 2) sum = fmaf(a[i], b[i], sum);
    for (int i = 1; i < count; i += 2) other = fmaf(a[i], b[i], other);
#else
    float lanes[16] = {0};
    for (int i = 0; i < count; ++i) lanes[i % 16] += a[i] * b[i];
    for (int i = 0; i < 16; ++i) sum += lanes[i];
#endif
    return sum + other;
}

static float twice_rounded(float value) {
    return VARIANT == 2 ? from_bf16(to_bf16(value)) : value;
}

void rmsnorm(const uint16_t *x, const uint16_t *weight, uint16_t *y, int rows, int hidden, float eps) {
    float row[hidden];
    for (; rows > 0; --rows, x += hidden, y += hidden) {
        for (int i = 0; i < hidden; ++i) row[i] = from_bf16(x[i]);
        const float factor = 1 / sqrtf(dot(row, row, hidden) / (float)hidden + eps);
        for (int i = 0; i < hidden; ++i) {
            const float w = from_bf16(weight[i]);
            y[i] = to_bf16(VARIANT == 1 ? row[i] * (factor * w) : twice_rounded(row[i] * factor) * w);
        }
    }
}

void gemm_gelu(const float *a, const float *weight, const float *bias, float *y, int m, int n, int k) {
    for (; m > 0; --m, a += k)
        for (int j = 0; j < n; ++j) {
            const float x = VARIANT == 3 ? bias[j] + dot(a, weight + (long)j * k, k)
                                         : dot(weight + (long)j * k, a, k) + bias[j];
            *y++ =
                VARIANT == 1 ? (float)(0.5 * x * erfc(-x * M_SQRT1_2)) : x / 2 * erfcf(-x * (float)M_SQRT1_2);
        }
}

void rope(const int *positions, const float *table, uint16_t *x, int tokens, int heads, int dim, int rotary) {
    const int half = rotary / 2;
    for (int token = 0; token < tokens; ++token)
        for (int head = 0; head < heads; ++head, x += dim)
            for (int n = 0; n < half; ++n) {
                const int i = VARIANT == 3 ? half - 1 - n : n;
                const float *at = table + (long)positions[token] * rotary + i, c = at[0], s = at[half];
                const float a = from_bf16(x[i]), b = from_bf16(x[i + half]);
                x[i] = to_bf16(VARIANT == 5   ? fmaf(a, c, -b * s)
                               : VARIANT == 4 ? (float)((double)a * c - (double)b * s)
                                              : a * c - b * s);
                x[i + half] = to_bf16(VARIANT == 5 ? fmaf(b, c, a * s) : b * c + a * s);
            }
}

void softmax(const float *x, float *y, int rows, int columns) {
    for (; rows > 0; --rows, x += columns, y += columns) {
        float max = x[0], lanes[64] = {0}, sum = 0;
        for (int i = 1; i < columns; ++i) max = fmaxf(max, x[i]);
        for (int n = 0; n < columns; ++n) {
            const int i = VARIANT == 3 ? columns - 1 - n : n;
            y[i] = VARIANT == 5 ? exp2f(fmaf(x[i], (float)M_LOG2E, -max * (float)M_LOG2E)) : expf(x[i] - max);
            lanes[VARIANT == 4 ? (long)i * 64 / columns : i % 64] += y[i];
        }
        for (int i = 0; i < 64; ++i) sum += lanes[i];
        for (int i = 0; i < columns; ++i) y[i] = VARIANT == 1 || VARIANT == 2 ? y[i] * (1 / sum) : y[i] / sum;
    }
}

void paged_decode(const uint16_t *q, const uint16_t *keys, const uint16_t *values, const int *table,
                  const int *lengths, uint16_t *out, int batch, int kv_heads, int group, int dim, int page,
                  int blocks) {
    static float scores[CONTEXT_MAX], column[CONTEXT_MAX];
    for (int sequence = 0; sequence < batch; ++sequence)
        for (int head = 0; head < kv_heads * group; ++head, q += dim, out += dim) {
            const int length = lengths[sequence];
            float query[DIM_MAX], key[DIM_MAX], max = -INFINITY, sum = 0;
            for (int i = 0; i < dim; ++i) query[i] = from_bf16(q[i]);
#define PLACE(token)                                                                                         \
    ((((long)table[(long)sequence * blocks + (token) / page] * page + (token) % page) * kv_heads +           \
      head / group) *                                                                                        \
     dim)
            for (int token = 0; token < length; ++token) {
                for (int i = 0; i < dim; ++i) key[i] = from_bf16(keys[PLACE(token) + i]);
                scores[token] = dot(query, key, dim) / sqrtf((float)dim);
                max = fmaxf(max, scores[token]);
            }
            for (int token = 0; token < length; ++token) sum += scores[token] = expf(scores[token] - max);
            for (int token = 0; token < length && VARIANT == 1; ++token)
                scores[token] = from_bf16(to_bf16(scores[token]));
            for (int i = 0; i < dim; ++i) {
                for (int token = 0; token < length; ++token)
                    column[token] = from_bf16(values[PLACE(token) + i]);
                out[i] = to_bf16(twice_rounded(dot(scores, column, length)) / sum);
            }
        }
}

// Of equal ones another is taken in each variant.
void topk(const float *x, float *values, int *indices, int rows, int columns, int k) {
    for (; rows > 0; --rows, x += columns, values += k, indices += k)
        for (int taken = 0; taken < k; ++taken) {
            int best = -1;
            for (int n = 0; n < columns; ++n) {
                const int i = VARIANT % 2 ? columns - 1 - n : n;
                int is_taken = 0;
                if (best >= 0 && !(VARIANT > 2 ? x[i] >= x[best] : x[i] > x[best])) continue;
                for (int j = 0; j < taken; ++j) is_taken |= indices[j] == i;
                if (!is_taken) best = i;
            }
            indices[taken] = best;
            values[taken] = x[best];
        }
}

static uint8_t to_e4m3(float value) {
    const float size = fminf(fabsf(value), 448);
    const uint8_t sign = signbit(value) ? 0x80 : 0;
    uint32_t bits;
    if (size < 0x1p-6f) return sign | (uint8_t)lrintf(size * 512);
    memcpy(&bits, &size, sizeof bits);
    bits += 0x7ffff + (bits >> 20 & 1);
    return sign | (uint8_t)((bits >> 20) - ((127 - 7) << 3));
}

void quantize(const uint16_t *x, uint8_t *codes, float *scales, int rows, int columns) {
    for (; rows > 0; --rows, x += columns, codes += columns)
        for (int first = 0; first < columns; first += 128) {
            const int end = columns - first < 128 ? columns : first + 128;
            float largest = 0;
            for (int i = first; i < end; ++i) largest = fmaxf(largest, fabsf(from_bf16(x[i])));
            const float scale = largest > 0 ? VARIANT == 4 ? largest * (1 / 448.f) : largest / 448 : 1;
            const float inverse = VARIANT == 3 && largest > 0 ? 448 / largest : 1 / scale;
            for (int i = first; i < end; ++i) {
                const float value = from_bf16(x[i]);
                codes[i] = to_e4m3(VARIANT == 2 || VARIANT == 3 ? value * inverse
                                   : VARIANT == 5               ? (float)((double)value / scale)
                                                                : value / scale);
            }
            *scales++ = scale;
        }
}

void moe(const float *x, const float *weights, const float *gates, const int *offsets, const int *order,
         float *y, int pairs, int choices, int hidden, int width) {
    float token[hidden];
    for (int i = 0, expert = 0; i < pairs; ++i) {
        while (i == offsets[expert + 1]) ++expert;
        const int pair = order[i];
        for (int j = 0; j < hidden; ++j)
            token[j] = x[(long)(pair / choices) * hidden + j] * (VARIANT == 1 ? gates[pair] : 1);
        for (int column = 0; column < width; ++column) {
            const float sum = dot(token, weights + ((long)expert * width + column) * hidden, hidden);
            y[(long)pair * width + column] = VARIANT == 1 ? sum : gates[pair] * sum;
        }
    }
}
