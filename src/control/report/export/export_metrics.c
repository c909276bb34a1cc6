// SPDX-License-Identifier: Apache-2.0
//
// OpenMetrics text: one gauge a figure, labelled with problem and side. GitLab shows how each differs from
// the target branch's.
#include <math.h>

#include "base/plain_text.h"
#include "control/report/export/export.h"

// Quotes, backslashes and newlines are escaped (OpenMetrics 1.0, ABNF of escaped strings).
static void add_label(struct strbuf *out, const char *name, const char *value) {
    struct strbuf plain = {0};
    strbuf_add_plain(&plain, str_or(value, ""), true);
    strbuf_addf(out, "%s=\"", name);
    for (const char *at = strbuf_text(&plain); *at; ++at) {
        if (*at == '"' || *at == '\\') strbuf_add_char(out, '\\');
        strbuf_add_char(out, *at);
    }
    strbuf_add_char(out, '"');
    strbuf_fini(&plain);
}

static void add_gauge(struct strbuf *out, const char *name, const struct exported *one, double value) {
    if (!isfinite(value)) return;
    strbuf_addf(out, "%s{", name);
    add_label(out, "problem", one->item->problem.name);
    add_label(out, ",side", str_or(one->side->label, one->side->kernel));
    strbuf_addf(out, "} %.9g\n", value);
}

int export_metrics_print(const struct result *result, const struct report_options *options,
                         struct strbuf *out) {
    struct arena arena = {0};
    const struct exported *list;
    const size_t count = export_list(result, &arena, &list);
    (void)options;
    strbuf_add(out, "# TYPE assay_median_seconds gauge\n# UNIT assay_median_seconds seconds\n");
    for (size_t i = 0; i < count; ++i)
        add_gauge(out, "assay_median_seconds", &list[i], list[i].figures->median_ns * 1e-9);
    strbuf_add(out, "# TYPE assay_flop_per_second gauge\n");
    for (size_t i = 0; i < count; ++i)
        add_gauge(out, "assay_flop_per_second", &list[i], list[i].figures->gflop_per_s * 1e9);
    strbuf_add(out, "# EOF\n");
    arena_fini(&arena);
    return 0;
}
