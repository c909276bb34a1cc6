// SPDX-License-Identifier: Apache-2.0
//
// The environment of processes that run code of strangers.
#ifndef BASE_PROCESS_CLEAN_ENVIRONMENT_H
#define BASE_PROCESS_CLEAN_ENVIRONMENT_H

// A clean environment from ours, for free with clean_environment_free: paths, language and time zone,
// settings of compilers, OpenMP, BLAS, Python, CUDA, Triton and sanitizers; nothing that is named like a
// secret, nothing else. HOME and TMPDIR are scratch_dir (NULL: "/nonexistent" and none). add: "NAME=VALUE",
// NULL-terminated, may be NULL.
char **clean_environment_new(const char *scratch_dir, const char *const *add);
void clean_environment_free(char **env); // accepts NULL

#endif
