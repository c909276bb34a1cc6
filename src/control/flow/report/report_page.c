// SPDX-License-Identifier: Apache-2.0
//
// See report_page.h.
#include "control/flow/report/report_page.h"

#include "control/flow/profile/roofline_result.h"
#include "report/html/html_page.h"

int report_page_add(const struct result *result, struct report_options report, struct strbuf *out,
                    struct err *err) {
    struct arena arena = {0};
    struct roofline roofline;
    struct err missing = {0}; // nothing timed, or no ceilings: a page without a roofline
    if (roofline_from_result(result, &(struct roofline_request){0}, &arena, &roofline, &missing) == 0 &&
        roofline.roof_count)
        report.roofline = &roofline;
    const int status = html_page_print(result, &report, out);
    arena_fini(&arena);
    return status < 0 ? err_set(err, ERR_INTERNAL, "no memory for the report") : 0;
}

const char *report_page_policy(struct arena *arena) {
    struct strbuf text = {0};
    html_page_policy(&text);
    strbuf_add(&text, "; frame-ancestors 'self'");
    const char *ret = arena_strdup(arena, strbuf_text(&text));
    strbuf_fini(&text);
    return ret;
}

static struct report_options report_of_files(const char *const names[2]) {
    struct report_options ret = report_options_default();
    ret.base_file = names[0];
    ret.cand_file = names[1];
    ret.base_label = "baseline"; // two runs of one kernel have the same name
    ret.cand_label = "candidate";
    return ret;
}

struct report_options report_of_comparison(const struct result_comparison *comparison) {
    struct report_options ret = report_of_files(comparison->names);
    ret.base_side = &comparison->results[0]->sides[comparison->sides[0]];
    ret.cand_side = &comparison->results[1]->sides[comparison->sides[1]];
    return ret;
}

struct report_options report_of_document(const struct comparison_document *document) {
    struct report_options ret = report_of_files(document->names);
    ret.base_side = &document->result.sides[0];
    ret.cand_side = &document->result.sides[1];
    return ret;
}
