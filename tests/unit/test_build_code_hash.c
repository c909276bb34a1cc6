// SPDX-License-Identifier: Apache-2.0
//
// The ELF reader on files that lie: cut at every length, every byte overwritten. The code hash on pairs of
// sound libraries that differ in one thing that must count, or in one that must not. The layout that modules
// get in the cache.
#include "control/compile/elf_parts.h"
#include "control/compile/module_normalize.h"
#include "unit/test_build_support.h"

#define SOUND "gcc -shared -fPIC -O2 "

// ---- reading ----

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
    char hex[SHA256_HEX_BYTES];
    code_hash(&elf, hex);
    size_t normal_length;
    free(module_normalize(&elf, &normal_length));
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
    const unsigned char values[] = {0x00, 0x7f, 0xff};
    for (size_t at = 0; at < length; at += at < 1024 || at > length - 1024 ? 1 : 7) {
        const char kept = bytes[at];
        for (size_t v = 0; v < sizeof values; ++v) {
            bytes[at] = (char)values[v];
            read_all(bytes, length);
        }
        bytes[at] = kept;
    }
    free(bytes);
}

// Thousands of sections over the same megabyte would be searched for hours.
static void test_overlapping_sections(void **state) {
    (void)state;
    enum { SECTIONS = 60000, LENGTH = 8 << 20 };
    unsigned char *bytes = mem_alloc(LENGTH);
    const Elf64_Ehdr head = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, 1},
                             .e_type = ET_DYN,
                             .e_shoff = sizeof head,
                             .e_shentsize = sizeof(Elf64_Shdr),
                             .e_shnum = SECTIONS};
    memcpy(bytes, &head, sizeof head);
    for (size_t i = 0; i < SECTIONS; ++i) {
        const Elf64_Shdr section = {.sh_type = SHT_DYNSYM, .sh_size = LENGTH};
        memcpy(bytes + sizeof head + i * sizeof section, &section, sizeof section);
    }
    struct elf_file elf;
    struct err err = {0};
    assert_int_equal(elf_file_parse(bytes, LENGTH, "x.so", &elf, &err), -ERR_DATA);
    assert_non_null(strstr(err.text, "longer than the file"));
    free(bytes);
}

// ---- hashing ----

// The hash of a file of the scene as it is.
static const char *hash_file(struct scene *scene, const char *name) {
    char *path = path_join(scene->dir, name), hex[SHA256_HEX_BYTES];
    if (code_hash_file(path, hex, NULL, &scene->err) < 0) fail_msg("%s", scene->err.text);
    free(path);
    return arena_strdup(&scene->arena, hex);
}

static void normalize(struct scene *scene, const char *name) {
    char *path = path_join(scene->dir, name);
    if (module_normalize_file(path, &scene->err) < 0) fail_msg("%s", scene->err.text);
    free(path);
}

// The hash of what `command` makes of the source h.c as h.so, in the layout of the cache.
static const char *hash_built(struct scene *scene, const char *source, const char *command) {
    scene_write(scene, "h.c", source);
    scene_shell(scene, command);
    normalize(scene, "h.so");
    return hash_file(scene, "h.so");
}

