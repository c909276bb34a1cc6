// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as a shared library: sections, segments, symbols and strings are read without leaving the file.
// Its parts cover it, what is loaded decides the hash, and the layout of the cache keeps what is loaded.
#include <stdlib.h>
#include <string.h>

#include "control/compile/code_hash.h"
#include "control/compile/elf_parts.h"
#include "control/compile/module_normalize.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

// Parts follow each other from the first byte to the last, and whatever a segment holds is loaded.
static void hold_parts(const struct elf_file *elf) {
    struct elf_parts parts = elf_parts_make(elf);
    struct elf_part part;
    size_t at = 0;
    while (elf_parts_next(&parts, &part)) {
        if (part.begin != at || part.end <= at || part.end > elf->length) abort();
        at = part.end;
        for (uint32_t i = 0; i < elf->segment_count && i < 64 && part.kind != ELF_LOADED; ++i) {
            const Elf64_Phdr segment = elf_segment(elf, i);
            if (segment.p_filesz && segment.p_offset < part.end &&
                segment.p_offset + segment.p_filesz > part.begin)
                abort();
        }
    }
    if (at != elf->length || elf_loaded_bytes(elf) > elf->length) abort();
    elf_parts_free(&parts);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    struct elf_file elf;
    char hex[SHA256_HEX_BYTES];
    if (elf_file_parse(bytes, count, "fuzz.so", &elf, NULL) < 0) return 0;
    (void)elf_has_unique_symbols(&elf);
    (void)elf_has_origin_path(&elf);
    (void)elf_exports(&elf, "assay_module");
    hold_parts(&elf);
    code_hash(&elf, hex);
    size_t length;
    unsigned char *normal = module_normalize(&elf, &length);
    if (!normal) return 0;
    // Only the place of the section headers and build ids, which are in notes, may differ.
    for (size_t i = 0; i < elf_loaded_bytes(&elf); ++i) {
        bool is_free = i >= offsetof(Elf64_Ehdr, e_shoff) && i < offsetof(Elf64_Ehdr, e_flags);
        for (uint32_t k = 0; k < elf.section_count && !is_free && normal[i] != bytes[i]; ++k) {
            const Elf64_Shdr section = elf_section(&elf, k);
            is_free = section.sh_type == SHT_NOTE && normal[i] == 0 && i >= section.sh_offset &&
                      i - section.sh_offset < section.sh_size;
        }
        if (normal[i] != bytes[i] && !is_free) abort();
    }
    free(normal);
    return 0;
}
