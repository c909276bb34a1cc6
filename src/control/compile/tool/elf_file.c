// SPDX-License-Identifier: Apache-2.0
//
// Reads an ELF shared library; nothing in the file is trusted. code_hash.c decides which parts matter for
// "same code".
#include "control/compile/tool/elf_file.h"

#include <string.h>

#include "base/strbuf.h"

#ifndef EM_CUDA
#define EM_CUDA 190
#endif

static bool is_inside(const struct elf_file *elf, uint64_t offset, uint64_t size) {
    return offset <= elf->length && size <= elf->length - offset;
}

Elf64_Shdr elf_section(const struct elf_file *elf, uint32_t index) {
    Elf64_Shdr section;
    memcpy(&section, elf->bytes + elf->section_offset + (uint64_t)index * sizeof section, sizeof section);
    return section;
}

bool elf_has_bytes(const Elf64_Shdr *section) {
    return section->sh_type != SHT_NOBITS && section->sh_type != SHT_NULL;
}

Elf64_Phdr elf_segment(const struct elf_file *elf, uint32_t index) {
    Elf64_Phdr segment;
    memcpy(&segment, elf->bytes + elf->segment_offset + (uint64_t)index * sizeof segment, sizeof segment);
    return segment;
}

size_t elf_loaded_bytes(const struct elf_file *elf) {
    uint64_t end = sizeof(Elf64_Ehdr);
    if (elf->segment_count && elf->segment_offset + elf->segment_count * sizeof(Elf64_Phdr) > end)
        end = elf->segment_offset + elf->segment_count * sizeof(Elf64_Phdr);
    for (uint32_t i = 0; i < elf->segment_count; ++i) {
        const Elf64_Phdr segment = elf_segment(elf, i);
        if (segment.p_filesz && segment.p_offset + segment.p_filesz > end)
            end = segment.p_offset + segment.p_filesz;
    }
    return (size_t)end;
}

int64_t elf_mapped_bytes(const struct elf_file *elf) {
    int64_t bytes = 0;
    for (uint32_t i = 0; i < elf->segment_count; ++i) {
        const Elf64_Phdr segment = elf_segment(elf, i);
        if (segment.p_type == PT_LOAD) bytes += (int64_t)segment.p_filesz;
    }
    return bytes;
}

static int header_check(const struct elf_file *elf, bool is_cubin, Elf64_Ehdr *ret, struct err *err) {
    if (elf->length < sizeof *ret) {
        return err_set(err, ERR_DATA, "'%s' is no shared library: only %zu bytes long; build it again",
                       elf->where, elf->length);
    }
    memcpy(ret, elf->bytes, sizeof *ret);
    if (memcmp(ret->e_ident, ELFMAG, SELFMAG) != 0) {
        return err_set(err, ERR_DATA, "'%s' is no shared library: it does not begin as an ELF file does",
                       elf->where);
    }
    if (ret->e_ident[EI_CLASS] != ELFCLASS64 || ret->e_ident[EI_DATA] != ELFDATA2LSB) {
        return err_set(err, ERR_DATA, "'%s' is not a 64-bit little-endian library; build it for this machine",
                       elf->where);
    }
    if (is_cubin) {
        if (ret->e_machine == EM_CUDA) return 0;
        return err_set(err, ERR_DATA, "'%s' is an ELF file, but no machine code for a GPU", elf->where);
    }
    if (ret->e_type != ET_DYN) {
        return err_set(err, ERR_DATA, "'%s' is an ELF file, but no shared library; link it with -shared",
                       elf->where);
    }
    return 0;
}

static int sections_check(const struct elf_file *elf, struct err *err) {
    uint64_t left = elf->length;
    for (uint32_t i = 0; i < elf->section_count; ++i) {
        const Elf64_Shdr section = elf_section(elf, i);
        if (section.sh_size > INT64_MAX)
            return err_set(err, ERR_DATA, "'%s' is damaged: section %u has an absurd size; build it again",
                           elf->where, i);
        if (!elf_has_bytes(&section)) continue;
        if (!is_inside(elf, section.sh_offset, section.sh_size))
            return err_set(err, ERR_DATA, "'%s' is damaged: section %u reaches past the end; build it again",
                           elf->where, i);
        if (section.sh_size > left) // thousands over the same bytes would keep us busy for hours
            return err_set(err, ERR_DATA,
                           "'%s' is damaged: its sections are longer than the file; build it again",
                           elf->where);
        left -= section.sh_size;
    }
    return 0;
}

