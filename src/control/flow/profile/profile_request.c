// SPDX-License-Identifier: Apache-2.0
//
// Names of the profilers.
#include "control/flow/profile/profile_request.h"

#include "record/member.h"

static const char *const option_names[PROFILER_COUNT] = {"invalid", "auto", "ncu", "cupti", "perf"};

enum profiler profiler_parse(const char *name) {
    const int value = member_value(option_names, PROFILER_COUNT, name);
    return value > 0 ? (enum profiler)value : PROFILER_INVALID;
}

const char *profiler_name(enum profiler profiler) {
    static const char *const names[PROFILER_COUNT] = {"?", "?", "Nsight Compute", "CUPTI", "perf events"};
    return member_name(names, PROFILER_COUNT, (int)profiler);
}

const char *profiler_option(enum profiler profiler) {
    return member_name(option_names, PROFILER_COUNT, (int)profiler);
}
