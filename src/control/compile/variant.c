// SPDX-License-Identifier: Apache-2.0
//
// How does each kernel of a run become a module? Sorts the requests by kind, lets sources be compiled
// together, and puts what came out into the form that the rest of assay sees.
#include "control/compile/variant.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/process/proc.h"
#include "base/strbuf.h"
#include "control/compile/build_tool.h"
#include "control/compile/variant_internal.h"

static int by_name(const void *a, const void *b) {
    return strcmp(((const struct manifest_setting *)a)->name, ((const struct manifest_setting *)b)->name);
}

// The manifest's settings, overridden and extended by the request's.
static int settings_merge(struct variant_job *job, struct arena *arena, struct err *err) {
    const struct manifest_kernel *kernel = job->request->kernel;
    struct manifest_setting *asked = NULL;
    size_t asked_count = 0;
    if (job->request->config && *job->request->config) {
        TRY(config_parse(job->request->config, arena, &asked, &asked_count, err));
    }
    struct manifest_setting *merged =
        arena_array(arena, kernel->config_count + asked_count + 1, sizeof *merged);
    size_t count = kernel->config_count;
    if (count) memcpy(merged, kernel->config, count * sizeof *merged);
    for (size_t i = 0; i < asked_count; ++i) {
        size_t at = 0;
        while (at < count && !str_equal(merged[at].name, asked[i].name)) ++at;
        merged[at] = asked[i];
        if (at == count) ++count;
    }
    qsort(merged, count, sizeof *merged, by_name);
    job->settings = merged;
    job->setting_count = count;
    job->config = config_format(merged, count, arena);
    return 0;
}

static int kind_check(const struct manifest_kernel *kernel, const struct variant_job *job, struct err *err) {
    if (kernel->library && job->setting_count) {
        return err_set(err, ERR_USAGE,
                       "kernel '%s' is a library that is already built; it takes no configuration '%s'",
                       kernel->name, job->config);
    }
    return 0;
}

static int job_prepare(struct variant_job *job, struct arena *arena, struct err *err) {
    const struct manifest_kernel *kernel = job->request->kernel;
    TRY(settings_merge(job, arena, err));
    TRY(kind_check(kernel, job, err));
    if (kernel->python) return variant_python(job, arena, err);
    if (kernel->library) return variant_library(job, arena, err);
    if (kernel->build_run) return variant_own_build(job, arena, err);
    return variant_source_prepare(job, arena, err);
}

static bool is_first_of_key(const struct variant_job *jobs, size_t index) {
    for (size_t i = 0; i < index; ++i) {
        if (!jobs[i].is_done && str_equal(jobs[i].key, jobs[index].key)) return false;
    }
    return true;
}

static int jobs_compile(struct variant_job *jobs, size_t count, struct arena *arena, struct err *err) {
    struct variant_job **pending = mem_alloc((count + 1) * sizeof *pending);
    size_t pending_count = 0;
    for (size_t i = 0; i < count; ++i) {
        if (!jobs[i].is_done && is_first_of_key(jobs, i)) pending[pending_count++] = &jobs[i];
    }
    int result = pending_count ? compile_batch(pending, pending_count, arena, err) : 0;
    free(pending);
    for (size_t i = 0; i < count && result == 0; ++i) { // the second of two equal requests
        if (jobs[i].is_done) continue;
        jobs[i].is_done = build_cache_find(jobs[i].key, arena, &jobs[i].entry);
        if (!jobs[i].is_done) {
            result = err_set(err, ERR_IO, "kernel '%s': its module vanished from the cache; run again",
                             jobs[i].request->kernel->name);
        }
    }
    return result;
}

static struct variant variant_of(const struct variant_job *job, struct arena *arena) {
    struct variant variant = {.module_path = job->entry.module_path,
                              .kernel_name = arena_strdup(arena, job->request->kernel->entry),
                              .config = job->config,
                              .report = job->entry.report,
                              .has_unique_symbols = job->entry.has_unique_symbols};
    char head[17];
    memcpy(head, job->key, 16); // 64 of the key's 128 bits
    head[16] = 0;
    variant.cache_key = strtoull(head, NULL, 16);
    if (job->request->is_verbose) {
        const char *commands = job->entry.commands ? job->entry.commands : "";
        const char *log = variant.report.log_tail ? variant.report.log_tail : "";
        variant.report.log_tail = arena_format(arena, "%s%s", commands, log);
    }
    return variant;
}

int variant_build(const struct variant_request *requests, size_t count, struct arena *arena,
                  struct variant *ret, struct err *err) {
    struct variant_job *jobs = arena_array(arena, count + 1, sizeof *jobs);
    for (size_t i = 0; i < count; ++i) {
        jobs[i].request = &requests[i];
        TRY(job_prepare(&jobs[i], arena, err));
    }
    TRY(jobs_compile(jobs, count, arena, err));
    for (size_t i = 0; i < count; ++i) ret[i] = variant_of(&jobs[i], arena);
    return 0;
}

// "name<TAB>number" of `ccache --print-stats`; 0 when it is not there.
static int64_t stat_get(const char *text, const char *name) {
    const size_t length = strlen(name);
    for (const char *line = text; line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
        if (strncmp(line, name, length) == 0 && line[length] == '\t')
            return strtoll(line + length + 1, NULL, 10);
    }
    return 0;
}

bool variant_ccache_totals(struct arena *arena, struct ccache_totals *ret) {
    char *ccache = path_find_program("ccache");
    if (!ccache) return false;
    const char *argv[] = {ccache, "--print-stats", NULL};
    const struct proc_spec spec = {
        .argv = argv, .env_add = build_tool_env(arena), .timeout_ns = BUILD_TIMEOUT_NS};
    struct proc_status status;
    struct strbuf text = {0};
    const bool is_said =
        proc_run(&spec, &status, &text, NULL) == 0 && status.end == PROC_EXITED && status.exit_code == 0;
    if (is_said) {
        const char *stats = strbuf_text(&text);
        ret->hit_count = stat_get(stats, "direct_cache_hit") + stat_get(stats, "preprocessed_cache_hit");
        ret->call_count = ret->hit_count + stat_get(stats, "cache_miss");
    }
    strbuf_fini(&text);
    free(ccache);
    return is_said;
}
