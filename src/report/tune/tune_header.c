// SPDX-License-Identifier: Apache-2.0
//
// The dispatch table of a tuning as a C header. It stands alone: no other header, no assay.
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/mem.h"
#include "control/tune/tune_dispatch.h"
#include "report/tune/tune_report.h"

#define BASELINE_TEXT "as before"

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
    strbuf_addf(out,
                "static const struct %s_range {\n    const char *kind;\n    int axis_count;\n"
                "    long long low[%d], high[%d];\n    const char *config; // NULL: %s\n"
                "    int is_exact; // the settings do not take every problem: for this one alone\n"
                "} %s_ranges[] = {\n",
                name, TUNE_AXES_MAX, TUNE_AXES_MAX, BASELINE_TEXT, name);
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
    strbuf_addf(
        out,
        "static const struct %s_point { // measured; a range spans others too\n    const char *kind;\n"
        "    int axis_count;\n    long long axes[%d];\n} %s_points[] = {\n",
        name, TUNE_AXES_MAX, name);
    for (size_t i = 0; i < record->choice_count; ++i) {
        if (is_repeated(record, i)) continue;
        const struct tune_shape shape = tune_shape_parse(record->choices[i].problem);
        strbuf_addf(out, "    {\"%s\", %zu, ", shape.kind, shape.axis_count);
        add_numbers(shape.axes, shape.axis_count, out);
        strbuf_add(out, "},\n");
    }
    strbuf_addf(out,
                "};\n\n"
                "static inline int %s_is_measured(const char *kind, const long long *axes) {\n"
                "    for (unsigned i = 0; i < sizeof %s_points / sizeof *%s_points; ++i) {\n"
                "        const struct %s_point *point = &%s_points[i];\n"
                "        const char *a = kind, *b = point->kind;\n"
                "        int same = 0;\n"
                "        while (*a && *a == *b) ++a, ++b;\n"
                "        if (*a != *b) continue;\n"
                "        while (same < point->axis_count && axes[same] == point->axes[same]) ++same;\n"
                "        if (same == point->axis_count) return 1;\n"
                "    }\n"
                "    return 0;\n"
                "}\n\n",
                name, name, name, name, name);
}

static void add_choice(const char *name, struct strbuf *out) {
    strbuf_addf(
        out,
        "// The settings for a problem of that kind: of the range in which it lies, else of the nearest one "
        "of its\n"
        "// kind that is not exact, by the product of ratios; NULL also where there is none. *is_measured: "
        "whether\n"
        "// the problem itself was measured.\n"
        "static inline const char *%s_choose(const char *kind, const long long *axes, int *is_measured) {\n"
        "    const char *best = 0;\n"
        "    double best_ratio = -1;\n"
        "    *is_measured = %s_is_measured(kind, axes);\n"
        "    for (unsigned i = 0; i < sizeof %s_ranges / sizeof *%s_ranges; ++i) {\n"
        "        const struct %s_range *range = &%s_ranges[i];\n"
        "        const char *a = kind, *b = range->kind;\n"
        "        double ratio = 1;\n"
        "        while (*a && *a == *b) ++a, ++b;\n"
        "        if (*a != *b) continue;\n",
        name, name, name, name, name, name);
    strbuf_add(out,
               "        for (int k = 0; k < range->axis_count; ++k) {\n"
               "            if (axes[k] < range->low[k]) ratio *= (1.0 + (double)range->low[k]) / (1.0 + "
               "(double)axes[k]);\n"
               "            if (axes[k] > range->high[k]) ratio *= (1.0 + (double)axes[k]) / (1.0 + "
               "(double)range->high[k]);\n"
               "        }\n"
               "        if (range->is_exact && ratio != 1) continue;\n"
               "        if (best_ratio >= 0 && ratio >= best_ratio) continue;\n"
               "        best = range->config;\n"
               "        best_ratio = ratio;\n"
               "    }\n"
               "    return best;\n"
               "}\n");
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
    strbuf_addf(out, "#ifndef %s_DISPATCH\n#define %s_DISPATCH\n\n", name, name);
    add_ranges(record, name, out);
    add_points(record, name, out);
    add_choice(name, out);
    strbuf_add(out, "\n#endif\n");
    free(name);
}
