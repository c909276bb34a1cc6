// SPDX-License-Identifier: Apache-2.0
//
// Kernels that assay does not compile: the user's own build with its inputs, and ready libraries.
#include "control/compile/variant_internal.h"
#include "unit/test_build_support.h"

#define COMPILE "gcc -shared -fPIC -O2 -I$ASSAY_INCLUDE_DIR $ASSAY_DEFINES csrc/k.c -o out/k.so"

static struct manifest_kernel own_kernel(void) {
    static const char *inputs[] = {"csrc/**"};
    return (struct manifest_kernel){.name = "mine",
                                    .op = "attention",
                                    .backend = "cpu",
                                    .build_run = "echo ran >> runs.txt; mkdir -p out && " COMPILE,
                                    .build_output = "out/k.so",
                                    .build_inputs = inputs,
                                    .build_input_count = 1};
}

static void test_own_build(void **state) {
    struct scene *scene = *state;
    scene_write(scene, "csrc/k.c", kernel_source(scene, "", "x * 3"));
    struct manifest_kernel kernel = own_kernel();
    const struct variant first = scene_build(scene, &kernel), second = scene_build(scene, &kernel);
    assert_false(first.report.is_cached);
    assert_true(second.report.is_cached);
    assert_string_equal(scene_shell(scene, "wc -l < runs.txt"), "1\n");
    assert_string_equal(first.report.compiler, "own build");
    assert_non_null(strstr(first.module_path, ".cache/assay/modules/"));
    // What is built later does not change what was handed out.
    scene_write(scene, "csrc/k.c", kernel_source(scene, "", "x * 3 + x"));
    const struct variant third = scene_build(scene, &kernel);
    assert_string_not_equal(third.module_path, first.module_path);
    assert_string_not_equal(third.report.code_hash, first.report.code_hash);
    char hex[SHA256_HEX_BYTES];
    assert_int_equal(code_hash_file(first.module_path, hex, NULL, &scene->err), 0);
    assert_string_equal(hex, first.report.code_hash);
    // A comment: built again, the same code.
    scene_write(scene, "csrc/k.c", kernel_source(scene, "/* hello */", "x * 3 + x"));
    assert_string_equal(scene_build(scene, &kernel).report.code_hash, third.report.code_hash);
}

static void test_own_without_inputs(void **state) {
    struct scene *scene = *state;
    scene_write(scene, "csrc/k.c",
                kernel_source(scene, "#ifndef SCALE\n#define SCALE 1\n#endif", "x * SCALE"));
    struct manifest_kernel kernel = own_kernel();
    kernel.build_input_count = 0;
    scene_build(scene, &kernel);
    scene_build(scene, &kernel);
    assert_string_equal(scene_shell(scene, "wc -l < runs.txt"), "2\n");
    struct variant plain = scene_build(scene, &kernel), scaled;
    assert_int_equal(scene_build_in(scene, &kernel, scene->dir, "SCALE=5", &scaled), 0);
    assert_string_not_equal(plain.report.code_hash, scaled.report.code_hash);
}

static void test_own_failures(void **state) {
    struct scene *scene = *state;
    struct variant variant;
    struct manifest_kernel kernel = own_kernel();
    assert_int_equal(scene_build_in(scene, &kernel, scene->dir, NULL, &variant),
                     -ERR_CONFIG); // no inputs there
    scene_write(scene, "csrc/k.c", "int x;\n");
    kernel.build_run = "for i in $(seq 2000); do echo line $i; done; echo the last words >&2; exit 3";
    assert_int_equal(scene_build_in(scene, &kernel, scene->dir, NULL, &variant), -ERR_BUILD);
    assert_non_null(strstr(scene->err.text, "the last words"));
    assert_non_null(strstr(scene->err.text, "3"));
    kernel.build_run = "true";
    assert_int_equal(scene_build_in(scene, &kernel, scene->dir, NULL, &variant), -ERR_BUILD);
    assert_non_null(strstr(scene->err.text, "there is no 'out/k.so'"));
    kernel.build_run = "mkdir -p out; echo no library > out/k.so";
    assert_int_equal(scene_build_in(scene, &kernel, scene->dir, NULL, &variant), -ERR_DATA);
    assert_string_equal(scene_shell(scene, "ls .cache/assay/tmp 2>/dev/null | wc -l"), "0\n");
}

