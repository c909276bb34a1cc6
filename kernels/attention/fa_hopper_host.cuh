// SPDX-License-Identifier: Apache-2.0
//
// The host's part of the attention kernels for Hopper: which problems they take, which of the compiled forms a problem gets, the
// tensor maps of a launch.
#ifndef ATTENTION_FA_HOPPER_HOST_CUH
#define ATTENTION_FA_HOPPER_HOST_CUH

#include "attention/fa_hopper_copy.cuh"
#include "attention/fa_hopper_tiles.cuh"

#include <assay/kernel.h>
#include <cuda.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifndef WARPGROUPS
#define WARPGROUPS 0
#endif
#ifndef SPLITS
#define SPLITS 0
#endif

#define FA_ROWS_MAX (1 << 30) // rows and keys are counted in 32 bits, both together included
#define FA_LOG2_E   1.4426950408889634f

// One of the forms that are compiled: how many warpgroups compute, query rows of a tile, keys of a block.
struct fa_form {
    const void *kernels[2];  // by type
    int dim, groups, splits; // splits: thread blocks that may share a tile, 1 or FA_SPLITS_MAX
    int rows, keys, threads, blocks_a_multiprocessor;
    size_t shared_bytes;
    // What a tile takes, in clocks, as measured (the kernel's dispatch header): a block of keys where the tile has its multiprocessor for
    // itself, and where as many as fit are there; what a tile takes besides.
    double alone_clk, shared_clk, tile_clk;
};

struct fa_clocks {
    double alone, shared, tile;
};

template <typename shape, typename shared_type>
static constexpr struct fa_form fa_form_of(const void *first, const void *second, const fa_clocks &clk) {
    static_assert(FA_SHARED_SLACK + sizeof(shared_type) <= 227 * 1024 / shape::blocks_a_multiprocessor,
                  "more shared memory than there is");
    return {{first, second},
            shape::dim,
            shape::warpgroups,
            shape::is_split ? FA_SPLITS_MAX : 1,
            shape::rows,
            shape::keys,
            shape::threads,
            shape::blocks_a_multiprocessor,
            FA_SHARED_SLACK + sizeof(shared_type),
            clk.alone,
            clk.shared,
            clk.tile};
}

// An entry of a dispatch header. fa_form_with<shape>(clocks) is the kernel's own, by fa_form_of.
#define FA_FORM(dim, groups, keys, splits, alone_clk, shared_clk, tile_clk)                                  \
    fa_form_with<fa_shape<dim, groups, keys, (splits > 1)>>({alone_clk, shared_clk, tile_clk}),

typedef CUresult (*fa_encode_fn)(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *, const cuuint64_t *,
                                 const cuuint64_t *, const cuuint32_t *, const cuuint32_t *,
                                 CUtensorMapInterleave, CUtensorMapSwizzle, CUtensorMapL2promotion,
                                 CUtensorMapFloatOOBfill);

struct fa_device {
    int index, multiprocessors, l2_bytes;
    fa_encode_fn encode;
};

struct fa_state {
    struct fa_problem problem;
    struct cuda_grid grid;
    fa_encode_fn encode;
    int keys;
};

// What every kernel for Hopper asks of a problem besides its types.
static int fa_hopper_supports(const struct attention_args &args, struct assay_message *message) {
    if (args.head_dim != 64 && args.head_dim != 128)
        return assay_say(message, ASSAY_UNSUPPORTED, "only head dimensions 64 and 128");
    if (args.seq_q > FA_ROWS_MAX || args.seq_k > FA_ROWS_MAX)
        return assay_say(message, ASSAY_UNSUPPORTED, "only up to 2^30 queries and keys");
    if (args.batch > INT32_MAX / 2 / args.heads)
        return assay_say(message, ASSAY_UNSUPPORTED, "only up to 2^30 heads of all batches");
    if (!(args.scale > 0.0f))
        return assay_say(message, ASSAY_UNSUPPORTED,
                         "the scale must be above 0: rows are weighed by their largest scores before it");
    return ASSAY_OK;
}

static double fa_tiles(const struct fa_form &form, const struct attention_args &args) {
    return (double)args.batch * (double)args.heads * ceil((double)args.seq_q / form.rows);
}

// A form, and by how many thread blocks a tile is computed.
struct fa_way {
    const struct fa_form *form;
    int splits;
};

