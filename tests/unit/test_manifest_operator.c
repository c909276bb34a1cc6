// SPDX-License-Identifier: Apache-2.0
//
// Operators that a manifest declares: read, named by kernels and suites, carried by plans and work orders;
// and which declarations are refused, with the place, in all three.
#include <stdio.h>
#include <stdlib.h>

#include "base/strbuf.h"
#include "control/plan/plan.h"
#include "control/plan/suite.h"
#include "made_manifest.h"
#include "op/declared/declared.h"

#define COUNT(list) (sizeof(list) / sizeof *(list))

// The kernels and suites before what they name; outputs before inputs.
#define NORM                                                                                                 \
    "version: 1\n"                                                                                           \
    "kernels: {mine: {operator: rmsnorm, source: mine.c}}\n"                                                 \
    "suites: {s: {problems: {a: {problem: rmsnorm/rows17}, b: {problem: rmsnorm/hidden256/eps0.5}}}}\n"      \
    "operators:\n"                                                                                           \
    "  rmsnorm:\n"                                                                                           \
    "    outputs: {y: 'bf16[rows, hidden]'}\n"                                                               \
    "    inout: {sums: 'fp32[groups] zeros'}\n"                                                              \
    "    inputs: {x: 'bf16[rows, hidden]', eps: 1e-6, weight: 'bf16[hidden] normal(1, 0.1)'}\n"              \
    "    axes: {rows: 4096, hidden: 4096, groups: hidden // 128}\n"                                          \
    "    where: hidden % 8 == 0\n"                                                                           \
    "    reference: reference/rmsnorm.c\n"                                                                   \
    "    flops: 4 * rows * hidden\n"                                                                         \
    "  twice: {inputs: {x: 'fp32[64]'}, outputs: {y: 'fp32[64]'}}\n"

static void norm_read(struct manifest *ret) {
    if (made_manifest_parse(NORM, ret) < 0) fail_msg("%s", made_manifest_error.text);
}

static void test_read(void **state) {
    (void)state;
    static const char *const tensors[] = {"x", "weight", "sums", "y"};
    struct manifest manifest;
    norm_read(&manifest);
    assert_int_equal(manifest.operators.declared_count, 2);
    assert_string_equal(manifest.kernels[0].op, "rmsnorm");
    assert_string_equal(manifest.suites[0].problems[1].problem, "rmsnorm/rows4096/hidden256/eps0.5");
    const struct declared *declared = declared_of(operator_find(&manifest.operators, "rmsnorm"));
    assert_int_equal(declared->tensor_count, COUNT(tensors));
    for (size_t i = 0; i < COUNT(tensors); ++i) assert_string_equal(declared->tensors[i].name, tensors[i]);
    assert_int_equal(declared->tensors[2].access, ASSAY_INOUT);
    assert_string_equal(declared->tensors[1].spec, "bf16[hidden] normal(1, 0.1)");
    assert_int_equal(declared->scalar_count, 1);
    assert_true(declared->scalars[0].value == 1e-6);
    assert_string_equal(declared->axes[2].size, "hidden // 128");
    assert_string_equal(declared->where[0], "hidden % 8 == 0");
    assert_string_equal(declared->flops, "4 * rows * hidden");
    assert_null(declared->bytes);
    assert_string_equal(declared->reference.source, "reference/rmsnorm.c");
    assert_null(declared->reference.module_path);
    manifest_fini(&manifest);
}

// The function of a Python file.
static void test_python_reference(void **state) {
    (void)state;
    static const struct {
        const char *written, *source, *function;
    } rows[] = {{"ops/one.py", "ops/one.py", "reference"},
                {"one.py:right", "one.py", "right"},
                {"one.python.c", "one.python.c", NULL}};
    for (size_t i = 0; i < COUNT(rows); ++i) {
        struct manifest manifest;
        char text[256];
        snprintf(text, sizeof text,
                 "version: 1\noperators: {one: {outputs: {y: 'fp32[4]'}, reference: '%s'}}\n",
                 rows[i].written);
        if (made_manifest_parse(text, &manifest) < 0) fail_msg("%s", made_manifest_error.text);
        const struct declared_reference *reference = &manifest.declared[0]->reference;
        assert_string_equal(reference->source, rows[i].source);
        assert_true(str_equal(reference->function, rows[i].function));
        manifest_fini(&manifest);
    }
}

