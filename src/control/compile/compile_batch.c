// SPDX-License-Identifier: Apache-2.0
//
// Compiles sources in parallel. One build.ninja in a private folder serves all of them; each job has its own
// folder and log, so that a failure can be told from the others, and its module appears in the cache by
// rename. A stranger's compiler writes only the folder WORK in that: it could leave links there, so nothing
// of ours is written in it, and only the module comes out.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "control/compile/cuda/ptxas_report.h"
#include "control/compile/ninja_log_internal.h"
#include "control/compile/tool/build_tool.h"
#include "control/compile/tool/elf_file.h"
#include "control/compile/variant_internal.h"

#define LINE_BREAKS   "\r\n" // Ninja's files have no escape for them
#define LOG_BYTES_MAX ((size_t)16 << 20)
#define NINJA_LOG     ".ninja_log"
#define MODULE_SYMBOL "assay_module" // what ASSAY_MODULE defines
#define LOG_KEPT      16384          // bytes at the end of a log that a report holds

// In a job's folder.
#define INPUTS "inputs"
#define CCACHE "ccache" // ccache's log of hits and misses
#define DONE   "done"   // the linker has finished
#define ENTRY  "entry"  // becomes the cache's entry
#define WORK   "work"   // the compiler's and the linker's
#define OBJECT WORK "/module.o"
#define STACK  WORK "/module.su"
#define SHIM   WORK "/call"
#define LINKED WORK "/" BUILD_MODULE_NAME

static void words_quote(struct strbuf *out, const char *const *words, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        strbuf_add_char(out, ' ');
        shell_quote(out, words[i]);
    }
}

// Adds what comes before a compiler: the folder that it works in, and the sandbox of a stranger's source.
static void enter_command(const struct variant_job *job, const char *folder, struct arena *arena,
                          struct strbuf *out) {
    strbuf_add(out, "cd ");
    shell_quote(out, job->request->dir);
    strbuf_add(out, " && ");
    const char *work = arena_format(arena, "%s/" WORK, folder);
    for (const char *const *word = confined_build_prefix(job, work, arena); *word; ++word) {
        shell_quote(out, *word);
        strbuf_add_char(out, ' ');
    }
}

// Adds the command that compiles the job in its folder. ccache: its path; NULL: there is none.
static void compile_command(const struct variant_job *job, const char *folder, const char *ccache,
                            struct arena *arena, struct strbuf *out) {
    enter_command(job, folder, arena, out);
    if (ccache && !job->has_unknown_inputs && !job->request->limits) {
        // ccache compares only one of nvcc's preprocessor passes, so it misses changes in code for another
        // target or for the host; and it does not see that a header has come which the source includes where
        // it is there. With the key among the files it compares, it hits only if all files are equal.
        strbuf_add(out, "CCACHE_EXTRAFILES=");
        shell_quote(out, arena_format(arena, "%s/" INPUTS, folder));
        strbuf_add(out, " CCACHE_STATSLOG=");
        shell_quote(out, arena_format(arena, "%s/" CCACHE, folder));
        strbuf_add_char(out, ' ');
        shell_quote(out, ccache);
        strbuf_add_char(out, ' ');
    }
    shell_quote(out, job->toolchain.program);
    words_quote(out, job->flags.words, job->flags.count);
    words_quote(out, job->flags.path_words, job->flags.path_count);
    if (!job->toolchain.is_clang && !job->toolchain.is_cuda) strbuf_add(out, " -fstack-usage");
    strbuf_add(out, " -c ");
    shell_quote(out, job->request->kernel->source);
    strbuf_add(out, " -o ");
    shell_quote(out, arena_format(arena, "%s/" OBJECT, folder));
}

// The shim's file: C, or C++ where the source is.
static const char *shim_path(const struct variant_job *job, const char *folder, struct arena *arena) {
    return arena_format(arena, "%s/" SHIM "%s", folder, job->toolchain.is_cxx ? ".cpp" : ".c");
}

// Adds the command that compiles the job's shim: without debug information, which would hold its folder.
static void shim_command(const struct variant_job *job, const char *folder, struct arena *arena,
                         struct strbuf *out) {
    strbuf_add(out, " && ");
    enter_command(job, folder, arena, out);
    shell_quote(out, job->toolchain.program);
    words_quote(out, job->flags.words, job->flags.count);
    words_quote(out, job->flags.path_words, job->flags.path_count);
    strbuf_add(out, job->toolchain.is_cuda ? " -c " : " -g0 -c ");
    shell_quote(out, shim_path(job, folder, arena));
    strbuf_add(out, " -o ");
    shell_quote(out, arena_format(arena, "%s/" SHIM ".o", folder));
}

