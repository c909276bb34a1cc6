// SPDX-License-Identifier: Apache-2.0
//
// Answers to queries (describe, devices): one kernel of a module, one device; written and read as part of a
// record.
#ifndef RECORD_RECORD_QUERY_H
#define RECORD_RECORD_QUERY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "record/device_state.h"
#include "record/gpu_facts.h"
#include "record/member.h"

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
    const char *version; // of the library behind a peer, as this process finds it; NULL: not known
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

extern const struct member_table kernel_description_members, device_description_members;

#endif
