// SPDX-License-Identifier: Apache-2.0
//
// Answers to queries (describe, devices, ceilings): one kernel of a module, one device, one ceiling;
// written and read as part of a record.
#ifndef RECORD_RECORD_QUERY_H
#define RECORD_RECORD_QUERY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"
#include "base/json_writer.h"
#include "record/device_state.h"
#include "record/gpu_facts.h"

#define RECORD_PARAM_VALUES_MAX 32
#define RECORD_PARAMS_MAX       16
struct kernel_param {
    const char *name, *help;
    int64_t value;
    size_t value_count;
    int64_t values[RECORD_PARAM_VALUES_MAX];
};
struct kernel_description { // RECORD_KERNEL
    const char *name, *op, *backend, *summary;
    uint32_t abi_version;
    size_t param_count;
    struct kernel_param params[RECORD_PARAMS_MAX];
    const char *config_error; // why check_config rejects the values asked about; NULL: accepted, or not asked
};
struct device_description { // RECORD_DEVICE
    // device NULL: no device; detail then says what is missing and why
    const char *backend, *device, *name, *uuid, *detail;
    bool is_available;
    const char *isa;
    int64_t thread_count, memory_bytes, l2_bytes; // 0: not known
    struct device_state state;
    const char *driver;   // NULL: not known
    struct gpu_facts gpu; // for a GPU only
};
struct ceiling {      // RECORD_CEILING
    const char *name; // "fp32_fma_gflop_per_s", "read_gb_per_s", "copy_gb_per_s"
    double value;
    const char *detail;
};

void kernel_description_write(struct json_writer *w, const char *key,
                              const struct kernel_description *kernel);
int kernel_description_parse(const struct json_at *at, struct arena *arena, struct kernel_description **ret,
                             struct err *err);
void device_description_write(struct json_writer *w, const char *key,
                              const struct device_description *device);
int device_description_parse(const struct json_at *at, struct arena *arena, struct device_description **ret,
                             struct err *err);
void ceiling_write(struct json_writer *w, const char *key, const struct ceiling *ceiling);
int ceiling_parse(const struct json_at *at, struct arena *arena, struct ceiling *ret, struct err *err);

#endif
