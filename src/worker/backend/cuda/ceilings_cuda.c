// SPDX-License-Identifier: Apache-2.0
//
// The ceilings of a GPU, by kernels of our own (src/device/ceiling_kernels.cu): each is first timed in short
// windows with pauses, as samples are in the cool power mode, in grids of several sizes; the best window
// counts. Then each runs for a second without a pause, and all of it counts: what the power limit allows.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "device/ceiling_kernel_args.h"
#include "device/device_kernel_text.h"
#include "worker/backend/cuda/cuda_device_internal.h"

#define WINDOW_NS          2e6 // long against the start of a grid, short against a power limit's answer
#define WINDOW_FIRST_SHARE 0.1 // a first window at least this long tells how long others will be
#define WINDOWS            24  // of each grid size
#define BLOCKS_PER_SM_MOST 8   // grid sizes: 1, 2, 4, 8 blocks a multiprocessor
#define SUSTAINED_NS       1e9
#define SUSTAINED_LAUNCH   5     // windows in a launch: starts of grids do not count there
#define SPIN_NS            50000 // enough to enqueue a window behind
#define AMOUNT_FIRST       16u
#define AMOUNT_MOST        (1u << 24)
#define MEMORY_COVER       64u // of the L2: what it keeps from one walk to the next is little then
#define MEMORY_SHARE       8u  // at most one part in so many of the device's memory, for each of two buffers
#define L2_BYTES_UNKNOWN   ((uint64_t)64 << 20)
#define SEED               18u

// What a block does in one step: FLOP, or bytes that are read plus bytes that are written.
#define FMA_FLOP (2.0 * DEV_CEILING_THREADS * DEV_CEILING_FMA_CHAINS * DEV_CEILING_FMA_STEPS)
// Of numbers of one byte; a row holds half as many of two bytes.
#define MMA_FLOP                                                                                             \
    (2.0 * (DEV_CEILING_THREADS / 32) * DEV_CEILING_MMA_A_ROWS * DEV_CEILING_MMA_B_ROWS * 4 *                \
     DEV_CEILING_MMA_ROW_WORDS)
#define WGMMA_FLOP                                                                                           \
    (2.0 * DEV_CEILING_WGMMA_GROUPS * DEV_CEILING_WGMMA_A_ROWS * DEV_CEILING_WGMMA_B_ROWS * 4 *              \
     DEV_CEILING_WGMMA_ROW_WORDS)

// ---- images ----

// By the chip: wgmma is in 9.0 alone; from 8.9 on mma.sync takes fp8. Chips of 10 and 11 have another, wider
// instruction, and a rate of mma.sync would be no ceiling there: their matrix rates stay unknown.
struct image {
    const char *code;
    const char *instruction;
    double matrix_flop; // of a block in one step, with numbers of one byte; 0: not measured
};

static unsigned capability_of(const struct cuda_device *cuda) {
    return (unsigned)strtoul(cuda->device.info.isa + sizeof "sm_" - 1, NULL, 10);
}

static struct image image_of(unsigned capability) {
    if (capability == 90) return (struct image){assay_ceiling_kernels_sm90a, "wgmma m64n256", WGMMA_FLOP};
    if (capability >= 100 && capability < 120) return (struct image){assay_ceiling_kernels_sm89, "", 0};
    return (struct image){capability >= 89 ? assay_ceiling_kernels_sm89 : assay_ceiling_kernels_sm80,
                          "mma.sync m16n8", MMA_FLOP};
}

int cuda_ceiling_kernels_load(struct cuda_device *cuda, cuda_module *ret, struct err *err) {
    const char *code = image_of(capability_of(cuda)).code;
    TRY(cuda_enter(cuda, err));
    const cuda_result status = cuda->driver->module_load_data(ret, cuda_kernel_image(cuda->driver, code));
    return status ? cuda_call_fail(cuda, status, err,
                                   "the driver (%s) rejects the kernels that measure ceilings",
                                   cuda->device.info.driver)
                  : 0;
}

