// SPDX-License-Identifier: Apache-2.0
//
// Results read back as they were written; documents keep to their JSON Schema; hostile and hand-written
// documents are treated as result.h says.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/mem.h"
#include "record/result.h"

#define PROBLEM "attention/fp32/b1/h1/s64/d64"

static struct result_case *cases_new(struct result *result, const char *short_name) {
    struct result_case *item = arena_alloc(&result->arena, sizeof *item);
    struct err err = {0};
    if (problem_parse(&operators_compiled, PROBLEM, &item->problem, &err) < 0) fail_msg("%s", err.text);
    item->work = case_work_of(&item->problem);
    item->short_name = short_name;
    item->distribution = "normal";
    item->memory_layout = MEMORY_LAYOUT_DENSE;
    item->seed = UINT64_MAX;
    return item;
}

static void result_make(struct result *result) {
    result_init(result);
    result->run_id = "r\"1";
    result->command = "gate";
    result->created_utc = "2026-11-21T12:00:00Z";
    result->seed = UINT64_C(9007199254740993);
    result->repeat_count = 100;
    result->thread_count = 2;
    result->manifest = "other.yaml";
    result->target_speedup = 1.4;
    result->cost_per_hour = 2.5;
    result->side_count = 2;
    result->sides[0] = (struct result_side){.role = SIDE_BASELINE, .label = "old"};
    result->sides[1] = (struct result_side){.role = SIDE_CANDIDATE,
                                            .label = "new",
                                            .kernel = "k",
                                            .config = "A=1",
                                            .reproduce = "--kernel k --config A=1"};
    result->sides[1].build =
        (struct build_report){.compiler = "gcc", .code_bytes = 10, .registers = -1, .build_s = 1.5};
    result->check_count = result->case_count = 1;
    result->checks = cases_new(result, NULL);
    result->cases = cases_new(result, "s64");
}

static void add(struct result *result, const struct record *record) {
    struct err err = {0};
    if (result_add_record(result, record, &err) < 0) fail_msg("%s", err.text);
}

static void add_measurement(struct result *result, uint32_t round, uint32_t attempt, bool is_valid) {
    struct sample items[3] = {
        {.start_ns = 1, .duration_ns = 100, .launches = 1, .discard = DISCARD_FIRST_PAIR},
        {.start_ns = 200, .duration_ns = 300, .launches = 2, .clock_hz = 2e9},
        {.start_ns = 600, .duration_ns = 330, .launches = 2, .discard = DISCARD_STEAL}};
    items[0].clock_hz = items[2].clock_hz = NAN;
    items[1].kernel_clock_hz = 1.5e9;
    struct record record = {.kind = RECORD_SAMPLES, .phase = PHASE_ROUND, .round = round, .attempt = attempt};
    record.samples = (struct samples){.count = 3, .items = items, .call_wall_ns = 21300.5};
    add(result, &record);
    record.side = 1;
    add(result, &record);
    record.kind = RECORD_CASE_STATE;
    record.state = device_state_unknown();
    record.state.steal_pct = 0.5;
    record.state.turbo = 1;
    record.is_valid = is_valid;
    record.text = is_valid ? NULL : "busy";
    record.invalid_cause = is_valid ? INVALID_CAUSE_NONE : INVALID_CAUSE_CLOCKS_APART;
    add(result, &record);
}

static void add_check(struct result *result, enum phase phase, uint32_t side, enum outcome outcome) {
    struct record record = {.kind = RECORD_CHECK, .phase = phase, .side = side};
    record.check =
        (struct check_result){.outcome = outcome, .message = "m\n", .duration_ns = 7, .tensor_count = 1};
    record.check.tensors[0] = (struct tensor_error){.tensor = "out",
                                                    .element_count = 10,
                                                    .max_abs = 1e-4,
                                                    .max_rel = NAN,
                                                    .dim_count = 2,
                                                    .worst_coord = {3, 4}};
    if (outcome == OUTCOME_FAIL) record.check.finding = FINDING_TWO_X;
    add(result, &record);
}

