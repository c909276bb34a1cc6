// SPDX-License-Identifier: Apache-2.0
//
// Host part of the Hopper attention kernels: supported problems, the choice of a compiled instance,
// persistent grids, and the tensor maps of a launch.
#ifndef ATTENTION_FA_HOPPER_HOST_CUH
#define ATTENTION_FA_HOPPER_HOST_CUH

#include <assay/kernel.h>
#include <cuda.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "attention/fa_hopper_producer.cuh"
#include "attention/fa_hopper_tile_scheduler.cuh"

#ifndef WARPGROUPS
#define WARPGROUPS 0
#endif
#ifndef SPLITS
#define SPLITS 0
#endif

#define FA_HOPPER_ROWS_MAX         (1 << 30) // rows, keys and their sum are counted in 32 bits
#define FA_HOPPER_SHIFT_MARGIN_MAX 8
#define FA_HOPPER_LOG2_E           1.4426950408889634f

// A compiled instance of the struct fa_hopper_tile_config with the same index.
struct fa_hopper_instance {
    const void *kernels[2]; // by type
    int threads;
    size_t shared_bytes;
};

template <typename traits, typename shared_type>
static constexpr struct fa_hopper_instance fa_hopper_instance_of(const void *first, const void *second) {
    static_assert(FA_HOPPER_SHARED_ALIGNMENT + sizeof(shared_type) <= 227 * 1024 / traits::ctas_per_sm,
                  "more shared memory than there is");
    return {{first, second}, traits::threads, FA_HOPPER_SHARED_ALIGNMENT + sizeof(shared_type)};
}

// An entry of a dispatch header as a struct fa_hopper_instance. fa_hopper_traits_for and
// fa_hopper_instance_with are each kernel's own.
#define FA_HOPPER_INSTANCE(dim, warpgroups, rows, keys, splits, alone_clk, shared_clk, tile_clk)             \
    fa_hopper_instance_with<fa_hopper_traits_for<dim, warpgroups, rows, keys, (splits > 1)>>(),

typedef CUresult (*fa_hopper_encode_fn)(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *,
                                        const cuuint64_t *, const cuuint64_t *, const cuuint32_t *,
                                        const cuuint32_t *, CUtensorMapInterleave, CUtensorMapSwizzle,
                                        CUtensorMapL2promotion, CUtensorMapFloatOOBfill);

// A weight below 2^-14 in P is rounded to a multiple of 2^-24. With a margin m that is 2^(m - 24) of a row's
// largest weight, and half of it for each key, all in one direction at worst: the margin keeps their sum
// below 2^-10 of the largest weight, as far as there is room for one.
static int fa_hopper_shift_margin(int64_t seq_k) {
    int margin = FA_HOPPER_SHIFT_MARGIN_MAX;
    while (margin > 0 && seq_k > INT64_C(1) << (15 - margin)) --margin;
    return margin;
}

struct fa_hopper_device {
    int index, multiprocessors, l2_bytes;
    fa_hopper_encode_fn encode;
};

struct fa_hopper_state {
    struct fa_hopper_problem problem;
    struct cuda_grid grid;
    fa_hopper_encode_fn encode;
    int keys, q_box_rows;
};

// Limits common to all Hopper kernels; each adds its types.
static int fa_hopper_supports(const struct attention_args &args, struct assay_message *message) {
    if (args.head_dim != 64 && args.head_dim != 128)
        return assay_say(message, ASSAY_UNSUPPORTED, "only head dimensions 64 and 128");
    if (args.seq_q > FA_HOPPER_ROWS_MAX || args.seq_k > FA_HOPPER_ROWS_MAX)
        return assay_say(message, ASSAY_UNSUPPORTED, "only up to 2^30 queries and keys");
    if (args.batch > INT32_MAX / 2 / args.heads)
        return assay_say(message, ASSAY_UNSUPPORTED, "only up to 2^30 heads of all batches");
    if (!(args.scale > 0.0f))
        return assay_say(message, ASSAY_UNSUPPORTED,
                         "the scale must be above 0: the softmax shift is taken from the scores before it");
    return ASSAY_OK;
}

static int fa_hopper_device_read(const struct assay_env *env, struct fa_hopper_device *ret,
                                 struct assay_message *message) {
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
    ret->encode = (fa_hopper_encode_fn)encode;
    return ASSAY_OK;
}

// A kernel's compiled instances, the type to run, and the device.
struct fa_hopper_instance_set {
    const struct fa_hopper_instance *instances;
    const struct fa_hopper_tile_config *tile_configs;
    int count;
    int type;                 // index into fa_hopper_instance.kernels
    attention_table_fn table; // of a tuning; null: none was recorded
    bool may_be_resident;     // whether this problem may run with resident keys
    const struct fa_hopper_device *device;
};

