// SPDX-License-Identifier: Apache-2.0
//
// Shared by variant.c (dispatch), variant_source.c and key_inputs.c (what is compiled, and its key),
// compile_batch.c (Ninja), confined_build.c (the sandbox), variant_own.c (own build command, library,
// Python) and variant_call.c (a function in a library).
#ifndef CONTROL_COMPILE_VARIANT_INTERNAL_H
#define CONTROL_COMPILE_VARIANT_INTERNAL_H

#include "base/sha256.h"
#include "control/compile/build_cache_internal.h"
#include "control/compile/toolchain.h"
#include "control/compile/variant.h"

// One request on its way to a module.
struct variant_job {
    const struct variant_request *request;
    struct manifest_setting *settings; // manifest's and request's, sorted by name
    size_t setting_count;
    const char *config; // as text; NULL: none
    const char *shim;   // of a kernel with `call`: its module's text; NULL: the source or the library is one
    char key[SHA256_HEX_BYTES];
    bool is_done, has_failed;
    struct build_entry entry;
    // Sources only.
    int log_fd; // output of the compiler and the linker; 0: not compiled
    struct toolchain toolchain;
    struct toolchain_flags flags;
    bool has_unknown_inputs; // it reads files that are in no key: it is compiled every time
};

// Fills toolchain, flags and key; looks into the cache.
int variant_source_prepare(struct variant_job *job, struct arena *arena, struct err *err);
// Adds a preprocessed text without its blank lines, which comments leave behind.
void key_text_add(const char *text, size_t length, struct sha256 *sha);
// Whether inline assembly may read files in it.
bool key_text_reads_files(const char *text, size_t length);
// Whether the kernel's flags put source lines into the module, for a debugger, a profiler or a sanitizer.
bool key_flags_keep_lines(const struct manifest_kernel *kernel);
// Adds the contents of files that the manifest's flags name.
int key_flags_add(struct variant_job *job, struct arena *arena, struct sha256 *sha, struct err *err);
// Adds what may be paths in one of the kernel's flags to a list of words.
void flag_paths_add(const struct manifest_kernel *kernel, size_t index, struct arena *arena,
                    const char ***words, size_t *count);
// The words in front of a compiler that may write folder, NULL-terminated: none where the source is the
// user's own.
const char *const *confined_build_prefix(const struct variant_job *job, const char *folder,
                                         struct arena *arena);
// The compiler failed and printed `output`, writing into folder: ERR_BUILD, or ERR_IO when the disk is full.
int variant_compile_fail(const struct variant_job *job, const char *folder, const char *output,
                         struct err *err);
// Compiles all jobs that are not done, in parallel, and publishes them.
int compile_batch(struct variant_job *const *jobs, size_t count, struct arena *arena, struct err *err);
int variant_own_build(struct variant_job *job, struct arena *arena, struct err *err);
int variant_library(struct variant_job *job, struct arena *arena, struct err *err);
// Of a library that is in the cache: makes a module around its function.
int variant_call(struct variant_job *job, struct arena *arena, struct err *err);
int variant_python(struct variant_job *job, struct arena *arena, struct err *err);

// Hash over the files below dir that match any of the patterns (paths and contents), except `except`.
// ERR_CONFIG for a pattern that matches nothing.
int input_files_hash(const char *dir, const char *const *patterns, size_t pattern_count, const char *except,
                     struct sha256 *sha, struct err *err);
// "csrc/**/x?.c" matches "csrc/a/b/x1.c".
bool input_pattern_matches(const char *pattern, const char *path);

#endif
