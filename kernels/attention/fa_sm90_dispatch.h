// SPDX-License-Identifier: Apache-2.0
//
// Which form of fa_sm90 a problem gets: clocks of each form on one multiprocessor, from a recorded sweep. fa_hopper_host.cuh adds
// them up for a problem's tiles and takes the least. A form's arguments: head dimension, warpgroups that compute, keys of a block, thread
// blocks that may share a tile; clocks of a block of keys when its tile is alone on the multiprocessor and when as many tiles as fit
// are there; clocks of a tile besides its blocks (Q, sums, O).
//
// Recorded on an H200 (132 multiprocessors), 2026-11-22, fp16, regime cool, clocks unlocked: problems of the suites ci and fa3 with
// each form forced (WARPGROUPS), docs/measurements.md. Clocks are those that fit the problems best (at 1.74 GHz and 1.9 us a launch);
// of D = 128 and three warpgroups then moved by 1 %, so that s2048_d128 and s4096_d128 get two.
// Of the problems measured with all forms the form chosen is the fastest or within 3 % of it.
#ifndef ATTENTION_FA_SM90_DISPATCH_H
#define ATTENTION_FA_SM90_DISPATCH_H

// clang-format off
#define FA_SM90_FORMS(form)                \
    form( 64, 1, 128, 1, 1250, 1770, 2500) \
    form( 64, 1, 128, 8, 1250, 1770, 4750) \
    form( 64, 2, 128, 1, 1830, 1830, 2810) \
    form( 64, 3, 128, 1, 2270, 2270, 3420) \
    form( 64, 4,  64, 1, 1490, 1490, 4340) \
    form(128, 1, 128, 1, 1820, 1820, 4190) \
    form(128, 1, 128, 8, 1820, 1820, 8000) \
    form(128, 2, 128, 1, 2520, 2520, 2580) \
    form(128, 3,  64, 1, 1830, 1830, 4000)
// clang-format on

#endif
