// SPDX-License-Identifier: Apache-2.0
//
// What a reference in Python depends on: its file, the modules that the file imports, and the packages that
// its interpreter has.
#ifndef CONTROL_EXEC_PYTHON_IMPORTS_H
#define CONTROL_EXEC_PYTHON_IMPORTS_H

#include "base/sha256.h"
#include "record/declared_members.h"

// Of a reference whose module_path, interpreter and bridge are set; peers/assay_imports.py reads the files
// and runs none. Errors: ERR_UNAVAILABLE, the interpreter does not start; ERR_CONFIG, it fails.
int python_imports_hash(const struct declared_reference *reference, char ret_hex[SHA256_HEX_BYTES],
                        struct err *err);

#endif
