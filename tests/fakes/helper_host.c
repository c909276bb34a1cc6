// SPDX-License-Identifier: Apache-2.0
//
// Every entry of helpers.cu as loops over blocks and threads, with the arithmetic of helper_core.h. What only sums integers or
// writes each place once is done in one loop; a comparison adds in the order of the device's threads, so that it gives its
// bits. Attention is the plain definition, one row at a time: the device's result up to rounding.
#include "fakes/helper_host.h"

#include "device/helper_core.h"

#include <stdlib.h>

uint64_t helper_host_now_ns = 1000;
double helper_host_clock_hz = 1.5e9;
uint64_t helper_host_chase_cycles = 300;
uint64_t helper_host_flushed_bytes;

// Where an entry runs: blocks of the grid, threads of a block.
struct place {
    uint64_t blocks;
    uint32_t threads;
};

// ---- memory ----

static void run_pattern(struct place place, const struct helper_pattern *args) {
    (void)place;
    for (uint64_t i = 0; i < args->bytes; ++i)
        ((uint8_t *)args->data)[i] = helper_pattern_byte(args->pattern, i);
}

static void run_hash(struct place place, const struct helper_hash *args) {
    (void)place;
    for (uint64_t i = 0; i * 8 < args->bytes; ++i)
        helper_hash_add(i, helper_gather((const uint8_t *)args->data + i * 8, args->bytes - i * 8),
                        args->sums);
    helper_hash_add_length(args->bytes, args->sums);
}

static void run_find_difference(struct place place, const struct helper_find_difference *args) {
    (void)place;
    for (uint64_t i = 0; i < args->bytes; ++i)
        if (((const uint8_t *)args->a)[i] != ((const uint8_t *)args->b)[i]) {
            helper_note_first(args->first, i);
            return;
        }
}

static void run_find_unlike(struct place place, const struct helper_find_unlike *args) {
    (void)place;
    for (uint32_t r = 0; r < args->region_count; ++r)
        for (uint64_t i = 0; i < args->regions[r].bytes; ++i)
            if (((const uint8_t *)args->regions[r].data)[i] != (uint8_t)args->byte) {
                helper_note_first(&args->first[r], i);
                break;
            }
}

static void run_poke(struct place place, const struct helper_poke *args) {
    (void)place;
    for (uint64_t i = 0; i < args->place_count; ++i)
        helper_scatter(args->places[i].data, args->places[i].value, args->places[i].bytes);
}

static void run_peek(struct place place, const struct helper_peek *args) {
    (void)place;
    for (uint64_t i = 0; i < args->place_count; ++i)
        args->values[i] = helper_gather(args->places[i].data, args->places[i].bytes);
}

// ---- comparison ----

static void compare_block(const struct helper_compare *args, uint64_t block, uint32_t threads) {
    struct helper_compare_part parts[HELPER_COMPARE_THREADS_MAX];
    const uint64_t begin = block * args->chunk;
    uint64_t end = begin + args->chunk;
    if (end > args->count) end = args->count;
    for (uint32_t t = 0; t < threads; ++t) {
        helper_compare_start(&parts[t]);
        for (uint64_t i = begin + t; i < end; i += threads) helper_compare_add(args, i, &parts[t]);
    }
    for (uint32_t count = threads; count > 1;) {
        const uint32_t half = (count + 1) / 2;
        for (uint32_t t = 0; t < count / 2; ++t) helper_compare_merge(&parts[t], &parts[t + half]);
        count = half;
    }
    args->parts[block] = parts[0];
}

static void run_compare(struct place place, const struct helper_compare *args) {
    const uint32_t threads =
        place.threads < HELPER_COMPARE_THREADS_MAX ? place.threads : HELPER_COMPARE_THREADS_MAX;
    for (uint64_t block = 0; block < place.blocks; ++block) compare_block(args, block, threads);
}

// ---- clocks and caches ----

static struct helper_stamp_value stamp_now(uint32_t sm) {
    return (struct helper_stamp_value){
        .cycles = (uint64_t)((double)helper_host_now_ns * helper_host_clock_hz * 1e-9),
        .ns = helper_host_now_ns,
        .sm = sm};
}

static void run_spin(struct place place, const struct helper_spin *args) {
    (void)place;
    args->stamps[0] = stamp_now(0);
    helper_host_now_ns += args->duration_ns;
    args->stamps[1] = stamp_now(0);
}

static void run_stamp(struct place place, const struct helper_stamp *args) {
    for (uint64_t block = 0; block < place.blocks; ++block) args->stamps[block] = stamp_now((uint32_t)block);
}