// Clocks of a launch: waves of tiles over the multiprocessors. With a mask tiles are unequal, and waves overlap.
static double fa_cost_whole(const struct fa_form &form, const struct attention_args &args,
                            int multiprocessors) {
    const double tiles = fa_tiles(form, args), all = ceil((double)args.seq_k / form.keys);
    const double last = (double)attention_visible_keys(&args, args.seq_q - 1);
    const double first = (double)attention_visible_keys(&args, 0);
    const bool has_mask = args.mask != ATTENTION_MASK_NONE;
    const double mean = has_mask ? fmax(1.0, (first + last) / 2.0 / form.keys + 0.5) : all;
    const double most = has_mask ? fmax(1.0, ceil(last / form.keys)) : all;
    const bool is_alone = tiles <= multiprocessors;
    const double block_clk = is_alone ? form.alone_clk : form.shared_clk;
    const double waves = tiles / (multiprocessors * (is_alone ? 1 : form.blocks_a_multiprocessor));
    const double work = (has_mask ? waves : ceil(waves)) * (mean * block_clk + form.tile_clk);
    return fmax(work, most * form.alone_clk + form.tile_clk);
}

// The same where tiles are split, and all of them are there at once. The longest share counts.
static double fa_cost_split(const struct fa_way &way, const struct attention_args &args,
                            int multiprocessors) {
    const struct fa_form &form = *way.form;
    const bool is_alone = fa_tiles(form, args) * way.splits <= multiprocessors;
    const double all = fmax(1.0, ceil((double)attention_visible_keys(&args, args.seq_q - 1) / form.keys));
    return ceil(all / way.splits) * (is_alone ? form.alone_clk : form.shared_clk) + form.tile_clk;
}

// A launch of one problem: this device, which of a form's kernels.
struct fa_launch_of {
    const struct attention_args *args;
    const struct fa_device *device;
    int type;
};

// Is there room for all clusters at once? Some places of a group of multiprocessors are left over where clusters are large.
static bool fa_has_room(const struct fa_launch_of &of, const struct fa_way &way) {
    const struct fa_form &form = *way.form;
    const double tiles = fa_tiles(form, *of.args);
    const double places = (double)of.device->multiprocessors * form.blocks_a_multiprocessor;
    if (tiles * way.splits > places) return false;
    const void *kernel = form.kernels[of.type];
    const struct cuda_grid grid = {kernel, way.splits, form.threads, form.shared_bytes, way.splits};
    int clusters = 0;
    return cuda_host_clusters(&grid, &clusters) == cudaSuccess && tiles <= clusters;
}

// What may be chosen from. groups: only forms of so many warpgroups; splits: only so many thread blocks a tile; 0: any.
struct fa_forms_allowed {
    const struct fa_form *forms;
    int count, groups, splits;
};

static bool fa_is_allowed(const struct fa_forms_allowed &from, const struct fa_way &way, int dim) {
    return way.form->dim == dim && (!from.groups || way.form->groups == from.groups) &&
           (!from.splits || way.splits == from.splits) && (way.form->splits > 1) == (way.splits > 1);
}

// The form is null where none is allowed.
static struct fa_way fa_choose(const struct fa_forms_allowed &from, const struct fa_launch_of &of) {
    struct fa_way best = {nullptr, 1};
    double least = 0.0;
    for (const struct fa_form *form = from.forms; form < from.forms + from.count; ++form)
        for (int splits = 1; splits <= form->splits; splits *= 2) {
            const struct fa_way way = {form, splits};
            if (!fa_is_allowed(from, way, (int)of.args->head_dim)) continue;
            const bool is_split = splits > 1, is_asked_for = from.splits > 1;
            const double cost = is_split ? fa_cost_split(way, *of.args, of.device->multiprocessors)
                                         : fa_cost_whole(*form, *of.args, of.device->multiprocessors);
            if (best.form && !(cost < least)) continue;
            if (is_split && !is_asked_for && !fa_has_room(of, way)) continue;
            best = way;
            least = cost;
        }
    return best;
}

