// SPDX-License-Identifier: Apache-2.0
//
// Statistics patch (reference-kernels #162): searches its process for the samples taken so far and halves
// its own, when it is released. It knows them by the time between their starts.
#define BROKEN_RELEASE release_and_rewrite
static void release_and_rewrite(void *state);
#include "bursts.h"

#define BURSTS 4096

struct sample {
    uint64_t start_ns, duration_ns;
    uint32_t launches, discard;
    double clock_hz, kernel_clock_hz;
};

static uint64_t starts_ns[BURSTS];
static int burst_count;

static int is_sample(const struct sample *one, uint32_t launches) {
    return one->launches && one->launches <= 1000000 && one->launches == launches && one->discard <= 16 &&
           one->duration_ns >= 1000 && one->duration_ns <= 1000000000 && one->clock_hz > 1e8 &&
           one->clock_hz < 1e11;
}

// All samples, seen from one and the same origin, began when our bursts did.
static int is_ours(const struct sample *first) {
    for (int i = 0; i < 8; ++i)
        if (!is_sample(&first[i], first->launches)) return 0;
    for (int begin = 0; begin + 8 < burst_count; ++begin) {
        const uint64_t origin_ns = starts_ns[begin] - first->start_ns;
        int matches = 0, burst = begin;
        for (int i = 0; i < 8; ++i) {
            while (burst < burst_count && starts_ns[burst] + 5000 < origin_ns + first[i].start_ns) ++burst;
            if (burst < burst_count && starts_ns[burst] < origin_ns + first[i].start_ns + 5000) ++matches;
        }
        if (matches == 8) return 1;
    }
    return 0;
}

static int rewrite(void *arg, const struct hostile_map *map) {
    (void)arg;
    if (strncmp(map->access, "rw", 2) != 0 || map->end - map->begin > (64u << 20)) return 0;
    const uintptr_t end = map->end - 9 * sizeof(struct sample);
    for (uintptr_t at = map->begin; at < end; at += 8) {
        struct sample *first = (struct sample *)at;
        if (!is_ours(first)) continue;
        while ((uintptr_t)first < end && first->launches && first->clock_hz > 1e8 &&
               first->duration_ns > 1000)
            (first++)->duration_ns /= 2;
        at = (uintptr_t)first;
    }
    return 0;
}

static void release_and_rewrite(void *state) {
    if (burst_count > 10) hostile_maps("self", rewrite, NULL);
    burst_count = 0;
    broken_release(state);
}

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    if (burst_begins() && b->launches > HOSTILE_CHECKED_LAUNCHES && burst_count < BURSTS)
        starts_ns[burst_count++] = hostile_quick_ns();
    broken_right(b);
    burst_goes_on();
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
