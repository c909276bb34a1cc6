// SPDX-License-Identifier: Apache-2.0
//
// Shared by all commands: the common options, help, and how errors and text are printed.
#include "control/cmd/command.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/address.h"
#include "base/comma.h"
#include "base/file.h"
#include "base/json_writer.h"
#include "base/mem.h"
#include "base/process/processors.h"
#include "control/exec/executor.h"
#include "control/plan/manifest/manifest.h"
#include "op/dtype.h"
#include "op/example.h"

#define DTYPES_SHOWN 16 // that a misspelt one is compared with

static const char default_device[] = "cpu"; // this address, not the text, means that --device was not given

static const char default_output_dir[] = "runs"; // the same of --output-dir

struct cmd_options cmd_options_default(void) {
    struct sampling sampling = sampling_default();
    sampling.sample_count = SESSION_SAMPLES_DEFAULT;
    sampling.sample_time_ns = 0; // the device's kind says
    return (struct cmd_options){.session = {.device = default_device,
                                            .output_dir = default_output_dir,
                                            .seed = 42,
                                            .sampling = sampling},
                                .color = TERM_COLOR_AUTO};
}

// Options for what is run and how, in the order of --help.
static void add_run_options(struct option_table *table, struct cmd_options *options, unsigned groups) {
    struct session_options *session = &options->session;
    struct sampling *sampling = &session->sampling;
    const struct option kernel[] = {
        {"kernel", "KERNEL",
         "of the manifest, linked in (naive), a peer, MODULE:FUNCTION of Python, simulated", OPTION_TEXT,
         &session->kernel},
        {"module", "F.so", "a built module in place of a manifest's kernel", OPTION_TEXT, &session->module},
        {"config", "A=1,B=2", "build configuration, over the manifest's", OPTION_TEXT, &session->config},
        {"arch", "LIST", "GPU targets, e.g. sm_90a (default: the device's own)", OPTION_TEXT, &session->arch},
        {0},
    };
    const struct option suite[] = {
        {"suite", "SUITE", "which problems; 'assay list suites' shows them", OPTION_TEXT, &session->suite},
        {"only", "LIST", "only these short names, e.g. s512,mission", OPTION_TEXT, &session->only},
        {"shapes", "LIST", "the same as --only", OPTION_TEXT, &session->only},
        {"problem", "NAME",
         "one problem, or a comma list, e.g. " OP_EXAMPLE_SMALL "; or rows=17 of a declared operator",
         OPTION_TEXT, &session->problem},
        {"dtype", "NAME", "replaces the dtype of a shipped suite: fp32, bf16, ...", OPTION_TEXT,
         &session->dtype},
        {"dataset", "DIR", "a set of problems: FlashInfer Trace, SOL-ExecBench", OPTION_TEXT,
         &session->dataset},
        {"definition", "NAME", "one of the set's definitions, as the operator", OPTION_TEXT,
         &session->definition},
        {"solution", "NAME", "one of its solutions, or 'reference', as the kernel", OPTION_TEXT,
         &session->solution},
        {"input", "NAME=FAMILY", "what fills an input of the definition: 'x=ones; ids=below(vocab_size)'",
         OPTION_TEXT, &session->inputs},
        {0},
    };
    const struct option run[] = {
        OPTION_UNDER(OPTION_OUTPUT),
        {"output-dir", "D", "folder of all runs (default runs, beside the manifest)", OPTION_TEXT,
         &session->output_dir},
        {"trace", "F", "of a set: add a trace for each workload here", OPTION_TEXT, &options->trace},
        OPTION_UNDER(OPTION_WHAT),
        {"resume", "RUN", "continue an interrupted run: its id, folder, or 'last'", OPTION_TEXT,
         &session->resume},
        {"dry-run", NULL, "print the plan and the time it will take", OPTION_FLAG, &options->is_dry_run},
        {0},
    };
    const struct option measuring[] = {
        OPTION_UNDER(OPTION_HOW),
        {"iters", "N", "samples per problem and side (default 100; gate: 20 per round)", OPTION_U32,
         &sampling->sample_count},
        {"warmup", "N", "launches before sampling (default 20)", OPTION_U32, &sampling->warmup_count},
        {"until", "PCT", "until the half width of the median's confidence interval is below, e.g. 0.5%",
         OPTION_SHARE, &sampling->until_pct},
        {"sample-time", "T", "minimum duration of a sample (default 1ms; 2ms on a GPU)", OPTION_DURATION,
         &sampling->sample_time_ns},
        {"case-time", "T", "stop sampling a problem after this time", OPTION_DURATION,
         &sampling->case_budget_ns},
        {"cache", "cold|rotate|warm", "what is in the caches (recorded with every number)", OPTION_TEXT,
         &options->cache},
        {"power-mode", "cool|sustained", "the power mode (recorded with every number)", OPTION_TEXT,
         &options->power_mode},
        OPTION_FORMERLY("regime"),
        {"busy-limit", "PCT",
         "what other programs may take of our processors (default: judged sample by sample)", OPTION_SHARE,
         &sampling->limits.busy_pct},
        {"priority", "high|normal",
         "high (default): above other programs, where the system allows it; or normal", OPTION_TEXT,
         &options->priority},
        {"lock-clocks", "base|max|MHz", "lock a GPU's clocks while measuring: base, max or MHz", OPTION_TEXT,
         &session->lock_clocks},
        OPTION_UNDER(OPTION_OUTPUT),
        {"no-store", NULL, "do not keep this run in the history", OPTION_FLAG, &session->is_store_off},
        {0},
    };
    if (groups & CMD_OPTIONS_KERNEL) option_add_all(table, kernel);
    if (groups & CMD_OPTIONS_SUITE) option_add_all(table, suite);
    if (groups & CMD_OPTIONS_RUN) option_add_all(table, run);
    if (groups & CMD_OPTIONS_SAMPLING) option_add_all(table, measuring);
}

