// SPDX-License-Identifier: Apache-2.0
//
// github-action-benchmark: `range` and `extra` are free texts that its charts show.
#include <math.h>

#include "base/json_writer.h"
#include "report/export/export.h"

static const char *extra_of(const struct result *result, const struct exported *one, struct arena *arena) {
    const struct case_summary *f = one->figures;
    const char *device = str_or(result->environment.device_name, str_or(result->environment.device, ""));
    return arena_format(arena, "95 %% interval %.6g to %.6g us\n%zu samples\n%s%s%s", f->median_low_ns / 1e3,
                        f->median_high_ns / 1e3, f->sample_count, device, one->decision ? "\nverdict " : "",
                        one->decision ? verdict_text(one->decision->verdict) : "");
}

// What is charted of a problem: its time, or a rate that goes with it.
struct charted {
    const char *unit;
    double value, half; // half: of the 95 % interval
};

static struct charted time_of(const struct case_summary *f) {
    return (struct charted){"us", f->median_ns / 1e3, (f->median_high_ns - f->median_low_ns) / 2e3};
}

// Arithmetic, or bytes where an operator has none. The interval is that of the time, as wide in per cent.
static struct charted rate_of(const struct case_summary *f) {
    const bool has_flops = isfinite(f->gflop_per_s) && f->gflop_per_s > 0;
    const double rate = has_flops ? f->gflop_per_s : f->gb_per_s;
    return (struct charted){has_flops ? "GFLOP/s" : "GB/s", rate,
                            rate * (f->median_high_ns - f->median_low_ns) / (2 * f->median_ns)};
}

static int print(const struct result *result, struct charted (*charted_of)(const struct case_summary *),
                 struct strbuf *out) {
    struct arena arena = {0};
    struct json_writer w = json_writer_make(out, 2);
    const struct exported *list;
    const size_t count = export_list(result, &arena, &list);
    json_array_begin(&w, NULL);
    for (size_t i = 0; i < count; ++i) {
        const struct charted charted = charted_of(list[i].figures);
        if (!isfinite(charted.value)) continue;
        json_object_begin(&w, NULL);
        json_write_string(&w, "name", list[i].name);
        json_write_string(&w, "unit", charted.unit);
        json_write_double(&w, "value", charted.value);
        if (isfinite(charted.half))
            json_write_string(&w, "range", arena_format(&arena, "\xc2\xb1 %.3g", charted.half));
        json_write_string(&w, "extra", extra_of(result, &list[i], &arena));
        json_object_end(&w);
    }
    json_array_end(&w);
    strbuf_add_char(out, '\n');
    arena_fini(&arena);
    return 0;
}

int export_action_benchmark_print(const struct result *result, const struct report_options *options,
                                  struct strbuf *out) {
    (void)options;
    return print(result, time_of, out);
}

int export_action_benchmark_rate_print(const struct result *result, const struct report_options *options,
                                       struct strbuf *out) {
    (void)options;
    return print(result, rate_of, out);
}
