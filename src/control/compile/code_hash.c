// SPDX-License-Identifier: Apache-2.0
//
// Hash of a library's machine code. Nothing that the loader, the processor or the code itself can see is
// interpreted: headers, code, constants, tables of symbols, relocations, libraries needed, versions and GPU
// code count byte by byte, in the places where they lie. Left out are the parts that only describe
// (elf_parts.h). Errors are on the safe side: equal code in another layout has another hash, and is then
// measured.
#include "control/compile/code_hash.h"

#include <stdlib.h>

#include "base/file.h"
#include "base/strbuf.h"
#include "control/compile/cuda/device_code.h"
#include "control/compile/cuda/fatbin.h"
#include "control/compile/elf_parts.h"

// What is loaded counts with its place in the file, to which the program headers refer. The rest may have
// moved, and counts without.
void code_hash(const struct elf_file *elf, char ret_hex[SHA256_HEX_BYTES]) {
    struct sha256 sha = sha256_make();
    struct elf_parts parts = elf_parts_make(elf);
    struct elf_part part;
    while (elf_parts_next(&parts, &part)) {
        const unsigned char *bytes = elf->bytes + part.begin;
        const size_t count = part.end - part.begin;
        if (part.kind == ELF_DESCRIPTION) continue;
        if (part.kind == ELF_OTHER && elf_is_padding(bytes, count)) continue;
        sha256_add_u64(&sha, part.kind);
        if (part.kind == ELF_LOADED) sha256_add_u64(&sha, part.begin);
        sha256_add_u64(&sha, count);
        sha256_add(&sha, bytes, count);
    }
    elf_parts_free(&parts);
    sha256_hex(sha, ret_hex);
}

static int64_t code_bytes_count(const struct elf_file *elf) {
    int64_t host = 0, device = 0;
    for (uint32_t i = 0; i < elf->section_count; ++i) {
        const Elf64_Shdr section = elf_section(elf, i);
        if (section.sh_type != SHT_PROGBITS || !(section.sh_flags & SHF_ALLOC)) continue;
        if (section.sh_flags & SHF_EXECINSTR) host += (int64_t)section.sh_size;
        if (str_equal(elf_section_name(elf, &section), FATBIN_SECTION))
            device += device_code_bytes(elf->bytes + section.sh_offset, section.sh_size);
    }
    return device ? device : host;
}

int code_hash_file(const char *path, char ret_hex[SHA256_HEX_BYTES], int64_t *ret_code_bytes,
                   struct err *err) {
    char *bytes;
    size_t length;
    struct elf_file elf;
    TRY(file_read(path, ELF_FILE_BYTES_MAX, &bytes, &length, err));
    const int result = elf_file_parse(bytes, length, path, &elf, err);
    if (result == 0) {
        code_hash(&elf, ret_hex);
        if (ret_code_bytes) *ret_code_bytes = code_bytes_count(&elf);
    }
    free(bytes);
    return result;
}
