// SPDX-License-Identifier: Apache-2.0
//
// Reasons for which a device runs slower than it could: NVML's clock event reasons, as words in
// device_state.throttle. Hardware and thermal slowdowns make a measurement unusable; a software power cap
// or an application's clock setting only gives a warning (docs/deciding.md, "The rounds rule").
#ifndef RECORD_THROTTLE_H
#define RECORD_THROTTLE_H

#include <stdint.h>

#define THROTTLE_TEXT_BYTES 160

enum throttle { // bits
    THROTTLE_NONE = 0,
    THROTTLE_SW_POWER_CAP = 1 << 0,       // "sw_power_cap"
    THROTTLE_HW_SLOWDOWN = 1 << 1,        // "hw_slowdown"
    THROTTLE_SW_THERMAL = 1 << 2,         // "sw_thermal_slowdown"
    THROTTLE_HW_THERMAL = 1 << 3,         // "hw_thermal_slowdown"
    THROTTLE_HW_POWER_BRAKE = 1 << 4,     // "hw_power_brake_slowdown"
    THROTTLE_SYNC_BOOST = 1 << 5,         // "sync_boost"
    THROTTLE_APPLICATION_CLOCKS = 1 << 6, // "application_clocks"
    THROTTLE_DISPLAY_CLOCKS = 1 << 7,     // "display_clocks"
    THROTTLE_ALL = (1 << 8) - 1,
    THROTTLE_SLOWDOWNS =
        THROTTLE_HW_SLOWDOWN | THROTTLE_SW_THERMAL | THROTTLE_HW_THERMAL | THROTTLE_HW_POWER_BRAKE,
};

// "hw_slowdown,sw_power_cap"; "none" for no bits.
void throttle_format(uint32_t bits, char ret_text[THROTTLE_TEXT_BYTES]);
// "" and "none" give no bits. Returns -1 when a word is unknown; the bits of the known words are set
// nevertheless.
int throttle_parse(const char *text, uint32_t *ret_bits);

#endif