// ---- documents ----

static void plan_of(struct manifest *manifest, struct plan *ret) {
    static const char *const names[] = {"attention/fp32/b1/h1/s16/d16", "rmsnorm/rows17", "rmsnorm/eps0.5"};
    *ret = (struct plan){.run_id = "r", .command = "bench", .device = "cpu", .side_count = 1};
    ret->sides[0] = (struct result_side){.role = SIDE_CANDIDATE, .label = "mine", .op = "rmsnorm"};
    ret->case_count = ret->check_count = COUNT(names);
    ret->cases = ret->checks = arena_array(&ret->arena, COUNT(names), sizeof *ret->cases);
    ret->check_side_mask = 1;
    ret->look_count = ret->looks[0] = 1;
    for (size_t i = 0; i < COUNT(names); ++i) {
        struct plan_case *item = &ret->cases[i];
        assert_int_equal(problem_parse(&manifest->operators, names[i], &item->problem, NULL), 0);
        item->distribution = "normal";
        item->memory_layout = MEMORY_LAYOUT_DENSE;
        declared_add(&ret->arena, &ret->operators, item->problem.op);
    }
}

static int plan_again(const struct strbuf *text, struct plan *ret, struct err *err) {
    json_t *root = NULL;
    assert_int_equal(json_read_text(strbuf_text(text), text->length, "plan", &root, err), 0);
    const int code = plan_parse(root, "plan", ret, err);
    json_decref(root);
    return code;
}

static void check_operators(const struct operator_set *set, const struct problem *problem) {
    assert_int_equal(set->declared_count, 1); // twice is in no problem
    assert_ptr_equal(problem->op, set->declared[0]);
    assert_string_equal(problem->name, "rmsnorm/rows4096/hidden4096/eps0.5");
    const struct declared *declared = declared_of(problem->op);
    assert_int_equal(declared->tensor_count, 4);
    assert_int_equal(declared->tensors[2].access, ASSAY_INOUT);
    assert_string_equal(declared->where[0], "hidden % 8 == 0");
    assert_string_equal(declared->reference.source, "reference/rmsnorm.c");
    assert_string_equal(declared->reference.module_path, "/tmp/m.so");
    assert_null(declared->reference.single_module_path);
    assert_true(problem_flops(problem) == 4.0 * 4096 * 4096);
}

static void test_documents(void **state) {
    (void)state;
    struct manifest manifest;
    struct plan plan, got;
    struct arena arena = {0};
    struct work_order order, sent;
    struct strbuf text = {0}, again = {0};
    struct err err = {0};
    norm_read(&manifest);
    plan_of(&manifest, &plan);
    struct declared built = *declared_of(plan.operators.declared[0]); // as when its reference is built
    const struct operator_def *op;
    built.reference.module_path = "/tmp/m.so";
    assert_int_equal(declared_make(&plan.arena, &built, &op, NULL), 0);
    plan.operators.declared = &op;
    plan_write(&plan, &text);
    if (plan_again(&text, &got, &err) < 0) fail_msg("%s", err.text);
    plan_fini(&plan);
    manifest_fini(&manifest); // the plan has all of it
    check_operators(&got.operators, &got.cases[2].problem);
    plan_write(&got, &again);
    assert_string_equal(strbuf_text(&text), strbuf_text(&again));
    plan_check_order(&got, NULL, 0, &arena, &order);
    strbuf_clear(&text);
    work_order_write(&order, &text);
    plan_fini(&got);
    if (work_order_parse(strbuf_text(&text), text.length, &arena, &sent, &err) < 0) fail_msg("%s", err.text);
    check_operators(&sent.operators, &sent.cases[2].problem);
    strbuf_fini(&text);
    strbuf_fini(&again);
    arena_fini(&arena);
}

