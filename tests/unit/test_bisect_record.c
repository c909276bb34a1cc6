// SPDX-License-Identifier: Apache-2.0
//
// The document of a bisect reads back as it was written, and one that was edited is refused with the place.
// What its steps say to the search, and what is known from elsewhere.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "control/flow/bisect/bisect_state.h"
#include "report/bisect/bisect_report.h"

#define COMMITS 16

static struct bisect_step made_step(const char *commit, enum bisect_answer answer, double change_pct) {
    const bool has_figures = isfinite(change_pct);
    return (struct bisect_step){.commit = commit,
                                .subject = "a subject",
                                .answer = answer,
                                .change_pct = change_pct,
                                .change_low_pct = change_pct - 0.5,
                                .change_high_pct = change_pct + 0.5,
                                .se_pct = has_figures ? 0.1 : NAN,
                                .p_changed_pct = has_figures ? 99 : NAN,
                                .round_count = has_figures ? 10 : 0,
                                .run_id = has_figures ? "run-1" : NULL,
                                .seconds = 1.5};
}

static void made_record(struct bisect_record *ret) {
    *ret = (struct bisect_record){.run_id = "20261121-120000-bisect-0001",
                                  .good_name = "v1",
                                  .bad_name = "HEAD",
                                  .good = "00",
                                  .bad = "15",
                                  .kernel = "mine",
                                  .device = "sim:steady",
                                  .seed = UINT64_MAX,
                                  .gate_max = 17,
                                  .certainty_pct = 95,
                                  .regression_pct = NAN,
                                  .improvement_pct = NAN,
                                  .probability_pct = NAN,
                                  .commit_count = COMMITS,
                                  .sampling = sampling_default()};
    struct bisect_step steps[] = {made_step("15", BISECT_ANSWER_CHANGED, 6),
                                  made_step("07", BISECT_ANSWER_NOT_BUILT, NAN),
                                  made_step("08", BISECT_ANSWER_SAME_CODE, NAN)};
    steps[1].reason = "it says \"no\"\n";
    steps[2].same_as = "15";
    for (size_t i = 0; i < 3; ++i) bisect_record_add_step(ret, &steps[i]);
}

static int parse(const char *text, struct bisect_record *ret, struct err *err) {
    json_t *root = NULL;
    TRY(json_read_text(text, strlen(text), "bisect.json", &root, err));
    const int code = bisect_record_parse(root, "bisect.json", ret, err);
    json_decref(root);
    return code;
}

static void it_reads_back_as_written(void **state) {
    (void)state;
    struct bisect_record made, read;
    struct strbuf once = {0}, twice = {0}, page = {0};
    struct err err = {0};
    made_record(&made);
    bisect_record_write(&made, &once);
    if (parse(strbuf_text(&once), &read, &err) < 0) fail_msg("%s", err.text);
    bisect_record_write(&read, &twice);
    assert_string_equal(strbuf_text(&once), strbuf_text(&twice));
    assert_int_equal(read.step_count, 3);
    assert_string_equal(read.steps[2].same_as, "15");
    assert_true(isnan(read.regression_pct) && read.outcome == BISECT_OUTCOME_NONE);
    bisect_report_text(&read, false, &page);
    assert_non_null(strstr(strbuf_text(&page), "not decided yet"));
    bisect_record_fini(&made);
    bisect_record_fini(&read);
    strbuf_fini(&once);
    strbuf_fini(&twice);
    strbuf_fini(&page);
}

// text: the document with `from` replaced by `to`.
static void refuse(const char *from, const char *to, const char *place) {
    struct bisect_record made, read;
    struct strbuf text = {0}, edited = {0};
    struct err err = {0};
    made_record(&made);
    bisect_record_write(&made, &text);
    const char *at = strstr(strbuf_text(&text), from);
    assert_non_null(at);
    strbuf_add_bytes(&edited, strbuf_text(&text), (size_t)(at - strbuf_text(&text)));
    strbuf_addf(&edited, "%s%s", to, at + strlen(from));
    assert_int_equal(parse(strbuf_text(&edited), &read, &err), -ERR_DATA);
    if (!strstr(err.text, place)) fail_msg("%s: not in: %s", place, err.text);
    bisect_record_fini(&made);
    strbuf_fini(&text);
    strbuf_fini(&edited);
}

static void edited_ones_are_refused(void **state) {
    (void)state;
    refuse("assay.bisect", "assay.gate", "kind");
    refuse("\"schema_version\": 1", "\"schema_version\": 2", "schema_version");
    refuse("\"change_pct\": 6", "\"change_pct\": -100", "change_pct");
    refuse("\"round_count\": 10", "\"round_count\": 1", "two rounds");
    refuse("\"same_as\": \"15\",", "", "same_as");
    refuse("\"answer\": \"changed\"", "\"answer\": \"maybe\"", "answer");
    refuse("\"certainty_pct\": 95", "\"certainty_pct\": 100", "certainty_pct");
    refuse("\"suspects\": []", "\"outcome\": \"found\", \"suspects\": []", "suspects");
}

