// SPDX-License-Identifier: Apache-2.0
//
// Which form of fa_sm90_fp8 a problem gets: as fa_sm90_dispatch.h, with the type of the weights (half, e4m3) behind the keys of a
// step. Clocks are estimates from those of fa_sm90, until a sweep with each form forced (WARPGROUPS) is recorded.
#ifndef ATTENTION_FA_SM90_FP8_DISPATCH_H
#define ATTENTION_FA_SM90_FP8_DISPATCH_H

#ifndef WEIGHTS64 // of the forms of D = 64, and of 128
#define WEIGHTS64 __half
#endif
#ifndef WEIGHTS128
#define WEIGHTS128 __nv_fp8_e4m3
#endif

// clang-format off
#define FA_SM90_FP8_FORMS(form)                            \
    form( 64, 1, 128, WEIGHTS64,  false, 1300, 1900, 1600) \
    form( 64, 2, 128, WEIGHTS64,  false, 2050, 2050, 1450) \
    form( 64, 3, 128, WEIGHTS64,  false, 2350, 2350, 1390) \
    form( 64, 4,  64, WEIGHTS64,  false, 1650, 1650, 2000) \
    form( 64, 2, 128, WEIGHTS64,  true,  1800, 1800, 2000) \
    form( 64, 4,  64, WEIGHTS64,  true,  1650, 1650, 2000) \
    form(128, 1, 128, WEIGHTS128, false, 1500, 1500, 1300) \
    form(128, 2, 128, WEIGHTS128, false, 2100, 2100, 1300) \
    form(128, 3,  64, WEIGHTS128, false, 1550, 1550, 1500) \
    form(128, 2,  64, WEIGHTS128, true,  1500, 1500, 2300)
// clang-format on

#endif
