// SPDX-License-Identifier: Apache-2.0
//
// Device code without a compiler: containers made by hand and containers that lie, matrix instructions in PTX
// text, and what the GPU's assembler said (tests/golden/ptxas_*.txt are outputs of nvcc 13.0.88).
#include <elf.h>

#include "control/compile/cuda/demangle.h"
#include "control/compile/cuda/device_code.h"
#include "control/compile/cuda/fatbin.h"
#include "control/compile/cuda/ptxas_report.h"
#include "unit/golden_file.h"
#include "unit/test_build_support.h"

// ---- containers ----

struct made {
    unsigned char bytes[2048];
    size_t length;
};

static void put(unsigned char *at, uint64_t value, size_t byte_count) {
    for (size_t i = 0; i < byte_count; ++i) at[i] = (unsigned char)(value >> 8 * i);
}

static void container_add(struct made *made, uint64_t content_bytes) {
    unsigned char *head = made->bytes + made->length;
    put(head, 0xBA55ED50u, 4);
    put(head + 4, 1, 2);
    put(head + 6, 16, 2);
    put(head + 8, content_bytes, 8);
    made->length += 16;
}

static void entry_add(struct made *made, unsigned kind, unsigned arch, uint64_t flags, const char *text) {
    unsigned char *head = made->bytes + made->length;
    const size_t bytes = (strlen(text) + 8) / 8 * 8;
    put(head, kind, 2);
    put(head + 4, 64, 4);
    put(head + 8, bytes, 8);
    put(head + 28, arch, 4);
    put(head + 40, flags, 8);
    memcpy(head + 64, text, strlen(text));
    made->length += 64 + bytes;
}

static struct made two_containers(const char *ptx) {
    struct made made = {0};
    container_add(&made, 64 + (strlen(ptx) + 8) / 8 * 8 + 64 + 8);
    entry_add(&made, 1, 90, 0x100011, ptx);
    entry_add(&made, 2, 90, 0x8011, "packed");
    made.length += 16; // padding
    container_add(&made, 64 + 8);
    entry_add(&made, 9, 80, 0x11, "other");
    return made;
}

static void test_containers(void **state) {
    (void)state;
    const struct made made = two_containers("mma.sync.x;");
    struct fatbin_reader reader = fatbin_open(made.bytes, made.length);
    struct fatbin_entry entry;
    assert_int_equal(fatbin_next(&reader, &entry), FATBIN_ENTRY);
    assert_true(entry.kind == FATBIN_PTX && entry.arch == 90 && entry.is_specific && !entry.is_compressed);
    assert_string_equal((const char *)entry.bytes, "mma.sync.x;");
    assert_int_equal(fatbin_next(&reader, &entry), FATBIN_ENTRY);
    assert_true(entry.kind == FATBIN_CUBIN && !entry.is_specific && entry.is_compressed);
    assert_int_equal(fatbin_next(&reader, &entry), FATBIN_ENTRY);
    assert_true(entry.kind == FATBIN_OTHER && entry.raw_kind == 9 && entry.arch == 80);
    assert_int_equal(fatbin_next(&reader, &entry), FATBIN_END);
    assert_int_equal(device_code_bytes(made.bytes, made.length), 0); // no machine code that is not packed
}

// Whether it is containers from its first byte to its last.
static bool read_all(const unsigned char *bytes, size_t length) {
    struct fatbin_reader reader = fatbin_open(bytes, length);
    struct fatbin_entry entry;
    enum fatbin_step step;
    do step = fatbin_next(&reader, &entry);
    while (step == FATBIN_ENTRY);
    (void)device_code_bytes(bytes, length);
    return step == FATBIN_END;
}

static void test_hostile_containers(void **state) {
    (void)state;
    struct made made = two_containers("x");
    for (size_t cut = 1; cut < made.length; ++cut) {
        unsigned char *exact = malloc(cut); // so that the sanitizer sees the end
        assert_non_null(exact);
        memcpy(exact, made.bytes, cut);
        const bool is_sound = read_all(exact, cut);
        if (cut < 16 + 64) assert_false(is_sound);
        free(exact);
    }
    const unsigned char values[] = {0x00, 0x01, 0x7f, 0x80, 0xff};
    for (size_t at = 0; at < made.length; ++at) {
        const unsigned char kept = made.bytes[at];
        for (size_t v = 0; v < sizeof values; ++v) {
            made.bytes[at] = values[v];
            (void)read_all(made.bytes, made.length);
        }
        made.bytes[at] = kept;
    }
}

