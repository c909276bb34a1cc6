// SPDX-License-Identifier: Apache-2.0
//
// The history for programs: JSON and CSV.
#include "base/json_writer.h"
#include "report/export/export.h"
#include "report/history/history_report.h"

// ---- runs ----

static void write_run(struct json_writer *w, const struct stored_run *run) {
    json_object_begin(w, NULL);
    json_write_string(w, "run_id", run->run_id);
    json_write_string(w, "created_utc", run->created_utc);
    json_maybe_string(w, "command", run->command);
    json_maybe_string(w, "suite", run->suite);
    json_maybe_string(w, "manifest", run->manifest);
    json_maybe_string(w, "commit", run->commit);
    json_maybe_string(w, "parent", run->parent);
    json_maybe_string(w, "branch", run->branch);
    json_maybe_string(w, "device_uuid", run->device_uuid);
    json_maybe_string(w, "device", run->device);
    json_maybe_string(w, "driver", run->driver);
    json_maybe_string(w, "host", run->host);
    json_maybe_string(w, "verdict", run->verdict);
    json_maybe_string(w, "metric", run->metric);
    json_write_u64(w, "seed", run->seed);
    json_write_u64(w, "problem_count", (uint64_t)run->problem_count);
    json_object_end(w);
}

void history_runs_json(const struct stored_run *runs, size_t count, struct strbuf *out) {
    struct json_writer w = json_writer_make(out, 2);
    json_object_begin(&w, NULL);
    json_array_begin(&w, "runs");
    for (size_t i = 0; i < count; ++i) write_run(&w, &runs[i]);
    json_array_end(&w);
    json_object_end(&w);
    strbuf_add_char(out, '\n');
}

// ---- results ----

void history_results_csv(const struct stored_result *results, size_t count, struct strbuf *out) {
    strbuf_add(out,
               "created_utc,run_id,commit,branch,device_uuid,suite,problem,side,role,kernel,verdict,rounds,"
               "median_ns,low_ns,high_ns,change_pct,metric\n");
    for (size_t i = 0; i < count; ++i) {
        const struct stored_result *one = &results[i];
        const char *const texts[] = {
            one->run.created_utc, one->run.run_id, one->run.commit, one->run.branch, one->run.device_uuid,
            one->run.suite,       one->problem,    one->side,       one->role,       one->kernel,
            one->verdict};
        for (size_t k = 0; k < sizeof texts / sizeof *texts; ++k) {
            if (k) strbuf_add(out, ",");
            export_csv_text(out, texts[k]);
        }
        strbuf_addf(out, ",%lld", (long long)one->round_count);
        export_csv_double(out, one->median_ns);
        export_csv_double(out, one->low_ns);
        export_csv_double(out, one->high_ns);
        export_csv_double(out, one->change_pct);
        strbuf_add_char(out, ',');
        export_csv_text(out, one->run.metric);
        strbuf_add(out, "\n");
    }
}

void history_results_json(const struct stored_result *results, size_t count, struct strbuf *out) {
    struct json_writer w = json_writer_make(out, 2);
    json_object_begin(&w, NULL);
    json_array_begin(&w, "results");
    for (size_t i = 0; i < count; ++i) {
        const struct stored_result *one = &results[i];
        json_object_begin(&w, NULL);
        json_write_string(&w, "created_utc", one->run.created_utc);
        json_write_string(&w, "run_id", one->run.run_id);
        json_maybe_string(&w, "commit", one->run.commit);
        json_maybe_string(&w, "branch", one->run.branch);
        json_maybe_string(&w, "device_uuid", one->run.device_uuid);
        json_maybe_string(&w, "suite", one->run.suite);
        json_write_string(&w, "problem", one->problem);
        json_write_string(&w, "side", one->side);
        json_maybe_string(&w, "role", one->role);
        json_maybe_string(&w, "kernel", one->kernel);
        json_maybe_string(&w, "verdict", one->verdict);
        json_write_i64(&w, "rounds", one->round_count);
        json_maybe_string(&w, "metric", one->run.metric);
        json_maybe_double(&w, "median_ns", one->median_ns);
        json_maybe_double(&w, "low_ns", one->low_ns);
        json_maybe_double(&w, "high_ns", one->high_ns);
        json_maybe_double(&w, "change_pct", one->change_pct);
        json_object_end(&w);
    }
    json_array_end(&w);
    json_object_end(&w);
    strbuf_add_char(out, '\n');
}

// ---- profiles ----

void history_profiles_json(const struct stored_profile *profiles, size_t count, struct strbuf *out) {
    struct json_writer w = json_writer_make(out, 2);
    json_object_begin(&w, NULL);
    json_array_begin(&w, "profiles");
    for (size_t i = 0; i < count; ++i) {
        json_object_begin(&w, NULL);
        stored_profile_write(&profiles[i], &w);
        json_object_end(&w);
    }
    json_array_end(&w);
    json_object_end(&w);
    strbuf_add_char(out, '\n');
}

// ---- tunings ----

void history_tunings_json(const struct stored_tuning *tunings, size_t count, struct strbuf *out) {
    struct json_writer w = json_writer_make(out, 2);
    json_object_begin(&w, NULL);
    json_array_begin(&w, "tunings");
    for (size_t i = 0; i < count; ++i) {
        json_object_begin(&w, NULL);
        stored_tuning_write(&tunings[i], &w);
        json_object_end(&w);
    }
    json_array_end(&w);
    json_object_end(&w);
    strbuf_add_char(out, '\n');
}

// ---- change points ----

static void write_change(struct json_writer *w, const struct series_change *change,
                         const struct stored_result *results) {
    const struct stored_result *before = &results[change->before], *after = &results[change->after];
    json_object_begin(w, NULL);
    json_write_string(w, "problem", after->problem);
    json_write_string(w, "side", after->side);
    json_maybe_string(w, "metric", after->run.metric);
    json_maybe_string(w, "device", after->run.device);
    json_maybe_string(w, "device_uuid", after->run.device_uuid);
    json_write_double(w, "change_pct", change->change_pct);
    json_write_double(w, "change_low_pct", change->low_pct);
    json_write_double(w, "change_high_pct", change->high_pct);
    json_write_double(w, "p", change->p);
    json_maybe_string(w, "commit_before", before->run.commit);
    json_maybe_string(w, "commit_after", after->run.commit);
    json_write_string(w, "run_before", before->run.run_id);
    json_write_string(w, "run_after", after->run.run_id);
    json_write_string(w, "created_utc", after->run.created_utc);
    json_object_end(w);
}

void history_changes_json(const struct history_changes *changes, struct strbuf *out) {
    struct json_writer w = json_writer_make(out, 2);
    json_object_begin(&w, NULL);
    json_array_begin(&w, "changes");
    for (size_t i = 0; i < changes->count; ++i) write_change(&w, &changes->items[i], changes->results);
    json_array_end(&w);
    json_object_end(&w);
    strbuf_add_char(out, '\n');
}
