// SPDX-License-Identifier: Apache-2.0
//
// Divides the bytes of a library into those that are in memory when it runs, those that only name and
// describe (symbol tables for debuggers, debug information, comments), and the rest. Sections can lie about
// what is loaded, so program headers decide: they are what the loader goes by.
#ifndef CONTROL_COMPILE_ELF_PARTS_H
#define CONTROL_COMPILE_ELF_PARTS_H

#include "control/compile/tool/elf_file.h"

// The largest page of any machine that Linux runs on here. The loader maps whole pages, so what follows a
// segment in its last page is in memory too.
#define ELF_PAGE_BYTES ((size_t)65536)

enum elf_part_kind {
    ELF_LOADED,      // headers, segments, and the pages in which they lie
    ELF_DESCRIPTION, // the section headers, and sections that no program reads; none of it is loaded
    ELF_OTHER,       // neither: sections of other names, data behind the end, padding
};

struct elf_part {
    enum elf_part_kind kind;
    size_t begin, end;
};

struct elf_range {
    size_t begin, end;
};
void elf_ranges_sort(struct elf_range *ranges, size_t count); // by their begin

// Every byte belongs to one part; parts come in the order of the file, and neighbours differ in kind.
struct elf_parts {
    size_t length, at;
    struct elf_ranges {
        struct elf_range *items; // sorted, apart from each other
        size_t count, next;      // the first that ends behind `at`
    } loaded, description;
};

struct elf_parts elf_parts_make(const struct elf_file *elf);
void elf_parts_free(struct elf_parts *parts);
bool elf_parts_next(struct elf_parts *parts, struct elf_part *ret); // false: no more

// Whether these are a few zeros, such as linkers put between sections.
bool elf_is_padding(const unsigned char *bytes, size_t count);

#endif
