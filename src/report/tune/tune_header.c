// SPDX-License-Identifier: Apache-2.0
//
// The dispatch table of a tuning as a C header: rows behind the body that all tables share. It stands alone:
// no other header, no assay.
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/embed.h"
#include "base/mem.h"
#include "control/tune/tune_dispatch.h"
#include "report/tune/tune_report.h"

#define BASELINE_TEXT "as before"

extern const char tune_dispatch_body[]; // ends with a zero
EMBED("tune_dispatch_body", ASSAY_DISPATCH_BODY);
_Static_assert(TUNE_AXES_MAX <= 16, "axes of the body's structs");

// A kernel's name as part of an identifier.
static char *identifier_of(const char *name) {
    char *ret = mem_format("%s%s", isdigit((unsigned char)name[0]) ? "k" : "", name);
    for (char *p = ret; *p; ++p)
        if (!isalnum((unsigned char)*p)) *p = '_';
    return ret;
}

// The place among the finalists; their number: the baseline.
static size_t variant_of(const struct tune_record *record, const char *config) {
    size_t at = 0;
    while (at < record->finalist_count && !str_equal(record->finalists[at].config, config)) ++at;
    return at;
}

static void add_numbers(const int64_t *numbers, size_t count, struct strbuf *out) {
    strbuf_add_char(out, '{');
    for (size_t i = 0; i < count; ++i) strbuf_addf(out, "%s%" PRId64, i ? ", " : "", numbers[i]);
    strbuf_add(out, count ? "}" : "0}");
}

static void add_ranges(const struct tune_record *record, const char *name, struct strbuf *out) {
    const size_t count = record->choice_count;
    struct tune_choice *choices = mem_alloc((count + 1) * sizeof *choices);
    struct tune_range *ranges = mem_alloc((count + 1) * sizeof *ranges);
    for (size_t i = 0; i < count; ++i) {
        const size_t variant = variant_of(record, record->choices[i].config);
        const bool is_exact =
            variant < record->finalist_count && record->finalists[variant].unsupported_count > 0;
        choices[i] = (struct tune_choice){record->choices[i].problem, variant, is_exact};
    }
    const size_t range_count = tune_dispatch_make(choices, count, ranges);
    strbuf_addf(out, "static const struct assay_dispatch_range %s_ranges[] = {\n", name);
    for (size_t i = 0; i < range_count; ++i) {
        const struct tune_range *range = &ranges[i];
        const bool is_variant = range->variant < record->finalist_count;
        strbuf_addf(out, "    {\"%s\", %zu, ", range->low.kind, range->low.axis_count);
        add_numbers(range->low.axes, range->low.axis_count, out);
        strbuf_add(out, ", ");
        add_numbers(range->high, range->low.axis_count, out);
        strbuf_addf(out, ",\n     %s%s%s, %d}, // %zu measured\n", is_variant ? "\"" : "",
                    is_variant ? record->finalists[range->variant].config : "0", is_variant ? "\"" : "",
                    range->is_exact, range->problem_count);
    }
    strbuf_add(out, "};\n\n");
    free(choices);
    free(ranges);
}

// Whether an earlier choice is for the same problem, with another input distribution.
static bool is_repeated(const struct tune_record *record, size_t at) {
    for (size_t i = 0; i < at; ++i)
        if (str_equal(record->choices[i].problem, record->choices[at].problem)) return true;
    return false;
}

static void add_points(const struct tune_record *record, const char *name, struct strbuf *out) {
    strbuf_addf(out, "static const struct assay_dispatch_point %s_points[] = {\n", name);
    for (size_t i = 0; i < record->choice_count; ++i) {
        if (is_repeated(record, i)) continue;
        const struct tune_shape shape = tune_shape_parse(record->choices[i].problem);
        strbuf_addf(out, "    {\"%s\", %zu, ", shape.kind, shape.axis_count);
        add_numbers(shape.axes, shape.axis_count, out);
        strbuf_add(out, "},\n");
    }
    strbuf_add(out, "};\n\n");
}

static void add_choice(const char *name, struct strbuf *out) {
    strbuf_addf(
        out,
        "// The settings for a problem, or NULL. *is_measured: whether the problem itself was measured.\n"
        "static inline const char *%s_choose(const char *kind, const long long *axes, int *is_measured) {\n"
        "    *is_measured = assay_dispatch_is_measured(%s_points, sizeof %s_points / sizeof *%s_points, "
        "kind, axes);\n"
        "    return assay_dispatch_choose(%s_ranges, sizeof %s_ranges / sizeof *%s_ranges, kind, axes);\n"
        "}\n",
        name, name, name, name, name, name, name);
}

void tune_report_header(const struct tune_record *record, struct strbuf *out) {
    char *name = identifier_of(record->kernel);
    strbuf_add_linef(out, "// Settings of the kernel %s by ranges of problems.", record->kernel);
    strbuf_add_linef(out, "// Made by 'assay tune', run %s.", record->run_id);
    strbuf_add_linef(out, "// Measured on %s (%s), suite %s: %s.", str_or(record->device_name, "a device"),
                     record->device, str_or(record->suite, "none"), str_or(record->sentence, "not finished"));
    strbuf_add_linef(out, "// The choice for each problem, and its time there against the kernel as before:");
    for (size_t i = 0; i < record->choice_count; ++i) {
        const struct tune_problem_choice *item = &record->choices[i];
        strbuf_add_linef(out, "//   %s: %s, %.3fx", item->problem, str_or(item->config, BASELINE_TEXT),
                         item->speedup);
    }
    strbuf_addf(out, "#ifndef %s_DISPATCH\n#define %s_DISPATCH\n\n%s\n", name, name,
                strstr(tune_dispatch_body, "#ifndef"));
    add_ranges(record, name, out);
    add_points(record, name, out);
    add_choice(name, out);
    strbuf_add(out, "\n#endif\n");
    free(name);
}
