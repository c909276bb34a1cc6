// SPDX-License-Identifier: Apache-2.0
//
// Gives a library the layout in which two builds of one source agree in every byte that is mapped. The ELF
// header holds the place of the section headers, behind all debug information; the last page that is mapped
// ends with whatever follows the data; and the build id is a hash of all of it. A kernel could read these,
// and behave accordingly, so they are evened out instead of being left out of the code hash.
#include "control/compile/module_normalize.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "control/compile/elf_parts.h"

#define ALIGNMENT          16 // of sections that are moved; none needs more in a file
#define BUILD_ID_BYTES_MAX 64

static size_t rounded(size_t size, size_t unit) {
    return (size + unit - 1) / unit * unit;
}

static bool is_moved(const Elf64_Shdr *section, size_t loaded_bytes) {
    return elf_has_bytes(section) && section->sh_size && section->sh_offset >= loaded_bytes;
}

// Whether behind what is loaded there are only whole sections, their headers, and padding between them.
static bool is_usual(const struct elf_file *elf, size_t loaded_bytes) {
    struct elf_range *moved = mem_alloc((elf->section_count + (size_t)1) * sizeof *moved);
    size_t count = 0, at = loaded_bytes;
    bool is_good = elf->section_offset >= loaded_bytes;
    moved[count++] = (struct elf_range){elf->section_offset,
                                        elf->section_offset + elf->section_count * sizeof(Elf64_Shdr)};
    for (uint32_t i = 0; i < elf->section_count; ++i) {
        const Elf64_Shdr section = elf_section(elf, i);
        if (is_moved(&section, loaded_bytes))
            moved[count++] = (struct elf_range){section.sh_offset, section.sh_offset + section.sh_size};
        else if (elf_has_bytes(&section) && section.sh_offset < loaded_bytes)
            is_good &= section.sh_size <= loaded_bytes - section.sh_offset;
    }
    elf_ranges_sort(moved, count);
    for (size_t i = 0; i <= count && is_good; ++i) {
        const size_t next = i < count ? moved[i].begin : elf->length;
        is_good = next >= at; // else it overlaps with the one before
        for (; is_good && i == 0 && at < next && !elf->bytes[at]; ++at) {
        } // the page's end, when done before
        is_good = is_good && elf_is_padding(elf->bytes + at, next - at);
        if (i < count) at = moved[i].end;
    }
    free(moved);
    return is_good;
}

// Zeros the build ids among the notes of a section.
static void build_id_clear(unsigned char *notes, size_t size) {
    size_t at = 0;
    Elf64_Nhdr note;
    while (at <= size && size - at >= sizeof note) {
        memcpy(&note, notes + at, sizeof note);
        at += sizeof note;
        const size_t name_bytes = rounded(note.n_namesz, 4), value_bytes = rounded(note.n_descsz, 4);
        if (name_bytes > size - at || note.n_descsz > size - at - name_bytes) return;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && memcmp(notes + at, "GNU", 4) == 0 &&
            note.n_descsz <= BUILD_ID_BYTES_MAX)
            memset(notes + at + name_bytes, 0, note.n_descsz);
        at += name_bytes + value_bytes;
    }
}

unsigned char *module_normalize(const struct elf_file *elf, size_t *ret_length) {
    const size_t loaded_bytes = elf_loaded_bytes(elf), table_at = rounded(loaded_bytes, ELF_PAGE_BYTES),
                 table_bytes = elf->section_count * sizeof(Elf64_Shdr);
    if (!is_usual(elf, loaded_bytes)) return NULL;
    size_t length = table_at + table_bytes;
    for (uint32_t i = 0; i < elf->section_count; ++i) {
        const Elf64_Shdr section = elf_section(elf, i);
        if (is_moved(&section, loaded_bytes)) length = rounded(length, ALIGNMENT) + section.sh_size;
    }
    unsigned char *bytes = mem_alloc(length);
    memcpy(bytes, elf->bytes, loaded_bytes);
    size_t at = table_at + table_bytes;
    for (uint32_t i = 0; i < elf->section_count; ++i) {
        Elf64_Shdr section = elf_section(elf, i);
        if (is_moved(&section, loaded_bytes)) {
            at = rounded(at, ALIGNMENT);
            memcpy(bytes + at, elf->bytes + section.sh_offset, section.sh_size);
            section.sh_offset = at;
            at += section.sh_size;
        } else if (section.sh_offset > loaded_bytes) {
            section.sh_offset = loaded_bytes; // it has no bytes in the file
        } else if (section.sh_type == SHT_NOTE && elf_has_bytes(&section)) {
            build_id_clear(bytes + section.sh_offset, section.sh_size);
        }
        memcpy(bytes + table_at + i * sizeof section, &section, sizeof section);
    }
    Elf64_Ehdr header;
    memcpy(&header, bytes, sizeof header);
    header.e_shoff = table_at;
    memcpy(bytes, &header, sizeof header);
    *ret_length = length;
    return bytes;
}

int module_normalize_file(const char *path, struct err *err) {
    char *bytes;
    size_t length, normal_length;
    struct elf_file elf;
    TRY(file_read(path, ELF_FILE_BYTES_MAX, &bytes, &length, err));
    int result = elf_file_parse(bytes, length, path, &elf, err);
    unsigned char *normal = result == 0 ? module_normalize(&elf, &normal_length) : NULL;
    if (normal && (normal_length != length || memcmp(normal, bytes, length) != 0))
        result = file_write_atomic(path, normal, normal_length, err);
    free(normal);
    free(bytes);
    return result;
}
