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

// One of the forms that are compiled; fa_form_clk of the same place says the rest.
struct fa_form {
    const void *kernels[2]; // by type
    int threads;
    size_t shared_bytes;
};

template <typename shape, typename shared_type>
static constexpr struct fa_form fa_form_of(const void *first, const void *second) {
    static_assert(FA_SHARED_SLACK + sizeof(shared_type) <= 227 * 1024 / shape::blocks_a_multiprocessor,
                  "more shared memory than there is");
    return {{first, second}, shape::threads, FA_SHARED_SLACK + sizeof(shared_type)};
}

// An entry of a dispatch header. fa_form_with<shape>() is the kernel's own, by fa_form_of.
#define FA_FORM(dim, groups, keys, splits, alone_clk, shared_clk, tile_clk)                                  \
    fa_form_with<fa_shape<dim, groups, keys, (splits > 1)>>(),

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

// A kernel's forms, which of their kernels, the device.
struct fa_forms {
    const struct fa_form *forms;
    const struct fa_form_clk *clk;
    int count;
    int type;
    const struct fa_device *device;
};

static int fa_clusters(void *arg, int form, int splits) {
    const struct fa_forms &from = *(const struct fa_forms *)arg;
    const struct fa_form &of = from.forms[form];
    const struct cuda_grid grid = {of.kernels[from.type], splits, of.threads, of.shared_bytes, splits};
    int ret = 0;
    return cuda_host_clusters(&grid, &ret) == cudaSuccess ? ret : 0;
}

static int fa_state_make(const struct attention_args &args, const struct fa_forms &from,
                         const struct fa_way &way, struct fa_state **ret, struct assay_message *message) {
    const struct fa_form &form = from.forms[way.form];
    const struct fa_form_clk &clk = from.clk[way.form];
    const void *kernel = form.kernels[from.type];
    const double tiles = fa_tiles(&clk, &args);
    // Of a split tile no thread block has a second one.
    const double places = way.splits > 1 ? tiles
                                         : (double)from.device->multiprocessors *
                                               FA_BLOCKS_A_MULTIPROCESSOR(clk.dim, clk.groups);
    if (tiles * way.splits > INT32_MAX - 65536)
        return assay_say(message, ASSAY_UNSUPPORTED, "more tiles than 31 bits count");
    const int status = cuda_host_reserve_shared(kernel, form.shared_bytes, from.device->index, message);
    if (status != ASSAY_OK) return status;
    struct fa_state *self = (struct fa_state *)aligned_alloc(64, (sizeof *self + 63) / 64 * 64);
    if (!self) return assay_say(message, ASSAY_FAILED, "out of memory");
    memset(self, 0, sizeof *self);
    const int64_t blocks = (int64_t)fmin(tiles, places);
    struct fa_problem *problem = &self->problem;
    problem->attention.args = args;
    problem->tile_count = (uint32_t)(tiles / (double)(args.batch * args.heads));
    problem->total = (uint32_t)tiles;
    while (1 << problem->split_log2 < way.splits) ++problem->split_log2;
    const uint32_t heads = (uint32_t)(args.batch * args.heads);
    problem->base.low = args.mask == ATTENTION_MASK_NONE ? problem->tile_count
                                                         : fa_heads_at_once(&args, from.device->l2_bytes);
    problem->last_group = heads / problem->base.low - 1;
    problem->base.mid = args.mask == ATTENTION_MASK_NONE ? heads : problem->tile_count;
    problem->step.low = (uint32_t)blocks % problem->base.low;
    problem->step.mid = (uint32_t)blocks / problem->base.low % problem->base.mid;
    problem->step.high = (uint32_t)blocks / problem->base.low / problem->base.mid;
    problem->key_offset = args.mask == ATTENTION_MASK_BOTTOM_RIGHT ? (int32_t)(args.seq_k - args.seq_q) : 0;
    problem->scale_log2 = args.scale * FA_LOG2_E;
    self->encode = from.device->encode;
    self->keys = clk.keys;
    self->grid = {kernel, blocks * way.splits, form.threads, form.shared_bytes, way.splits};
    *ret = self;
    return ASSAY_OK;
}

// prepare. `from` without the device.
static int fa_hopper_prepare(const struct attention_args &args, struct fa_forms from,
                             const struct assay_env *env, void **state, struct assay_message *message) {
    struct fa_device device;
    int status = fa_device_read(env, &device, message);
    if (status != ASSAY_OK) return status;
    from.device = &device;
    const struct fa_question question = {&args, device.multiprocessors, WARPGROUPS, SPLITS, fa_clusters,
                                         &from};
    const struct fa_way way = fa_choose(from.clk, from.count, &question);
    if (way.form < 0)
        return assay_say(
            message, ASSAY_UNSUPPORTED,
            "this head dimension has no form with so many warpgroups (WARPGROUPS) whose tiles so "
            "many thread blocks share (SPLITS): 0 lets the kernel choose");
    struct fa_state *self = nullptr;
    status = fa_state_make(args, from, way, &self, message);
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