// ---- figures ----

enum work { WORK_OF_FMA = 1, WORK_OF_MATRIX, WORK_OF_MEMORY, WORK_OF_L2 };

static const struct figure {
    const char *name, *entry; // record/ceiling.h, ceiling_kernels.cu
    enum work work;
    unsigned scale; // matrix: bytes of a number; memory: bytes moved for each byte walked, 2 for a copy
    unsigned capability_least;
} figures[] = {
    {"fp32_fma_gflop_per_s", "assay_ceiling_fma", WORK_OF_FMA, 1, 0},
    {"fp16_matrix_gflop_per_s", "assay_ceiling_matrix_fp16", WORK_OF_MATRIX, 2, 0},
    {"bf16_matrix_gflop_per_s", "assay_ceiling_matrix_bf16", WORK_OF_MATRIX, 2, 0},
    {"tf32_matrix_gflop_per_s", "assay_ceiling_matrix_tf32", WORK_OF_MATRIX, 4, 0},
    {"e4m3_matrix_gflop_per_s", "assay_ceiling_matrix_e4m3", WORK_OF_MATRIX, 1, 89},
    {"read_gb_per_s", "assay_ceiling_read", WORK_OF_MEMORY, 1, 0},
    {"write_gb_per_s", "assay_ceiling_write", WORK_OF_MEMORY, 1, 0},
    {"copy_gb_per_s", "assay_ceiling_copy", WORK_OF_MEMORY, 2, 0},
    {"l2_read_gb_per_s", "assay_ceiling_read", WORK_OF_L2, 1, 0},
};
#define FIGURE_COUNT (sizeof figures / sizeof *figures)

// How the blocks of a launch cover the work.
enum grid {
    GRID_OF_SMS = 0, // so many blocks a multiprocessor, each of many steps
    GRID_OF_TILES,   // a block for each tile of memory: one walk
    GRID_OF_DRIVER,  // the driver's own copy of the memory
};

// How a figure is measured: set by its first windows.
struct shape {
    cuda_function function; // NULL: the figure is not measured on this chip
    enum grid grid;
    uint32_t blocks_per_sm;
    uint32_t amount; // steps of a block
};

struct bench {
    struct cuda_device *cuda;
    struct image image;
    cuda_module module;
    cuda_event begin, end;
    cuda_address from, to; // of memory_tiles tiles each
    uint32_t memory_tiles, l2_tiles;
    struct shape shapes[FIGURE_COUNT];
    ceiling_fn *on_ceiling;
    void *arg;
};

struct window {
    double ns, clock_hz;
};

static double step_work(const struct bench *bench, const struct figure *figure) {
    switch (figure->work) {
    case WORK_OF_FMA: return FMA_FLOP;
    case WORK_OF_MATRIX: return bench->image.matrix_flop / figure->scale;
    case WORK_OF_MEMORY:
    case WORK_OF_L2: break;
    }
    return (double)figure->scale * DEV_CEILING_TILE_BYTES;
}

static uint32_t tiles_of(const struct bench *bench, const struct figure *figure) {
    return figure->work == WORK_OF_L2 ? bench->l2_tiles : bench->memory_tiles;
}

static uint32_t blocks_of(const struct bench *bench, const struct figure *figure, const struct shape *shape) {
    return shape->grid == GRID_OF_SMS ? shape->blocks_per_sm * bench->cuda->sm_count
                                      : tiles_of(bench, figure);
}

// FLOP or bytes of a launch.
static double launch_work(const struct bench *bench, const struct figure *figure, const struct shape *shape) {
    return step_work(bench, figure) * shape->amount * blocks_of(bench, figure, shape);
}

