// SPDX-License-Identifier: Apache-2.0
//
// How are sources compiled in parallel, and whose fault is a failure? One build.ninja in a private folder for
// all of them; each job has its own folder and log, and appears in the cache by rename.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "control/compile/build_tool.h"
#include "control/compile/cuda/elf_file.h"
#include "control/compile/variant_internal.h"

#define LOG_BYTES_MAX ((size_t)16 << 20)
#define MODULE_SYMBOL "assay_module" // what ASSAY_MODULE defines
#define LOG_KEPT      16384          // of a log in a report

// In a job's folder.
#define OBJECT "module.o"
#define STACK  "module.su"
#define INPUTS "inputs"
#define CCACHE "ccache"                     // what ccache did
#define LINKED BUILD_MODULE_NAME ".partial" // the linker's output
#define DONE   "done"                       // it is whole

static void words_quote(struct strbuf *out, const char *const *words, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        strbuf_add_char(out, ' ');
        shell_quote(out, words[i]);
    }
}

// $ is Ninja's own escape.
static void ninja_escape(struct strbuf *out, const char *text) {
    for (const char *p = text; *p; ++p) {
        if (*p == '$') strbuf_add_char(out, '$');
        strbuf_add_char(out, *p);
    }
}

// ccache compares what one pass of nvcc's preprocessor makes, and so takes a change in code of another
// target, or of the host, for none. With the key among what it compares it answers for equal files only.
static void ccache_prefix(const struct variant_job *job, const char *folder, const char *ccache,
                          struct strbuf *out) {
    char *inputs = path_join(folder, INPUTS), *said = path_join(folder, CCACHE);
    if (job->toolchain.is_cuda) {
        strbuf_add(out, "CCACHE_EXTRAFILES=");
        shell_quote(out, inputs);
        strbuf_add_char(out, ' ');
    }
    strbuf_add(out, "CCACHE_STATSLOG=");
    shell_quote(out, said);
    strbuf_add_char(out, ' ');
    shell_quote(out, ccache);
    strbuf_add_char(out, ' ');
    free(inputs);
    free(said);
}

// ccache: its path; NULL: there is none.
static void compile_command(const struct variant_job *job, const char *folder, const char *ccache,
                            struct strbuf *out) {
    strbuf_add(out, "cd ");
    shell_quote(out, job->request->dir);
    strbuf_add(out, " && ");
    if (ccache) ccache_prefix(job, folder, ccache, out);
    shell_quote(out, job->toolchain.program);
    words_quote(out, job->flags.words, job->flags.count);
    words_quote(out, job->flags.path_text, job->flags.path_count);
    if (!job->toolchain.is_clang && !job->toolchain.is_cuda) strbuf_add(out, " -fstack-usage");
    strbuf_add(out, " -c ");
    shell_quote(out, job->request->kernel->source);
    strbuf_add(out, " -o ");
    char *object = path_join(folder, OBJECT);
    shell_quote(out, object);
    free(object);
}

// Flags come after the object, so that libraries among them are found. A linker that was killed leaves half a
// library but no word that it is done.
static void link_command(const struct variant_job *job, const char *folder, struct strbuf *out) {
    char *object = path_join(folder, OBJECT), *linked = path_join(folder, LINKED);
    char *done = path_join(folder, DONE);
    strbuf_add(out, "cd ");
    shell_quote(out, job->request->dir);
    strbuf_add(out, " && ");
    shell_quote(out, job->toolchain.program);
    strbuf_add(out, job->toolchain.is_cuda ? " -shared -Xlinker --build-id=none -Xlinker -z -Xlinker defs "
                                           : " -shared -Wl,--build-id=none -Wl,-z,defs ");
    shell_quote(out, object);
    words_quote(out, job->flags.words, job->flags.count);
    strbuf_add(out, " -lm -o ");
    shell_quote(out, linked);
    strbuf_add(out, " && : >");
    shell_quote(out, done);
    free(object);
    free(linked);
    free(done);
}

