// SPDX-License-Identifier: Apache-2.0
//
// Tile configurations of fa_sm90 and their measured clocks on one multiprocessor, from a recorded sweep.
// The heuristics (fa_hopper_heuristics.h) add them up for a problem and take the least. An entry: head
// dimension, consumer warpgroups, query rows of a tile, keys of a block, most split-KV parts of a tile;
// clocks of a key block when its tile is alone on the multiprocessor and when the multiprocessor is full;
// clocks of a tile beyond its key blocks (Q, row sums, epilogue).
//
// Recorded on an H200 (132 multiprocessors), 2026-11-22, fp16, mode cool, clocks unlocked: problems of
// the suites ci and fa3 with each configuration forced (WARPGROUPS), docs/measurements.md. The clocks are
// the best fit over the problems (at 1.74 GHz and 1.9 us a launch); those of D = 128 with three
// warpgroups were then moved by 1 %, so that s2048_d128 and s4096_d128 get two. Where a problem was
// measured with all configurations, the one chosen is the fastest or within 3 %.
// The two with resident keys (two warpgroups, 64 or 32 rows): from `mission` and `small`, 2026-11-27, less
// 15 %, which is what the model gives one warpgroup too little there.
#ifndef ATTENTION_FA_SM90_DISPATCH_H
#define ATTENTION_FA_SM90_DISPATCH_H

// clang-format off
#define FA_SM90_TILE_CONFIGS(entry)         \
    entry( 64, 1,  64, 128, 1, 1250, 1770, 2500) \
    entry( 64, 1,  64, 128, 8, 1250, 1770, 4750) \
    entry( 64, 2, 128, 128, 1, 1830, 1830, 2810) \
    entry( 64, 2,  64, 128, 1, 5250, 5250, 1400) \
    entry( 64, 2,  32, 128, 1, 3550, 3550, 1400) \
    entry( 64, 3, 192, 128, 1, 2270, 2270, 3420) \
    entry( 64, 4, 256,  64, 1, 1490, 1490, 4340) \
    entry(128, 1,  64, 128, 1, 1820, 1820, 4190) \
    entry(128, 1,  64, 128, 8, 1820, 1820, 8000) \
    entry(128, 2, 128, 128, 1, 2520, 2520, 2580) \
    entry(128, 3, 192,  64, 1, 1830, 1830, 4000)
// clang-format on

#endif
