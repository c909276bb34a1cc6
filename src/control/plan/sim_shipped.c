// SPDX-License-Identifier: Apache-2.0
//
// The simulated devices and kernels that come with assay. Each device shows one effect, and is quiet
// otherwise.
#include "control/plan/sim_shipped.h"

#include <math.h>
#include <stdlib.h>

#include "base/comma.h"
#include "base/mem.h"
#include "base/strbuf.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

// ---- devices ----

#define QUIET          .clock_mhz = 1500, .temperature_c = 50, .power_w = 300
#define STEADY_NOISE   .cv_pct = 0.3, .process_pct = 0.15
#define EVERY_ROUND    .from_round = 0, .to_round = UINT32_MAX
#define EPISODES(list) .episode_count = COUNT_OF(list), .episodes = (list)

static struct sim_episode throttled[] = {
    {.from_round = 1, .to_round = 2, .throttle = "hw_slowdown", .slower_pct = 30, .temperature_c = NAN}};
static struct sim_episode hot[] = {
    {EVERY_ROUND, .throttle = "hw_thermal_slowdown", .slower_pct = 30, .temperature_c = 92}};
static struct sim_episode busy[] = {
    {EVERY_ROUND, .slower_pct = 10, .temperature_c = NAN, .others_pct = 12, .other_process_count = 1}};
static struct sim_episode capped[] = {
    {EVERY_ROUND, .throttle = "sw_power_cap", .slower_pct = 5, .temperature_c = NAN}};
static struct sim_episode flaky[] = {{.from_round = 1,
                                      .to_round = 3,
                                      .attempt_count = 1,
                                      .throttle = "hw_slowdown",
                                      .slower_pct = 30,
                                      .temperature_c = NAN}};

static const struct sim_device devices[] = {
    {.name = "sim:steady",
     .summary = "as quiet as a good GPU: samples spread by 0.3 %, processes by 0.15 %",
     QUIET,
     .noise = {STEADY_NOISE}},
    {.name = "sim:promise",
     .summary = "samples spread by 1 %, processes by 2 %: what the promised error rates are held on",
     QUIET,
     .noise = {.cv_pct = 1, .process_pct = 2}},
    {.name = "sim:noisy",
     .summary = "samples spread by 7 %, processes by 1 %",
     QUIET,
     .noise = {.cv_pct = 7, .process_pct = 1}},
    {.name = "sim:drifting",
     .summary = "slower and slower, and processes spread by 8 %: 3 % cannot be detected",
     QUIET,
     .noise = {.cv_pct = 2, .process_pct = 8, .drift_pct_per_s = 2}},
    {.name = "sim:tailed",
     .summary = "one sample in twenty takes half as long again, or longer",
     QUIET,
     .noise = {.cv_pct = 1, .process_pct = 0.5, .tail_pct = 50, .tail_share_pct = 5}},
    {.name = "sim:two_modes",
     .summary = "two speeds 8 % apart that last for a while and that the clock does not show",
     QUIET,
     .noise = {STEADY_NOISE, .mode_slower_pct = 8, .mode_share_pct = 40, .mode_dwell_ms = 20}},
    {.name = "sim:two_clocks",
     .summary = "two alternating clocks 25 % apart: more samples, and some measurements repeated",
     QUIET,
     .noise = {STEADY_NOISE, .mode_slower_pct = 25, .mode_share_pct = 50, .is_mode_a_clock = true}},
    {.name = "sim:throttled",
     .summary = "a hardware slowdown in rounds 1 and 2, in every attempt (not valid)",
     QUIET,
     .noise = {STEADY_NOISE},
     EPISODES(throttled)},
    {.name = "sim:hot",
     .summary = "92 C and a thermal slowdown in every round (not valid)",
     QUIET,
     .noise = {STEADY_NOISE},
     EPISODES(hot)},
    {.name = "sim:busy",
     .summary = "another process on the device, and 12 % of our processors taken (not valid)",
     QUIET,
     .noise = {STEADY_NOISE},
     EPISODES(busy)},
    {.name = "sim:capped",
     .summary = "a software power cap all the time: valid, with a warning",
     QUIET,
     .noise = {STEADY_NOISE},
     EPISODES(capped)},
    {.name = "sim:flaky",
     .summary = "a hardware slowdown in the first attempt of rounds 1 to 3: repeated, then valid",
     QUIET,
     .noise = {STEADY_NOISE},
     EPISODES(flaky)},
};

