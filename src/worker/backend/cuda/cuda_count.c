// SPDX-License-Identifier: Apache-2.0
//
// Counts through CUPTI's range profiler: a range for each device function, and the launch is repeated for
// each pass, so that every pass finds caches as a launch leaves them and inputs rotate as in timing. What
// the caches hold differs from launch to launch, so that all passes are taken several times, and a counter is
// the median.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/strbuf.h"
#include "stats/describe.h"
#include "worker/backend/counters.h"
#include "worker/backend/cuda/cuda_device_internal.h"
#include "worker/backend/cuda/cupti.h"

#define CLOCK_NAME "sm__cycles_elapsed.avg.per_second"
enum { PASSES_MAX = 256, ROUNDS = 5, SHAPE_COUNTERS = 8 + CUDA_OCCUPANCY_COUNT };

struct counting {
    struct cuda_device *cuda;
    const struct cupti *cupti;
    const struct counter_request *request;
    struct cupti_shapes shapes;
    struct cupti_metrics metrics;
    cupti_ranges ranges;
    size_t data_bytes;
    uint8_t *data;
    double *values; // [ROUNDS][shapes.count][metrics.count]
};

// The values of a device function in a round.
static double *values_of(const struct counting *counting, size_t round, size_t shape) {
    return counting->values + (round * counting->shapes.count + shape) * counting->metrics.count;
}

// ---- what the device has ----

static int record_shapes(struct counting *counting, struct err *err) {
    const struct counter_request *request = counting->request;
    TRY(request->launch(request->arg, err)); // loads what is loaded late
    TRY(cupti_shapes_begin(counting->cupti, err));
    const int code = request->launch(request->arg, err);
    TRY(cupti_shapes_end(counting->cupti, &counting->shapes, code < 0 ? NULL : err));
    TRY(code);
    if (counting->shapes.count) return 0;
    return err_set(err, ERR_UNAVAILABLE, "a launch ran no device function that CUPTI records");
}

static int read_availability(const struct counting *counting, uint8_t **ret, struct err *err) {
    struct cupti_availability params = {.bytes = CUPTI_BYTES(struct cupti_availability, image),
                                        .context = counting->cuda->context};
    cupti_result code = counting->cupti->get_availability(&params);
    if (code) return cupti_fail(counting->cupti, code, "the counters cannot be read", err);
    uint8_t *image = params.image = mem_alloc(params.image_bytes);
    code = counting->cupti->get_availability(&params);
    if (code) {
        free(image);
        return cupti_fail(counting->cupti, code, "the counters cannot be read", err);
    }
    *ret = image;
    return 0;
}

static int say_unknown(const struct counting *counting, const struct strbuf *unknown, struct err *err) {
    struct strbuf text = {0};
    if (!unknown->length) return 0;
    strbuf_addf(&text, "this chip does not count: %s", strbuf_text(unknown));
    const int code = counting->request->on_note(counting->request->arg, strbuf_text(&text), err);
    strbuf_fini(&text);
    return code;
}

static int open_metrics(struct counting *counting, struct err *err) {
    struct cupti_plain plain = {.bytes = CUPTI_BYTES(struct cupti_plain, reserved)};
    struct cupti_chip_name chip = {.bytes = CUPTI_BYTES(struct cupti_chip_name, ret_name),
                                   .device_index = (size_t)counting->cuda->ordinal};
    struct strbuf unknown = {0};
    uint8_t *availability = NULL;
    cupti_result failed = counting->cupti->initialize(&plain);
    if (!failed) failed = counting->cupti->get_chip_name(&chip);
    if (failed) return cupti_fail(counting->cupti, failed, "the GPU's chip cannot be profiled", err);
    int code = read_availability(counting, &availability, err);
    const struct cupti_metrics_request request = {.chip = chip.ret_name,
                                                  .availability = availability,
                                                  .name_count = counting->request->name_count,
                                                  .names = counting->request->names};
    if (code == 0) code = cupti_metrics_open(counting->cupti, &request, &counting->metrics, &unknown, err);
    if (code == 0) code = say_unknown(counting, &unknown, err);
    strbuf_fini(&unknown);
    free(availability);
    return code;
}

// ---- passes ----

