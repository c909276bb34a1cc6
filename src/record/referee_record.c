// SPDX-License-Identifier: Apache-2.0
//
// See referee_record.h.
#include "record/referee_record.h"

#include "base/json_writer.h"
#include "record/field.h"
#include "record/member.h"

const char *const referee_verdict_names[REFEREE_VERDICT_COUNT] = {
    [REFEREE_RIGHT] = "right",
    [REFEREE_WRONG] = "wrong",
    [REFEREE_DISHONEST] = "dishonest",
    [REFEREE_DOES_NOT_COMPILE] = "does_not_compile",
    [REFEREE_DOES_NOT_LOAD] = "does_not_load",
    [REFEREE_CRASHED] = "crashed",
    [REFEREE_TIMED_OUT] = "timed_out",
    [REFEREE_OUT_OF_MEMORY] = "out_of_memory",
    [REFEREE_UNSUPPORTED] = "unsupported",
    [REFEREE_NOT_JUDGED] = "not_judged",
    [REFEREE_NOT_MEASURED] = "not_measured",
};

static const char *const speed_names[SPEED_COUNT] = {
    [SPEED_FASTER] = "faster",
    [SPEED_SLOWER] = "slower",
    [SPEED_NO_DIFFERENCE] = "no_difference",
};

#define RATIO(m, ...) MEMBER(struct referee_ratio, #m, m, __VA_ARGS__)
static const struct member ratio_list[] = {
    RATIO(name, "The other kernel.", MEMBER_REQUIRED | MEMBER_WRITTEN),
    MEMBER_NAMED(struct referee_ratio, "speed", speed, speed_names,
                 "What the interval says of the candidate; absent: not measured."),
    RATIO(speedup, "How many times as fast the candidate is: geometric mean over rounds and problems.", 0,
          MEMBER_ABOVE(0)),
    RATIO(speedup_low, "Lower end of the 95 % interval, over rounds of fresh processes.", 0, MEMBER_ABOVE(0)),
    RATIO(speedup_high, "Upper end.", 0, MEMBER_ABOVE(0)),
    RATIO(median_ns, "Of one problem: the other's median time.", 0, MEMBER_ABOVE(0)),
    RATIO(round_count, "Rounds behind it."),
};
static const struct member_table ratio_members =
    MEMBER_TABLE(struct referee_ratio, "referee_ratio", ratio_list, );

#define PROBLEM(m, ...) MEMBER(struct referee_problem, #m, m, __VA_ARGS__)
static const struct member problem_list[] = {
    PROBLEM(problem, "Its name; then a blank and its inputs, unless they are the usual ones.",
            MEMBER_REQUIRED | MEMBER_WRITTEN),
    PROBLEM(median_ns, "Median time of a launch.", 0, MEMBER_ABOVE(0)),
    PROBLEM(median_low_ns, "Lower end of its 95 % interval.", 0, MEMBER_ABOVE(0)),
    PROBLEM(median_high_ns, "Upper end.", 0, MEMBER_ABOVE(0)),
    PROBLEM(gflop_per_s, "Operations a second, where their number is known.", 0, MEMBER_ABOVE(0)),
    PROBLEM(gb_per_s, "Compulsory bytes a second.", 0, MEMBER_ABOVE(0)),
    PROBLEM(ceiling_pct, "Share of the device's measured ceiling, where there is one.", 0, MEMBER_ABOVE(0)),
    MEMBER_LIST(struct referee_problem, "against", against, against_count, &ratio_members, REFEREE_RATIOS_MAX,
                "In the order of the document's list."),
};
static const struct member_table problem_members =
    MEMBER_TABLE(struct referee_problem, "referee_problem", problem_list, );

#define PROFILE(m, ...) MEMBER(struct referee_profile, #m, m, __VA_ARGS__)
static const struct member profile_list[] = {
    PROFILE(problem, "Where a launch takes longest.", MEMBER_REQUIRED | MEMBER_WRITTEN),
    PROFILE(profiler, "Who counted: `perf events`, `CUPTI`."),
    PROFILE(bottleneck, "Its class, as of `assay profile`; absent: nothing was counted."),
    PROFILE(because, "The numbers that decide, each with its threshold."),
    PROFILE(hypothesis, "The improvement that promises most."),
    PROFILE(test, "How to find out."),
    PROFILE(note, "What was not counted; where nothing was, why."),
    PROFILE(sentence, "One line that says it.", MEMBER_REQUIRED | MEMBER_WRITTEN),
};
static const struct member_table profile_members =
    MEMBER_TABLE(struct referee_profile, "referee_profile", profile_list, );

