// SPDX-License-Identifier: Apache-2.0
//
// Writes and reads the document of a bisect. Its file lies in a folder where anyone may have edited it, so
// the reader checks every figure.
#include "record/bisect_record.h"

#include <math.h>
#include <string.h>

#include "base/file.h"
#include "record/field.h"

void bisect_record_fini(struct bisect_record *record) {
    arena_fini(&record->arena);
    *record = (struct bisect_record){0};
}

bool bisect_step_is_measured(const struct bisect_step *step) {
    return step->answer == BISECT_ANSWER_CHANGED || step->answer == BISECT_ANSWER_UNCHANGED ||
           step->answer == BISECT_ANSWER_UNCLEAR || step->answer == BISECT_ANSWER_KNOWN;
}

// ---- the members, a row each ----

const char *const bisect_answer_names[BISECT_ANSWER_COUNT] = {
    [BISECT_ANSWER_CHANGED] = "changed",    [BISECT_ANSWER_UNCHANGED] = "unchanged",
    [BISECT_ANSWER_UNCLEAR] = "unclear",    [BISECT_ANSWER_SAME_CODE] = "same_code",
    [BISECT_ANSWER_KNOWN] = "known",        [BISECT_ANSWER_NOT_BUILT] = "not_built",
    [BISECT_ANSWER_WRONG] = "wrong_result", [BISECT_ANSWER_NO_DATA] = "no_data",
};

static const char *const outcome_names[BISECT_OUTCOME_COUNT] = {
    [BISECT_OUTCOME_FOUND] = "found",
    [BISECT_OUTCOME_RANGE] = "range",
    [BISECT_OUTCOME_NO_CHANGE] = "no_change",
    [BISECT_OUTCOME_UNDECIDED] = "undecided",
};

static int step_check(const struct json_at *at, const void *object, struct err *err);

#define NEEDED       (MEMBER_REQUIRED | MEMBER_WRITTEN)
#define PER_CENT     0, MEMBER_FROM_TO(0, 100)
#define STEP(m, ...) MEMBER(struct bisect_step, #m, m, __VA_ARGS__)
static const struct member step_list[] = {
    STEP(commit, "The commit.", NEEDED),
    STEP(subject, "First line of its message."),
    MEMBER_NAMED(struct bisect_step, "answer", answer, bisect_answer_names, "What it said.", NEEDED),
    STEP(same_as, "Commit with the same machine code."),
    STEP(reason, "Why there is no measurement."),
    STEP(change_pct, "Against GOOD; positive is slower."),
    STEP(change_low_pct, "Lower end of its interval."),
    STEP(change_high_pct, "Upper end of its interval."),
    STEP(se_pct, "Standard error of ln(commit / GOOD), x 100.", 0, MEMBER_AT_LEAST(0)),
    STEP(p_changed_pct, "Probability from this step alone that it has the change.", PER_CENT),
    STEP(round_count, "Rounds that count.", MEMBER_WRITTEN, MEMBER_FROM_TO(0, ROUNDS_LIMIT)),
    STEP(code, "Identity of its machine code."),
    STEP(run_id, "Run of its gate."),
    STEP(seconds, "Time that it took.", 0, MEMBER_AT_LEAST(0)),
};
static const struct member_table step_members =
    MEMBER_TABLE(struct bisect_step, "bisect_step", step_list, .check = step_check);

#define SUSPECT(m, ...) MEMBER(struct bisect_suspect, #m, m, __VA_ARGS__)
static const struct member suspect_list[] = {
    SUSPECT(commit, "The commit.", NEEDED),
    SUSPECT(author, "Who wrote it."),
    SUSPECT(date, "When."),
    SUSPECT(subject, "First line of its message."),
    SUSPECT(reason, "Why it could not be measured."),
};
static const struct member_table suspect_members =
    MEMBER_TABLE(struct bisect_suspect, "bisect_suspect", suspect_list, );

static void sampling_member_write(struct json_writer *w, const struct member *member, const void *object,
                                  const void *context) {
    (void)context;
    sampling_write(w, member->key, &((const struct bisect_record *)object)->sampling);
}

static int sampling_member_read(const struct json_at *at, const struct member *member, struct arena *arena,
                                void *object, void *context, struct err *err) {
    struct bisect_record *record = object;
    (void)arena, (void)context;
    return sampling_find(at, member->key, &record->sampling, err);
}

