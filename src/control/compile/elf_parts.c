// SPDX-License-Identifier: Apache-2.0
//
// Which bytes of a library are loaded, which only describe it. Where a section claims to describe and is
// loaded all the same, it is loaded.
#include "control/compile/elf_parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/strbuf.h"

#define PADDING_BYTES_MAX 64

bool elf_is_padding(const unsigned char *bytes, size_t count) {
    if (count >= PADDING_BYTES_MAX) return false;
    for (size_t i = 0; i < count; ++i)
        if (bytes[i]) return false;
    return true;
}

static bool is_description(const struct elf_file *elf, const Elf64_Shdr *section) {
    static const char *const begins[] = {".comment",   ".debug",     ".zdebug", ".gdb_index",
                                         ".gnu_debug", ".gnu.build", ".stab",   ".GCC.command.line"};
    if (section->sh_flags & SHF_ALLOC) return false;
    switch (section->sh_type) {
    case SHT_SYMTAB:
    case SHT_SYMTAB_SHNDX:
    case SHT_STRTAB:
    case SHT_NOTE: return true;
    case SHT_PROGBITS: break;
    default: return false;
    }
    const char *name = elf_section_name(elf, section);
    for (size_t i = 0; i < sizeof begins / sizeof *begins; ++i)
        if (str_starts(name, begins[i])) return true;
    return false;
}

static int by_begin(const void *a, const void *b) {
    const struct elf_range *left = a, *right = b;
    return (left->begin > right->begin) - (left->begin < right->begin);
}

void elf_ranges_sort(struct elf_range *ranges, size_t count) {
    qsort(ranges, count, sizeof *ranges, by_begin);
}

static void range_add(struct elf_ranges *ranges, uint64_t begin, uint64_t bytes) {
    ranges->items[ranges->count++] = (struct elf_range){begin, begin + bytes};
}

// Sorts the ranges and joins those that overlap or touch; drops empty ones.
static void ranges_join(struct elf_ranges *ranges) {
    struct elf_range *items = ranges->items;
    size_t joined = 0;
    elf_ranges_sort(items, ranges->count);
    for (size_t i = 0; i < ranges->count; ++i) {
        if (items[i].begin >= items[i].end) continue;
        if (joined && items[i].begin <= items[joined - 1].end) {
            if (items[i].end > items[joined - 1].end) items[joined - 1].end = items[i].end;
        } else {
            items[joined++] = items[i];
        }
    }
    ranges->count = joined;
}

// The whole pages in which a segment lies, as far as the file has them. Even a segment without bytes has one.
static struct elf_range segment_range(const struct elf_file *elf, const Elf64_Phdr *segment) {
    const size_t length = elf->length;
    if (segment->p_offset >= length) return (struct elf_range){0};
    struct elf_range range = {segment->p_offset, segment->p_offset + segment->p_filesz};
    if (range.end > length || range.end < range.begin) range.end = length; // only one without bytes
    if (segment->p_type != PT_LOAD) return range;
    range.begin -= range.begin % ELF_PAGE_BYTES;
    const size_t past = range.end % ELF_PAGE_BYTES, more = past ? ELF_PAGE_BYTES - past : 0;
    range.end = more < length - range.end ? range.end + more : length;
    return range;
}

struct elf_parts elf_parts_make(const struct elf_file *elf) {
    struct elf_parts parts = {.length = elf->length};
    struct elf_ranges *loaded = &parts.loaded, *description = &parts.description;
    loaded->items = mem_alloc((elf->segment_count + (size_t)2) * sizeof *loaded->items);
    description->items = mem_alloc((elf->section_count + (size_t)1) * sizeof *description->items);
    range_add(loaded, 0, sizeof(Elf64_Ehdr));
    if (elf->segment_count) range_add(loaded, elf->segment_offset, elf->segment_count * sizeof(Elf64_Phdr));
    for (uint32_t i = 0; i < elf->segment_count; ++i) {
        const Elf64_Phdr segment = elf_segment(elf, i);
        loaded->items[loaded->count++] = segment_range(elf, &segment);
    }
    range_add(description, elf->section_offset, elf->section_count * sizeof(Elf64_Shdr));
    for (uint32_t i = 0; i < elf->section_count; ++i) {
        const Elf64_Shdr section = elf_section(elf, i);
        if (elf_has_bytes(&section) && is_description(elf, &section))
            range_add(description, section.sh_offset, section.sh_size);
    }
    ranges_join(loaded);
    ranges_join(description);
    return parts;
}

void elf_parts_free(struct elf_parts *parts) {
    free(parts->loaded.items);
    free(parts->description.items);
}

// The first range that ends behind `at`; an empty one at the end of the file if there is none.
static struct elf_range range_at(struct elf_ranges *ranges, size_t at, size_t length) {
    while (ranges->next < ranges->count && ranges->items[ranges->next].end <= at) ++ranges->next;
    return ranges->next < ranges->count ? ranges->items[ranges->next] : (struct elf_range){length, length};
}

bool elf_parts_next(struct elf_parts *parts, struct elf_part *ret) {
    const size_t at = parts->at, length = parts->length;
    if (at >= length) return false;
    const struct elf_range loaded = range_at(&parts->loaded, at, length),
                           description = range_at(&parts->description, at, length);
    if (loaded.begin <= at)
        *ret = (struct elf_part){ELF_LOADED, at, loaded.end};
    else if (description.begin <= at)
        *ret = (struct elf_part){ELF_DESCRIPTION, at,
                                 description.end < loaded.begin ? description.end : loaded.begin};
    else
        *ret = (struct elf_part){ELF_OTHER, at,
                                 description.begin < loaded.begin ? description.begin : loaded.begin};
    parts->at = ret->end;
    return true;
}
