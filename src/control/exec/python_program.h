// SPDX-License-Identifier: Apache-2.0
//
// The program of a worker for kernels written in Python: an interpreter that runs peers/assay_bridge.py,
// which loads libassay_worker.so. All three are looked for only when a kernel needs them.
#ifndef CONTROL_EXEC_PYTHON_PROGRAM_H
#define CONTROL_EXEC_PYTHON_PROGRAM_H

#include "base/err.h"
#include "base/hash.h"

// The path of the interpreter: `named` (from the manifest; with a slash it is a path relative to dir), else
// that of $VIRTUAL_ENV, else of the environment that assay lies in, else python3 on PATH. Caller frees
// *ret_path. ERR_UNAVAILABLE with advice.
int python_program_find(const char *named, const char *dir, char **ret_path, struct err *err);

// The folder of assay_bridge.py and of the peers that come with assay: the installed one, else the source
// tree's. Caller frees; ERR_UNAVAILABLE.
int python_program_peers(char **ret_dir, struct err *err);

// The command line: {interpreter, "-u", bridge, library, NULL}. python_argv_free frees bridge and library.
struct python_argv {
    const char *argv[5];
    char *bridge, *library;
};
int python_argv_make(const char *interpreter, struct python_argv *ret, struct err *err);
void python_argv_free(struct python_argv *argv); // accepts a zeroed one

// Hashes the code that measures in an interpreter and is not part of this program: libassay_worker.so, and
// all Python sources in the bridge's folder.
int python_program_hash(struct hash_state *hash, struct err *err);

#endif