#define RECORD(m, ...) MEMBER(struct bisect_record, #m, m, __VA_ARGS__)
static const struct member record_list[] = {
    RECORD(run_id, "Of the bisect.", NEEDED),
    RECORD(created_utc, "When it began."),
    RECORD(command_line, "As typed."),
    RECORD(good_name, "GOOD as typed."),
    RECORD(bad_name, "BAD as typed."),
    RECORD(good, "GOOD's commit.", NEEDED),
    RECORD(bad, "BAD's commit.", NEEDED),
    RECORD(has_all_commits, "Commits of merged branches count, too.", MEMBER_WRITTEN),
    RECORD(manifest, "`--manifest`."),
    RECORD(kernel, "Its name.", NEEDED),
    RECORD(device, "`cpu`.", NEEDED),
    RECORD(processors, "`--cpus`."),
    RECORD(lock_clocks, "`--lock-clocks`."),
    RECORD(suite, "`--suite`."),
    RECORD(only, "`--only`."),
    RECORD(dtype, "`--dtype`."),
    RECORD(problem, "The problem."),
    RECORD(seed, "Of the bisect.", NEEDED),
    RECORD(thread_count, "`--threads`.", MEMBER_WRITTEN),
    RECORD(round_count, "`--rounds`."),
    RECORD(gate_max, "`--max-gates`.", NEEDED),
    RECORD(is_calibration_ignored, "`--ignore-calibration`."),
    RECORD(is_priority_given, "`--priority`."),
    RECORD(is_metric_given, "`--metric`."),
    RECORD(is_case_time_given, "`--case-time`."),
    RECORD(is_isolation_given, "`--isolation`."),
    RECORD(certainty_pct, "Asked for.", NEEDED, MEMBER_BETWEEN(0, 100)),
    RECORD(regression_pct, "Threshold of the two ends."),
    RECORD(improvement_pct, "The other one."),
    MEMBER_WITH("sampling", sampling_member_write, sampling_member_read, "Settings of the measurement.",
                .table = &sampling_members),
    RECORD(commit_count, "Commits after GOOD, up to BAD.", NEEDED),
    MEMBER_LIST(struct bisect_record, "steps", steps, step_count, &step_members, BISECT_STEPS_MAX,
                "In their order; the first is BAD.", NEEDED),
    RECORD(running_commit, "Commit that is measured now."),
    RECORD(running_run_id, "Run of its gate."),
    MEMBER_NAMED(struct bisect_record, "outcome", outcome, outcome_names, "Absent while it goes on."),
    RECORD(probability_pct, "That one of the suspects made the change.", PER_CENT),
    MEMBER_LIST(struct bisect_record, "suspects", suspects, suspect_count, &suspect_members,
                BISECT_SUSPECTS_MAX, "Oldest first.", MEMBER_WRITTEN),
    RECORD(gate_count, "Gates that measured.", MEMBER_WRITTEN),
    RECORD(sentence, "One line for people."),
    RECORD(note, "What else was seen."),
    MEMBER(struct bisect_record, "exit_code", exit_code, "Of the program.", MEMBER_WRITTEN,
           MEMBER_FROM_TO(0, 255)),
};
static const struct member_table record_members = MEMBER_TABLE(struct bisect_record, "bisect", record_list, );

// ---- steps ----

void bisect_record_add_step(struct bisect_record *record, const struct bisect_step *step) {
    const size_t count = record->step_count;
    struct bisect_step *grown = arena_array(&record->arena, count + 1, sizeof *grown);
    if (count) memcpy(grown, record->steps, count * sizeof *grown);
    grown[count] = *step;
    members_own(&step_members, &record->arena, &grown[count]);
    record->steps = grown;
    record->step_count = count + 1;
}

// ---- writing ----

void bisect_record_write(const struct bisect_record *record, struct strbuf *out) {
    struct json_writer w = json_writer_make(out, 2);
    json_object_begin(&w, NULL);
    json_write_string(&w, "kind", BISECT_KIND);
    json_write_u64(&w, "schema_version", BISECT_SCHEMA_VERSION);
    members_write(&w, &record_members, record, NULL);
    json_object_end(&w);
    strbuf_add_char(out, '\n');
}

int bisect_record_write_file(const struct bisect_record *record, const char *path, struct err *err) {
    struct strbuf text = {0};
    bisect_record_write(record, &text);
    const int code = file_write_atomic(path, strbuf_text(&text), text.length, err);
    strbuf_fini(&text);
    return code;
}

// ---- reading ----

// What is measured has figures, and what has the same code says of which commit.
static int step_check(const struct json_at *at, const void *object, struct err *err) {
    const struct bisect_step *step = object;
    const bool has_figures = isfinite(step->change_pct) && step->change_pct > -100 && isfinite(step->se_pct);
    if (bisect_step_is_measured(step) && (!has_figures || step->round_count < 2))
        return err_set(err, ERR_DATA, "%s: a measured step has change_pct, se_pct and two rounds or more",
                       at->where);
    if (step->answer == BISECT_ANSWER_SAME_CODE && !step->same_as)
        return err_set(err, ERR_DATA, "%s: key 'same_as' is missing", at->where);
    return 0;
}

static int document_parse(const struct json_at *at, struct bisect_record *ret, struct err *err) {
    const char *kind = NULL;
    TRY(json_get_string(at, "kind", &kind, err));
    if (strcmp(kind, BISECT_KIND) != 0) return field_refuse_name(at, "kind", kind, err);
    TRY(field_check_version(at, "schema_version", BISECT_SCHEMA_VERSION, err));
    members_forget(&record_members, ret);
    ret->sampling = sampling_default();
    TRY(members_read(at, &record_members, &ret->arena, ret, NULL, err));
    const bool has_found = ret->outcome == BISECT_OUTCOME_FOUND || ret->outcome == BISECT_OUTCOME_RANGE;
    if (has_found && ret->suspect_count == 0)
        return err_set(err, ERR_DATA, "%s: key 'suspects' has none, and one of them was found", at->where);
    return 0;
}

int bisect_record_parse(const json_t *root, const char *where, struct bisect_record *ret, struct err *err) {
    struct bisect_record record = {0};
    const struct json_at at = {.value = root, .where = where};
    const int code = document_parse(&at, &record, err);
    if (code < 0)
        bisect_record_fini(&record);
    else
        *ret = record;
    return code;
}

int bisect_record_read_file(const char *path, struct bisect_record *ret, struct err *err) {
    json_t *root = NULL;
    TRY(json_read_file(path, &root, err));
    const int code = bisect_record_parse(root, path, ret, err);
    json_decref(root);
    return code;
}
