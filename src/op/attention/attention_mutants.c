// SPDX-License-Identifier: Apache-2.0
//
// Attention's mutants: mistakes that kernels of attention make, as the oracle's results for other parameters
// or for other keys. Those that every operator knows are in mutant.c.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "op/attention/attention_internal.h"
#include "op/dtype.h"
#include "op/mutant.h"

#define TILE       64 // keys or rows that a kernel takes at once
#define TILE_SMALL 16

static const struct attention_params *params_of(const struct mutant_case *at) {
    return attention_params_of(at->problem);
}

// ---- the oracle on a changed problem ----

struct changed {
    struct problem problem;
    struct attention_params *params; // of problem: to be changed
    uint32_t input_count;
    struct assay_tensor tensors[OP_TENSORS_MAX]; // unpacked
    void *memory[OP_TENSORS_MAX];                // of tensors that were replaced
};

static struct changed *changed_new(const struct mutant_case *at) {
    struct changed *changed = mem_alloc(sizeof *changed);
    struct attention_unpacked from;
    attention_unpack(at->problem, at->tensors, &from);
    changed->problem = from.problem;
    changed->params = (struct attention_params *)(void *)changed->problem.params;
    changed->input_count = from.tensor_count - at->output_count;
    memcpy(changed->tensors, from.tensors, sizeof changed->tensors);
    return changed;
}

// Runs the oracle unless code is an error, and frees.
static int changed_run(struct changed *changed, int code, const struct mutant_case *at,
                       double *const *outputs, struct err *err) {
    if (code == 0) code = attention_oracle(&changed->problem, changed->tensors, outputs, at->stream, err);
    for (uint32_t i = 0; i < OP_TENSORS_MAX; ++i) free(changed->memory[i]);
    free(changed);
    return code;
}

// Gives tensor `index` of `changed` memory of its own, dense and zero, for a new shape.
static int replace(struct changed *changed, uint32_t index, const int64_t *shape, struct err *err) {
    struct assay_tensor *tensor = &changed->tensors[index];
    int64_t count = 1;
    for (int32_t i = tensor->dim_count - 1; i >= 0; --i) {
        tensor->shape[i] = shape[i];
        tensor->stride[i] = count;
        count *= shape[i];
    }
    // An extent may be 0: a single key that is dropped.
    changed->memory[index] = mem_try_array((size_t)count + 1, dtype_bytes(tensor->dtype));
    tensor->data = changed->memory[index];
    if (tensor->data) return 0;
    return err_set(err, ERR_UNAVAILABLE, "no memory for other keys of %s", changed->problem.name);
}

static uint32_t index_of(const struct changed *changed, const char *name) {
    uint32_t i = 0;
    while (!str_equal(changed->tensors[i].name, name)) ++i;
    return i;
}

// Gives a tensor of queries and keys memory of its own, with the same strides and contents.
static int own_pairs(struct changed *changed, const char *name, uint32_t *ret_index, struct err *err) {
    const uint32_t index = *ret_index = index_of(changed, name);
    struct assay_tensor *tensor = &changed->tensors[index];
    const size_t bytes = (size_t)tensor_span_bytes(tensor);
    changed->memory[index] = mem_try_array(bytes, 1);
    if (!changed->memory[index])
        return err_set(err, ERR_UNAVAILABLE, "no memory for another %s of %s", name, changed->problem.name);
    memcpy(changed->memory[index], tensor->data, bytes);
    tensor->data = changed->memory[index];
    return 0;
}

static bool has_own_axes(const struct mutant_case *at, int32_t axes) {
    const struct attention_params *p = params_of(at);
    return (pair_axes_has_batch(axes) && p->batch > 1) || (pair_axes_has_heads(axes) && p->heads > 1);
}

static int run_with_first_pairs(const struct mutant_case *at, const char *name, double *const *outputs,
                                struct err *err) {
    struct changed *changed = changed_new(at);
    struct assay_tensor *tensor = &changed->tensors[index_of(changed, name)];
    tensor->stride[0] = tensor->stride[1] = 0;
    return changed_run(changed, 0, at, outputs, err);
}

// Which keys and heads of K and V the changed problem has.
struct key_map {
    int64_t heads, keys; // of the changed problem
    // Its key j is key j of the original below `at`, and key j + step from there on; keys that the original
    // does not have are zero.
    int64_t at, step;
    bool is_interleaved; // its head h is head h % heads_kv of the original
};

