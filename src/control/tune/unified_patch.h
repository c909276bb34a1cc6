// SPDX-License-Identifier: Apache-2.0
//
// A unified diff of one text, applied in memory. Names in it are not used and no file is touched, so a patch
// from anyone can change the text that it is given and nothing else.
#ifndef CONTROL_TUNE_UNIFIED_PATCH_H
#define CONTROL_TUNE_UNIFIED_PATCH_H

#include "base/err.h"
#include "base/strbuf.h"

// Adds the changed text to *out. A hunk goes where its old lines stand: at its line number, else at the first
// such place behind the hunk before. ERR_DATA: no hunk, a malformed one, one without a place, a second file.
int unified_patch_apply(const char *text, const char *patch, struct strbuf *out, struct err *err);

#endif
