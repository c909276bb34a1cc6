// SPDX-License-Identifier: Apache-2.0
//
// CUPTI, NVIDIA's library for counters, loaded when a profile is asked for and never linked. The declarations
// are ours, after its documentation (CUDA 12.6 and newer); tests/unit/test_cupti_layout.c compares them with
// its headers where these are installed.
//   cupti.c           the library and its errors
//   cupti_metrics.c   which metrics a chip has, how many passes they take, their values; needs no GPU
//   cupti_launches.c  which device functions a launch runs, and their shapes
//   cuda_count.c      counts: passes over the launches of a kernel
#ifndef WORKER_BACKEND_CUDA_CUPTI_H
#define WORKER_BACKEND_CUDA_CUPTI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "worker/backend/cuda/cuda_driver.h"

typedef int cupti_result; // 0: success
typedef struct cupti_host_opaque *cupti_host;
typedef struct cupti_ranges_opaque *cupti_ranges;

enum {
    CUPTI_OK = 0,
    CUPTI_END_OF_LIST = 12, // CUPTI_ERROR_MAX_LIMIT_REACHED
    CUPTI_HARDWARE_BUSY = 26,
    CUPTI_NO_PRIVILEGE = 35,
    CUPTI_VIRTUAL_NO_PRIVILEGE = 40,
    CUPTI_CONFIDENTIAL = 41,
    CUPTI_MIG = 43,
    CUPTI_CHIP_UNKNOWN = 46,
    CUPTI_OF_RANGES = 0,         // CUPTI_PROFILER_TYPE_RANGE_PROFILER
    CUPTI_RANGE_PER_LAUNCH = 1,  // CUPTI_AutoRange: a range for each device function
    CUPTI_REPLAY_BY_CALLER = 3,  // CUPTI_UserReplay
    CUPTI_RECORD_OF_LAUNCH = 10, // CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL
    CUPTI_FLUSH_ALL = 1,
};

// Parameters: the library reads the size that the caller knows from the first member.
#define CUPTI_PARAMS                                                                                         \
    size_t bytes;                                                                                            \
    void *reserved

struct cupti_plain {
    CUPTI_PARAMS;
};
struct cupti_chip_name {
    CUPTI_PARAMS;
    size_t device_index;
    const char *ret_name;
};
struct cupti_availability {
    CUPTI_PARAMS;
    cuda_context context;
    size_t image_bytes; // in, out
    uint8_t *image;     // NULL: only the size is asked for
};
struct cupti_host_open {
    CUPTI_PARAMS;
    int type;
    const char *chip;
    const uint8_t *availability; // NULL: of the chip as it was released
    cupti_host ret_host;
};
struct cupti_host_only {
    CUPTI_PARAMS;
    cupti_host host;
};
struct cupti_metric_properties {
    CUPTI_PARAMS;
    cupti_host host;
    const char *name, *ret_description, *ret_unit, *ret_dimension;
    int ret_type;
};
struct cupti_add_metrics {
    CUPTI_PARAMS;
    cupti_host host;
    const char **names;
    size_t count;
};
struct cupti_config_size {
    CUPTI_PARAMS;
    cupti_host host;
    size_t ret_bytes;
};
struct cupti_config_image {
    CUPTI_PARAMS;
    cupti_host host;
    size_t image_bytes;
    uint8_t *image;
};
struct cupti_pass_count {
    CUPTI_PARAMS;
    size_t image_bytes;
    const uint8_t *image;
    size_t ret_count;
};
struct cupti_evaluate {
    CUPTI_PARAMS;
    cupti_host host;
    const uint8_t *data;
    size_t data_bytes, range_index;
    const char **names;
    size_t count;
    double *values;
};
struct cupti_ranges_enable {
    CUPTI_PARAMS;
    cuda_context context;
    cupti_ranges ret_ranges;
};
struct cupti_ranges_only {
    CUPTI_PARAMS;
    cupti_ranges ranges;
};
struct cupti_ranges_stop {
    CUPTI_PARAMS;
    cupti_ranges ranges;
    size_t ret_pass, ret_nesting;
    uint8_t ret_is_complete; // every pass was taken
};
struct cupti_decode {
    CUPTI_PARAMS;
    cupti_ranges ranges;
    size_t ret_dropped;
};
struct cupti_data_size {
    CUPTI_PARAMS;
    cupti_ranges ranges;
    const char **names;
    size_t count, range_count_max;
    uint32_t node_count_max;
    size_t ret_bytes;
};
struct cupti_data_init {
    CUPTI_PARAMS;
    cupti_ranges ranges;
    size_t data_bytes;
    uint8_t *data;
};
struct cupti_set_config {
    CUPTI_PARAMS;
    cupti_ranges ranges;
    size_t image_bytes;
    const uint8_t *image;
    size_t data_bytes;
    uint8_t *data;
    int range_mode, replay_mode;
    size_t range_count_max;
    uint16_t nesting_levels, nesting_level_least;
    size_t pass;
    uint16_t nesting_level;
};
struct cupti_range_count {
    CUPTI_PARAMS;
    const uint8_t *data;
    size_t data_bytes, ret_count;
};

