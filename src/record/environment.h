// SPDX-License-Identifier: Apache-2.0
//
// The fingerprint of a run's machine and settings. Some members must agree before two results may be
// compared.
#ifndef RECORD_ENVIRONMENT_H
#define RECORD_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "record/ceiling.h"
#include "record/member.h"

struct environment {
    const char *assay_version, *host, *os, *device; // device: "cpu", "cuda:0", as asked for
    // device_uuid: on a CPU a hash of machine-id and model. Another tool's file has no UUID: there it is a
    // text of the facts that must agree, "NVIDIA H200, sm 900, 132 multiprocessors".
    const char *device_name, *device_uuid; // "AMD EPYC ..."
    const char *driver;                    // CPU: kernel release
    const char *isa;                       // "avx512"
    const char *clock_policy;              // "unlocked", "base", "max", "1500 MHz"
    const char *power_mode;                // "cool", "sustained"
    const char *cache_mode;                // "cold", "rotate", "warm"
    const char *threads;                   // "2 pinned: 0,1"
    const char *priority;                  // of the timed processes: "nice -20"; NULL: not recorded
    const char *busy_limit;                // of --busy-limit: "5 %"; NULL: none given
    const char *metric;                    // of a run whose metric is not time; NULL: time
    const char *lock;                      // environment lock of correctness: "tf32 off, deterministic, ..."
    int64_t thread_count, memory_bytes;    // 0: not known
    // a device with a launch queue and its own memory (a GPU), neither the host's processors nor simulated
    bool is_accelerator;
    double power_limit_w; // enforced on a GPU; NAN: not known
    // Measured ceilings that hold for this device, driver, power limit and power mode.
    size_t ceiling_count;
    struct ceiling *ceilings;
    // Where there is no such list (older files, those of other tools): for every problem; NAN when not
    // measured.
    double ceiling_gflop_per_s, ceiling_gb_per_s;
};

extern const struct member_table environment_members;
struct environment environment_unknown(void);

#endif
