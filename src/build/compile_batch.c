// SPDX-License-Identifier: Apache-2.0
//
// How are sources compiled in parallel, and whose fault is a failure? One build.ninja in a private folder for all of
// them; each job has its own folder and log, and appears in the cache by rename.
#include "build/variant_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "build/build_tool.h"

#define LOG_BYTES_MAX ((size_t)16 << 20)
#define LOG_KEPT      16384 // of a log in a report

// In a job's folder.
#define OBJECT "module.o"
#define STACK  "module.su"
#define LOG    "log"
#define INPUTS "inputs"

static void words_quote(struct strbuf *out, const char *const *words, size_t count) {
    for (size_t i = 0; i < count; i++) {
        strbuf_add_char(out, ' ');
        shell_quote(out, words[i]);
    }
}

// $ is Ninja's own escape.
static void ninja_escape(struct strbuf *out, const char *text) {
    for (const char *p = text; *p; p++) {
        if (*p == '$') strbuf_add_char(out, '$');
        strbuf_add_char(out, *p);
    }
}

// ccache compares what one pass of nvcc's preprocessor makes, and so takes a change in code of another target, or of the
// host, for none. With the key among what it compares it answers for equal files only.
static void ccache_prefix(const struct variant_job *job, const char *folder, struct strbuf *out) {
    if (job->toolchain.is_cuda) {
        char *inputs = path_join(folder, INPUTS);
        strbuf_add(out, "CCACHE_EXTRAFILES=");
        shell_quote(out, inputs);
        strbuf_add_char(out, ' ');
        free(inputs);
    }
    strbuf_add(out, "ccache ");
}

static void compile_command(const struct variant_job *job, const char *folder, bool has_ccache,
                            struct strbuf *out) {
    strbuf_add(out, "cd ");
    shell_quote(out, job->request->dir);
    strbuf_add(out, " && ");
    if (has_ccache) ccache_prefix(job, folder, out);
    shell_quote(out, job->toolchain.program);
    words_quote(out, job->flags.words, job->flags.count);
    words_quote(out, job->flags.path_words, job->flags.path_count);
    if (!job->toolchain.is_clang && !job->toolchain.is_cuda) strbuf_add(out, " -fstack-usage");
    strbuf_add(out, " -c ");
    shell_quote(out, job->request->kernel->source);
    strbuf_add(out, " -o ");
    char *object = path_join(folder, OBJECT);
    shell_quote(out, object);
    free(object);
}

// Flags come after the object, so that libraries among them are found. A library is whole when it has its final name.
static void link_command(const struct variant_job *job, const char *folder, struct strbuf *out) {
    char *object = path_join(folder, OBJECT), *module = path_join(folder, BUILD_MODULE_NAME);
    char *partial = mem_format("%s.partial", module);
    strbuf_add(out, "cd ");
    shell_quote(out, job->request->dir);
    strbuf_add(out, " && ");
    shell_quote(out, job->toolchain.program);
    strbuf_add(out, job->toolchain.is_cuda ? " -shared -Xlinker --build-id=none -Xlinker -z -Xlinker defs "
                                           : " -shared -Wl,--build-id=none -Wl,-z,defs ");
    shell_quote(out, object);
    words_quote(out, job->flags.words, job->flags.count);
    strbuf_add(out, " -lm -o ");
    shell_quote(out, partial);
    strbuf_add(out, " && mv ");
    shell_quote(out, partial);
    strbuf_add_char(out, ' ');
    shell_quote(out, module);
    free(object);
    free(module);
    free(partial);
}

// What ccache compares in place of the files.
static int inputs_write(const struct variant_job *job, const char *folder, struct err *err) {
    char *path = path_join(folder, INPUTS);
    int result = file_write_atomic(path, job->key, strlen(job->key), err);
    free(path);
    return result;
}

static void ninja_edge(struct strbuf *out, const char *rule, size_t index, const char *command,
                       const char *log, const char *redirect) {
    strbuf_addf(out, "rule %s%zu\n  command = { ", rule, index);
    ninja_escape(out, command);
    strbuf_addf(out, "; } %s ", redirect);
    struct strbuf quoted = {0};
    shell_quote(&quoted, log);
    ninja_escape(out, strbuf_text(&quoted));
    strbuf_fini(&quoted);
    strbuf_add(out, " 2>&1\n");
}

static int ninja_write(struct variant_job *const *jobs, size_t count, const char *stage, struct arena *arena,
                       struct err *err) {
    struct strbuf out = {0};
    char *ccache = path_find_program("ccache");
    int result = 0;
    for (size_t i = 0; i < count && result == 0; i++) {
        const char *folder = arena_format(arena, "%s/%zu", stage, i);
        const char *log = arena_format(arena, "%s/" LOG, folder);
        struct strbuf compile = {0}, link = {0};
        compile_command(jobs[i], folder, ccache != NULL, &compile);
        link_command(jobs[i], folder, &link);
        ninja_edge(&out, "compile", i, strbuf_text(&compile), log, ">");
        ninja_edge(&out, "link", i, strbuf_text(&link), log, ">>");
        strbuf_addf(&out, "build %zu/" OBJECT ": compile%zu\n", i, i);
        strbuf_addf(&out, "build %zu/" BUILD_MODULE_NAME ": link%zu %zu/" OBJECT "\n", i, i, i);
        jobs[i]->entry.commands = arena_format(arena, "%s\n%s\n", strbuf_text(&compile), strbuf_text(&link));
        result = file_make_dirs(folder, err);
        if (result == 0) result = inputs_write(jobs[i], folder, err);
        strbuf_fini(&compile);
        strbuf_fini(&link);
    }
    char *path = path_join(stage, "build.ninja");
    if (result == 0) result = file_write_atomic(path, strbuf_text(&out), out.length, err);
    free(path);
    free(ccache);
    strbuf_fini(&out);
    return result;
}

