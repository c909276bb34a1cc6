// SPDX-License-Identifier: Apache-2.0
//
// What all commands share: the common options, help, and how errors and text are printed.
#include "control/cmd/command.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/json_writer.h"

static const char default_device[] = "cpu"; // its address, not its text, tells that --device was not given

struct cmd_options cmd_options_default(void) {
    struct cmd_options options = {0};
    options.session.device = default_device;
    options.session.output_dir = "runs";
    options.session.seed = 42;
    options.session.sampling = sampling_default();
    options.session.sampling.sample_count = SESSION_SAMPLES_DEFAULT;
    options.color = TERM_COLOR_AUTO;
    return options;
}

#define ADD(name, value, kind, target, help)                                                                 \
    option_add(table, (struct option){name, value, help, kind, target})

static void add_run_options(struct option_table *table, struct cmd_options *options, unsigned groups) {
    struct session_options *session = &options->session;
    if (groups & CMD_OPTIONS_SUITE) {
        ADD("suite", "NAME", OPTION_TEXT, &session->suite, "which problems; 'assay list suites' shows them");
        ADD("only", "LIST", OPTION_TEXT, &session->only, "only these short names, e.g. s512,mission");
        ADD("shapes", "LIST", OPTION_TEXT, &session->only, "the same as --only");
        ADD("problem", "NAME", OPTION_TEXT, &session->problem,
            "one problem, e.g. attention/fp32/b1/h2/s512/d64");
        ADD("dtype", "NAME", OPTION_TEXT, &session->dtype,
            "replaces the dtype of a shipped suite: fp32, bf16, ...");
    }
    if (groups & CMD_OPTIONS_RUN) {
        ADD("output-dir", "D", OPTION_TEXT, &session->output_dir, "where runs are kept (default runs)");
        ADD("resume", "RUN", OPTION_TEXT, &session->resume,
            "go on with an interrupted run: its id, folder, or 'last'");
        ADD("dry-run", NULL, OPTION_FLAG, &options->is_dry_run, "print the plan and the time it will take");
    }
    if (groups & CMD_OPTIONS_SAMPLING) {
        struct sampling *sampling = &session->sampling;
        ADD("iters", "N", OPTION_U32, &sampling->sample_count,
            "samples a problem and side (default 100; gate: 20 a round)");
        ADD("warmup", "N", OPTION_U32, &sampling->warmup_count, "launches before sampling (default 20)");
        ADD("until", "PCT", OPTION_PERCENT, &sampling->until_pct,
            "sample until the median's half width is below, e.g. 0.5%");
        ADD("sample-time", "T", OPTION_DURATION, &sampling->sample_time_ns,
            "a sample lasts at least this, e.g. 1ms");
        ADD("case-time", "T", OPTION_DURATION, &sampling->case_budget_ns,
            "stop sampling a problem after this time");
        ADD("cache", "MODE", OPTION_TEXT, &options->cache,
            "cold, rotate or warm (recorded with every number)");
        ADD("regime", "NAME", OPTION_TEXT, &options->power_mode,
            "cool or sustained (recorded with every number)");
        ADD("lock-clocks", "WHAT", OPTION_TEXT, &session->lock_clocks,
            "hold a GPU's clocks while measuring: base, max or MHz");
    }
}

void cmd_options_add(struct option_table *table, struct cmd_options *options, unsigned groups) {
    struct session_options *session = &options->session;
    if (groups & CMD_OPTIONS_KERNEL) {
        ADD("kernel", "K", OPTION_TEXT, &session->kernel,
            "of the manifest, linked in (naive), a peer, MODULE:FUNCTION of Python, simulated");
        ADD("module", "F.so", OPTION_TEXT, &session->module,
            "a built module in place of a manifest's kernel");
        ADD("config", "A=1,B=2", OPTION_TEXT, &session->config, "build configuration, over the manifest's");
        ADD("arch", "LIST", OPTION_TEXT, &session->arch,
            "GPU targets, e.g. sm_90a (default: the device's own)");
    }
    add_run_options(table, options, groups);
    if (groups & CMD_OPTIONS_SESSION) {
        ADD("manifest", "F", OPTION_TEXT, &session->manifest,
            "the manifest (default: assay.yaml here or above)");
        ADD("device", "D", OPTION_TEXT, &session->device,
            "cpu, cuda:0, a GPU's UUID, sim:steady; default: where the named kernels run");
        ADD("threads", "N", OPTION_U32, &session->thread_count, "threads of the cpu device (default: all)");
        ADD("seed", "N", OPTION_U64, &session->seed, "all random numbers come from it (default 42)");
    }
    if (groups & CMD_OPTIONS_OUTPUT)
        ADD("output", "F", OPTION_TEXT, &options->output,
            "also write the result here ('-': standard output)");
    ADD("verbose", NULL, OPTION_FLAG, &session->is_verbose,
        "show command lines and output of compilers, and what kernels printed");
    ADD("quiet", NULL, OPTION_FLAG, &options->is_quiet,
        "no progress and no lines while it runs, only the end");
    ADD("json", NULL, OPTION_FLAG, &options->is_json, "print JSON instead of text");
    ADD("color", "WHEN", OPTION_COLOR, &options->color, "auto, always or never");
    ADD("help", NULL, OPTION_FLAG, &options->is_help, "this text");
}

