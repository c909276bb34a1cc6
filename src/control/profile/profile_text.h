// SPDX-License-Identifier: Apache-2.0
//
// A profile and its diagnosis for people, and as JSON.
#ifndef CONTROL_PROFILE_PROFILE_TEXT_H
#define CONTROL_PROFILE_PROFILE_TEXT_H

#include "base/strbuf.h"
#include "control/profile/profile.h"

void profile_print(const struct profile *profile, const struct diagnosis *diagnosis, bool color,
                   struct strbuf *out);
// An object with "problem" (NULL: not known), "profile" and "diagnosis", an item of an open array.
void profile_write(struct json_writer *w, const char *problem, const struct profile *profile,
                   const struct diagnosis *diagnosis);

#endif
