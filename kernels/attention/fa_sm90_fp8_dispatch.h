// SPDX-License-Identifier: Apache-2.0
//
// Tile configurations of fa_sm90_fp8 and their measured clocks: as fa_sm90_dispatch.h, recorded in the same
// way. Those of a key block with four warpgroups were then moved by 1.5 %, so that D = 64 under a mask gets
// four at S 2048 and 8192 too, which are 6 and 2 % faster.
#ifndef ATTENTION_FA_SM90_FP8_DISPATCH_H
#define ATTENTION_FA_SM90_FP8_DISPATCH_H

// clang-format off
#define FA_SM90_FP8_TILE_CONFIGS(entry)     \
    entry( 64, 1, 128, 1, 1280, 1770, 3750) \
    entry( 64, 1, 128, 8, 1280, 1770, 5900) \
    entry( 64, 2, 128, 1, 1760, 1760, 3740) \
    entry( 64, 3, 128, 1, 2000, 2000, 4490) \
    entry( 64, 4,  64, 1, 1330, 1330, 6100) \
    entry(128, 1, 128, 1, 1950, 1950,  790) \
    entry(128, 1, 128, 8, 1950, 1950, 4600) \
    entry(128, 2, 128, 1, 2610, 2610, 1400) \
    entry(128, 3,  64, 1, 1860, 1860, 1700)
// clang-format on

#endif