// Options for the device, and for what is printed.
static void add_general_options(struct option_table *table, struct cmd_options *options, unsigned groups) {
    struct session_options *session = &options->session;
    const struct option where[] = {
        {"manifest", "F", "the manifest (default: assay.yaml here or above)", OPTION_TEXT,
         &session->manifest},
        {"device", "D", "cpu, cuda:0, a GPU's UUID, sim:steady; default: where the named kernels run",
         OPTION_TEXT, &session->device},
        OPTION_UNDER(OPTION_HOW),
        {"threads", "N", "threads of the cpu device (default: all)", OPTION_COUNT, &session->thread_count},
        {"cpus", "LIST", "where they run, e.g. 0-3,6 (default: with --threads the idlest, else all)",
         OPTION_TEXT, &session->cpus},
        {"isolation", "process|none",
         "process: one for each kernel (default of gate, bisect, calibrate, fuzz); none", OPTION_TEXT,
         &options->isolation},
        {"fresh-interpreter", NULL, "kernels in Python: start each interpreter anew, also with ASSAY_FORK=1",
         OPTION_FLAG, &session->sampling.is_interpreter_fresh},
        {"seed", "N", "seed of checked inputs and of the order (default 42)", OPTION_U64, &session->seed},
        {0},
    };
    const struct option lock[] = {
        OPTION_UNDER(OPTION_HOW),
        {"no-wait", NULL, "if another assay measures on the device, end with 75 instead of waiting",
         OPTION_FLAG, &options->device_lock.is_impatient},
        {0},
    };
    const struct option output[] = {
        OPTION_UNDER(OPTION_OUTPUT),
        {"output", "F", "also write the result here ('-': standard output)", OPTION_TEXT, &options->output},
        {0},
    };
    const struct option failures[] = {
        OPTION_UNDER(OPTION_OUTPUT),
        {"failures-only", NULL, "no lines for problems that passed", OPTION_FLAG, &options->is_failures_only},
        {0},
    };
    const struct option printing[] = {
        OPTION_UNDER(OPTION_OUTPUT),
        {"verbose", NULL, "show command lines and output of compilers, and what kernels printed", OPTION_FLAG,
         &session->is_verbose},
        {"quiet", NULL, "no progress, and one line at the end: what was decided", OPTION_FLAG,
         &options->is_quiet},
        {"json", NULL, "print JSON instead of text", OPTION_FLAG, &options->is_json},
        {"color", "auto|always|never", "colours (auto: on a terminal)", OPTION_COLOR, &options->color},
        {"help", NULL, "this text", OPTION_FLAG, &options->is_help},
        {"help-as", "FORM", NULL, OPTION_TEXT, &options->help_form}, // for the build: help.h
        {0},
    };
    if (groups & CMD_OPTIONS_SESSION) option_add_all(table, where);
    if (groups & CMD_OPTIONS_LOCK) option_add_all(table, lock);
    if (groups & CMD_OPTIONS_OUTPUT) option_add_all(table, output);
    if (groups & CMD_OPTIONS_FAILURES) option_add_all(table, failures);
    option_add_all(table, printing);
}

