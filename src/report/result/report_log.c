// SPDX-License-Identifier: Apache-2.0
//
// A run as a log for people, in Markdown: environment, correctness, what was measured, what explains it, what
// to do next. The same parts as the other reports, in the order of the work. A tuning has its own
// (report/tune/tune_text.c).
#include "report/result/report_parts.h"

#define NOT_WORSE "Nothing got worse. `assay profile` says what limits the kernel now."
#define ACCEPTED                                                                                             \
    "The candidate is slower, as the table says, and that was accepted. `assay profile` says what limits "   \
    "the kernel now."
#define LOOK_CLOSER                                                                                          \
    "Something got worse or is wrong, as the table says: repeat it with the commands below, look at the "    \
    "samples with `assay report RUN --samples`, and at what moved with `assay profile`."
#define UNMET                                                                                                \
    "The claimed improvement is not proved. `assay profile` says what limits the kernel now; without the "   \
    "claim the other verdicts stand by themselves."
#define ALIKE "Both are alike: a larger change, or more samples, would show more."
#define REMOVED                                                                                              \
    "What only the baseline has was not compared: `--allow-removed` lets it pass, where that is meant."
#define NOT_BUILT                                                                                            \
    "There was nothing to measure, as the sentence at the top says: `assay build` shows what the compiler "  \
    "says."
#define UNDECIDED                                                                                            \
    "Nothing is decided, as the sentence at the top says. Where the machine is the cause, `assay doctor` "   \
    "says what disturbs it; a rerun draws another seed."

static const char *next_step(const struct result *result) {
    const struct decision *decision = result->decision;
    if (!decision)
        return "This run decides nothing: `assay gate` compares two kernels, `assay tune` looks for faster "
               "settings.";
    const bool is_failed = decision->exit_code == 1;
    switch (decision->verdict) {
    case VERDICT_REGRESSION: return is_failed ? LOOK_CLOSER : ACCEPTED;
    case VERDICT_WRONG:
    case VERDICT_WORSE_BUILD: return LOOK_CLOSER;
    // Only a claim that is not proved fails a gate with one of these.
    case VERDICT_IMPROVEMENT:
    case VERDICT_MAINTAINED:
    case VERDICT_SAME_CODE: return is_failed ? UNMET : NOT_WORSE;
    case VERDICT_NO_DIFFERENCE: return is_failed ? UNMET : decision->exit_code == 3 ? UNDECIDED : ALIKE;
    case VERDICT_REMOVED: return decision->unmet ? UNMET : REMOVED;
    default: return decision->unmet ? UNMET : is_failed ? NOT_BUILT : UNDECIDED;
    }
}

static int build(const struct result *result, const struct report_options *options,
                 struct report_blocks *blocks) {
    report_content_title(result, options, blocks);
    report_block_add(blocks, REPORT_HEADING, "Environment");
    report_content_head(result, options, blocks);
    report_block_add(blocks, REPORT_HEADING, "Correctness");
    report_content_checks(result, blocks);
    report_block_add(blocks, REPORT_HEADING, "Measured");
    if (result->decision)
        report_content_decision(result, options, blocks);
    else if (report_content_bench(result, options, blocks) < 0)
        return -1;
    if (report_content_figures(result, blocks) < 0) return -1;
    if (report_content_data(result, blocks) < 0) return -1;
    if (report_content_energy(result, blocks) < 0) return -1;
    report_block_add(blocks, REPORT_HEADING, "What explains it");
    report_content_explanation(result, blocks);
    report_content_ratchets(result, options, blocks);
    report_content_builds(result, options, blocks);
    if (report_content_warnings(result, NULL, blocks) < 0) return -1;
    report_block_add(blocks, REPORT_HEADING, "Next");
    report_block_add(blocks, REPORT_PARAGRAPH, next_step(result));
    report_content_commands(result, blocks);
    return 0;
}

int report_log_print(const struct result *result, const struct report_options *options, struct strbuf *out) {
    struct arena arena = {0};
    struct report_blocks blocks = {.arena = &arena, .has_wide_tables = true};
    const int status = build(result, options, &blocks);
    if (status == 0) report_markdown_add(&blocks, result, options, out);
    arena_fini(&arena);
    return status;
}
