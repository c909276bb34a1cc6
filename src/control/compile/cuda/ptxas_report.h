// SPDX-License-Identifier: Apache-2.0
//
// The report of nvcc's assembler (ptxas) on each kernel, from "-Xptxas -v": registers, spills, shared memory,
// stack. The log holds other output too; unknown lines are skipped.
#ifndef CONTROL_COMPILE_CUDA_PTXAS_REPORT_H
#define CONTROL_COMPILE_CUDA_PTXAS_REPORT_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "record/result.h"

#define PTXAS_ENTRIES_MAX 256 // of one log; further ones are counted, and are in the largest figures too

struct ptxas_entry {    // one kernel for one target
    char name[96];      // "flash_forward" of _ZN5flash13flash_forwardILi64EEEvPf; cut when longer
    char arch[16];      // "sm_90a"
    const char *symbol; // the mangled name
    // Spills: the larger of what is stored and what is loaded. Shared memory: what is declared with a size.
    // -1: not in the log.
    int64_t registers, spill_bytes, stack_bytes, shared_bytes;
};

struct ptxas_report {
    size_t entry_count, left_out;
    struct ptxas_entry *entries; // in the arena
    // The largest of any kernel and called function, for any target; -1: not in the log.
    int64_t registers, spill_bytes, stack_bytes, shared_bytes;
};

void ptxas_report_read(const char *log, struct arena *arena, struct ptxas_report *ret);
// Replaces the names by demangled ones with template arguments, where c++filt is installed.
void ptxas_report_name(struct ptxas_report *report, struct arena *arena);
// "sm_90a flash_forward: 168 registers, 0 bytes spilled, 0 bytes stack, 49152 bytes static shared memory",
// one a line, and how many more there are; NULL: none.
const char *ptxas_report_format(const struct ptxas_report *report, struct arena *arena);
// Copies the figures in the log of a build into *report; no change where the log holds none.
void ptxas_report_apply(const char *log, struct arena *arena, struct build_report *report);

#endif
