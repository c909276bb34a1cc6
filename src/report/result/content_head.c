// SPDX-License-Identifier: Apache-2.0
//
// The parts of a report around its table: where and how it was measured, the checks, what the compiler
// changed.
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/comma.h"
#include "base/strbuf.h"
#include "report/result/case_lines.h"
#include "report/result/figure_text.h"
#include "report/result/report_parts.h"
#include "verdict/problem_ceilings.h"

#define FAILURES_SHOWN_MAX 10

static const char *joined(struct arena *arena, const char *a, const char *between, const char *b) {
    if (!a || !*a) return b;
    return b && *b ? arena_format(arena, "%s%s%s", a, between, b) : a;
}

// The notes that a side's kernels made when they were prepared (versions, what ran): each once, in order of
// appearance.
static const char *notes_text(const struct result *result, size_t side, struct arena *arena) {
    const size_t count = result->check_count + result->case_count;
    const char **notes = arena_array(arena, count + 1, sizeof *notes);
    const char *text = NULL;
    for (size_t i = 0; i < count; ++i) {
        const struct result_case *item =
            i < result->check_count ? &result->checks[i] : &result->cases[i - result->check_count];
        size_t before = 0;
        notes[i] = item->checks[side].note;
        while (strcmp(notes[before], notes[i]) != 0) ++before;
        if (*notes[i] && before == i) text = joined(arena, text, "; ", notes[i]);
    }
    return text;
}

// "2.2 device minutes"
static const char *minutes_text(double seconds, const char *of, struct arena *arena) {
    const bool is_short = seconds < 60;
    return arena_format(arena, "%.1f %s%s", is_short ? seconds : seconds / 60, of,
                        is_short ? "seconds" : "minutes");
}

// Device time, and its price if the manifest states one: "2.2 device minutes of 3.0 minutes elapsed, 0.09 at
// 2.50 an hour". The time of a simulated device is virtual and costs nothing. NULL: too little to show.
const char *report_not_checked(const struct result *result, struct arena *arena) {
    if (!result->not_checked) return NULL;
    if (str_equal(result->not_checked, RESULT_TIMES_ONLY)) return RESULT_TIMES_ONLY;
    return arena_format(arena, "%s: the kernel does not declare that it takes these", result->not_checked);
}

const char *report_used_text(const struct result *result, struct arena *arena) {
    const bool is_virtual = str_starts(str_or(result->environment.device, ""), SIM_DEVICE_PREFIX);
    if (!(result->device_s >= 0.05)) return NULL;
    const char *time = minutes_text(result->device_s, is_virtual ? "virtual " : "device ", arena);
    if (result->elapsed_s > 0)
        time = arena_format(arena, "%s of %s elapsed", time, minutes_text(result->elapsed_s, "", arena));
    if (is_virtual || !(result->cost_per_hour > 0)) return time;
    double price = result->device_s / 3600 * result->cost_per_hour;
    const char *sum = price < 0.005 ? "under 0.01" : arena_format(arena, "%.2f", price);
    return arena_format(arena, "%s, %s at %.2f an hour", time, sum, result->cost_per_hour);
}

static bool limits_a_problem(const struct result *result, const struct ceiling *ceiling) {
    for (size_t i = 0; i < result->case_count; ++i) {
        const struct problem_ceilings at =
            problem_ceilings_get(&result->environment, result->cases[i].work.dtype, NAN);
        if (at.arithmetic == ceiling || at.memory == ceiling) return true;
    }
    return false;
}

