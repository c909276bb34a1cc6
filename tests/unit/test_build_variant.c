// SPDX-License-Identifier: Apache-2.0
//
// Compiling kernels: what the cache holds and when it answers, equal code from different text, refusals,
// several builders at once, a builder that is killed.
#include <signal.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "base/interrupt.h"
#include "unit/test_build_support.h"

static void test_first_and_second(void **state) {
    struct scene *scene = *state;
    scene_write(scene, "kernels/mine.c", kernel_source(scene, "", "x * SCALE"));
    struct manifest_kernel kernel = source_kernel("kernels/mine.c");
    struct manifest_setting config[] = {{"SCALE", 3}, {"BLOCK", 1}};
    kernel.config = config;
    kernel.config_count = 2;
    const struct variant first = scene_build(scene, &kernel), second = scene_build(scene, &kernel);
    assert_false(first.report.is_cached);
    assert_true(second.report.is_cached);
    assert_string_equal(first.module_path, second.module_path);
    assert_string_equal(first.config, "BLOCK=1,SCALE=3");
    assert_true(first.cache_key == second.cache_key && first.cache_key != 0);
    assert_true(file_exists(first.module_path) && first.module_path[0] == '/');
    assert_non_null(strstr(first.report.compiler, "."));
    assert_non_null(strstr(first.report.flags, "-O3"));
    assert_non_null(strstr(first.report.flags, "-DSCALE=3"));
    assert_null(strstr(first.report.flags, "fast-math"));
    assert_true(first.report.code_bytes > 0 && first.report.stack_bytes_max >= 0 && first.report.build_s > 0);
    assert_int_equal(first.report.registers, -1);
    assert_int_equal(strlen(first.report.code_hash), 64);
    assert_string_equal(first.report.code_hash, second.report.code_hash);
    assert_string_equal(first.report.module_hash, second.report.module_hash);
    assert_false(first.has_unique_symbols);
    struct variant other;
    assert_int_equal(scene_build_in(scene, &kernel, scene->dir, "SCALE=5", &other), 0);
    assert_string_equal(other.config, "BLOCK=1,SCALE=5");
    assert_string_not_equal(other.report.code_hash, first.report.code_hash);
    // Nothing but entries is left behind.
    assert_string_equal(scene_shell(scene, "ls .cache/assay/tmp | wc -l"), "0\n");
    assert_string_equal(scene_shell(scene, "ls .cache/assay/modules/*/ | grep -c ."),
                        "6\n"); // two names, two files each
}

static void test_same_code(void **state) {
    struct scene *scene = *state;
    struct manifest_kernel kernel = source_kernel("kernels/mine.c");
    scene_write(scene, "kernels/mine.c", kernel_source(scene, "", "x * 3.0f + 1.0f"));
    const struct variant before = scene_build(scene, &kernel);
    scene_write(
        scene, "kernels/mine.c",
        kernel_source(scene, "// a comment\n/* and\n one more */\n#define UNUSED 1", "x * 3.0f + 1.0f"));
    const struct variant commented = scene_build(scene, &kernel);
    assert_string_equal(commented.report.code_hash, before.report.code_hash);
    scene_write(scene, "kernels/mine.c", kernel_source(scene, "", "x * 3.0f + 1.0f + x * x"));
    const struct variant more = scene_build(scene, &kernel);
    assert_string_not_equal(more.report.code_hash, before.report.code_hash);
    // Another folder, with an assertion that names its file: the same bytes, so the same entry.
    const char *with_file = kernel_source(scene, "#include <assert.h>\nstatic void f(int x) { assert(x); }",
                                          "(f((int)x), x * 2)");
    scene_write(scene, "kernels/mine.c", with_file);
    scene_write(scene, "other place/kernels/mine.c", with_file);
    const struct variant here = scene_build(scene, &kernel);
    char *dir = path_join(scene->dir, "other place");
    struct variant there;
    assert_int_equal(scene_build_in(scene, &kernel, dir, NULL, &there), 0);
    assert_true(there.report.is_cached);
    assert_string_equal(there.module_path, here.module_path);
    free(dir);
}