// Flags come after the object, so that libraries among them are searched. A linker that is killed may leave
// half a library, but not the file DONE.
static void link_command(const struct variant_job *job, const char *folder, struct arena *arena,
                         struct strbuf *out) {
    enter_command(job, folder, arena, out);
    shell_quote(out, job->toolchain.program);
    strbuf_add(out, job->toolchain.is_cuda ? " -shared -Xlinker --build-id=none -Xlinker -z -Xlinker defs "
                                           : " -shared -Wl,--build-id=none -Wl,-z,defs ");
    shell_quote(out, arena_format(arena, "%s/" OBJECT, folder));
    if (job->shim) {
        strbuf_add_char(out, ' ');
        shell_quote(out, arena_format(arena, "%s/" SHIM ".o", folder));
    }
    words_quote(out, job->flags.words, job->flags.count);
    strbuf_add(out, " -lm -o ");
    shell_quote(out, arena_format(arena, "%s/" LINKED, folder));
    strbuf_add(out, " && : >");
    shell_quote(out, arena_format(arena, "%s/" DONE, folder));
}

static void ninja_rule(struct strbuf *out, const char *name, size_t index, const char *command,
                       const char *redirect, const char *log) {
    struct strbuf line = {0};
    strbuf_addf(&line, "{ %s; } %s ", command, redirect);
    shell_quote(&line, log);
    strbuf_addf(out, "rule %s%zu\n  command = ", name, index);
    for (const char *p = line.text; *p; ++p) {
        if (*p == '$') strbuf_add_char(out, '$'); // Ninja's own escape
        strbuf_add_char(out, *p);
    }
    strbuf_add(out, " 2>&1\n");
    strbuf_fini(&line);
}

// The first path or flag of the job's commands that holds a line break; NULL: none.
static const char *find_line_break(const struct variant_job *job, const char *stage) {
    const char *const paths[] = {stage, job->request->dir, job->request->kernel->source};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; ++i)
        if (paths[i][strcspn(paths[i], LINE_BREAKS)]) return paths[i];
    for (size_t i = 0; i < job->flags.count; ++i)
        if (job->flags.words[i][strcspn(job->flags.words[i], LINE_BREAKS)]) return job->flags.words[i];
    for (size_t i = 0; i < job->flags.path_count; ++i)
        if (job->flags.path_words[i][strcspn(job->flags.path_words[i], LINE_BREAKS)])
            return job->flags.path_words[i];
    return NULL;
}

static int ninja_check(struct variant_job *const *jobs, size_t count, const char *stage, struct err *err) {
    for (size_t i = 0; i < count; ++i) {
        const char *word = find_line_break(jobs[i], stage);
        if (!word) continue;
        return err_set(err, ERR_USAGE,
                       "kernel '%s' cannot be built: '%s' holds a line break, which the build tool Ninja "
                       "does not take; rename the folder, or change the flag",
                       jobs[i]->request->kernel->name, word);
    }
    return 0;
}

static int ninja_write(struct variant_job *const *jobs, size_t count, const char *stage, struct arena *arena,
                       struct err *err) {
    struct strbuf out = {0};
    char *ccache = path_find_program("ccache");
    int result = 0;
    for (size_t i = 0; i < count && result == 0; ++i) {
        const char *folder = arena_format(arena, "%s/%zu", stage, i);
        // Logs are kept in memory: on a full disk there would be no room for the message that says so.
        jobs[i]->log_fd = proc_keep_fd(memfd_create("assay-log", MFD_CLOEXEC));
        if (jobs[i]->log_fd < 0) {
            result = err_set_errno(err, ERR_UNAVAILABLE, "cannot keep a compiler's output");
            break;
        }
        // Inherited by the shell that opens it: our own /proc/PID/fd is closed to others (own_process_hide).
        const char *log = arena_format(arena, "/proc/self/fd/%d", jobs[i]->log_fd);
        struct strbuf compile = {0}, link = {0};
        compile_command(jobs[i], folder, ccache, arena, &compile);
        if (jobs[i]->shim) shim_command(jobs[i], folder, arena, &compile);
        link_command(jobs[i], folder, arena, &link);
        ninja_rule(&out, "compile", i, compile.text, ">", log);
        ninja_rule(&out, "link", i, link.text, ">>", log);
        strbuf_addf(&out, "build %zu/" OBJECT ": compile%zu\n", i, i);
        strbuf_addf(&out, "build %zu/" DONE ": link%zu %zu/" OBJECT "\n", i, i, i);
        jobs[i]->entry.commands = arena_format(arena, "%s\n%s\n", compile.text, link.text);
        const char *inputs = arena_format(arena, "%s/" INPUTS, folder);
        result = file_make_dirs(arena_format(arena, "%s/" WORK, folder), err);
        if (result == 0) result = file_write_atomic(inputs, jobs[i]->key, strlen(jobs[i]->key), err);
        if (result == 0 && jobs[i]->shim) // before any compiler could have left a link there
            result = file_write_atomic(shim_path(jobs[i], folder, arena), jobs[i]->shim,
                                       strlen(jobs[i]->shim), err);
        strbuf_fini(&compile);
        strbuf_fini(&link);
    }
    const char *path = arena_format(arena, "%s/build.ninja", stage);
    if (result == 0) result = file_write_atomic(path, strbuf_text(&out), out.length, err);
    free(ccache);
    strbuf_fini(&out);
    return result;
}

