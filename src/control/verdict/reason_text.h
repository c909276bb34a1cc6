// SPDX-License-Identifier: Apache-2.0
//
// Why a verdict is what it is, in a few words for people; record/decision.h has the names for programs.
#ifndef CONTROL_VERDICT_REASON_TEXT_H
#define CONTROL_VERDICT_REASON_TEXT_H

#include "record/decision.h"

// "" for REASON_NONE and for reasons that the verdict says already
const char *reason_text(enum reason reason);

#endif