static int ninja_run(const char *stage, struct arena *arena, struct strbuf *output, struct err *err) {
    char *ninja = path_find_program("ninja");
    if (!ninja) {
        return err_set(err, ERR_UNAVAILABLE,
                       "cannot build kernels: the program 'ninja' is not on PATH; install ninja-build");
    }
    free(ninja);
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    const char *jobs = arena_format(arena, "-j%ld", processors > 0 ? processors : 1);
    const char *argv[] = {"ninja", "-k", "0", jobs, NULL};
    const struct proc_spec spec = {.argv = build_tool_argv(arena, argv),
                                   .dir = stage,
                                   .env_add = build_tool_env(arena),
                                   .timeout_ns = BUILD_TIMEOUT_NS};
    struct proc_status status;
    return proc_run(&spec, &status, output,
                    err); // whose command failed is seen by what is missing afterwards
}

// The largest figure of a -fstack-usage file ("file:line:column:function<TAB>bytes<TAB>kind" lines); -1: no such file.
static int64_t stack_bytes_read(const char *folder) {
    char *path = path_join(folder, STACK), *text = NULL;
    int64_t largest = -1;
    if (file_exists(path) && file_read(path, LOG_BYTES_MAX, &text, NULL, NULL) == 0) {
        for (const char *tab = strchr(text, '\t'); tab; tab = strchr(tab + 1, '\t')) {
            char *end;
            const long long bytes = strtoll(tab + 1, &end, 10);
            if (end != tab + 1 && *end == '\t' && bytes > largest) largest = bytes;
        }
    }
    free(path);
    free(text);
    return largest;
}

// All of a log; NULL when nothing was said. Caller frees.
static char *log_read(const char *folder) {
    char *path = path_join(folder, LOG), *text = NULL;
    if (file_exists(path) && file_read(path, LOG_BYTES_MAX, &text, NULL, NULL) < 0) text = NULL;
    free(path);
    if (text && !*text) {
        free(text);
        return NULL;
    }
    return text;
}

// The words of the flags as text, for reports.
static const char *flags_text(const struct toolchain_flags *flags, struct arena *arena) {
    struct strbuf text = {0};
    for (size_t i = 0; i < flags->count; i++) strbuf_addf(&text, "%s%s", i ? " " : "", flags->words[i]);
    const char *result = arena_strdup(arena, strbuf_text(&text));
    strbuf_fini(&text);
    return result;
}

static struct build_report report_make(const struct variant_job *job, const char *folder, const char *log,
                                       double build_s, struct arena *arena) {
    struct build_report report = build_report_unknown();
    report.compiler = job->toolchain.label;
    report.flags = flags_text(&job->flags, arena);
    report.log_tail = log ? arena_strdup(arena, log_tail(log, LOG_KEPT)) : NULL;
    report.stack_bytes_max = stack_bytes_read(folder);
    report.targets = job->flags.targets;
    report.build_s = build_s;
    if (job->toolchain.is_cuda && log) build_report_take_log(&report, log, arena);
    return report;
}

static int job_publish(struct variant_job *job, const char *folder, struct arena *arena, struct err *err) {
    const char *scratch[] = {OBJECT, STACK, LOG, INPUTS};
    for (size_t i = 0; i < sizeof scratch / sizeof *scratch; i++) {
        char *path = path_join(folder, scratch[i]);
        unlink(path); // one left behind would do no harm
        free(path);
    }
    TRY(build_cache_publish(folder, job->key, arena, &job->entry, err));
    job->is_done = true;
    return 0;
}

static int job_finish(struct variant_job *job, const char *folder, double build_s, const char *ninja_output,
                      struct arena *arena, struct err *err) {
    const struct manifest_kernel *kernel = job->request->kernel;
    char *module = path_join(folder, BUILD_MODULE_NAME), *log = log_read(folder);
    int result = 0;
    if (file_exists(module)) {
        job->entry.report = report_make(job, folder, log, build_s, arena);
        result = job_publish(job, folder, arena, err);
    } else {
        result = err_set(err, ERR_BUILD, "kernel '%s' does not build: %s refused '%s':\n%s", kernel->name,
                         job->toolchain.label, kernel->source,
                         log_tail(log ? log : ninja_output, BUILD_LOG_BYTES));
    }
    free(module);
    free(log);
    return result;
}

int compile_batch(struct variant_job *const *jobs, size_t count, struct arena *arena, struct err *err) {
    const char *stage;
    struct strbuf output = {0};
    TRY(build_stage_open(arena, &stage, err));
    const uint64_t start_ns = clock_ns();
    int result = ninja_write(jobs, count, stage, arena, err);
    if (result == 0) result = ninja_run(stage, arena, &output, err);
    const double build_s = (double)(clock_ns() - start_ns) * 1e-9;
    // Good ones are kept even when another one fails; the first failure is the one reported.
    struct err later;
    bool is_run = result == 0;
    for (size_t i = 0; i < count && is_run; i++) {
        const char *folder = arena_format(arena, "%s/%zu", stage, i);
        struct err *where = result == 0 ? err : &later;
        int finished = job_finish(jobs[i], folder, build_s, strbuf_text(&output), arena, where);
        if (result == 0) result = finished;
    }
    strbuf_fini(&output);
    file_remove_tree(stage, NULL); // swept after a day otherwise
    return result;
}
