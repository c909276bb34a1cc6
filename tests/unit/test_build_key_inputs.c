// SPDX-License-Identifier: Apache-2.0
//
// Changes that a cache could overlook, so that another module of before would be taken for the one of now:
// bytes that preprocessing hides, files that the assembler or the linker reads.
#include "control/compile/variant_internal.h"
#include "unit/test_build_support.h"

static const char *hash_of(struct scene *scene, const struct manifest_kernel *kernel) {
    return scene_build(scene, kernel).report.code_hash;
}

static void test_text(void **state) {
    (void)state;
    const struct {
        const char *a, *b;
        size_t a_length, b_length;
        bool is_equal;
    } pairs[] = {
        {"a\nb\n", "\na\n\n\nb\n\n", 4, 8, true},
        {"a\nb\n", "a\nc\n", 4, 4, false},
        {"a\nb", "a\nb\n", 3, 4, false},
        {"\"x\0one\"\n", "\"x\0two\"\n", 8, 8, false}, // behind a zero
        {"R\"(a\nb)\"\n", "R\"(a\n\nb)\"\n", 9, 10, false},
        {"", "\n\n", 0, 2, true},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; ++i) {
        char a[SHA256_HEX_BYTES], b[SHA256_HEX_BYTES];
        struct sha256 sha_a = sha256_make(), sha_b = sha256_make();
        key_text_add(pairs[i].a, pairs[i].a_length, &sha_a);
        key_text_add(pairs[i].b, pairs[i].b_length, &sha_b);
        sha256_hex(sha_a, a);
        sha256_hex(sha_b, b);
        if (str_equal(a, b) != pairs[i].is_equal) fail_msg("pair %zu", i);
    }
    assert_true(key_text_reads_files("asm(\".incbin \\\"x\\\"\")", 20));
    assert_true(key_text_reads_files(".include", 8));
    assert_false(key_text_reads_files("#include", 8));
    assert_false(key_text_reads_files("", 0));
}

// A constant that differs behind a zero byte, or in the blank lines of a raw string.
static void test_hidden_bytes(void **state) {
    struct scene *scene = *state;
    const struct manifest_kernel kernel = source_kernel("mine.c");
    const char *text = kernel_source(scene, "static const volatile char text[] = \"x@1\";", "x * text[2]");
    char *with_zero = mem_strdup(text), *at = strchr(with_zero, '@'), *path = path_join(scene->dir, "mine.c");
    const char *hashes[2];
    for (int i = 0; i < 2; ++i) {
        at[0] = 0;
        at[1] = (char)('1' + i);
        assert_int_equal(file_write_atomic(path, with_zero, strlen(text), &scene->err), 0);
        hashes[i] = hash_of(scene, &kernel);
    }
    free(with_zero);
    free(path);
    assert_string_not_equal(hashes[0], hashes[1]);
    for (int i = 0; i < 2; ++i) {
        scene_write(scene, "mine.c",
                    kernel_source(scene,
                                  i ? "static const volatile char text[] = R\"(a\n\nb)\";"
                                    : "static const volatile char text[] = R\"(a\nb)\";",
                                  "x * sizeof text"));
        hashes[i] = hash_of(scene, &kernel);
    }
    assert_string_not_equal(hashes[0], hashes[1]);
}

static void test_assembler_reads(void **state) {
    struct scene *scene = *state;
    const struct manifest_kernel kernel = source_kernel("mine.c");
    scene_write(scene, "mine.c",
                kernel_source(scene,
                              "__asm__(\".section .rodata\\ntable: .incbin \\\"table.bin\\\"\\n.text\");\n"
                              "extern const volatile char table[] __attribute__((visibility(\"hidden\")));",
                              "x * table[0]"));
    scene_write(scene, "table.bin", "1");
    const char *first = hash_of(scene, &kernel);
    scene_write(scene, "table.bin", "2");
    assert_string_not_equal(hash_of(scene, &kernel), first);
    scene_write(scene, "table.bin", "1");
    const struct variant again = scene_build(scene, &kernel);
    assert_string_equal(again.report.code_hash, first);
    assert_false(again.report.is_cached || again.report.is_from_ccache);
}

static void test_flags_name_files(void **state) {
    struct scene *scene = *state;
    const char *object[] = {"helper.o"}, *folder[] = {"-Wl,-Bsymbolic", "-Llib", "-lhelper"},
               *script[] = {"-Wl,--defsym=unused=1", "-Wl,@more.txt"}, *missing[] = {"-DA=no/such/file.o"};
    const struct {
        const char **flags;
        size_t count;
        const char *change; // shell, with N for what the helper returns
        bool is_found;      // when nothing changes, the cache has it
    } cases[] = {
        {object, 1, "gcc -c -fPIC -O2 -DRESULT=$N helper.c -o helper.o", true},
        {folder, 3,
         "mkdir -p lib && gcc -c -fPIC -O2 -DRESULT=$N helper.c -o lib/h.o && rm -f lib/libhelper.a && "
         "ar rc lib/libhelper.a lib/h.o",
         false},
        {script, 2,
         "gcc -c -fPIC -O2 -DRESULT=$N helper.c -o h.o && (echo h.o; [ $N = 1 ] || echo -znow) "
         ">more.txt",
         true},
    };
    scene_write(scene, "helper.c", "float helper(void) { return RESULT; }\n");
    scene_write(scene, "mine.c", kernel_source(scene, "float helper(void);", "x * helper()"));
    struct manifest_kernel kernel = source_kernel("mine.c");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        const char *hashes[2];
        kernel.flags = cases[i].flags;
        kernel.flag_count = cases[i].count;
        for (int k = 0; k < 2; ++k) {
            scene_shell(scene, arena_format(&scene->arena, "N=%d; %s", k + 1, cases[i].change));
            hashes[k] = hash_of(scene, &kernel);
        }
        if (str_equal(hashes[0], hashes[1])) fail_msg("case %zu: an old module", i);
        assert_int_equal(scene_build(scene, &kernel).report.is_cached, cases[i].is_found);
    }
    kernel.flags = missing;
    kernel.flag_count = 1;
    scene_write(scene, "mine.c", kernel_source(scene, "", "x"));
    hash_of(scene, &kernel);
    assert_true(scene_build(scene, &kernel).report.is_cached);
}

int main(void) {
#define SCENE(test) cmocka_unit_test_setup_teardown(test, scene_setup, scene_teardown)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text),
        SCENE(test_hidden_bytes),
        SCENE(test_assembler_reads),
        SCENE(test_flags_name_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
