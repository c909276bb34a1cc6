// SPDX-License-Identifier: Apache-2.0
//
// What a proposer prints: lines for assay ("// assay: predict 1.2x", "// assay: config BLOCK_M=64"), then a
// source, or a patch, or nothing.
#ifndef CONTROL_TUNE_PROPOSAL_TEXT_H
#define CONTROL_TUNE_PROPOSAL_TEXT_H

#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"

#define PROPOSAL_BYTES_MAX ((size_t)1 << 20)

enum proposal_form {
    PROPOSAL_INVALID = 0,
    PROPOSAL_SETTINGS, // a config alone
    PROPOSAL_SOURCE,
    PROPOSAL_PATCH,
};

struct proposal_text {
    enum proposal_form form;
    const char *prediction, *config; // in the arena; NULL: none
    const char *body;                // points into the text
};

// text ends with a zero. ERR_DATA: nothing, too much, no text, an unknown line for assay.
int proposal_text_parse(const char *text, size_t length, struct arena *arena, struct proposal_text *ret,
                        struct err *err);

#endif
