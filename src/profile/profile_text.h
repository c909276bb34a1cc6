// SPDX-License-Identifier: Apache-2.0
//
// A profile and its diagnosis for people.
#ifndef PROFILE_PROFILE_TEXT_H
#define PROFILE_PROFILE_TEXT_H

#include "base/strbuf.h"
#include "profile/cpu_profile.h"

// The name of "void fa_kernel<64, 4>(problem)": *ret points to it, its length is returned.
int function_base_name(const char *function, const char **ret);

void profile_print(const struct profile *profile, const struct diagnosis *diagnosis, bool color,
                   struct strbuf *out);
void cpu_profile_print(const struct cpu_profile *profile, const struct diagnosis *diagnosis, bool color,
                       struct strbuf *out);

#endif