static void fill(struct result *result) {
    result_make(result);
    struct record hello = {.kind = RECORD_HELLO, .time_ns = 1000, .environment = environment_unknown()};
    hello.environment.host = "h";
    hello.environment.assay_version = "1";
    hello.environment.thread_count = 2;
    hello.environment.is_accelerator = true;
    add(result, &hello);
    hello.environment.host = "other";
    hello.environment.cache_mode = "cold"; // only a round's worker knows
    add(result, &hello);
    add_check(result, PHASE_CHECK, 1, OUTCOME_OK);
    add_check(result, PHASE_ROUND, 0, OUTCOME_OK);
    add_check(result, PHASE_ROUND, 1, OUTCOME_OK);
    add_measurement(result, 0, 0, false);
    add_measurement(result, 0, 1, true);
    result_add_warning(result, "hot");
    result_add_warning(result, "hot");
    struct decision *decision = arena_alloc(&result->arena, sizeof *decision);
    *decision = (struct decision){.rule = "rounds",
                                  .verdict = VERDICT_REGRESSION,
                                  .exit_code = 1,
                                  .sentence = "slower",
                                  .geomean_speedup = 0.9};
    decision->regression_pct = 3;
    decision->improvement_pct = decision->best_speedup = decision->worst_speedup = NAN;
    decision->counts[VERDICT_REGRESSION] = 1;
    decision->case_count = 1;
    decision->cases = arena_alloc(&result->arena, sizeof *decision->cases);
    *decision->cases = (struct decision_case){
        .name = PROBLEM, .verdict = VERDICT_REGRESSION, .reason = REASON_SLOWER_PROVEN, .change_pct = 4.25};
    result->decision = decision;
    result->cases->summaries[1] =
        (struct case_summary){.is_set = true, .median_ns = 150, .p99_ns = NAN, .sample_count = 1};
}

static void read_text(const char *text, struct result *ret) {
    struct err err = {0};
    json_t *root = NULL;
    if (json_read_text(text, strlen(text), "f.json", &root, &err) < 0) fail_msg("%s", err.text);
    if (result_parse(root, "f.json", ret, &err) < 0) fail_msg("%s", err.text);
    json_decref(root);
}

static void test_round_trip(void **state) {
    (void)state;
    struct result result, again;
    struct strbuf text = {0}, text_again = {0};
    fill(&result);
    result_write(&result, &text);
    read_text(text.text, &again);
    assert_true(again.seed == UINT64_C(9007199254740993));
    assert_true(again.cases[0].seed == UINT64_MAX);
    assert_int_equal(again.warning_count, 1);
    assert_string_equal(again.sides[1].reproduce, "--kernel k --config A=1");
    assert_string_equal(again.manifest, "other.yaml");
    assert_true(again.repeat_count == 100 && again.thread_count == 2);
    assert_true(again.target_speedup == 1.4 && again.cost_per_hour == 2.5);
    assert_string_equal(again.environment.host, "h");
    assert_true(again.environment.is_accelerator);
    assert_string_equal(again.environment.cache_mode, "cold");
    assert_int_equal(again.cases[0].rounds[0].invalid_cause, INVALID_CAUSE_CLOCKS_APART);
    assert_int_equal(again.cases[0].rounds[1].samples[0].items[2].discard, DISCARD_STEAL);
    assert_true(again.cases[0].rounds[1].samples[0].items[1].kernel_clock_hz == 1.5e9);
    assert_true(again.cases[0].rounds[1].samples[1].call_wall_ns == 21300.5);
    assert_true(isnan(again.cases[0].checks[0].tensors[0].max_rel));
    assert_false(again.cases[0].summaries[1].is_set); // never trusted
    memcpy(again.cases[0].summaries, result.cases[0].summaries, sizeof again.cases[0].summaries);
    result_write(&again, &text_again);
    assert_string_equal(text.text, text_again.text);
    strbuf_fini(&text);
    strbuf_fini(&text_again);
    result_fini(&result);
    result_fini(&again);
}

