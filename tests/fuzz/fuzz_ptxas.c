// SPDX-License-Identifier: Apache-2.0
//
// Any text as what the GPU's assembler said: figures are numbers of bytes and registers or "not said".
#include <stdlib.h>
#include <string.h>

#include "control/compile/cuda/ptxas_report.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    char *log = malloc(count + 1);
    if (!log) return 0;
    if (count) memcpy(log, bytes, count);
    log[count] = 0;
    struct arena arena = {0};
    struct ptxas_report report;
    ptxas_report_read(log, &arena, &report);
    if (report.registers < -1 || report.spill_bytes < -1 || report.entry_count > PTXAS_ENTRIES_MAX) abort();
    if (report.left_out && report.entry_count < PTXAS_ENTRIES_MAX) abort();
    for (size_t i = 0; i < report.entry_count; ++i)
        if (report.entries[i].registers > report.registers) abort();
    (void)ptxas_report_format(&report, &arena);
    arena_fini(&arena);
    free(log);
    return 0;
}
