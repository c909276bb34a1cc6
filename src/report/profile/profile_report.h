// SPDX-License-Identifier: Apache-2.0
//
// Profiles for people and programs: each launch with its diagnosis, an overview of several problems, and
// their roofline. Pure functions of what was collected.
#ifndef REPORT_PROFILE_PROFILE_REPORT_H
#define REPORT_PROFILE_PROFILE_REPORT_H

#include "base/json_writer.h"
#include "base/strbuf.h"
#include "profile/cpu_profile.h"
#include "profile/nsight_csv.h"
#include "report/roofline/roofline_report.h"

// A launch of a report made elsewhere, or a problem of a suite.
struct profiled {
    const char *problem;  // NULL: of an imported report; then there are no profiler, note and functions
    const char *profiler; // that counted: "CUPTI"
    const char *note;     // why it is not the first choice, what was not counted; NULL: nothing to say
    const struct nsight_report *functions; // what a launch runs on a GPU; NULL: not known
    size_t function;                       // the one that was profiled
    double time_ns;                        // of a launch in a run without the profiler; NAN: not known
    bool is_cpu;
    struct profile profile;         // of a GPU
    struct cpu_profile cpu_profile; // of a processor
    struct diagnosis diagnosis;
};

// Of what was counted, with its diagnosis, which lives in the arena; the origin is the caller's to add.
struct profiled profiled_make(const struct launch_counters *launch, bool is_cpu, struct arena *arena);

// As JSON: figures and diagnosis.
void profiled_write(struct json_writer *w, const char *key, const struct profiled *item);

struct profile_report {
    size_t count;
    const struct profiled *items;
    const struct roofline *roofline; // NULL, or without points: there is none
};

void profile_report_text(const struct profile_report *report, const struct roofline_text_options *options,
                         struct strbuf *out);
void profile_report_json(const struct profile_report *report, struct strbuf *out);

#endif