// "bf16 matrix 923 TFLOP/s at 1755 MHz, read 4.45 TB/s; measured 3 days before the run": those that limit a
// problem of the run. Of a file without their list: "8.00 TFLOP/s, 80.0 GB/s".
static const char *ceilings_text(const struct result *result, struct arena *arena) {
    const struct environment *environment = &result->environment;
    const char *text = "";
    if (!environment->ceiling_count)
        text = joined(arena, figure_flop_rate(environment->ceiling_gflop_per_s, arena), ", ",
                      figure_byte_rate(environment->ceiling_gb_per_s, arena));
    for (size_t i = 0; i < environment->ceiling_count; ++i) {
        const struct ceiling *ceiling = &environment->ceilings[i];
        if (!limits_a_problem(result, ceiling)) continue;
        const struct ceiling_kind *kind = ceiling_kind_find(ceiling->name);
        const char *rate = ceiling_is_of_bytes(kind) ? figure_byte_rate(ceiling->value, arena)
                                                     : figure_flop_rate(ceiling->value, arena);
        const char *clock = kind->scales_with_clock && ceiling->clock_hz > 0
                                ? arena_format(arena, " at %.0f MHz", ceiling->clock_hz / 1e6)
                                : "";
        text = joined(arena, text, ", ", arena_format(arena, "%s %s%s", kind->label, rate, clock));
    }
    if (!*text) return "not measured: throughputs are not checked against them";
    return joined(arena, text, "; ", ceilings_age_text(result, arena));
}

// Facts that only assay's own measurements have.
static void add_own_facts(const struct result *result, struct report_blocks *blocks,
                          struct report_block *block) {
    struct arena *arena = blocks->arena;
    const struct sampling *sampling = &result->sampling;
    char sample_time[FIGURE_TEXT_BYTES];
    report_fact_add(blocks, block, "ceilings", ceilings_text(result, arena));
    if (metric_is_counted(result->sampling.metric)) {
        report_fact_add(blocks, block, "samples",
                        "a count a side and round, of launches on inputs of their own");
    } else if (result->case_count && !result->lacks_sampling) {
        const char *until =
            sampling->until_pct > 0 ? arena_format(arena, ", until +-%g %%", sampling->until_pct) : "";
        term_format_time((double)sampling->sample_time_ns, sample_time, sizeof sample_time);
        report_fact_add(blocks, block, "samples",
                        arena_format(arena,
                                     "%" PRIu32 " a side and round%s, %" PRIu32 " warm-ups, at least %s each",
                                     sampling->sample_count, until, sampling->warmup_count, sample_time));
    }
    if (!result->lacks_seed)
        report_fact_add(blocks, block, "seed", arena_format(arena, "%" PRIu64, result->seed));
}

static const char *isolation_text(enum isolation isolation) {
    return isolation == ISOLATION_PROCESS ? "process: each kernel in a process of its own, sandboxed"
           : isolation == ISOLATION_NONE  ? "none: kernels run in the process that checks and times them"
                                          : NULL;
}

static const char *metric_text(const struct environment *environment, struct arena *arena) {
    const char *metric = environment->metric;
    if (str_equal(metric, metric_name(METRIC_CALL_TIME)))
        return "call_time: single calls, each waited for by itself, with what a call costs";
    if (str_equal(metric, metric_name(METRIC_INSTRUCTIONS)) && !environment->is_accelerator)
        return "instructions: counted by Valgrind's callgrind on one thread and without AVX-512, whatever "
               "runs "
               "beside it; what memory, caches and clocks cost does not show";
    if (metric_is_counted(metric_parse(metric)))
        return arena_format(
            arena,
            "%s: counted by the GPU, whatever runs beside it, and read in the kernel's own process: "
            "no proof against code that wants to deceive",
            metric);
    return metric ? arena_strdup(arena, metric) : NULL;
}

