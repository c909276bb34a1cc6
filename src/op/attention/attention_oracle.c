// SPDX-License-Identifier: Apache-2.0
//
// The oracle: attention in float64 on the rounded inputs, O = sum_j p_j v_j / sum_j p_j, p_j = e^(s_j - max
// s), s_j = scale q k_j (with a cap c: c tanh(scale q k_j / c)) plus the bias, over the keys that a row sees.
// Plain arithmetic in a fixed order, the same bits on every instruction set and for every number of threads;
// sums over the head dimension and over keys run upwards. It shares no code with any kernel. Keys are
// processed in blocks, with the usual rescaling when the maximum grows, so that memory stays bounded.
//
// NaN and infinity follow from that definition in IEEE arithmetic (an infinity of V whose weight is less than
// kernels' types hold is marked, so that it may be NaN): a key that is masked contributes nothing,
// whatever it holds; a NaN or +infinite score makes its row NaN; a score of -infinity has weight 0 (a row
// that sees nothing else is NaN); a row that sees no key is 0, and its log-sum-exp -infinity.
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "op/attention/attention_internal.h"
#include "op/attention/device_attention_core.h"
#include "op/clones.h"
#include "op/dtype.h"

#define KEYS  64  // in one block
#define ROWS  128 // query rows of one task: they share the conversion of a key block
#define TILE  4   // query rows whose sums are in registers together
#define PARTS 8   // partial results of a sum or a maximum over keys
#define DIM   ATTENTION_HEAD_DIM_MAX

// Scratch memory of one thread; about 1.5 MiB, of which a problem with head_dim 64 touches a sixth. Not
// zeroed: for a slice of one row that would take longer than all the rest.
struct scratch {
    double keys[DIM * KEYS];     // one block of K, transposed: [head_dim][KEYS]
    double values[KEYS * DIM];   // one block of V: [KEYS][dim_padded]
    double queries[ROWS * DIM];  // [ROWS][head_dim]
    double sums[ROWS * DIM];     // sum_j p_j v_j so far: [ROWS][dim_padded]
    double weights[TILE * KEYS]; // scores, then p_j, of one tile: [TILE][KEYS]
    double row_max[ROWS];
    double row_sum[ROWS];
    double row_faintest[ROWS];  // the lowest score of a key whose V has an infinity; INFINITY: there is none
    bool is_key_infinite[KEYS]; // of the block: V has an infinity
    bool is_blind[ROWS];        // has seen no key so far
};

struct oracle {
    const struct attention_params *params;
    struct attention_tensors tensors;
    double *out, *lse;  // dense results; lse may be NULL
    int64_t row_blocks; // per head
    int64_t dim_padded; // head_dim_v rounded up to PARTS: columns beyond head_dim_v are zero
    struct scratch *scratch;
};

// The rows of a head that a task computes, ascending.
struct task {
    int64_t batch, head, head_kv;
    int64_t row_count, rows[ROWS];
    double score_factor; // scale, and the fp8 scales of Q and K
};

static const void *row_at(const struct assay_tensor *t, int64_t batch, int64_t head, int64_t row) {
    const int64_t offset = batch * t->stride[0] + head * t->stride[1] + row * t->stride[2];
    return (const char *)t->data + offset * (int64_t)dtype_bytes(t->dtype);
}

static double scale_at(const struct assay_tensor *t, int64_t batch, int64_t head) {
    return t ? (double)((const float *)t->data)[batch * t->stride[0] + head * t->stride[1]] : 1.0;
}

// ---- inner loops ----