static void copy_keys(const struct assay_tensor *from, const struct assay_tensor *to,
                      const struct key_map *map) {
    const size_t element = dtype_bytes(from->dtype), row_bytes = (size_t)from->shape[3] * element;
    for (int64_t b = 0; b < to->shape[0]; ++b)
        for (int64_t h = 0; h < to->shape[1]; ++h)
            for (int64_t j = 0; j < to->shape[2]; ++j) {
                const int64_t key = j < map->at ? j : j + map->step;
                const int64_t head = map->is_interleaved ? h % from->shape[1] : h;
                if (key >= from->shape[2]) continue;
                const int64_t target[] = {b, h, j, 0}, source[] = {b, head, key, 0};
                memcpy((char *)to->data + (size_t)tensor_offset(to, target) * element,
                       (const char *)from->data + (size_t)tensor_offset(from, source) * element, row_bytes);
            }
}

static void copy_scales(const struct assay_tensor *from, const struct assay_tensor *to) {
    for (int64_t b = 0; b < to->shape[0]; ++b)
        for (int64_t h = 0; h < to->shape[1]; ++h)
            ((float *)to->data)[b * to->stride[0] + h] =
                ((const float *)from->data)[b * from->stride[0] + h % from->shape[1]];
}

// Replaces K and V, and their scales where the number of heads changes. A bottom-right mask moves with the
// number of keys, a top-left one does not: both stay where they were, relative to the first row and key.
static int change_keys(struct changed *changed, const struct key_map *map, struct err *err) {
    struct attention_params *p = changed->params;
    for (uint32_t i = 0; i < changed->input_count; ++i) {
        const struct assay_tensor copy = changed->tensors[i], *from = &copy;
        const bool is_matrix = from->role == ASSAY_K || from->role == ASSAY_V;
        const bool is_scale = from->role == ASSAY_K_SCALE || from->role == ASSAY_V_SCALE;
        const int64_t shape[] = {p->batch, map->heads, map->keys, from->shape[3]};
        if (is_matrix || is_scale) TRY(replace(changed, i, shape, err));
        if (is_matrix) copy_keys(from, &changed->tensors[i], map);
        if (is_scale) copy_scales(from, &changed->tensors[i]);
    }
    if (p->causal == CAUSAL_BOTTOM_RIGHT) p->mask_shift += p->seq_k - map->keys;
    p->heads_kv = map->heads;
    p->seq_k = map->keys;
    return 0;
}

// Rows that do not see that key keep their right results.
static void restore_rows_before(const struct mutant_case *at, int64_t key, double *const *outputs) {
    const struct attention_params *p = params_of(at);
    for (uint32_t k = 0; k < at->output_count; ++k) {
        const uint64_t rows = (uint64_t)(p->batch * p->heads * p->seq_q);
        const uint64_t length = tensor_element_count(mutant_output(at, k)) / rows;
        for (uint64_t row = 0; row < rows; ++row)
            if (attention_visible(p, (int64_t)(row % (uint64_t)p->seq_q)) <= key)
                memcpy(outputs[k] + row * length, at->right[k] + row * length, length * sizeof(double));
    }
}

// ---- weights ----

static int run_with_scale(const struct mutant_case *at, double scale, double *const *outputs,
                          struct err *err) {
    struct changed *changed = changed_new(at);
    changed->params->scale = scale;
    return changed_run(changed, 0, at, outputs, err);
}

static int make_uniform(const struct mutant_case *at, double *const *outputs, struct err *err) {
    struct changed *changed = changed_new(at);
    changed->params->scale = 0;
    changed->params->bias = PAIR_AXES_ABSENT;
    return changed_run(changed, 0, at, outputs, err);
}

static int negate_scale(const struct mutant_case *at, double *const *outputs, struct err *err) {
    return run_with_scale(at, -params_of(at)->scale, outputs, err);
}

static bool has_scale(const struct mutant_case *at) {
    return params_of(at)->scale != 1;
}

static int drop_scale(const struct mutant_case *at, double *const *outputs, struct err *err) {
    return run_with_scale(at, 1, outputs, err);
}

static int take_exp2(const struct mutant_case *at, double *const *outputs, struct err *err) {
    return run_with_scale(at, params_of(at)->scale * log(2.0), outputs, err);
}

// ---- masks ----

static bool is_causal(const struct mutant_case *at) {
    return params_of(at)->causal != CAUSAL_NONE;
}

static int run_with_shift(const struct mutant_case *at, int64_t shift, double *const *outputs,
                          struct err *err) {
    struct changed *changed = changed_new(at);
    changed->params->mask_shift = shift;
    return changed_run(changed, 0, at, outputs, err);
}

static int mask_one_more(const struct mutant_case *at, double *const *outputs, struct err *err) {
    return run_with_shift(at, 1, outputs, err);
}