static void run_flush(struct place place, const struct helper_flush *args) {
    (void)place;
    for (uint64_t i = 0; i < args->bytes; i += 32) ++((uint8_t *)args->data)[i];
    helper_host_flushed_bytes += args->bytes;
}

static void run_chase(struct place place, const struct helper_chase *args) {
    (void)place;
    uint32_t at = 0;
    for (uint32_t i = 0; i < args->steps; ++i) at = args->links[at];
    args->cycles[0] = at == UINT32_MAX ? 0 : helper_host_chase_cycles;
}

// ---- attention ----

static void run_attention_fill(struct place place, const struct helper_attention_fill *args) {
    (void)place;
    const uint64_t start = helper_rng(args->seed, args->stream, 0);
    const uint64_t count = (uint64_t)args->shape[0] * (uint64_t)args->shape[1] * (uint64_t)args->shape[2] *
                           (uint64_t)args->shape[3];
    for (uint64_t i = 0; i < count; ++i) helper_attention_fill_element(args, start, i);
}

static void run_attention_scales(struct place place, const struct helper_attention_scales *args) {
    (void)place;
    for (uint64_t i = 0; i < args->count; ++i)
        args->data[i] = helper_attention_head_scale(args->seed, args->scale_stream, i);
}

// One query row: where it and its keys lie.
struct row {
    int64_t head, head_kv, number, visible; // heads: batch included
    int64_t q, k, v;                        // offsets of the row, and of key 0
};

static struct row row_at(const struct helper_attention *a, int64_t head, int64_t index) {
    const int64_t batch = head / a->heads, in_batch = head % a->heads,
                  in_batch_kv = in_batch / (a->heads / a->heads_kv);
    struct row row = {
        .head = head, .head_kv = batch * a->heads_kv + in_batch_kv, .number = helper_attention_row(a, index)};
    row.visible = helper_attention_visible(a, row.number);
    row.q = helper_attention_offset(a->stride_q, batch, in_batch) + row.number * a->stride_q[2];
    row.k = helper_attention_offset(a->stride_k, batch, in_batch_kv);
    row.v = helper_attention_offset(a->stride_v, batch, in_batch_kv);
    return row;
}

static void oracle_row(const struct helper_attention_oracle *args, const struct row *row, double *scores) {
    const struct helper_attention *a = &args->problem;
    double factor = a->scale, v_factor = 1, max = -INFINITY, sum = 0;
    if (a->q_scale) factor *= (double)a->q_scale[row->head];
    if (a->k_scale) factor *= (double)a->k_scale[row->head_kv];
    if (a->v_scale) v_factor = (double)a->v_scale[row->head_kv];
    for (int64_t j = 0; j < row->visible; ++j) {
        double score = 0;
        for (int64_t d = 0; d < a->head_dim; ++d)
            score += helper_load(a->dtype_q, a->q, row->q + d) *
                     helper_load(a->dtype_kv, a->k, row->k + j * a->stride_k[2] + d);
        scores[j] = score * factor;
        if (scores[j] > max) max = scores[j];
    }
    const double shift = max == -INFINITY ? 0 : max;
    for (int64_t j = 0; j < row->visible; ++j) sum += scores[j] = exp(scores[j] - shift);
    const int64_t dense = row->head * a->seq_q + row->number;
    for (int64_t d = 0; d < a->head_dim; ++d) {
        double value = 0;
        for (int64_t j = 0; j < row->visible; ++j)
            value += scores[j] * helper_load(a->dtype_kv, a->v, row->v + j * a->stride_v[2] + d);
        args->out[dense * a->head_dim + d] = row->visible ? value / sum * v_factor : 0;
    }
    if (args->lse) args->lse[dense] = row->visible ? max + log(sum) : -INFINITY;
}

static void run_attention_oracle(struct place place, const struct helper_attention_oracle *args) {
    (void)place;
    const struct helper_attention *a = &args->problem;
    double *scores = malloc((size_t)a->seq_k * sizeof *scores);
    if (!scores) abort();
    for (int64_t head = 0; head < a->batch * a->heads; ++head)
        for (int64_t i = 0; i < helper_attention_row_count(a); ++i) {
            const struct row row = row_at(a, head, i);
            oracle_row(args, &row, scores);
        }
    free(scores);
}

