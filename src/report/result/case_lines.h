// SPDX-License-Identifier: Apache-2.0
//
// Lines about one problem and side, printed as soon as they are known and again in reports:
//   [14/27] <problem> ... PASS (abs 2.4e-04, rel 8.1e-04)
//   [3/10] s512  median 48.1 us (95 % 48.0 to 48.3)  P95 48.9  P99 49.6  CV 0.4 %
//          357 TFLOP/s  1.40 TB/s  80.5 MB  65 C  1785 MHz SM  3201 MHz mem  620 W
//          single call 61.2 us (wall)
// Values that do not exist are left out. Lines end with a newline.
#ifndef REPORT_RESULT_CASE_LINES_H
#define REPORT_RESULT_CASE_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/strbuf.h"
#include "record/result.h"
#include "verdict/summary.h"

struct case_line {
    const struct result *result;
    const struct result_case *item;
    uint32_t side;
    size_t number, total; // "[number/total]", from 1; total 0: no such field
    bool has_color;
    bool has_label;        // say the side's label (several kernels in one run)
    const char *no_repeat; // why no command repeats a failure; NULL: one does
};

// The line of a check. A failure is followed by its place and values (coordinate, expected, got) and by the
// command that repeats it.
void case_line_check(const struct case_line *line, struct strbuf *out);
// The two lines of a measurement, three on a GPU; if it has no times, one line with the outcome.
void case_line_bench(const struct case_line *line, const struct summary *summary, struct strbuf *out);
// Without newline: "357 TFLOP/s  1.40 TB/s  80.5 MB  65 C ..."; "" when nothing is known.
const char *case_line_rates(const struct summary *summary, struct arena *arena);

// "simd: 27/27 passed", "simd: 26/27 passed, 1 failed"; also says how many are unsupported or skipped.
// is_matrix: counts the correctness matrix; false: the checks of the measured problems.
const char *check_tally(const struct result *result, uint32_t side, bool is_matrix, struct arena *arena);
struct check_counts {
    size_t passed, failed, crashed, timed_out, unsupported, skipped, not_valid, open;
    size_t total;
};
struct check_counts check_counts_get(const struct result *result, uint32_t side, bool is_matrix);

// Why a check failed: its message, else coordinate and values. "" for a check that passed.
const char *check_text(const struct check_result *check, struct arena *arena);
// The command that repeats a check, such as "assay fuzz --kernel simd --problem ... --seed 42",
// with all options that it depends on: the manifest, --repeat, --threads, and --module for a module that no
// manifest names.
const char *check_command(const struct result *result, const struct result_case *item, uint32_t side,
                          struct arena *arena);
// The same after other problems, in their order, with the same inputs.
const char *check_command_after(const struct result *result, const struct result_case *item, uint32_t side,
                                const struct problem *before, size_t before_count, struct arena *arena);

#endif