static struct kernel_launch make_launch(const struct bench *bench, const struct figure *figure,
                                        const struct shape *shape) {
    const uint32_t blocks = blocks_of(bench, figure, shape);
    const struct dev_ceiling_compute compute = {.seed = SEED, .repeats = shape->amount};
    const struct dev_ceiling_memory memory = {
        .from = (const void *)(uintptr_t)bench->from,
        .to = (void *)(uintptr_t)bench->to,
        .seed = SEED,
        .tile_count = tiles_of(bench, figure),
        .items = shape->amount,
    };
    const bool is_compute = figure->work == WORK_OF_FMA || figure->work == WORK_OF_MATRIX;
    return kernel_launch_make(figure->entry, blocks,
                              is_compute ? DEV_CEILING_THREADS : DEV_CEILING_MEMORY_THREADS,
                              is_compute ? (const void *)&compute : (const void *)&memory,
                              is_compute ? sizeof compute : sizeof memory);
}

// So many launches one after the other, timed by events, with the clock of the multiprocessors meanwhile.
static int time_launches(const struct bench *bench, const struct figure *figure, const struct shape *shape,
                         uint32_t count, struct window *ret, struct err *err) {
    struct cuda_device *cuda = bench->cuda;
    const struct cuda_driver *driver = cuda->driver;
    const struct kernel_launch launch = make_launch(bench, figure, shape);
    const size_t bytes = (size_t)bench->memory_tiles * DEV_CEILING_TILE_BYTES;
    float ms = 0;
    TRY(cuda_spin(cuda, SPIN_NS, err));
    TRY(cuda_stamp(cuda, 0, err));
    cuda_result code = driver->event_record(bench->begin, cuda->stream);
    for (uint32_t i = 0; i < count && code == CUDA_OK; ++i) {
        if (shape->grid == GRID_OF_DRIVER)
            code = driver->memcpy_dtod(bench->to, bench->from, bytes, cuda->stream);
        else
            TRY(cuda_function_run(cuda, shape->function, &launch, err));
    }
    if (code == CUDA_OK) code = driver->event_record(bench->end, cuda->stream);
    TRY(cuda_stamp(cuda, 1, err));
    if (code == CUDA_OK) code = driver->stream_synchronize(cuda->stream);
    if (code == CUDA_OK) code = driver->event_elapsed_ms(&ms, bench->begin, bench->end);
    if (code) return cuda_call_fail(cuda, code, err, "the ceiling '%s' cannot be measured", figure->name);
    *ret = (struct window){.ns = 1e6 * (double)ms, .clock_hz = cuda_stamped_hz(cuda)};
    return 0;
}

// ---- the cool power mode ----

// Sets shape->amount so that a window lasts WINDOW_NS; a walk over the memory is one step of each block.
static int find_amount(const struct bench *bench, const struct figure *figure, struct shape *shape,
                       struct err *err) {
    struct window window = {0};
    if (shape->grid != GRID_OF_SMS) {
        shape->amount = 1;
        return time_launches(bench, figure, shape, 1, &window, err);
    }
    shape->amount = AMOUNT_FIRST;
    TRY(time_launches(bench, figure, shape, 1, &window, err)); // the first launch of a function loads it
    for (;; shape->amount *= 4) {
        TRY(time_launches(bench, figure, shape, 1, &window, err));
        if (window.ns >= WINDOW_FIRST_SHARE * WINDOW_NS || shape->amount >= AMOUNT_MOST) break;
    }
    const double amount = shape->amount * WINDOW_NS / fmax(window.ns, 1);
    shape->amount = (uint32_t)fmin(fmax(amount, 1), AMOUNT_MOST);
    return 0;
}

