// SPDX-License-Identifier: Apache-2.0
//
// The key `call`: what is wrong in a signature, and the module that is made around a function.
#include "control/compile/call_shim.h"
#include "control/plan/call.h"
#include "op/declared/declared.h"
#include "unit/test_build_support.h"

static const struct declared_axis norm_axes[] = {{"rows", "4"}, {"hidden", "128"}};
static const struct declared_scalar norm_scalars[] = {{.name = "eps", .value = 1e-6}};
static const struct declared_tensor norm_tensors[] = {{"x", "bf16[rows, hidden]", ASSAY_IN},
                                                      {"weight", "bf16[hidden]", ASSAY_IN},
                                                      {"y", "bf16[rows, hidden]", ASSAY_OUT}};
static const struct declared norm = {.name = "rmsnorm",
                                     .axes = norm_axes,
                                     .axis_count = 2,
                                     .scalars = norm_scalars,
                                     .scalar_count = 1,
                                     .tensors = norm_tensors,
                                     .tensor_count = 3};

static int parse(struct scene *scene, const char *text, const char *backend, struct call *ret) {
    const struct operator_def *op;
    if (declared_make(&scene->arena, &norm, &op, &scene->err) < 0) fail_msg("%s", scene->err.text);
    return call_parse(text, op, backend, &scene->arena, ret, &scene->err);
}

static void test_parse(void **state) {
    struct scene *scene = *state;
    struct call call;
    assert_int_equal(parse(scene,
                           "int launch_rmsnorm(x, bf16 weight, y, int rows, int64_t hidden, float eps,\n"
                           " stride(x, 0), int stride(y, 1), x, stream)",
                           "cuda", &call),
                     0);
    assert_string_equal(call.function, "launch_rmsnorm");
    assert_true(call.has_status);
    assert_int_equal(call.argument_count, 10);
    assert_string_equal(call.arguments[4].name, "hidden");
    assert_string_equal(call.arguments[4].type->word, "int64");
    assert_int_equal(call.arguments[0].dtype, ASSAY_BF16);
    assert_int_equal(call.arguments[7].dim, 1);
    assert_int_equal(call.arguments[9].kind, CALL_STREAM);
    assert_int_equal(parse(scene, "void f(y,int threads)", "cpu", &call), 0);
    assert_int_equal(call.arguments[1].kind, CALL_THREADS);
    assert_int_equal(parse(scene, " void f ( y , threads ) ", "cpu", &call), 0);
    assert_false(call.has_status);
}

