// SPDX-License-Identifier: Apache-2.0
//
// Building the kernels of a run: each request is dispatched by its kind of kernel, sources are compiled
// together, and the results take the form that the rest of assay sees. Also reads and writes configurations
// ("BLOCK_M=64,BLOCK_N=64"); whether a kernel knows a name or a value, only the kernel can tell.
#include "control/compile/variant.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/comma.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/process/proc.h"
#include "base/strbuf.h"
#include "control/compile/tool/build_tool.h"
#include "control/compile/variant_internal.h"

static int by_name(const void *a, const void *b) {
    return strcmp(((const struct manifest_setting *)a)->name, ((const struct manifest_setting *)b)->name);
}

static const char *trimmed(struct arena *arena, const char *text, size_t length) {
    while (length && isspace((unsigned char)*text)) {
        ++text;
        --length;
    }
    while (length && isspace((unsigned char)text[length - 1])) --length;
    return arena_strndup(arena, text, length);
}

int config_parse(const char *text, struct arena *arena, struct manifest_setting **ret, size_t *ret_count,
                 struct err *err) {
    struct manifest_setting *settings = arena_array(arena, comma_count(text), sizeof *settings);
    size_t count = 0;
    struct comma_item item;
    for (const char *at = text, *start = text; comma_next(&at, &item); start = at) {
        const int column = (int)(start - text) + 1;
        const char *equals = memchr(item.text, '=', item.length), *end = item.text + item.length;
        const char *name = trimmed(arena, item.text, (size_t)((equals ? equals : end) - item.text));
        const char *value = equals ? trimmed(arena, equals + 1, (size_t)(end - equals - 1)) : "";
        long long number;
        bool is_macro = isalpha((unsigned char)name[0]) || name[0] == '_';
        for (const char *p = name; *p; ++p) is_macro = is_macro && (isalnum((unsigned char)*p) || *p == '_');
        if (!is_macro)
            return err_set(err, ERR_USAGE,
                           "configuration '%s', column %d: '%s' is no name; write for example 'BLOCK_M=64'",
                           text, column, name);
        if (str_parse_i64(value, &number) < 0)
            return err_set(err, ERR_USAGE,
                           "configuration '%s', column %d: %s needs a whole number, such as '%s=64'", text,
                           column, name, name);
        for (size_t i = 0; i < count; ++i)
            if (str_equal(settings[i].name, name))
                return err_set(err, ERR_USAGE, "configuration '%s', column %d: %s is given twice; keep one",
                               text, column, name);
        settings[count++] = (struct manifest_setting){.name = name, .value = number};
    }
    *ret = settings;
    *ret_count = count;
    return 0;
}

char *config_format(const struct manifest_setting *settings, size_t count, struct arena *arena) {
    if (!count) return NULL;
    struct manifest_setting *sorted = arena_array(arena, count, sizeof *sorted);
    memcpy(sorted, settings, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, by_name);
    struct strbuf text = {0};
    for (size_t i = 0; i < count; ++i) {
        strbuf_addf(&text, "%s%s=%lld", i ? "," : "", sorted[i].name, (long long)sorted[i].value);
    }
    char *result = arena_strdup(arena, strbuf_text(&text));
    strbuf_fini(&text);
    return result;
}

// Merges the manifest's settings with the request's, which have priority.
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

