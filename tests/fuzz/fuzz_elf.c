// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as a shared library: sections, symbols, strings and relocations are read without leaving the
// file.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "control/compile/code_hash.h"
#include "control/compile/elf_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    struct elf_file elf;
    struct err err = {0};
    if (elf_file_parse(bytes, count, "fuzz.so", &elf, &err) == 0) {
        (void)elf_has_unique_symbols(&elf);
        (void)elf_has_origin_path(&elf);
    }
    int fd = memfd_create("fuzz.so", MFD_CLOEXEC);
    if (fd < 0 || write(fd, bytes, count) != (ssize_t)count) abort();
    char path[64], hex[33];
    int64_t code_bytes;
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    (void)code_hash_file(path, hex, &code_bytes, &err);
    close(fd);
    return 0;
}