// The size of a params struct of CUPTI: up to its last member, without padding.
#define CUPTI_BYTES(type, last) (offsetof(type, last) + sizeof(((type *)0)->last))

// The beginning of CUpti_ActivityKernel9 and 10, which is packed to 8 bytes.
struct cupti_launch {
    uint32_t kind;
    uint8_t cache_config, shared_config;
    uint16_t registers;
    uint32_t partitioned[2];
    uint64_t start_ns, end_ns, completed_ns;
    uint32_t device, context, stream;
    int32_t grid[3], block[3];
    int32_t static_shared_bytes, dynamic_shared_bytes;
    uint32_t local_bytes, local_bytes_total;
    uint32_t correlation;
    int64_t grid_id;
    const char *function;
};

// X(member, symbol, parameters): all return cupti_result.
#define CUPTI_FUNCTIONS(X)                                                                                   \
    X(get_result_string, "cuptiGetResultString", (cupti_result code, const char **ret))                      \
    X(initialize, "cuptiProfilerInitialize", (struct cupti_plain * params))                                  \
    X(deinitialize, "cuptiProfilerDeInitialize", (struct cupti_plain * params))                              \
    X(get_chip_name, "cuptiDeviceGetChipName", (struct cupti_chip_name * params))                            \
    X(get_availability, "cuptiProfilerGetCounterAvailability", (struct cupti_availability * params))         \
    X(host_open, "cuptiProfilerHostInitialize", (struct cupti_host_open * params))                           \
    X(host_close, "cuptiProfilerHostDeinitialize", (struct cupti_host_only * params))                        \
    X(get_properties, "cuptiProfilerHostGetMetricProperties", (struct cupti_metric_properties * params))     \
    X(add_metrics, "cuptiProfilerHostConfigAddMetrics", (struct cupti_add_metrics * params))                 \
    X(get_config_size, "cuptiProfilerHostGetConfigImageSize", (struct cupti_config_size * params))           \
    X(get_config_image, "cuptiProfilerHostGetConfigImage", (struct cupti_config_image * params))             \
    X(get_pass_count, "cuptiProfilerHostGetNumOfPasses", (struct cupti_pass_count * params))                 \
    X(evaluate, "cuptiProfilerHostEvaluateToGpuValues", (struct cupti_evaluate * params))                    \
    X(ranges_enable, "cuptiRangeProfilerEnable", (struct cupti_ranges_enable * params))                      \
    X(ranges_disable, "cuptiRangeProfilerDisable", (struct cupti_ranges_only * params))                      \
    X(get_data_size, "cuptiRangeProfilerGetCounterDataSize", (struct cupti_data_size * params))              \
    X(init_data, "cuptiRangeProfilerCounterDataImageInitialize", (struct cupti_data_init * params))          \
    X(set_config, "cuptiRangeProfilerSetConfig", (struct cupti_set_config * params))                         \
    X(start, "cuptiRangeProfilerStart", (struct cupti_ranges_only * params))                                 \
    X(stop, "cuptiRangeProfilerStop", (struct cupti_ranges_stop * params))                                   \
    X(decode, "cuptiRangeProfilerDecodeData", (struct cupti_decode * params))                                \
    X(get_range_count, "cuptiRangeProfilerGetCounterDataInfo", (struct cupti_range_count * params))          \
    X(records_callbacks, "cuptiActivityRegisterCallbacks",                                                   \
      (void (*need)(uint8_t * *buffer, size_t * bytes, size_t * record_count),                               \
       void (*done)(void *context, uint32_t stream, uint8_t *buffer, size_t bytes, size_t valid_bytes)))     \
    X(records_enable, "cuptiActivityEnable", (int kind))                                                     \
    X(records_disable, "cuptiActivityDisable", (int kind))                                                   \
    X(records_flush, "cuptiActivityFlushAll", (uint32_t flag))                                               \
    X(next_record, "cuptiActivityGetNextRecord",                                                             \
      (uint8_t * buffer, size_t valid_bytes, const struct cupti_launch **record))

