// SPDX-License-Identifier: Apache-2.0
//
// Which form `fa` prepares, without a device: forms are made up, and the table is as `assay tune --emit`
// writes it.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "attention/fa_choice.h"
#include "control/tune/tune_dispatch.h"
#include "op/operator.h"

// ---- made-up forms ----

static bool is_refused[3];    // by prepare, as on another device
static bool lacks_problem[3]; // by supports
static int prepared;

static int answer(bool refuses, struct assay_message *message) {
    return refuses ? assay_say(message, ASSAY_UNSUPPORTED, "not this one") : ASSAY_OK;
}

#define MADE_FORM(n)                                                                                         \
    static int supports_##n(const struct assay_problem *problem, struct assay_message *message) {            \
        (void)problem;                                                                                       \
        return answer(lacks_problem[n], message);                                                            \
    }                                                                                                        \
    static int prepare_##n(const struct assay_problem *problem, const struct assay_env *env, void **state,   \
                           size_t *workspace_bytes, struct assay_message *message) {                         \
        (void)problem, (void)env, (void)state, (void)workspace_bytes;                                        \
        prepared = (n) + 1;                                                                                  \
        return answer(is_refused[n], message);                                                               \
    }                                                                                                        \
    static const struct assay_kernel form_##n = {.supports = supports_##n, .prepare = prepare_##n};
MADE_FORM(0)
MADE_FORM(1)
MADE_FORM(2)

static const char *chosen;               // what the table says
static struct attention_shape asked_for; // what it was asked

static const char *choose(const char *kind, const long long *axes, int *is_measured) {
    snprintf(asked_for.kind, sizeof asked_for.kind, "%s", kind);
    memcpy(asked_for.axes, axes, sizeof asked_for.axes);
    *is_measured = 1;
    return chosen;
}

static struct fa_forms forms = {{&form_0, &form_1, &form_2}, 3, choose, 0};

static void forget(void) {
    memset(is_refused, 0, sizeof is_refused);
    memset(lacks_problem, 0, sizeof lacks_problem);
    forms.forced = prepared = 0;
    forms.choose = choose;
    chosen = NULL;
}

// The form that is prepared for a problem; 0: none takes it.
static int form_for(const char *name) {
    struct problem problem;
    struct problem_abi abi;
    struct err err = {0};
    struct fa_choice choice = {0};
    size_t bytes = 0;
    if (problem_parse(&operators_compiled, name, &problem, &err) < 0) fail_msg("%s", err.text);
    problem_describe(&problem, MEMORY_LAYOUT_DENSE, &abi);
    return fa_prepare_first(&forms, &abi.problem, NULL, &choice, &bytes, NULL) == ASSAY_OK ? prepared : 0;
}

#define S512 "attention/fp16/b32/h8/s512/d64"

static void the_table_decides(void **state) {
    (void)state;
    forget();
    assert_int_equal(form_for(S512), 3); // it says nothing: the newest
    chosen = "FORM=1";
    assert_int_equal(form_for(S512), 1);
    chosen = "FORM=2,OTHER=1";
    assert_int_equal(form_for(S512), 2);
    chosen = "FORM=9";
    assert_int_equal(form_for(S512), 3);
    forms.choose = NULL;
    assert_int_equal(form_for(S512), 3);
}

// Where the chosen form refuses, the others follow, the newest first.
static void refusals(void **state) {
    (void)state;
    forget();
    chosen = "FORM=2";
    is_refused[1] = true;
    assert_int_equal(form_for(S512), 3);
    lacks_problem[2] = true;
    assert_int_equal(form_for(S512), 1);
    is_refused[0] = true;
    assert_int_equal(form_for(S512), 0);
    forget();
    chosen = "FORM=1";
    is_refused[0] = lacks_problem[2] = true;
    assert_int_equal(form_for(S512), 2);
    forget();
    forms.forced = 1;
    assert_int_equal(form_for(S512), 1);
    is_refused[0] = true;
    assert_int_equal(form_for(S512), 0); // a forced form stands for no other
}

// The table is asked for what assay calls the problem.
static void problems_are_named_as_in_tables(void **state) {
    (void)state;
    static const char *const names[] = {
        S512, "attention/bf16/b1/h8/s2048/d128/causal", "attention/fp16/b2/h8/hkv2/s512/d64",
        "attention/fp16/b2/h4/hkv2/sq300/sk520/d64/causal_br", "attention/fp8_e4m3/b32/h8/s512/d64"};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        const struct tune_shape wanted = tune_shape_parse(names[i]);
        forget();
        form_for(names[i]);
        assert_string_equal(asked_for.kind, wanted.kind);
        for (size_t k = 0; k < wanted.axis_count; ++k) assert_int_equal(asked_for.axes[k], wanted.axes[k]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table_decides),
        cmocka_unit_test(refusals),
        cmocka_unit_test(problems_are_named_as_in_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
