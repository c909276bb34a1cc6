// SPDX-License-Identifier: Apache-2.0
//
// CSV: a row for each problem and side, with a head.
#include <math.h>

#include "report/export/export.h"

static void add_texts(struct strbuf *out, const char *const *texts, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        if (i) strbuf_add_char(out, ',');
        export_csv_text(out, texts[i]);
    }
}

int export_csv_print(const struct result *result, const struct report_options *options, struct strbuf *out) {
    struct arena arena = {0};
    const struct exported *list;
    const size_t count = export_list(result, &arena, &list);
    (void)options;
    strbuf_add(out, "run_id,created_utc,device_uuid,suite,problem,short_name,side,kernel,verdict,samples,"
                    "median_ns,median_low_ns,median_high_ns,mean_ns,sd_ns,p95_ns,p99_ns,gflop_per_s,gb_per_s,"
                    "change_pct,change_low_pct,change_high_pct\n");
    for (size_t i = 0; i < count; ++i) {
        const struct exported *one = &list[i];
        const struct case_summary *f = one->figures;
        const struct decision_case *d = one->decision;
        const char *const texts[] = {
            result->run_id,   result->created_utc, result->environment.device_uuid,
            result->suite,    one->problem,        one->item->short_name,
            one->side->label, one->side->kernel,   d ? verdict_name(d->verdict) : NULL};
        const double figures[] = {f->median_ns, f->median_low_ns, f->median_high_ns, f->mean_ns, f->sd_ns,
                                  f->p95_ns,    f->p99_ns,        f->gflop_per_s,    f->gb_per_s};
        add_texts(out, texts, sizeof texts / sizeof *texts);
        strbuf_addf(out, ",%zu", f->sample_count);
        for (size_t k = 0; k < sizeof figures / sizeof *figures; ++k) export_csv_double(out, figures[k]);
        export_csv_double(out, d ? d->change_pct : NAN);
        export_csv_double(out, d ? d->change_low_pct : NAN);
        export_csv_double(out, d ? d->change_high_pct : NAN);
        strbuf_add_char(out, '\n');
    }
    arena_fini(&arena);
    return 0;
}