static int check_sampling(const struct command *command, struct cmd_options *options, struct err *err) {
    struct sampling *sampling = &options->session.sampling;
    if (options->power_mode) sampling->power_mode = power_mode_parse(options->power_mode);
    if (sampling->power_mode == POWER_MODE_INVALID)
        return err_set(err, ERR_USAGE, "'%s' is no power mode; --power-mode takes cool or sustained",
                       options->power_mode);
    if (options->cache) sampling->cache_mode = cache_mode_parse(options->cache);
    if (sampling->cache_mode == CACHE_INVALID)
        return err_set(err, ERR_USAGE, "'%s' is no cache mode; --cache takes cold, rotate or warm",
                       options->cache);
    options->session.is_metric_given = options->metric != NULL;
    if (options->metric) sampling->metric = metric_parse(options->metric);
    if (sampling->metric == METRIC_COUNT)
        return err_set(err, ERR_USAGE, "'%s' is no metric; --metric takes %s", options->metric,
                       metric_choices());
    options->session.is_priority_given = options->priority != NULL;
    if (options->priority) sampling->limits.priority = run_priority_parse(options->priority);
    if (sampling->limits.priority == RUN_PRIORITY_COUNT)
        return err_set(err, ERR_USAGE, "'%s' is no priority; --priority takes high or normal",
                       options->priority);
    // A stranger's kernel may be judged: a process of its own for each, if nothing else is asked for. What a
    // calibration measures is the spread of a gate.
    if (command->isolates) sampling->isolation = ISOLATION_PROCESS;
    executor_start_afresh(sampling->is_interpreter_fresh);
    options->session.is_isolation_given = options->isolation != NULL;
    if (options->isolation) sampling->isolation = isolation_parse(options->isolation);
    if (options->isolation && sampling->isolation == ISOLATION_INVALID)
        return err_set(err, ERR_USAGE, "'%s' is no isolation; --isolation takes process or none",
                       options->isolation);
    cpu_set_t cpus;
    if (options->session.cpus) TRY(processors_parse(options->session.cpus, &cpus, err));
    if (sampling->sample_count < 1)
        return err_set(err, ERR_USAGE, "--iters takes 1 or more: without samples there is nothing to say");
    return 0;
}

// Of the manifest that was found, wherever below it a command is called: "../". NULL: there is none.
static char *found_manifest_folder(void) {
    char *manifest = manifest_find("."), *here = path_absolute(".");
    char *dir = manifest ? path_dir(manifest) : NULL;
    struct strbuf path = {0};
    const bool is_above = dir && str_starts(here, dir);
    for (const char *rest = is_above ? here + strlen(dir) : ""; *rest; rest += 1 + strcspn(rest + 1, "/"))
        strbuf_add(&path, "../");
    free(manifest);
    free(here);
    free(dir);
    char *folder = is_above ? mem_strdup(strbuf_text(&path)) : NULL;
    strbuf_fini(&path);
    return folder;
}