static int check_sampling(struct cmd_options *options, struct err *err) {
    struct sampling *sampling = &options->session.sampling;
    if (options->power_mode) sampling->power_mode = power_mode_parse(options->power_mode);
    if (sampling->power_mode == POWER_MODE_INVALID)
        return err_set(err, ERR_USAGE, "'%s' is no regime; --regime takes cool or sustained",
                       options->power_mode);
    if (options->cache) sampling->cache_mode = cache_mode_parse(options->cache);
    if (sampling->cache_mode == CACHE_INVALID)
        return err_set(err, ERR_USAGE, "'%s' is no cache mode; --cache takes cold, rotate or warm",
                       options->cache);
    if (sampling->sample_count < 1)
        return err_set(err, ERR_USAGE, "--iters takes 1 or more: without samples there is nothing to say");
    return 0;
}

// Options that would silently win over one another are refused; "--output -" is the document on standard
// output.
static int check_selection(const struct command *command, struct cmd_options *options, struct err *err) {
    const struct session_options *session = &options->session;
    if (session->problem && (session->suite || session->only || session->dtype))
        return err_set(err, ERR_USAGE,
                       "--problem names one whole problem; --suite, --only and --dtype do not go with it");
    if (session->resume && options->is_dry_run)
        return err_set(err, ERR_USAGE,
                       "--dry-run does not go with --resume: the plan is in the run's folder");
    if (command->is_output_document && str_equal(options->output, "-")) {
        options->output = NULL;
        options->is_json = true;
    }
    return 0;
}

// The command as it can be typed again: words that a shell would take apart are quoted.
static void keep_command_line(struct cmd_options *options, const struct option_line *line) {
    struct strbuf text = {0};
    strbuf_add(&text, "assay");
    for (int i = 0; i < line->argc; ++i) {
        const char *word = line->argv[i];
        bool is_plain =
            *word &&
            strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=.,:/@%+") ==
                strlen(word);
        if (is_plain)
            strbuf_addf(&text, " %s", word);
        else
            strbuf_addf(&text, " '%s'", word);
    }
    snprintf(options->command_line, sizeof options->command_line, "%s", strbuf_text(&text));
    options->session.command_line = options->command_line;
    options->session.command = line->argv[0];
    strbuf_fini(&text);
}

int cmd_parse(const struct command *command, const struct option_table *table, struct cmd_options *options,
              struct option_line *line, struct err *err) {
    TRY(option_parse(table, line, err));
    options->session.is_device_default = options->session.device == default_device;
    TRY(check_sampling(options, err));
    if (!options->is_help) {
        keep_command_line(options, line);
        return check_selection(command, options, err);
    }
    struct strbuf out = {0};
    strbuf_addf(&out, "usage: %s\n\n%s\n\noptions\n", command->usage, command->details);
    option_help(table, &out);
    int code = cmd_print(strbuf_text(&out));
    strbuf_fini(&out);
    return code ? err_set(err, ERR_IO, "cannot write to standard output") : 1;
}

int cmd_fail(const struct cmd_options *options, const struct err *err) {
    return cmd_fail_with(options, err, err->code == ERR_CANCELLED ? 130 : err_exit_code(err->code));
}

int cmd_close(int code, const struct err *err, int exit_code) {
    if (code >= 0) return exit_code;
    const int failed = cmd_fail(NULL, err);
    return exit_code ? exit_code : failed;
}

// A sentence quotes files of any origin: nothing in it steers the terminal, and no further line of it (the
// end of a build log) can pass for one of the program's.
static void add_plain_lines(struct strbuf *out, const struct err *err) {
    struct err copy = *err;
    char *rest = copy.text;
    for (const char *line; (line = strsep(&rest, "\n")) && (*line || rest || line == copy.text);) {
        if (line != copy.text && *line && *line != ' ') strbuf_add(out, "  ");
        strbuf_add_plain(out, line, true);
        strbuf_add_char(out, '\n');
    }
}

int cmd_fail_with(const struct cmd_options *options, const struct err *err, int code) {
    if (options && options->is_json) {
        struct strbuf out = {0};
        struct json_writer w = json_writer_make(&out, 2);
        json_object_begin(&w, NULL);
        json_write_string(&w, "error", err->text);
        json_write_i64(&w, "exit_code", code);
        json_object_end(&w);
        strbuf_add_char(&out, '\n');
        cmd_print(strbuf_text(&out));
        strbuf_fini(&out);
    }
    bool color = term_wants_color(options ? options->color : TERM_COLOR_AUTO, STDERR_FILENO);
    struct strbuf line = {0};
    strbuf_add(&line, "assay: ");
    term_add(&line, color, TERM_RED, "error:");
    strbuf_add_char(&line, ' ');
    add_plain_lines(&line, err);
    fputs(strbuf_text(&line), stderr);
    strbuf_fini(&line);
    return code;
}

int cmd_print(const char *text) {
    if (fputs(text, stdout) == EOF || fflush(stdout) != 0) return err_exit_code(ERR_IO);
    return 0;
}

bool cmd_wants_color(const struct cmd_options *options) {
    return term_wants_color(options->color, STDOUT_FILENO);
}

bool cmd_wants_progress(const struct cmd_options *options) {
    return !options->is_quiet && !options->is_json;
}