static void test_folding(void **state) {
    (void)state;
    struct result result;
    fill(&result);
    struct result_case *item = &result.cases[0];
    assert_int_equal(item->round_count, 2);
    assert_false(item->rounds[0].is_valid);
    assert_string_equal(item->rounds[0].invalid_reason, "busy");
    assert_int_equal(item->rounds[0].invalid_cause, INVALID_CAUSE_CLOCKS_APART);
    add_measurement(&result, 0, 0, true); // complete already: ignored
    assert_false(item->rounds[0].is_valid);
    assert_int_equal(result_case_outcome(item, 1), OUTCOME_OK);
    add_check(&result, PHASE_ROUND, 1, OUTCOME_FAIL); // a later bad check of a round counts
    add_check(&result, PHASE_ROUND, 1, OUTCOME_OK);
    assert_int_equal(result_case_outcome(item, 1), OUTCOME_FAIL);
    add_check(&result, PHASE_CHECK, 1, OUTCOME_FAIL); // the matrix knows its first answer only
    assert_int_equal(result.checks[0].checks[1].outcome, OUTCOME_OK);
    double *times_ns = NULL;
    assert_int_equal(result_case_times(item, 0, &times_ns), 1);
    assert_true(times_ns[0] == 150);
    free(times_ns);
    struct record bye = {.kind = RECORD_BYE, .time_ns = 2000001000};
    add(&result, &bye);
    assert_true(result.device_s == 2.0);
    struct err err = {0};
    struct record unknown = {.kind = RECORD_SAMPLES, .phase = PHASE_ROUND, .case_index = 1};
    assert_int_equal(result_add_record(&result, &unknown, &err), -ERR_DATA);
    unknown = (struct record){.kind = RECORD_CHECK, .phase = PHASE_CHECK, .side = 2};
    assert_int_equal(result_add_record(&result, &unknown, &err), -ERR_DATA);
    result_fini(&result);
}

static void test_incomplete_is_not_usable(void **state) {
    (void)state;
    struct result result;
    result_make(&result);
    struct sample sample = {.duration_ns = 5, .launches = 1};
    struct record record = {
        .kind = RECORD_SAMPLES, .phase = PHASE_ROUND, .samples = {.count = 1, .items = &sample}};
    add(&result, &record);
    assert_false(result_round_is_usable(&result.cases[0].rounds[0], 0, 0));
    sample.duration_ns = 9; // measured again after a kill: replaces what was left
    add(&result, &record);
    assert_true(result.cases[0].rounds[0].samples[0].items[0].duration_ns == 9);
    result_fini(&result);
}

static void test_file_name(void **state) {
    (void)state;
    struct result_case item = {.short_name = "s64"};
    char buffer[PROBLEM_KEY_BYTES];
    snprintf(item.problem.name, sizeof item.problem.name, "%s", PROBLEM);
    assert_string_equal(result_case_file_name(&item, buffer), "s64");
    item.short_name = NULL;
    assert_string_equal(result_case_file_name(&item, buffer), "attention_fp32_b1_h1_s64_d64");
    item.distribution = "mixed"; // tells it from the same problem with normal inputs
    assert_string_equal(result_case_file_name(&item, buffer), "attention_fp32_b1_h1_s64_d64_mixed");
    assert_true(result_case_is(&item, PROBLEM " mixed"));
    assert_false(result_case_is(&item, PROBLEM));
}

static void test_side_names_are_told_apart(void **state) {
    (void)state;
    struct result result;
    result_init(&result);
    result.side_count = 4;
    result.sides[0].label = result.sides[2].label = result.sides[3].label = "simd";
    result.sides[1].label = "tiled";
    assert_string_equal(result_side_name(&result, 0, &result.arena), "simd");
    assert_string_equal(result_side_name(&result, 1, &result.arena), "tiled");
    assert_string_equal(result_side_name(&result, 2, &result.arena), "simd#2");
    assert_string_equal(result_side_name(&result, 3, &result.arena), "simd#3");
    result_fini(&result);
}

