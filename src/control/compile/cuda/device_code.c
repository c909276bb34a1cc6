// SPDX-License-Identifier: Apache-2.0
//
// The device code in a library: its size, and its matrix instructions. Reads the containers (fatbin.c), the
// ELF image of every target, and the PTX next to it.
#include "control/compile/cuda/device_code.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "base/strbuf.h"
#include "control/compile/cuda/fatbin.h"
#include "control/compile/tool/elf_file.h"

#define TARGETS_MAX 16

int64_t device_code_bytes(const void *section, size_t length) {
    struct fatbin_reader reader = fatbin_open(section, length);
    struct fatbin_entry entry;
    int64_t code_bytes = 0;
    while (fatbin_next(&reader, &entry) == FATBIN_ENTRY) {
        struct elf_file elf;
        if (entry.kind != FATBIN_CUBIN || entry.is_compressed) continue;
        if (elf_cubin_parse(entry.bytes, entry.length, "device code", &elf, NULL) < 0) continue;
        for (uint32_t i = 0; i < elf.section_count; ++i) {
            const Elf64_Shdr code = elf_section(&elf, i);
            if (elf_has_bytes(&code) && code.sh_flags & SHF_EXECINSTR) code_bytes += (int64_t)code.sh_size;
        }
    }
    return code_bytes;
}

// ---- matrix instructions, counted in PTX: a loop that the assembler unrolls later counts once ----

static const struct {
    const char *name;
    bool is_multiplication;
} instructions[DEVICE_MATRIX_NAMES] = {
    {"mma.sync", true},     {"mma.sp", true},       {"wmma.mma", true},       {"wgmma.mma_async", true},
    {"tcgen05.mma", true},  {"tcgen05.ld", false},  {"ldmatrix", false},      {"stmatrix", false},
    {"cp.async.ca", false}, {"cp.async.cg", false}, {"cp.async.bulk", false},
};

const char *device_matrix_name(size_t index) {
    return instructions[index].name;
}

static bool is_word(char c) {
    return isalnum((unsigned char)c) || strchr("_.$%", c) != NULL;
}

static void word_count(const char *word, size_t length, int64_t counts[DEVICE_MATRIX_NAMES]) {
    for (size_t i = 0; i < DEVICE_MATRIX_NAMES; ++i) {
        const char *name = instructions[i].name;
        const size_t name_length = strlen(name);
        if (length < name_length || memcmp(word, name, name_length) != 0) continue;
        // "mma.sync.aligned..." is one; "cp.async.bulk.commit_group" moves nothing.
        if (length > name_length && word[name_length] != '.') continue;
        if (memmem(word, length, "_group", 6)) continue;
        ++counts[i];
        return;
    }
}

void device_matrix_count(const char *ptx, size_t length, int64_t ret_counts[DEVICE_MATRIX_NAMES]) {
    size_t at = 0;
    while (at < length && ptx[at]) {
        if (ptx[at] == '/' && at + 1 < length && ptx[at + 1] == '/') { // a comment
            while (at < length && ptx[at] && ptx[at] != '\n') ++at;
        } else if (ptx[at] && is_word(ptx[at])) {
            const size_t start = at;
            while (at < length && ptx[at] && is_word(ptx[at])) ++at;
            word_count(ptx + start, at - start, ret_counts);
        } else {
            ++at;
        }
    }
}

struct target_count {
    uint32_t arch;
    bool is_specific;
    int64_t counts[DEVICE_MATRIX_NAMES];
};

struct target_counts {
    struct target_count items[TARGETS_MAX];
    size_t count, left_out; // texts of further targets
};

static void section_count(struct target_counts *targets, const unsigned char *bytes, size_t length) {
    struct fatbin_reader reader = fatbin_open(bytes, length);
    struct fatbin_entry entry;
    while (fatbin_next(&reader, &entry) == FATBIN_ENTRY) {
        if (entry.kind != FATBIN_PTX || entry.is_compressed) continue;
        size_t i = 0;
        while (i < targets->count &&
               (targets->items[i].arch != entry.arch || targets->items[i].is_specific != entry.is_specific))
            ++i;
        if (i == TARGETS_MAX) {
            ++targets->left_out;
            continue;
        }
        if (i == targets->count)
            targets->items[targets->count++] =
                (struct target_count){.arch = entry.arch, .is_specific = entry.is_specific};
        device_matrix_count((const char *)entry.bytes, entry.length, targets->items[i].counts);
    }
}

struct matrix_count device_matrix_find(const void *library, size_t length, struct arena *arena) {
    struct matrix_count found = {.multiplications = -1};
    struct elf_file elf;
    struct target_counts targets = {0};
    if (elf_file_parse(library, length, "library", &elf, NULL) < 0) return found;
    for (uint32_t i = 0; i < elf.section_count; ++i) {
        const Elf64_Shdr section = elf_section(&elf, i);
        if (section.sh_type == SHT_PROGBITS && str_equal(elf_section_name(&elf, &section), FATBIN_SECTION))
            section_count(&targets, elf.bytes + section.sh_offset, section.sh_size);
    }
    struct strbuf text = {0};
    for (size_t i = 0; i < targets.count; ++i) {
        const struct target_count *target = &targets.items[i];
        int64_t multiplications = 0;
        bool is_first = true;
        for (size_t k = 0; k < DEVICE_MATRIX_NAMES; ++k) {
            if (!target->counts[k]) continue;
            if (is_first)
                strbuf_addf(&text, "%ssm_%" PRIu32 "%s:", text.length ? "; " : "", target->arch,
                            target->is_specific ? "a" : "");
            strbuf_addf(&text, "%s %" PRId64 " %s", is_first ? "" : ",", target->counts[k],
                        device_matrix_name(k));
            is_first = false;
            if (instructions[k].is_multiplication) multiplications += target->counts[k];
        }
        if (multiplications > found.multiplications) found.multiplications = multiplications;
    }
    if (targets.left_out)
        strbuf_addf(&text, "%s... and %zu more texts for other targets", text.length ? "; " : "",
                    targets.left_out);
    if (text.length) found.text = arena_strdup(arena, strbuf_text(&text));
    strbuf_fini(&text);
    return found;
}
