// SPDX-License-Identifier: Apache-2.0
//
// Reading the containers in which nvcc puts device code into a library (section .nv_fatbin): machine code as
// ELF images, one a target, and PTX text. The file is not trusted: every size is checked before it is
// followed. Views point into the bytes given. Compressed entries are handed out as they are; nvcc
// -no-compress makes none.
#ifndef CONTROL_COMPILE_CUDA_FATBIN_H
#define CONTROL_COMPILE_CUDA_FATBIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FATBIN_SECTION ".nv_fatbin"

enum fatbin_kind { FATBIN_OTHER = 0, FATBIN_PTX, FATBIN_CUBIN };

struct fatbin_entry {
    enum fatbin_kind kind;
    uint16_t raw_kind; // as in the file
    uint32_t arch;     // 90 of sm_90a
    bool is_specific;  // the a of sm_90a
    bool is_compressed;
    const unsigned char *bytes;
    size_t length;
};

// A place in a section; begin with fatbin_open.
struct fatbin_reader {
    const unsigned char *bytes;
    size_t length, at, container_end;
};

struct fatbin_reader fatbin_open(const void *bytes, size_t length);

enum fatbin_step {
    FATBIN_BROKEN, // not a sound sequence of containers
    FATBIN_END,
    FATBIN_ENTRY, // *ret is the next entry, of this container or a later one
};
enum fatbin_step fatbin_next(struct fatbin_reader *reader, struct fatbin_entry *ret);

#endif