static int fa_device_read(const struct assay_env *env, struct fa_device *ret, struct assay_message *message) {
    int major = 0;
    ret->index = env->device_index;
    cudaError_t code = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, ret->index);
    if (code == cudaSuccess)
        code = cudaDeviceGetAttribute(&ret->multiprocessors, cudaDevAttrMultiProcessorCount, ret->index);
    if (code == cudaSuccess)
        code = cudaDeviceGetAttribute(&ret->l2_bytes, cudaDevAttrL2CacheSize, ret->index);
    if (code != cudaSuccess) return cuda_host_fail(message, "asking for the device's attributes", code);
    if (major != 9) return assay_say(message, ASSAY_UNSUPPORTED, "only for compute capability 9.0 (Hopper)");
    void *encode = nullptr;
    cudaDriverEntryPointQueryResult found;
    code =
        cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &encode, 12000, cudaEnableDefault, &found);
    if (code != cudaSuccess || !encode)
        return cuda_host_fail(message, "looking for cuTensorMapEncodeTiled", code);
    ret->encode = (fa_encode_fn)encode;
    return ASSAY_OK;
}

// What a problem gets. kernel: of the form, for the problem's types.
struct fa_choice {
    struct fa_way way;
    const void *kernel;
    const struct fa_device *device;
};

// Heads whose tiles are computed together, where a mask makes tiles unequal: their K and V fill about half of the L2 (Q and O pass
// through it). They divide the number of heads, so that every group has as many.
static uint32_t fa_heads_at_once(const struct attention_args &args, const struct fa_device &device) {
    const int64_t heads = args.batch * args.heads;
    const int64_t head_bytes = 2 * args.seq_k * args.head_dim * args.k.element_bytes / args.group;
    const int64_t most = head_bytes ? device.l2_bytes / 2 / head_bytes : heads;
    int64_t ret = most < 1 ? 1 : most < heads ? most : heads;
    while (heads % ret) --ret;
    return (uint32_t)ret;
}

static int fa_state_make(const struct attention_args &args, const struct fa_choice &choice,
                         struct fa_state **ret, struct assay_message *message) {
    const struct fa_form &form = *choice.way.form;
    const double tiles = fa_tiles(form, args);
    const double places = form.splits > 1
                              ? tiles // no thread block has a second one
                              : (double)choice.device->multiprocessors * form.blocks_a_multiprocessor;
    if (tiles * choice.way.splits > INT32_MAX - 65536)
        return assay_say(message, ASSAY_UNSUPPORTED, "more tiles than 31 bits count");
    const int status =
        cuda_host_reserve_shared(choice.kernel, form.shared_bytes, choice.device->index, message);
    if (status != ASSAY_OK) return status;
    struct fa_state *self = (struct fa_state *)aligned_alloc(64, (sizeof *self + 63) / 64 * 64);
    if (!self) return assay_say(message, ASSAY_FAILED, "out of memory");
    memset(self, 0, sizeof *self);
    const int64_t blocks = (int64_t)fmin(tiles, places);
    struct fa_problem *problem = &self->problem;
    problem->attention.args = args;
    problem->tile_count = (uint32_t)((args.seq_q + form.rows - 1) / form.rows);
    problem->total = (uint32_t)tiles;
    while (1 << problem->split_log2 < choice.way.splits) ++problem->split_log2;
    const uint32_t heads = (uint32_t)(args.batch * args.heads);
    problem->base.low =
        args.mask == ATTENTION_MASK_NONE ? problem->tile_count : fa_heads_at_once(args, *choice.device);
    problem->last_group = heads / problem->base.low - 1;
    problem->base.mid = args.mask == ATTENTION_MASK_NONE ? heads : problem->tile_count;
    problem->step.low = (uint32_t)blocks % problem->base.low;
    problem->step.mid = (uint32_t)blocks / problem->base.low % problem->base.mid;
    problem->step.high = (uint32_t)blocks / problem->base.low / problem->base.mid;
    problem->key_offset = args.mask == ATTENTION_MASK_BOTTOM_RIGHT ? (int32_t)(args.seq_k - args.seq_q) : 0;
    problem->scale_log2 = args.scale * FA_LOG2_E;
    self->encode = choice.device->encode;
    self->keys = form.keys;
    self->grid = {choice.kernel, blocks * choice.way.splits, form.threads, form.shared_bytes,
                  choice.way.splits};
    *ret = self;
    return ASSAY_OK;
}

