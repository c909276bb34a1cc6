// SPDX-License-Identifier: Apache-2.0
//
// See tune_record.h.
#include "record/tune_record.h"

#include <stdlib.h>

#include "base/file.h"
#include "record/field.h"

const char *const tune_fate_names[TUNE_FATE_COUNT] = {
    [TUNE_FATE_ALIVE] = "alive",        [TUNE_FATE_DROPPED] = "dropped", [TUNE_FATE_NOT_BUILT] = "not_built",
    [TUNE_FATE_WRONG] = "wrong_result", [TUNE_FATE_NO_DATA] = "no_data", [TUNE_FATE_TOO_SLOW] = "too_slow",
    [TUNE_FATE_PARTIAL] = "partial",
};

const char *const tune_rank_names[TUNE_RANK_COUNT] = {
    [TUNE_RANK_ELITE] = "elite",        [TUNE_RANK_SMALL_GAIN] = "small_gain",
    [TUNE_RANK_UNPROVEN] = "unproven",  [TUNE_RANK_SLOWER] = "slower",
    [TUNE_RANK_NO_DATA] = "no_data",    [TUNE_RANK_NOT_BUILT] = "not_built",
    [TUNE_RANK_WRONG] = "wrong_result", [TUNE_RANK_PARTIAL] = "partial",
};

const char *const tune_answer_names[TUNE_ANSWER_COUNT] = {
    [TUNE_ANSWER_TAKEN] = "taken",     [TUNE_ANSWER_REPEATED] = "repeated", [TUNE_ANSWER_REFUSED] = "refused",
    [TUNE_ANSWER_TIMEOUT] = "timeout", [TUNE_ANSWER_FAILED] = "failed",
};

#define VARIANT(m, ...) MEMBER(struct tune_variant, #m, m, __VA_ARGS__)
static const struct member variant_list[] = {
    VARIANT(config, "Its settings.", MEMBER_REQUIRED | MEMBER_WRITTEN),
    MEMBER_NAMED(struct tune_variant, "fate", fate, tune_fate_names, "What became of it."),
    VARIANT(reason, "Why it has no time, or not of all problems."),
    VARIANT(heat, "Its first heat, from 1."),
    VARIANT(round_count, "Rounds that it was timed in."),
    VARIANT(speedup, "Against the baseline, in the race.", 0, MEMBER_ABOVE(0)),
    VARIANT(unsupported_count, "Problems that it does not take; its speed-up is over the others."),
    VARIANT(prediction, "What its proposer expected."),
};
static const struct member_table variant_members =
    MEMBER_TABLE(struct tune_variant, "tune_variant", variant_list, );

#define PROPOSAL(m, ...) MEMBER(struct tune_proposal, #m, m, __VA_ARGS__)
static const struct member proposal_list[] = {
    PROPOSAL(number, "From 1.", MEMBER_REQUIRED | MEMBER_WRITTEN, MEMBER_AT_LEAST(1)),
    MEMBER_NAMED(struct tune_proposal, "answer", answer, tune_answer_names, "What the proposer gave.",
                 MEMBER_REQUIRED),
    PROPOSAL(reason, "Why it became no variant."),
    PROPOSAL(variant, "The variant that it became."),
    PROPOSAL(config, "Settings that it asked for."),
    PROPOSAL(source_file, "Its source, in the folder of the tuning."),
    PROPOSAL(prediction, "What the proposer expected."),
    PROPOSAL(wall_s, "How long the program ran.", MEMBER_ABSENT_0, MEMBER_AT_LEAST(0)),
};
static const struct member_table proposal_members =
    MEMBER_TABLE(struct tune_proposal, "tune_proposal", proposal_list, );

#define FINALIST(m, ...) MEMBER(struct tune_finalist, #m, m, __VA_ARGS__)
static const struct member finalist_list[] = {
    FINALIST(config, "Its settings.", MEMBER_REQUIRED | MEMBER_WRITTEN),
    MEMBER_NAMED(struct tune_finalist, "rank", rank, tune_rank_names, "Whether it is in the elite."),
    FINALIST(speedup, "Against the baseline: what is claimed.", 0, MEMBER_ABOVE(0)),
    FINALIST(speedup_low, "Lower end of its 95 % interval.", 0, MEMBER_ABOVE(0)),
    FINALIST(speedup_high, "Upper end.", 0, MEMBER_ABOVE(0)),
    FINALIST(reason, "Why it has no time, or not of all problems."),
    FINALIST(slower_count, "Problems that are shown to be slower.", MEMBER_WRITTEN),
    FINALIST(unsupported_count, "Problems that it does not take; its speed-up is over the others."),
};
static const struct member_table finalist_members =
    MEMBER_TABLE(struct tune_finalist, "tune_finalist", finalist_list, );

#define CHOICE(m, ...) MEMBER(struct tune_problem_choice, #m, m, __VA_ARGS__)
static const struct member choice_list[] = {
    CHOICE(problem, "Its name, then a blank and the input distribution unless it is the default.",
           MEMBER_REQUIRED | MEMBER_WRITTEN),
    CHOICE(config, "The settings, of a finalist that takes the problem; absent: the baseline."),
    CHOICE(speedup, "On this problem, against the baseline.", 0, MEMBER_ABOVE(0)),
};
static const struct member_table choice_members =
    MEMBER_TABLE(struct tune_problem_choice, "tune_choice", choice_list, );

