// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as the section in which nvcc puts device code: containers, images and PTX are read without
// leaving them, and every entry lies inside.
#include <stdlib.h>

#include "control/compile/cuda/device_code.h"
#include "control/compile/cuda/fatbin.h"
#include "control/compile/tool/elf_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    struct fatbin_reader reader = fatbin_open(bytes, count);
    struct fatbin_entry entry;
    while (fatbin_next(&reader, &entry) == FATBIN_ENTRY) {
        if (entry.bytes < bytes || entry.length > (size_t)(bytes + count - entry.bytes)) abort();
        int64_t counts[DEVICE_MATRIX_NAMES] = {0};
        device_matrix_count((const char *)entry.bytes, entry.length, counts);
    }
    if (device_code_bytes(bytes, count) < 0) abort();
    struct elf_file elf;
    (void)elf_cubin_parse(bytes, count, "fuzz.cubin", &elf, NULL);
    return 0;
}