// Runs Ninja. Which jobs failed shows in the files that are missing afterwards.
static int ninja_run(struct variant_job *const *jobs, size_t count, const char *stage, struct arena *arena,
                     struct strbuf *output, struct err *err) {
    char *ninja = path_find_program("ninja");
    if (!ninja) {
        return err_set(err, ERR_UNAVAILABLE,
                       "cannot build kernels: the program 'ninja' is not on PATH; install ninja-build");
    }
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    const char *at_once = arena_format(arena, "-j%ld", processors > 0 ? processors : 1);
    const char *argv[] = {arena_strdup(arena, ninja), "-k", "0", at_once, NULL};
    free(ninja);
    int *log_fds = arena_array(arena, count, sizeof *log_fds);
    for (size_t i = 0; i < count; ++i) log_fds[i] = jobs[i]->log_fd;
    const struct proc_spec spec = {.argv = argv,
                                   .env_remove = build_tool_env_remove(),
                                   .starts_others = true,
                                   .kept_fds = log_fds,
                                   .kept_fd_count = count,
                                   .dir = stage,
                                   .env_add = build_tool_env(arena),
                                   .timeout_ns = BUILD_TIMEOUT_NS};
    struct proc_status status;
    const int result = proc_run(&spec, &status, output, err);
    const char *name = jobs[0]->request->kernel->name;
    if (result == -ERR_CANCELLED && count == 1)
        return err_set(err, ERR_CANCELLED, "interrupted while kernel '%s' was being built", name);
    if (result == -ERR_CANCELLED)
        return err_set(err, ERR_CANCELLED, "interrupted while kernel '%s' and %zu more were being built",
                       name, count - 1);
    return result;
}

// The text of a file in a job's folder; NULL when there is none. Caller frees.
static char *text_read(const char *folder, const char *name) {
    char *path = path_join(folder, name), *text = NULL;
    if (file_read_no_link(path, LOG_BYTES_MAX, &text, NULL, NULL) < 0) text = NULL;
    free(path);
    return text;
}

static struct build_report report_make(const struct variant_job *job, const char *folder, const char *log,
                                       double build_s, struct arena *arena) {
    struct build_report report = build_report_unknown();
    struct strbuf flags = {0};
    for (size_t i = 0; i < job->flags.count; ++i)
        strbuf_addf(&flags, "%s%s", i ? " " : "", job->flags.words[i]);
    report.flags = arena_strdup(arena, strbuf_text(&flags));
    report.compiler = job->toolchain.label;
    report.log_tail = log ? arena_strdup(arena, log_tail(log, LOG_KEPT)) : NULL;
    report.targets = job->flags.targets;
    report.build_s = build_s;
    // -fstack-usage: lines "file:line:column:function<TAB>bytes<TAB>kind". The largest counts.
    char *stack = text_read(folder, STACK), *ccache = text_read(folder, CCACHE);
    for (const char *tab = stack ? strchr(stack, '\t') : NULL; tab; tab = strchr(tab + 1, '\t')) {
        char *end;
        const long long bytes = strtoll(tab + 1, &end, 10);
        if (end != tab + 1 && *end == '\t' && bytes > report.stack_bytes_max) report.stack_bytes_max = bytes;
    }
    report.is_from_ccache =
        ccache && (strstr(ccache, "direct_cache_hit") || strstr(ccache, "preprocessed_cache_hit"));
    if (job->toolchain.is_cuda && log) ptxas_report_apply(log, arena, &report);
    strbuf_fini(&flags);
    free(stack);
    free(ccache);
    return report;
}