static int open_ranges(struct counting *counting, struct err *err) {
    static const char what[] = "counting cannot begin";
    const struct cupti *cupti = counting->cupti;
    const struct cupti_metrics *metrics = &counting->metrics;
    struct cupti_ranges_enable enable = {.bytes = CUPTI_BYTES(struct cupti_ranges_enable, ret_ranges),
                                         .context = counting->cuda->context};
    cupti_result code = cupti->ranges_enable(&enable);
    if (code) return cupti_fail(cupti, code, what, err);
    counting->ranges = enable.ret_ranges;
    struct cupti_data_size size = {.bytes = CUPTI_BYTES(struct cupti_data_size, ret_bytes),
                                   .ranges = counting->ranges,
                                   .names = metrics->names,
                                   .count = metrics->count,
                                   .range_count_max = counting->shapes.count,
                                   .node_count_max = (uint32_t)counting->shapes.count};
    code = cupti->get_data_size(&size);
    if (code) return cupti_fail(cupti, code, what, err);
    counting->data_bytes = size.ret_bytes;
    counting->data = mem_alloc(size.ret_bytes);
    struct cupti_data_init init = {.bytes = CUPTI_BYTES(struct cupti_data_init, data),
                                   .ranges = counting->ranges,
                                   .data_bytes = counting->data_bytes,
                                   .data = counting->data};
    struct cupti_set_config config = {.bytes = CUPTI_BYTES(struct cupti_set_config, nesting_level),
                                      .ranges = counting->ranges,
                                      .image_bytes = metrics->image_bytes,
                                      .image = metrics->image,
                                      .data_bytes = counting->data_bytes,
                                      .data = counting->data,
                                      .range_mode = CUPTI_RANGE_PER_LAUNCH,
                                      .replay_mode = CUPTI_REPLAY_BY_CALLER,
                                      .range_count_max = counting->shapes.count,
                                      .nesting_levels = 1,
                                      .nesting_level_least = 1,
                                      .nesting_level = 1};
    code = cupti->init_data(&init);
    if (!code) code = cupti->set_config(&config);
    return code ? cupti_fail(cupti, code, what, err) : 0;
}

static int take_pass(struct counting *counting, bool *ret_is_complete, struct err *err) {
    const struct cupti *cupti = counting->cupti;
    struct cupti_ranges_only begin = {.bytes = CUPTI_BYTES(struct cupti_ranges_only, ranges),
                                      .ranges = counting->ranges};
    struct cupti_ranges_stop end = {.bytes = CUPTI_BYTES(struct cupti_ranges_stop, ret_is_complete),
                                    .ranges = counting->ranges};
    cupti_result failed = cupti->start(&begin);
    if (failed) return cupti_fail(cupti, failed, "a pass over the counters cannot begin", err);
    const int code = counting->request->launch(counting->request->arg, err);
    failed = cupti->stop(&end);
    TRY(code);
    if (failed) return cupti_fail(cupti, failed, "a pass over the counters did not end", err);
    *ret_is_complete = end.ret_is_complete != 0;
    return 0;
}

static int take_passes(struct counting *counting, struct err *err) {
    bool is_complete = false;
    for (int pass = 0; pass < PASSES_MAX && !is_complete; ++pass) TRY(take_pass(counting, &is_complete, err));
    if (!is_complete)
        return err_set(err, ERR_UNAVAILABLE, "the counters need more than %d passes", PASSES_MAX);
    struct cupti_decode decode = {.bytes = CUPTI_BYTES(struct cupti_decode, ret_dropped),
                                  .ranges = counting->ranges};
    const cupti_result code = counting->cupti->decode(&decode);
    if (code) return cupti_fail(counting->cupti, code, "the counters cannot be decoded", err);
    if (!decode.ret_dropped) return 0;
    return err_set(err, ERR_UNAVAILABLE,
                   "launches run different device functions each time: %zu more than the first one ran",
                   decode.ret_dropped);
}

// What the passes of a round counted.
static int evaluate(const struct counting *counting, size_t round, struct err *err) {
    struct cupti_range_count found = {.bytes = CUPTI_BYTES(struct cupti_range_count, ret_count),
                                      .data = counting->data,
                                      .data_bytes = counting->data_bytes};
    const cupti_result failed = counting->cupti->get_range_count(&found);
    if (failed) return cupti_fail(counting->cupti, failed, "the counters cannot be read", err);
    if (found.ret_count != counting->shapes.count)
        return err_set(err, ERR_UNAVAILABLE,
                       "launches run different device functions each time: %zu were recorded, %zu counted",
                       counting->shapes.count, found.ret_count);
    for (size_t i = 0; i < found.ret_count; ++i)
        TRY(cupti_metrics_evaluate(&counting->metrics, counting->data, counting->data_bytes, i,
                                   values_of(counting, round, i), err));
    return 0;
}