const struct sim_device *sim_shipped_device_at(const struct manifest *manifest, size_t index) {
    const size_t own_count = manifest ? manifest->sim_device_count : 0;
    if (index < own_count) return &manifest->sim_devices[index];
    size_t left = index - own_count;
    for (size_t i = 0; i < COUNT_OF(devices); ++i) {
        bool is_replaced = false;
        for (size_t k = 0; k < own_count; ++k)
            is_replaced |= str_equal(manifest->sim_devices[k].name, devices[i].name);
        if (!is_replaced && left-- == 0) return &devices[i];
    }
    return NULL;
}

// Names seen during a search, for the error message when nothing is found.
struct names {
    const char **items;
    size_t count, capacity;
};

static void names_add(struct names *names, const char *name) {
    MEM_GROW(names->items, names->capacity, names->count + 1);
    names->items[names->count++] = name;
}

static int unknown_fail(const struct names *names, const char *kind, const char *name, const char *section,
                        struct err *err) {
    struct strbuf list = {0};
    for (size_t i = 0; i < names->count; ++i) comma_add(&list, names->items[i]);
    const char *nearest = str_nearest(name, names->items, names->count);
    int code = nearest ? err_set(err, ERR_USAGE, "unknown simulated %s '%s', did you mean '%s'? There are %s",
                                 kind, name, nearest, strbuf_text(&list))
                       : err_set(err, ERR_USAGE,
                                 "unknown simulated %s '%s'; there are %s, and a manifest adds its own under "
                                 "'%s:'",
                                 kind, name, strbuf_text(&list), section);
    strbuf_fini(&list);
    return code;
}

int sim_shipped_device_get(const struct manifest *manifest, const char *name, const struct sim_device **ret,
                           struct err *err) {
    struct names names = {0};
    const struct sim_device *device = NULL;
    while ((device = sim_shipped_device_at(manifest, names.count)) && !str_equal(device->name, name))
        names_add(&names, device->name);
    *ret = device;
    int code = device ? 0 : unknown_fail(&names, "device", name, "devices", err);
    free(names.items);
    return code;
}

// ---- kernels ----

#define RIGHT .base_us = 100, .call_overhead_us = NAN, .cv_pct = NAN, .stamps_pct = NAN

static const struct shipped_kernel {
    struct sim_kernel script;
    const char *summary;
} kernels[] = {
    {{.name = SIM_KERNEL_DEFAULT, RIGHT}, "100 us a launch"},
    {{.name = "sim_slower3", RIGHT, .slower_pct = 3}, "3 % slower than sim"},
    {{.name = "sim_slower4", RIGHT, .slower_pct = 4}, "4 % slower than sim"},
    {{.name = "sim_slower5", RIGHT, .slower_pct = 5}, "5 % slower than sim"},
    {{.name = "sim_faster15", RIGHT, .slower_pct = -15}, "takes 15 % less time than sim"},
    {{.name = "sim_crashing", RIGHT, .crash_at_launch = 3}, "ends its process in the third launch"},
    {{.name = "sim_hanging", RIGHT, .hang_at_launch = 3}, "never returns from the third launch"},
};

const struct sim_kernel *sim_shipped_kernel_find(const char *name) {
    for (size_t i = 0; i < COUNT_OF(kernels); ++i)
        if (str_equal(kernels[i].script.name, name)) return &kernels[i].script;
    return NULL;
}

const struct sim_kernel *sim_shipped_kernel_at(const struct manifest *manifest, size_t index,
                                               const char **ret_summary) {
    for (size_t i = 0; i < COUNT_OF(kernels); ++i) {
        bool is_replaced = false;
        for (size_t k = 0; manifest && k < manifest->kernel_count; ++k)
            is_replaced |= str_equal(manifest->kernels[k].name, kernels[i].script.name);
        if (is_replaced || index-- > 0) continue;
        if (ret_summary) *ret_summary = kernels[i].summary;
        return &kernels[i].script;
    }
    return NULL;
}

int sim_shipped_kernel_get(const struct manifest *manifest, const char *name, const struct sim_kernel **ret,
                           struct err *err) {
    struct names names = {0};
    const struct sim_kernel *found = NULL, *shipped;
    for (size_t i = 0; manifest && i < manifest->kernel_count && !found; ++i) {
        const struct manifest_kernel *kernel = &manifest->kernels[i];
        if (!kernel->sim) continue;
        if (str_equal(kernel->name, name)) found = kernel->sim;
        names_add(&names, kernel->name);
    }
    for (size_t i = 0; !found && (shipped = sim_shipped_kernel_at(manifest, i, NULL)); ++i) {
        if (str_equal(shipped->name, name)) found = shipped;
        names_add(&names, shipped->name);
    }
    *ret = found;
    int code = found ? 0 : unknown_fail(&names, "kernel", name, "kernels", err);
    free(names.items);
    return code;
}
