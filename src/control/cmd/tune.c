// SPDX-License-Identifier: Apache-2.0
//
// `assay tune`: which settings of a kernel are faster? Codes: 0 there is an elite; 3 no gain is shown.
#include <inttypes.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/file.h"
#include "control/cmd/print_result.h"
#include "control/flow/tune/tune_history.h"
#include "control/flow/tune/tune_run.h"
#include "report/tune/tune_report.h"

// "heat 3: 20 variants tried, 4 alive, best so far BLOCK_M=64 at 1.18x, 2 min left"
static void print_heat(void *arg, const struct tune *tune) {
    const struct cmd_options *options = arg;
    const struct tune_record *record = &tune->record;
    const struct tune_variant *best = NULL;
    size_t alive = 0;
    if (!cmd_wants_progress(options)) return;
    for (size_t i = 0; i < record->variant_count; ++i) {
        const struct tune_variant *item = &record->variants[i];
        if (item->fate != TUNE_FATE_ALIVE) continue;
        ++alive;
        if (!best || item->speedup > best->speedup) best = item;
    }
    struct strbuf out = {0};
    strbuf_addf(&out, "heat %u: %zu variants tried, %zu alive", (unsigned)record->heat_count,
                record->variant_count, alive);
    if (best) strbuf_addf(&out, ", best so far %s at %.2fx", best->config, best->speedup);
    if (tune->deadline_ns) {
        char text[48];
        const uint64_t now_ns = clock_ns();
        progress_duration_format(tune->deadline_ns > now_ns ? 1e-9 * (double)(tune->deadline_ns - now_ns) : 0,
                                 text, sizeof text);
        strbuf_addf(&out, ", %s left", text);
    }
    strbuf_add_char(&out, '\n');
    cmd_print_free(&out);
}

// "proposal 3: refused: it printed nothing"
static void print_proposal(void *arg, const struct tune_proposal *proposal) {
    const struct cmd_options *options = arg;
    if (!cmd_wants_progress(options)) return;
    struct strbuf out = {0};
    strbuf_add_linef(&out, "proposal %u: %s%s%s", (unsigned)proposal->number,
                     tune_answer_names[proposal->answer], proposal->reason ? ": " : "",
                     str_or(proposal->reason, ""));
    cmd_print_free(&out);
}

static int print_plan(const struct tune *tune, const struct cmd_options *options) {
    const struct tune_record *record = &tune->record;
    struct strbuf out = {0};
    if (options->is_json) {
        tune_record_write(record, &out);
        return cmd_print_free(&out);
    }
    strbuf_add_linef(&out,
                     "%s on %s: %" PRIu64 " points in %zu settings, %s search, at most %u rounds a heat",
                     record->kernel, record->device, record->point_count, tune->space.knob_count,
                     record->strategy, (unsigned)record->round_max);
    for (size_t i = 0; i < tune->space.knob_count; ++i) {
        const struct tune_knob *knob = &tune->space.knobs[i];
        struct strbuf values = {0};
        for (size_t k = 0; k < knob->value_count; ++k) strbuf_addf(&values, " %" PRId64, knob->values[k]);
        strbuf_add_linef(&out, "%s:%s", knob->name, strbuf_text(&values));
        strbuf_fini(&values);
    }
    return cmd_print_free(&out);
}

// Writes log.md, --output and --emit: a header only where a variant is best for a problem, so that no table
// replaces one for nothing. Each is tried whatever became of the others.
static int write_files(const struct tune *tune, const struct cmd_options *options, const char *header_path,
                       int exit_code) {
    const struct tune_record *record = &tune->record;
    struct strbuf log = {0}, json = {0}, header = {0};
    char *log_path = path_join(tune->dir, TUNE_LOG);
    tune_report_log(record, &log);
    tune_record_write(record, &json);
    if (record->choice_count) tune_report_header(record, &header);
    exit_code = cmd_write_beside(log_path, &log, exit_code);
    exit_code = cmd_write_beside(options->output, &json, exit_code);
    exit_code = cmd_write_beside(record->choice_count ? header_path : NULL, &header, exit_code);
    free(log_path);
    strbuf_fini(&log);
    strbuf_fini(&json);
    strbuf_fini(&header);
    return exit_code;
}

static int print_end(const struct tune *tune, const struct cmd_options *options) {
    const struct tune_record *record = &tune->record;
    struct strbuf out = {0};
    if (options->is_json) {
        tune_record_write(record, &out);
    } else if (options->is_quiet) {
        tune_report_line(record, cmd_wants_color(options), &out);
    } else {
        tune_report_text(record, cmd_wants_color(options), &out);
        strbuf_add_linef(&out, "log: %s/" TUNE_LOG, tune->dir);
    }
    const int code = cmd_print_free(&out);
    return code ? code : record->exit_code;
}

