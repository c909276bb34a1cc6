// SPDX-License-Identifier: Apache-2.0
//
// May this program, on this machine, go on with the run? The sampler and the linked-in kernels are part of
// the program, so its hash stands at the head of the journal, with that of the bridge to Python where a side
// needs it; of the machine every worker says in its hello what must not change.
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "control/exec/job.h"
#include "control/exec/python_program.h"

// The program, and what takes its place in an interpreter.
static int hash_program(const struct plan *plan, bool *ret_has_bridge, char ret_hex[HASH_HEX_BYTES],
                        struct err *err) {
    char hex[HASH_HEX_BYTES];
    *ret_has_bridge = false;
    for (size_t i = 0; i < plan->side_count; ++i) *ret_has_bridge |= plan->sides[i].python != NULL;
    TRY(hash_file_hex("/proc/self/exe", ret_hex, err));
    if (!*ret_has_bridge) return 0;
    struct hash_state *hash = hash_new();
    hash_add_text(hash, ret_hex);
    const int code = python_program_hash(hash, err);
    hash_take_hex(hash, hex);
    memcpy(ret_hex, hex, sizeof hex);
    return code;
}

int executor_hold_program(struct executor *executor, struct err *err) {
    struct executor_state *state = executor->state;
    char now[HASH_HEX_BYTES];
    bool has_bridge;
    TRY(hash_program(executor->plan, &has_bridge, now, err));
    if (state->program[0] == 0) {
        const struct record record = {.kind = RECORD_PROGRAM, .time_ns = clock_ns(), .text = now};
        return journal_add(executor->journal, &record, err);
    }
    if (strcmp(state->program, now) == 0) return 0;
    return err_set(
        err, ERR_UNAVAILABLE,
        "the run in '%s' was begun by another build of assay%s, whose sampler and kernels may differ; "
        "resume it with the program that began it, or start a new run",
        executor->run_dir, has_bridge ? " or of its bridge to Python (libassay_worker.so, peers/*.py)" : "");
}

static int hold_text(const char *what, const char *first, const char *now, struct err *err) {
    if (!first || !now || strcmp(first, now) == 0) return 0;
    return err_set(
        err, ERR_UNAVAILABLE,
        "this run was begun on another machine or with other settings: its %s was '%s' and is '%s' now; "
        "resume on the machine that began it, or start a new run",
        what, first, now);
}

int executor_hold_machine(const struct executor *executor, const struct environment *now, struct err *err) {
    const struct environment *first = &executor->result->environment;
    TRY(hold_text("device", first->device_uuid, now->device_uuid, err));
    TRY(hold_text("driver", first->driver, now->driver, err));
    TRY(hold_text("instruction set", first->isa, now->isa, err));
    if (first->thread_count == 0 || now->thread_count == 0 || first->thread_count == now->thread_count)
        return 0;
    return err_set(
        err, ERR_UNAVAILABLE,
        "this run was begun with %lld threads and has %lld now; resume with as many processors as it began "
        "with, or start a new run",
        (long long)first->thread_count, (long long)now->thread_count);
}
