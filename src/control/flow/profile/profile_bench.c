// SPDX-License-Identifier: Apache-2.0
//
// See profile_bench.h.
#include "control/flow/profile/profile_bench.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/process/proc.h"

#define BENCH_OUTPUT_BYTES ((size_t)16 << 20)
#define BENCH_TIMEOUT_NS   600000000000u // an interpreter that starts, and a slow kernel

enum { TEXT_BYTES = 32 };

void arguments_add(struct arguments *words, const char *const *items) {
    for (; *items && words->count + 1 < ARGUMENTS_MAX; ++items) words->items[words->count++] = *items;
    words->items[words->count] = NULL;
}

void arguments_add_pair(struct arguments *words, const char *option, const char *value) {
    if (value) arguments_add(words, (const char *const[]){option, value, NULL});
}

void profile_bench_add(struct arguments *words, const struct collecting *c, const char *assay) {
    const struct session_options *options = &c->session->options;
    struct arena *arena = &c->session->arena;
    arguments_add(words, (const char *const[]){assay, "bench", "--quiet", "--isolation", "none",
                                               "--fresh-interpreter", NULL});
    // The user's last bench stays the last one.
    arguments_add_pair(words, "--output-dir", arena_format(arena, "%s/runs", c->request->folder));
    arguments_add_pair(words, "--problem", c->item->problem.name);
    if (!str_equal(c->item->distribution, OP_DISTRIBUTION_DEFAULT))
        arguments_add_pair(words, "--distribution", c->item->distribution);
    arguments_add_pair(words, "--kernel", c->request->kernel);
    arguments_add_pair(words, "--module", options->module);
    arguments_add_pair(words, "--device", options->device);
    arguments_add_pair(words, "--manifest", options->manifest);
    arguments_add_pair(words, "--config", options->config);
    arguments_add_pair(words, "--seed", arena_format(arena, "%llu", (unsigned long long)options->seed));
}

int profile_time(struct session *session, const struct profile_request *request,
                 const struct suite_item *item, struct result *ret, struct err *err) {
    const struct collecting c = profile_collecting(session, request, item);
    struct arguments words = {0};
    struct proc_status status;
    struct strbuf output = {0};
    char samples[TEXT_BYTES], *program = path_self();
    const char *path = arena_format(&session->arena, "%s/%s.bench.json", request->folder, c.name);
    snprintf(samples, sizeof samples, "%lu", (unsigned long)request->timed_count);
    profile_bench_add(&words, &c, program);
    arguments_add_pair(&words, "--iters", samples);
    arguments_add_pair(&words, "--output", path);
    if (session->options.is_store_off) arguments_add(&words, PROFILE_BENCH_NOT_KEPT);
    const struct proc_spec spec = {.argv = words.items,
                                   .starts_others = true,
                                   .timeout_ns = BENCH_TIMEOUT_NS,
                                   .output_limit_bytes = BENCH_OUTPUT_BYTES};
    int code = proc_run(&spec, &status, &output, err);
    if (code == 0 && !(status.end == PROC_EXITED && status.exit_code == 0))
        code = err_set(err, ERR_UNAVAILABLE, "%s was not measured: its bench did not end well",
                       item->problem.name);
    if (code == 0) code = result_read_file(path, ret, err);
    strbuf_fini(&output);
    free(program);
    return code;
}
