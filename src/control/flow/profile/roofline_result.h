// SPDX-License-Identifier: Apache-2.0
//
// The roofline of a result: its device's ceilings, and a point for each problem and kernel that was measured.
#ifndef CONTROL_FLOW_PROFILE_ROOFLINE_RESULT_H
#define CONTROL_FLOW_PROFILE_ROOFLINE_RESULT_H

#include "profile/roofline.h"
#include "record/result.h"

struct roofline_request {
    const char *side;           // label, kernel or role; NULL: all
    const char *profile_folder; // pages of Nsight Compute as assay profile writes them: <problem>.csv
};

// Adds the device's roofs: the stored ceilings, with their date; where none are, those that the result holds.
void roofline_add_roofs(struct roofline *roofline, const struct result *result, struct arena *arena);

// Everything lives in the arena or is borrowed from the result. ERR_USAGE: no such side, or pages for several
// (one kernel was profiled). ERR_NO_INPUT: the folder has no page of any problem. ERR_DATA: a page that
// cannot be read, or nothing measured.
int roofline_from_result(const struct result *result, const struct roofline_request *request,
                         struct arena *arena, struct roofline *ret, struct err *err);

// The roofline of one case and side: the operator's bytes, with a profile the counted ones, too. -1: no
// memory.
int roofline_of_case(const struct result *result, const struct result_case *item, uint32_t side,
                     const struct profile *profile, struct arena *arena, struct roofline *ret);

// The place of one case and side, without a page of a profiler unless profile is given. -1: no memory.
int roofline_place_case(const struct result *result, const struct result_case *item, uint32_t side,
                        const struct profile *profile, struct arena *arena, struct roofline_place *ret);

#endif
