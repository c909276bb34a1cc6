// SPDX-License-Identifier: Apache-2.0
//
// Is it the same device code? Looks into the containers of a library (fatbin.c) and the ELF image of every
// target. Names of kernels count, since the host finds them by name; the numbers of their lines do not.
#include "control/compile/cuda/device_code.h"

#include <string.h>

#include "base/err.h"
#include "base/strbuf.h"
#include "control/compile/cuda/elf_file.h"
#include "control/compile/cuda/fatbin.h"
#include "control/compile/folder_marks.h"

bool device_code_is_readable(const void *bytes, size_t length) {
    struct fatbin_reader reader = fatbin_open(bytes, length);
    struct fatbin_entry entry;
    int code;
    while ((code = fatbin_next(&reader, &entry)) == 1) {
    }
    return code == 0;
}

static void add_u64(struct hash_state *hash, uint64_t value) {
    hash_add(hash, &value, sizeof value);
}

static bool is_named_so(const char *name) {
    static const char *const ignored[] = {".debug",      ".nv_debug",     ".note",         ".rel.debug",
                                          ".rela.debug", ".rel.nv_debug", ".rela.nv_debug"};
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; ++i)
        if (str_starts(name, ignored[i])) return true;
    return false;
}

static bool is_left_out(const Elf64_Shdr *section, const char *name) {
    switch (section->sh_type) {
    case SHT_NULL:
    case SHT_SYMTAB:
    case SHT_SYMTAB_SHNDX:
    case SHT_STRTAB:
    case SHT_NOTE: return true;
    default: return is_named_so(name);
    }
}

static void relocation_names_add(struct hash_state *hash, const struct elf_file *elf,
                                 const Elf64_Shdr *section) {
    const bool has_addend = section->sh_type == SHT_RELA;
    if (!has_addend && section->sh_type != SHT_REL) return;
    Elf64_Rela item = {0}; // a REL entry is its beginning
    const size_t item_bytes = has_addend ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel);
    for (uint64_t i = 0; elf_entry(elf, section, i, &item, item_bytes); ++i)
        folder_marks_hash_add_text(hash, elf_relocation_name(elf, section, ELF64_R_SYM(item.r_info)));
}

static int64_t cubin_add(struct hash_state *hash, const struct elf_file *elf) {
    int64_t code_bytes = 0;
    for (uint32_t i = 0; i < elf->section_count; ++i) {
        const Elf64_Shdr section = elf_section(elf, i);
        const char *name = elf_section_name(elf, &section);
        if (is_left_out(&section, name)) continue;
        folder_marks_hash_add_text(hash, name);
        add_u64(hash, section.sh_flags);
        add_u64(hash, section.sh_info); // the number of registers is in it, for targets before sm_100
        add_u64(hash, section.sh_size);
        if (section.sh_type == SHT_NOBITS) continue; // shared memory
        hash_add(hash, elf->bytes + section.sh_offset, section.sh_size);
        relocation_names_add(hash, elf, &section);
        if (section.sh_flags & SHF_EXECINSTR) code_bytes += (int64_t)section.sh_size;
    }
    return code_bytes;
}

int64_t device_code_add(struct hash_state *hash, const void *bytes, size_t length) {
    struct fatbin_reader reader = fatbin_open(bytes, length);
    struct fatbin_entry entry;
    int64_t code_bytes = 0;
    while (fatbin_next(&reader, &entry) == 1) {
        struct elf_file elf;
        add_u64(hash, entry.raw_kind);
        add_u64(hash, entry.arch);
        add_u64(hash, entry.is_specific);
        const bool is_image = entry.kind == FATBIN_CUBIN && !entry.is_compressed;
        if (is_image && elf_cubin_parse(entry.bytes, entry.length, "device code", &elf, NULL) == 0) {
            code_bytes += cubin_add(hash, &elf);
        } else {
            add_u64(hash, entry.length);
            folder_marks_hash_add(hash, entry.bytes, entry.length);
        }
    }
    return code_bytes;
}
