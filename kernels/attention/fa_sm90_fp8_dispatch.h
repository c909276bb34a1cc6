// SPDX-License-Identifier: Apache-2.0
//
// Tile configurations of fa_sm90_fp8 and their measured clocks: as fa_sm90_dispatch.h, fitted to 26 problems
// on an H100.
#ifndef ATTENTION_FA_SM90_FP8_DISPATCH_H
#define ATTENTION_FA_SM90_FP8_DISPATCH_H

// clang-format off
#define FA_SM90_FP8_TILE_CONFIGS(entry)     \
    entry( 64, 1,  64, 128, 1, 1280, 1770, 3750) \
    entry( 64, 1,  64, 128, 8, 1280, 1770, 5900) \
    entry( 64, 2, 128, 128, 1, 1700, 1700, 4390) \
    entry( 64, 2,  64, 128, 1, 5250, 5250, 1620) \
    entry( 64, 2,  32, 128, 1, 3550, 3550, 1620) \
    entry( 64, 3, 192, 128, 1, 1920, 1920, 5050) \
    entry( 64, 4, 256,  64, 1, 1290, 1290, 6100) \
    entry(128, 1,  64, 128, 1, 1750, 1550, 2540) \
    entry(128, 1,  64, 128, 8, 2000, 2000, 6200) \
    entry(128, 2, 128, 128, 1, 2160, 2160, 3690) \
    entry(128, 3, 192,  64, 1, 1490, 1490, 4440)
// clang-format on

#endif