static void test_pointer_tables(void **state) {
    struct scene *scene = *state;
    struct manifest_kernel kernel = source_kernel("kernels/mine.c");
    const char *format = "#include <math.h>\nstatic float f(float x) { return x + 1; }\nstatic float g(float "
                         "x) { return x - 1; }\n"
                         "static float (*const volatile table[2])(float) = {%s};";
    scene_write(scene, "kernels/mine.c",
                kernel_source(scene, arena_format(&scene->arena, format, "f, g"), "table[i & 1](x)"));
    const struct variant one = scene_build(scene, &kernel);
    scene_write(scene, "kernels/mine.c",
                kernel_source(scene, arena_format(&scene->arena, format, "g, f"), "table[i & 1](x)"));
    const struct variant two = scene_build(scene, &kernel);
    assert_string_not_equal(one.report.code_hash, two.report.code_hash);
}

static void test_headers_count(void **state) {
    struct scene *scene = *state;
    struct manifest_kernel kernel = source_kernel("kernels/mine.c");
    scene_write(scene, "kernels/common/scale.h", "#define SCALE 3\n");
    scene_write(scene, "kernels/mine.c", kernel_source(scene, "#include \"common/scale.h\"", "x * SCALE"));
    const struct variant before = scene_build(scene, &kernel);
    scene_write(scene, "kernels/common/scale.h", "#define SCALE 4\n");
    const struct variant after = scene_build(scene, &kernel);
    assert_false(after.report.is_cached);
    assert_string_not_equal(before.report.code_hash, after.report.code_hash);
}

// Debug information and sanitizers name source lines, which comments and blank lines move.
static void test_lines_count(void **state) {
    struct scene *scene = *state;
    static const char *const kept[] = {"-g", "-ggdb3", "-fsanitize=undefined"}, *const not_kept[] = {"-g0",
                                                                                                     "-Wall"};
    const char *flag[1];
    struct manifest_kernel kernel = source_kernel("kernels/mine.c");
    kernel.flags = flag;
    kernel.flag_count = 1;
    const char *source = kernel_source(scene, "#include \"common/scale.h\"", "x * SCALE");
    for (size_t i = 0; i < sizeof kept / sizeof *kept; ++i) {
        flag[0] = kept[i];
        scene_write(scene, "kernels/common/scale.h", "#define SCALE 3\n");
        scene_write(scene, "kernels/mine.c", source);
        const struct variant before = scene_build(scene, &kernel), again = scene_build(scene, &kernel);
        assert_true(again.report.is_cached);
        scene_write(scene, "kernels/mine.c", arena_format(&scene->arena, "\n\n// a comment\n%s", source));
        assert_false(scene_build(scene, &kernel).report.is_cached);
        scene_write(scene, "kernels/common/scale.h", "\n#define SCALE 3\n");
        assert_false(scene_build(scene, &kernel).report.is_cached);
        scene_write(scene, "kernels/common/scale.h", "#define SCALE 3\n");
        scene_write(scene, "kernels/mine.c", source);
        const struct variant back = scene_build(scene, &kernel);
        assert_true(back.report.is_cached);
        assert_string_equal(back.module_path, before.module_path);
    }
    for (size_t i = 0; i < sizeof not_kept / sizeof *not_kept; ++i) {
        flag[0] = not_kept[i];
        scene_write(scene, "kernels/mine.c", source);
        scene_build(scene, &kernel);
        scene_write(scene, "kernels/mine.c", arena_format(&scene->arena, "\n\n// a comment\n%s", source));
        assert_true(scene_build(scene, &kernel).report.is_cached);
    }
}

static void test_torn_entry(void **state) {
    struct scene *scene = *state;
    struct manifest_kernel kernel = source_kernel("kernels/mine.c");
    scene_write(scene, "kernels/mine.c", kernel_source(scene, "", "x * 7"));
    const struct variant before = scene_build(scene, &kernel);
    scene_shell(scene, "truncate -s 100 .cache/assay/modules/*/module.so");
    struct variant after = scene_build(scene, &kernel);
    assert_false(after.report.is_cached);
    assert_string_equal(after.report.module_hash, before.report.module_hash);
    scene_shell(scene, "truncate -s 10 .cache/assay/modules/*/report.json");
    after = scene_build(scene, &kernel);
    assert_false(after.report.is_cached);
    scene_shell(scene, "rm .cache/assay/modules/*/module.so");
    after = scene_build(scene, &kernel);
    assert_false(after.report.is_cached);
    assert_true(scene_build(scene, &kernel).report.is_cached);
}