static void test_what_counts(void **state) {
    struct scene *scene = *state;
    const char *two = "int mod_a(void) { return 1; }\nint mod_b(void) { return 2; }\n"
                      "__asm__(\".globl assay_module\\n.type assay_module, @function\\n"
                      ".set assay_module, mod_%s\");\n";
    const char *constructors = "int x;\n"
                               "__attribute__((constructor%s)) static void one(void) { x = x * 2; }\n"
                               "__attribute__((constructor%s)) static void two(void) { x = x + 1; }\n";
    const char *addend = "static int room[8];\nint *const volatile place = &room[%s];\n";
    const char *entry = "void one(void) {}\nvoid two(void) {}\n";
    const char *version = "void *memcpy(void *, const void *, unsigned long);\n"
                          "__asm__(\".symver memcpy, memcpy@GLIBC_2.%s\");\n"
                          "void *f(void *a, void *b, unsigned long n) { return memcpy(a, b, n); }\n";
    const char *caller = "float %s(float);\nfloat f(float x) { return %s(x); }\n";
#define FORMAT(...) arena_format(&scene->arena, __VA_ARGS__)
#define TO          " h.c -o h.so"
    const struct {
        const char *what, *source_a, *command_a, *source_b, *command_b;
    } pairs[] = {
        {"the value of a symbol", FORMAT(two, "a"), SOUND TO, FORMAT(two, "b"), SOUND TO},
        {"the order of constructors", FORMAT(constructors, "(101)", "(102)"), SOUND TO,
         FORMAT(constructors, "(102)", "(101)"), SOUND TO},
        {"a destructor that was a constructor",
         "int x; __attribute__((constructor)) static void f(void) { x = 1; }", SOUND TO,
         "int x; __attribute__((destructor)) static void f(void) { x = 1; }", SOUND TO},
        {"the addend of a relocation", FORMAT(addend, "1"), SOUND TO, FORMAT(addend, "2"), SOUND TO},
        {"the entry point", entry, SOUND "-Wl,-e,one" TO, entry, SOUND "-Wl,-e,two" TO},
        {"DT_INIT", entry, SOUND "-Wl,-init,one" TO, entry, SOUND "-Wl,-init,two" TO},
        {"DT_FINI", entry, SOUND "-Wl,-fini,one" TO, entry, SOUND "-Wl,-fini,two" TO},
        {"a library needed", entry, SOUND TO " -Wl,--no-as-needed -lm", entry,
         SOUND TO " -Wl,--no-as-needed -lc"},
        {"the folders searched", entry, SOUND "-Wl,-rpath,/one" TO, entry, SOUND "-Wl,-rpath,/two" TO},
        {"when symbols are bound", entry, SOUND "-Wl,-z,lazy" TO, entry, SOUND "-Wl,-z,now" TO},
        {"its own name", entry, SOUND "-Wl,-soname,one" TO, entry, SOUND "-Wl,-soname,two" TO},
#ifdef __x86_64__
        {"the version of a symbol needed", FORMAT(version, "2.5"), SOUND "-fno-builtin" TO,
         FORMAT(version, "14"), SOUND "-fno-builtin" TO},
#endif
        {"an executable stack", entry, SOUND TO, entry, SOUND "-Wl,-z,execstack" TO},
        {"an exported name", "void one(void) {}", SOUND TO, "void two(void) {}", SOUND TO},
        {"a symbol that others may replace", "int f(void) { return 1; }", SOUND TO,
         "__attribute__((weak)) int f(void) { return 1; }", SOUND TO},
        {"a function called", FORMAT(caller, "expf", "expf"), SOUND TO " -lm", FORMAT(caller, "logf", "logf"),
         SOUND TO " -lm"},
        {"a constant", "float f(float x) { return x * 1.25f; }", SOUND TO,
         "float f(float x) { return x * 1.5f; }", SOUND TO},
        {"room", "int zeros[1000];", SOUND TO, "int zeros[2000];", SOUND TO},
        {"the data of a thread", "__thread int x = 1; int *f(void) { return &x; }", SOUND TO,
         "__thread int x = 2; int *f(void) { return &x; }", SOUND TO},
        {"data behind the end", entry, SOUND TO, entry, SOUND TO " && printf appended >>h.so"},
        {"other data behind the end", entry, SOUND TO " && printf appended >>h.so", entry,
         SOUND TO " && printf appendix >>h.so"},
        {"a section of another name", entry, SOUND TO, entry,
         SOUND TO " && objcopy --add-section .payload=h.c h.so"},
        {"a module id of nvcc, which only looks like one",
         "const char *f(void) { return \"_GLOBAL__N__35561dbb_4_a_cu\"; }", SOUND TO,
         "const char *f(void) { return \"_GLOBAL__N__bbd91a58_4_a_cu\"; }", SOUND TO},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; ++i) {
        const char *a = hash_built(scene, pairs[i].source_a, pairs[i].command_a);
        const char *again = hash_built(scene, pairs[i].source_a, pairs[i].command_a);
        const char *b = hash_built(scene, pairs[i].source_b, pairs[i].command_b);
        if (!str_equal(a, again)) fail_msg("%s: the same is not the same", pairs[i].what);
        if (str_equal(a, b)) fail_msg("does not count: %s", pairs[i].what);
    }
}