static int fa_hopper_max_active_clusters(void *arg, int tile_config, int splits) {
    const struct fa_hopper_instance_set &set = *(const struct fa_hopper_instance_set *)arg;
    const struct fa_hopper_instance &instance = set.instances[tile_config];
    const struct cuda_grid grid = {instance.kernels[set.type], splits, instance.threads,
                                   instance.shared_bytes, splits};
    int ret = 0;
    return cuda_host_clusters(&grid, &ret) == cudaSuccess ? ret : 0;
}

static int fa_hopper_state_make(const struct attention_args &args, const struct fa_hopper_instance_set &set,
                                const struct fa_hopper_config &config, struct fa_hopper_state **ret,
                                struct assay_message *message) {
    const struct fa_hopper_instance &instance = set.instances[config.tile_config];
    const struct fa_hopper_tile_config &tile = set.tile_configs[config.tile_config];
    const void *kernel = instance.kernels[set.type];
    const double tiles = fa_hopper_tile_count(&tile, &args);
    // With split KV and with resident keys every thread block has one tile.
    const bool has_one_each = config.splits > 1 || fa_hopper_is_resident(&tile);
    const double resident =
        has_one_each ? tiles
                     : (double)set.device->multiprocessors * FA_HOPPER_CTAS_PER_SM(tile.dim, tile.warpgroups);
    if (tiles * config.splits > INT32_MAX - 65536)
        return assay_say(message, ASSAY_UNSUPPORTED, "more tiles than 31 bits count");
    const int status = cuda_host_reserve_shared(kernel, instance.shared_bytes, set.device->index, message);
    if (status != ASSAY_OK) return status;
    struct fa_hopper_state *self = (struct fa_hopper_state *)aligned_alloc(64, (sizeof *self + 63) / 64 * 64);
    if (!self) return assay_say(message, ASSAY_FAILED, "out of memory");
    memset(self, 0, sizeof *self);
    const int64_t blocks = (int64_t)fmin(tiles, resident);
    struct fa_hopper_problem *problem = &self->problem;
    problem->attention.args = args;
    problem->tiles_per_head = (uint32_t)(tiles / (double)(args.batch * args.heads));
    problem->tiles_total = (uint32_t)tiles;
    while (1 << problem->split_log2 < config.splits) ++problem->split_log2;
    const uint32_t heads = (uint32_t)(args.batch * args.heads);
    problem->radix.low = args.mask == ATTENTION_MASK_NONE
                             ? problem->tiles_per_head
                             : fa_hopper_heads_in_l2(&args, set.device->l2_bytes);
    problem->last_head_group = heads / problem->radix.low - 1;
    problem->radix.mid = args.mask == ATTENTION_MASK_NONE ? heads : problem->tiles_per_head;
    problem->stride.low = (uint32_t)blocks % problem->radix.low;
    problem->stride.mid = (uint32_t)blocks / problem->radix.low % problem->radix.mid;
    problem->stride.high = (uint32_t)blocks / problem->radix.low / problem->radix.mid;
    problem->key_offset = args.mask == ATTENTION_MASK_BOTTOM_RIGHT ? (int32_t)(args.seq_k - args.seq_q) : 0;
    problem->scale_log2 = args.scale * FA_HOPPER_LOG2_E;
    const int margin = fa_hopper_shift_margin(args.seq_k);
    problem->shift_margin = (float)margin;
    problem->shift_margin_bits = (uint32_t)margin << 23;
    self->encode = set.device->encode;
    self->keys = tile.keys;
    self->q_box_rows = tile.rows < FA_HOPPER_WARPGROUP_ROWS ? tile.rows : FA_HOPPER_WARPGROUP_ROWS;
    self->grid = {kernel, blocks * config.splits, instance.threads, instance.shared_bytes, config.splits};
    if (fa_hopper_is_resident(&tile)) {
        self->grid.blocks = problem->tiles_per_head;
        self->grid.blocks_y = (unsigned)args.heads;
        self->grid.blocks_z = (unsigned)args.batch;
    }
    *ret = self;
    return ASSAY_OK;
}

// The common part of prepare. `set` comes without its device, which is queried here.
static int fa_hopper_prepare(const struct attention_args &args, struct fa_hopper_instance_set set,
                             const struct assay_env *env, void **state, struct assay_message *message) {
    struct fa_hopper_device device;
    int status = fa_hopper_device_read(env, &device, message);
    if (status != ASSAY_OK) return status;
    set.device = &device;
    const struct fa_hopper_heuristic_inputs inputs = {
        &args,     device.multiprocessors, WARPGROUPS, SPLITS, fa_hopper_max_active_clusters, &set,
        set.table, set.may_be_resident};
    const struct fa_hopper_config config = fa_hopper_choose_config(set.tile_configs, set.count, &inputs);
    if (config.tile_config < 0)
        return assay_say(message, ASSAY_UNSUPPORTED,
                         "no tile configuration for this problem has these WARPGROUPS and SPLITS; set "
                         "them to 0 to let the kernel choose");
    struct fa_hopper_state *self = nullptr;
    status = fa_hopper_state_make(args, set, config, &self, message);
    if (status == ASSAY_OK) *state = self;
    return status;
}