// Adds a check by a kernel that says which version of its library computed.
static int add_version(struct result *result, const char *version, struct err *err) {
    struct record record = {.kind = RECORD_CHECK, .phase = PHASE_CHECK, .check = {.outcome = OUTCOME_OK}};
    snprintf(record.check.version, sizeof record.check.version, "%s", version);
    return result_add_record(result, &record, err);
}

static void test_peers_are_named_with_their_version(void **state) {
    (void)state;
    static const struct {
        const char *label, *wanted, *ran, *named;
    } cases[] = {{"cudnn", NULL, "9.19.0", "cudnn@9.19.0"},
                 {"cudnn@9.19", "9.19", "9.19.0", "cudnn@9.19.0"},
                 {"cudnn@9 (A)", "9", "9.19.0", "cudnn@9.19.0 (A)"},
                 {"mine", NULL, "9.19.0", "mine"}, // a name of the user's own
                 {"cudnn", NULL, "", "cudnn"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        struct result result;
        struct err err = {0};
        result_make(&result);
        result.sides[0] = (struct result_side){
            .role = SIDE_PEER, .label = cases[i].label, .kernel = "cudnn", .version = cases[i].wanted};
        for (int again = 0; again < 2; ++again) assert_int_equal(add_version(&result, cases[i].ran, &err), 0);
        assert_string_equal(result.sides[0].label, cases[i].named);
        result_fini(&result);
    }
}

static void test_another_version_is_an_error(void **state) {
    (void)state;
    struct result result;
    struct err err = {0};
    result_make(&result);
    result.sides[0] =
        (struct result_side){.role = SIDE_PEER, .label = "cudnn@9.1", .kernel = "cudnn", .version = "9.1"};
    assert_int_equal(add_version(&result, "9.19.0", &err), -ERR_UNAVAILABLE);
    assert_non_null(strstr(err.text, "'cudnn' is version 9.19.0 here, not 9.1;"));
    assert_int_equal(add_version(&result, "9.1.0", &err), 0);
    assert_int_equal(add_version(&result, "9.1.1", &err),
                     -ERR_UNAVAILABLE);           // another company, another library
    result.sides[0].module_path = "/a/module.so"; // not assay's: it may say what it likes
    assert_int_equal(add_version(&result, "1", &err), 0);
    assert_string_equal(result.sides[0].label, "cudnn@9.1.0");
    result_fini(&result);
}

static void test_minimal(void **state) {
    (void)state;
    struct result result;
    read_text("{\"kind\":\"assay.result\",\"schema_version\":1,"
              "\"sides\":[{\"role\":\"candidate\",\"label\":\"x\"}],\"cases\":[{\"problem\":\"" PROBLEM "\","
              "\"rounds\":[{\"samples\":[{\"side\":0,\"duration_ns\":[10,20],\"launches\":2}]},"
              "{\"samples\":[{\"side\":0,\"duration_ns\":[30]}]}]}]}",
              &result);
    double *times_ns = NULL;
    assert_int_equal(result_case_times(&result.cases[0], 0, &times_ns), 3);
    assert_true(times_ns[0] == 5 && times_ns[2] == 30);
    free(times_ns);
    result_fini(&result);
}

#define HEAD                                                                                                 \
    "{\"kind\":\"assay.result\",\"schema_version\":1,\"sides\":[{\"role\":\"candidate\",\"label\":\"x\"}],"
#define WITH(samples)                                                                                        \
    HEAD "\"cases\":[{\"problem\":\"" PROBLEM "\",\"short_name\":\"s64\",\"rounds\":[{\"samples\":[" samples \
         "]}]}]}"

static void test_hostile(void **state) {
    (void)state;
    static const struct {
        const char *text, *sentence;
    } cases[] = {
        {"[]", "not a result of assay"},
        {"{\"kind\":\"other\"}", "its 'kind' is 'other'"},
        {"{\"kind\":\"assay.result\",\"schema_version\":2}", "reads version 1"},
        {"{\"kind\":\"assay.result\",\"schema_version\":1,\"sides\":[],\"cases\":[]}", "'sides' is empty"},
        {HEAD "\"cases\":[{\"problem\":\"nonsense\"}]}", "cases[0]: key 'problem'"},
        {HEAD "\"cases\":7}", "'cases' must be an array"},
        {WITH("{\"side\":0,\"duration_ns\":[5,-3]}"),
         "cases[0] (s64): rounds[0]: side 'x': duration_ns[1] is -3"},
        {WITH("{\"side\":0,\"duration_ns\":[0]}"), "duration_ns[0] is 0"},
        {WITH("{\"side\":0,\"duration_ns\":[1.5]}"), "duration_ns[0] is 1.5"},
        {WITH("{\"side\":0,\"duration_ns\":[null]}"), "duration_ns[0] is not a number"},
        {WITH("{\"side\":0,\"duration_ns\":[1],\"launches\":0}"), "launches of sample 0"},
        {WITH("{\"side\":0,\"duration_ns\":[1],\"launches\":[1,2]}"), "launches has 2 values"},
        {WITH("{\"side\":0,\"duration_ns\":[1],\"discard\":{\"1\":\"steal\"}}"), "discard names sample '1'"},
        {WITH("{\"side\":0,\"duration_ns\":[1],\"discard\":{\"0\":\"mood\"}}"), "unknown reason"},
        {WITH("{\"side\":0,\"duration_ns\":[],\"discard\":{\"0\":\"steal\"}}"), "there are no samples"},
        {WITH("{\"side\":0,\"duration_ns\":[1],\"clock_hz\":[-1]}"), "clock_hz[0]"},
        {WITH("{\"side\":0,\"duration_ns\":[1],\"kernel_clock_hz\":[0]}"), "kernel_clock_hz[0]"},
        {WITH("{\"side\":0,\"duration_ns\":[1],\"kernel_clock_hz\":[1,2]}"), "kernel_clock_hz has 2 values"},
        {WITH("{\"side\":0,\"duration_ns\":[1],\"call_wall_ns\":0}"),
         "key 'call_wall_ns' is 0; it must be above 0"},
        {WITH("{\"side\":1,\"duration_ns\":[1]}"), "there are 1 sides"},
        {WITH("{\"side\":0,\"duration_ns\":[1]},{\"side\":0,\"duration_ns\":[1]}"), "given twice"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        struct err err = {0};
        struct result result;
        json_t *root = NULL;
        if (json_read_text(cases[i].text, strlen(cases[i].text), "f.json", &root, &err) < 0)
            fail_msg("%s", err.text);
        assert_int_equal(result_parse(root, "f.json", &result, &err), -ERR_DATA);
        if (!strstr(err.text, cases[i].sentence))
            fail_msg("wanted '%s', got: %s", cases[i].sentence, err.text);
        json_decref(root);
    }
}

static void test_unwritable(void **state) {
    (void)state;
    struct result result;
    struct err err = {0};
    fill(&result);
    assert_int_equal(result_write_file(&result, "/dev/full", &err), -ERR_IO);
    assert_int_equal(result_write_file(&result, "/nowhere/x.json", &err), -ERR_CREATE);
    result_fini(&result);
}

static const char validator[] =
    "import json, sys\n"
    "try:\n"
    "    import jsonschema\n"
    "except ImportError:\n"
    "    sys.exit(77)\n"
    "schema, document = (json.load(open(p, encoding='utf-8')) for p in sys.argv[1:3])\n"
    "kind = getattr(jsonschema, 'Draft202012Validator', None)\n"
    "if kind is None:\n"
    "    sys.exit(77)\n"
    "kind.check_schema(schema)\n"
    "errors = list(kind(schema).iter_errors(document))\n"
    "for e in errors: print(list(e.absolute_path), e.message)\n"
    "sys.exit(3 if errors else 0)\n";

static int validate(const char *dir, const char *document) {
    char *script = path_join(dir, "validate.py"), *path = path_join(dir, "result.json");
    struct err err = {0};
    if (file_write_atomic(script, validator, strlen(validator), &err) < 0) fail_msg("%s", err.text);
    if (file_write_atomic(path, document, strlen(document), &err) < 0) fail_msg("%s", err.text);
    char *command =
        mem_format("/usr/bin/python3 '%s' '%s/docs/result.schema.json' '%s'", script, ASSAY_SOURCE_DIR, path);
    int status = system(command);
    free(command);
    free(script);
    free(path);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void test_schema(void **state) {
    (void)state;
    struct result result;
    struct strbuf text = {0};
    struct err err = {0};
    char dir[] = "/tmp/assay_schema_XXXXXX";
    assert_non_null(mkdtemp(dir));
    fill(&result);
    result_write(&result, &text);
    int code = file_exists("/usr/bin/python3") ? validate(dir, text.text) : 77;
    if (code == 0) {
        char *broken = mem_strdup(text.text); // the schema refuses what the reader refuses
        char *first = strstr(broken, "\"duration_ns\": [100");
        assert_non_null(first);
        memcpy(first + 16, "-10", 3);
        code = validate(dir, broken) == 3 ? 0 : -1;
        free(broken);
    }
    file_remove_tree(dir, &err);
    strbuf_fini(&text);
    result_fini(&result);
    if (code == 77) {
        print_message(
            "SKIPPED: no /usr/bin/python3 with the jsonschema module (Debian: python3-jsonschema)\n");
        skip();
    }
    assert_int_equal(code, 0);
}

// A document of a project whose operators this program does not have: it is read and written again as it is,
// with the work that it states. What this program knows it says itself.
static void test_unknown_operator(void **state) {
    (void)state;
    struct result result;
    struct strbuf text = {0};
    read_text(HEAD
              "\"cases\":[{\"problem\":\"rmsnorm/bf16/rows64\",\"flop_count\":96,\"compulsory_bytes\":512,"
              "\"dtype\":\"bf16\"},{\"problem\":\"scale/fp32/n64\",\"flop_count\":1},"
              "{\"problem\":\"scale/fp32/rows64\"}]}",
              &result);
    const struct result_case *theirs = &result.cases[0];
    assert_null(theirs->problem.op);
    assert_string_equal(theirs->problem.name, "rmsnorm/bf16/rows64");
    assert_true(theirs->work.flop_count == 96 && theirs->work.compulsory_bytes == 512);
    assert_string_equal(theirs->work.dtype, "bf16");
    assert_non_null(result.cases[1].problem.op);
    assert_true(result.cases[1].work.flop_count == 64 && result.cases[1].work.compulsory_bytes == 512);
    assert_null(result.cases[2].problem.op); // their operator of that name takes other fields
    assert_true(isnan(result.cases[2].work.flop_count));
    result_write(&result, &text);
    assert_non_null(strstr(text.text, "\"problem\": \"rmsnorm/bf16/rows64\",\n   \"flop_count\": 96"));
    strbuf_fini(&text);
    result_fini(&result);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_folding),
        cmocka_unit_test(test_incomplete_is_not_usable),
        cmocka_unit_test(test_file_name),
        cmocka_unit_test(test_side_names_are_told_apart),
        cmocka_unit_test(test_peers_are_named_with_their_version),
        cmocka_unit_test(test_another_version_is_an_error),
        cmocka_unit_test(test_minimal),
        cmocka_unit_test(test_hostile),
        cmocka_unit_test(test_unknown_operator),
        cmocka_unit_test(test_unwritable),
        cmocka_unit_test(test_schema),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
