// SPDX-License-Identifier: Apache-2.0
//
// What `assay init` writes for a new user: a manifest, a kernel that is right, and a line of .gitignore. With
// the Python file of an operator the manifest is for that, and its reference is the kernel to begin with.
#ifndef CONTROL_FLOW_INIT_STARTER_FILES_H
#define CONTROL_FLOW_INIT_STARTER_FILES_H

#include "base/err.h"
#include "base/strbuf.h"

// The starter manifest, and before it the line by which an editor finds the schema. Its path is that of this
// installation, so that the schema is of the same version as the program, also after an update.
// operator_file: below the working folder; NULL: none.
void starter_manifest_add(const char *operator_file, struct strbuf *out);
// Writes them below the working folder and appends a line on each to *out. ERR_CREATE: there is a manifest.
// All or nothing: what was written before a failure is taken back. A kernel's source that is there stays;
// .gitignore gets the line that it lacks.
int starter_files_write(const char *operator_file, struct strbuf *out, struct err *err);

#endif
