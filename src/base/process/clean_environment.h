// SPDX-License-Identifier: Apache-2.0
//
// The environment of processes that run code of strangers.
#ifndef BASE_PROCESS_CLEAN_ENVIRONMENT_H
#define BASE_PROCESS_CLEAN_ENVIRONMENT_H

#include <stdbool.h>

// What PYTHONPATH is called for an interpreter that is confined after it has started (peers/assay_path.py).
#define CLEAN_PYTHON_PATH "ASSAY_PYTHONPATH"

// A clean environment from ours, for free with clean_environment_free: paths, language and time zone,
// settings of compilers, OpenMP, BLAS, Python, CUDA, Triton and sanitizers; nothing that is named like a
// secret, nothing else. HOME and TMPDIR are scratch_dir (NULL: "/nonexistent" and none). add: "NAME=VALUE",
// NULL-terminated, may be NULL. is_confined: the program is before it starts; else PYTHONPATH is
// CLEAN_PYTHON_PATH, since Python would run files from there at once.
char **clean_environment_new(const char *scratch_dir, const char *const *add, bool is_confined);
void clean_environment_free(char **env); // accepts NULL

#endif
