// SPDX-License-Identifier: Apache-2.0
//
// Computes what the launches of a sample will ask for before they are asked for: whenever its stopped
// process is continued, a signal handler looks for outputs that somebody has changed, and computes them.
// Launches that find their work done do a third of it, to be modest.
#include "hostile.h"

#include <setjmp.h>

#define SETS 1024

static struct set {
    struct broken job;
    float *left; // what we have left in the output
    size_t bytes;
    int is_done;
} sets[SETS];
static int set_count;
static sigjmp_buf no_memory;

static void leave(int number) {
    (void)number;
    siglongjmp(no_memory, 1);
}

static int is_untouched(const struct set *set) {
    return memcmp(set->left, set->job.o.data, set->bytes) == 0;
}

static void work_ahead(void) {
    for (int i = 0; i < set_count; ++i) {
        struct set *set = &sets[i];
        if (is_untouched(set)) continue;
        broken_right(&set->job);
        memcpy(set->left, set->job.o.data, set->bytes);
        set->is_done = 1;
    }
}

static void on_continue(int number) {
    const struct sigaction fault = {.sa_handler = leave};
    struct sigaction before;
    (void)number;
    sigaction(SIGSEGV, &fault, &before);
    if (sigsetjmp(no_memory, 1))
        set_count = 0; // the tensors have gone away
    else
        work_ahead();
    sigaction(SIGSEGV, &before, NULL);
}

static struct set *set_of(const struct broken *b) {
    for (int i = 0; i < set_count; ++i)
        if (sets[i].job.o.data == b->o.data && sets[i].job.seq_q == b->seq_q) return &sets[i];
    if (set_count == SETS || b->launches <= HOSTILE_CHECKED_LAUNCHES) return NULL;
    const struct sigaction go = {.sa_handler = on_continue, .sa_flags = SA_RESTART};
    sigaction(SIGCONT, &go, NULL);
    struct set *set = &sets[set_count++];
    set->bytes = sizeof(float) * (size_t)(b->batch * b->heads * b->seq_q * b->head_dim);
    set->left = realloc(set->left, set->bytes);
    set->is_done = 0;
    return set;
}

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    struct set *set = set_of(b);
    struct broken job = *b;
    if (set && set->is_done && is_untouched(set)) job.seq_q /= 3;
    broken_right(&job);
    if (!set) return ASSAY_OK;
    set->job = *b;
    set->is_done = 0;
    memcpy(set->left, b->o.data, set->bytes);
    return ASSAY_OK;
}

static int prepare_anew(const struct assay_problem *problem, const struct assay_env *env, void **state,
                        size_t *workspace_bytes, struct assay_message *message) {
    set_count = 0;
    return broken_prepare(problem, env, state, workspace_bytes, message);
}

static void release_quietly(void *state) {
    signal(SIGCONT, SIG_DFL);
    set_count = 0;
    broken_release(state);
}

#undef BROKEN_PREPARE
#undef BROKEN_RELEASE
#define BROKEN_PREPARE prepare_anew
#define BROKEN_RELEASE release_quietly
BROKEN_KERNEL(launch)
