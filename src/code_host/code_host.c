// SPDX-License-Identifier: Apache-2.0
//
// The table of code hosts, and what they share.
#include "code_host/code_host.h"

#include <stdlib.h>
#include <string.h>

static const struct code_host *const hosts[] = {&code_host_github, &code_host_gitlab};

const struct code_host *code_host_find(const char *name) {
    for (size_t i = 0; i < sizeof hosts / sizeof *hosts; ++i)
        if (str_equal(hosts[i]->name, name)) return hosts[i];
    return NULL;
}

#define NUMBER_DIGITS_MAX 18   // of 64 bits
#define ATTEMPTS_MAX      1000 // no host repeats a job more often: GitHub stops at 50

bool code_host_is_number(const char *text) {
    const size_t length = text ? strlen(text) : 0;
    return length > 0 && length <= NUMBER_DIGITS_MAX && strspn(text, "0123456789") == length;
}

// The host whose job we run in; NULL: no job.
static const struct code_host *find_job(struct arena *arena, struct ci_job *ret) {
    for (size_t i = 0; i < sizeof hosts / sizeof *hosts; ++i) {
        struct err unread = {0};
        if (hosts[i]->read_job(arena, ret, &unread) == 0 && code_host_is_number(ret->id)) return hosts[i];
    }
    return NULL;
}

const char *code_host_run_url(struct arena *arena) {
    struct ci_job job = {0};
    const struct code_host *host = find_job(arena, &job);
    return host && job.site_url ? host->job_url(job.site_url, job.id, arena) : NULL;
}

// A result may be a stranger's: its number alone is taken, and only for a page of our repository.
const char *code_host_result_url(const struct code_host *host, const struct ci_job *job,
                                 const struct result *result, struct arena *arena) {
    const bool is_ours = str_equal(result->job_host, host->name) && code_host_is_number(result->job_id);
    return is_ours && job->site_url ? host->job_url(job->site_url, result->job_id, arena) : NULL;
}

void code_host_state_job(struct result *result) {
    struct ci_job job = {0};
    const struct code_host *host = find_job(&result->arena, &job);
    if (!host) return;
    result->job_host = host->name;
    result->job_id = job.id;
    result->job_runner = job.runner;
}

const char *code_host_variable(const char *name, struct arena *arena) {
    const char *value = getenv(name);
    return value && *value ? arena_strdup(arena, value) : NULL;
}

static uint32_t earlier_attempts(const struct code_host *host) {
    unsigned long long attempt = 0;
    const char *text = getenv(host->attempt_variable);
    if (!str_equal(getenv(host->job_variable), "true") || !code_host_is_number(text)) return 0;
    if (str_parse_u64(text, &attempt) < 0 || attempt <= host->first_attempt || attempt > ATTEMPTS_MAX)
        return 0;
    return (uint32_t)(attempt - host->first_attempt);
}

uint32_t code_host_earlier_attempts(const struct code_host **ret_host) {
    *ret_host = NULL;
    for (size_t i = 0; i < sizeof hosts / sizeof *hosts; ++i) {
        const uint32_t count = earlier_attempts(hosts[i]);
        if (count) *ret_host = hosts[i];
        if (count) return count;
    }
    return 0;
}