// What the tools say of a job is kept in memory: a full disk would have no room for the very words that say
// so.
static int log_open(struct variant_job *job, struct err *err) {
    job->log_fd = memfd_create("assay-log", MFD_CLOEXEC);
    return job->log_fd < 0 ? err_set_errno(err, ERR_UNAVAILABLE, "cannot keep a compiler's output") : 0;
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
    for (size_t i = 0; i < count && result == 0; ++i) {
        const char *folder = arena_format(arena, "%s/%zu", stage, i);
        result = log_open(jobs[i], err);
        if (result < 0) break;
        const char *log = arena_format(arena, "/proc/%ld/fd/%d", (long)getpid(), jobs[i]->log_fd);
        struct strbuf compile = {0}, link = {0};
        compile_command(jobs[i], folder, ccache, &compile);
        link_command(jobs[i], folder, &link);
        ninja_edge(&out, "compile", i, strbuf_text(&compile), log, ">");
        ninja_edge(&out, "link", i, strbuf_text(&link), log, ">>");
        strbuf_addf(&out, "build %zu/" OBJECT ": compile%zu\n", i, i);
        strbuf_addf(&out, "build %zu/" DONE ": link%zu %zu/" OBJECT "\n", i, i, i);
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

static int interrupted(struct variant_job *const *jobs, size_t count, struct err *err) {
    const char *name = jobs[0]->request->kernel->name;
    if (count == 1) return err_set(err, ERR_CANCELLED, "interrupted while kernel '%s' was being built", name);
    return err_set(err, ERR_CANCELLED, "interrupted while kernel '%s' and %zu more were being built", name,
                   count - 1);
}

// Whose command failed is seen by what is missing afterwards.
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
    const struct proc_spec spec = {.argv = argv,
                                   .env_remove = build_tool_env_remove(),
                                   .starts_others = true,
                                   .dir = stage,
                                   .env_add = build_tool_env(arena),
                                   .timeout_ns = BUILD_TIMEOUT_NS};
    struct proc_status status;
    const int result = proc_run(&spec, &status, output, err);
    return result == -ERR_CANCELLED ? interrupted(jobs, count, err) : result;
}

// The largest figure of a -fstack-usage file ("file:line:column:function<TAB>bytes<TAB>kind" lines); -1: no
// such file.
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

// All of what a tool wrote into a file of a job; NULL when nothing was said. Caller frees.
static char *said_read(const char *folder, const char *name) {
    char *path = path_join(folder, name), *text = NULL;
    if (file_exists(path) && file_read(path, LOG_BYTES_MAX, &text, NULL, NULL) < 0) text = NULL;
    free(path);
    if (text && !*text) {
        free(text);
        return NULL;
    }
    return text;
}

// All of a job's log; NULL when nothing was said. Caller frees.
static char *log_read(int fd) {
    struct strbuf text = {0};
    char chunk[16384];
    ssize_t got;
    for (off_t at = 0; text.length < LOG_BYTES_MAX && (got = pread(fd, chunk, sizeof chunk, at)) > 0;
         at += got)
        strbuf_add_bytes(&text, chunk, (size_t)got);
    if (text.length) return strbuf_take(&text);
    strbuf_fini(&text);
    return NULL;
}

static bool is_from_ccache(const char *folder) {
    char *said = said_read(folder, CCACHE);
    const bool result = said && (strstr(said, "direct_cache_hit") || strstr(said, "preprocessed_cache_hit"));
    free(said);
    return result;
}

// The words of the flags as text, for reports.
static const char *flags_text(const struct toolchain_flags *flags, struct arena *arena) {
    struct strbuf text = {0};
    for (size_t i = 0; i < flags->count; ++i) strbuf_addf(&text, "%s%s", i ? " " : "", flags->words[i]);
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
    report.is_from_ccache = is_from_ccache(folder);
    if (job->toolchain.is_cuda && log) build_report_take_log(&report, log, arena);
    return report;
}

static int job_publish(struct variant_job *job, const char *folder, struct arena *arena, struct err *err) {
    const char *scratch[] = {OBJECT, STACK, INPUTS, CCACHE, DONE};
    for (size_t i = 0; i < sizeof scratch / sizeof *scratch; ++i) {
        char *path = path_join(folder, scratch[i]);
        unlink(path); // one left behind would do no harm
        free(path);
    }
    char *linked = path_join(folder, LINKED), *module = path_join(folder, BUILD_MODULE_NAME);
    const int moved = rename(linked, module);
    free(linked);
    free(module);
    if (moved < 0)
        return err_set_errno(err, ERR_IO, "kernel '%s': cannot rename its module in '%s'",
                             job->request->kernel->name, folder);
    TRY(build_cache_publish(folder, job->key, arena, &job->entry, err));
    job->is_done = true;
    return 0;
}

static int refused(const struct variant_job *job, const char *folder, const char *said, struct err *err) {
    const struct manifest_kernel *kernel = job->request->kernel;
    if (build_tool_is_disk_full(folder, said)) return build_tool_fail_disk_full(kernel->name, err);
    return err_set(err, ERR_BUILD, "kernel '%s' does not build: %s refused '%s':\n%s", kernel->name,
                   job->toolchain.label, kernel->source, log_tail(said, BUILD_LOG_BYTES));
}

// A file that declares no kernels compiles all the same, and nothing could be done with it.
static int declaration_check(const struct variant_job *job, const char *folder, struct err *err) {
    char *linked = path_join(folder, LINKED), *bytes = NULL;
    size_t length;
    struct elf_file elf;
    int result = file_read(linked, ELF_FILE_BYTES_MAX, &bytes, &length, err);
    if (result == 0) result = elf_file_parse(bytes, length, linked, &elf, err);
    if (result == 0 && !elf_exports(&elf, MODULE_SYMBOL))
        result = err_set(err, ERR_BUILD,
                         "kernel '%s' does not build: '%s' compiles, but declares no kernels; add "
                         "ASSAY_MODULE(...) of assay/kernel.h to it",
                         job->request->kernel->name, job->request->kernel->source);
    free(bytes);
    free(linked);
    return result;
}

static struct build_counts counts; // of this process, for what `assay build` says at its end

struct build_counts variant_build_counts(void) {
    return counts;
}

static int job_finish(struct variant_job *job, const char *folder, double build_s, const char *ninja_output,
                      struct arena *arena, struct err *err) {
    char *done = path_join(folder, DONE), *log = log_read(job->log_fd);
    int result = 0;
    if (file_exists(done)) {
        result = declaration_check(job, folder, err);
        job->entry.report = report_make(job, folder, log, build_s, arena);
        *(job->entry.report.is_from_ccache ? &counts.ccache_count : &counts.compiled_count) += 1;
        if (result == 0) result = job_publish(job, folder, arena, err);
    } else {
        result = refused(job, folder, log ? log : ninja_output, err);
    }
    free(done);
    free(log);
    return result;
}

int compile_batch(struct variant_job *const *jobs, size_t count, struct arena *arena, struct err *err) {
    struct build_stage stage;
    struct strbuf output = {0};
    TRY(build_stage_open(arena, &stage, err));
    const uint64_t start_ns = clock_ns();
    int result = ninja_write(jobs, count, stage.dir, arena, err);
    if (result == 0) result = ninja_run(jobs, count, stage.dir, arena, &output, err);
    const double build_s = (double)(clock_ns() - start_ns) * 1e-9;
    // Good ones are kept even when another one fails; the first failure is the one reported.
    struct err later;
    bool is_run = result == 0;
    for (size_t i = 0; i < count && is_run; ++i) {
        const char *folder = arena_format(arena, "%s/%zu", stage.dir, i);
        struct err *where = result == 0 ? err : &later;
        int finished = job_finish(jobs[i], folder, build_s, strbuf_text(&output), arena, where);
        if (result == 0) result = finished;
    }
    for (size_t i = 0; i < count; ++i)
        if (jobs[i]->log_fd > 0) close(jobs[i]->log_fd);
    strbuf_fini(&output);
    build_stage_close(&stage);
    return result;
}
