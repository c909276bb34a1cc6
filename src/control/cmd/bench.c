// SPDX-License-Identifier: Apache-2.0
//
// `assay bench`: measures kernels next to each other. Codes: 0 measured, 1 a kernel failed its check, crashed
// or hung, 3 the measurement is not valid.
#include "base/file.h"
#include "control/cmd/print_result.h"
#include "control/flow/bench_run.h"
#include "control/flow/operator_source.h"
#include "control/plan/peer.h"

// A file of an operator names no kernel: those are the manifest's, which may be one that nobody thought of.
static void say_kernels(const struct session *session, const struct run_callbacks *callbacks) {
    const struct session_options *options = &session->options;
    struct strbuf text = {0};
    if (!operator_source_is_given(options) || options->kernel || options->module || !callbacks->on_notice)
        return;
    strbuf_addf(&text, "no kernel is named (--kernel); measured of %s: ", path_base(session->manifest.path));
    for (size_t i = 0, count = 0; i < session->side_count; ++i)
        if (session->sides[i].spec.role == SIDE_CANDIDATE)
            strbuf_addf(&text, "%s%s", count++ ? ", " : "", session->sides[i].spec.label);
    callbacks->on_notice(callbacks->arg, strbuf_text(&text));
    strbuf_fini(&text);
}

static int bench(const struct cmd_options *options, const char *vs, uint32_t round_count,
                 struct session *session, struct run *run, struct err *err) {
    struct plan plan = {0};
    struct run_callbacks callbacks = cmd_run_callbacks(options);
    TRY(session_open(session, &options->session, err));
    if (!options->session.resume) {
        TRY(bench_add_sides(session, vs, err));
        say_kernels(session, &callbacks);
        const char *suite = session_default_suite(session); // of the sides' operator
        if (options->is_dry_run) return cmd_print_bench_plan(session, suite, round_count, options, err);
        TRY(session_build(session, NULL, err));
        cmd_print_builds(session);
        TRY(bench_plan(session, "bench", suite, round_count, &plan, err));
    }
    TRY(run_open(run, session, &plan, &callbacks, err));
    TRY(bench_measure(run, err));
    progress_fini(&run->progress);
    return cmd_print_bench(run, options, err);
}

static int run_bench(const struct command *command, int argc, char **argv) {
    struct cmd_options options = cmd_options_default();
    const char *vs = NULL;
    uint32_t round_count = 1;
    const struct option own[] = {
        {"vs", "PEERS", "measured in the same run, interleaved: kernels, git:REV, peers", OPTION_TEXT, &vs},
        {"distribution", "LIST", "inputs: normal (default), mixed, sink, ...; all: what the operator has",
         OPTION_TEXT, &options.session.distributions},
        OPTION_FORMERLY("family"),
        {"data", "LIST", "the same as --distribution", OPTION_TEXT, &options.session.distributions},
        OPTION_UNDER(OPTION_HOW),
        {"metric", "time|call_time", "time (default), or single calls, each waited for by itself",
         OPTION_TEXT, &options.metric},
        {"rounds", "N", "fresh processes, each with all samples (default 1)", OPTION_COUNT, &round_count},
        {0},
    };
    struct option_line line = {.argc = argc, .argv = argv};
    struct err err = {0};
    struct session session = {0};
    struct run run = {0};
    int code = cmd_parse(command, own, &options, &line, &err);
    if (code == CMD_HELP_PRINTED) return 0;
    if (code == 0 && metric_is_counted(options.session.sampling.metric))
        code = err_set(&err, ERR_USAGE, "bench measures time or call_time; a gate counts");
    if (options.trace && !vs) vs = REFERENCE_NAME; // whose time a trace has, too
    options.session.others = vs;
    options.session.unnamed = SESSION_UNNAMED_ALL;
    if (code == 0) code = bench(&options, vs, round_count, &session, &run, &err);
    return cmd_finish(&options, code, &run, &session, &err);
}

const struct command command_bench = {
    .is_output_document = true,
    .resumes_plan = true,
    .name = "bench",
    .summary = "how fast is it? medians with confidence intervals, kernels side by side",
    .usage = "assay bench [--kernel K[,K...]] [--vs K[,K...]] [OPTIONS]",
    .details =
        "Measures a suite: every kernel of the manifest for the device, or those of --kernel, and the peers\n"
        "of --vs, interleaved in the same process. Writes runs/<id>/result.json, runs/summary.json and\n"
        "runs/result_<problem>.json. A kernel that fails its check has no time.\n"
        "With several input distributions (--distribution, or distributions: of the suite) the report says\n"
        "of every kernel whether its time depends on the data.\n"
        "Peers: torch (PyTorch, its own choice), torch:flash, torch:cudnn, torch:efficient, torch:math,\n"
        "cudnn, flash_attn_3; any MODULE:FUNCTION of Python. cudnn@9.19 takes that version only. For a peer\n"
        "that the device lacks, the error lists those it has.\n"
        "Codes: 0 measured, 1 a kernel failed its check, crashed or hung, 3 the measurement is not valid.\n"
        "\n"
        "example\n"
        "  assay bench --kernel simd --vs tiled --only s512,mission --until 0.5%\n"
        "  assay bench --kernel fa_sm80 --vs torch:flash,cudnn --suite ci\n"
        "  assay bench --kernel fa_sm90 --vs torch:cudnn --suite ci --only s512 --data all",
    .run = run_bench,
    .option_groups = CMD_OPTIONS_MEASURING,
    .is_on_first_screen = true,
};
