// SPDX-License-Identifier: Apache-2.0
#include "report/profile/profile_report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/term.h"
#include "profile/profile_text.h"

struct profiled profiled_make(const struct launch_counters *launch, bool is_cpu, struct arena *arena) {
    struct profiled ret = {.time_ns = NAN, .is_cpu = is_cpu};
    if (is_cpu) {
        ret.cpu_profile = cpu_profile_from(launch);
        ret.diagnosis = cpu_profile_diagnose(&ret.cpu_profile, arena);
    } else {
        ret.profile = profile_from_nsight(launch);
        ret.diagnosis = profile_diagnose(&ret.profile, arena);
    }
    return ret;
}

// ---- programs ----

void profiled_write(struct json_writer *w, const char *key, const struct profiled *item) {
    json_object_begin(w, key);
    json_maybe_string(w, "problem", item->problem);
    json_maybe_string(w, "profiler", item->profiler);
    json_maybe_string(w, "note", item->note);
    json_maybe_double(w, "time_ns", item->time_ns);
    json_write_bool(w, "is_cpu", item->is_cpu);
    members_write_object(w, "profile", item->is_cpu ? &cpu_profile_members : &profile_members,
                         item->is_cpu ? (const void *)&item->cpu_profile : &item->profile, NULL);
    members_write_object(w, "diagnosis", &diagnosis_members, &item->diagnosis, NULL);
    json_object_end(w);
}

void profile_report_json(const struct profile_report *report, struct strbuf *out) {
    struct json_writer w = json_writer_make(out, 2);
    json_object_begin(&w, NULL);
    json_array_begin(&w, "launches");
    for (size_t i = 0; i < report->count; ++i) profiled_write(&w, NULL, &report->items[i]);
    json_array_end(&w);
    if (report->roofline && report->roofline->point_count) {
        json_object_begin(&w, "roofline");
        roofline_write(&w, report->roofline);
        json_object_end(&w);
    }
    json_object_end(&w);
    strbuf_add_char(out, '\n');
}

// ---- people ----

// Which profiler counted, what else a launch runs, and how long one takes undisturbed.
static void add_origin(const struct profiled *item, struct strbuf *out) {
    const struct nsight_report *functions = item->functions;
    if (!item->problem) return;
    strbuf_addf(out, "%s, by %s\n", item->problem, item->profiler);
    if (item->note) strbuf_addf(out, "(%s)\n", item->note);
    for (size_t i = 0; functions && i < functions->launch_count && functions->launch_count > 1; ++i) {
        const double duration_ns =
            nsight_find(&functions->launches[i], (const char *const[]){"gpu__time_duration.sum", NULL});
        strbuf_addf(out, "%s %7.1f us  %s\n", i == item->function ? "->" : "  ", duration_ns / 1e3,
                    functions->launches[i].function);
    }
    if (isnan(item->time_ns)) return;
    char time[32];
    term_format_time(item->time_ns, time, sizeof time);
    strbuf_addf(out, "%s a launch in a run without the profiler\n", time);
}

static void add_launches(const struct profile_report *report, bool color, struct strbuf *out) {
    for (size_t i = 0; i < report->count; ++i) {
        const struct profiled *item = &report->items[i];
        if (i > 0) strbuf_add(out, "\n");
        add_origin(item, out);
        if (item->is_cpu)
            cpu_profile_print(&item->cpu_profile, &item->diagnosis, color, out);
        else
            profile_print(&item->profile, &item->diagnosis, color, out);
    }
}

struct overview_column {
    const char *head;
    double value;
    const char *unit;
};

static void overview_columns(const struct profiled *item, struct overview_column ret[4]) {
    const struct profile *p = &item->profile;
    const struct cpu_profile *c = &item->cpu_profile;
    const struct overview_column gpu[4] = {{"tensor pipe", p->tensor_pct, " %"},
                                           {"DRAM", p->dram_pct, " %"},
                                           {"L2 hits", p->l2_hit_pct, " %"},
                                           {"issue", p->issue_pct, " %"}};
    const struct overview_column cpu[4] = {{"instr. a cycle", c->instructions_per_cycle, ""},
                                           {"misses a thousand", c->cache_misses_per_kilo_instr, ""},
                                           {"branch misses", c->branch_miss_pct, " %"},
                                           {"vector bits", c->vector_bits, ""}};
    memcpy(ret, item->is_cpu ? cpu : gpu, sizeof gpu);
}

// How the bottleneck moves over several problems.
static void add_overview(const struct profile_report *report, bool color, struct strbuf *out) {
    if (report->count < 2) return;
    struct term_table *table = term_table_new(6, "lrrrrl");
    struct overview_column columns[4];
    overview_columns(&report->items[0], columns);
    strbuf_add(out, "\n");
    term_table_add(table, (const char *[]){"problem", columns[0].head, columns[1].head, columns[2].head,
                                           columns[3].head, "bottleneck"});
    term_table_head(table);
    for (size_t i = 0; i < report->count; ++i) {
        const struct profiled *item = &report->items[i];
        char cells[4][32] = {"", "", "", ""};
        overview_columns(item, columns);
        for (size_t k = 0; k < 4; ++k)
            if (isfinite(columns[k].value))
                snprintf(cells[k], sizeof cells[k], "%.1f%s", columns[k].value, columns[k].unit);
        term_table_add(table,
                       (const char *[]){str_or(item->problem, item->profile.kernel), cells[0], cells[1],
                                        cells[2], cells[3], bottleneck_name(item->diagnosis.bottleneck)});
    }
    term_table_print(table, color, out);
    term_table_free(table);
}

void profile_report_text(const struct profile_report *report, const struct roofline_text_options *options,
                         struct strbuf *out) {
    add_launches(report, options->has_color, out);
    add_overview(report, options->has_color, out);
    if (!report->roofline || !report->roofline->point_count) return;
    strbuf_add_char(out, '\n');
    roofline_text(report->roofline, options, out);
}
