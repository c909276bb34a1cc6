// SPDX-License-Identifier: Apache-2.0
//
// Manifests made by hand as text: read, or refused with the sentence that a test expects.
#ifndef TESTS_MADE_MANIFEST_H
#define TESTS_MADE_MANIFEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "control/plan/manifest/manifest.h"

// What the last made_manifest_parse() said.
static struct err made_manifest_error;

static inline int made_manifest_parse(const char *text, struct manifest *ret) {
    made_manifest_error = (struct err){0};
    return manifest_parse(&(struct manifest_text){text, strlen(text), "assay.yaml"}, NULL, ret,
                          &made_manifest_error);
}

// Refused as a bad manifest, with exactly that beginning.
static inline void made_manifest_refuse(const char *text, const char *start) {
    struct manifest manifest;
    assert_int_equal(made_manifest_parse(text, &manifest), -ERR_CONFIG);
    if (strncmp(made_manifest_error.text, start, strlen(start)) != 0)
        fail_msg("expected '%s', got '%s'", start, made_manifest_error.text);
}

#endif
