// SPDX-License-Identifier: Apache-2.0
//
// A variant is one kernel of the manifest, built with one set of macro values: kernel "mine" with BLOCK_M=64
// and kernel "mine" with BLOCK_M=128 are two variants. Building one yields a module, the shared library that
// a worker loads. Sources are compiled in parallel with Ninja (through ccache where it is installed); other
// kernels come from the user's own build command, from a library that is already built, or from Python.
// Modules are kept in a cache (build_cache.c) whose keys cover the source, the flags, the compiler and the
// target.
#ifndef CONTROL_COMPILE_VARIANT_H
#define CONTROL_COMPILE_VARIANT_H

#include "base/arena.h"
#include "base/err.h"
#include "base/progress.h"
#include "base/sha256.h"
#include "control/plan/manifest/manifest.h"
#include "record/result.h"

// Of a source that a stranger wrote: its compiler runs in the sandbox of docs/sandbox.md, without ccache.
struct build_limits {
    uint64_t memory_bytes; // of each process of the compiler
    uint64_t limit_ns;     // of one step: preprocessing, compiling, linking
    const char *own_dir;   // for its module, which nobody else finds; its owner removes it. NULL: the cache
};

struct variant_request {
    const struct manifest_kernel *kernel;
    const char *dir;                   // folder of the manifest it comes from (the work tree of its revision)
    const char *source_dir;            // the folder that its source has to lie in; NULL: dir
    const char *config;                // "BLOCK_M=64,BLOCK_N=64", over the manifest's; NULL
    const char *arch;                  // cuda: "sm_90a"; NULL
    const struct build_limits *limits; // NULL: the source is the user's own
    bool is_verbose;                   // puts the command lines before the output in report.log_tail
    struct progress *progress;         // says what is being compiled; NULL: nobody waits
};

struct variant {
    const char *module_path; // in the cache (or the library itself); absolute
    const char *kernel_name; // entry in the module; NULL: its only one
    const char *config;      // canonical "A=1,B=2" sorted by name; NULL: none
    struct build_report report;
    bool has_unique_symbols; // has STB_GNU_UNIQUE symbols: two revisions must not share a process
    uint64_t cache_key;
};

// Builds all requests in parallel. ERR_BUILD when a compiler fails: the message holds the kernel's name and
// the end of the log. The first failure is reported; what else can be built is in the cache then, too.
// Strings live in the arena.
int variant_build(const struct variant_request *requests, size_t count, struct arena *arena,
                  struct variant *ret, struct err *err);
// The hash of a Python kernel ("kern.fa:forward") is that of its source below dir: the whole package, or the
// one file. Modules imported from elsewhere are not covered. 1; 0: it is not there, so the hash says nothing.
int variant_python_hash(const char *python, const char *dir, char ret_hex[SHA256_HEX_BYTES], struct err *err);
// What is known of how it was built. source_hash: NULL, or kept by the caller.
struct build_report variant_python_report(const char *source_hash);
// "A=1,B=2" -> settings. ERR_USAGE names the column.
int config_parse(const char *text, struct arena *arena, struct manifest_setting **ret, size_t *ret_count,
                 struct err *err);
// Sorted by name; NULL when count is 0.
char *config_format(const struct manifest_setting *settings, size_t count, struct arena *arena);
// How the sources of this process were compiled; modules found in the cache are not counted.
struct build_counts {
    int64_t compiled_count, ccache_count; // by the compiler; answered by ccache
};
struct build_counts variant_build_counts(void);

// ccache's own statistics, over all its users. False: there is no ccache.
struct ccache_totals {
    int64_t hit_count, call_count;
};
bool variant_ccache_totals(struct arena *arena, struct ccache_totals *ret);

#endif
