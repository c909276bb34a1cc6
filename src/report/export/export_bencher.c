// SPDX-License-Identifier: Apache-2.0
//
// Bencher Metric Format: its built-in measures are `latency` in nanoseconds and `throughput` in operations a
// second, which is FLOP/s here; memory traffic is a measure of ours.
#include <math.h>

#include "base/json_writer.h"
#include "report/export/export.h"

static void write_measure(struct json_writer *w, const char *name, double value, double low, double high) {
    if (!isfinite(value)) return;
    json_object_begin(w, name);
    json_write_double(w, "value", value);
    json_maybe_double(w, "lower_value", low);
    json_maybe_double(w, "upper_value", high);
    json_object_end(w);
}

int export_bencher_print(const struct result *result, const struct report_options *options,
                         struct strbuf *out) {
    struct arena arena = {0};
    struct json_writer w = json_writer_make(out, 2);
    const struct exported *list;
    const size_t count = export_list(result, &arena, &list);
    (void)options;
    json_object_begin(&w, NULL);
    for (size_t i = 0; i < count; ++i) {
        const struct case_summary *f = list[i].figures;
        json_object_begin(&w, list[i].name);
        write_measure(&w, "latency", f->median_ns, f->median_low_ns, f->median_high_ns);
        write_measure(&w, "throughput", 1e9 * f->gflop_per_s, NAN, NAN);
        write_measure(&w, "memory-bytes-per-s", 1e9 * f->gb_per_s, NAN, NAN);
        json_object_end(&w);
    }
    json_object_end(&w);
    strbuf_add_char(out, '\n');
    arena_fini(&arena);
    return 0;
}
