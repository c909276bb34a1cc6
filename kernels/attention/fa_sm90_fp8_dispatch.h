// SPDX-License-Identifier: Apache-2.0
//
// Which form of fa_sm90_fp8 a problem gets: as fa_sm90_dispatch.h, recorded in the same way.
#ifndef ATTENTION_FA_SM90_FP8_DISPATCH_H
#define ATTENTION_FA_SM90_FP8_DISPATCH_H

// clang-format off
#define FA_SM90_FP8_FORMS(form)            \
    form( 64, 1, 128, 1, 1280, 1770, 3750) \
    form( 64, 1, 128, 8, 1280, 1770, 5900) \
    form( 64, 2, 128, 1, 1760, 1760, 3740) \
    form( 64, 3, 128, 1, 2000, 2000, 4490) \
    form( 64, 4,  64, 1, 1350, 1350, 6100) \
    form(128, 1, 128, 1, 1950, 1950,  790) \
    form(128, 1, 128, 8, 1950, 1950, 4600) \
    form(128, 2, 128, 1, 2610, 2610, 1400) \
    form(128, 3,  64, 1, 1860, 1860, 1700)
// clang-format on

#endif