static void describe(const struct bench *bench, const struct figure *figure, const struct shape *shape,
                     char *text, size_t capacity) {
    const double mib = (double)tiles_of(bench, figure) * DEV_CEILING_TILE_BYTES / (1 << 20);
    const char *instruction = figure->work == WORK_OF_MATRIX ? bench->image.instruction : "";
    if (figure->work == WORK_OF_MATRIX || figure->work == WORK_OF_FMA)
        snprintf(text, capacity, "%s%s%u blocks a multiprocessor", instruction, *instruction ? ", " : "",
                 shape->blocks_per_sm);
    else if (shape->grid == GRID_OF_SMS)
        snprintf(text, capacity, "%.1f MiB, %u blocks a multiprocessor", mib, shape->blocks_per_sm);
    else
        snprintf(text, capacity, "%.1f MiB, %s", mib,
                 shape->grid == GRID_OF_TILES ? "a block a tile" : "the driver's copy");
}

static int report(const struct bench *bench, const struct figure *figure, const struct shape *shape,
                  struct ceiling *ceiling, struct err *err) {
    char detail[128];
    describe(bench, figure, shape, detail, sizeof detail);
    ceiling->name = figure->name;
    ceiling->detail = detail;
    return bench->on_ceiling(bench->arg, ceiling, err);
}

// Keeps the best window of this shape, and with it the shape.
static int try_shape(const struct bench *bench, const struct figure *figure, const struct shape *tried,
                     struct shape *best, struct ceiling *ceiling, struct err *err) {
    struct shape shape = *tried;
    TRY(find_amount(bench, figure, &shape, err));
    const double work = launch_work(bench, figure, &shape);
    for (int i = 0; i < WINDOWS; ++i) {
        struct window window;
        TRY(time_launches(bench, figure, &shape, 1, &window, err));
        clock_sleep_ns((uint64_t)(bench->cuda->device.cooldown_ratio * window.ns));
        if (!(window.ns > 0) || !(work / window.ns > ceiling->value)) continue;
        ceiling->value = work / window.ns; // work per ns is giga-work per second
        ceiling->clock_hz = window.clock_hz;
        *best = shape;
    }
    return 0;
}

// The best window of all grids; *best becomes its shape.
static int measure_cool(const struct bench *bench, const struct figure *figure, struct shape *best,
                        struct err *err) {
    struct ceiling ceiling = {.power_mode = "cool", .clock_hz = NAN};
    struct shape shape = *best;
    for (shape.blocks_per_sm = 1; shape.blocks_per_sm <= BLOCKS_PER_SM_MOST; shape.blocks_per_sm *= 2)
        TRY(try_shape(bench, figure, &shape, best, &ceiling, err));
    for (shape.grid = GRID_OF_TILES; figure->work == WORK_OF_MEMORY && shape.grid <= GRID_OF_DRIVER;
         ++shape.grid)
        if (shape.grid == GRID_OF_TILES || figure->scale > 1)
            TRY(try_shape(bench, figure, &shape, best, &ceiling, err));
    return report(bench, figure, best, &ceiling, err);
}

// ---- the sustained power mode ----

static int measure_sustained(const struct bench *bench, const struct figure *figure, const struct shape *best,
                             struct err *err) {
    struct shape shape = *best;
    struct window window;
    if (shape.grid == GRID_OF_SMS) shape.amount *= SUSTAINED_LAUNCH;
    TRY(time_launches(bench, figure, &shape, 1, &window, err));
    const uint32_t count = 1 + (uint32_t)(SUSTAINED_NS / fmax(window.ns, 1));
    TRY(time_launches(bench, figure, &shape, count, &window, err));
    struct ceiling ceiling = {.power_mode = "sustained",
                              .value = launch_work(bench, figure, &shape) * count / window.ns,
                              .clock_hz = window.clock_hz};
    return report(bench, figure, &shape, &ceiling, err);
}

// ---- all figures ----

