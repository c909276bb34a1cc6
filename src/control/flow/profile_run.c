// SPDX-License-Identifier: Apache-2.0
//
// Two runs of ncu: one that counts, one that exports its report. Clocks stay as they are, always.
#include "control/flow/profile_run.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/process/proc.h"

#define NCU_OUTPUT_BYTES ((size_t)16 << 20)
#define NCU_TIMEOUT_NS   600000000000u // 40 passes of a slow kernel, and an interpreter that starts
#define NCU_TOOLKIT      "/usr/local/cuda/bin/ncu"
#define RUNS_FOLDER      "runs"

enum { ARGUMENTS_MAX = 64, TEXT_BYTES = 32 };

struct arguments {
    size_t count;
    const char *words[ARGUMENTS_MAX];
};

static void add(struct arguments *arguments, const char *const *words) {
    for (; *words && arguments->count + 1 < ARGUMENTS_MAX; ++words)
        arguments->words[arguments->count++] = *words;
    arguments->words[arguments->count] = NULL;
}

static void add_pair(struct arguments *arguments, const char *option, const char *value) {
    if (value) add(arguments, (const char *const[]){option, value, NULL});
}

// What is profiled, and with what. Texts live in the session's arena, but for `assay`.
struct collecting {
    struct session *session;
    const struct profile_request *request;
    const struct suite_item *item;
    const char *ncu, *assay;   // programs
    const char *name;          // of files: "s512"
    const char *report, *runs; // where ncu's report and the bench's own run go
};

static void add_bench(struct arguments *arguments, const struct collecting *c) {
    const struct session_options *options = &c->session->options;
    add(arguments, (const char *const[]){c->assay, "bench", "--quiet", "--isolation", "none", NULL});
    add_pair(arguments, "--output-dir", c->runs); // the user's last bench stays the last one
    add_pair(arguments, "--problem", c->item->problem.name);
    add_pair(arguments, "--kernel", c->request->kernel);
    add_pair(arguments, "--module", options->module);
    add_pair(arguments, "--device", options->device);
    add_pair(arguments, "--manifest", options->manifest);
    add_pair(arguments, "--config", options->config);
}

// On PATH, else where CUDA's toolkit puts it.
static int ncu_find(struct arena *arena, const char **ret, struct err *err) {
    char *found = path_find_program("ncu");
    *ret = found ? arena_strdup(arena, found) : file_exists(NCU_TOOLKIT) ? NCU_TOOLKIT : NULL;
    free(found);
    if (*ret) return 0;
    return err_set(err, ERR_UNAVAILABLE,
                   "Nsight Compute is missing: neither PATH nor " NCU_TOOLKIT " has ncu; install "
                   "cuda-nsight-compute of your CUDA version, or read a report made elsewhere with --import");
}

// Runs ncu; its output goes to *output, whatever it is.
static int ncu_run(const struct arguments *arguments, struct strbuf *output, struct err *err) {
    const struct proc_spec spec = {.argv = arguments->words,
                                   .starts_others = true,
                                   .timeout_ns = NCU_TIMEOUT_NS,
                                   .output_limit_bytes = NCU_OUTPUT_BYTES};
    struct proc_status status;
    TRY(proc_run(&spec, &status, output, err));
    if (status.end == PROC_EXITED && status.exit_code == 0) return 0;
    const char *remedy = nsight_failure(strbuf_text(output));
    if (remedy) return err_set(err, ERR_UNAVAILABLE, "Nsight Compute counted nothing: %s", remedy);
    struct strbuf ended = {0};
    proc_status_format(&status, &ended);
    err_set(err, ERR_UNAVAILABLE, "Nsight Compute %s", strbuf_text(&ended));
    strbuf_fini(&ended);
    return -ERR_UNAVAILABLE;
}

static int count(const struct collecting *c, struct strbuf *log, struct err *err) {
    char skipped[TEXT_BYTES];
    struct arguments arguments = {0};
    snprintf(skipped, sizeof skipped, "%lu", (unsigned long)c->request->skip_count);
    add(&arguments, (const char *const[]){c->ncu, "--config-file", "off", "--clock-control", "none",
                                          "--cache-control", "none", "--target-processes", "all", "--set",
                                          "full", "--launch-count", "1", "--force-overwrite", NULL});
    add_pair(&arguments, "--kernel-name", c->request->launches);
    add_pair(&arguments, "--launch-skip", skipped);
    add_pair(&arguments, "--export", c->report);
    add(&arguments, (const char *const[]){"--", NULL});
    add_bench(&arguments, c);
    add_pair(&arguments, "--iters", "3"); // few samples, since only one launch is counted
    add_pair(&arguments, "--warmup", "2");
    TRY(ncu_run(&arguments, log, err));
    const char *failure = nsight_failure(strbuf_text(log)); // no launch matched: ncu ends with 0
    return failure ? err_set(err, ERR_UNAVAILABLE, "Nsight Compute counted nothing: %s", failure) : 0;
}

static int export_page(const struct collecting *c, struct strbuf *csv, struct err *err) {
    struct arguments arguments = {0};
    add(&arguments, (const char *const[]){c->ncu, "--import", c->report, "--csv", "--page", "raw",
                                          "--print-units", "base", NULL});
    return ncu_run(&arguments, csv, err);
}