// weights[r][j] = factor * sum_d queries[r][d] keys[d][j] for TILE rows and KEYS keys, 2 LANES keys at a
// time.
HOT_CLONES static void score_tile(const double *queries, const double *keys, int64_t head_dim, double factor,
                                  double *weights) {
    const double *q0 = queries, *q1 = q0 + head_dim, *q2 = q1 + head_dim, *q3 = q2 + head_dim;
    for (int j = 0; j < KEYS; j += 2 * LANES) {
        lanes a0 = {0}, a1 = {0}, a2 = {0}, a3 = {0}; // LANES keys from j on, of each row
        lanes b0 = {0}, b1 = {0}, b2 = {0}, b3 = {0}; // the next LANES
        for (int64_t d = 0; d < head_dim; ++d) {
            const lanes a = *(const lanes *)(keys + d * KEYS + j),
                        b = *(const lanes *)(keys + d * KEYS + j + LANES);
            a0 += q0[d] * a, b0 += q0[d] * b;
            a1 += q1[d] * a, b1 += q1[d] * b;
            a2 += q2[d] * a, b2 += q2[d] * b;
            a3 += q3[d] * a, b3 += q3[d] * b;
        }
        lanes *w0 = (lanes *)(weights + j), *w1 = (lanes *)(weights + KEYS + j);
        lanes *w2 = (lanes *)(weights + 2 * KEYS + j), *w3 = (lanes *)(weights + 3 * KEYS + j);
        w0[0] = a0 * factor, w0[1] = b0 * factor;
        w1[0] = a1 * factor, w1[1] = b1 * factor;
        w2[0] = a2 * factor, w2[1] = b2 * factor;
        w3[0] = a3 * factor, w3[1] = b3 * factor;
    }
}

// sums[r][:] += sum over keys [0, key_count) of weights[r][j] values[j][:] for TILE rows, 2 LANES columns at
// a time.
HOT_CLONES static void value_tile(const double *weights, const double *values, int64_t key_count,
                                  int64_t dim_padded, double *sums) {
    for (int64_t d = 0; d < dim_padded; d += 2 * LANES) {
        lanes *s0 = (lanes *)(sums + d), *s1 = (lanes *)(sums + dim_padded + d);
        lanes *s2 = (lanes *)(sums + 2 * dim_padded + d), *s3 = (lanes *)(sums + 3 * dim_padded + d);
        lanes a0 = s0[0], a1 = s1[0], a2 = s2[0], a3 = s3[0];
        lanes b0 = s0[1], b1 = s1[1], b2 = s2[1], b3 = s3[1];
        for (int64_t j = 0; j < key_count; ++j) {
            const double *value = values + j * dim_padded + d;
            const lanes a = *(const lanes *)value, b = *(const lanes *)(value + LANES);
            a0 += weights[j] * a, b0 += weights[j] * b;
            a1 += weights[KEYS + j] * a, b1 += weights[KEYS + j] * b;
            a2 += weights[2 * KEYS + j] * a, b2 += weights[2 * KEYS + j] * b;
            a3 += weights[3 * KEYS + j] * a, b3 += weights[3 * KEYS + j] * b;
        }
        s0[0] = a0, s1[0] = a1, s2[0] = a2, s3[0] = a3;
        s0[1] = b0, s1[1] = b1, s2[1] = b2, s3[1] = b3;
    }
}

// The same for one row and the keys [key_first, key_last): where the rows of a tile see different keys.
HOT_CLONES static void value_row(const double *weights, const double *values, int64_t key_first,
                                 int64_t key_last, int64_t dim_padded, double *sums) {
    for (int64_t j = key_first; j < key_last; ++j)
        for (int64_t d = 0; d < dim_padded; d += LANES)
            *(lanes *)(sums + d) += weights[j] * *(const lanes *)(values + j * dim_padded + d);
}

// The largest of KEYS scores. NaN is skipped here; it makes the row NaN through its own weight.
HOT_CLONES static double scores_max(const double *scores) {
    double best[PARTS];
    for (int c = 0; c < PARTS; ++c) best[c] = -INFINITY;
    for (int j = 0; j < KEYS; j += PARTS)
        for (int c = 0; c < PARTS; ++c) best[c] = scores[j + c] > best[c] ? scores[j + c] : best[c];
    for (int c = 1; c < PARTS; ++c) best[0] = best[c] > best[0] ? best[c] : best[0];
    return best[0];
}

// Sum of KEYS weights, in PARTS partial sums; fixed order.
HOT_CLONES static double weights_sum(const double *weights) {
    double sum[PARTS] = {0};
    for (int j = 0; j < KEYS; j += PARTS)
        for (int c = 0; c < PARTS; ++c) sum[c] += weights[j + c];
    return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
}

HOT_CLONES static void sums_scale(double *sums, int64_t dim_padded, double factor) {
    for (int64_t d = 0; d < dim_padded; d += LANES) *(lanes *)(sums + d) *= factor;
}

// ---- e^x ----

#define X_MIN -708.0 // e^-708 = 3.3e-308, still a normal number