static int mask_one_less(const struct mutant_case *at, double *const *outputs, struct err *err) {
    return run_with_shift(at, -1, outputs, err);
}

static int drop_mask(const struct mutant_case *at, double *const *outputs, struct err *err) {
    struct changed *changed = changed_new(at);
    changed->params->causal = CAUSAL_NONE;
    return changed_run(changed, 0, at, outputs, err);
}

static bool has_window(const struct mutant_case *at) {
    return params_of(at)->window != 0;
}

static int drop_window(const struct mutant_case *at, double *const *outputs, struct err *err) {
    struct changed *changed = changed_new(at);
    changed->params->window = 0;
    return changed_run(changed, 0, at, outputs, err);
}

static bool has_softcap(const struct mutant_case *at) {
    return params_of(at)->softcap != 0;
}

static int drop_softcap(const struct mutant_case *at, double *const *outputs, struct err *err) {
    struct changed *changed = changed_new(at);
    changed->params->softcap = 0;
    return changed_run(changed, 0, at, outputs, err);
}

static bool has_two_corners(const struct mutant_case *at) {
    return is_causal(at) && params_of(at)->seq_q != params_of(at)->seq_k;
}

static int take_other_corner(const struct mutant_case *at, double *const *outputs, struct err *err) {
    struct changed *changed = changed_new(at);
    changed->params->causal =
        params_of(at)->causal == CAUSAL_TOP_LEFT ? CAUSAL_BOTTOM_RIGHT : CAUSAL_TOP_LEFT;
    return changed_run(changed, 0, at, outputs, err);
}

static bool has_mask(const struct mutant_case *at) {
    return params_of(at)->mask != PAIR_AXES_ABSENT;
}

static int ignore_mask(const struct mutant_case *at, double *const *outputs, struct err *err) {
    struct changed *changed = changed_new(at);
    changed->params->mask = PAIR_AXES_ABSENT;
    return changed_run(changed, 0, at, outputs, err);
}

static int invert_mask(const struct mutant_case *at, double *const *outputs, struct err *err) {
    struct changed *changed = changed_new(at);
    uint32_t index;
    const int code = own_pairs(changed, "mask", &index, err);
    int8_t *mask = changed->memory[index];
    for (uint64_t i = 0; code == 0 && i < tensor_span_bytes(&changed->tensors[index]); ++i)
        mask[i] = !mask[i];
    return changed_run(changed, code, at, outputs, err);
}

static bool has_own_masks(const struct mutant_case *at) {
    return has_own_axes(at, params_of(at)->mask);
}

static int take_first_mask(const struct mutant_case *at, double *const *outputs, struct err *err) {
    return run_with_first_pairs(at, "mask", outputs, err);
}

// ---- biases ----

static bool has_bias(const struct mutant_case *at) {
    return params_of(at)->bias != PAIR_AXES_ABSENT;
}

static int drop_bias(const struct mutant_case *at, double *const *outputs, struct err *err) {
    struct changed *changed = changed_new(at);
    changed->params->bias = PAIR_AXES_ABSENT;
    return changed_run(changed, 0, at, outputs, err);
}

static bool has_bias_and_scale(const struct mutant_case *at) {
    return has_bias(at) && has_scale(at);
}

static int scale_bias(const struct mutant_case *at, double *const *outputs, struct err *err) {
    struct changed *changed = changed_new(at);
    uint32_t index;
    const int code = own_pairs(changed, "bias", &index, err);
    const struct assay_tensor *bias = &changed->tensors[index];
    const size_t element = dtype_bytes(bias->dtype);
    char *memory = changed->memory[index];
    for (size_t i = 0; code == 0 && i < tensor_span_bytes(bias); i += element)
        dtype_store(bias->dtype, memory + i, dtype_load(bias->dtype, memory + i) * params_of(at)->scale);
    return changed_run(changed, code, at, outputs, err);
}

static bool has_own_biases(const struct mutant_case *at) {
    return has_own_axes(at, params_of(at)->bias);
}

static int take_first_bias(const struct mutant_case *at, double *const *outputs, struct err *err) {
    return run_with_first_pairs(at, "bias", outputs, err);
}

// ---- keys ----

// Without a key a window would lie elsewhere, and so would what belongs to its neighbours: the mistake would
// be another one.
static bool can_lose_keys(const struct mutant_case *at) {
    return !has_window(at) && !has_mask(at) && !has_bias(at);
}