static void test_mistakes(void **state) {
    struct scene *scene = *state;
    static const struct {
        const char *text, *backend, *message;
    } cases[] = {
        {"", "cpu", "column 1: expected the function's name"},
        {"f", "cpu", "column 2: expected '('"},
        {"f x, y)", "cpu", "column 1: a function returns int, where 0 is success, or void, not 'f'"},
        {"f()", "cpu", "column 3: expected a tensor, a type and a number, or threads"},
        {"f(x, )", "cpu", "column 6: expected a tensor"},
        {"f(x, y", "cpu", "column 7: expected ',' or ')'"},
        {"f(x y)", "cpu", "column 3: 'x' is no type of a number"},
        {"f(x, y) z", "cpu", "column 9: nothing stands behind"},
        {"f(const float *x, y)", "cpu", "column 15: a tensor stands by its name alone"},
        {"f(float *x, y)", "cpu", "column 9: a tensor stands by its name alone"},
        {"f(x, int row, y)", "cpu", "column 10: rmsnorm has no axis or scalar 'row', did you mean 'rows'?"},
        {"f(x, wieght, y)", "cpu", "no tensor, axis or scalar 'wieght', did you mean 'weight'? there are"},
        {"f(x, flaot eps, y)", "cpu", "column 6: 'flaot' is no type of a number, did you mean 'float'?"},
        {"f(x, rows, y)", "cpu", "'rows' is a number: write its C type before it, such as 'int rows'"},
        {"f(int x, y)", "cpu", "'x' is a tensor, and its address is passed; write 'x' without a C type"},
        {"f(x, int eps, y)", "cpu", "'eps' is 1e-06, no whole number; write 'float eps'"},
        {"f(x, int rows)", "cpu", "result 'y' is not passed: nothing could write it"},
        {"f(fp32 x, y)", "cpu", "'x' is bf16, not fp32, as rmsnorm is declared"},
        {"f(x, y, stream)", "cpu", "there is a stream on cuda, not on cpu; 'threads' is an int"},
        {"f(x, y, threads)", "cuda", "there are threads on cpu, not on cuda"},
        {"f(y, stride(z, 0))", "cpu", "rmsnorm has no tensor 'z'"},
        {"f(y, stride(y, 2))", "cpu", "column 16: 'y' has 2 dimensions, and the first is 0"},
        {"f(y, stride(y))", "cpu", "the second is not here"},
        {"f(y, stride(y, 0)", "cpu", "column 18: expected ',' or ')'"},
        {"f(y, float stride(y, 0))", "cpu", "column 6: a stride is a whole number"},
        {"float f(x, y)", "cpu", "column 1: a function returns int"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        struct call call;
        assert_int_equal(parse(scene, cases[i].text, cases[i].backend, &call), -ERR_CONFIG);
        if (!strstr(scene->err.text, cases[i].message))
            fail_msg("'%s': expected '%s' in: %s", cases[i].text, cases[i].message, scene->err.text);
    }
    struct call call; // of a compiled operator a tensor may have several types
    const struct operator_def *scale = operator_find(&operators_compiled, "scale");
    assert_int_equal(call_parse("f(x, fp32 y)", scale, "cpu", &scene->arena, &call, &scene->err),
                     -ERR_CONFIG);
    assert_non_null(strstr(scene->err.text, "problems of scale have several element types"));
}

static void test_python(void **state) {
    struct scene *scene = *state;
    static const struct {
        const char *text, *message; // NULL: it is right
    } cases[] = {
        {"m:f", NULL},
        {"m:f(y, x, eps, rows, stream)", NULL},
        {"f( y )", NULL},
        {"f()", "column 3: rmsnorm has no tensor, axis or scalar ''; there are x"},
        {"f(x, row)",
         "column 6: rmsnorm has no tensor, axis or scalar 'row', did you mean 'rows'? there are x"},
        {"f(x, threads)", "column 6: rmsnorm has no tensor, axis or scalar 'threads'"},
        {"f(int rows)", "column 3: rmsnorm has no tensor, axis or scalar 'int'"},
        {"f(x rows)", "column 5: expected ',' or ')'"},
        {"f(x", "column 4: expected ',' or ')'"},
        {"f(x) y", "column 5: expected ',' or ')'"},
    };
    const struct operator_def *op;
    assert_int_equal(declared_make(&scene->arena, &norm, &op, &scene->err), 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        const char *message = cases[i].message;
        const int code = call_check_python(cases[i].text, op, &scene->arena, &scene->err);
        assert_int_equal(code, message ? -ERR_CONFIG : 0);
        if (message && !strstr(scene->err.text, message))
            fail_msg("'%s': expected '%s' in: %s", cases[i].text, message, scene->err.text);
    }
    op = operator_find(&operators_compiled, "attention"); // whose tensors its fields decide
    assert_int_equal(call_check_python("f(q, mask)", op, &scene->arena, &scene->err), 0);
}

static struct manifest_kernel norm_kernel(struct scene *scene, const char *text, const char *backend) {
    struct call *call = arena_alloc(&scene->arena, sizeof *call);
    if (parse(scene, text, backend, call) < 0) fail_msg("%s", scene->err.text);
    return (struct manifest_kernel){
        .name = "mine", .op = "rmsnorm", .backend = backend, .source = "norm.c", .call = call};
}

// Whatever is passed, compilers have nothing to say about the shim.
static void test_shim_is_clean(void **state) {
    struct scene *scene = *state;
    struct manifest_setting settings[] = {{"BLOCK", 4}, {"UNROLL", 2}};
    struct manifest_knob knob = {"BLOCK", 2, (int64_t[]){4, 8}};
    const struct manifest_tune tune = {.knob_count = 1, .knobs = &knob};
    static const char *const calls[][2] = {
        {"f(x, y, int rows, unsigned hidden, float eps, double eps, threads)", "cpu"},
        {"int f(y)", "cpu"},
        {"int f(x, weight, y, size_t rows, int32 rows, uint32 rows, uint64 rows, stride(x, 0), stream)",
         "cuda"}};
    for (size_t i = 0; i < 3; ++i) {
        struct manifest_kernel kernel = norm_kernel(scene, calls[i][0], calls[i][1]);
        kernel.tune = &tune;
        scene_write(scene, "call.c", call_shim_text(&kernel, settings, i, &scene->arena));
        scene_shell(scene, "for c in 'gcc -std=c99' 'gcc -std=c17' 'g++ -x c++ -std=c++17' 'clang -std=c17' "
                           "'clang++ -x c++ -std=c++17'; do command -v ${c%% *} >/dev/null || continue; "
                           "$c -Wall -Wextra -Wpedantic -Wconversion -Werror -O2 "
                           "-I$ASSAY_INCLUDE_DIR -c call.c -o call.o || exit 1; done");
    }
}

// From a source, from a library, from an own build: the function needs nothing of assay.
static void test_build(void **state) {
    struct scene *scene = *state;
    struct manifest_kernel kernel = norm_kernel(scene, "launch(x, weight, y, int rows)", "cpu");
    struct variant variant;
    scene_write(scene, "norm.c",
                "void launch(const void *x, const void *w, void *y, int n);\n"
                "void launch(const void *x, const void *w, void *y, int n) {\n"
                "    (void)x, (void)w, *(char *)y = (char)n;\n}\n");
    kernel.source = "norm.c";
    const struct variant first = scene_build(scene, &kernel);
    struct call *status = arena_alloc(&scene->arena, sizeof *status);
    *status = *kernel.call;
    status->has_status = true;
    kernel.call = status; // another shim is another module
    assert_string_not_equal(scene_build(scene, &kernel).report.code_hash, first.report.code_hash);
    kernel.source = NULL;
    kernel.library = "libnorm.so";
    scene_shell(scene, "gcc -shared -fPIC -O2 norm.c -o libnorm.so");
    const struct variant second = scene_build(scene, &kernel), third = scene_build(scene, &kernel);
    assert_string_equal(second.module_path, third.module_path);
    assert_true(third.report.is_cached);
    scene_shell(scene, "sed -i s/=\\ .char.n/=2/ norm.c; gcc -shared -fPIC -O2 norm.c -o libnorm.so");
    assert_string_not_equal(scene_build(scene, &kernel).report.code_hash, second.report.code_hash);
    kernel.library = NULL;
    kernel.build_run = "gcc -shared -fPIC -O2 norm.c -o libown.so";
    kernel.build_output = "libown.so";
    scene_build(scene, &kernel);
    status->function = "lunch";
    assert_int_equal(scene_build_in(scene, &kernel, scene->dir, NULL, &variant), -ERR_BUILD);
    assert_non_null(strstr(scene->err.text, "'libown.so' has no function 'lunch', which 'call' names"));
    kernel.build_run = NULL;
    kernel.source = "norm.c";
    assert_int_equal(scene_build_in(scene, &kernel, scene->dir, NULL, &variant), -ERR_BUILD);
    assert_non_null(strstr(scene->err.text, "where 'call' looks for its function"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_parse, scene_setup, scene_teardown),
        cmocka_unit_test_setup_teardown(test_mistakes, scene_setup, scene_teardown),
        cmocka_unit_test_setup_teardown(test_python, scene_setup, scene_teardown),
        cmocka_unit_test_setup_teardown(test_shim_is_clean, scene_setup, scene_teardown),
        cmocka_unit_test_setup_teardown(test_build, scene_setup, scene_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
