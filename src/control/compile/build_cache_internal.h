// SPDX-License-Identifier: Apache-2.0
//
// Built modules on disk: path_cache_dir()/modules/<key>/{module.so, report.json}. An entry is made in a
// private folder and renamed into place, so it is complete or absent at any time; when several builds make
// one entry, the first stays. An entry whose module does not have the hash in its report counts as absent and
// is replaced.
#ifndef CONTROL_COMPILE_BUILD_CACHE_INTERNAL_H
#define CONTROL_COMPILE_BUILD_CACHE_INTERNAL_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/hash.h"
#include "record/result.h"

#define BUILD_MODULE_NAME "module.so"

struct build_entry {
    const char *module_path; // absolute
    struct build_report report;
    const char *commands; // command lines of the build; NULL: none
    bool has_unique_symbols;
};

// A private folder below the cache, on the same file system as the entries. Its lock tells other builds that
// it is in use; they remove those of builds that were killed.
struct build_stage {
    const char *dir, *lock_path;
    int lock_fd;
};

int build_stage_open(struct arena *arena, struct build_stage *ret, struct err *err);
void build_stage_close(struct build_stage *stage); // removes what is left of it

// Whether there is an intact entry for the key. All of *ret lives in the arena.
bool build_cache_find(const char *key, struct arena *arena, struct build_entry *ret);

// Fills *entry from the file at its module_path: hashes, code size, unique symbols. code_hash stays NULL for
// a module that may load code from its own folder ($ORIGIN).
int build_entry_inspect(struct build_entry *entry, struct arena *arena, struct err *err);

// As build_cache_publish, of the folder `dir` as it lies: it is no entry, and nobody finds it.
int build_entry_keep(const char *dir, struct arena *arena, struct build_entry *entry, struct err *err);

// Publishes stage_dir, which holds BUILD_MODULE_NAME, as the entry of key. *entry comes with its report and
// commands, and the rest is filled in; if another build published first, *entry becomes that build's.
int build_cache_publish(const char *stage_dir, const char *key, struct arena *arena,
                        struct build_entry *entry, struct err *err);

#endif
