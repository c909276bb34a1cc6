// SPDX-License-Identifier: Apache-2.0
//
// A variant is a kernel with one build configuration: how it becomes a module on disk. Sources are compiled
// through Ninja (ccache when present) into a cache keyed by the content of the preprocessed source, the
// flags, the compiler and the target; a user's own build command is run in the tree it belongs to. The cache
// survives concurrent builds and a kill at any point: entries appear by rename only.
#ifndef CONTROL_COMPILE_VARIANT_H
#define CONTROL_COMPILE_VARIANT_H

#include "base/arena.h"
#include "base/err.h"
#include "control/plan/manifest/manifest.h"
#include "record/result.h"

struct variant_request {
    const struct manifest_kernel *kernel;
    const char *dir;    // folder of the manifest it comes from (the work tree of its revision)
    const char *config; // "BLOCK_M=64,BLOCK_N=64", over the manifest's; NULL
    const char *arch;   // cuda: "sm_90a"; NULL
    bool is_verbose;    // keep the whole command lines and output in report.log_tail
};

struct variant {
    const char *module_path; // in the cache (or the library itself); absolute
    const char *kernel_name; // entry in the module; NULL: its only one
    const char *config;      // canonical "A=1,B=2" sorted by name; NULL: none
    struct build_report report;
    bool has_unique_symbols; // STB_GNU_UNIQUE: two revisions must not share a process
    uint64_t cache_key;
};

// Builds all requests in parallel. On a refusal of the compiler: ERR_BUILD, the sentence holds the kernel's
// name and the end of the log. Strings live in the arena.
int variant_build(const struct variant_request *requests, size_t count, struct arena *arena,
                  struct variant *ret, struct err *err);
// "A=1,B=2" -> settings. ERR_USAGE with the place.
int config_parse(const char *text, struct arena *arena, struct manifest_setting **ret, size_t *ret_count,
                 struct err *err);
char *config_format(const struct manifest_setting *settings, size_t count,
                    struct arena *arena); // sorted; NULL when 0
// What became of the sources that this process compiled, without those that the cache of modules answered
// for.
struct build_counts {
    int64_t compiled_count, ccache_count; // by the compiler; by ccache in its place
};
struct build_counts variant_build_counts(void);

// What ccache answered since its statistics began. False: there is no ccache.
struct ccache_totals {
    int64_t hit_count, call_count;
};
bool variant_ccache_totals(struct arena *arena, struct ccache_totals *ret);

// Hash of the machine code of an ELF module: executable sections and read-only data, without names, notes,
// build ids, debug information; of GPU code in it, of every target. ERR_DATA for anything that is not a sound
// ELF file. ret_code_bytes: of machine code, the GPU's alone where there is some; may be NULL.
int code_hash_file(const char *path, char ret_hex[33], int64_t *ret_code_bytes, struct err *err);

#endif
