// SPDX-License-Identifier: Apache-2.0
//
// See tune_steer.h.
#include "control/tune/tune_steer.h"

#include <string.h>

#include "base/comma.h"

// Parts of names of settings, those that help first.
struct advice {
    enum bottleneck bottleneck;
    const char *parts[8];
};

static const struct advice advices[] = {
    // More loads in flight, then fewer bytes by larger tiles.
    {BOTTLENECK_MEMORY, {"STAGE", "PREFETCH", "BUFFER", "VEC", "TILE", "BLOCK"}},
    {BOTTLENECK_LEANS_MEMORY, {"STAGE", "PREFETCH", "BUFFER", "VEC", "TILE", "BLOCK"}},
    // More that can run while others wait.
    {BOTTLENECK_LATENCY, {"STAGE", "PREFETCH", "WARP", "THREAD", "UNROLL"}},
    {BOTTLENECK_MIXED, {"STAGE", "WARP", "THREAD", "UNROLL"}},
    // More thread blocks.
    {BOTTLENECK_SMALL_GRID, {"SPLIT", "BLOCK", "TILE"}},
    {BOTTLENECK_LAUNCH_OR_LATENCY, {"SPLIT", "BLOCK", "TILE"}},
    // More arithmetic for each instruction that is none.
    {BOTTLENECK_COMPUTE, {"UNROLL", "WARP", "BLOCK", "TILE"}},
    {BOTTLENECK_LEANS_COMPUTE, {"UNROLL", "WARP", "BLOCK", "TILE"}},
    // Fewer values that a thread holds.
    {BOTTLENECK_REGISTER_SPILL, {"UNROLL", "BLOCK", "TILE", "WARP"}},
};
enum { PARTS_MAX = sizeof advices[0].parts / sizeof advices[0].parts[0] };

static uint32_t priority_of(const struct advice *advice, const char *name) {
    uint32_t at = 0;
    while (at < PARTS_MAX && advice->parts[at] && !strstr(name, advice->parts[at])) ++at;
    return at < PARTS_MAX && advice->parts[at] ? at : PARTS_MAX;
}

static const struct advice *find_advice(enum bottleneck bottleneck) {
    for (size_t i = 0; i < sizeof advices / sizeof *advices; ++i)
        if (advices[i].bottleneck == bottleneck) return &advices[i];
    return NULL;
}

const char *tune_steer(struct tune_space *space, enum bottleneck bottleneck, struct arena *arena) {
    const struct advice *advice = find_advice(bottleneck);
    uint32_t least = PARTS_MAX;
    struct strbuf names = {0};
    for (size_t i = 0; advice && i < space->knob_count; ++i) {
        struct tune_knob *knob = &space->knobs[i];
        knob->priority = priority_of(advice, knob->name);
        if (knob->priority < least) least = knob->priority;
    }
    for (size_t i = 0; least < PARTS_MAX && i < space->knob_count; ++i)
        if (space->knobs[i].priority == least) comma_add(&names, space->knobs[i].name);
    const char *ret =
        names.length ? arena_format(arena, "%s: %s first", bottleneck_name(bottleneck), names.text) : NULL;
    strbuf_fini(&names);
    return ret;
}
