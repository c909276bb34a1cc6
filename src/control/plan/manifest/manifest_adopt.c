// SPDX-License-Identifier: Apache-2.0
//
// Operators of one manifest in another: against a revision the baseline's decide what is right.
#include <stdlib.h>

#include "base/file.h"
#include "base/sha256.h"
#include "base/strbuf.h"
#include "control/plan/manifest/manifest.h"
#include "record/declared_members.h"

static void add(struct manifest *manifest, const struct operator_def *op, struct declared *declared,
                const struct operator_def **made) {
    struct operator_set *set = &manifest->operators;
    manifest->declared[set->declared_count] = declared;
    made[set->declared_count++] = op;
}

void manifest_adopt_operators(struct manifest *manifest, const struct manifest *from) {
    const struct operator_set own = manifest->operators, *theirs = &from->operators;
    struct declared **own_declared = manifest->declared;
    const size_t most = own.declared_count + theirs->declared_count;
    const struct operator_def **made = arena_array(&manifest->arena, most + 1, sizeof *made);
    manifest->declared = arena_array(&manifest->arena, most + 1, sizeof *manifest->declared);
    manifest->operators = (struct operator_set){made, 0};
    for (size_t i = 0; i < theirs->declared_count; ++i)
        add(manifest, theirs->declared[i], from->declared[i], made);
    for (size_t i = 0; i < own.declared_count; ++i)
        if (!operator_find(theirs, own.declared[i]->name))
            add(manifest, own.declared[i], own_declared[i], made);
}

const char *manifest_operator_digest(const struct declared *declared, struct arena *arena) {
    struct strbuf text = {0};
    struct json_writer w = json_writer_make(&text, 0);
    struct sha256 sha = sha256_make();
    char texts[SHA256_HEX_BYTES], reference[SHA256_HEX_BYTES] = "none";
    json_object_begin(&w, NULL);
    members_write(&w, &declared_members, declared, NULL);
    json_object_end(&w);
    sha256_add(&sha, text.text, text.length);
    sha256_hex(sha, texts);
    if (declared_is_timed_only(declared)) { // its file is the kernels'
        strbuf_fini(&text);
        return arena_format(arena, "declaration %.8s", texts);
    }
    char *path = path_join(declared->reference.dir, str_or(declared->reference.source, "."));
    (void)sha256_file_hex(path, reference, NULL); // its build says that it is missing
    const char *ret = arena_format(arena, "declaration %.8s, reference %.8s", texts, reference);
    strbuf_fini(&text);
    free(path);
    return ret;
}