#define RECORD(m, ...) MEMBER(struct tune_record, #m, m, __VA_ARGS__)
static const struct member record_list[] = {
    RECORD(run_id, "Of the tuning.", MEMBER_REQUIRED),
    RECORD(created_utc, "When it began."),
    RECORD(command_line, "As typed."),
    RECORD(kernel, "Its name.", MEMBER_REQUIRED),
    RECORD(device, "`cpu`.", MEMBER_REQUIRED),
    RECORD(device_name, "`NVIDIA H200`."),
    RECORD(suite, "The problems."),
    RECORD(strategy, "Of the search.", MEMBER_REQUIRED),
    RECORD(seed, "Of the search.", MEMBER_WRITTEN),
    RECORD(point_count, "Points of the space, rules left aside."),
    RECORD(heat_count, "Heats so far.", MEMBER_WRITTEN),
    RECORD(round_max, "Rounds of a heat, at most."),
    RECORD(final_rounds, "Rounds of the final that decide; as many again are claimed from."),
    MEMBER_LIST(struct tune_record, "variants", variants, variant_count, &variant_members, 100000,
                "In the order of their trial.", MEMBER_WRITTEN),
    MEMBER_LIST(struct tune_record, "proposals", proposals, proposal_count, &proposal_members, 100000,
                "What a proposer was asked for, in order."),
    RECORD(proposer, "Its command."),
    RECORD(steered_by, "What of a profile put settings first."),
    MEMBER_LIST(struct tune_record, "finalists", finalists, finalist_count, &finalist_members, 8,
                "Fastest of the race first.", MEMBER_WRITTEN),
    MEMBER_LIST(struct tune_record, "choices", choices, choice_count, &choice_members, 8192,
                "What is best for each problem of the suite.", MEMBER_WRITTEN),
    RECORD(prediction, "`--predict`."),
    RECORD(sentence, "One line for people."),
    MEMBER(struct tune_record, "exit_code", exit_code, "Of the program.", MEMBER_WRITTEN,
           MEMBER_FROM_TO(0, 255)),
};
static const struct member_table record_members = MEMBER_TABLE(struct tune_record, "tune", record_list, );

void tune_record_fini(struct tune_record *record) {
    free(record->variants);
    free(record->proposals);
    arena_fini(&record->arena);
    *record = (struct tune_record){0};
}

struct tune_variant *tune_record_find(const struct tune_record *record, const char *config) {
    for (size_t i = 0; i < record->variant_count; ++i)
        if (str_equal(record->variants[i].config, config)) return &record->variants[i];
    return NULL;
}

void tune_record_write(const struct tune_record *record, struct strbuf *out) {
    struct json_writer w = json_writer_make(out, 2);
    json_object_begin(&w, NULL);
    json_write_string(&w, "kind", TUNE_KIND);
    json_write_u64(&w, "schema_version", TUNE_SCHEMA_VERSION);
    members_write(&w, &record_members, record, NULL);
    json_object_end(&w);
    strbuf_add_char(out, '\n');
}

static int parse(const struct json_at *at, struct arena *arena, struct tune_record *ret, struct err *err) {
    const char *kind = NULL;
    TRY(json_get_string(at, "kind", &kind, err));
    if (!str_equal(kind, TUNE_KIND)) return field_refuse_name(at, "kind", kind, err);
    TRY(field_check_version(at, "schema_version", TUNE_SCHEMA_VERSION, err));
    return members_read(at, &record_members, arena, ret, NULL, err);
}

int tune_record_read(const struct strbuf *text, const char *where, struct arena *arena,
                     struct tune_record *ret, struct err *err) {
    json_t *root = NULL;
    *ret = (struct tune_record){0};
    members_forget(&record_members, ret);
    TRY(json_read_text(strbuf_text(text), text->length, where, &root, err));
    const int code = parse(&(struct json_at){.value = root, .where = where}, arena, ret, err);
    json_decref(root);
    return code;
}

int tune_record_write_file(const struct tune_record *record, const char *path, struct err *err) {
    struct strbuf text = {0};
    tune_record_write(record, &text);
    const int code = file_write_atomic(path, strbuf_text(&text), text.length, err);
    strbuf_fini(&text);
    return code;
}

// ---- a proposal as a document of its own ----

int tune_proposal_write_file(const struct tune_proposal *proposal, const char *path, struct err *err) {
    struct strbuf text = {0};
    struct json_writer w = json_writer_make(&text, 2);
    members_write_object(&w, NULL, &proposal_members, proposal, NULL);
    strbuf_add_char(&text, '\n');
    const int code = file_write_atomic(path, strbuf_text(&text), text.length, err);
    strbuf_fini(&text);
    return code;
}

int tune_proposal_read_file(const char *path, struct arena *arena, struct tune_proposal *ret,
                            struct err *err) {
    json_t *root = NULL;
    *ret = (struct tune_proposal){0};
    TRY(json_read_file(path, &root, err));
    const struct json_at at = {.value = root, .where = path};
    const int code = members_read(&at, &proposal_members, arena, ret, NULL, err);
    json_decref(root);
    return code;
}