static int segments_check(const struct elf_file *elf, const Elf64_Ehdr *header, struct err *err) {
    if (!elf->segment_count) return 0;
    if (header->e_phentsize != sizeof(Elf64_Phdr) ||
        !is_inside(elf, header->e_phoff, (uint64_t)elf->segment_count * sizeof(Elf64_Phdr)))
        return err_set(err, ERR_DATA, "'%s' is damaged: its program headers lie past the end; build it again",
                       elf->where);
    for (uint32_t i = 0; i < elf->segment_count; ++i) {
        const Elf64_Phdr segment = elf_segment(elf, i);
        if (segment.p_filesz && !is_inside(elf, segment.p_offset, segment.p_filesz))
            return err_set(err, ERR_DATA, "'%s' is cut off: segment %u reaches past the end; build it again",
                           elf->where, i);
    }
    return 0;
}

static int image_parse(const void *bytes, size_t length, const char *where, bool is_cubin,
                       struct elf_file *ret, struct err *err) {
    struct elf_file elf = {.bytes = bytes, .length = length, .where = where};
    Elf64_Ehdr header;
    TRY(header_check(&elf, is_cubin, &header, err));
    elf.section_offset = header.e_shoff;
    elf.section_count = header.e_shnum;
    elf.name_section = header.e_shstrndx;
    elf.segment_offset = header.e_phoff;
    elf.segment_count = is_cubin ? 0 : header.e_phnum;
    if (header.e_shnum == 0 || header.e_shentsize != sizeof(Elf64_Shdr)) {
        return err_set(err, ERR_DATA,
                       "'%s' has no section headers, by which its symbols and device code are found; link it "
                       "without removing them",
                       where);
    }
    if (!is_inside(&elf, header.e_shoff, (uint64_t)header.e_shnum * sizeof(Elf64_Shdr))) {
        return err_set(err, ERR_DATA, "'%s' is cut off: its section headers lie past the end; build it again",
                       where);
    }
    TRY(sections_check(&elf, err));
    TRY(segments_check(&elf, &header, err));
    *ret = elf;
    return 0;
}

int elf_file_parse(const void *bytes, size_t length, const char *where, struct elf_file *ret,
                   struct err *err) {
    return image_parse(bytes, length, where, false, ret, err);
}

int elf_cubin_parse(const void *bytes, size_t length, const char *where, struct elf_file *ret,
                    struct err *err) {
    return image_parse(bytes, length, where, true, ret, err);
}

const char *elf_string(const struct elf_file *elf, const Elf64_Shdr *table, uint64_t offset) {
    if (table->sh_type != SHT_STRTAB || offset >= table->sh_size) return "";
    const char *text = (const char *)elf->bytes + table->sh_offset + offset;
    return memchr(text, 0, table->sh_size - offset) ? text : "";
}

const char *elf_section_name(const struct elf_file *elf, const Elf64_Shdr *section) {
    if (elf->name_section >= elf->section_count) return "";
    const Elf64_Shdr names = elf_section(elf, elf->name_section);
    return elf_string(elf, &names, section->sh_name);
}

bool elf_entry(const struct elf_file *elf, const Elf64_Shdr *section, uint64_t index, void *ret,
               size_t entry_bytes) {
    if (!elf_has_bytes(section) || index >= section->sh_size / entry_bytes) return false;
    memcpy(ret, elf->bytes + section->sh_offset + index * entry_bytes, entry_bytes);
    return true;
}

bool elf_has_unique_symbols(const struct elf_file *elf) {
    for (uint32_t i = 0; i < elf->section_count; ++i) {
        const Elf64_Shdr section = elf_section(elf, i);
        if (section.sh_type != SHT_DYNSYM) continue;
        Elf64_Sym symbol;
        for (uint64_t k = 0; elf_entry(elf, &section, k, &symbol, sizeof symbol); ++k) {
            if (ELF64_ST_BIND(symbol.st_info) == STB_GNU_UNIQUE && symbol.st_shndx != SHN_UNDEF) return true;
        }
    }
    return false;
}

bool elf_exports(const struct elf_file *elf, const char *name) {
    for (uint32_t i = 0; i < elf->section_count; ++i) {
        const Elf64_Shdr section = elf_section(elf, i);
        if (section.sh_type != SHT_DYNSYM || section.sh_link >= elf->section_count) continue;
        const Elf64_Shdr strings = elf_section(elf, section.sh_link);
        Elf64_Sym symbol;
        for (uint64_t k = 0; elf_entry(elf, &section, k, &symbol, sizeof symbol); ++k)
            if (symbol.st_shndx != SHN_UNDEF && str_equal(elf_string(elf, &strings, symbol.st_name), name))
                return true;
    }
    return false;
}

bool elf_has_origin_path(const struct elf_file *elf) {
    const size_t loaded_bytes = elf_loaded_bytes(elf);
    static const char *const words[] = {"$ORIGIN", "${ORIGIN}"};
    for (size_t i = 0; i < sizeof words / sizeof *words; ++i)
        if (memmem(elf->bytes, loaded_bytes, words[i], strlen(words[i]))) return true;
    return false;
}