// ---- matrix instructions ----

static int64_t count_of(const char *ptx, const char *name) {
    int64_t counts[DEVICE_MATRIX_NAMES] = {0};
    device_matrix_count(ptx, strlen(ptx), counts);
    for (size_t i = 0; i < DEVICE_MATRIX_NAMES; ++i)
        if (str_equal(device_matrix_name(i), name)) return counts[i];
    fail_msg("no such instruction: %s", name);
    return -1;
}

static void test_matrix_instructions(void **state) {
    (void)state;
    const char *ptx = "// mma.sync.aligned in a comment\n"
                      "\tmma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1}, {%r1}, {%r2}, {%f1};\n"
                      "\t@%p1 mma.sync.aligned.m16n8k8.row.col {%f1};\n"
                      "{mma.sync.aligned.m8n8k4;mma.sync.aligned.m8n8k4;}\n"
                      "\twgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {%f1};\n"
                      "\twgmma.commit_group.sync.aligned;\n"
                      "\tcp.async.cg.shared.global [%r1], [%rd1], 16;\n\tcp.async.commit_group;\n"
                      "\tcp.async.bulk.tensor.2d.shared::cluster.global.tile [%r1];\n"
                      "\tcp.async.bulk.commit_group;\n\tcp.async.wait_group 1;\n"
                      "\tldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r1}, [%r2];\n"
                      "\tmov.u32 %mma.sync, 1; // no instruction\n";
    assert_int_equal(count_of(ptx, "mma.sync"), 4);
    assert_int_equal(count_of(ptx, "wgmma.mma_async"), 1);
    assert_int_equal(count_of(ptx, "cp.async.cg"), 1);
    assert_int_equal(count_of(ptx, "cp.async.ca"), 0);
    assert_int_equal(count_of(ptx, "cp.async.bulk"), 1);
    assert_int_equal(count_of(ptx, "ldmatrix"), 1);
    assert_int_equal(count_of("", "mma.sync"), 0);
}

// A library whose one section of device code is this.
static size_t library_make(const struct made *device, unsigned char *ret) {
    static const char names[] = "\0.shstrtab\0.nv_fatbin";
    const size_t names_at = sizeof(Elf64_Ehdr) + 3 * sizeof(Elf64_Shdr), device_at = names_at + sizeof names;
    const Elf64_Ehdr head = {
        .e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
        .e_type = ET_DYN,
        .e_machine = EM_X86_64,
        .e_version = EV_CURRENT,
        .e_shoff = sizeof head,
        .e_ehsize = sizeof head,
        .e_shentsize = sizeof(Elf64_Shdr),
        .e_shnum = 3,
        .e_shstrndx = 1};
    const Elf64_Shdr sections[3] = {
        {0},
        {.sh_name = 1, .sh_type = SHT_STRTAB, .sh_offset = names_at, .sh_size = sizeof names},
        {.sh_name = 11, .sh_type = SHT_PROGBITS, .sh_offset = device_at, .sh_size = device->length},
    };
    memcpy(ret, &head, sizeof head);
    memcpy(ret + sizeof head, sections, sizeof sections);
    memcpy(ret + names_at, names, sizeof names);
    memcpy(ret + device_at, device->bytes, device->length);
    return device_at + device->length;
}

// 16 targets are told apart; of what comes beyond them it is said how much there is.
static void test_many_targets(void **state) {
    struct scene *scene = *state;
    const char *ptx = "mma.sync.x;";
    struct made made = {0};
    container_add(&made, 18 * (64 + (strlen(ptx) + 8) / 8 * 8));
    for (unsigned i = 0; i < 18; ++i) entry_add(&made, 1, 80 + i, 0x11, ptx);
    unsigned char library[sizeof made.bytes + 1024];
    const size_t length = library_make(&made, library);
    const struct matrix_count found = device_matrix_find(library, length, &scene->arena);
    assert_int_equal(found.multiplications, 1);
    assert_non_null(found.text);
    assert_non_null(strstr(found.text, "sm_80: 1 mma.sync; sm_81: 1 mma.sync"));
    assert_non_null(strstr(found.text, "sm_95: 1 mma.sync; ... and 2 more texts for other targets"));
}