static void close_ranges(struct counting *counting) {
    struct cupti_ranges_only ranges = {.bytes = CUPTI_BYTES(struct cupti_ranges_only, ranges),
                                       .ranges = counting->ranges};
    if (counting->ranges) (void)counting->cupti->ranges_disable(&ranges);
    free(counting->data);
    counting->ranges = NULL;
    counting->data = NULL;
}

// ---- what was counted ----

static struct cuda_sm_limits limits_of(const struct cuda_device *cuda) {
    struct cuda_sm_limits limits = {0};
    const struct {
        int attribute;
        uint32_t *member;
    } wanted[] = {
        {CUDA_ATTRIBUTE_THREADS_PER_SM, &limits.threads},
        {CUDA_ATTRIBUTE_BLOCKS_PER_SM, &limits.blocks},
        {CUDA_ATTRIBUTE_REGISTERS_PER_SM, &limits.registers},
        {CUDA_ATTRIBUTE_SHARED_BYTES_PER_SM, &limits.shared_bytes},
        {CUDA_ATTRIBUTE_SHARED_BYTES_RESERVED, &limits.reserved_shared_bytes},
    };
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; ++i) {
        int value = 0;
        if (!cuda->driver->device_get_attribute(&value, wanted[i].attribute, cuda->ordinal) && value > 0)
            *wanted[i].member = (uint32_t)value;
    }
    return limits;
}

static uint64_t volume(const int32_t axes[3]) {
    return (uint64_t)axes[0] * (uint64_t)axes[1] * (uint64_t)axes[2];
}

static size_t add_occupancy(const uint32_t limits[CUDA_OCCUPANCY_COUNT], struct counter *ret) {
    static const char *const names[CUDA_OCCUPANCY_COUNT] = {
        [CUDA_OCCUPANCY_WARPS] = "launch__occupancy_limit_warps",
        [CUDA_OCCUPANCY_BLOCKS] = "launch__occupancy_limit_blocks",
        [CUDA_OCCUPANCY_REGISTERS] = "launch__occupancy_limit_registers",
        [CUDA_OCCUPANCY_SHARED] = "launch__occupancy_limit_shared_mem",
    };
    size_t count = 0;
    for (int i = 0; i < CUDA_OCCUPANCY_COUNT; ++i)
        if (limits[i] != UINT32_MAX) ret[count++] = (struct counter){names[i], limits[i]};
    return count;
}

// What Nsight Compute has of a launch besides counters, under its names.
static size_t add_shape(const struct counting *counting, const struct cupti_shape *shape,
                        struct counter *ret) {
    const struct cuda_sm_limits limits = limits_of(counting->cuda);
    const uint64_t blocks = volume(shape->grid);
    const struct cuda_block block = {.threads = (uint32_t)volume(shape->block),
                                     .registers = shape->registers,
                                     .shared_bytes = shape->shared_bytes};
    uint32_t blocks_by[CUDA_OCCUPANCY_COUNT];
    cuda_occupancy(&limits, &block, blocks_by);
    const uint32_t resident = cuda_blocks_per_sm(blocks_by);
    size_t count = add_occupancy(blocks_by, ret);
    ret[count++] = (struct counter){"gpu__time_duration.sum", (double)shape->duration_ns};
    ret[count++] = (struct counter){"launch__registers_per_thread", shape->registers};
    ret[count++] = (struct counter){"launch__shared_mem_per_block", shape->shared_bytes};
    ret[count++] = (struct counter){"launch__block_size", block.threads};
    ret[count++] = (struct counter){"launch__grid_size", (double)blocks};
    if (!resident || !counting->cuda->sm_count) return count;
    ret[count++] = (struct counter){"launch__waves_per_multiprocessor",
                                    (double)blocks / ((double)resident * counting->cuda->sm_count)};
    ret[count++] = (struct counter){"sm__maximum_warps_per_active_cycle_pct",
                                    100.0 * resident * ((block.threads + 31) / 32) / (limits.threads / 32)};
    return count;
}