// ---- steps and the search ----

struct scene {
    struct bisect bisect;
    char ids[COMMITS][3];
    struct revision_commit commits[COMMITS];
    size_t asked_count;
};

static void open_scene(struct scene *scene) {
    *scene = (struct scene){0};
    made_record(&scene->bisect.record);
    scene->bisect.record.step_count = 1;
    scene->bisect.record.problem = "scale/fp32/n64";
    for (size_t i = 0; i < COMMITS; ++i) {
        snprintf(scene->ids[i], sizeof scene->ids[i], "%02zu", i);
        scene->commits[i] = (struct revision_commit){.id = scene->ids[i], .subject = "s"};
    }
    scene->bisect.history = (struct revision_history){"good", COMMITS, scene->commits};
    assert_int_equal(bisection_init(&scene->bisect.search, COMMITS, true), 0);
    bisect_apply(&scene->bisect, &scene->bisect.record.steps[0]);
    assert_true(fabs(scene->bisect.step.change - log(1.06)) < 1e-12);
}

static void add(struct scene *scene, const struct bisect_step *step) {
    bisect_record_add_step(&scene->bisect.record, step);
    bisect_apply(&scene->bisect, step);
}

static void steps_say_what_they_are(void **state) {
    (void)state;
    struct scene scene;
    open_scene(&scene);
    const struct bisection *search = &scene.bisect.search;
    const struct bisect_step unchanged = made_step("03", BISECT_ANSWER_UNCHANGED, 0.1),
                             changed = made_step("11", BISECT_ANSWER_CHANGED, 6.2),
                             broken = made_step("07", BISECT_ANSWER_NOT_BUILT, NAN),
                             none = made_step("08", BISECT_ANSWER_NO_DATA, NAN),
                             elsewhere = made_step("99", BISECT_ANSWER_CHANGED, 6);
    add(&scene, &unchanged);
    assert_true(bisection_p_changed(search, 3) < 0.01);
    add(&scene, &changed);
    assert_true(bisection_p_changed(search, 11) > 0.99);
    add(&scene, &broken);
    assert_false(search->is_usable[7]);
    add(&scene, &none);
    assert_true(search->is_usable[8]);
    add(&scene, &none);
    assert_false(search->is_usable[8]);
    add(&scene, &elsewhere); // not in the range: nothing
    assert_ptr_equal(bisect_find_code(&scene.bisect, NULL), NULL);
    bisect_state_fini(&scene.bisect);
}

static bool tell(void *arg, const struct bisect_question *question, struct bisect_known *ret) {
    struct scene *scene = arg;
    ++scene->asked_count;
    assert_string_equal(question->good, "00");
    assert_string_equal(question->problem, "scale/fp32/n64");
    if (strcmp(question->commit, "05") == 0)
        *ret = (struct bisect_known){.change_pct = 0.2, .se_pct = 0.3, .round_count = 10, .source = "run x"};
    else if (strcmp(question->commit, "10") == 0)
        *ret = (struct bisect_known){.change_pct = 5.8, .se_pct = 0.3, .round_count = 10};
    else if (strcmp(question->commit, "07") == 0)
        *ret = (struct bisect_known){.cannot_build = true, .source = "run y"};
    else
        return strcmp(question->commit, "09") == 0; // zeroed: without rounds it is worth nothing
    return true;
}

// What a store knows narrows the search, but is no verdict.
static void what_is_known_narrows(void **state) {
    (void)state;
    struct scene scene;
    open_scene(&scene);
    scene.bisect.callbacks = (struct bisect_callbacks){.known = tell, .arg = &scene};
    bisect_ask_known(&scene.bisect);
    assert_int_equal(scene.asked_count, COMMITS - 1);
    assert_int_equal(scene.bisect.record.step_count, 4);
    const struct bisection *search = &scene.bisect.search;
    const double low = bisection_p_changed(search, 5), high = bisection_p_changed(search, 10);
    assert_true(low > 0.02 && low < 0.2 && high > 0.8 && high < 0.98);
    assert_false(search->is_usable[7]);
    const size_t next = bisection_next(search);
    assert_true(next > 5 && next < 10);
    assert_string_equal(scene.bisect.record.steps[1].reason, "run x");
    bisect_state_fini(&scene.bisect);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_reads_back_as_written),
        cmocka_unit_test(edited_ones_are_refused),
        cmocka_unit_test(steps_say_what_they_are),
        cmocka_unit_test(what_is_known_narrows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