struct cupti {
#define CUPTI_MEMBER(name, symbol, parameters) cupti_result(*name) parameters;
    CUPTI_FUNCTIONS(CUPTI_MEMBER)
#undef CUPTI_MEMBER
};

// $ASSAY_CUPTI (a path), else libcupti.so of CUDA 13 or 12 where the loader or the toolkit's folder has it.
// Loaded once per process. ERR_UNAVAILABLE: none, or one that is too old, with what to install.
int cupti_get(const struct cupti **ret, struct err *err);

// Sets err to "<what>: <CUPTI's words> (<code>); <what to try>" and returns -ERR_UNAVAILABLE.
int cupti_fail(const struct cupti *cupti, cupti_result code, const char *what, struct err *err);

// ---- cupti_metrics.c ----

// Metrics of one chip, and how they are collected.
struct cupti_metrics {
    const struct cupti *cupti;
    cupti_host host;
    size_t count;
    const char **names; // those that the chip has; the texts are the caller's
    size_t image_bytes, pass_count;
    uint8_t *image;
};

// chip: "GH100". availability: what the device allows now; NULL: all that the chip was released with. Names
// that the chip does not have are left out and added to *unknown (a list with commas). ERR_UNAVAILABLE: no
// such chip, or none of the names.
struct cupti_metrics_request {
    const char *chip;
    const uint8_t *availability;
    size_t name_count;
    const char *const *names;
};
int cupti_metrics_open(const struct cupti *cupti, const struct cupti_metrics_request *request,
                       struct cupti_metrics *ret, struct strbuf *unknown, struct err *err);
void cupti_metrics_close(struct cupti_metrics *metrics); // accepts a zeroed one
// values: [count], of one range of collected data.
int cupti_metrics_evaluate(const struct cupti_metrics *metrics, const uint8_t *data, size_t data_bytes,
                           size_t range_index, double *values, struct err *err);

// ---- cupti_launches.c ----

// A device function that ran, as CUPTI's records say it.
struct cupti_shape {
    char *function; // owned
    uint64_t duration_ns;
    uint32_t registers, shared_bytes, local_bytes; // of a thread, of a block, of a thread
    int32_t grid[3], block[3];
};
struct cupti_shapes {
    size_t count;
    struct cupti_shape *items; // in the order in which they began
};

// From here to cupti_shapes_end the library records each device function of this process.
int cupti_shapes_begin(const struct cupti *cupti, struct err *err);
int cupti_shapes_end(const struct cupti *cupti, struct cupti_shapes *ret, struct err *err);
void cupti_shapes_free(struct cupti_shapes *shapes); // accepts a zeroed one

#endif
