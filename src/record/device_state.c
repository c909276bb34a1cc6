// SPDX-License-Identifier: Apache-2.0
//
// Writes and reads the state of a device. Values not known are absent, never zero. worker/backend/ reads
// the sensors.
#include "record/device_state.h"

#include "record/member.h"

static const struct member members[] = {
    MEMBER(struct device_state, "temperature_c", temperature_c, "Of the device.", MEMBER_AT_LEAST(-273.15)),
    MEMBER(struct device_state, "clock_hz", clock_hz, "Clock of the SMs, or the CPU's frequency.",
           MEMBER_AT_LEAST(0)),
    MEMBER(struct device_state, "memory_clock_hz", memory_clock_hz, "Clock of the memory.",
           MEMBER_AT_LEAST(0)),
    MEMBER(struct device_state, "power_w", power_w, "Power drawn.", MEMBER_AT_LEAST(0)),
    MEMBER(struct device_state, "energy_j", energy_j,
           "Of the whole case, with stabilization, warming up and all sides, and not of one side.",
           MEMBER_AT_LEAST(0)),
    MEMBER(struct device_state, "others_pct", others_pct,
           "Processor time of other processes, of all processors.", MEMBER_AT_LEAST(0),
           .former = "foreign_pct"),
    MEMBER(struct device_state, "steal_pct", steal_pct, "Processor time that the hypervisor took.",
           MEMBER_AT_LEAST(0)),
    MEMBER(struct device_state, "clock_probe_hz", clock_probe_hz, "Clock probe, median of its readings.",
           MEMBER_AT_LEAST(0), .former = "spin_clock_hz"),
    MEMBER(struct device_state, "window_ns", window_ns, "Length of the window.", MEMBER_AT_LEAST(0)),
    MEMBER(struct device_state, "throttle", throttle,
           "Reasons such as `hw_slowdown,sw_power_cap`, or `none`."),
    MEMBER(struct device_state, "governor", governor, "Linux's frequency governor."),
    {.key = "turbo",
     .type = MEMBER_BOOL_OR_UNKNOWN,
     MEMBER_PLACE(struct device_state, turbo),
     .sentence = "The processor may exceed its base clock."},
    MEMBER(struct device_state, "other_process_count", other_process_count,
           "Other processes that used the device.", MEMBER_FROM_0, .former = "foreign_process_count"),
};
const struct member_table device_state_members =
    MEMBER_TABLE(struct device_state, "device_state", members,
                 .sentence = "Of the device over the window of the samples. What is not known is absent.");

struct device_state device_state_unknown(void) {
    struct device_state state;
    members_forget(&device_state_members, &state);
    return state;
}
