// SPDX-License-Identifier: Apache-2.0
//
// The table of code hosts, and what they share.
#include "control/code_host/code_host.h"

#include <stdlib.h>

static const struct code_host *const hosts[] = {&code_host_github, &code_host_gitlab};

const struct code_host *code_host_find(const char *name) {
    for (size_t i = 0; i < sizeof hosts / sizeof *hosts; ++i)
        if (str_equal(hosts[i]->name, name)) return hosts[i];
    return NULL;
}

const char *code_host_run_url(struct arena *arena) {
    for (size_t i = 0; i < sizeof hosts / sizeof *hosts; ++i) {
        struct ci_job job = {0};
        struct err unread = {0};
        if (hosts[i]->read_job(arena, &job, &unread) == 0 && job.run_url) return job.run_url;
    }
    return NULL;
}

const char *code_host_variable(const char *name, struct arena *arena) {
    const char *value = getenv(name);
    return value && *value ? arena_strdup(arena, value) : NULL;
}
