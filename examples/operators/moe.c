// SPDX-License-Identifier: Apache-2.0
//
// Products of tokens with the weights of their experts. A pair is a token and one of its experts: pair p
// belongs to token p / choices. `order` has the pairs sorted by expert, and those of expert e stand from
// offsets[e] on. With BUG, an expert without a pair is not passed over.

#define LANES 16

static float dot(const float *a, const float *b, int count) {
    float lanes[LANES] = {0}, sum = 0;
    int i = 0;
    for (; i + LANES <= count; i += LANES)
        for (int lane = 0; lane < LANES; ++lane) lanes[lane] += a[i + lane] * b[i + lane];
    for (; i < count; ++i) sum += a[i] * b[i];
    for (int lane = 0; lane < LANES; ++lane) sum += lanes[lane];
    return sum;
}

void moe(const float *x, const float *weights, const float *gates, const int *offsets, const int *order,
         float *y, int pairs, int choices, int hidden, int width) {
    int expert = 0;
    for (int i = 0; i < pairs; ++i) {
#ifdef BUG
        if (i == offsets[expert + 1]) ++expert;
#else
        while (i == offsets[expert + 1]) ++expert;
#endif
        const int pair = order[i];
        const float *token = x + (long)(pair / choices) * hidden;
        const float *weight = weights + (long)expert * width * hidden;
        for (int column = 0; column < width; ++column, weight += hidden)
            y[(long)pair * width + column] = gates[pair] * dot(token, weight, hidden);
    }
}