static void axes_text(const int32_t axes[3], char text[48]) {
    snprintf(text, 48, "(%d, %d, %d)", (int)axes[0], (int)axes[1], (int)axes[2]);
}

static int report_function(const struct counting *counting, const struct cupti_shape *shape,
                           struct counter *counters, size_t count, struct err *err) {
    char block[48], grid[48];
    axes_text(shape->block, block);
    axes_text(shape->grid, grid);
    const struct launch_counters counted = {.function = shape->function,
                                            .block = block,
                                            .grid = grid,
                                            .counter_count = count,
                                            .counters = counters};
    return counting->request->on_counted(counting->request->arg, &counted, err);
}

// NAN: no round has a value.
static double median_of(const struct counting *counting, size_t shape, size_t metric) {
    double values[ROUNDS];
    size_t count = 0;
    for (size_t round = 0; round < ROUNDS; ++round) {
        const double value = values_of(counting, round, shape)[metric];
        if (!isnan(value)) values[count++] = value; // a ratio over nothing has no value
    }
    return describe_unsorted_median(values, count);
}

// Adds how far the rounds are apart in clock: rates of one round are not those of another then.
static size_t add_clock_spread(const struct counting *counting, size_t shape, struct counter *ret) {
    const struct cupti_metrics *metrics = &counting->metrics;
    size_t clock = 0;
    while (clock < metrics->count && strcmp(metrics->names[clock], CLOCK_NAME) != 0) ++clock;
    if (clock == metrics->count) return 0;
    double lowest = NAN, highest = NAN; // fmin and fmax prefer the number
    for (size_t round = 0; round < ROUNDS; ++round) {
        lowest = fmin(lowest, values_of(counting, round, shape)[clock]);
        highest = fmax(highest, values_of(counting, round, shape)[clock]);
    }
    if (!(lowest > 0)) return 0;
    *ret = (struct counter){CLOCK_SPREAD_NAME, 100 * (highest / lowest - 1)};
    return 1;
}

static int report(const struct counting *counting, struct err *err) {
    const struct cupti_metrics *metrics = &counting->metrics;
    struct counter *counters = mem_alloc((metrics->count + SHAPE_COUNTERS) * sizeof *counters);
    int code = 0;
    for (size_t shape = 0; shape < counting->shapes.count && code == 0; ++shape) {
        size_t count = add_shape(counting, &counting->shapes.items[shape], counters);
        for (size_t i = 0; i < metrics->count; ++i) {
            const double value = median_of(counting, shape, i);
            if (!isnan(value)) counters[count++] = (struct counter){metrics->names[i], value};
        }
        count += add_clock_spread(counting, shape, counters + count);
        code = report_function(counting, &counting->shapes.items[shape], counters, count, err);
    }
    free(counters);
    return code;
}

static int count_all(struct counting *counting, struct err *err) {
    TRY(open_metrics(counting, err));
    counting->values =
        mem_alloc(ROUNDS * counting->shapes.count * counting->metrics.count * sizeof *counting->values);
    for (size_t round = 0; round < ROUNDS; ++round) {
        TRY(open_ranges(counting, err));
        TRY(take_passes(counting, err));
        TRY(evaluate(counting, round, err));
        close_ranges(counting);
    }
    return report(counting, err);
}

// Which functions run, without counters and the permission for them.
static int report_shapes(const struct counting *counting, struct err *err) {
    struct counter counters[SHAPE_COUNTERS];
    for (size_t i = 0; i < counting->shapes.count; ++i) {
        const size_t count = add_shape(counting, &counting->shapes.items[i], counters);
        TRY(report_function(counting, &counting->shapes.items[i], counters, count, err));
    }
    return 0;
}

static void close_counting(struct counting *counting) {
    close_ranges(counting);
    cupti_metrics_close(&counting->metrics);
    cupti_shapes_free(&counting->shapes);
    free(counting->values);
}

int cuda_count(struct device *device, const struct counter_request *request, struct err *err) {
    struct counting counting = {.cuda = cuda_device_of(device), .request = request};
    TRY(cuda_enter(counting.cuda, err));
    TRY(cupti_get(&counting.cupti, err));
    int code = record_shapes(&counting, err);
    if (code == 0) code = request->name_count ? count_all(&counting, err) : report_shapes(&counting, err);
    close_counting(&counting);
    return code;
}