void report_content_head(const struct result *result, const struct report_options *options,
                         struct report_blocks *blocks) {
    const struct environment *environment = &result->environment;
    struct arena *arena = blocks->arena;
    struct report_block *block = report_block_add(blocks, REPORT_FACTS, NULL);
    const bool is_both = environment->device_name && environment->device;
    const char *device = is_both ? arena_format(arena, " (%s)", environment->device) : environment->device;
    // On a processor the driver is the operating system's kernel, which `os` may already name.
    const char *driver = str_starts(str_or(environment->driver, ""), "Linux ") ? ", kernel " : ", driver ";
    const bool is_named =
        environment->driver && environment->os && strstr(environment->driver, environment->os);
    const struct {
        const char *name, *first, *between, *second;
    } facts[] = {
        {"device", environment->device_name, "", device},
        {"runs on", environment->isa, ", ", environment->threads},
        {"priority", environment->priority, "", NULL},
        {"others", environment->busy_limit ? "may take " : NULL, "", environment->busy_limit},
        {"system", is_named ? "" : environment->os, driver, environment->driver},
        {"clocks", environment->clock_policy, ", power mode ", environment->power_mode},
        {"cache", environment->cache_mode, "", NULL},
        {"metric", metric_text(environment, arena), "", NULL},
        {"isolation", isolation_text(result->sampling.isolation), "", NULL},
    };
    report_fact_add(blocks, block, "baseline", options->base_file);
    report_fact_add(blocks, block, "candidate", options->cand_file);
    for (size_t i = 0; i < sizeof facts / sizeof *facts; ++i)
        report_fact_add(blocks, block, facts[i].name,
                        joined(arena, facts[i].first, facts[i].between, facts[i].second));
    if (!result->external_format) add_own_facts(result, blocks, block);
    report_fact_add(blocks, block, "suite",
                    joined(arena, result->suite, ", checked on ", result->check_suite));
    report_fact_add(blocks, block, "not checked", report_not_checked(result, arena));
    for (size_t i = 0; i < result->side_count; ++i) {
        const struct result_side *side = &result->sides[i];
        const char *text = joined(arena, side->config, ", ", side->revision);
        text = joined(arena, text, ", ", side->build.compiler);
        text = joined(arena, text, " ", side->build.flags);
        text = joined(arena, text, ", ", side->build.is_cached ? "cached" : NULL);
        text = joined(arena, text, "; ", notes_text(result, i, arena));
        report_fact_add(blocks, block, result_side_name(result, i, arena), text);
    }
    report_fact_add(blocks, block, "run", joined(arena, result->run_id, ", ", result->created_utc));
    report_fact_add(blocks, block, "used", report_used_text(result, arena));
    report_fact_add(blocks, block, "output", options->output_path);
}

static void add_failures(const struct result *result, uint32_t side, bool is_matrix,
                         struct report_blocks *blocks, struct report_block *block) {
    size_t shown = 0, left_out = 0, count = is_matrix ? result->check_count : result->case_count;
    for (size_t i = 0; i < count; ++i) {
        const struct result_case *item = is_matrix ? &result->checks[i] : &result->cases[i];
        const struct check_result *check = &item->checks[side];
        if (!outcome_is_wrong(check->outcome)) continue;
        if (shown++ >= FAILURES_SHOWN_MAX) {
            ++left_out;
            continue;
        }
        report_item_addf(blocks, block, "  %s %s%s: %s", outcome_name(check->outcome), item->problem.name,
                         is_matrix ? "" : " (when measured)", check_text(check, blocks->arena));
    }
    if (left_out) report_item_addf(blocks, block, "  and %zu more", left_out);
}

bool report_has_failures(const struct result *result) {
    for (uint32_t side = 0; side < result->side_count; ++side)
        for (int is_matrix = 0; is_matrix < 2; ++is_matrix) {
            const struct check_counts counts = check_counts_get(result, side, is_matrix);
            if (counts.failed + counts.crashed + counts.timed_out) return true;
        }
    return false;
}

void report_content_checks(const struct result *result, struct report_blocks *blocks) {
    if (result->external_format) return; // another tool has checks of its own, or none
    struct report_block *block = report_block_add(blocks, REPORT_LINES, "Checked");
    for (uint32_t side = 0; side < result->side_count; ++side) {
        struct check_counts matrix = check_counts_get(result, side, true);
        struct check_counts measured = check_counts_get(result, side, false);
        bool is_matrix = matrix.total > matrix.open;
        if (!is_matrix && measured.total == measured.open) continue;
        report_item_add(blocks, block, check_tally(result, side, is_matrix, blocks->arena));
        add_failures(result, side, is_matrix, blocks, block);
        // A kernel may pass the matrix and fail on the measured problems.
        if (is_matrix) add_failures(result, side, false, blocks, block);
    }
    const struct report_tolerances own = report_tolerances_get(result, blocks->arena);
    for (size_t i = 0; i < own.count; ++i)
        report_item_addf(blocks, block, REPORT_TOLERANCE "%s", own.lines[i]);
    report_block_drop_empty(blocks, block);
}

