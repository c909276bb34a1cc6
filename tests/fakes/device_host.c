// SPDX-License-Identifier: Apache-2.0
//
// Every kernel of device_kernels.cu as loops over blocks and threads, with the arithmetic of
// device_kernel_core.h. Kernels that only sum integers, or write each place once, are one loop; a
// comparison adds in the order of the device's threads, so that it gives the same bits. Kernels of an
// operator have a file of their own.
#include "fakes/device_host.h"

#include <stdlib.h>

#include "device/device_kernel_core.h"

uint64_t dev_host_now_ns = 1000;
double dev_host_clock_hz = 1.5e9;
uint64_t dev_host_chase_cycles = 300;
uint64_t dev_host_flushed_bytes;
uint64_t dev_host_miss_cycles = 300;
double dev_host_flush_share = 1;

// The simulated cache: the chain that was chased last, and how much of it is cached.
static const uint32_t *chased;
static double cached_share;

// Where an entry runs: blocks of the grid, threads of a block.
struct place {
    uint64_t blocks;
    uint32_t threads;
};

// ---- memory ----

static void run_pattern(struct place place, const struct dev_pattern *args) {
    (void)place;
    for (uint64_t i = 0; i < args->bytes; ++i)
        ((uint8_t *)args->data)[i] = dev_pattern_byte(args->pattern, i);
}

static void run_hash(struct place place, const struct dev_hash *args) {
    (void)place;
    for (uint64_t i = 0; i * 8 < args->bytes; ++i)
        dev_hash_add(i, dev_gather((const uint8_t *)args->data + i * 8, args->bytes - i * 8), args->sums);
    dev_hash_add_length(args->bytes, args->sums);
}

static void run_find_difference(struct place place, const struct dev_find_difference *args) {
    (void)place;
    for (uint64_t i = 0; i < args->bytes; ++i)
        if (((const uint8_t *)args->a)[i] != ((const uint8_t *)args->b)[i]) {
            dev_note_first(args->first, i);
            return;
        }
}

static void run_find_unlike(struct place place, const struct dev_find_unlike *args) {
    (void)place;
    for (uint32_t r = 0; r < args->region_count; ++r)
        for (uint64_t i = 0; i < args->regions[r].bytes; ++i)
            if (((const uint8_t *)args->regions[r].data)[i] != (uint8_t)args->byte) {
                dev_note_first(&args->first[r], i);
                break;
            }
}

static void run_poke(struct place place, const struct dev_poke *args) {
    (void)place;
    for (uint64_t i = 0; i < args->place_count; ++i)
        dev_scatter(args->places[i].data, args->places[i].value, args->places[i].bytes);
}

static void run_peek(struct place place, const struct dev_peek *args) {
    (void)place;
    for (uint64_t i = 0; i < args->place_count; ++i)
        args->values[i] = dev_gather(args->places[i].data, args->places[i].bytes);
}

// ---- comparison ----

static void compare_block(const struct dev_compare *args, uint64_t block, uint32_t threads) {
    struct dev_compare_part parts[DEV_COMPARE_THREADS_MAX];
    const uint64_t begin = block * args->chunk;
    uint64_t end = begin + args->chunk;
    if (end > args->count) end = args->count;
    for (uint32_t t = 0; t < threads; ++t) {
        dev_compare_start(&parts[t]);
        for (uint64_t i = begin + t; i < end; i += threads) dev_compare_add(args, i, &parts[t]);
    }
    for (uint32_t count = threads; count > 1;) {
        const uint32_t half = (count + 1) / 2;
        for (uint32_t t = 0; t < count / 2; ++t) dev_compare_merge(&parts[t], &parts[t + half]);
        count = half;
    }
    args->parts[block] = parts[0];
}

static void run_compare(struct place place, const struct dev_compare *args) {
    const uint32_t threads =
        place.threads < DEV_COMPARE_THREADS_MAX ? place.threads : DEV_COMPARE_THREADS_MAX;
    for (uint64_t block = 0; block < place.blocks; ++block) compare_block(args, block, threads);
}

// ---- clocks and caches ----

static struct dev_stamp_value stamp_now(uint32_t sm) {
    return (struct dev_stamp_value){.cycles = (uint64_t)((double)dev_host_now_ns * dev_host_clock_hz * 1e-9),
                                    .ns = dev_host_now_ns,
                                    .sm = sm};
}

static void run_spin(struct place place, const struct dev_spin *args) {
    (void)place;
    args->stamps[0] = stamp_now(0);
    dev_host_now_ns += args->duration_ns;
    args->stamps[1] = stamp_now(0);
}

static void run_stamp(struct place place, const struct dev_stamp *args) {
    for (uint64_t block = 0; block < place.blocks; ++block) args->stamps[block] = stamp_now((uint32_t)block);
}

static void run_flush(struct place place, const struct dev_flush *args) {
    (void)place;
    for (uint64_t i = 0; i < args->bytes; i += 32) ++((uint8_t *)args->data)[i];
    dev_host_flushed_bytes += args->bytes;
    cached_share *= 1 - dev_host_flush_share;
}

static void run_chase(struct place place, const struct dev_chase *args) {
    (void)place;
    uint32_t at = 0;
    for (uint32_t i = 0; i < args->steps; ++i) at = args->links[at];
    const double share = args->links == chased ? cached_share : 0;
    const double cycles = (double)dev_host_chase_cycles * share + (double)dev_host_miss_cycles * (1 - share);
    args->cycles[0] = at == UINT32_MAX ? 0 : (uint64_t)cycles;
    chased = args->links;
    cached_share = 1;
}

// ---- entries ----

// Each runs the entry if it is one of its own; returns whether it was.
#define DEV_HOST_OPERATOR(name) bool dev_host_##name(const char *entry, const void *args);
#include "operator_device_host.h"
#undef DEV_HOST_OPERATOR
static bool (*const operators[])(const char *entry, const void *args) = {
#define DEV_HOST_OPERATOR(name) dev_host_##name,
#include "operator_device_host.h"
};

int dev_run_on_host(const char *entry, const uint32_t grid[3], uint32_t block, const void *args) {
    const struct place place = {(uint64_t)grid[0] * grid[1] * grid[2], block};
#define RUN(name)                                                                                            \
    if (strcmp(entry, "assay_" #name) == 0) {                                                                \
        struct dev_##name copy;                                                                              \
        memcpy(&copy, args, sizeof copy);                                                                    \
        run_##name(place, &copy);                                                                            \
        return 0;                                                                                            \
    }
    RUN(pattern)
    RUN(hash)
    RUN(find_difference)
    RUN(find_unlike)
    RUN(poke)
    RUN(peek)
    RUN(compare)
    RUN(spin)
    RUN(stamp)
    RUN(flush)
    RUN(chase)
#undef RUN
    if (dev_host_ceiling(entry, place.blocks, args)) return 0;
    for (size_t i = 0; i < sizeof operators / sizeof operators[0]; ++i)
        if (operators[i](entry, args)) return 0;
    return -1;
}