static void test_what_does_not_count(void **state) {
    struct scene *scene = *state;
    const char *source = "static float g(float x) { return x * 1.25f; }\n"
                         "float f(float x) { return g(x) + g(x + 1); }\nint zeros[100];\n";
    const char *remarks = "// a remark\n// and more, so that lines have other numbers\n\n\n\n\n\n\n\n";
    const struct {
        const char *what, *source_a, *command_a, *source_b, *command_b;
    } pairs[] = {
        {"the folder, with debug information", source,
         "mkdir -p one && cp h.c one && cd one && " SOUND "-g3 h.c -o ../h.so", source,
         "mkdir -p two_with_a_longer_name && cp h.c two_with_a_longer_name && "
         "cd two_with_a_longer_name && " SOUND "-g3 h.c -o ../h.so"},
        {"line numbers", source, SOUND "-g" TO, FORMAT("%s%s", remarks, source), SOUND "-g" TO},
        {"the source's name", source, "cp h.c a.c && " SOUND "a.c -o h.so", source,
         "cp h.c another_name.c && " SOUND "another_name.c -o h.so"},
        {"the build id", source, SOUND "-Wl,--build-id=0x1111" TO, source, SOUND "-Wl,--build-id=0x2222" TO},
        {"the build id that is made of debug information", source, SOUND "-g -Wl,--build-id=sha1" TO,
         FORMAT("%s%s", remarks, source), SOUND "-g -Wl,--build-id=sha1" TO},
        {"the compiler's comment", FORMAT("#ident \"one\"\n%s", source), SOUND TO,
         FORMAT("#ident \"another\"\n%s", source), SOUND TO},
        {"names of local symbols", source, SOUND TO, source,
         SOUND TO " && objcopy -L zeros --redefine-sym "
                  "g=another_name h.so"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; ++i) {
        const char *a = hash_built(scene, pairs[i].source_a, pairs[i].command_a);
        const char *b = hash_built(scene, pairs[i].source_b, pairs[i].command_b);
        if (!str_equal(a, b)) fail_msg("counts: %s", pairs[i].what);
    }
}

// Whatever byte the loader maps is another hash when it is another byte.
static void test_every_loaded_byte(void **state) {
    struct scene *scene = *state;
    const char *base = hash_built(scene, "#include <math.h>\nfloat f(float x) { return expf(x); }",
                                  SOUND TO " -lm -Wl,--build-id=sha1,-z,noseparate-code");
    char *path = path_join(scene->dir, "h.so"), *bytes, hex[SHA256_HEX_BYTES];
    size_t length, sound_count = 0;
    struct elf_file elf;
    assert_int_equal(file_read(path, 1 << 20, &bytes, &length, &scene->err), 0);
    free(path);
    assert_int_equal(elf_file_parse(bytes, length, "h.so", &elf, &scene->err), 0);
    const size_t loaded_bytes = elf_loaded_bytes(&elf);
    assert_true(loaded_bytes > 4096 && loaded_bytes < length);
    for (size_t at = 0; at < loaded_bytes; at += at < 1024 ? 1 : 11) {
        bytes[at] ^= 1;
        if (elf_file_parse(bytes, length, "h.so", &elf, NULL) == 0) {
            code_hash(&elf, hex);
            if (str_equal(hex, base)) fail_msg("byte %zu does not count", at);
            ++sound_count;
        }
        bytes[at] ^= 1;
    }
    assert_true(sound_count > 1000);
    assert_int_equal(elf_file_parse(bytes, length, "h.so", &elf, &scene->err), 0);
    for (uint32_t i = 0; i < elf.section_count; ++i) { // names and comments do not count
        const Elf64_Shdr section = elf_section(&elf, i);
        if (!elf_has_bytes(&section) || section.sh_offset < loaded_bytes ||
            str_equal(elf_section_name(&elf, &section), ".shstrtab"))
            continue;
        bytes[section.sh_offset + section.sh_size / 2] ^= 1;
        code_hash(&elf, hex);
        assert_string_equal(hex, base);
    }
    // Sections may lie: all of them say here that they are names and are not loaded.
    for (uint32_t i = 0; i < elf.section_count; ++i) {
        Elf64_Shdr section = elf_section(&elf, i);
        if (!elf_has_bytes(&section) || section.sh_offset >= loaded_bytes) continue;
        section.sh_type = SHT_STRTAB;
        section.sh_flags = 0;
        memcpy(bytes + elf.section_offset + i * sizeof section, &section, sizeof section);
    }
    char lying[SHA256_HEX_BYTES];
    code_hash(&elf, lying);
    assert_string_equal(lying, base);
    for (size_t at = elf.segment_offset; at < loaded_bytes; at += 101) {
        bytes[at] ^= 1;
        if (elf_file_parse(bytes, length, "h.so", &elf, NULL) == 0) {
            code_hash(&elf, hex);
            assert_string_not_equal(hex, lying);
        }
        bytes[at] ^= 1;
    }
    free(bytes);
}

// ---- the layout in the cache ----

static void test_layout(void **state) {
    struct scene *scene = *state;
    const char *source = "static int g(int x) { return x * 3; }\nint f(int x) { return g(x) + 1; }\n"
                         "__attribute__((constructor)) static void begin(void) {}\n";
    const char *first = hash_built(scene, source, "gcc -shared -fPIC -O0 -g -Wl,--build-id=sha1" TO);
    scene_shell(scene, "cp h.so once.so");
    normalize(scene, "h.so");
    scene_shell(scene, "cmp h.so once.so");
    assert_string_equal(hash_file(scene, "h.so"), first);
    // Tools find everything, the loader too, and it runs.
    assert_string_equal(
        scene_shell(scene, "readelf -aW h.so 2>&1 >/dev/null | grep -ci 'warn\\|error' || true"), "0\n");
    assert_non_null(strstr(scene_shell(scene, "nm h.so | grep ' t g$'"), " t g"));
    assert_non_null(strstr(scene_shell(scene, "objdump -dl h.so | grep -m1 h.c:1"), "h.c:1"));
    assert_non_null(strstr(scene_shell(scene, "readelf -n h.so | grep 'Build ID'"), "Build ID: 00000000"));
    scene_write(scene, "main.c",
                "#include <dlfcn.h>\nint main(void) { void *h = dlopen(\"./h.so\", RTLD_NOW);\n"
                "int (*f)(int) = h ? (int (*)(int))dlsym(h, \"f\") : 0; return f && f(2) == 7 ? 0 : 1; }\n");
    scene_shell(scene, "gcc main.c -o main -ldl && ./main && strip h.so && ./main");
    // What belongs to no section is not thrown away.
    scene_write(scene, "h.c", source);
    scene_shell(scene, SOUND TO " && printf appended >>h.so && cp h.so once.so");
    normalize(scene, "h.so");
    scene_shell(scene, "cmp h.so once.so");
}

static void test_refusals(void **state) {
    struct scene *scene = *state;
    char hex[SHA256_HEX_BYTES];
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
    const struct CMUnitTest tests[] = {
        SCENE(test_hostile),           SCENE(test_overlapping_sections),
        SCENE(test_what_counts),       SCENE(test_what_does_not_count),
        SCENE(test_every_loaded_byte), SCENE(test_layout),
        SCENE(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