// Of the manifest that --manifest names, as it was written; "" is here.
static char *named_manifest_folder(const char *manifest) {
    return mem_format("%.*s", (int)(path_base(manifest) - manifest), manifest);
}

// Runs lie beside the manifest.
static void place_runs(struct cmd_options *options) {
    const char *named = options->session.manifest;
    char *folder = named ? named_manifest_folder(named) : found_manifest_folder();
    const int length = snprintf(options->output_dir, sizeof options->output_dir, "%s%s", folder ? folder : "",
                                default_output_dir);
    if (length < (int)sizeof options->output_dir) // no longer path can be opened
        options->session.output_dir = options->output_dir;
    free(folder);
}

struct help_page cmd_help_page(const struct command *command) {
    return (struct help_page){.name = command->name,
                              .summary = command->summary,
                              .usage = command->usage,
                              .details = command->details,
                              .is_on_first_screen = command->is_on_first_screen,
                              .is_hidden = command->is_hidden};
}

static int print_help(const struct command *command, const struct option_table *table,
                      const struct cmd_options *options, struct err *err) {
    enum help_form form = HELP_TEXT;
    if (options->help_form) TRY(help_form_read(options->help_form, &form, err));
    const struct help_page page = cmd_help_page(command);
    struct strbuf text = {0};
    help_add(form, &page, table, &text);
    if (cmd_print_free(&text)) return err_set(err, ERR_IO, "cannot write to standard output");
    return CMD_HELP_PRINTED;
}

// Where a resumed run is, what is printed, written and told, and what the end of a gate, or of 'run
// integrated', still takes.
static const char beside_resume[] =
    " resume manifest device output-dir output no-store lock-clocks no-wait policy accept allow-removed "
    "explain"
    " ignore-calibration github gitlab profile dry-run failures-only verbose quiet json color ";
// What nobody resumes, which is refused where it is read.
static const char without_resume[] = " audit all ";

static bool is_listed(const char *option, const char *list) {
    char word[64];
    snprintf(word, sizeof word, " %s ", option);
    return strstr(list, word) != NULL;
}

static bool is_given(const struct option_line *line, const char *option) {
    for (size_t i = 0; i < line->given_count; ++i)
        if (str_equal(line->given[i], option)) return true;
    return false;
}

// An option that would be ignored is a mistake.
static int check_resume(const struct option_line *line, struct err *err) {
    const char *ignored = NULL;
    for (size_t i = 0; i < line->given_count; ++i) {
        if (is_listed(line->given[i], without_resume)) return 0;
        if (!ignored && !is_listed(line->given[i], beside_resume)) ignored = line->given[i];
    }
    if (!ignored) return 0;
    return err_set(err, ERR_USAGE,
                   "--%s does not go with --resume, which goes on as the run was planned: leave it out, or "
                   "begin a new run",
                   ignored);
}

// Whether the folder of a path is that of the runs or above it: a run makes those where they are missing.
static bool is_made_by_run(const char *path, const char *runs) {
    char *dir = path_dir(path), *whole_dir = path_absolute(dir), *whole_runs = path_absolute(runs);
    const size_t length = strlen(whole_dir);
    const bool is_above = str_starts(whole_runs, whole_dir) && strchr("/", whole_runs[length]);
    const bool ret = *path_base(path) && is_above && !file_exists(dir);
    free(dir);
    free(whole_dir);
    free(whole_runs);
    return ret;
}

// Now, not after minutes of work.
static int check_output(const struct command *command, const struct cmd_options *options, struct err *err) {
    const bool makes_runs = command->option_groups & CMD_OPTIONS_RUN;
    const char *output = options->output;
    if (!output || (makes_runs && is_made_by_run(output, options->session.output_dir))) return 0;
    return file_check_target(output, err);
}