static int tune_all(const struct cmd_options *options, const struct tune_request *request, struct tune *tune,
                    struct err *err) {
    struct cmd_options copy = *options; // callbacks take what they may change
    const struct tune_callbacks callbacks = {.on_heat = print_heat,
                                             .on_proposal = print_proposal,
                                             .run = cmd_run_callbacks(options),
                                             .arg = &copy};
    if (request->header) TRY(file_check_target(request->header, err));
    TRY(tune_open(tune, request, err));
    if (options->is_dry_run) return print_plan(tune, options);
    if (tune->proposer.command && tune->kernel->source && cmd_wants_progress(options))
        cmd_print("proposed sources are compiled in the sandbox, without ccache\n");
    TRY(tune_run(tune, &callbacks, err));
    const char *warning = NULL;
    tune_history_keep(tune, &warning);
    cmd_warn(warning);
    return write_files(tune, options, request->header, print_end(tune, options));
}

static int run_tune(const struct command *command, int argc, char **argv) {
    struct cmd_options options = cmd_options_default();
    struct tune_request request = {.round_max = TUNE_RACE_ROUNDS, .final_rounds = TUNE_FINAL_ROUNDS};
    const struct option own[] = {
        {"kernel", "KERNEL", "a kernel of the manifest (default: its gate.candidate)", OPTION_TEXT,
         &options.session.kernel},
        {"strategy", "evolutionary|random|exhaustive", "which points are tried (default evolutionary)",
         OPTION_TEXT, &request.strategy},
        {"proposer", "COMMAND", "a program that proposes sources or settings, in a sandbox; docs/tune.md",
         OPTION_TEXT, &request.proposer.command},
        {"proposer-time", "T", "for one answer, and for each step of compiling it (default 120s)",
         OPTION_DURATION, &request.proposer.limit_ns},
        {"proposer-network", NULL, "lets it connect to others", OPTION_FLAG, &request.proposer.has_network},
        {"prompt", "FILE", "a text that the proposer gets, for a language model", OPTION_TEXT,
         &request.proposer.prompt_path},
        {"profile", "FILE", "of 'assay profile --json': its bottleneck decides which settings come first",
         OPTION_TEXT, &request.profile},
        {"try", "CONFIG", "measure this variant alone: BLOCK_M=128,WARPS=8", OPTION_TEXT, &request.trial},
        {"predict", "TEXT", "what you expect of --try; printed beside what is measured", OPTION_TEXT,
         &request.prediction},
        OPTION_UNDER(OPTION_HOW),
        {"rounds", "N", "rounds of a heat, at most (default 5)", OPTION_U32, &request.round_max},
        {"final-rounds", "N", "rounds of the final that decide; as many again are claimed from (default 10)",
         OPTION_U32, &request.final_rounds},
        OPTION_UNDER(OPTION_OUTPUT),
        {"emit", "FILE.h", "where a variant is best for any problem: ranges of problems to settings",
         OPTION_TEXT, &request.header},
        OPTION_UNDER(OPTION_HOW),
        {"max-variants", "N", "try no more than that", OPTION_COUNT, &request.variant_max},
        {"variant-time", "T", "drop a variant whose checks and samples in a heat take longer: 30s",
         OPTION_DURATION, &request.variant_limit_ns},
        {"budget", "T", "begin no heat after that time: 90s", OPTION_DURATION, &request.budget_ns},
        {0},
    };
    struct option_line line = {.argc = argc, .argv = argv};
    struct err err = {0};
    struct tune state = {0};
    int code = cmd_parse(command, own, &options, &line, &err);
    if (code == CMD_HELP_PRINTED) return 0;
    options.session.unnamed = SESSION_UNNAMED_CANDIDATE;
    request.session = options.session;
    if (code == 0) code = tune_all(&options, &request, &state, &err);
    const int exit_code = code < 0 ? cmd_fail(&options, &err) : code;
    tune_close(&state);
    return exit_code;
}

const struct command command_tune = {
    .is_output_document = true,
    .name = "tune",
    .summary = "which settings of a kernel are faster? a search, a race, and an elite measured afresh",
    .usage = "assay tune [--kernel K] [--strategy NAME] [--budget T] [OPTIONS]",
    .details =
        "Tries settings that the kernel declares, as far as the manifest's key 'tune' allows them. Variants\n"
        "are built, checked on the suite, and raced beside the kernel as it is; losers are dropped as soon\n"
        "as the rounds say so. The three fastest are measured again in fresh processes: the first half of\n"
        "those rounds decides who is in the elite, the other half is what is claimed. Writes\n"
        "runs/<id>/tune.json and log.md. After a kill, the same command with --resume goes on.\n"
        "Codes: 0 there is an elite; 3 no gain of 3 % is shown.\n"
        "\n"
        "example\n"
        "  assay tune --kernel tiled --suite cpu --only s512 --budget 600s\n"
        "  assay tune --kernel tiled --strategy exhaustive --dry-run\n"
        "  assay tune --kernel tiled --try BLOCK_M=128 --predict '1.3x: K and V are converted less often'",
    .run = run_tune,
    .option_groups = CMD_OPTIONS_SESSION | CMD_OPTIONS_SUITE | CMD_OPTIONS_RUN | CMD_OPTIONS_OUTPUT |
                     CMD_OPTIONS_SAMPLING | CMD_OPTIONS_LOCK,
};