// Scores before they are rounded; returns their maximum, 0 when there is none but -infinity.
static float yardstick_scores(const struct helper_attention *a, const struct row *row, float *scores) {
    float factor = (float)a->scale, max = -INFINITY;
    if (a->q_scale) factor *= a->q_scale[row->head];
    if (a->k_scale) factor *= a->k_scale[row->head_kv];
    for (int64_t j = 0; j < row->visible; ++j) {
        float score = 0;
        for (int64_t d = 0; d < a->head_dim; ++d)
            score += helper_load_float(a->dtype_q, a->q, row->q + d) *
                     helper_load_float(a->dtype_kv, a->k, row->k + j * a->stride_k[2] + d);
        scores[j] = score * factor;
        if (scores[j] > max) max = scores[j];
    }
    return max;
}

static float max_or_zero(float max) {
    return max == -INFINITY ? 0 : max;
}

// Scores become the P that the product with V sees; returns what O is divided by.
static float yardstick_softmax(int32_t dtype, float max, int64_t visible, float *scores) {
    const int is_fp8 = dtype == ASSAY_FP8_E4M3;
    const float shift = max_or_zero(is_fp8 ? max : helper_round(dtype, max));
    float sum = 0;
    for (int64_t j = 0; j < visible; ++j) {
        scores[j] = expf((is_fp8 ? scores[j] : helper_round(dtype, scores[j])) - shift);
        sum += scores[j];
    }
    for (int64_t j = 0; j < visible; ++j)
        scores[j] = helper_round(dtype, is_fp8 ? scores[j] * HELPER_ATTENTION_P_SCALE : scores[j] / sum);
    return is_fp8 ? sum * HELPER_ATTENTION_P_SCALE : 1;
}

static void yardstick_row(const struct helper_attention_yardstick *args, const struct row *row,
                          float *scores) {
    const struct helper_attention *a = &args->problem;
    const float v_factor = a->v_scale ? a->v_scale[row->head_kv] : 1;
    const float max = yardstick_scores(a, row, scores);
    const int64_t dense = row->head * a->seq_q + row->number;
    if (args->lse) {
        float sum = 0;
        for (int64_t j = 0; j < row->visible; ++j) sum += expf(scores[j] - max_or_zero(max));
        args->lse[dense] = max_or_zero(max) + logf(sum);
    }
    const float divisor = row->visible ? yardstick_softmax(a->dtype_q, max, row->visible, scores) : 1;
    for (int64_t d = 0; d < a->head_dim; ++d) {
        float value = 0;
        for (int64_t j = 0; j < row->visible; ++j)
            value += scores[j] * helper_load_float(a->dtype_kv, a->v, row->v + j * a->stride_v[2] + d);
        helper_store(args->dtype_out, args->out, dense * a->head_dim + d,
                     (double)(value / divisor * v_factor));
    }
}

static void run_attention_yardstick(struct place place, const struct helper_attention_yardstick *args) {
    (void)place;
    const struct helper_attention *a = &args->problem;
    float *scores = malloc((size_t)a->seq_k * sizeof *scores);
    if (!scores) abort();
    for (int64_t head = 0; head < a->batch * a->heads; ++head)
        for (int64_t i = 0; i < a->seq_q; ++i) {
            const struct row row = row_at(a, head, i);
            yardstick_row(args, &row, scores);
        }
    free(scores);
}

// ---- entries ----

#define ENTRIES(ENTRY)                                                                                       \
    ENTRY(pattern)                                                                                           \
    ENTRY(hash)                                                                                              \
    ENTRY(find_difference)                                                                                   \
    ENTRY(find_unlike)                                                                                       \
    ENTRY(poke)                                                                                              \
    ENTRY(peek)                                                                                              \
    ENTRY(compare)                                                                                           \
    ENTRY(spin)                                                                                              \
    ENTRY(stamp)                                                                                             \
    ENTRY(flush)                                                                                             \
    ENTRY(chase)                                                                                             \
    ENTRY(attention_fill)                                                                                    \
    ENTRY(attention_scales)                                                                                  \
    ENTRY(attention_oracle)                                                                                  \
    ENTRY(attention_yardstick)

int helper_run_on_host(const char *entry, const uint32_t grid[3], uint32_t block, const void *args) {
    const struct place place = {(uint64_t)grid[0] * grid[1] * grid[2], block};
#define RUN(name)                                                                                            \
    if (strcmp(entry, "assay_" #name) == 0) {                                                                \
        struct helper_##name copy;                                                                           \
        memcpy(&copy, args, sizeof copy);                                                                    \
        run_##name(place, &copy);                                                                            \
        return 0;                                                                                            \
    }
    ENTRIES(RUN)
#undef RUN
    return -1;
}
