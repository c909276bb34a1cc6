// SPDX-License-Identifier: Apache-2.0
//
// Every figure of every problem and kernel as one wide table, for formats that have the room.
#include <math.h>

#include "report/result/figure_text.h"
#include "report/result/report_parts.h"
#include "verdict/summary.h"

static void add_row(const struct result *result, const struct result_case *item, uint32_t side,
                    const struct summary *summary, struct report_blocks *blocks, struct report_block *table) {
    const struct case_summary *figures = &summary->figures;
    const char *metric = result->environment.metric;
    struct arena *arena = blocks->arena;
    char bytes[FIGURE_TEXT_BYTES] = "";
    const double clock_hz = isfinite(figures->kernel_clock_hz)  ? figures->kernel_clock_hz
                            : isfinite(summary->state.clock_hz) ? summary->state.clock_hz
                                                                : summary->clock_probe_high_hz;
    struct report_row *row = report_row_add(blocks, table);
    size_t at = 0;
    row->cells[at++] = result_case_name(item);
    row->cells[at++] = result_side_name(result, side, arena);
    if (!figures->is_set) {
        row->cells[at] = report_untimed_label(result_case_outcome(item, side));
        return;
    }
    if (isfinite(figures->peak_memory_bytes))
        term_format_bytes(figures->peak_memory_bytes, bytes, sizeof bytes);
    row->cells[at++] = figure_amount(metric, figures->median_ns, arena);
    row->cells[at++] = figure_amount_interval(metric, figures->median_low_ns, figures->median_high_ns,
                                              figures->median_ns, arena);
    row->cells[at++] = figure_amount_beside(metric, figures->mean_ns, figures->median_ns, arena);
    row->cells[at++] = figure_amount(metric, figures->sd_ns, arena);
    row->cells[at++] = figure_amount_beside(metric, figures->p95_ns, figures->median_ns, arena);
    row->cells[at++] = figure_amount_beside(metric, figures->p99_ns, figures->median_ns, arena);
    row->cells[at++] = figure_pct(figures->cv_pct, arena);
    row->cells[at++] = figure_flop_rate(figures->gflop_per_s, arena);
    row->cells[at++] = figure_byte_rate(figures->gb_per_s, arena);
    row->cells[at++] = arena_strdup(arena, bytes);
    row->cells[at++] =
        isfinite(figures->flop_per_byte) ? arena_format(arena, "%.1f", figures->flop_per_byte) : "";
    row->cells[at++] = figure_pct(figures->ceiling_pct, arena);
    row->cells[at++] = arena_format(arena, "%zu", figures->sample_count);
    row->cells[at++] = isfinite(clock_hz) ? arena_format(arena, "%.0f MHz", clock_hz / 1e6) : "";
    if (summary_has_call(result, summary)) row->cells[at] = figure_time(figures->call_wall_ns, arena);
    row->cells[++at] = figure_energy(figures->launch_energy_j, arena);
    if (isfinite(figures->power_w)) row->cells[++at] = arena_format(arena, "%.0f W", figures->power_w);
}

int report_content_figures(const struct result *result, struct report_blocks *blocks) {
    static const char *const head[] = {
        "problem", "kernel",     "median", "95 %",      "mean",        "sd",
        "P95",     "P99",        "CV",     "FLOP rate", "byte rate",   "memory",
        "FLOP/B",  "of ceiling", "n",      "clock",     "single call", "energy of a launch",
        "power"};
    struct report_block *table = report_table_add(blocks, "llrrrrrrrrrrrrrrrrr", head);
    table->text = "Figures (median is P50)";
    table->is_folded = true;
    for (size_t i = 0; i < result->case_count; ++i) {
        for (uint32_t side = 0; side < result->side_count; ++side) {
            struct summary summary;
            if (summary_get(result, &result->cases[i], side, &summary) < 0) return -1;
            add_row(result, &result->cases[i], side, &summary, blocks, table);
        }
    }
    report_table_drop_empty(table);
    report_block_drop_empty(blocks, table);
    return 0;
}
