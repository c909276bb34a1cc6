// SPDX-License-Identifier: Apache-2.0
//
// See reference_build.h. Both modules are variants of a kernel that no manifest names.
#include "control/compile/reference_build.h"

#include <stdio.h>
#include <string.h>

#include "control/compile/toolchain.h"
#include "control/compile/variant.h"
#include "control/plan/call.h"

// NaN as an integer, or a number that is too large, ends the process (worker/check/declared_reference.c).
#define DOUBLE_FLAGS 2
static const char *const flags[] = {"-fsanitize=float-cast-overflow", "-fsanitize-undefined-trap-on-error",
                                    "-include", "assay/reference_single.h", "-fsingle-precision-constant"};

// The constants of clang stay double: it has no such flag for C.
static size_t single_flag_count(const char *source, struct arena *arena) {
    struct toolchain toolchain;
    const size_t all = sizeof flags / sizeof *flags;
    return toolchain_find(source, arena, &toolchain, NULL) == 0 && toolchain.is_clang ? all - 1 : all;
}

// No kernel of the user's is at fault: "the reference of 'x' does not build", and no side does not.
static int blame(const struct manifest_kernel *kernel, struct err *err) {
    char subject[160];
    const size_t before = strlen("kernel ''") + strlen(kernel->name);
    snprintf(subject, sizeof subject, "the reference of '%s'", kernel->op);
    if (err->code == ERR_BUILD) err->code = ERR_DATA;
    if (str_starts(err->text, "kernel '")) {
        memmove(err->text + strlen(subject), err->text + before, strlen(err->text + before) + 1);
        memcpy(err->text, subject, strlen(subject));
    }
    return -(int)err->code;
}

static int build(const struct declared *declared, bool is_single, struct progress *progress,
                 struct arena *arena, struct variant *ret, struct err *err) {
    struct call call;
    if (declared->reference.call)
        TRY(reference_call_parse(declared, is_single ? ASSAY_FP32 : ASSAY_FP64, arena, &call, err));
    const struct manifest_kernel kernel = {
        .name = arena_format(arena, "the reference of %s", declared->name),
        .op = declared->name,
        .backend = "cpu",
        .source = declared->reference.source,
        .call = declared->reference.call ? &call : NULL,
        .flags = (const char **)(uintptr_t)flags,
        .flag_count = is_single ? single_flag_count(declared->reference.source, arena) : DOUBLE_FLAGS,
    };
    const struct variant_request request = {
        .kernel = &kernel, .dir = declared->reference.dir, .progress = progress};
    return variant_build(&request, 1, arena, ret, err) < 0 ? blame(&kernel, err) : 0;
}

static int hash_module(const char *path, struct arena *arena, const char **ret, struct err *err) {
    char hex[SHA256_HEX_BYTES];
    TRY(sha256_file_hex(path, hex, err));
    *ret = arena_strdup(arena, hex);
    return 0;
}

int reference_build(struct declared *declared, struct progress *progress, struct arena *arena,
                    struct err *err) {
    struct declared_reference *reference = &declared->reference;
    struct variant variant = {0};
    struct err why = {0};
    TRY(build(declared, false, progress, arena, &variant, err));
    reference->module_path = variant.module_path;
    TRY(hash_module(variant.module_path, arena, &reference->module_hash, err));
    if (build(declared, true, progress, arena, &variant, &why) < 0) {
        reference->single_note = arena_strdup(arena, why.text);
        return 0;
    }
    reference->single_module_path = variant.module_path;
    return hash_module(variant.module_path, arena, &reference->single_module_hash, err);
}