// e^x, written out, because a libm call keeps a loop from vectorising. No branches, no tables, no fused
// operations, so every instruction set gives the same bits. For x <= 0: within 1.1 units in the last place
// of the true value (tested against long double); below X_MIN the result is 0 instead of a subnormal
// number; NaN stays NaN (its lowest twelve bits must be clear, as they are in every NaN that came from
// float or narrower, or from arithmetic).
//
// The method: x = k ln 2 + r with |r| <= ln 2 / 2; e^r by a polynomial; times 2^k by adding k to the
// exponent. Polynomial: (e^r - 1 - r) / r^2 interpolated at the ten Chebyshev nodes of |r| <= 0.34658; error
// of e^r 1.3e-17.
HOT_CLONES static void exp_row(double *values, size_t count) {
    const double log2_e = 0x1.71547652b82fep+0;
    const double ln2_high = 0x1.62e42fefp-1, ln2_low = 0x1.473de6af278edp-34; // k * ln2_high is exact
    const double rounder = 0x1.8p+52; // adding it rounds to an integer, left in the low bits of the sum
    for (size_t i = 0; i < count; i += LANES) {
        const lanes x = *(const lanes *)(values + i);
        const lanes shifted = x * log2_e + rounder;
        const lanes k = shifted - rounder;
        const lanes r = (x - k * ln2_high) - k * ln2_low;
        lanes p = 0x1.af38a0d2d9620p-26 * r + 0x1.28917e2c43a66p-22;
        p = p * r + 0x1.71de0db21e27fp-19;
        p = p * r + 0x1.a019b9133a48ap-16;
        p = p * r + 0x1.a01a01a7c327ap-13;
        p = p * r + 0x1.6c16c1788a49bp-10;
        p = p * r + 0x1.11111111109b4p-7;
        p = p * r + 0x1.5555555553d67p-5;
        p = p * r + 0x1.5555555555556p-3;
        p = p * r + 0x1.0000000000001p-1;
        const lanes e = 1.0 + (r + r * r * p);
        const lanes_u64 scaled = (lanes_u64)e + ((lanes_u64)shifted << 52);
        const lanes_u64 is_tiny = (lanes_u64)(x < X_MIN);
        *(lanes_u64 *)(values + i) = scaled & ~is_tiny;
    }
}

// Exports exp_row for the tests: with Clang 14 a function with clones must be static (op/clones.h).
void attention_exp_row(double *values, size_t count) {
    exp_row(values, count);
}

// ---- blocks ----

static void load_queries(const struct oracle *o, const struct task *task, struct scratch *s) {
    const int64_t dim = o->params->head_dim;
    for (int64_t r = 0; r < task->row_count; ++r)
        dtype_load_row(o->tensors.q->dtype, row_at(o->tensors.q, task->batch, task->head, task->rows[r]),
                       (size_t)dim, s->queries + r * dim);
    const int64_t rows_padded = (task->row_count + TILE - 1) / TILE * TILE;
    memset(s->queries + task->row_count * dim, 0,
           (size_t)((rows_padded - task->row_count) * dim) * sizeof(double));
    memset(s->sums, 0, (size_t)(rows_padded * o->dim_padded) * sizeof(double));
    for (int64_t r = 0; r < ROWS; ++r) {
        s->row_max[r] = -INFINITY, s->row_faintest[r] = INFINITY;
        s->row_sum[r] = 0, s->is_blind[r] = true;
    }
}

// Converts keys [key_first, key_first + key_count) of K and V; the rest of the block is never used as a
// number, but multiplied: zeros are quick everywhere.
static void load_keys(const struct oracle *o, const struct task *task, int64_t key_first, int64_t key_count,
                      struct scratch *s) {
    const int64_t dim = o->params->head_dim, dim_v = o->params->head_dim_v;
    double rows[PARTS][DIM];
    for (int64_t j = 0; j < key_count; j += PARTS) {
        const int64_t count = key_count - j < PARTS ? key_count - j : PARTS;
        for (int64_t i = 0; i < PARTS; ++i) { // past the last key: repeat the last one
            const int64_t key = key_first + j + (i < count ? i : count - 1);
            dtype_load_row(o->tensors.k->dtype, row_at(o->tensors.k, task->batch, task->head_kv, key),
                           (size_t)dim, rows[i]);
        }
        for (int64_t d = 0; d < dim; ++d)
            for (int64_t i = 0; i < PARTS; ++i) s->keys[d * KEYS + j + i] = rows[i][d];
    }
    const int64_t loaded = (key_count + PARTS - 1) / PARTS * PARTS;
    for (int64_t d = 0; d < dim && loaded < KEYS; ++d)
        memset(s->keys + d * KEYS + loaded, 0, (size_t)(KEYS - loaded) * sizeof *s->keys);
    for (int64_t j = 0; j < key_count; ++j) {
        double *row = s->values + j * o->dim_padded;
        dtype_load_row(o->tensors.v->dtype, row_at(o->tensors.v, task->batch, task->head_kv, key_first + j),
                       (size_t)dim_v, row);
        for (int64_t d = dim_v; d < o->dim_padded; ++d) row[d] = 0;
        s->is_key_infinite[j] = false;
        for (int64_t d = 0; d < dim_v; ++d) s->is_key_infinite[j] |= isinf(row[d]);
    }
}