#define RECORD(m, ...) MEMBER(struct referee_record, #m, m, __VA_ARGS__)
static const struct member record_list[] = {
    RECORD(run_id, "Of its run."),
    RECORD(created_utc, "When it was asked."),
    RECORD(command_line, "As typed."),
    RECORD(candidate, "As it was named.", MEMBER_REQUIRED | MEMBER_WRITTEN),
    RECORD(name, "Its name in lists: `--name`, else that of its file."),
    MEMBER(struct referee_record, "operator", operator_name, "What it computes."),
    RECORD(suite, "The problems, by the name of their suite or their own names."),
    RECORD(device, "`cpu`."),
    RECORD(device_name, "`NVIDIA H200`."),
    RECORD(device_uuid, "Of the device; of a processor a hash of machine and model."),
    RECORD(code_hash, "Of the machine code: equal ones mean the same code."),
    RECORD(source_hash, "Of a Python candidate's own files."),
    RECORD(baseline_hash, "Of the code, or source, of the first of `against`."),
    MEMBER_NAMED(struct referee_record, "verdict", verdict, referee_verdict_names, "What it is.",
                 MEMBER_REQUIRED),
    MEMBER_NAMED(struct referee_record, "finding", finding, finding_names, "How it is wrong or dishonest."),
    RECORD(message, "What is wrong: where, what was expected, what was there."),
    RECORD(problem, "Where it fails, and with which inputs."),
    RECORD(smallest_problem, "The smallest problem that fails in the same way."),
    RECORD(smallest_message, "What is wrong there."),
    RECORD(repeat, "The command that shows the failure again."),
    RECORD(compiler, "The compiler's words, of a candidate that does not compile."),
    RECORD(checked_count, "Checks: problems, each with inputs and memory layout.", MEMBER_WRITTEN),
    RECORD(passed_count, "Those that passed.", MEMBER_WRITTEN),
    RECORD(build_s, "How long building took.", MEMBER_ABSENT_0, MEMBER_AT_LEAST(0)),
    RECORD(check_s, "Checking.", MEMBER_ABSENT_0, MEMBER_AT_LEAST(0)),
    RECORD(measure_s, "Measuring.", MEMBER_ABSENT_0, MEMBER_AT_LEAST(0)),
    RECORD(all_s, "The whole answer.", MEMBER_ABSENT_0, MEMBER_AT_LEAST(0)),
    MEMBER_LIST(struct referee_record, "against", against, against_count, &ratio_members, REFEREE_RATIOS_MAX,
                "Over all problems, the first of `--baseline` first."),
    MEMBER_LIST(struct referee_record, "problems", problems, problem_count, &problem_members,
                REFEREE_PROBLEMS_MAX, "Those that were measured."),
    MEMBER_POINTER(struct referee_record, "profile", profile, &profile_members,
                   "With `--profile`, of a right candidate: its bottleneck."),
    MEMBER_STRINGS(struct referee_record, "notes", notes, note_count, 64, "Further sentences."),
    RECORD(sentence, "One line that says it all.", MEMBER_REQUIRED | MEMBER_WRITTEN),
    MEMBER(struct referee_record, "exit_code", exit_code, "Of the program.", MEMBER_REQUIRED | MEMBER_WRITTEN,
           MEMBER_FROM_TO(0, 255)),
};
const struct member_table referee_members = MEMBER_TABLE(struct referee_record, "referee", record_list, );

void referee_record_init(struct referee_record *record) {
    *record = (struct referee_record){0};
    members_forget(&referee_members, record);
}

void referee_record_fini(struct referee_record *record) {
    arena_fini(&record->arena);
    *record = (struct referee_record){0};
}

void referee_record_write(const struct referee_record *record, int indent, struct strbuf *out) {
    struct json_writer w = json_writer_make(out, indent);
    json_object_begin(&w, NULL);
    json_write_string(&w, "kind", REFEREE_KIND);
    json_write_u64(&w, "schema_version", REFEREE_SCHEMA_VERSION);
    members_write(&w, &referee_members, record, NULL);
    json_object_end(&w);
    strbuf_add_char(out, '\n');
}

static int parse(const struct json_at *at, struct referee_record *ret, struct err *err) {
    const char *kind = NULL;
    TRY(json_get_string(at, "kind", &kind, err));
    if (!str_equal(kind, REFEREE_KIND)) return field_refuse_name(at, "kind", kind, err);
    TRY(field_check_version(at, "schema_version", REFEREE_SCHEMA_VERSION, err));
    return members_read(at, &referee_members, &ret->arena, ret, NULL, err);
}

int referee_record_read(const struct strbuf *text, const char *where, struct referee_record *ret,
                        struct err *err) {
    json_t *root = NULL;
    referee_record_init(ret);
    TRY(json_read_text(strbuf_text(text), text->length, where, &root, err));
    const int code = parse(&(struct json_at){.value = root, .where = where}, ret, err);
    json_decref(root);
    return code;
}