static void test_own_environment(void **state) {
    struct scene *scene = *state;
    scene_write(scene, "csrc/k.c", kernel_source(scene, "", "x"));
    struct manifest_kernel kernel = own_kernel();
    kernel.build_run =
        "test -z \"$GIT_DIR$GIT_INDEX_FILE\" && test \"$ASSAY_CONFIG\" = A=1 && mkdir -p out && " COMPILE;
    setenv("GIT_DIR", "/nowhere", 1);
    setenv("GIT_INDEX_FILE", "/nowhere/index", 1);
    struct variant variant;
    int result = scene_build_in(scene, &kernel, scene->dir, "A=1", &variant);
    unsetenv("GIT_DIR");
    unsetenv("GIT_INDEX_FILE");
    if (result < 0) fail_msg("%s", scene->err.text);
}

static void test_library(void **state) {
    struct scene *scene = *state;
    struct variant variant;
    struct manifest_kernel kernel = {
        .name = "lib", .op = "attention", .backend = "cpu", .library = "lib.so", .entry = "k"};
    assert_int_equal(scene_build_in(scene, &kernel, scene->dir, NULL, &variant), -ERR_NO_INPUT);
    scene_write(scene, "lib.so", "not a library");
    assert_int_equal(scene_build_in(scene, &kernel, scene->dir, NULL, &variant), -ERR_DATA);
    scene_write(scene, "lib.c", kernel_source(scene, "", "x * 3"));
    scene_shell(scene, "gcc -shared -fPIC -O2 -I" ASSAY_SOURCE_DIR "/include lib.c -o lib.so");
    const struct variant first = scene_build(scene, &kernel);
    assert_string_equal(first.kernel_name, "k");
    assert_non_null(strstr(first.module_path, ".cache/assay/modules/"));
    assert_null(first.report.compiler);
    assert_true(scene_build(scene, &kernel).report.is_cached);
    assert_int_equal(scene_build_in(scene, &kernel, scene->dir, "A=1", &variant), -ERR_USAGE);
    // One that needs its neighbours stays among them.
    scene_shell(scene,
                "gcc -shared -fPIC -O2 -I" ASSAY_SOURCE_DIR "/include lib.c -o lib.so -Wl,-rpath,'$ORIGIN'");
    const struct variant origin = scene_build(scene, &kernel);
    assert_string_equal(origin.module_path, arena_format(&scene->arena, "%s/lib.so", scene->dir));
    assert_null(origin.report.code_hash);
    assert_non_null(first.report.code_hash);
    assert_non_null(origin.report.module_hash);
}

static void test_patterns(void **state) {
    (void)state;
    assert_true(input_pattern_matches("csrc/**", "csrc/a.c"));
    assert_true(input_pattern_matches("csrc/**", "csrc/a/b/c.h"));
    assert_false(input_pattern_matches("csrc/**", "src/a.c"));
    assert_true(input_pattern_matches("**/*.c", "a.c"));
    assert_true(input_pattern_matches("**/*.c", "x/y/a.c"));
    assert_false(input_pattern_matches("*.c", "x/a.c"));
    assert_true(input_pattern_matches("a/**/b/*.c", "a/b/x.c"));
    assert_true(input_pattern_matches("a/**/b/*.c", "a/1/2/b/x.c"));
    assert_false(input_pattern_matches("a/**/b/*.c", "a/1/2/x.c"));
    assert_true(input_pattern_matches("Makefile", "Makefile"));
    assert_false(input_pattern_matches("Make", "Makefile"));
    assert_true(input_pattern_matches("x[0-9]?.c", "x1a.c"));
    assert_false(input_pattern_matches("", "a"));
}

int main(void) {
#define SCENE(test) cmocka_unit_test_setup_teardown(test, scene_setup, scene_teardown)
    const struct CMUnitTest tests[] = {
        SCENE(test_own_build),    SCENE(test_own_without_inputs),
        SCENE(test_own_failures), SCENE(test_own_environment),
        SCENE(test_library),      cmocka_unit_test(test_patterns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
