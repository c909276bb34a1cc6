// SPDX-License-Identifier: Apache-2.0
//
// See tune_question.h.
#include "control/flow/tune/tune_question.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/json_writer.h"

#define QUESTION_KIND           "assay.question"
#define QUESTION_SCHEMA_VERSION 1

// ---- sources ----

char *tune_source_path(const struct tune *tune, uint32_t source) {
    if (!source) return NULL;
    char *path = path_join(tune->dir, tune->record.proposals[source - 1].source_file),
         *ret = path_absolute(path);
    free(path);
    return ret;
}

int tune_source_read(const struct tune *tune, uint32_t source, char **ret_text, struct err *err) {
    char *path = tune_source_path(tune, source);
    if (!path) path = path_join(tune->session.manifest.dir, tune->kernel->source);
    const int code = file_read(path, TUNE_SOURCE_BYTES_MAX, ret_text, NULL, err);
    free(path);
    return code;
}

uint32_t tune_best_source(const struct tune *tune) {
    const struct tune_search *search = &tune->contest.search;
    return search->best < SIZE_MAX ? search->tried[search->best].point.source : 0;
}

static int write_source(const struct tune *tune, const char *key, uint32_t source, struct json_writer *w,
                        struct err *err) {
    char *text;
    if (!tune->kernel->source) return 0; // a script has none
    TRY(tune_source_read(tune, source, &text, err));
    json_write_string(w, key, text);
    free(text);
    return 0;
}

// ---- parts ----

static int write_problems(struct tune *tune, struct json_writer *w, struct err *err) {
    struct session *session = &tune->session;
    struct suite suite;
    TRY(session_suite(session, session_default_suite(session), &suite, err));
    json_array_begin(w, "problems");
    for (size_t i = 0; i < suite.item_count; ++i) {
        char key[PROBLEM_KEY_BYTES];
        json_write_string(w, NULL, problem_key(&suite.items[i].problem, suite.items[i].distribution, key));
    }
    json_array_end(w);
    return 0;
}

static void write_settings(const struct tune_space *space, struct json_writer *w) {
    json_array_begin(w, "settings");
    for (size_t i = 0; i < space->knob_count; ++i) {
        const struct tune_knob *knob = &space->knobs[i];
        json_object_begin(w, NULL);
        json_write_string(w, "name", knob->name);
        json_array_begin(w, "values");
        for (size_t k = 0; k < knob->value_count; ++k) json_write_i64(w, NULL, knob->values[k]);
        json_array_end(w);
        json_write_i64(w, "baseline", knob->values[knob->start]);
        json_object_end(w);
    }
    json_array_end(w);
}

static int write_elite(const struct tune *tune, struct json_writer *w, struct err *err) {
    size_t places[TUNE_ELITE_MAX];
    const size_t count = tune_contest_finalists(&tune->contest, places, TUNE_ELITE_MAX);
    struct arena arena = {0};
    int code = 0;
    json_array_begin(w, "elite");
    for (size_t i = 0; i < count && code == 0; ++i) {
        const struct tune_tried *tried = &tune->contest.search.tried[places[i]];
        json_object_begin(w, NULL);
        json_write_string(w, "variant", tune_point_text(&tune->space, &tried->point, &arena));
        json_write_string(w, "config", tune_point_config(&tune->space, &tried->point, &arena));
        json_write_double(w, "speedup", exp(-tried->log_ratio));
        json_write_u64(w, "rounds", tried->round_count);
        if (tried->point.source) code = write_source(tune, "source", tried->point.source, w, err);
        json_object_end(w);
    }
    json_array_end(w);
    arena_fini(&arena);
    return code;
}

static void write_tried(const struct tune_record *record, struct json_writer *w) {
    json_array_begin(w, "tried");
    for (size_t i = 0; i < record->variant_count; ++i) {
        const struct tune_variant *item = &record->variants[i];
        json_object_begin(w, NULL);
        json_write_string(w, "variant", item->config);
        json_write_string(w, "fate", tune_fate_names[item->fate]);
        json_maybe_double(w, "speedup", item->speedup);
        json_maybe_string(w, "predicted", item->prediction);
        json_maybe_string(w, "reason", item->log ? item->log : item->reason);
        json_object_end(w);
    }
    json_array_end(w);
}

// Variants of the coming heat: taken, not measured yet.
static void write_pending(const struct tune_record *record, struct json_writer *w) {
    json_array_begin(w, "pending");
    for (size_t i = 0; i < record->proposal_count; ++i) {
        const struct tune_proposal *item = &record->proposals[i];
        if (item->answer == TUNE_ANSWER_TAKEN && !tune_record_find(record, item->variant))
            json_write_string(w, NULL, item->variant);
    }
    json_array_end(w);
}

// Answers that became no variant; what failed later stands among those that were tried.
static void write_failures(const struct tune_record *record, struct json_writer *w) {
    json_array_begin(w, "failures");
    for (size_t i = 0; i < record->proposal_count; ++i) {
        const struct tune_proposal *item = &record->proposals[i];
        if (item->answer == TUNE_ANSWER_TAKEN) continue;
        json_object_begin(w, NULL);
        json_write_u64(w, "proposal", item->number);
        json_write_string(w, "answer", tune_answer_names[item->answer]);
        json_maybe_string(w, "config", item->config);
        json_maybe_string(w, "reason", item->reason);
        json_object_end(w);
    }
    json_array_end(w);
}

static void write_budget(const struct tune *tune, struct json_writer *w) {
    const uint64_t now_ns = clock_ns();
    const size_t tried = tune->record.variant_count;
    json_object_begin(w, "budget");
    if (tune->deadline_ns)
        json_write_double(w, "seconds_left",
                          tune->deadline_ns > now_ns ? 1e-9 * (double)(tune->deadline_ns - now_ns) : 0);
    if (tune->variant_max)
        json_write_u64(w, "variants_left", tune->variant_max > tried ? tune->variant_max - tried : 0);
    json_write_double(w, "seconds_to_answer", 1e-9 * (double)tune->proposer.limit_ns);
    json_object_end(w);
}

int tune_question_write(struct tune *tune, uint32_t number, struct strbuf *out, struct err *err) {
    struct json_writer w = json_writer_make(out, 1);
    json_object_begin(&w, NULL);
    json_write_string(&w, "kind", QUESTION_KIND);
    json_write_u64(&w, "schema_version", QUESTION_SCHEMA_VERSION);
    json_write_u64(&w, "number", number);
    json_write_u64(&w, "seed", tune->record.seed);
    json_write_string(&w, "kernel", tune->record.kernel);
    json_write_string(&w, "device", tune->record.device);
    TRY(write_problems(tune, &w, err));
    if (tune->kernel->source) json_write_string(&w, "source_name", tune->kernel->source);
    TRY(write_source(tune, "source", 0, &w, err));
    TRY(write_source(tune, "patch_base", tune_best_source(tune), &w, err));
    write_settings(&tune->space, &w);
    TRY(write_elite(tune, &w, err));
    write_tried(&tune->record, &w);
    write_pending(&tune->record, &w);
    write_failures(&tune->record, &w);
    if (tune->profile) profiled_write(&w, "profile", &tune->profile->launch);
    write_budget(tune, &w);
    json_maybe_string(&w, "prompt", tune->proposer.prompt);
    json_object_end(&w);
    strbuf_add_char(out, '\n');
    return 0;
}
