// SPDX-License-Identifier: Apache-2.0
//
// Reasons in words. One table; a reason without an entry says nothing.
#include "control/verdict/reason_text.h"

#include <stddef.h>

static const char *const words[REASON_COUNT] = {
    [REASON_SLOWER_UNPROVEN] = "spans the threshold",
    [REASON_FASTER_UNPROVEN] = "faster, not proved",
    [REASON_EFFECT_TOO_SMALL] = "faster, effect too small",
    [REASON_FASTER_IN_BAND] = "a little faster",
    [REASON_SLOWER_IN_BAND] = "a little slower",
    [REASON_IN_BAND] = "no change seen",
    [REASON_TIE] = "intervals overlap",
    [REASON_TOO_FEW_ROUNDS] = "too few rounds",
    [REASON_TOO_NOISY] = "too noisy",
    [REASON_TOO_FEW_SAMPLES] = "too few samples",
    [REASON_DIFFERENT_DEVICE] = "another device or driver",
    [REASON_DIFFERENT_SETTINGS] = "other settings",
    [REASON_THROTTLED] = "throttled",
    [REASON_CLOCKS_APART] = "clocks apart",
    [REASON_FEW_EFFECTIVE_SAMPLES] = "few effective samples",
    [REASON_ACCOUNTING_ERROR] = "above the ceiling",
    [REASON_NOTHING_IN_COMMON] = "nothing in common",
    [REASON_BAD_TIMES] = "times that are none",
    [REASON_BUSY_MACHINE] = "busy machine",
    [REASON_NOT_MEASURED] = "not measured",
    [REASON_CHECK_FAILED] = "check failed",
    [REASON_UNSUPPORTED] = "not supported",
    [REASON_EXPECTED_IMPROVEMENT] = "expected improvement not proved",
    [REASON_BUILD_FAILED] = "does not build",
};

const char *reason_text(enum reason reason) {
    const char *text = (unsigned)reason < REASON_COUNT ? words[reason] : NULL;
    return text ? text : "";
}
