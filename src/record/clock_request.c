// SPDX-License-Identifier: Apache-2.0
//
// See clock_request.h.
#include "record/clock_request.h"

#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"

// 0: the text is not a number of MHz.
static uint32_t parse_mhz(const char *text) {
    const size_t digits = strspn(text, "0123456789");
    const char *unit = text + digits;
    const unsigned long mhz = digits && digits < 6 ? strtoul(text, NULL, 10) : 0;
    if (*unit == ' ') ++unit;
    const bool is_unit = str_equal(unit, "MHz") || !text[digits];
    return is_unit && mhz <= CLOCK_REQUEST_MHZ_MAX ? (uint32_t)mhz : 0;
}

int clock_request_parse(const char *text, struct clock_request *ret, struct err *err) {
    *ret = (struct clock_request){.kind = CLOCK_REQUEST_MHZ};
    if (str_equal(text, "base"))
        ret->kind = CLOCK_REQUEST_BASE;
    else if (str_equal(text, "max"))
        ret->kind = CLOCK_REQUEST_MAX;
    else if ((ret->mhz = parse_mhz(text)) == 0)
        return err_set(err, ERR_USAGE, "--lock-clocks takes base, max or a number of MHz, not '%s'", text);
    return 0;
}