// ---- what the assembler said ----

static void hold_report(struct scene *scene, const char *name, struct ptxas_report *ret) {
    char *path = mem_format("%s/%s.txt", ASSAY_GOLDEN_DIR, name), *log;
    if (file_read(path, 1 << 20, &log, NULL, &scene->err) < 0) fail_msg("%s", scene->err.text);
    ptxas_report_read(log, &scene->arena, ret);
    const char *text = ptxas_report_format(ret, &scene->arena);
    hold_golden(arena_format(&scene->arena, "%s_read.txt", name), arena_format(&scene->arena, "%s\n", text));
    free(log);
    free(path);
}

static void test_assembler_spills(void **state) {
    struct ptxas_report report;
    hold_report(*state, "ptxas_spills", &report);
    assert_int_equal(report.entry_count, 10);
    assert_int_equal(report.registers, 40);
    assert_int_equal(report.spill_bytes, 2944);
    assert_int_equal(report.stack_bytes, 1416);
    assert_int_equal(report.shared_bytes, 4224);
    assert_string_equal(report.entries[1].name, "forward");
}

static void test_own_names(void **state) {
    struct scene *scene = *state;
    static const char *const cases[][2] = {
        {"flash::fwd<__half, 64>", "fwd<half, 64>"},
        {"(anonymous namespace)::anon<5u>", "anon<5u>"},
        {"a::b<c::d<__half>, (e::Mode)1>", "b<c::d<half>, (e::Mode)1>"},
        {"k<__half2, my__half, __half_t>", "k<__half2, my__half, __half_t>"},
        {"plain", "plain"},
        {"", ""},
        {"_ZN5torn", "_ZN5torn"},
        {"a<b", "a<b"},
        {"a>::b", "b"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
        assert_string_equal(demangle_own_name(cases[i][0], &scene->arena), cases[i][1]);
}

static void test_assembler_targets(void **state) {
    struct ptxas_report report;
    hold_report(*state, "ptxas_targets", &report);
    assert_int_equal(report.entry_count, 8);
    assert_int_equal(report.registers, 16);
    assert_int_equal(report.spill_bytes, 0);
}

static void test_assembler_says_nothing(void **state) {
    struct scene *scene = *state;
    struct ptxas_report report;
    const char *logs[] = {"", "\n\n", "kernel.cu(3): warning: unused\n",
                          "ptxas info    : Compiling entry function without an end",
                          ": Used registers, 99999999999999999999999 registers\n"};
    for (size_t i = 0; i < sizeof logs / sizeof *logs; ++i) {
        ptxas_report_read(logs[i], &scene->arena, &report);
        assert_true(report.registers == -1 && report.spill_bytes == -1 && report.stack_bytes == -1);
        assert_int_equal(report.entry_count, 0);
        assert_null(ptxas_report_format(&report, &scene->arena));
    }
}

static void test_assembler_many(void **state) {
    struct scene *scene = *state;
    struct strbuf log = {0};
    struct ptxas_report report;
    for (int i = 0; i < PTXAS_ENTRIES_MAX + 3; ++i)
        strbuf_addf(&log,
                    "ptxas info    : Compiling entry function 'f%d' for 'sm_80'\n"
                    "ptxas info    : Used %d registers\n",
                    i, i + 1);
    ptxas_report_read(strbuf_text(&log), &scene->arena, &report);
    assert_int_equal(report.entry_count, PTXAS_ENTRIES_MAX);
    assert_int_equal(report.registers, PTXAS_ENTRIES_MAX + 3); // of one that is not listed
    const char *text = ptxas_report_format(&report, &scene->arena);
    assert_string_equal(strrchr(text, '\n'), "\n... and 3 more");
    strbuf_fini(&log);
}

int main(void) {
#define SCENE(test) cmocka_unit_test_setup_teardown(test, scene_setup, scene_teardown)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_containers),
        cmocka_unit_test(test_hostile_containers),
        cmocka_unit_test(test_matrix_instructions),
        SCENE(test_many_targets),
        SCENE(test_assembler_spills),
        SCENE(test_own_names),
        SCENE(test_assembler_targets),
        SCENE(test_assembler_says_nothing),
        SCENE(test_assembler_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
