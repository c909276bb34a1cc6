// SPDX-License-Identifier: Apache-2.0
//
// Hash of a library's machine code: of all that the processor and the loader use, which is code, constants,
// initialised data, relocations with the names they refer to, and the libraries needed. Left out are the
// names of symbols defined here, notes, build ids, debug information and unwind tables. Errors are on the
// safe side: equal code in another layout has another hash, and is then measured. GPU code lies in a section
// of containers, which device_code.c reads.
#include "control/compile/code_hash.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/strbuf.h"
#include "control/compile/cuda/device_code.h"
#include "control/compile/cuda/fatbin.h"
#include "control/compile/cuda/module_id.h"
#include "control/compile/elf_file.h"

static bool is_code_section(const struct elf_file *elf, const Elf64_Shdr *section) {
    static const char *const ignored[] = {".eh_frame", ".eh_frame_hdr", ".got", ".got.plt", ".interp"};
    if (!(section->sh_flags & SHF_ALLOC)) return false;
    switch (section->sh_type) {
    case SHT_PROGBITS:
    case SHT_NOBITS:
    case SHT_INIT_ARRAY:
    case SHT_FINI_ARRAY:
    case SHT_PREINIT_ARRAY: break;
    default: return false; // symbol tables, hashes, versions, notes, dynamic
    }
    const char *name = elf_section_name(elf, section);
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; ++i) {
        if (str_equal(name, ignored[i])) return false;
    }
    return true;
}

static void add_u64(struct hash_state *hash, uint64_t value) {
    hash_add(hash, &value, sizeof value);
}

// Adds a section's references to places outside it. Tables of pointers are zero in the file, and their
// targets are in the relocations. Code may lie in needed libraries, and the folders searched for those can
// differ between trees.
static void references_add(struct hash_state *hash, const struct elf_file *elf, const Elf64_Shdr *section) {
    if (section->sh_type == SHT_RELA) {
        Elf64_Rela item;
        for (uint64_t i = 0; elf_entry(elf, section, i, &item, sizeof item); ++i) {
            add_u64(hash, item.r_offset);
            add_u64(hash, ELF64_R_TYPE(item.r_info));
            add_u64(hash, (uint64_t)item.r_addend);
            module_id_masked_add_text(hash, elf_relocation_name(elf, section, ELF64_R_SYM(item.r_info)));
        }
    } else if (section->sh_type == SHT_DYNAMIC && section->sh_link < elf->section_count) {
        const Elf64_Shdr strings = elf_section(elf, section->sh_link);
        Elf64_Dyn item;
        for (uint64_t i = 0; elf_entry(elf, section, i, &item, sizeof item) && item.d_tag != DT_NULL; ++i) {
            if (item.d_tag != DT_NEEDED && item.d_tag != DT_RPATH && item.d_tag != DT_RUNPATH) continue;
            add_u64(hash, (uint64_t)item.d_tag);
            hash_add_text(hash, elf_string(elf, &strings, item.d_un.d_val));
        }
    }
}

// Bytes of machine code in one loaded section: for the host, and for the device.
struct code_size {
    int64_t host, device;
};

static void loaded_add(struct hash_state *hash, const struct elf_file *elf, const Elf64_Shdr *section,
                       struct code_size *size) {
    const bool is_container =
        section->sh_type == SHT_PROGBITS && str_equal(elf_section_name(elf, section), FATBIN_SECTION);
    const unsigned char *bytes = elf->bytes + section->sh_offset;
    if (is_container && device_code_is_readable(bytes, section->sh_size)) {
        hash_add_text(hash, FATBIN_SECTION);
        size->device += device_code_add(hash, bytes, section->sh_size);
        return;
    }
    hash_add_text(hash, elf_section_name(elf, section));
    add_u64(hash, section->sh_flags & (SHF_WRITE | SHF_ALLOC | SHF_EXECINSTR | SHF_TLS));
    add_u64(hash, section->sh_size);
    if (section->sh_type == SHT_NOBITS) return;
    module_id_masked_add(hash, bytes, section->sh_size);
    if (section->sh_flags & SHF_EXECINSTR) size->host += (int64_t)section->sh_size;
}

int code_hash_file(const char *path, char ret_hex[HASH_HEX_BYTES], int64_t *ret_code_bytes, struct err *err) {
    char *bytes;
    size_t length;
    struct elf_file elf;
    TRY(file_read(path, ELF_FILE_BYTES_MAX, &bytes, &length, err));
    int result = elf_file_parse(bytes, length, path, &elf, err);
    if (result < 0) goto out;
    struct hash_state *hash = hash_new();
    struct code_size size = {0};
    for (uint32_t i = 0; i < elf.section_count; ++i) {
        const Elf64_Shdr section = elf_section(&elf, i);
        if (is_code_section(&elf, &section))
            loaded_add(hash, &elf, &section, &size);
        else
            references_add(hash, &elf, &section);
    }
    hash_take_hex(hash, ret_hex);
    if (ret_code_bytes) *ret_code_bytes = size.device ? size.device : size.host;
out:
    free(bytes);
    return result;
}
