// SPDX-License-Identifier: Apache-2.0
//
// Which form of fa_sm90 a problem gets: clocks of each form on one multiprocessor, from a recorded sweep. fa_hopper_host.cuh adds
// them up for a problem's tiles and takes the least. A form's arguments: head dimension, warpgroups that compute, keys that each of
// them takes in a step, whether they split the keys of a tile's rows among them; clocks of a block of keys when its tile is alone on
// the multiprocessor and when as many tiles as fit are there; clocks of a tile besides its blocks (Q, sums, O).
//
// Recorded on an H200 (132 multiprocessors), 2026-11-21, fp16, regime cool, clocks unlocked (1.65 to 1.8 GHz): the suites ci and fa3
// with each form forced (WARPGROUPS), docs/measurements.md. Block clocks are from S = 2048, tile clocks from the difference to S = 512.
// Of the problems measured with all forms the form chosen is the fastest or within 3 % of it. The split forms' clocks are estimates.
#ifndef ATTENTION_FA_SM90_DISPATCH_H
#define ATTENTION_FA_SM90_DISPATCH_H

// clang-format off
#define FA_SM90_FORMS(form)                    \
    form( 64, 1, 128, false, 1500, 2120, 1600) \
    form( 64, 2, 128, false, 2340, 2340, 1450) \
    form( 64, 3, 128, false, 2715, 2715, 1390) \
    form( 64, 4,  64, false, 1890, 1890, 2200) \
    form( 64, 2, 128, true,  2000, 2000, 2000) \
    form( 64, 4,  64, true,  1850, 1850, 2000) \
    form(128, 1, 128, false, 1900, 1900, 1300) \
    form(128, 2, 128, false, 2750, 2750, 1300) \
    form(128, 3,  64, false, 2020, 2020, 1500) \
    form(128, 2,  64, true,  1800, 1800, 2300)
// clang-format on

#endif
