// SPDX-License-Identifier: Apache-2.0
//
// A kernel whose name clears the terminal.
#include "evil_text.h"
#define BROKEN_NAME EVIL_TEXT
#include "broken.h"

BROKEN_KERNEL(broken_launch_right)