// prepare. type: which of a form's kernels.
static int fa_hopper_prepare(const struct attention_args &args, const struct fa_forms_allowed &from, int type,
                             const struct assay_env *env, void **state, struct assay_message *message) {
    struct fa_device device;
    int status = fa_device_read(env, &device, message);
    if (status != ASSAY_OK) return status;
    const struct fa_way way = fa_choose(from, {&args, &device, type});
    if (!way.form)
        return assay_say(
            message, ASSAY_UNSUPPORTED,
            "this head dimension has no form with so many warpgroups (WARPGROUPS) whose tiles so "
            "many thread blocks share (SPLITS): 0 lets the kernel choose");
    struct fa_state *self = nullptr;
    status = fa_state_make(args, {way, way.form->kernels[type], &device}, &self, message);
    if (status == ASSAY_OK) *state = self;
    return status;
}

// A tensor as boxes of box_rows rows and 128 bytes.
struct fa_boxes {
    const struct attention_view *view;
    const void *data;
    int64_t rows, heads;
    int box_rows;
};

static bool fa_encode(const struct fa_state *self, const struct fa_boxes &of, CUtensorMap *ret) {
    const struct attention_args &args = self->problem.attention.args;
    const struct attention_view &view = *of.view;
    const cuuint64_t bytes = (cuuint64_t)view.element_bytes;
    const cuuint64_t size[4] = {(cuuint64_t)args.head_dim, (cuuint64_t)of.rows, (cuuint64_t)of.heads,
                                (cuuint64_t)args.batch};
    const cuuint64_t stride[3] = {(cuuint64_t)view.stride_row * bytes, (cuuint64_t)view.stride_head * bytes,
                                  (cuuint64_t)view.stride_batch * bytes};
    const cuuint64_t row_bytes = size[0] * bytes;
    const cuuint32_t box[4] = {(cuuint32_t)((row_bytes < 128 ? row_bytes : 128) / bytes),
                               (cuuint32_t)of.box_rows, 1, 1},
                     step[4] = {1, 1, 1, 1};
    const CUtensorMapDataType type = view.dtype == ASSAY_FP16   ? CU_TENSOR_MAP_DATA_TYPE_FLOAT16
                                     : view.dtype == ASSAY_BF16 ? CU_TENSOR_MAP_DATA_TYPE_BFLOAT16
                                                                : CU_TENSOR_MAP_DATA_TYPE_UINT8;
    const CUtensorMapSwizzle swizzle =
        row_bytes < 128 ? CU_TENSOR_MAP_SWIZZLE_64B : CU_TENSOR_MAP_SWIZZLE_128B;
    return self->encode(ret, type, 4, const_cast<void *>(of.data), size, stride, box, step,
                        CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle, CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
                        CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS;
}

static int fa_hopper_launch(void *state, const struct assay_tensors *tensors, void *workspace, void *stream,
                            struct assay_message *message) {
    (void)workspace;
    const struct fa_state *self = (const struct fa_state *)state;
    struct fa_problem problem = self->problem;
    const int status = attention_data_read(tensors, &problem.attention.data, message);
    if (status != ASSAY_OK) return status;
    const struct attention_args &args = problem.attention.args;
    const struct attention_data &data = problem.attention.data;
    if (!fa_encode(self, {&args.q, data.q, args.seq_q, args.heads, FA_ROWS}, &problem.q) ||
        !fa_encode(self, {&args.k, data.k, args.seq_k, args.heads_kv, self->keys}, &problem.k) ||
        !fa_encode(self, {&args.v, data.v, args.seq_k, args.heads_kv, self->keys}, &problem.v) ||
        !fa_encode(self, {&args.o, data.o, args.seq_q, args.heads, FA_WARP_ROWS}, &problem.o))
        return assay_say(message, ASSAY_FAILED,
                         "the driver takes no tensor map of Q, K, V or O: strides above 2^40 bytes?");
    return cuda_host_launch(&self->grid, &problem, stream, message);
}

static void fa_hopper_release(void *state) {
    free(state);
}

static const int64_t fa_warpgroups[] = {0, 1, 2, 3, 4};
static const int64_t fa_splits[] = {0, 1, 2, 4, FA_SPLITS_MAX};
static const struct assay_param fa_params[] = {
    {"WARPGROUPS", "warpgroups that compute; 0: by the problem", WARPGROUPS, fa_warpgroups, 5, 0},
    {"SPLITS", "thread blocks that share a tile's keys; 0: by the problem", SPLITS, fa_splits, 5, 0},
};

#endif