// <folder>/<name><suffix>, and a copy as runs/ncu_<name><suffix>.
static int keep(const struct collecting *c, const char *suffix, const struct strbuf *text,
                const char **ret_path, struct err *err) {
    struct arena *arena = &c->session->arena;
    const char *path = arena_format(arena, "%s/%s%s", c->request->folder, c->name, suffix);
    const char *copy = arena_format(arena, RUNS_FOLDER "/ncu_%s%s", c->name, suffix);
    TRY(file_make_dirs(RUNS_FOLDER, err));
    TRY(file_write_atomic(path, strbuf_text(text), text->length, err));
    TRY(file_write_atomic(copy, strbuf_text(text), text->length, err));
    *ret_path = path;
    return 0;
}

const char *profile_file_name(const char *short_name, const char *problem, struct arena *arena) {
    char *name = arena_strdup(arena, str_or(short_name, problem));
    for (char *at = name; *at; ++at)
        if (*at == '/') *at = '_';
    return name;
}

// The log is kept whatever came of it; an error names it.
static int count_and_log(const struct collecting *c, struct err *err) {
    struct strbuf log = {0};
    struct err unkept = {0};
    const char *path = NULL;
    int code = count(c, &log, err);
    const int kept = keep(c, ".log", &log, &path, &unkept);
    if (code < 0 && kept == 0)
        err_set(err, ERR_UNAVAILABLE, "%s (%s)", arena_strdup(&c->session->arena, err->text), path);
    if (code == 0 && kept < 0) code = err_set(err, unkept.code, "%s", unkept.text);
    strbuf_fini(&log);
    return code;
}

// Names, and the program itself; the caller frees *ret_program.
static int begin(struct collecting *c, char **ret_program, struct err *err) {
    struct arena *arena = &c->session->arena;
    c->name = profile_file_name(c->item->short_name, c->item->problem.name, arena);
    c->report = arena_format(arena, "%s/%s.ncu-rep", c->request->folder, c->name);
    c->runs = arena_format(arena, "%s/runs", c->request->folder);
    TRY(file_make_dirs(c->request->folder, err));
    c->assay = *ret_program = path_self();
    return 0;
}

int profile_collect(struct session *session, const struct profile_request *request,
                    const struct suite_item *item, struct nsight_report *ret, const char **ret_csv,
                    struct err *err) {
    struct arena *arena = &session->arena;
    struct collecting c = {.session = session, .request = request, .item = item};
    struct strbuf csv = {0};
    char *program = NULL;
    TRY(ncu_find(arena, &c.ncu, err));
    TRY(begin(&c, &program, err));
    int code = count_and_log(&c, err);
    if (code == 0) code = export_page(&c, &csv, err);
    if (code == 0) code = keep(&c, ".csv", &csv, ret_csv, err);
    if (code == 0) code = nsight_csv_parse(strbuf_text(&csv), *ret_csv, arena, ret, err);
    strbuf_fini(&csv);
    free(program);
    return code;
}

// ---- the run without the profiler ----

int profile_time(struct session *session, const struct profile_request *request,
                 const struct suite_item *item, struct result *ret, struct err *err) {
    struct collecting c = {.session = session, .request = request, .item = item};
    struct arguments arguments = {0};
    struct proc_status status;
    struct strbuf output = {0};
    char samples[TEXT_BYTES], *program = NULL;
    TRY(begin(&c, &program, err));
    const char *path = arena_format(&session->arena, "%s/%s.bench.json", request->folder, c.name);
    snprintf(samples, sizeof samples, "%lu", (unsigned long)request->timed_count);
    add_bench(&arguments, &c);
    add_pair(&arguments, "--iters", samples);
    add_pair(&arguments, "--output", path);
    const struct proc_spec spec = {.argv = arguments.words,
                                   .starts_others = true,
                                   .timeout_ns = NCU_TIMEOUT_NS,
                                   .output_limit_bytes = NCU_OUTPUT_BYTES};
    int code = proc_run(&spec, &status, &output, err);
    if (code == 0 && !(status.end == PROC_EXITED && status.exit_code == 0))
        code = err_set(err, ERR_UNAVAILABLE, "%s was not measured: its bench did not end well",
                       item->problem.name);
    if (code == 0) code = result_read_file(path, ret, err);
    strbuf_fini(&output);
    free(program);
    return code;
}

// ---- the problem of the environment ----

static const struct operator_def *operator_of(const struct session *session, const char *kernel) {
    for (size_t i = 0; i < session->manifest.kernel_count; ++i)
        if (str_equal(session->manifest.kernels[i].name, kernel))
            return operator_find(session->manifest.kernels[i].op);
    return session_operator(session, &session->manifest);
}

// The type of the suite that is measured by default.
static const char *default_dtype(const struct session *session, const struct operator_def *op) {
    const char *name = session->kind->is_accelerator ? op->gpu_suite : op->cpu_suite;
    for (const struct op_suite *suite = op->suites; suite->name; ++suite)
        if (str_equal(suite->name, name)) return suite->dtype;
    return "fp32";
}

int profile_problem_from_environment(struct session *session, const char *kernel, const char **ret_name,
                                     struct err *err) {
    struct session_options *options = &session->options;
    struct strbuf name = {0};
    *ret_name = NULL;
    if (options->problem || options->suite || options->only) return 0;
    const struct operator_def *op = operator_of(session, kernel);
    const char *dtype = options->dtype ? options->dtype : default_dtype(session, op);
    const int found = problem_name_from_variables(op, dtype, getenv, &name, err);
    if (found > 0) options->problem = *ret_name = arena_strdup(&session->arena, strbuf_text(&name));
    strbuf_fini(&name);
    return found < 0 ? found : 0;
}
