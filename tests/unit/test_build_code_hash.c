// SPDX-License-Identifier: Apache-2.0
//
// The ELF reader on files that lie: cut at every length, every header field overwritten, and the code hash on
// sound libraries that differ in what must and must not count.
#include "control/compile/elf_file.h"
#include "unit/test_build_support.h"

static void read_all(const void *bytes, size_t length) {
    struct elf_file elf;
    struct err err = {0};
    if (elf_file_parse(bytes, length, "x.so", &elf, &err) < 0) {
        assert_int_equal(err.code, ERR_DATA);
        return;
    }
    for (uint32_t i = 0; i < elf.section_count; ++i) {
        const Elf64_Shdr section = elf_section(&elf, i);
        (void)elf_section_name(&elf, &section);
    }
    (void)elf_has_unique_symbols(&elf);
    (void)elf_has_origin_path(&elf);
}

static void test_hostile(void **state) {
    struct scene *scene = *state;
    scene_write(scene, "a.c", "int f(int x) { return x; } int (*t[])(int) = {f};");
    scene_shell(scene, "gcc -shared -fPIC -nostdlib -s a.c -o a.so -Wl,-z,noseparate-code");
    char *path = path_join(scene->dir, "a.so"), *bytes;
    size_t length;
    assert_int_equal(file_read(path, 1 << 20, &bytes, &length, &scene->err), 0);
    free(path);
    for (size_t cut = 0; cut < length; cut += cut < 200 ? 1 : 37) {
        char *exact = malloc(cut ? cut : 1); // so that the sanitizer sees the end
        assert_non_null(exact);
        memcpy(exact, bytes, cut);
        read_all(exact, cut);
        free(exact);
    }
    const unsigned char values[] = {0x00, 0x01, 0x7f, 0x80, 0xff};
    for (size_t at = 0; at < length; ++at) {
        const char kept = bytes[at];
        for (size_t v = 0; v < sizeof values; ++v) {
            bytes[at] = (char)values[v];
            read_all(bytes, length);
        }
        bytes[at] = kept;
    }
    free(bytes);
}

static void hash_of(struct scene *scene, const char *flags, const char *source, char ret_hex[33],
                    int64_t *ret_code) {
    scene_write(scene, "h.c", source);
    scene_shell(scene, arena_format(&scene->arena, "gcc -shared -fPIC -O2 %s h.c -o h.so", flags));
    char *path = path_join(scene->dir, "h.so");
    if (code_hash_file(path, ret_hex, ret_code, &scene->err) < 0) fail_msg("%s", scene->err.text);
    free(path);
}

static void test_what_counts(void **state) {
    struct scene *scene = *state;
    char base[33], other[33];
    int64_t code_bytes = 0;
    const char *source = "float f(float x) { return x * 1.25f; }\nint zeros[100];\n";
    hash_of(scene, "", source, base, &code_bytes);
    assert_true(code_bytes > 0);
    hash_of(scene, "-g -Wl,--build-id=sha1", source, other, NULL); // names, notes, debug information
    assert_string_equal(base, other);
    hash_of(scene, "-s", source, other, NULL);
    assert_string_equal(base, other);
    hash_of(scene, "", "float f(float x) { return x * 1.5f; }\nint zeros[100];\n", other, NULL); // a constant
    assert_string_not_equal(base, other);
    hash_of(scene, "", "float f(float x) { return x * 1.25f; }\nint zeros[200];\n", other, NULL); // room
    assert_string_not_equal(base, other);
    const char *caller = "float %s(float); float f(float x) { return %s(x); }";
    hash_of(scene, "-lm", arena_format(&scene->arena, caller, "expf", "expf"), base, NULL);
    hash_of(scene, "-lm", arena_format(&scene->arena, caller, "logf", "logf"), other, NULL); // another callee
    assert_string_not_equal(base, other);
}

static void test_refusals(void **state) {
    struct scene *scene = *state;
    char hex[33];
    assert_int_equal(code_hash_file("/no/such/file.so", hex, NULL, &scene->err), -ERR_NO_INPUT);
    assert_int_equal(code_hash_file("/bin/sh", hex, NULL, &scene->err) <= 0,
                     1); // a PIE is ET_DYN: either way no crash
    scene_write(scene, "o.c", "int x;");
    scene_shell(scene, "gcc -c o.c -o o.o && gcc -m32 -c o.c -o o32.o || true");
    char *path = path_join(scene->dir, "o.o");
    assert_int_equal(code_hash_file(path, hex, NULL, &scene->err), -ERR_DATA);
    assert_non_null(strstr(scene->err.text, "no shared library"));
    free(path);
}

int main(void) {
#define SCENE(test) cmocka_unit_test_setup_teardown(test, scene_setup, scene_teardown)
    const struct CMUnitTest tests[] = {SCENE(test_hostile), SCENE(test_what_counts), SCENE(test_refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
