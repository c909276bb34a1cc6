// SPDX-License-Identifier: Apache-2.0
//
// A kernel written in Python is built by doing nothing. It has no machine code before it runs, and no hash of
// any; what it has is the hash of its source: all of its package, or its one file. Modules that it imports
// from elsewhere are not in that.
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "control/compile/variant_internal.h"

// "kern.fa:forward" -> "kern/fa"; caller frees.
static char *module_place(const char *callable) {
    char *place = mem_format("%.*s", (int)strcspn(callable, ":"), callable);
    for (char *p = place; *p; ++p)
        if (*p == '.') *p = '/';
    return place;
}

static int hash_source(const char *dir, const char *place, struct hash_state *hash, bool *ret_is_found,
                       struct err *err) {
    char *top = mem_format("%.*s", (int)strcspn(place, "/"), place);
    char *package = path_join(dir, top), *file = mem_format("%s/%s.py", dir, place);
    static const char *const patterns[] = {"**/*.py"};
    char hex[HASH_HEX_BYTES];
    int code = 0;
    *ret_is_found = true;
    if (file_is_dir(package)) {
        code = input_files_hash(package, patterns, 1, NULL, hash, NULL);
        if (code < 0) *ret_is_found = false; // nothing of Python in there: the import will say it better
        code = 0;
    } else if (file_exists(file)) {
        code = hash_file_hex(file, hex, err);
        if (code == 0) hash_add_text(hash, hex);
    } else {
        *ret_is_found = false; // installed elsewhere, or missing: the import will tell
    }
    free(top);
    free(package);
    free(file);
    return code;
}

int variant_python(struct variant_job *job, struct arena *arena, struct err *err) {
    const struct manifest_kernel *kernel = job->request->kernel;
    char *place = module_place(kernel->python), hex[HASH_HEX_BYTES];
    struct hash_state *hash = hash_new();
    bool is_found = false;
    hash_add_text(hash, kernel->python);
    const int code = hash_source(job->request->dir, place, hash, &is_found, err);
    hash_take_hex(hash, hex);
    free(place);
    if (code < 0) return code;
    memcpy(job->key, hex, sizeof hex);
    job->entry.report = build_report_unknown();
    job->entry.report.compiler = "Python source";
    if (is_found) job->entry.report.source_hash = arena_strdup(arena, hex);
    job->is_done = true;
    return 0;
}