// What the compiler leaves beside its output: links there are not followed, and nothing of it gets into the
// cache.
static void test_planted_links(void **state) {
    struct scene *scene = *state;
    struct manifest_kernel kernel = source_kernel("kernels/mine.c");
    struct variant variant;
    const char *path = arena_strdup(&scene->arena, getenv("PATH"));
    scene_write(scene, "bin/gcc",
                "#!/bin/sh\n"
                "for word; do [ \"$last\" = -o ] && out=$word; last=$word; done\n"
                "if [ \"$out\" ]; then\n"
                "    touch \"${out%/*}/leftover\"\n"
                "    for name in done inputs report.json; do ln -sf \"$VICTIM\" \"${out%/*}/$name\"; done\n"
                "fi\n"
                "PATH=$REAL_PATH gcc \"$@\" || exit\n"
                "[ -z \"$LINKED\" ] || [ -z \"$out\" ] || ln -sf \"$LINKED\" \"$out\"\n");
    scene_write(scene, "victim", "as it was\n");
    scene_shell(scene, "chmod +x bin/gcc");
    setenv("REAL_PATH", path, 1);
    setenv("VICTIM", arena_format(&scene->arena, "%s/victim", scene->dir), 1);
    setenv("PATH", arena_format(&scene->arena, "%s/bin:%s", scene->dir, path), 1);
    scene_write(scene, "kernels/mine.c", kernel_source(scene, "", "x * 20"));
    const struct variant built = scene_build(scene, &kernel);
    assert_string_equal(scene_shell(scene, "cat victim"), "as it was\n");
    assert_string_equal(scene_shell(scene, "ls .cache/assay/modules/*"), "module.so\nreport.json\n");
    setenv("LINKED", built.module_path, 1); // a module, but somebody else's
    scene_write(scene, "kernels/mine.c", kernel_source(scene, "", "x * 21"));
    assert_int_equal(scene_build_in(scene, &kernel, scene->dir, NULL, &variant), -ERR_BUILD);
    unsetenv("LINKED");
    setenv("PATH", path, 1);
}

static void test_refusals(void **state) {
    struct scene *scene = *state;
    struct variant variant;
    struct manifest_kernel kernel = source_kernel("kernels/mine.c");
    assert_int_equal(scene_build_in(scene, &kernel, scene->dir, NULL, &variant), -ERR_NO_INPUT);
    scene_write(scene, "kernels/mine.c", kernel_source(scene, "", "x * no_such_name"));
    assert_int_equal(scene_build_in(scene, &kernel, scene->dir, NULL, &variant), -ERR_BUILD);
    assert_non_null(strstr(scene->err.text, "kernel 'mine' does not build"));
    assert_non_null(strstr(scene->err.text, "no_such_name"));
    scene_write(scene, "kernels/mine.c", "#include <no/such/header.h>\n");
    assert_int_equal(scene_build_in(scene, &kernel, scene->dir, NULL, &variant), -ERR_BUILD);
    assert_non_null(strstr(scene->err.text, "no/such/header.h"));
    scene_write(scene, "kernels/mine.c", kernel_source(scene, "float missing(float);", "missing(x)"));
    assert_int_equal(scene_build_in(scene, &kernel, scene->dir, NULL, &variant), -ERR_BUILD);
    assert_non_null(strstr(scene->err.text, "missing"));
    kernel.source = "kernels/mine.rs";
    scene_write(scene, kernel.source, "");
    assert_int_equal(scene_build_in(scene, &kernel, scene->dir, NULL, &variant), -ERR_CONFIG);
    char *path = mem_strdup(getenv("PATH"));
    kernel.source = "kernels/mine.c";
    setenv("PATH", "/nowhere", 1);
    assert_int_equal(scene_build_in(scene, &kernel, scene->dir, NULL, &variant), -ERR_UNAVAILABLE);
    setenv("PATH", path, 1);
    free(path);
}

