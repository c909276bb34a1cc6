// SPDX-License-Identifier: Apache-2.0
//
// A program in the sandbox of kernels' processes: the words of `assay confined` in front of its own.
#ifndef CONTROL_COMPILE_CONFINED_COMMAND_H
#define CONTROL_COMPILE_CONFINED_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

struct confinement {
    const char *scratch_dir;       // absolute, exists; what the program may write, its HOME and TMPDIR
    const char *const *read_paths; // absolute; files and folders besides the system's
    size_t read_path_count;
    bool has_network;
    uint64_t memory_limit_bytes; // of each process; 0: none
    uint64_t limit_ns;           // of the program with all that it starts; 0: none
};

// The program with its arguments, confined: NULL-terminated lists of words. An empty program gives the words
// in front of one.
const char *const *confined_command(const struct confinement *confinement, const char *const *program,
                                    struct arena *arena);

#endif
