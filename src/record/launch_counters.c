// SPDX-License-Identifier: Apache-2.0
//
// Members of a launch's counters.
#include "record/launch_counters.h"

static const struct member counter_list[] = {
    MEMBER(struct counter, "name", name, "Name.", MEMBER_REQUIRED),
    MEMBER(struct counter, "value", value, "Value, in the base unit of the name.", MEMBER_REQUIRED),
};
static const struct member_table counter_members = MEMBER_TABLE(struct counter, "counter", counter_list, );

static const struct member launch_list[] = {
    MEMBER(struct launch_counters, "function", function, "Name of the device function."),
    MEMBER(struct launch_counters, "block", block, "Threads of a block, by axis."),
    MEMBER(struct launch_counters, "grid", grid, "Blocks, by axis."),
    MEMBER_LIST(struct launch_counters, "counters", counters, counter_count, &counter_members,
                LAUNCH_COUNTERS_MAX, "What was counted.", MEMBER_WRITTEN),
};
const struct member_table launch_counters_members =
    MEMBER_TABLE(struct launch_counters, "launch_counters", launch_list, );