// A source lies below the manifest's folder wherever links lead, and is an ordinary file.
static void links_do_not_lead_out(void **state) {
    struct scene *scene = *state;
    struct variant variant;
    struct manifest_kernel kernel = source_kernel("below/mine.c");
    scene_write(scene, "kernels/mine.c", kernel_source(scene, "", "x * 3"));
    scene_write(scene, "other/mine.c", kernel_source(scene, "", "x * 3"));
    scene_shell(scene, "ln -s kernels below; ln -s . self; cd kernels; mkfifo pipe.c; ln -s loop.c loop.c; "
                       "ln -s ../other/mine.c link.c");
    char *self = path_join(scene->dir, "self"); // the folder itself may be reached through a link
    assert_int_equal(scene_build_in(scene, &kernel, self, NULL, &variant), 0);
    free(self);
    kernel.source = "kernels/link.c";
    assert_int_equal(scene_build_in(scene, &kernel, scene->dir, NULL, &variant), 0);
    kernel.source = "link.c"; // of a manifest in kernels/
    const char *dir = arena_format(&scene->arena, "%s/kernels", scene->dir);
    assert_int_equal(scene_build_in(scene, &kernel, dir, NULL, &variant), -ERR_CONFIG);
    assert_non_null(strstr(scene->err.text, "must be a path below the manifest's folder"));
    assert_non_null(strstr(scene->err.text, "/other/mine.c"));
    kernel.source = "kernels/pipe.c";
    assert_int_equal(scene_build_in(scene, &kernel, scene->dir, NULL, &variant), -ERR_NO_INPUT);
    assert_non_null(strstr(scene->err.text, "it is a pipe"));
    kernel.source = "kernels/loop.c";
    assert_int_equal(scene_build_in(scene, &kernel, scene->dir, NULL, &variant), -ERR_NO_INPUT);
    assert_non_null(strstr(scene->err.text, "symbolic links"));
}

static void test_without_ninja(void **state) {
    struct scene *scene = *state;
    struct variant variant;
    const struct manifest_kernel kernel = source_kernel("kernels/mine.c");
    scene_write(scene, "kernels/mine.c", kernel_source(scene, "", "x * 3"));
    scene_shell(scene, "mkdir bin && for p in env sh gcc as ld mv; do ln -s $(command -v $p) bin/$p; done");
    char *path = mem_strdup(getenv("PATH")), *bin = path_join(scene->dir, "bin");
    setenv("PATH", bin, 1);
    const int result = scene_build_in(scene, &kernel, scene->dir, NULL, &variant);
    setenv("PATH", path, 1);
    assert_int_equal(result, -ERR_UNAVAILABLE);
    assert_non_null(strstr(scene->err.text, "install ninja-build"));
    assert_int_equal(scene_build_in(scene, &kernel, scene->dir, NULL, &variant), 0);
    free(path);
    free(bin);
}

static void test_several_at_once(void **state) {
    struct scene *scene = *state;
    const char *names[] = {"kernels/a.c", "kernels/b.c", "kernels/a.c"};
    struct manifest_kernel kernels[3];
    struct variant_request requests[3];
    struct variant variants[3];
    scene_write(scene, "kernels/a.c", kernel_source(scene, "", "x * 3"));
    scene_write(scene, "kernels/b.c", kernel_source(scene, "", "x * no_such_name"));
    for (int i = 0; i < 3; ++i) {
        kernels[i] = source_kernel(names[i]);
        requests[i] = (struct variant_request){.kernel = &kernels[i], .dir = scene->dir, .is_verbose = true};
    }
    kernels[1].name = "broken";
    assert_int_equal(variant_build(requests, 3, &scene->arena, variants, &scene->err), -ERR_BUILD);
    assert_non_null(strstr(scene->err.text, "kernel 'broken'"));
    scene_write(scene, "kernels/b.c", kernel_source(scene, "", "x * 4"));
    assert_int_equal(variant_build(requests, 3, &scene->arena, variants, &scene->err), 0);
    assert_true(variants[0].report.is_cached); // the sound one of the failed batch was kept
    assert_string_equal(variants[0].module_path, variants[2].module_path);
    assert_string_not_equal(variants[0].module_path, variants[1].module_path);
    assert_non_null(strstr(variants[1].report.log_tail, "-c 'kernels/b.c'"));
}

