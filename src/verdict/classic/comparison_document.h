// SPDX-License-Identifier: Apache-2.0
//
// The document of a comparison, which `assay compare --json` writes (result_comparison_write), read again: a
// decision about two files, without their samples. Reports print it like one that was just made.
#ifndef VERDICT_CLASSIC_COMPARISON_DOCUMENT_H
#define VERDICT_CLASSIC_COMPARISON_DOCUMENT_H

#include "verdict/classic/result_comparison.h"

#define COMPARISON_FORMAT "a comparison" // the result's external_format: it has no measurements of its own

struct comparison_document {
    struct arena arena;   // of the names
    struct result result; // two sides by their roles, the decision, the warnings; no problems measured
    const char *names[2]; // of the files: baseline, candidate
    const char *format;   // of them
};

// By its members: it has no `kind`.
bool comparison_document_is_one(const json_t *root);
// *ret is to be freed with comparison_document_fini when 0 is returned. ERR_DATA says what is wrong with it.
int comparison_document_read(const json_t *root, const char *where, struct comparison_document *ret,
                             struct err *err);
// The same document again.
int comparison_document_write(struct comparison_document *document, struct strbuf *out, struct err *err);
void comparison_document_fini(struct comparison_document *document);

#endif