// Of a block, a row sees the keys [first, end), of them those that the mask shows.
struct seen {
    int64_t first, end;
    const int8_t *mask; // by key of the block; NULL: all
};

static bool sees(const struct seen *seen, int64_t key) {
    return key >= seen->first && key < seen->end && (!seen->mask || seen->mask[key]);
}

// Turns the scores of one row into weights, of which those that it sees count, and updates the row's maximum
// and sums.
static void row_weigh(const struct oracle *o, struct scratch *s, int64_t row, double *weights,
                      const struct seen *seen) {
    for (int64_t j = 0; j < KEYS; ++j)
        if (sees(seen, j)) {
            s->is_blind[row] = false;
            if (s->is_key_infinite[j]) s->row_faintest[row] = fmin(s->row_faintest[row], weights[j]);
        } else {
            weights[j] = -INFINITY;
        }
    const double block_max = scores_max(weights);
    const double old_max = s->row_max[row];
    const double new_max = block_max > old_max ? block_max : old_max;
    const double shift = new_max == -INFINITY ? 0 : new_max; // only -infinity so far: weights 0, not NaN
    for (int j = 0; j < KEYS; ++j) weights[j] -= shift;
    attention_exp_row(weights, KEYS);
    if (new_max != old_max) {
        double factor[LANES] = {old_max - shift};
        attention_exp_row(factor, LANES);
        sums_scale(s->sums + row * o->dim_padded, o->dim_padded, factor[0]);
        s->row_sum[row] *= factor[0];
        s->row_max[row] = new_max;
    }
    s->row_sum[row] += weights_sum(weights);
}

// scores[i] = cap tanh(scores[i] / cap), by tanh |x| = (1 - e^(-2|x|)) / (1 + e^(-2|x|)). NaN stays NaN.
static void scores_cap(double *scores, double cap) {
    double powers[TILE * KEYS];
    for (int i = 0; i < TILE * KEYS; ++i) powers[i] = -2 * fabs(scores[i] / cap);
    attention_exp_row(powers, TILE * KEYS);
    for (int i = 0; i < TILE * KEYS; ++i)
        scores[i] = copysign(cap * ((1 - powers[i]) / (1 + powers[i])), scores[i]);
}

// Adds the bias of each row of a tile to its scores of a block.
static void scores_add_bias(const struct oracle *o, const struct task *task, struct scratch *s, int64_t row,
                            int64_t key_first) {
    const struct assay_tensor *t = o->tensors.bias;
    const int64_t keys = o->params->seq_k - key_first, count = keys < KEYS ? keys : KEYS;
    double bias[KEYS];
    for (int64_t r = 0; r < TILE && row + r < task->row_count; ++r) {
        const char *first = row_at(t, task->batch, task->head, task->rows[row + r]);
        dtype_load_row(t->dtype, first + key_first * (int64_t)dtype_bytes(t->dtype), (size_t)count, bias);
        for (int64_t j = 0; j < count; ++j) s->weights[r * KEYS + j] += bias[j];
    }
}

static int64_t within_block(int64_t key) {
    return key < 0 ? 0 : key > KEYS ? KEYS : key;
}