// Texts of a plan and of a work order, which somebody may have changed by hand.
static void test_wrong_documents(void **state) {
    (void)state;
    static const struct {
        const char *from, *to, *said;
    } rows[] = {
        {"\"name\":\"rmsnorm\"", "\"name\":\"gemm\"",
         "operators[0]: assay has an operator or a suite of that name"},
        {"\"name\":\"rmsnorm\"", "\"name\":\"rms_norm\"", "unknown operator 'rmsnorm'"},
        {"\"name\":\"rmsnorm\"", "\"name\":\"/\"", "operators[0]: an operator's name has lower-case"},
        {"\"name\":\"rmsnorm\"", "\"nome\":\"rmsnorm\"", "operators[0]: key 'name' is missing"},
        {"fp32[groups] zeros", "fp32[groups zeros",
         "operators[0]: tensor 'sums': 'fp32[groups zeros': a ']'"},
        {"hidden // 128", "hidden // 0", "operators[0]: axis 'groups'"},
        {"hidden % 8 == 0", "((((((((((((((((((((((((((((((((((((((((((1", "operators[0]: "},
        {"\"access\":\"inout\"", "\"access\":\"invalid\"", "unknown value 'invalid'"},
        {"\"access\":\"inout\"", "\"access\":\"in\"", NULL},
        {"\"access\":\"out\"", "\"access\":\"in\"",
         "tensor 'y': an input stands before what a kernel writes"},
        {"\"value\":1e-06", "\"value\":null", "value"},
        {"\"operators\":[", "\"operators\":[7,", "operators[0]: must be an object"},
        {"\"operators\":[", "\"operators\":7,\"o\":[", "operators"},
    };
    struct manifest manifest;
    struct plan plan;
    struct arena arena = {0};
    struct work_order order, sent;
    struct strbuf text = {0}, changed = {0};
    norm_read(&manifest);
    plan_of(&manifest, &plan);
    plan_check_order(&plan, NULL, 0, &arena, &order);
    work_order_write(&order, &text);
    for (size_t i = 0; i < COUNT(rows); ++i) {
        const char *at = strstr(strbuf_text(&text), rows[i].from);
        if (!at) fail_msg("no %s in %s", rows[i].from, strbuf_text(&text));
        strbuf_clear(&changed);
        strbuf_addf(&changed, "%.*s%s%s", (int)(at - strbuf_text(&text)), strbuf_text(&text), rows[i].to,
                    at + strlen(rows[i].from));
        struct err err = {0};
        const int code = work_order_parse(strbuf_text(&changed), changed.length, &arena, &sent, &err);
        if (code != (rows[i].said ? -ERR_DATA : 0)) fail_msg("%s: %d %s", rows[i].to, code, err.text);
        if (rows[i].said && !strstr(err.text, rows[i].said)) fail_msg("%s: %s", rows[i].to, err.text);
    }
    strbuf_fini(&text);
    strbuf_fini(&changed);
    arena_fini(&arena);
    plan_fini(&plan);
    manifest_fini(&manifest);
}

// ---- mistakes ----