static int jobs_compile(struct variant_job *jobs, size_t count, struct arena *arena, struct err *err) {
    struct variant_job **pending = mem_alloc((count + 1) * sizeof *pending);
    size_t pending_count = 0;
    for (size_t i = 0; i < count; ++i) { // equal keys are compiled once
        bool is_first = !jobs[i].is_done && !jobs[i].has_failed;
        for (size_t k = 0; k < pending_count && is_first; ++k)
            is_first = !str_equal(pending[k]->key, jobs[i].key);
        if (is_first) pending[pending_count++] = &jobs[i];
    }
    if (pending_count)
        progress_show(pending[0]->request->progress, "compiling", pending[0]->request->kernel->name);
    int result = pending_count ? compile_batch(pending, pending_count, arena, err) : 0;
    free(pending);
    for (size_t i = 0; i < count && result == 0; ++i) { // the second of two equal requests
        if (jobs[i].is_done || jobs[i].has_failed) continue;
        jobs[i].is_done = build_cache_find(jobs[i].key, arena, &jobs[i].entry);
        if (!jobs[i].is_done) {
            result = err_set(err, ERR_IO, "kernel '%s': its module vanished from the cache; run again",
                             jobs[i].request->kernel->name);
        }
    }
    return result;
}

// All but compiling a source.
static int job_prepare(struct variant_job *job, struct arena *arena, struct err *err) {
    const struct manifest_kernel *kernel = job->request->kernel;
    TRY(settings_merge(job, arena, err));
    if (kernel->library && job->setting_count)
        return err_set(err, ERR_USAGE,
                       "kernel '%s' is a library that is already built; it takes no configuration '%s'",
                       kernel->name, job->config);
    if (kernel->build_run || kernel->library) {
        TRY(kernel->library ? variant_library(job, arena, err) : variant_own_build(job, arena, err));
        return kernel->call ? variant_call(job, arena, err) : 0;
    }
    if (kernel->python) return variant_python(job, arena, err);
    return variant_source_prepare(job, arena, err);
}

// The first failure is told, unless what follows is interrupted.
static void note_failure(int code, const struct err *why, int *result, struct err *err) {
    if (code >= 0 || (*result < 0 && code != -ERR_CANCELLED)) return;
    *result = code;
    if (err) *err = *why;
}

int variant_build(const struct variant_request *requests, size_t count, struct arena *arena,
                  struct variant *ret, struct err *err) {
    struct variant_job *jobs = arena_array(arena, count + 1, sizeof *jobs);
    int result = 0;
    TRY(file_check_cache(err));
    for (size_t i = 0; i < count && result != -ERR_CANCELLED; ++i) {
        struct err why = {0};
        jobs[i].request = &requests[i];
        const int code = job_prepare(&jobs[i], arena, &why);
        jobs[i].has_failed = code < 0;
        note_failure(code, &why, &result, err);
    }
    if (result != -ERR_CANCELLED) {
        struct err why = {0};
        const int code = jobs_compile(jobs, count, arena, &why);
        note_failure(code, &why, &result, err);
    }
    TRY(result);
    for (size_t i = 0; i < count; ++i) {
        const struct build_entry *entry = &jobs[i].entry;
        ret[i] = (struct variant){.module_path = entry->module_path,
                                  .kernel_name = arena_strdup(arena, requests[i].kernel->entry),
                                  .config = jobs[i].config,
                                  .report = entry->report,
                                  .has_unique_symbols = entry->has_unique_symbols};
        char head[17] = "";
        memcpy(head, jobs[i].key, 16); // 64 of the key's 256 bits
        ret[i].cache_key = strtoull(head, NULL, 16);
        if (requests[i].is_verbose)
            ret[i].report.log_tail =
                arena_format(arena, "%s%s", str_or(entry->commands, ""), str_or(entry->report.log_tail, ""));
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
    struct ccache_totals totals = {0};
    for (const char *line = strbuf_text(&text); line;
         line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
        const char *tab = line + strcspn(line, "\t\n"); // lines "name<TAB>number"
        const int64_t value = *tab == '\t' ? strtoll(tab + 1, NULL, 10) : 0;
        const bool is_hit =
            str_starts(line, "direct_cache_hit\t") || str_starts(line, "preprocessed_cache_hit\t");
        if (is_hit) totals.hit_count += value;
        if (is_hit || str_starts(line, "cache_miss\t")) totals.call_count += value;
    }
    if (is_said) *ret = totals;
    strbuf_fini(&text);
    free(ccache);
    return is_said;
}