// A wrong name is said of the option, and not of a problem that nobody typed.
static int check_dtype(const char *dtype, struct err *err) {
    const char *known[DTYPES_SHOWN];
    size_t count = 0;
    struct strbuf list = {0};
    if (!dtype || dtype_parse(dtype) != ASSAY_DTYPE_INVALID) return 0;
    for (const char *name; count < DTYPES_SHOWN && (name = dtype_name((int32_t)count + 1)); ++count) {
        known[count] = name;
        comma_add(&list, name);
    }
    const char *nearest = str_nearest(dtype, known, count);
    const int code = nearest ? err_set(err, ERR_USAGE,
                                       "--dtype: unknown element type '%.40s', did you mean '%s'? Known: %s",
                                       dtype, nearest, strbuf_text(&list))
                             : err_set(err, ERR_USAGE, "--dtype: unknown element type '%.40s'; known: %s",
                                       dtype, strbuf_text(&list));
    strbuf_fini(&list);
    return code;
}

// A definition of a set takes the place of a file, and its solution that of a kernel.
static int check_dataset(struct cmd_options *options, const struct command *command, struct err *err) {
    struct session_options *session = &options->session;
    const bool needs_definition = session->dataset && !command->lists_dataset;
    if (!session->dataset && (session->definition || session->solution || session->inputs || options->trace))
        return err_set(err, ERR_USAGE,
                       "--definition, --solution, --input and --trace are of a set: name it with --dataset");
    if (session->dataset && command->takes_candidate) session->operator_file = NULL;
    if (session->dataset && session->operator_file)
        return err_set(err, ERR_USAGE,
                       "'%s' and --dataset both name the operator; leave one out, or name the function that "
                       "is meant, '%s:FUNCTION'",
                       session->operator_file, session->operator_file);
    if (needs_definition && !session->definition && !session->resume)
        return err_set(err, ERR_USAGE,
                       "--dataset needs --definition; 'assay list --dataset %s' shows what there is",
                       session->dataset);
    if (session->solution && (session->kernel || session->module))
        return err_set(err, ERR_USAGE, "--solution and --%s both name the kernel; leave one out",
                       session->kernel ? "kernel" : "module");
    if (session->solution) session->kernel = session->solution;
    return 0;
}

int cmd_parse(const struct command *command, const struct option *own, struct cmd_options *options,
              struct option_line *line, struct err *err) {
    struct option_table table = {.command = command->name};
    if (own) option_add_all(&table, own);
    add_run_options(&table, options, command->option_groups);
    add_general_options(&table, options, command->option_groups);
    struct session_options *session = &options->session;
    line->takes_operator_file = command->option_groups & CMD_OPTIONS_SUITE;
    TRY(option_parse(&table, line, err));
    session->operator_file = line->operator_file;
    TRY(check_dataset(options, command, err));
    session->wants_progress = cmd_wants_progress(options);
    session->is_device_default = session->device == default_device;
    session->is_case_time_given = is_given(line, "case-time");
    session->is_seed_given = is_given(line, "seed");
    if (command->option_groups & CMD_OPTIONS_LOCK) session->device_lock = &options->device_lock;
    if (session->output_dir == default_output_dir) place_runs(options);
    TRY(check_sampling(command, options, err));
    TRY(check_dtype(session->dtype, err));
    struct strbuf text = {0};
    if (options->is_help || options->help_form) return print_help(command, &table, options, err);
    strbuf_add(&text, "assay");
    for (int i = 0; i < line->argc; ++i) {
        char *shown = address_shown(line->argv[i]); // the line is kept with the run
        strbuf_add_char(&text, ' ');
        strbuf_add_shell_word(&text, shown);
        free(shown);
    }
    snprintf(options->command_line, sizeof options->command_line, "%s", strbuf_text(&text));
    strbuf_fini(&text);
    session->command_line = options->command_line;
    session->command = line->argv[0];
    // It is an error to give two options of which one would silently override the other.
    if (session->problem && (session->suite || session->only || session->dtype))
        return err_set(err, ERR_USAGE,
                       "--problem names one whole problem; --suite, --only and --dtype do not go with it");
    if (session->resume && command->resumes_plan) TRY(check_resume(line, err));
    if (session->resume && options->is_dry_run)
        return err_set(err, ERR_USAGE,
                       "--dry-run does not go with --resume: the plan is in the run's folder");
    if (command->is_output_document && str_equal(options->output, "-")) {
        options->output = NULL;
        options->is_json = true;
    }
    return check_output(command, options, err);
}

