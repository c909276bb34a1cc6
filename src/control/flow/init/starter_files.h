// SPDX-License-Identifier: Apache-2.0
//
// What `assay init` writes for a new user: a manifest and its schema, a kernel that is right, and a line of
// .gitignore. With the Python file of an operator the manifest is for that, and its reference is the kernel
// to begin with.
#ifndef CONTROL_FLOW_INIT_STARTER_FILES_H
#define CONTROL_FLOW_INIT_STARTER_FILES_H

#include <stdbool.h>

#include "base/err.h"
#include "base/strbuf.h"

// The schema of the manifest for editors, beside it: a path of this installation would be none of another
// machine, and assay has no address that it could name instead.
#define STARTER_SCHEMA "assay.schema.json"

struct starter {
    const char *operator_file; // below the working folder; NULL: none
    bool is_triton;            // an operator of its own and a Triton kernel of it
};

// names_schema: before it the line by which an editor finds the schema.
void starter_manifest_add(const struct starter *starter, bool names_schema, struct strbuf *out);
// Writes them below the working folder and appends a line on each to *out. ERR_CREATE: there is a manifest.
// All or nothing: what was written before a failure is taken back. A source or schema that is there stays;
// .gitignore gets the line that it lacks.
int starter_files_write(const struct starter *starter, struct strbuf *out, struct err *err);

#endif