static int open_memory(struct bench *bench, struct err *err) {
    struct cuda_device *cuda = bench->cuda;
    const uint64_t l2_bytes = cuda->device.info.l2_bytes ? cuda->device.info.l2_bytes : L2_BYTES_UNKNOWN;
    uint64_t memory_bytes = MEMORY_COVER * l2_bytes;
    if (cuda->device.info.memory_bytes && memory_bytes > cuda->device.info.memory_bytes / MEMORY_SHARE)
        memory_bytes = cuda->device.info.memory_bytes / MEMORY_SHARE;
    bench->memory_tiles = 1 + (uint32_t)(memory_bytes / DEV_CEILING_TILE_BYTES);
    bench->l2_tiles = 1 + (uint32_t)(l2_bytes / 2 / DEV_CEILING_TILE_BYTES);
    const size_t bytes = (size_t)bench->memory_tiles * DEV_CEILING_TILE_BYTES;
    cuda_result code = cuda->driver->mem_alloc(&bench->from, bytes);
    if (code == CUDA_OK) code = cuda->driver->mem_alloc(&bench->to, bytes);
    return code ? cuda_memory_fail(cuda, code, "measuring the bandwidth", bytes, err) : 0;
}

static int open_bench(struct bench *bench, struct err *err) {
    struct cuda_device *cuda = bench->cuda;
    const struct cuda_driver *driver = cuda->driver;
    const unsigned capability = capability_of(cuda);
    bench->image = image_of(capability);
    TRY(cuda_ceiling_kernels_load(cuda, &bench->module, err));
    cuda_result code = driver->event_create(&bench->begin, CUDA_EVENT_DEFAULT_FLAG);
    if (code == CUDA_OK) code = driver->event_create(&bench->end, CUDA_EVENT_DEFAULT_FLAG);
    for (size_t i = 0; i < FIGURE_COUNT && code == CUDA_OK; ++i) {
        const bool is_there = figures[i].capability_least <= capability &&
                              (figures[i].work != WORK_OF_MATRIX || bench->image.matrix_flop > 0);
        if (is_there)
            code = driver->module_get_function(&bench->shapes[i].function, bench->module, figures[i].entry);
    }
    if (code) return cuda_call_fail(cuda, code, err, "the ceilings of the device cannot be measured");
    return open_memory(bench, err);
}

// Works on a bench that is half open, and on a lost context: every call may fail then.
static void close_bench(struct bench *bench) {
    const struct cuda_driver *driver = bench->cuda->driver;
    if (bench->from) (void)driver->mem_free(bench->from);
    if (bench->to) (void)driver->mem_free(bench->to);
    if (bench->begin) (void)driver->event_destroy(bench->begin);
    if (bench->end) (void)driver->event_destroy(bench->end);
    if (bench->module) (void)driver->module_unload(bench->module);
}

// What is read holds random words: the tile of assay_ceiling_write, everywhere.
static int fill_memory(struct bench *bench, struct err *err) {
    struct bench swapped = *bench;
    const struct figure fill = {
        .name = "write_gb_per_s", .entry = "assay_ceiling_write", .work = WORK_OF_MEMORY};
    struct shape shape = {.grid = GRID_OF_TILES, .amount = 1};
    struct window window;
    swapped.to = bench->from;
    const cuda_result code =
        bench->cuda->driver->module_get_function(&shape.function, bench->module, fill.entry);
    if (code) return cuda_call_fail(bench->cuda, code, err, "memory cannot be filled");
    return time_launches(&swapped, &fill, &shape, 1, &window, err);
}

int cuda_measure_ceilings(struct device *device, ceiling_fn *on_ceiling, void *arg, struct err *err) {
    struct bench bench = {.cuda = cuda_device_of(device), .on_ceiling = on_ceiling, .arg = arg};
    int code = open_bench(&bench, err);
    if (code == 0) code = fill_memory(&bench, err);
    for (size_t i = 0; i < FIGURE_COUNT && code == 0; ++i)
        if (bench.shapes[i].function) code = measure_cool(&bench, &figures[i], &bench.shapes[i], err);
    // The device is warm from now on, as it is in that mode.
    for (size_t i = 0; i < FIGURE_COUNT && code == 0; ++i)
        if (bench.shapes[i].function) code = measure_sustained(&bench, &figures[i], &bench.shapes[i], err);
    close_bench(&bench);
    return code;
}
