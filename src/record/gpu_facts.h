// SPDX-License-Identifier: Apache-2.0
//
// Model and settings of a GPU as NVML reports them, constant while a program runs; device_state holds the
// readings that change. In a zeroed struct nothing is known; unknown members are not written.
#ifndef RECORD_GPU_FACTS_H
#define RECORD_GPU_FACTS_H

#include <stdbool.h>
#include <stdint.h>

#include "record/member.h"

enum gpu_mode { GPU_MODE_UNKNOWN = 0, GPU_MODE_OFF, GPU_MODE_ON, GPU_MODE_COUNT };
const char *gpu_mode_name(enum gpu_mode mode); // "off", "on"; "unknown"

struct gpu_facts {
    uint32_t sm_count;                                       // 0: not known, here and below
    double clock_base_hz, clock_max_hz, memory_clock_max_hz; // of the SMs; of the memory
    double power_limit_w;                                    // the limit enforced now
    double power_limit_min_w, power_limit_max_w;             // the range that can be set
    double memory_temperature_c;
    enum gpu_mode ecc, mig, persistence;
    bool has_ecc_count;
    uint64_t ecc_uncorrected_count; // since the driver was loaded
};

bool gpu_facts_are_known(const struct gpu_facts *facts); // whether any member is known
extern const struct member_table gpu_facts_members;

#endif