// Key `key` is lost (step 1) or counted twice (step -1), by every row that sees it.
static int run_with_keys(const struct mutant_case *at, int64_t key, int64_t step, double *const *outputs,
                         struct err *err) {
    const struct attention_params *p = params_of(at);
    struct changed *changed = changed_new(at);
    const struct key_map map = {
        .heads = p->heads_kv, .keys = p->seq_k - step, .at = step > 0 ? key : key + 1, .step = step};
    const int code = change_keys(changed, &map, err);
    changed->params->mask_shift -= step; // what a row saw besides that key it sees still
    TRY(changed_run(changed, code, at, outputs, err));
    restore_rows_before(at, key, outputs);
    return 0;
}

static int drop_key(const struct mutant_case *at, double *const *outputs, struct err *err) {
    return run_with_keys(at, params_of(at)->seq_k / 2, 1, outputs, err);
}

static int drop_last_key(const struct mutant_case *at, double *const *outputs, struct err *err) {
    return run_with_keys(at, params_of(at)->seq_k - 1, 1, outputs, err);
}

static int double_key(const struct mutant_case *at, double *const *outputs, struct err *err) {
    return run_with_keys(at, params_of(at)->seq_k / 2, -1, outputs, err);
}

// How many of `extent` lie in whole tiles, when at least one does and others do not; 0: no such tail.
static int64_t whole_tiles(int64_t extent) {
    const int64_t tiles[] = {TILE, TILE_SMALL};
    for (size_t i = 0; i < sizeof tiles / sizeof tiles[0]; ++i)
        if (extent > tiles[i] && extent % tiles[i]) return extent / tiles[i] * tiles[i];
    return 0;
}

static int run_with_key_count(const struct mutant_case *at, int64_t keys, double *const *outputs,
                              struct err *err) {
    const struct attention_params *p = params_of(at);
    struct changed *changed = changed_new(at);
    const struct key_map map = {.heads = p->heads_kv, .keys = keys};
    return changed_run(changed, change_keys(changed, &map, err), at, outputs, err);
}

static bool has_key_tail(const struct mutant_case *at) {
    return whole_tiles(params_of(at)->seq_k) > 0;
}

static int drop_key_tail(const struct mutant_case *at, double *const *outputs, struct err *err) {
    return run_with_key_count(at, whole_tiles(params_of(at)->seq_k), outputs, err);
}

static bool ends_in_tile(const struct mutant_case *at) {
    // a mask or a bias has nothing to say of the keys behind the last one
    return params_of(at)->seq_k % TILE != 0 && !has_mask(at) && !has_bias(at);
}

static int unmask_key_tail(const struct mutant_case *at, double *const *outputs, struct err *err) {
    return run_with_key_count(at, (params_of(at)->seq_k + TILE - 1) / TILE * TILE, outputs, err);
}

// ---- rows and heads ----

static bool has_row_tail(const struct mutant_case *at) {
    return whole_tiles(params_of(at)->seq_q) > 0;
}

static int leave_row_tail(const struct mutant_case *at, double *const *outputs, struct err *err) {
    (void)err;
    const struct attention_params *p = params_of(at);
    const uint64_t heads = (uint64_t)(p->batch * p->heads), rows = (uint64_t)p->seq_q;
    const uint64_t whole = (uint64_t)whole_tiles(p->seq_q);
    for (uint32_t k = 0; k < at->output_count; ++k) {
        const uint64_t length = tensor_element_count(mutant_output(at, k)) / (heads * rows);
        for (uint64_t h = 0; h < heads; ++h) {
            const uint64_t first = (h * rows + whole) * length;
            memcpy(outputs[k] + first, at->stale[k] + first, (rows - whole) * length * sizeof(double));
        }
    }
    return 0;
}

static bool has_two_heads(const struct mutant_case *at) {
    return params_of(at)->batch * params_of(at)->heads > 1;
}

static int swap_heads(const struct mutant_case *at, double *const *outputs, struct err *err) {
    (void)err;
    const struct attention_params *p = params_of(at);
    for (uint32_t k = 0; k < at->output_count; ++k) {
        const uint64_t head = tensor_element_count(mutant_output(at, k)) / (uint64_t)(p->batch * p->heads);
        memcpy(outputs[k], at->right[k] + head, head * sizeof(double));
        memcpy(outputs[k] + head, at->right[k], head * sizeof(double));
    }
    return 0;
}

static bool has_key_groups(const struct mutant_case *at) {
    return params_of(at)->heads_kv > 1 && params_of(at)->heads_kv < params_of(at)->heads;
}

