// SPDX-License-Identifier: Apache-2.0
//
// Two runs of ncu: one that counts, one that exports its report. Clocks stay as they are, always.
#include "control/flow/profile/profile_ncu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/process/proc.h"
#include "control/flow/profile/profile_bench.h"
#include "control/flow/profile/profile_counters.h"
#include "profile/profile_text.h"

#define NCU_OUTPUT_BYTES ((size_t)16 << 20)
#define NCU_TIMEOUT_NS   600000000000u // 40 passes of a slow kernel, and an interpreter that starts
#define NCU_TOOLKIT      "/usr/local/cuda/bin/ncu"
// Every launch that is none of assay's own device kernels.
#define LAUNCHES_DEFAULT "regex:^(?!assay_)"

enum { TEXT_BYTES = 32 };

// Texts live in the session's arena, but for `assay`.
struct ncu_run {
    const struct collecting *c;
    const char *ncu, *assay; // programs
    const char *report;      // where ncu's report goes
    const char *launches;    // its --kernel-name
};

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
static int run_program(const struct arguments *arguments, struct strbuf *output, struct err *err) {
    const struct proc_spec spec = {.argv = arguments->items,
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

// The counters: a list; with everything that Nsight's window shows, or with what it has of the launch.
static void add_set(struct arguments *arguments, const struct ncu_run *run) {
    struct strbuf list = {0};
    size_t count = 0;
    const char *const *names = profile_set_of_gpu(run->c->request->set, &count);
    for (size_t i = 0; i < count; ++i) strbuf_addf(&list, "%s%s", i ? "," : "", names[i]);
    arguments_add_pair(arguments, "--metrics", arena_strdup(&run->c->session->arena, strbuf_text(&list)));
    strbuf_fini(&list);
    if (run->c->request->set == PROFILE_SET_FULL) {
        arguments_add_pair(arguments, "--set", "full");
        return;
    }
    arguments_add_pair(arguments, "--section", "LaunchStats");
    arguments_add_pair(arguments, "--section", "Occupancy");
}

static int count(const struct ncu_run *run, struct strbuf *log, struct err *err) {
    const struct profile_request *request = run->c->request;
    char skipped[TEXT_BYTES];
    struct arguments arguments = {0};
    snprintf(skipped, sizeof skipped, "%lu", (unsigned long)request->skip_count);
    arguments_add(&arguments, (const char *const[]){run->ncu, "--config-file", "off", "--clock-control",
                                                    "none", "--cache-control", "none", "--target-processes",
                                                    "all", "--launch-count", "1", "--force-overwrite", NULL});
    add_set(&arguments, run);
    arguments_add_pair(&arguments, "--replay-mode", request->restarts_program ? "application" : "kernel");
    arguments_add_pair(&arguments, "--kernel-name", run->launches);
    arguments_add_pair(&arguments, "--launch-skip", skipped);
    arguments_add_pair(&arguments, "--export", run->report);
    arguments_add(&arguments, (const char *const[]){"--", NULL});
    profile_bench_add(&arguments, run->c, run->assay);
    arguments_add_pair(&arguments, "--iters", "3"); // few samples, since only one launch is counted
    arguments_add_pair(&arguments, "--warmup", "2");
    arguments_add(&arguments, PROFILE_BENCH_NOT_KEPT); // its times contain the profiler
    (void)remove(run->report);
    TRY(run_program(&arguments, log, err));
    // When no launch matched ncu ends with 0, without a report. Metrics that the chip lacks are n/a in it.
    const char *failure = file_exists(run->report) ? NULL : nsight_failure(strbuf_text(log));
    return failure ? err_set(err, ERR_UNAVAILABLE, "Nsight Compute counted nothing: %s", failure) : 0;
}

static int export_page(const struct ncu_run *run, struct strbuf *csv, struct err *err) {
    struct arguments arguments = {0};
    arguments_add(&arguments, (const char *const[]){run->ncu, "--import", run->report, "--csv", "--page",
                                                    "raw", "--print-units", "base", NULL});
    return run_program(&arguments, csv, err);
}

// The log is kept whatever came of it; an error names it.
static int count_and_log(const struct ncu_run *run, const char *stem, struct err *err) {
    struct strbuf log = {0};
    struct err why = {0}, unkept = {0};
    const int code = count(run, &log, &why);
    const int kept = profile_keep(run->c, ".log", &log, &unkept);
    strbuf_fini(&log);
    if (code < 0 && kept == 0) return err_set(err, why.code, "%s (%s.log)", why.text, stem);
    if (code < 0) return err_set(err, why.code, "%s", why.text);
    return kept < 0 ? err_set(err, unkept.code, "%s", unkept.text) : 0;
}

// "regex:^flash_fwd_kernel$" of "void pytorch_flash::flash_fwd_kernel<...>(...)": what ncu compares with.
static const char *name_filter(const char *function, struct arena *arena) {
    const char *name = NULL;
    const int length = function_base_name(function, &name);
    const char *base = arena_strndup(arena, name, (size_t)length);
    for (const char *at = base; (at = strstr(at, "::"));) base = at += strlen("::");
    return arena_format(arena, "regex:^%s$", base);
}

// Without a filter of the user's: the longest function that a launch runs, where that can be found out.
static const char *launches_of(const struct collecting *c, struct profile_collected *ret) {
    struct err err = {0};
    if (c->request->launches) return c->request->launches;
    if (profile_list_functions(c, ret, &err) < 0 || !ret->functions.launches[ret->function].function)
        return LAUNCHES_DEFAULT;
    return name_filter(ret->functions.launches[ret->function].function, &c->session->arena);
}

int profile_by_ncu(const struct collecting *c, struct profile_collected *ret, struct err *err) {
    struct arena *arena = &c->session->arena;
    struct ncu_run run = {.c = c};
    struct strbuf csv = {0};
    run.report = arena_format(arena, "%s.ncu-rep", ret->stem);
    TRY(ncu_find(arena, &run.ncu, err));
    run.launches = launches_of(c, ret);
    char *program = path_self();
    run.assay = program;
    int code = count_and_log(&run, ret->stem, err);
    if (code == 0) code = export_page(&run, &csv, err);
    if (code == 0) code = profile_keep(c, ".csv", &csv, err);
    if (code == 0)
        code = nsight_csv_parse(strbuf_text(&csv), arena_format(arena, "%s.csv", ret->stem), arena,
                                &ret->report, err);
    ret->profiler = PROFILER_NCU;
    strbuf_fini(&csv);
    free(program);
    return code;
}
