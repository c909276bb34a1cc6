// SPDX-License-Identifier: Apache-2.0
//
// The manifest assay.yaml: kernels, suites, simulated devices, gate, peers, limits. Read with libyaml's
// document tree and our schema tables, so that every mistake is reported as "file:line:column: key: what,
// what to try", with the nearest known key. Errors are ERR_CONFIG (78); a missing file is ERR_NO_INPUT.
#ifndef CONTROL_PLAN_MANIFEST_MANIFEST_H
#define CONTROL_PLAN_MANIFEST_MANIFEST_H

#include "base/err.h"
#include "control/plan/manifest_types.h"

// asker: NULL where no operator may be a Python file.
int manifest_read(const char *path, const struct manifest_asker *asker, struct manifest *ret,
                  struct err *err);
struct manifest_text {
    const char *text;
    size_t length;
    const char *path; // for messages; its folder is the manifest's
};
int manifest_parse(const struct manifest_text *text, const struct manifest_asker *asker, struct manifest *ret,
                   struct err *err);
// Adds the operator of a Python file, as if the manifest had `operators: {NAME: FILE}` with the file's name;
// nothing where it has that. *ret_name: in the manifest's arena.
int manifest_add_operator(struct manifest *manifest, const char *file, const struct manifest_asker *asker,
                          const char **ret_name, struct err *err);
// Adds an operator that was read elsewhere, and whose memory is the manifest's; suite: that of its name, or
// NULL. ERR_USAGE: there is another one of that name.
int manifest_add_declared(struct manifest *manifest, struct declared *declared, const struct operator_def *op,
                          const struct manifest_suite *suite, struct err *err);
void manifest_add_kernel(struct manifest *manifest,
                         const struct manifest_kernel *kernel); // before the others
// Looks for assay.yaml here and upwards. NULL when there is none; caller frees.
char *manifest_find(const char *start_dir);
void manifest_empty(struct manifest *ret); // no file: defaults only (used with --module)
void manifest_fini(struct manifest *manifest);
// A kernel's name that is nearly this one; NULL: none.
const char *manifest_nearest_kernel(const struct manifest *manifest, const char *name);
// ERR_USAGE with the known names and the nearest one.
// Operators of *from take the place of those of the same name, and are added where there is none. *from
// outlives the manifest.
void manifest_adopt_operators(struct manifest *manifest, const struct manifest *from);
// "declaration 1a2b3c4d, reference 5e6f7a8b": hashes of its texts and of its reference's source, before
// anything is built.
const char *manifest_operator_digest(const struct declared *declared, struct arena *arena);
int manifest_get_kernel(const struct manifest *manifest, const char *name, const struct manifest_kernel **ret,
                        struct err *err);
void manifest_sort_values(int64_t *values, size_t count); // of a knob: ascending
// All keys, as the tables that record/schema.h writes the JSON Schema and the page's tables from. Made in the
// arena. A manifest that is read without a mistake matches that schema; the reverse holds for its form alone.
const struct member_table *manifest_members(struct arena *arena);
// The commented starter that `assay init` writes.
const char *manifest_starter(void);

#endif