// A dispatch table that a kernel includes where it is there: its coming and going make other modules,
// whatever ccache remembers of the source.
static void test_a_table_that_comes_and_goes(void **state) {
    struct scene *scene = *state;
    const struct manifest_kernel kernel = source_kernel("kernels/mine.c");
    scene_write(scene, "kernels/mine.c",
                kernel_source(scene,
                              "#if __has_include(\"mine_table.h\")\n#include \"mine_table.h\"\n#else\n"
                              "#define FACTOR 3\n#endif",
                              "x * FACTOR"));
    const struct variant without = scene_build(scene, &kernel);
    scene_write(scene, "kernels/mine_table.h", "#define FACTOR 77\n");
    const struct variant with = scene_build(scene, &kernel);
    assert_string_not_equal(without.report.code_hash, with.report.code_hash);
    scene_write(scene, "kernels/mine_table.h", "#define FACTOR 78\n");
    const struct variant other = scene_build(scene, &kernel);
    assert_string_not_equal(with.report.code_hash, other.report.code_hash);
    scene_shell(scene, "rm kernels/mine_table.h");
    assert_string_equal(scene_build(scene, &kernel).module_path, without.module_path);
}

// What fails before it is compiled, by its first line or its configuration, keeps nobody else from that.
static void test_the_others_of_a_failure(void **state) {
    struct scene *scene = *state;
    const char *names[] = {"kernels/odd.c", "kernels/a.c", "kernels/gone.c", "kernels/b.c"};
    const struct manifest_kernel kernels[] = {source_kernel(names[0]), source_kernel(names[1]),
                                              source_kernel(names[2]), source_kernel(names[3])};
    struct variant_request requests[4];
    struct variant variants[4];
    scene_write(scene, "kernels/odd.c", kernel_source(scene, "#error no such tile", "x * 5"));
    scene_write(scene, "kernels/a.c", kernel_source(scene, "", "x * 6"));
    scene_write(scene, "kernels/b.c", kernel_source(scene, "", "x * 7"));
    for (int i = 0; i < 4; ++i)
        requests[i] = (struct variant_request){.kernel = &kernels[i], .dir = scene->dir};
    assert_int_equal(variant_build(requests, 4, &scene->arena, variants, &scene->err), -ERR_BUILD);
    assert_non_null(strstr(scene->err.text, "no such tile")); // the first failure, not the missing file
    for (int i = 1; i < 4; i += 2) {
        assert_int_equal(variant_build(&requests[i], 1, &scene->arena, variants, &scene->err), 0);
        assert_true(variants[0].report.is_cached);
    }
}

