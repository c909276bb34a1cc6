// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as a manifest, and as what a Python file declares: it is read, or refused with a sentence that
// names the file.
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "control/plan/manifest/manifest.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static const char *said; // the same bytes as what a Python file says

static int ask(const struct manifest_asker *asker, struct manifest *manifest,
               const struct declared *const *declared, size_t count, const char **ret_answers,
               struct err *err) {
    (void)asker, (void)declared, (void)count, (void)err;
    ret_answers[0] = arena_strdup(&manifest->arena, said);
    return 0;
}

static void parse_answer(const uint8_t *bytes, size_t count) {
    static const char text[] = "version: 1\noperators: {one: one.py}";
    char *copy = mem_alloc(count + 1);
    struct manifest manifest;
    memcpy(copy, bytes, count);
    said = copy;
    if (manifest_parse(&(struct manifest_text){text, sizeof text - 1, "assay.yaml"},
                       &(const struct manifest_asker){.ask = ask}, &manifest, NULL) == 0)
        manifest_fini(&manifest);
    free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    parse_answer(bytes, count);
    struct manifest manifest;
    struct err err = {0};
    const int result = manifest_parse(&(struct manifest_text){(const char *)bytes, count, "assay.yaml"}, NULL,
                                      &manifest, &err);
    if (result == 0)
        manifest_fini(&manifest);
    else if (!strstr(err.text, "assay.yaml"))
        abort();
    return 0;
}