static int interleave_heads(const struct mutant_case *at, double *const *outputs, struct err *err) {
    const struct attention_params *p = params_of(at);
    struct changed *changed = changed_new(at);
    const struct key_map map = {.heads = p->heads, .keys = p->seq_k, .is_interleaved = true};
    return changed_run(changed, change_keys(changed, &map, err), at, outputs, err);
}

static bool has_packed_heads(const struct mutant_case *at) {
    const struct attention_params *p = params_of(at);
    return p->is_packed && p->heads == p->heads_kv && p->heads > 1;
}

// As if a token held Q, K and V of the first head, then those of the second one.
static int take_packed_by_head(const struct mutant_case *at, double *const *outputs, struct err *err) {
    struct changed *changed = changed_new(at);
    const int64_t head = changed->tensors[0].stride[1];
    char *data = changed->tensors[0].data;
    for (uint32_t i = 0; i < 3; ++i) {
        changed->tensors[i].data = data + i * (size_t)head * dtype_bytes(changed->tensors[i].dtype);
        changed->tensors[i].stride[1] = 3 * head;
    }
    return changed_run(changed, 0, at, outputs, err);
}

static bool has_scales(const struct mutant_case *at) {
    const struct attention_params *p = params_of(at);
    const bool has_fp8 = p->dtype_q == ASSAY_FP8_E4M3 || p->dtype_kv == ASSAY_FP8_E4M3;
    return has_fp8 && p->batch * p->heads > 1;
}

static int take_first_scales(const struct mutant_case *at, double *const *outputs, struct err *err) {
    struct changed *changed = changed_new(at);
    int code = 0;
    for (uint32_t i = 0; i < changed->input_count && code == 0; ++i) {
        const struct assay_tensor copy = changed->tensors[i], *from = &copy;
        if (!tensor_is_statistic(from)) continue;
        code = replace(changed, i, from->shape, err);
        const uint64_t count = code == 0 ? tensor_element_count(from) : 0;
        for (uint64_t k = 0; k < count; ++k)
            ((float *)changed->tensors[i].data)[k] = ((const float *)from->data)[0];
    }
    return changed_run(changed, code, at, outputs, err);
}

const struct mutant attention_mutants[] = {
    {"uniform_weights", "each row is the mean of the rows of V that it sees", NULL, make_uniform},
    {"scale_negated", "the sign of the scale is wrong", NULL, negate_scale},
    {"scale_missing", "scores are not multiplied by the scale", has_scale, drop_scale},
    {"exp2_for_exp", "2^x in place of e^x", NULL, take_exp2},
    {"mask_one_more", "causal: each row sees one key too many", is_causal, mask_one_more},
    {"mask_one_less", "causal: each row sees one key too few", is_causal, mask_one_less},
    {"mask_missing", "causal: no mask at all", is_causal, drop_mask},
    {"mask_corner", "causal: aligned to the other corner", has_two_corners, take_other_corner},
    {"window_missing", "sliding window: each row sees all keys before it too", has_window, drop_window},
    {"softcap_missing", "scores are not capped", has_softcap, drop_softcap},
    {"mask_ignored", "the mask is not read: all keys are seen", has_mask, ignore_mask},
    {"mask_inverted", "the mask hides what it shows", has_mask, invert_mask},
    {"mask_first", "the mask of the first batch entry and head for all", has_own_masks, take_first_mask},
    {"bias_missing", "the bias is not added", has_bias, drop_bias},
    {"bias_scaled", "the bias is multiplied by the scale, too", has_bias_and_scale, scale_bias},
    {"bias_first", "the bias of the first batch entry and head for all", has_own_biases, take_first_bias},
    {"key_lost", "one key in the middle is left out", can_lose_keys, drop_key},
    {"last_key_lost", "the last key is left out", can_lose_keys, drop_last_key},
    {"key_twice", "one key in the middle counts twice", can_lose_keys, double_key},
    {"key_tail_lost", "keys behind the last whole tile are left out", has_key_tail, drop_key_tail},
    {"key_tail_unmasked", "the last tile is filled with keys of zeros", ends_in_tile, unmask_key_tail},
    {"row_tail_stale", "rows behind the last whole tile are not written", has_row_tail, leave_row_tail},
    {"heads_swapped", "two heads are exchanged", has_two_heads, swap_heads},
    {"kv_head_wrong", "grouped heads: head i reads K and V of head i % Hkv", has_key_groups,
     interleave_heads},
    {"packed_by_head", "qkv_packed: read as [B][S][H][3][D]", has_packed_heads, take_packed_by_head},
    {"first_scales", "fp8: the scales of the first head for all heads", has_scales, take_first_scales},
    {NULL, NULL, NULL, NULL},
};