// Copies the linked module into a folder of its own. A source that declares no kernels links as well, but is
// of no use.
static int module_take(const struct variant_job *job, const char *folder, const char *entry,
                       struct arena *arena, struct err *err) {
    const struct manifest_kernel *kernel = job->request->kernel;
    const char *linked = arena_format(arena, "%s/" LINKED, folder);
    const char *module = arena_format(arena, "%s/" BUILD_MODULE_NAME, entry);
    char *bytes;
    size_t length;
    struct elf_file elf;
    int result = file_read_no_link(linked, ELF_FILE_BYTES_MAX, &bytes, &length, err);
    if (result == -ERR_NO_INPUT)
        return err_set(err, ERR_BUILD, "kernel '%s' does not build: its linker left no file", kernel->name);
    if (result < 0) return result;
    result = elf_file_parse(bytes, length, linked, &elf, err);
    if (result == 0 && !elf_exports(&elf, MODULE_SYMBOL))
        result = err_set(err, ERR_BUILD,
                         "kernel '%s' does not build: '%s' compiles, but declares no kernels; add "
                         "ASSAY_KERNEL(...) of assay/kernel.h to it",
                         kernel->name, kernel->source);
    if (result == 0) result = file_make_dirs(entry, err);
    if (result == 0) result = file_write_atomic(module, bytes, length, err);
    free(bytes);
    return result;
}

// Puts the module into the cache, or where its owner will remove it, even if this process is killed.
static int job_publish(struct variant_job *job, const char *folder, struct arena *arena, struct err *err) {
    const struct build_limits *limits = job->request->limits;
    const char *own_dir = limits ? limits->own_dir : NULL;
    const char *entry =
        own_dir ? arena_format(arena, "%s/%s", own_dir, job->key) : arena_format(arena, "%s/" ENTRY, folder);
    TRY(module_take(job, folder, entry, arena, err));
    TRY(own_dir ? build_entry_keep(entry, arena, &job->entry, err)
                : build_cache_publish(entry, job->key, arena, &job->entry, err));
    job->is_done = true;
    return 0;
}

static struct build_counts counts; // of this process, for the summary of `assay build`

struct build_counts variant_build_counts(void) {
    return counts;
}

static int job_finish(struct variant_job *job, const char *folder, double build_s, const char *ninja_output,
                      struct arena *arena, struct err *err) {
    struct strbuf log = {0};
    char chunk[16384];
    ssize_t got;
    for (off_t at = 0; log.length < LOG_BYTES_MAX && (got = pread(job->log_fd, chunk, sizeof chunk, at)) > 0;
         at += got)
        strbuf_add_bytes(&log, chunk, (size_t)got);
    int result;
    if (file_exists(arena_format(arena, "%s/" DONE, folder))) {
        job->entry.report = report_make(job, folder, log.length ? log.text : NULL, build_s, arena);
        *(job->entry.report.is_from_ccache ? &counts.ccache_count : &counts.compiled_count) += 1;
        result = job_publish(job, folder, arena, err);
    } else if (!log.length && build_tool_is_disk_full(folder, "")) { // Ninja's own words say nothing of it
        result = build_tool_fail_disk_full(job->request->kernel->name, err);
    } else {
        result = variant_compile_fail(job, folder, log.length ? log.text : ninja_output, err);
    }
    strbuf_fini(&log);
    return result;
}

int compile_batch(struct variant_job *const *jobs, size_t count, struct arena *arena, struct err *err) {
    struct build_stage stage;
    struct strbuf output = {0};
    TRY(build_stage_open(arena, &stage, err));
    const uint64_t start_ns = clock_ns();
    int result = ninja_check(jobs, count, stage.dir, err);
    if (result == 0) result = ninja_write(jobs, count, stage.dir, arena, err);
    if (result == 0) result = ninja_run(jobs, count, stage.dir, arena, &output, err);
    const double all_s = (double)(clock_ns() - start_ns) * 1e-9;
    char *ninja_log = text_read(stage.dir, NINJA_LOG);
    // Modules that were built are kept even when another job fails; the first failure is reported.
    struct err later;
    bool is_run = result == 0;
    for (size_t i = 0; i < count && is_run; ++i) {
        const char *folder = arena_format(arena, "%s/%zu", stage.dir, i);
        const double own_s = ninja_log_seconds(ninja_log, arena_format(arena, "%zu", i));
        const double build_s = isnan(own_s) ? all_s : own_s;
        struct err *where = result == 0 ? err : &later;
        int finished = job_finish(jobs[i], folder, build_s, strbuf_text(&output), arena, where);
        if (result == 0) result = finished;
    }
    for (size_t i = 0; i < count; ++i)
        if (jobs[i]->log_fd > 0) close(jobs[i]->log_fd);
    free(ninja_log);
    strbuf_fini(&output);
    build_stage_close(&stage);
    return result;
}
