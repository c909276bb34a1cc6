// SPDX-License-Identifier: Apache-2.0
//
// Prints what was collected in groups, then the bottleneck with the numbers that decide, then hypotheses.
#include "profile/profile_text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "base/term.h"

enum { CELL_BYTES = 128, STALLS_SHOWN = 4, STALL_SHOWN_PCT = 5 };

int function_base_name(const char *function, const char **ret) {
    static const char unnamed[] = "(anonymous namespace)::";
    *ret = str_starts(function, "void ") ? function + strlen("void ") : function;
    const size_t skipped = str_starts(*ret, unnamed) ? strlen(unnamed) : 0;
    return (int)(skipped + strcspn(*ret + skipped, "<("));
}

// A row of the table where its first figure is known; cells are cut.
static void row_add(struct term_table *table, const char *name, double first, const char *format, ...) {
    char cell[CELL_BYTES];
    va_list values;
    if (isnan(first)) return;
    va_start(values, format);
    vsnprintf(cell, sizeof cell, format, values);
    va_end(values);
    term_table_add(table, (const char *[]){name, cell});
}

// The reasons that take a share worth a look, the longest first.
static void stalls_add(struct term_table *table, const struct profile *p) {
    double left_pct[STALL_COUNT];
    memcpy(left_pct, p->stalls_pct, sizeof left_pct);
    left_pct[STALL_SELECTED] = left_pct[STALL_NOT_SELECTED] = 0;
    for (int rank = 0; rank < STALLS_SHOWN; ++rank) {
        int longest = 0;
        for (int i = 1; i < STALL_COUNT; ++i)
            if (left_pct[i] > fmax(left_pct[longest], 0)) longest = i; // of NAN: 0
        if (!(left_pct[longest] >= STALL_SHOWN_PCT)) return;
        row_add(table, rank ? "" : "longest stalls", 0, "%s, %.0f %% of the latency",
                profile_stall_name((enum profile_stall)longest), left_pct[longest]);
        left_pct[longest] = 0;
    }
}

static void figures_print(const struct profile *p, bool color, struct strbuf *out) {
    struct term_table *table = term_table_new(2, "ll");
    char shared[32], bytes[32];
    term_format_bytes(p->shared_bytes, shared, sizeof shared);
    term_format_bytes(p->dram_bytes, bytes, sizeof bytes);
    const char *name = NULL;
    const int length = function_base_name(p->kernel, &name);
    row_add(table, "kernel", 0, "%.*s", length, name);
    term_table_add(table, (const char *[]){"grid", p->grid});
    term_table_add(table, (const char *[]){"block", p->block});
    row_add(table, "registers", p->registers, "%.0f a thread", p->registers);
    row_add(table, "shared memory", p->shared_bytes, "%s a block", shared);
    row_add(table, "blocks an SM", p->blocks_per_sm, "%.0f", p->blocks_per_sm);
    row_add(table, "waves", p->waves, "%.2f", p->waves);
    row_add(table, "SM clock", p->sm_clock_hz, "%.0f MHz", p->sm_clock_hz / 1e6);
    row_add(table, "SM throughput", p->sm_pct, "%.1f %%", p->sm_pct);
    row_add(table, "tensor pipe", p->tensor_pct, "%.1f %% active", p->tensor_pct);
    row_add(table, "issue slots", p->issue_pct, "%.1f %%", p->issue_pct);
    row_add(table, "DRAM", p->dram_pct, "%.1f %%", p->dram_pct);
    row_add(table, "DRAM rate", p->dram_gb_per_s, "%.0f GB/s", p->dram_gb_per_s);
    row_add(table, "DRAM bytes", p->dram_bytes, "%s", bytes);
    row_add(table, "L2", p->l2_pct, "%.1f %%", p->l2_pct);
    row_add(table, "L2 hits", p->l2_hit_pct, "%.1f %%", p->l2_hit_pct);
    row_add(table, "L1 hits", p->l1_hit_pct, "%.1f %%", p->l1_hit_pct);
    row_add(table, "occupancy", p->occupancy_pct, "%.1f %%", p->occupancy_pct);
    row_add(table, "occupancy allowed", p->occupancy_max_pct, "%.1f %%", p->occupancy_max_pct);
    row_add(table, "bank conflicts", p->bank_conflict_pct, "%.1f %% of the wavefronts", p->bank_conflict_pct);
    row_add(table, "bytes of a sector", p->bytes_per_sector_pct, "%.0f %% used", p->bytes_per_sector_pct);
    row_add(table, "sectors a request", p->sectors_per_request, "%.1f", p->sectors_per_request);
    row_add(table, "local memory", p->local_pct, "%.2f %% of the instructions", p->local_pct);
    stalls_add(table, p);
    term_table_print(table, color, out);
    term_table_free(table);
}

static void cpu_figures_print(const struct cpu_profile *p, bool color, struct strbuf *out) {
    struct term_table *table = term_table_new(2, "ll");
    row_add(table, "instructions", p->instructions, "%.4g", p->instructions);
    row_add(table, "cycles", p->cycles, "%.4g", p->cycles);
    row_add(table, "instructions a cycle", p->instructions_per_cycle, "%.2f", p->instructions_per_cycle);
    row_add(table, "branch misses", p->branch_miss_pct, "%.2f %% of the branches", p->branch_miss_pct);
    row_add(table, "L1 misses", p->l1d_miss_pct, "%.2f %% of the loads", p->l1d_miss_pct);
    row_add(table, "last level misses", p->cache_misses_per_kilo_instr, "%.2f a thousand instructions",
            p->cache_misses_per_kilo_instr);
    row_add(table, "vector width", p->vector_bits, "%.0f bits on average", p->vector_bits);
    row_add(table, "time of all threads", p->task_clock_ns, "%.3f ms, while counted", p->task_clock_ns / 1e6);
    row_add(table, "page faults", p->page_faults, "%.0f", p->page_faults);
    row_add(table, "context switches", p->context_switches, "%.0f", p->context_switches);
    row_add(table, "migrations", p->migrations, "%.0f", p->migrations);
    term_table_print(table, color, out);
    term_table_free(table);
}

static void diagnosis_print(const struct diagnosis *diagnosis, bool color, struct strbuf *out) {
    strbuf_add(out, "\nBottleneck: ");
    term_add(out, color, TERM_BOLD, bottleneck_name(diagnosis->bottleneck));
    strbuf_addf(out, "\n  %s\n", diagnosis->because);
    for (size_t i = 0; i < diagnosis->note_count; ++i) strbuf_addf(out, "  %s\n", diagnosis->notes[i]);
    if (diagnosis->hypothesis_count) strbuf_add(out, "\nHypotheses, the largest gain first\n");
    for (size_t i = 0; i < diagnosis->hypothesis_count; ++i) {
        const struct hypothesis *one = &diagnosis->hypotheses[i];
        strbuf_addf(out, "%zu. %s", i + 1, one->text);
        if (isfinite(one->gain)) strbuf_addf(out, ", up to %.2f x", one->gain);
        strbuf_addf(out, "\n   because  %s\n   to test  %s\n", one->metric, one->test);
    }
}

void profile_print(const struct profile *profile, const struct diagnosis *diagnosis, bool color,
                   struct strbuf *out) {
    figures_print(profile, color, out);
    diagnosis_print(diagnosis, color, out);
}

void cpu_profile_print(const struct cpu_profile *profile, const struct diagnosis *diagnosis, bool color,
                       struct strbuf *out) {
    cpu_figures_print(profile, color, out);
    diagnosis_print(diagnosis, color, out);
}
