// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as a result document that is compared with itself, reported in every form and turned into the
// older form: a document that is read never breaks what is computed from it, and never is a regression
// against itself.
#include <stdlib.h>
#include <string.h>

#include "control/verdict/integrated.h"
#include "control/verdict/summary.h"
#include "fuzz/compare_itself.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static void turn_old(const struct result *result) {
    struct arena arena = {0};
    struct strbuf text = {0};
    struct integrated old;
    struct err err = {0};
    for (size_t i = 0; i < result->case_count; ++i)
        for (uint32_t side = 0; side < result->side_count; ++side)
            if (integrated_from_result(result, i, side, &arena, &old, &err) == 0)
                integrated_write(&old, &text);
    strbuf_fini(&text);
    arena_fini(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    struct err err = {0};
    struct result base = {0}, cand = {0};
    json_t *root = NULL;
    if (json_read_text((const char *)bytes, count, "fuzz.json", &root, &err) < 0) return 0;
    if (result_parse(root, "fuzz.json", &base, &err) == 0) {
        if (result_parse(root, "fuzz.json", &cand, &err) < 0 || summary_set_all(&cand) < 0) abort();
        report_in_every_form(&cand); // with the document's own decision, or none
        compare_with_itself(&base, &cand);
        report_in_every_form(&cand);
        turn_old(&cand);
    }
    result_fini(&base);
    result_fini(&cand);
    json_decref(root);
    return 0;
}