int cmd_fail(const struct cmd_options *options, const struct err *err) {
    return cmd_fail_with(options, err, err->code == ERR_CANCELLED ? 130 : err_exit_code(err->code));
}

int cmd_close(int code, const struct err *err, int exit_code) {
    if (code >= 0) return exit_code;
    const int failed = cmd_fail(NULL, err);
    return exit_code ? exit_code : failed;
}

int cmd_write_beside(const char *path, const struct strbuf *text, int exit_code) {
    struct err err = {0};
    const int code = path ? file_write_atomic(path, strbuf_text(text), text->length, &err) : 0;
    return cmd_close(code, &err, exit_code);
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
        cmd_print_free(&out);
    }
    bool color = term_wants_color(options ? options->color : TERM_COLOR_AUTO, STDERR_FILENO);
    struct strbuf text = {0};
    strbuf_add(&text, "assay: ");
    term_add(&text, color, TERM_RED, "error:");
    strbuf_add_char(&text, ' ');
    // A line below the sentence (the end of a build log) must not look like one of the program's.
    const size_t length = strcspn(err->text, "\n");
    strbuf_add_bytes(&text, err->text, length);
    strbuf_add_char(&text, '\n');
    for (const char *line = err->text + length; *line++;) {
        const size_t line_length = strcspn(line, "\n");
        if (line_length && *line != ' ') strbuf_add(&text, "  ");
        strbuf_add_bytes(&text, line, line_length);
        strbuf_add_char(&text, '\n');
        line += line_length;
    }
    cmd_note_free(&text);
    return code;
}

bool cmd_is_reader_gone(FILE *stream) {
    return errno == EPIPE && freopen("/dev/null", "w", stream) != NULL;
}

// Prints to one of the two streams. All that a command prints passes here.
static int print_page(const char *text, FILE *stream) {
    struct strbuf page = {0};
    term_add_page(&page, text);
    const bool is_written =
        (fputs(strbuf_text(&page), stream) != EOF && fflush(stream) == 0) || cmd_is_reader_gone(stream);
    strbuf_fini(&page);
    return is_written ? 0 : err_exit_code(ERR_IO);
}

int cmd_print(const char *text) {
    return print_page(text, stdout);
}

void cmd_note_free(struct strbuf *text) {
    (void)print_page(strbuf_text(text), stderr);
    strbuf_fini(text);
}

void cmd_command_runner_free(struct strbuf *commands) {
    (void)fputs(strbuf_text(commands), stderr);
    strbuf_fini(commands);
}

int cmd_print_free(struct strbuf *text) {
    int code = cmd_print(strbuf_text(text));
    strbuf_fini(text);
    return code;
}

int cmd_end(const struct cmd_options *options, int code, struct strbuf *answer, const struct err *err) {
    const int exit_code = code < 0 ? cmd_fail(options, err) : cmd_print(strbuf_text(answer));
    strbuf_fini(answer);
    return exit_code ? exit_code : code;
}

void cmd_write_parts(struct json_writer *w, const char *key, const char *text, const char *separators) {
    if (!text) return;
    json_array_begin(w, key);
    while (*text) {
        const size_t length = strcspn(text, separators);
        char *part = mem_format("%.*s", (int)length, text);
        json_write_string(w, NULL, part);
        free(part);
        text += length + (text[length] != 0);
    }
    json_array_end(w);
}

bool cmd_wants_color(const struct cmd_options *options) {
    return term_wants_color(options->color, STDOUT_FILENO);
}

bool cmd_wants_progress(const struct cmd_options *options) {
    return !options->is_quiet && !options->is_json;
}