static void test_mistakes(void **state) {
    (void)state;
    static const struct {
        const char *section; // behind "operators: "
        const char *said;    // behind "assay.yaml:2:"
    } rows[] = {
        {"7", "12: operators: must be a mapping, not a text"},
        {"{one: 7}", "18: operators.one: is a mapping, or a Python file"},
        {"{one: {output: {y: 'fp32[4]'}}}", "19: operators.one.output: unknown key, did you mean 'outputs'?"},
        {"{one: {inputs: {x: 'fp32[4]'}}}",
         "18: operators.one: there is no result; write for example 'outputs"},
        {"{One: {outputs: {y: 'fp32[4]'}}}", "18: operators.One: an operator's name has lower-case letters"},
        {"{a b: {outputs: {y: 'fp32[4]'}}}", "18: operators.a b: an operator's name has lower-case letters"},
        {"{gemm: {outputs: {y: 'fp32[4]'}}}",
         "19: operators.gemm: assay has an operator or a suite of that name"},
        {"{one: {outputs: {y: 'fp23[4]'}}}",
         "32: operators.one.outputs.y: tensor 'y': 'fp23[4]': there is no type 'fp23', did you mean 'fp32'?"},
        {"{one: {axes: {rows: 4}, outputs: {y: 'fp32[row]'}}}",
         "49: operators.one.outputs.y: tensor 'y': 'row', column 1: there is no axis of that name before it, "
         "did you mean 'rows'?"},
        {"{one: {axes: {n: 0}, outputs: {y: 'fp32[4]'}}}",
         "29: operators.one.axes.n: axis 'n': its default is 0"},
        {"{one: {axes: {n: }, outputs: {y: 'fp32[4]'}}}", "29: operators.one.axes.n: has no value"},
        {"{one: {axes: {n: m + 1}, outputs: {y: 'fp32[4]'}}}", "29: operators.one.axes.n: axis 'n': 'm + 1'"},
        {"{one: {axes: {n: 99999999999999999999}, outputs: {y: 'fp32[4]'}}}",
         "29: operators.one.axes.n: axis 'n': '99999999999999999999', column 19: the number is too large"},
        {"{one: {axes: {n: 1099511627776, m: n * n}, outputs: {y: 'fp32[4]'}}}",
         "47: operators.one.axes.m: axis 'm': 'n * n' divides by zero or is beyond 64 bits here"},
        {"{one: {axes: {n: 1099511627776}, outputs: {y: 'fp32[n, n, n]'}}}",
         "18: operators.one: its tensors have more than 256 GiB, with 'y'; take smaller axes"},
        {"{one: {inputs: {s: .inf}, outputs: {y: 'fp32[4]'}}}",
         "31: operators.one.inputs.s: tensor 's': '.inf'"},
        {"{one: {outputs: {y: 4}}}", "32: operators.one.outputs.y: tensor 'y': '4': there is no type '4'"},
        {"{one: {outputs: {y: [fp32]}}}", "32: operators.one.outputs.y: must be a text, not a list"},
        {"{one: {outputs: {y: 'fp32[4]'}, reference: ../r.c}}",
         "55: operators.one.reference: must be a path below the manifest's folder"},
        {"{one: {outputs: {y: 'fp32[4]'}, reference: 'r.py:'}}",
         "55: operators.one.reference: '' is no name of a function; write 'r.py:reference'"},
        {"{one: {outputs: {y: 'fp32[4]'}, reference: '../r.py:f'}}",
         "55: operators.one.reference: must be a path below the manifest's folder"},
        {"{one: {outputs: {y: 'fp32[4]'}, reference: r.py, reference_call: 'f(y)'}}",
         "77: operators.one.reference_call: has no effect here: a function in Python gets tensors"},
        {"{one: {outputs: {y: 'fp32[4]'}, where: 1 + 1}}",
         "18: operators.one: where: '1 + 1' compares nothing"},
        {"{one: {outputs: {y: 'fp32[4]'}, flops: n}}", "18: operators.one: 'n', column 1: there is no axis"},
        {"{one: {outputs: {y: 'fp32[4]'}}}\nkernels: {k: {operator: oen, source: k.c}}",
         "kernels.k.operator: is attention, gemm, scale or one, not 'oen', did you mean 'one'?"},
        {"{one: {outputs: {y: 'fp32[4]'}}}\nsuites: {s: {problems: {a: {problem: one/n4}}}}",
         "suites.s.problems.a"},
    };
    for (size_t i = 0; i < COUNT(rows); ++i) {
        struct manifest manifest;
        char text[512], place[512];
        snprintf(text, sizeof text, "version: 1\noperators: %s\n", rows[i].section);
        snprintf(place, sizeof place, "assay.yaml:2:%s", rows[i].said);
        const bool is_below = strchr(rows[i].section, '\n');
        assert_int_equal(made_manifest_parse(text, &manifest), -ERR_CONFIG);
        if (!strstr(made_manifest_error.text, is_below ? rows[i].said : place))
            fail_msg("%s: %s", rows[i].section, made_manifest_error.text);
    }
}

// ---- Python files, which an interpreter is asked of ----

static const char *answer; // in place of one

static int ask(const struct manifest_asker *asker, struct manifest *manifest,
               const struct declared *const *declared, size_t count, const char **ret_answers,
               struct err *err) {
    (void)asker, (void)err;
    assert_int_equal(count, 1);
    assert_string_equal(declared[0]->reference.source, "ops/one.py");
    ret_answers[0] = arena_strdup(&manifest->arena, answer);
    return 0;
}

#define FILE_MANIFEST "version: 1\noperators: {one: ops/one.py}\n"
static int file_parse(const char *given, const char *more, struct manifest *ret) {
    char text[512];
    answer = given;
    made_manifest_error = (struct err){0};
    snprintf(text, sizeof text, FILE_MANIFEST "%s", more);
    return manifest_parse(&(struct manifest_text){text, strlen(text), "assay.yaml"},
                          &(const struct manifest_asker){.ask = ask}, ret, &made_manifest_error);
}