// Ctrl-C after a failure: the code and the text are of what was interrupted. In a process of its own, since
// the flag stays.
static void test_interrupted_after_a_failure(void **state) {
    struct scene *scene = *state;
    struct manifest_kernel kernels[] = {source_kernel("kernels/gone.c"), source_kernel("kernels/a.c")};
    struct variant_request requests[2];
    struct variant variants[2];
    scene_write(scene, "kernels/a.c", kernel_source(scene, "", "x * 8"));
    for (int i = 0; i < 2; ++i)
        requests[i] = (struct variant_request){.kernel = &kernels[i], .dir = scene->dir};
    pid_t child = fork();
    if (child == 0) {
        interrupt_catch();
        raise(SIGINT);
        const int code = variant_build(requests, 2, &scene->arena, variants, &scene->err);
        _exit(code == -ERR_CANCELLED && scene->err.code == ERR_CANCELLED ? 0 : 1);
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static void test_fast_math_and_flags(void **state) {
    struct scene *scene = *state;
    const char *flags[] = {"-DFACTOR=(2 * 3)", "-Wno-unused"};
    struct manifest_kernel kernel = source_kernel("kernels/mine.c");
    kernel.flags = flags;
    kernel.flag_count = 2;
    kernel.is_fast_math = true;
    scene_write(scene, "kernels/mine.c",
                kernel_source(scene, "#ifndef __FAST_MATH__\n#error slow\n#endif", "x * FACTOR"));
    const struct variant variant = scene_build(scene, &kernel);
    assert_non_null(strstr(variant.report.flags, "-ffast-math -DFACTOR=(2 * 3)"));
}

// Child: builds, exits 0 when the module is sound.
static pid_t builder_start(struct scene *scene, const struct manifest_kernel *kernel) {
    pid_t child = fork();
    if (child == 0) {
        struct variant variant;
        char hex[SHA256_HEX_BYTES];
        int result = scene_build_in(scene, kernel, scene->dir, NULL, &variant);
        if (result == 0) result = code_hash_file(variant.module_path, hex, NULL, &scene->err);
        if (result < 0) fprintf(stderr, "%s\n", scene->err.text);
        _exit(result == 0 && strcmp(hex, variant.report.code_hash) == 0 ? 0 : 1);
    }
    return child;
}

static void test_builders_at_once(void **state) {
    struct scene *scene = *state;
    struct manifest_kernel kernel = source_kernel("kernels/mine.c");
    scene_write(scene, "kernels/mine.c", kernel_source(scene, "", "x * 11"));
    pid_t children[4];
    for (int i = 0; i < 4; ++i) children[i] = builder_start(scene, &kernel);
    for (int i = 0; i < 4; ++i) {
        int status = -1;
        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_int_equal(status, 0);
    }
    assert_string_equal(scene_shell(scene, "ls .cache/assay/modules | wc -l"), "1\n");
    assert_true(scene_build(scene, &kernel).report.is_cached);
}

static void test_killed_builder(void **state) {
    struct scene *scene = *state;
    struct manifest_kernel kernel = source_kernel("kernels/mine.c");
    for (int i = 0; i < 8; ++i) {
        scene_write(scene, "kernels/mine.c",
                    kernel_source(scene, "", arena_format(&scene->arena, "x * %d", 100 + i)));
        pid_t child = builder_start(scene, &kernel);
        clock_sleep_ns((uint64_t)(10 + 40 * i) * 1000000);
        kill(child, SIGKILL);
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        const struct variant variant = scene_build(scene, &kernel);
        char hex[SHA256_HEX_BYTES];
        assert_int_equal(code_hash_file(variant.module_path, hex, NULL, &scene->err), 0);
        assert_string_equal(hex, variant.report.code_hash);
    }
}

static void test_unique_symbols(void **state) {
    struct scene *scene = *state;
    const char *text =
        kernel_source(scene,
                      "template <class T> int *counter() { static int value = 1; return &value; }\n"
                      "__attribute__((visibility(\"default\"))) int *touch() { return counter<int>(); }",
                      "x * *touch()");
    scene_write(scene, "kernels/mine.cc", text);
    struct manifest_kernel kernel = source_kernel("kernels/mine.cc");
    assert_false(scene_build(scene, &kernel).has_unique_symbols);
    scene_shell(scene, "g++ -shared -fPIC -O1 -I" ASSAY_SOURCE_DIR "/include kernels/mine.cc -o unique.so");
    const struct manifest_kernel library = {
        .name = "lib", .op = "attention", .backend = "cpu", .library = "unique.so"};
    assert_true(scene_build(scene, &library).has_unique_symbols);
}

static void test_config_text(void **state) {
    struct scene *scene = *state;
    struct manifest_setting *settings;
    size_t count = 0;
    assert_int_equal(config_parse(" B=2, A = -1", &scene->arena, &settings, &count, &scene->err), 0);
    assert_int_equal(count, 2);
    assert_string_equal(config_format(settings, count, &scene->arena), "A=-1,B=2");
    assert_null(config_format(settings, 0, &scene->arena));
    const char *bad[] = {"", "A", "A=", "A=x", "=3", "A=1,", "A=1,A=2", "A B=1", "A=1.5"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        assert_int_equal(config_parse(bad[i], &scene->arena, &settings, &count, &scene->err), -ERR_USAGE);
    }
}

int main(void) {
#define SCENE(test) cmocka_unit_test_setup_teardown(test, scene_setup, scene_teardown)
    const struct CMUnitTest tests[] = {
        SCENE(test_first_and_second),
        SCENE(test_same_code),
        SCENE(test_pointer_tables),
        SCENE(test_headers_count),
        SCENE(test_lines_count),
        SCENE(test_torn_entry),
        SCENE(test_refusals),
        SCENE(test_a_table_that_comes_and_goes),
        SCENE(test_several_at_once),
        SCENE(test_the_others_of_a_failure),
        SCENE(test_interrupted_after_a_failure),
        SCENE(test_without_ninja),
        SCENE(test_fast_math_and_flags),
        SCENE(test_builders_at_once),
        SCENE(test_killed_builder),
        SCENE(test_unique_symbols),
        SCENE(test_config_text),
        SCENE(links_do_not_lead_out),
        SCENE(test_planted_links),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