// What row `row` of the task sees of a block; nothing: {0, 0}.
static struct seen row_seen(const struct oracle *o, const struct task *task, int64_t row, int64_t key_first) {
    if (row >= task->row_count) return (struct seen){0, 0, NULL};
    const int64_t query = task->rows[row];
    const int64_t first = attention_first_key(o->params, query) - key_first;
    const int64_t end = attention_visible(o->params, query) - key_first;
    struct seen seen = {within_block(first), within_block(end), NULL};
    if (o->tensors.mask)
        seen.mask = (const int8_t *)row_at(o->tensors.mask, task->batch, task->head, query) + key_first;
    return seen.first < seen.end ? seen : (struct seen){0, 0, NULL};
}

// Adds the values of the keys [from, to) that a row sees.
static void row_add_values(const struct oracle *o, struct scratch *s, int64_t row, const struct seen *seen,
                           int64_t from, int64_t to) {
    const double *weights = s->weights + row % TILE * KEYS;
    double *sums = s->sums + row * o->dim_padded;
    if (!seen->mask) {
        value_row(weights, s->values, from, to, o->dim_padded, sums);
        return;
    }
    for (int64_t j = from; j < to; ++j)
        if (seen->mask[j]) value_row(weights, s->values, j, j + 1, o->dim_padded, sums);
}

// Adds one key block to the TILE rows from `row` on. The keys that all of them see are added together; each
// row's sum runs upwards.
static void tile_add(const struct oracle *o, const struct task *task, struct scratch *s, int64_t row,
                     int64_t key_first) {
    struct seen seen[TILE], common = {0, KEYS, NULL};
    int64_t any = 0;
    for (int64_t r = 0; r < TILE; ++r) {
        seen[r] = row_seen(o, task, row + r, key_first);
        common.first = seen[r].first > common.first ? seen[r].first : common.first;
        common.end = seen[r].end < common.end ? seen[r].end : common.end;
        any |= seen[r].end;
    }
    if (!any) return;
    if (common.end < common.first || o->tensors.mask) common.end = common.first;
    const int64_t dim = o->params->head_dim;
    score_tile(s->queries + row * dim, s->keys, dim, task->score_factor, s->weights);
    if (o->params->softcap != 0) scores_cap(s->weights, o->params->softcap);
    if (o->tensors.bias) scores_add_bias(o, task, s, row, key_first);
    for (int64_t r = 0; r < TILE; ++r)
        if (seen[r].end) row_weigh(o, s, row + r, s->weights + r * KEYS, &seen[r]);
    for (int64_t r = 0; r < TILE; ++r) {
        const int64_t before = seen[r].end < common.first ? seen[r].end : common.first;
        row_add_values(o, s, row + r, &seen[r], seen[r].first, before);
    }
    value_tile(s->weights + common.first, s->values + common.first * o->dim_padded, common.end - common.first,
               o->dim_padded, s->sums + row * o->dim_padded);
    for (int64_t r = 0; r < TILE; ++r) {
        const int64_t after = seen[r].first > common.end ? seen[r].first : common.end;
        row_add_values(o, s, row + r, &seen[r], after, seen[r].end);
    }
}

static void store_results(const struct oracle *o, const struct task *task, const struct scratch *s) {
    const int64_t dim = o->params->head_dim_v;
    const double value_scale = scale_at(o->tensors.v_scale, task->batch, task->head_kv);
    for (int64_t r = 0; r < task->row_count; ++r) {
        const int64_t dense =
            (task->batch * o->params->heads + task->head) * o->params->seq_q + task->rows[r];
        const double log_sum = s->row_max[r] + log(s->row_sum[r]);
        for (int64_t d = 0; d < dim; ++d) {
            const double value = s->sums[r * o->dim_padded + d] / s->row_sum[r] * value_scale;
            const double marked = dev_attention_mark(value, s->row_faintest[r], log_sum, o->params->dtype_q,
                                                     o->params->dtype_kv);
            o->out[dense * dim + d] = s->is_blind[r] ? 0 : marked;
        }
        if (o->lse) o->lse[dense] = s->is_blind[r] ? -INFINITY : log_sum;
    }
}

// rows: NULL: `count` of them from row_first on.
static struct task make_task(const struct oracle *o, int64_t group, const uint64_t *rows, int64_t row_first,
                             int64_t count) {
    const struct attention_params *p = o->params;
    struct task task = {.batch = group / p->heads, .head = group % p->heads, .row_count = count};
    for (int64_t r = 0; r < count; ++r) task.rows[r] = rows ? (int64_t)rows[r] : row_first + r;
    task.head_kv = task.head / (p->heads / p->heads_kv);
    task.score_factor = p->scale * scale_at(o->tensors.q_scale, task.batch, task.head) *
                        scale_at(o->tensors.k_scale, task.batch, task.head_kv);
    return task;
}

