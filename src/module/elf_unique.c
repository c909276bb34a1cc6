// SPDX-License-Identifier: Apache-2.0
//
// Walks the symbol tables of an ELF file that nobody vouches for: every offset is checked against the file's size, with
// sums that cannot overflow.
#include "module/elf_unique.h"

#include "base/mem.h"

#include <elf.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define ELF_ORDER ELFDATA2LSB
#else
#define ELF_ORDER ELFDATA2MSB
#endif

struct image {
    const unsigned char *bytes;
    uint64_t count;
};

static bool has_range(const struct image *image, uint64_t offset, uint64_t count) {
    return offset <= image->count && count <= image->count - offset;
}

// Sections may lie unaligned in a hostile file: copied out, not pointed at.
static bool read_section(const struct image *image, const Elf64_Ehdr *header, uint64_t index,
                         Elf64_Shdr *ret) {
    uint64_t offset = header->e_shoff + index * sizeof *ret; // e_shoff is inside the file, index < 2^16
    if (!has_range(image, offset, sizeof *ret)) return false;
    memcpy(ret, image->bytes + offset, sizeof *ret);
    return true;
}

static char *symbol_name(const struct image *image, const Elf64_Ehdr *header, const Elf64_Shdr *table,
                         uint32_t name) {
    Elf64_Shdr strings;
    if (table->sh_link >= header->e_shnum || !read_section(image, header, table->sh_link, &strings))
        return NULL;
    if (!has_range(image, strings.sh_offset, strings.sh_size) || name >= strings.sh_size) return NULL;
    const char *text = (const char *)image->bytes + strings.sh_offset + name;
    uint64_t length = strnlen(text, strings.sh_size - name);
    return mem_format("%.*s", (int)(length < 200 ? length : 200), text);
}

// 1: found, *ret_symbol set; 0: none in this table; -1: the table points outside the file.
static int scan_table(const struct image *image, const Elf64_Ehdr *header, const Elf64_Shdr *table,
                      char **ret_symbol) {
    if (!has_range(image, table->sh_offset, table->sh_size)) return -1;
    uint64_t count = table->sh_size / sizeof(Elf64_Sym);
    for (uint64_t i = 0; i < count; ++i) {
        Elf64_Sym symbol;
        memcpy(&symbol, image->bytes + table->sh_offset + i * sizeof symbol, sizeof symbol);
        if (ELF64_ST_BIND(symbol.st_info) != STB_GNU_UNIQUE) continue;
        *ret_symbol = symbol_name(image, header, table, symbol.st_name);
        if (!*ret_symbol) *ret_symbol = mem_strdup("(unnamed)");
        return 1;
    }
    return 0;
}

static int scan_image(const struct image *image, const char *path, bool *ret_has, char **ret_symbol,
                      struct err *err) {
    Elf64_Ehdr header;
    if (image->count < sizeof header)
        return err_set(err, ERR_DATA, "'%s' is no ELF library: too short", path);
    memcpy(&header, image->bytes, sizeof header);
    if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
        header.e_ident[EI_DATA] != ELF_ORDER)
        return err_set(err, ERR_DATA, "'%s' is no 64-bit ELF library of this machine", path);
    *ret_has = true;
    *ret_symbol = NULL;
    bool has_table = false;
    if (header.e_shoff > image->count || (header.e_shnum && header.e_shentsize != sizeof(Elf64_Shdr)))
        return err_set(err, ERR_DATA, "'%s': its section table points outside the file", path);
    for (uint64_t i = 0; i < header.e_shnum; ++i) {
        Elf64_Shdr section;
        if (!read_section(image, &header, i, &section))
            return err_set(err, ERR_DATA, "'%s': its section table points outside the file", path);
        if (section.sh_type != SHT_DYNSYM && section.sh_type != SHT_SYMTAB) continue;
        has_table = true;
        int found = scan_table(image, &header, &section, ret_symbol);
        if (found < 0) return err_set(err, ERR_DATA, "'%s': a symbol table points outside the file", path);
        if (found) return 0;
    }
    if (has_table)
        *ret_has = false;
    else
        *ret_symbol = mem_strdup("(unknown)");
    return 0;
}

int module_has_unique_symbols(const char *path, bool *ret_has, char **ret_symbol, struct err *err) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return err_set_errno(err, ERR_NO_INPUT, "cannot open '%s'", path);
    int code = 0;
    struct stat stat_buf;
    struct image image = {NULL, 0};
    void *map = MAP_FAILED;
    if (fstat(fd, &stat_buf) < 0 || !S_ISREG(stat_buf.st_mode)) {
        code = err_set(err, ERR_DATA, "'%s' is not a regular file", path);
        goto out;
    }
    image.count = (uint64_t)stat_buf.st_size;
    if (!image.count) {
        code = err_set(err, ERR_DATA, "'%s' is empty", path);
        goto out;
    }
    map = mmap(NULL, image.count, PROT_READ, MAP_PRIVATE, fd, 0);
    if (map == MAP_FAILED) {
        code = err_set_errno(err, ERR_IO, "cannot read '%s'", path);
        goto out;
    }
    image.bytes = map;
    char *symbol = NULL;
    code = scan_image(&image, path, ret_has, &symbol, err);
    if (code < 0) {
        free(symbol);
        goto out;
    }
    *ret_symbol = symbol;
out:
    if (map != MAP_FAILED) munmap(map, image.count);
    close(fd);
    return code;
}