// A tensor as TMA boxes of box_rows rows and 128 bytes (the swizzle atom; 64 bytes if a row is no wider).
struct fa_hopper_tma_boxes {
    const struct attention_view *view;
    const void *data;
    int64_t rows, heads;
    int box_rows;
};

static bool fa_hopper_encode_tensor_map(const struct fa_hopper_state *self,
                                        const struct fa_hopper_tma_boxes &boxes, CUtensorMap *ret) {
    const struct attention_args &args = self->problem.attention.args;
    const struct attention_view &view = *boxes.view;
    const cuuint64_t bytes = (cuuint64_t)view.element_bytes;
    const cuuint64_t size[4] = {(cuuint64_t)args.head_dim, (cuuint64_t)boxes.rows, (cuuint64_t)boxes.heads,
                                (cuuint64_t)args.batch};
    const cuuint64_t stride[3] = {(cuuint64_t)view.stride_row * bytes, (cuuint64_t)view.stride_head * bytes,
                                  (cuuint64_t)view.stride_batch * bytes};
    const cuuint64_t row_bytes = size[0] * bytes;
    const cuuint32_t box[4] = {(cuuint32_t)((row_bytes < 128 ? row_bytes : 128) / bytes),
                               (cuuint32_t)boxes.box_rows, 1, 1},
                     step[4] = {1, 1, 1, 1};
    const CUtensorMapDataType type = view.dtype == ASSAY_FP16   ? CU_TENSOR_MAP_DATA_TYPE_FLOAT16
                                     : view.dtype == ASSAY_BF16 ? CU_TENSOR_MAP_DATA_TYPE_BFLOAT16
                                                                : CU_TENSOR_MAP_DATA_TYPE_UINT8;
    const CUtensorMapSwizzle swizzle =
        row_bytes < 128 ? CU_TENSOR_MAP_SWIZZLE_64B : CU_TENSOR_MAP_SWIZZLE_128B;
    return self->encode(ret, type, 4, const_cast<void *>(boxes.data), size, stride, box, step,
                        CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle, CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
                        CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS;
}

static int fa_hopper_launch(void *state, const struct assay_tensors *tensors, void *workspace, void *stream,
                            struct assay_message *message) {
    (void)workspace;
    const struct fa_hopper_state *self = (const struct fa_hopper_state *)state;
    struct fa_hopper_problem problem = self->problem;
    const int status = attention_data_read(tensors, &problem.attention.data, message);
    if (status != ASSAY_OK) return status;
    const struct attention_args &args = problem.attention.args;
    const struct attention_data &data = problem.attention.data;
    if (!fa_hopper_encode_tensor_map(self, {&args.q, data.q, args.seq_q, args.heads, self->q_box_rows},
                                     &problem.q) ||
        !fa_hopper_encode_tensor_map(self, {&args.k, data.k, args.seq_k, args.heads_kv, self->keys},
                                     &problem.k) ||
        !fa_hopper_encode_tensor_map(self, {&args.v, data.v, args.seq_k, args.heads_kv, self->keys},
                                     &problem.v) ||
        !fa_hopper_encode_tensor_map(self, {&args.o, data.o, args.seq_q, args.heads, FA_HOPPER_WARP_ROWS},
                                     &problem.o))
        return assay_say(message, ASSAY_FAILED,
                         "the driver accepts no tensor map of Q, K, V or O: strides above 2^40 bytes?");
    return cuda_host_launch(&self->grid, &problem, stream, message);
}

static void fa_hopper_release(void *state) {
    free(state);
}

static const int64_t fa_hopper_warpgroups_values[] = {0, 1, 2, 3, 4};
static const int64_t fa_hopper_splits_values[] = {0, 1, 2, 4, FA_HOPPER_SPLITS_MAX};
static const struct assay_param fa_hopper_params[] = {
    {"WARPGROUPS", "consumer warpgroups (at most: D = 128 has 3); 0: chosen by the problem", WARPGROUPS,
     fa_hopper_warpgroups_values, 5, 0},
    {"SPLITS",
     "split KV: thread blocks that share a tile's keys; 2 with WARPGROUPS=2: the warpgroups of one, up to "
     "512 "
     "keys; 0: chosen by the problem",
     SPLITS, fa_hopper_splits_values, 5, 0},
};

#endif
