// SPDX-License-Identifier: Apache-2.0
//
// Runs that are going on: their folder is locked and has no result yet. Their journals are only read, since
// each belongs to the process that writes it.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "control/flow/run_folder.h"
#include "serve/api_handlers.h"

enum { RUNS_MAX = 20, KIND_COLUMNS = 64 };

struct live {
    uint32_t round;      // the latest that began, from 0
    size_t done;         // measurements of a problem in a round
    uint32_t case_index; // the latest that began
    bool has_begun;
};

// Whether somebody holds the run's lock. Its plan is written under the lock, so a run that only begins is not
// disturbed by a look.
static bool is_locked(const char *dir) {
    char *lock = path_join(dir, "lock");
    struct err err;
    int fd = -1;
    const bool is_held = file_exists(lock) && file_lock_open(lock, false, &fd, &err) == -ERR_UNAVAILABLE;
    file_lock_close(fd);
    free(lock);
    return is_held;
}

static void add_record(struct live *live, const struct record *record) {
    if (record->phase != PHASE_ROUND) return;
    if (record->kind == RECORD_CASE) {
        live->has_begun = true;
        live->case_index = record->case_index;
        live->round = record->round;
    }
    live->done += record->kind == RECORD_CASE_STATE && record->is_valid;
}

// Samples are most of a journal, and say nothing here.
static bool is_wanted(const char *line, size_t length) {
    const size_t columns = length < KIND_COLUMNS ? length : KIND_COLUMNS;
    return memmem(line, columns, "\"case", 5) != NULL;
}

// Lines to the last newline; one that is damaged is passed over.
static void read_journal(const char *dir, struct live *live) {
    char *path = path_join(dir, "journal.jsonl"), *text = NULL;
    size_t length = 0;
    struct err err;
    if (file_read(path, JSON_DOCUMENT_BYTES_MAX, &text, &length, &err) == 0)
        for (const char *line = text, *end; (end = memchr(line, '\n', length - (size_t)(line - text)));
             line = end + 1) {
            struct arena arena = {0};
            struct record record = {.kind = RECORD_INVALID};
            if (is_wanted(line, (size_t)(end - line)) &&
                record_parse(line, (size_t)(end - line), &arena, &record, &err) == 0)
                add_record(live, &record);
            arena_fini(&arena);
        }
    free(text);
    free(path);
}

static double left_s(const struct plan *plan, const struct live *live, size_t total) {
    int64_t began_s = 0;
    if (!live->done || total < live->done || !clock_utc_parse(str_or(plan->created_utc, ""), &began_s))
        return NAN;
    return (double)(clock_unix_s() - began_s) * (double)(total - live->done) / (double)live->done;
}

static void write_live(const struct plan *plan, const struct live *live, struct json_writer *w) {
    const uint32_t rounds = plan->look_count ? plan->looks[plan->look_count - 1] : 0;
    const size_t total = plan->case_count * rounds;
    json_object_begin(w, NULL);
    json_write_string(w, "run_id", plan->run_id);
    json_write_string(w, "command", str_or(plan->command_line, plan->command));
    json_write_string(w, "started_utc", plan->created_utc);
    json_write_u64(w, "round", live->has_begun ? live->round + 1 : 0);
    json_write_u64(w, "rounds", rounds);
    json_write_string(w, "problem",
                      live->has_begun && live->case_index < plan->case_count
                          ? plan->cases[live->case_index].problem.name
                          : NULL);
    json_write_u64(w, "done", live->done);
    json_write_u64(w, "total", total);
    json_write_double(w, "left_s", left_s(plan, live, total));
    json_object_end(w);
}

static void add_run(const char *dir, struct json_writer *w) {
    char *result = path_join(dir, "result.json"), *plan_path = path_join(dir, "plan.json");
    struct plan plan = {0};
    struct live live = {0};
    struct err err; // a plan that cannot be read is no run to show
    if (!file_exists(result) && is_locked(dir) && plan_read_file(plan_path, &plan, &err) == 0) {
        read_journal(dir, &live);
        write_live(&plan, &live, w);
        plan_fini(&plan);
    }
    free(result);
    free(plan_path);
}

int api_live(struct serve_call *call, struct err *err) {
    const char *folder = call->serve->runs_folder;
    size_t count = 0;
    struct run_entry *runs = folder ? run_list(folder, "plan.json", &count) : NULL;
    struct json_writer w = call_json_begin(call);
    (void)err;
    json_array_begin(&w, "runs");
    for (size_t i = 0; i < count && i < RUNS_MAX; ++i) {
        char *dir = path_join(folder, runs[i].id);
        add_run(dir, &w);
        free(dir);
    }
    json_array_end(&w);
    call_json_end(call, &w);
    run_list_free(runs, count);
    return 0;
}