#define ANSWERED                                                                                             \
    "\"axes\": {\"n\": 64}, \"inputs\": {\"x\": \"fp32[n]\", \"eps\": 1e-06}, \"outputs\": {\"y\": "         \
    "\"fp32[n]\"}"
static void test_python_file(void **state) {
    (void)state;
    struct manifest manifest;
    struct suite suite;
    struct arena arena = {0};
    static const char given[] =
        "{\"operator\": {" ANSWERED
        ", \"reference\": \"other.c\"}, \"suite\": {\"problems\": {\"n17\": \"one/n17\", "
        "\"n8.eps0.5\": \"one/n8/eps0.5\"}, \"tolerance\": {\"atol\": 0.1, \"why\": \"sums\"}}}";
    if (file_parse(given, "suites: {few: {from: one, only: [n17]}}", &manifest) < 0)
        fail_msg("%s", made_manifest_error.text);
    const struct declared *declared = declared_of(operator_find(&manifest.operators, "one"));
    assert_int_equal(declared->scalar_count, 1);
    assert_string_equal(declared->reference.source, "ops/one.py");
    static const char *const suites[] = {"one", "few", "one_boundary"};
    for (size_t i = 0; i < COUNT(suites); ++i) {
        assert_int_equal(suite_resolve(&manifest, suites[i], NULL, &arena, &suite, NULL), 0);
        assert_true(i == 0 ? suite.item_count == 2 : i == 1 ? suite.item_count == 1 : suite.item_count > 50);
        assert_string_equal(suite.items[0].tolerance->why, "sums");
    }
    assert_int_equal(suite_of_problems(&manifest.operators, "one/n5", &arena, &suite, NULL), 0);
    assert_string_equal(suite.items[0].tolerance->why, "sums");
    manifest_fini(&manifest);
    // A suite of the manifest's own takes the place of the file's.
    assert_int_equal(file_parse(given, "suites: {one: {problems: {a: one/n3}}}", &manifest), 0);
    assert_int_equal(suite_resolve(&manifest, "one", NULL, &arena, &suite, NULL), 0);
    assert_int_equal(suite.item_count, 1);
    manifest_fini(&manifest);
    arena_fini(&arena);
}

static void test_python_answers(void **state) {
    (void)state;
    static const struct {
        const char *answer, *said;
    } rows[] = {
        {"{\"error\": \"inputs raises\"}", "ops/one.py: inputs raises"},
        {"{}", "ops/one.py: what it declares was not understood"},
        {"{\"operator\": 3}", "ops/one.py: must be a mapping"},
        {"{\"operator\": {" ANSWERED ", \"more\": 1}}", "ops/one.py: more: unknown key"},
        {"{\"operator\": {\"inputs\": {\"x\": \"fp32[n]\"}, \"outputs\": {\"y\": \"fp32[]\"}}}",
         "ops/one.py: inputs.x: tensor 'x': 'n', column 1: there is no axis"},
        {"{\"operator\": {" ANSWERED "}, \"suite\": {\"problems\": {\"a\": \"gemm/m3\"}}}",
         "ops/one.py: problems.a: "},
        {"{\"operator\": {" ANSWERED "}, \"suite\": {\"tolerance\": {\"atol\": 1}}}",
         "ops/one.py: tolerance: needs a reason"},
        {"{\"operator\": &a {\"axes\": *a}}", "ops/one.py"},
        {"{\"operator\": {\"axes\"", "ops/one.py"},
        {"[1]", "ops/one.py"},
        {"", "ops/one.py"},
    };
    for (size_t i = 0; i < COUNT(rows); ++i) {
        struct manifest manifest;
        assert_int_equal(file_parse(rows[i].answer, "", &manifest), -ERR_CONFIG);
        if (!str_starts(made_manifest_error.text, rows[i].said))
            fail_msg("%s: %s", rows[i].answer, made_manifest_error.text);
    }
    made_manifest_refuse(FILE_MANIFEST, "assay.yaml:2:18: operators.one: is a Python file");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_read),           cmocka_unit_test(test_python_reference),
        cmocka_unit_test(test_documents),      cmocka_unit_test(test_wrong_documents),
        cmocka_unit_test(test_mistakes),       cmocka_unit_test(test_python_file),
        cmocka_unit_test(test_python_answers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
