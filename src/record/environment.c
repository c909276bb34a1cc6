// SPDX-License-Identifier: Apache-2.0
//
// Writes and reads the fingerprint of a machine and its settings. verdict/ decides which members
// must agree for a comparison.
#include "record/environment.h"

#include "record/member.h"

static const struct member members[] = {
    MEMBER(struct environment, "assay_version", assay_version, "Version of assay."),
    MEMBER(struct environment, "host", host, "Name of the machine."),
    MEMBER(struct environment, "os", os, "Operating system."),
    MEMBER(struct environment, "device", device, "As asked for: `cpu`, `cuda:0`, `sim:steady`."),
    MEMBER(struct environment, "device_name", device_name, "Model of the device."),
    MEMBER(struct environment, "device_uuid", device_uuid, "Of a CPU: a hash of machine and model."),
    MEMBER(struct environment, "driver", driver, "Of a CPU: the Linux kernel's release."),
    MEMBER(struct environment, "isa", isa, "Instruction set: `avx512`, `sm_90`."),
    MEMBER(struct environment, "clock_policy", clock_policy, "`unlocked`, `base`, `max`, `1500 MHz`."),
    MEMBER(struct environment, "power_mode", power_mode, "Power mode: `cool` or `sustained`.",
           .former = "regime"),
    MEMBER(struct environment, "cache_mode", cache_mode, "`cold`, `rotate` or `warm`."),
    MEMBER(struct environment, "threads", threads, "Threads and where they run: `2 pinned: 0,1`."),
    MEMBER(struct environment, "lock", lock, "What checks hold fixed: `tf32 off, deterministic`."),
    MEMBER(struct environment, "priority", priority, "Of the timed processes: `nice -20`."),
    MEMBER(struct environment, "busy_limit", busy_limit, "What others might take of our processors: `5 %`."),
    MEMBER(struct environment, "metric", metric,
           "What was measured of a launch: `call_time`, `instructions`, `matrix_instructions` or "
           "`dram_bytes`; absent: time."),
    MEMBER(struct environment, "thread_count", thread_count, "Threads.", MEMBER_AT_LEAST(0)),
    MEMBER(struct environment, "memory_bytes", memory_bytes, "Memory of the device.", MEMBER_AT_LEAST(0)),
    MEMBER(struct environment, "is_accelerator", is_accelerator, "The device is a GPU."),
    MEMBER(struct environment, "power_limit_w", power_limit_w, "Enforced on a GPU.", 0, MEMBER_AT_LEAST(0)),
    MEMBER_LIST(struct environment, "ceilings", ceilings, ceiling_count, &ceiling_members, CEILINGS_MAX,
                "Measured ceilings of this device, driver, power limit and power mode."),
    MEMBER(struct environment, "ceiling_gflop_per_s", ceiling_gflop_per_s,
           "Of every problem, where `ceilings` is absent.", 0, MEMBER_AT_LEAST(0)),
    MEMBER(struct environment, "ceiling_gb_per_s", ceiling_gb_per_s,
           "Of every problem, where `ceilings` is absent.", 0, MEMBER_AT_LEAST(0)),
};
const struct member_table environment_members =
    MEMBER_TABLE(struct environment, "environment", members,
                 .sentence = "Where and how the run was made. What is not known is absent.");

struct environment environment_unknown(void) {
    struct environment environment;
    members_forget(&environment_members, &environment);
    return environment;
}
