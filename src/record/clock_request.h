// SPDX-License-Identifier: Apache-2.0
//
// The clock at which a device is to be held: the value of --lock-clocks. Parsed by control, which rejects
// anything else, and by the process that holds the clock.
#ifndef RECORD_CLOCK_REQUEST_H
#define RECORD_CLOCK_REQUEST_H

#include <stdint.h>

#include "base/err.h"

#define CLOCK_REQUEST_MHZ_MAX 99999u

enum clock_request_kind {
    CLOCK_REQUEST_BASE = 0, // "base": the clock that the device guarantees under load
    CLOCK_REQUEST_MAX,      // "max": the device's highest clock
    CLOCK_REQUEST_MHZ,      // "1500", "1500MHz", "1500 MHz"
};

struct clock_request {
    enum clock_request_kind kind;
    uint32_t mhz; // set for CLOCK_REQUEST_MHZ
};

// ERR_USAGE when the text is none of these.
int clock_request_parse(const char *text, struct clock_request *ret, struct err *err);

#endif
