// SPDX-License-Identifier: Apache-2.0
//
// Reading an ELF shared library of unknown origin: 64-bit little-endian, every offset, size and index checked
// against the file before it is followed. Views point into the bytes given; nothing is allocated.
#ifndef CONTROL_COMPILE_TOOL_ELF_FILE_H
#define CONTROL_COMPILE_TOOL_ELF_FILE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define ELF_FILE_BYTES_MAX ((size_t)1 << 30)

struct elf_file {
    const unsigned char *bytes;
    size_t length;
    const char *where; // for messages
    uint64_t section_offset;
    uint32_t section_count;
    uint64_t segment_offset; // of the program headers, by which the loader goes
    uint32_t segment_count;
    uint32_t name_section; // index of the table of section names
};

// bytes and where must outlive *ret. ERR_DATA with a sentence for anything that is not sound.
int elf_file_parse(const void *bytes, size_t length, const char *where, struct elf_file *ret,
                   struct err *err);

// As elf_file_parse, for the machine code of one GPU target (a cubin) instead of a library.
int elf_cubin_parse(const void *bytes, size_t length, const char *where, struct elf_file *ret,
                    struct err *err);

// Copies the header, since the file need not be aligned. index < section_count. Contents of sections with
// bytes in the file are guaranteed to lie inside it, and to be no longer than it all together.
Elf64_Shdr elf_section(const struct elf_file *elf, uint32_t index);
bool elf_has_bytes(const Elf64_Shdr *section); // in the file
// "" when its name is broken.
const char *elf_section_name(const struct elf_file *elf, const Elf64_Shdr *section);

// As elf_section, for program headers; index < segment_count. p_filesz bytes at p_offset lie inside the file.
// A cubin has none.
Elf64_Phdr elf_segment(const struct elf_file *elf, uint32_t index);
// Where the part that the loader acts on ends: the headers, and what they have mapped. Never beyond length.
size_t elf_loaded_bytes(const struct elf_file *elf);
// Bytes of the file that the loader maps: those of its loadable segments together.
int64_t elf_mapped_bytes(const struct elf_file *elf);

// The zero-terminated string at offset of a string table; "" when it does not lie inside.
const char *elf_string(const struct elf_file *elf, const Elf64_Shdr *table, uint64_t offset);

// Entry `index` of a table section, copied to *ret (entry_bytes of it). False past the end.
bool elf_entry(const struct elf_file *elf, const Elf64_Shdr *section, uint64_t index, void *ret,
               size_t entry_bytes);

// Whether it defines a symbol that the loader makes unique in the process (STB_GNU_UNIQUE: statics in C++
// templates).
bool elf_has_unique_symbols(const struct elf_file *elf);
// Whether it defines that symbol for others.
bool elf_exports(const struct elf_file *elf, const char *name);
// Whether it names its own folder ($ORIGIN) anywhere in what is loaded, be it to the loader or to dlopen: a
// copy elsewhere would not find what lies there.
bool elf_has_origin_path(const struct elf_file *elf);

#endif
