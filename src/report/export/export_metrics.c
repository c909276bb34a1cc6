// SPDX-License-Identifier: Apache-2.0
//
// OpenMetrics text: one gauge a figure, labelled with problem and side. GitLab shows how each differs from
// the target branch's.
#include <math.h>

#include "report/export/export.h"
#include "report/export/metric_label.h"

static void add_gauge(struct strbuf *out, const char *name, const struct exported *one, double value) {
    if (!isfinite(value)) return;
    strbuf_addf(out, "%s{", name);
    metric_label_add(out, "problem", one->problem);
    metric_label_add(out, ",side", str_or(one->side->label, one->side->kernel));
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
