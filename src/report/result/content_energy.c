// SPDX-License-Identifier: Apache-2.0
//
// The energy of a launch and the power, side by side: where each side had the device for itself (the
// sustained power mode) and the device counts energy.
#include <math.h>

#include "report/result/figure_text.h"
#include "report/result/report_parts.h"
#include "verdict/summary.h"

static void add_row(const struct result *result, size_t index, const struct case_summary *figures,
                    struct report_blocks *blocks, struct report_block *table) {
    struct arena *arena = blocks->arena;
    const size_t subject = report_subject(result);
    struct report_row *row = report_row_add(blocks, table);
    size_t at = 0;
    row->cells[at++] = result_case_name(&result->cases[index]);
    for (size_t side = 0; side < result->side_count; ++side)
        row->cells[at++] =
            isfinite(figures[side].launch_energy_j)
                ? arena_format(arena, "%s at %.0f W", figure_energy(figures[side].launch_energy_j, arena),
                               figures[side].power_w)
                : "-";
    for (size_t side = 0; side < result->side_count; ++side) {
        const double ratio = figures[side].launch_energy_j / figures[subject].launch_energy_j;
        if (side != subject) row->cells[at++] = isfinite(ratio) ? figure_ratio(ratio, arena) : "-";
    }
}

int report_content_energy(const struct result *result, struct report_blocks *blocks) {
    struct report_block *table = NULL;
    struct case_summary figures[WORK_SIDES_MAX];
    for (size_t i = 0; i < result->case_count; ++i) {
        bool is_known = false;
        for (uint32_t side = 0; side < result->side_count; ++side) {
            struct summary summary;
            if (summary_describe(result, &result->cases[i], side, &summary) < 0) return -1;
            figures[side] = summary.figures;
            is_known |= isfinite(figures[side].launch_energy_j);
        }
        if (!is_known) continue;
        if (!table) {
            table = report_table_add(blocks, "l", (const char *const[]){"energy of a launch"});
            for (size_t side = 0; side < result->side_count; ++side)
                report_column_add(table, 'r', result_side_name(result, side, blocks->arena));
            for (size_t side = 0; side < result->side_count; ++side)
                if (side != report_subject(result))
                    report_column_add(table, 'r',
                                      arena_format(blocks->arena, "over %s",
                                                   result_side_name(result, side, blocks->arena)));
        }
        add_row(result, i, figures, blocks, table);
    }
    return 0;
}
