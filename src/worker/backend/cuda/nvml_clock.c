// SPDX-License-Identifier: Apache-2.0
//
// Locks the clocks of a GPU at one value. That changes the machine for every process, so only the clock
// holder process of worker/order/work_lock.c does it, which unlocks them on every way out.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/strbuf.h"
#include "worker/backend/cuda/nvml.h"

enum { CLOCKS_MAX = 1024, UNLOCK_TRIES = 3 };

static const uint64_t OBEY_LIMIT_NS = 2000000000, OBEY_STEP_NS = 20000000;
static const uint64_t UNLOCK_PAUSE_NS = 100000000; // a busy driver rejects calls for a moment

static int clock_fail(uint32_t mhz, const unsigned *clocks, unsigned count, struct err *err) {
    unsigned below = 0, above = 0, lowest = clocks[0], highest = clocks[0];
    for (unsigned i = 0; i < count; ++i) {
        if (clocks[i] < mhz && clocks[i] > below) below = clocks[i];
        if (clocks[i] > mhz && (!above || clocks[i] < above)) above = clocks[i];
        if (clocks[i] < lowest) lowest = clocks[i];
        if (clocks[i] > highest) highest = clocks[i];
    }
    if (!below || !above)
        return err_set(err, ERR_UNAVAILABLE,
                       "--lock-clocks: %u MHz is out of this GPU's range; it can be held at %u to %u MHz",
                       (unsigned)mhz, lowest, highest);
    return err_set(
        err, ERR_UNAVAILABLE,
        "--lock-clocks: this GPU cannot be held at %u MHz; the clocks next to it are %u and %u MHz",
        (unsigned)mhz, below, above);
}

// A GPU lists the clocks that it supports for one memory clock: its highest. If it lists none, only its
// maximum is known.
static int check_clock(const struct nvml_device *device, const struct gpu_facts *facts, uint32_t mhz,
                       struct err *err) {
    const struct nvml *nvml = device->nvml;
    unsigned clocks[CLOCKS_MAX], count = CLOCKS_MAX;
    const unsigned memory_mhz = (unsigned)lround(facts->memory_clock_max_hz / 1e6);
    if (!nvml->get_supported_clocks || memory_mhz == 0 ||
        nvml->get_supported_clocks(device->handle, memory_mhz, &count, clocks) != NVML_OK ||
        count > CLOCKS_MAX)
        count = 0;
    for (unsigned i = 0; i < count; ++i)
        if (clocks[i] == mhz) return 0;
    if (count > 0) return clock_fail(mhz, clocks, count, err);
    if (facts->clock_max_hz > 0 && mhz * 1e6 > facts->clock_max_hz)
        return err_set(err, ERR_UNAVAILABLE,
                       "--lock-clocks: %u MHz is more than this GPU's highest clock, %.0f MHz", (unsigned)mhz,
                       facts->clock_max_hz / 1e6);
    return 0;
}

int nvml_find_clock(const struct nvml_device *device, const struct clock_request *wanted, uint32_t *ret_mhz,
                    struct err *err) {
    struct gpu_facts facts = {0};
    nvml_read_facts(device, &facts);
    const bool is_base = wanted->kind == CLOCK_REQUEST_BASE;
    const double hz = is_base                             ? facts.clock_base_hz
                      : wanted->kind == CLOCK_REQUEST_MAX ? facts.clock_max_hz
                                                          : wanted->mhz * 1e6;
    if (!(hz > 0))
        return err_set(err, ERR_UNAVAILABLE,
                       "--lock-clocks %s: NVML does not say this GPU's %s clock; give a number of MHz "
                       "('nvidia-smi -q -d SUPPORTED_CLOCKS' lists them)",
                       is_base ? "base" : "max", is_base ? "base" : "highest");
    *ret_mhz = (uint32_t)lround(hz / 1e6);
    return check_clock(device, &facts, *ret_mhz, err);
}

// An idle GPU may run below the locked clock, never above it. Obeying the lock may take a moment.
static int await_clock(const struct nvml_device *device, uint32_t mhz, struct err *err) {
    const struct nvml *nvml = device->nvml;
    const uint64_t begin_ns = clock_ns();
    unsigned now_mhz = 0;
    for (;;) {
        if (!nvml->get_clock_now || nvml->get_clock_now(device->handle, NVML_CLOCK_SM, &now_mhz) != NVML_OK)
            return 0;
        if (now_mhz <= mhz) return 0;
        if (clock_ns() - begin_ns > OBEY_LIMIT_NS) break;
        clock_sleep_ns(OBEY_STEP_NS);
    }
    return err_set(err, ERR_UNAVAILABLE,
                   "--lock-clocks: NVML accepted the lock at %u MHz, but the GPU still runs at %u MHz",
                   (unsigned)mhz, now_mhz);
}

int nvml_lock_clocks(const struct nvml_device *device, uint32_t mhz, struct err *err) {
    const struct nvml *nvml = device->nvml;
    if (device->mig)
        return err_set(
            err, ERR_UNAVAILABLE,
            "--lock-clocks: this is a part of a divided GPU (MIG), whose clocks are those of all its parts; "
            "root can lock them with 'nvidia-smi -lgc %u,%u'",
            (unsigned)mhz, (unsigned)mhz);
    if (!nvml->set_locked_clocks || !nvml->reset_locked_clocks)
        return err_set(err, ERR_UNAVAILABLE,
                       "--lock-clocks: this driver's NVML cannot lock clocks; a newer driver can");
    const nvml_result code = nvml->set_locked_clocks(device->handle, mhz, mhz);
    if (code != NVML_OK) {
        char remedy[160];
        snprintf(remedy, sizeof remedy,
                 ", for example with 'sudo nvidia-smi -i %.48s -lgc %u,%u' ('-rgc' undoes it)", device->uuid,
                 (unsigned)mhz, (unsigned)mhz);
        nvml_fail(nvml, code, err, "the clocks cannot be locked at %u MHz", (unsigned)mhz);
        if (code != NVML_NO_PERMISSION || !err) return -ERR_UNAVAILABLE;
        const struct err why = *err;
        return err_set(err, ERR_UNAVAILABLE, "%s%s", why.text, remedy);
    }
    struct err why = {0}, still_held = {0};
    if (await_clock(device, mhz, &why) == 0) return 0;
    const bool is_undone = nvml_unlock_clocks(device, &still_held) == 0;
    return err_set(err, ERR_UNAVAILABLE, "%s; %s", why.text, is_undone ? "it was undone" : still_held.text);
}

int nvml_unlock_clocks(const struct nvml_device *device, struct err *err) {
    const struct nvml *nvml = device->nvml;
    nvml_result code = nvml->reset_locked_clocks(device->handle);
    for (int i = 1; i < UNLOCK_TRIES && code != NVML_OK; ++i) {
        clock_sleep_ns(UNLOCK_PAUSE_NS);
        code = nvml->reset_locked_clocks(device->handle);
    }
    if (code == NVML_OK) return 0;
    return nvml_fail(
        nvml, code, err,
        "the clocks of GPU %s could not be unlocked and are still held; run 'sudo nvidia-smi -rgc'",
        device->uuid);
}