// ---- what the compiler said ----

// A figure of both builds. cost: its name in the sentence about resources of which the candidate uses more,
// which may cost time.
struct build_figure {
    const char *what;
    int64_t before, after; // -1: not known
    const char *cost, *cost_unit;
};

static const struct result_side *side_of(const struct result *result, const struct report_options *options,
                                         enum side_role role) {
    const struct result_side *given = role == SIDE_BASELINE ? options->base_side : options->cand_side;
    return given || options->base_side || options->cand_side ? given : report_side_of(result, role);
}

void report_content_builds(const struct result *result, const struct report_options *options,
                           struct report_blocks *blocks) {
    struct arena *arena = blocks->arena;
    const struct result_side *base = side_of(result, options, SIDE_BASELINE);
    const struct result_side *cand = side_of(result, options, SIDE_CANDIDATE);
    if (!base || !cand) return;
    const struct build_report *before = &base->build, *after = &cand->build;
    const struct build_figure figures[] = {
        {"code, bytes", before->code_bytes, after->code_bytes, NULL, NULL},
        {"largest stack frame, bytes", before->stack_bytes_max, after->stack_bytes_max, NULL, NULL},
        {"registers", before->registers, after->registers, "registers", ""},
        {"spills, bytes", before->spill_bytes, after->spill_bytes, "spills", " bytes"},
        {"shared memory, bytes", before->shared_bytes, after->shared_bytes, NULL, NULL},
        {"module in memory, bytes", before->binary_bytes, after->binary_bytes, NULL, NULL},
        {"matrix instructions, PTX", before->matrix_instructions, after->matrix_instructions, NULL, NULL},
    };
    const char *const head[] = {"compiler", report_side_label(result, options, SIDE_BASELINE, arena),
                                report_side_label(result, options, SIDE_CANDIDATE, arena), "difference"};
    struct report_block *block = report_table_add(blocks, "lrrr", head);
    struct strbuf costs = {0}; // "registers 168 -> 255, spills 0 -> 64 bytes"
    block->text = "What the compiler made of it";
    for (size_t i = 0; i < sizeof figures / sizeof *figures; ++i) {
        const struct build_figure *figure = &figures[i];
        if (figure->before < 0 || figure->after < 0 || figure->before == figure->after) continue;
        struct report_row *row = report_row_add(blocks, block);
        row->cells[0] = figure->what;
        row->cells[1] = arena_format(arena, "%" PRId64, figure->before);
        row->cells[2] = arena_format(arena, "%" PRId64, figure->after);
        row->cells[3] = arena_format(arena, "%+" PRId64, figure->after - figure->before);
        if (figure->cost && figure->after > figure->before)
            comma_addf(&costs, "%s %" PRId64 " -> %" PRId64 "%s", figure->cost, figure->before, figure->after,
                       figure->cost_unit);
    }
    const bool is_same = before->code_hash && str_equal(before->code_hash, after->code_hash);
    const bool is_same_source = before->source_hash && str_equal(before->source_hash, after->source_hash);
    const bool has_rows = block->row_count > 0;
    report_block_drop_empty(blocks, block);
    if (!has_rows && is_same)
        report_block_add(blocks, REPORT_PARAGRAPH, "Both sides are the same machine code.");
    if (!has_rows && is_same_source)
        report_block_add(
            blocks, REPORT_PARAGRAPH,
            "Both sides have the same Python source; what it imports from elsewhere may differ.");
    // More of a resource explains a slower kernel, or warns of one that is not slower yet; the measurements
    // decide.
    if (costs.length)
        report_block_add(
            blocks, REPORT_PARAGRAPH,
            arena_format(arena, "The compiler needed more for the candidate: %s.", strbuf_text(&costs)));
    strbuf_fini(&costs);
}
