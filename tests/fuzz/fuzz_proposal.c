// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as what a proposer of `assay tune` printed: it is read, or refused with a sentence, and a patch
// changes nothing but the text that it is given.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "control/tune/proposal_text.h"
#include "control/tune/unified_patch.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static void apply(const char *patch) {
    static const char base[] = "one\ntwo\n\nfour\nfive";
    struct strbuf out = {0};
    struct err err = {0};
    if (unified_patch_apply(base, patch, &out, &err) < 0 && !err.text[0]) abort();
    strbuf_fini(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    struct arena arena = {0};
    struct proposal_text proposal;
    struct err err = {0};
    char *text = mem_alloc(count + 1);
    if (count) memcpy(text, bytes, count);
    if (proposal_text_parse(text, count, &arena, &proposal, &err) < 0) {
        if (err.code != ERR_DATA || !err.text[0]) abort();
    } else if (proposal.form == PROPOSAL_PATCH) {
        apply(proposal.body);
    }
    free(text);
    arena_fini(&arena);
    return 0;
}
