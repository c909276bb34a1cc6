// SPDX-License-Identifier: Apache-2.0
//
// How a diagnosis is filled, for those that make one: diagnosis.c from counters, roofline.c from a position.
#ifndef PROFILE_DIAGNOSIS_INTERNAL_H
#define PROFILE_DIAGNOSIS_INTERNAL_H

#include "profile/profile.h"

// What is past FINDINGS_MAX is left out.
void diagnosis_note(struct diagnosis *diagnosis, const char *text);
void diagnosis_suppose(struct diagnosis *diagnosis, double gain, const char *text, const char *metric,
                       const char *test);
// Larger gains first; unknown ones last, in the order in which they were found.
void diagnosis_sort(struct diagnosis *diagnosis);

#endif