static void run_task(const struct oracle *o, const struct task *task, struct scratch *s) {
    load_queries(o, task, s);
    const int64_t key_end = attention_visible(o->params, task->rows[task->row_count - 1]); // sees the most
    const int64_t key_start = attention_first_key(o->params, task->rows[0]) / KEYS * KEYS; // and the first
    for (int64_t key = key_start; key < key_end; key += KEYS) {
        load_keys(o, task, key, key_end - key < KEYS ? key_end - key : KEYS, s);
        for (int64_t row = 0; row < task->row_count; row += TILE) tile_add(o, task, s, row, key);
    }
    store_results(o, task, s);
}

static void oracle_task(void *arg, int64_t index, uint32_t thread) {
    const struct oracle *o = arg;
    const int64_t first = index % o->row_blocks * ROWS, left = o->params->seq_q - first;
    const struct task task = make_task(o, index / o->row_blocks, NULL, first, left < ROWS ? left : ROWS);
    run_task(o, &task, &o->scratch[thread]);
}

static pthread_key_t own_scratch;

static void make_own_scratch(void) {
    if (pthread_key_create(&own_scratch, free)) BUG("no key for the memory of a thread");
}

// Of a thread that computes alone, until it ends: drawn rows are a thousand calls.
static struct scratch *take_own_scratch(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_own_scratch);
    struct scratch *ret = pthread_getspecific(own_scratch);
    if (ret) return ret;
    ret = mem_try_scratch(1, sizeof *ret);
    if (!ret || pthread_setspecific(own_scratch, ret) == 0) return ret;
    free(ret);
    return NULL;
}

static struct oracle make_oracle(const struct attention_unpacked *at, double *const *outputs) {
    const struct attention_params *p = attention_params_of(&at->problem);
    struct oracle ret = {.params = p,
                         .tensors = attention_tensors_find(at->tensors, at->tensor_count),
                         .out = outputs[0],
                         .lse = p->has_lse ? outputs[1] : NULL,
                         .row_blocks = (p->seq_q + ROWS - 1) / ROWS,
                         .dim_padded = (p->head_dim_v + PARTS - 1) / PARTS * PARTS};
    if (!p->mask) ret.tensors.mask = NULL; // a mutant's, which ignores it
    if (!p->bias) ret.tensors.bias = NULL;
    return ret;
}

static int no_memory(const struct problem *problem, uint32_t threads, struct err *err) {
    return err_set(err, ERR_UNAVAILABLE, "no memory for the reference of '%s': %u threads need %zu MiB each",
                   problem->name, threads, sizeof(struct scratch) >> 20);
}

int attention_oracle(const struct problem *problem, const struct assay_tensor *tensors,
                     double *const *outputs, const struct assay_cpu_stream *stream, struct err *err) {
    const bool is_alone = stream->thread_count == 1;
    struct attention_unpacked at;
    attention_unpack(problem, tensors, &at);
    struct oracle o = make_oracle(&at, outputs);
    o.scratch = is_alone ? take_own_scratch() : mem_try_scratch(stream->thread_count, sizeof *o.scratch);
    if (!o.scratch) return no_memory(problem, stream->thread_count, err);
    stream->parallel_for(stream, o.params->batch * o.params->heads * o.row_blocks, oracle_task, &o);
    if (!is_alone) free(o.scratch);
    return 0;
}

int attention_oracle_rows(const struct problem *problem, const struct assay_tensor *tensors,
                          const struct op_rows *rows, double *const *outputs, struct err *err) {
    struct attention_unpacked at;
    attention_unpack(problem, tensors, &at);
    const struct oracle o = make_oracle(&at, outputs);
    struct scratch *scratch = take_own_scratch();
    if (!scratch) return no_memory(problem, 1, err);
    for (size_t first = 0; first < rows->count; first += ROWS) {
        const size_t left = rows->count - first, count = left < ROWS ? left : ROWS;
        const struct task task = make_task(&o, (int64_t)rows->group, rows->rows + first, 0, (int64_t)count);
        run_task(&o, &task, scratch);
    }
    return 0;
}
