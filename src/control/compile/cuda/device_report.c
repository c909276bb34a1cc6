// SPDX-License-Identifier: Apache-2.0
//
// From what the GPU's assembler said of each kernel to the figures of a build report.
#include "control/compile/cuda/ptxas_report.h"
#include "control/compile/variant_internal.h"

void build_report_take_log(struct build_report *report, const char *log, struct arena *arena) {
    struct ptxas_report said;
    ptxas_report_read(log, arena, &said);
    ptxas_report_name(&said, arena);
    if (said.registers >= 0) report->registers = said.registers;
    if (said.spill_bytes >= 0) report->spill_bytes = said.spill_bytes;
    if (said.shared_bytes >= 0) report->shared_bytes = said.shared_bytes;
    if (said.stack_bytes >= 0) report->stack_bytes_max = said.stack_bytes;
    if (said.entry_count) report->entries = ptxas_report_format(&said, arena);
}
