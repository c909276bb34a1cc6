// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as a result document that is compared with itself, reported in every form, drawn and turned into
// the older form: a document that is read never breaks what is computed from it, and never is a regression
// against itself.
#include <stdlib.h>
#include <string.h>

#include "control/flow/profile/roofline_result.h"
#include "fuzz/compare_itself.h"
#include "report/roofline/roofline_report.h"
#include "verdict/integrated.h"
#include "verdict/summary.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static void turn_old(const struct result *result) {
    struct arena arena = {0};
    struct strbuf text = {0};
    struct integrated old;
    struct err err = {0};
    for (size_t i = 0; i < result->case_count; ++i)
        for (uint32_t side = 0; side < result->side_count; ++side) {
            struct roofline_place place;
            const struct integrated_choice choice = {i, side, &place};
            if (roofline_place_case(result, &result->cases[i], side, NULL, &arena, &place) < 0) abort();
            if (integrated_from_result(result, &choice, &arena, &old, &err) < 0) continue;
            integrated_write(&old, &text);
            integrated_print(&old, &text);
        }
    strbuf_fini(&text);
    arena_fini(&arena);
}

static void draw_roofline(const struct result *result) {
    const struct roofline_text_options options = {.has_utf8 = true, .width = 80};
    struct arena arena = {0};
    struct strbuf text = {0};
    struct roofline roofline;
    struct err err = {0};
    if (roofline_from_result(result, &(struct roofline_request){0}, &arena, &roofline, &err) == 0) {
        roofline_text(&roofline, &options, &text);
        roofline_svg(&roofline, &text);
        roofline_json(&roofline, &text);
    }
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
        draw_roofline(&cand);
    }
    result_fini(&base);
    result_fini(&cand);
    json_decref(root);
    return 0;
}
