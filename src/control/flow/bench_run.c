// SPDX-License-Identifier: Apache-2.0
//
// See bench_run.h.
#include "control/flow/bench_run.h"

#include "base/comma.h"
#include "base/strbuf.h"
#include "control/flow/run_plan.h"
#include "control/plan/peer.h"

// Adds each name of a comma list as a side. kernel: which one a revision (git:REV) in the list stands for.
static int add_list(struct session *session, const char *list, enum side_role role, const char *kernel,
                    struct err *err) {
    struct comma_item item;
    for (const char *at = list; comma_next(&at, &item);) {
        if (!item.length)
            return err_set(err, ERR_USAGE,
                           "--%s '%s' holds an empty name; it takes names with commas between",
                           role == SIDE_PEER ? "vs" : "kernel", list);
        const char *spec = arena_strndup(&session->arena, item.text, item.length);
        TRY(session_add_side(session, role, spec, kernel, err));
    }
    return 0;
}

// The default of --vs: the manifest's peers that run on the device and are not measured already.
static int add_manifest_peers(struct session *session, struct err *err) {
    const struct operator_def *op = session_operator(session, &session->manifest);
    for (size_t i = 0; i < session->manifest.peer_count; ++i) {
        const char *peer = session->manifest.peers[i];
        const struct manifest_kernel *kernel = session_kernel_named(session, peer);
        if (kernel && !session_kernel_fits(session, kernel)) continue;
        const struct op_peer *known = kernel ? NULL : peer_find(op, peer);
        if (!kernel && !known && peer_find(NULL, peer)) continue; // of another operator
        if (kernel && !str_equal(kernel->op, op->name)) continue;
        struct err unknown = {0};
        if (known && !peer_runs_on(known, session->kind->backend)) continue;
        bool is_there = false;
        for (size_t k = 0; k < session->side_count; ++k)
            is_there |= str_equal(session->sides[k].spec.kernel, known ? known->name : peer);
        if (is_there || session_add_side(session, SIDE_PEER, peer, peer, &unknown) == 0) continue;
        if (unknown.code != ERR_USAGE) return err_set(err, unknown.code, "%s", unknown.text);
        return err_set(err, ERR_CONFIG, "%s: peers: %s", session->manifest.path, unknown.text);
    }
    return 0;
}

int bench_add_sides(struct session *session, const char *vs, struct err *err) {
    if (session->options.module) {
        TRY(session_add_side(session, SIDE_CANDIDATE, NULL, NULL, err));
    } else if (session->options.kernel) {
        TRY(add_list(session, session->options.kernel, SIDE_CANDIDATE, NULL, err));
    } else {
        const struct operator_def *op = session_operator(session, &session->manifest);
        for (size_t i = 0; i < session->manifest.kernel_count; ++i) {
            const struct manifest_kernel *kernel = &session->manifest.kernels[i];
            if (session_kernel_fits(session, kernel) && str_equal(kernel->op, op->name))
                TRY(session_add_side(session, SIDE_CANDIDATE, kernel->name, NULL, err));
        }
    }
    if (!session->side_count && session->sim)
        TRY(session_add_side(session, SIDE_CANDIDATE, session_default_kernel(session), NULL, err));
    if (!session->side_count)
        return err_set(
            err, ERR_USAGE,
            "no kernel for device '%s': name one with --kernel or --module, or add one to assay.yaml",
            session->options.device);
    return vs ? add_list(session, vs, SIDE_PEER, session->sides[0].spec.kernel, err)
              : add_manifest_peers(session, err);
}

int bench_plan(struct session *session, const char *command, const char *fallback_suite, uint32_t round_count,
               struct plan *ret, struct err *err) {
    struct suite suite;
    TRY(session_suite(session, fallback_suite, &suite, err));
    if (suite_take_distributions(&suite, session->options.distributions, &session->arena, err) < 0)
        return err_prefix(err, "--distribution");
    run_plan_init(ret, session, command);
    ret->looks[0] = round_count;
    return run_plan_add_cases(ret, &suite, err);
}

int bench_measure(struct run *run, struct err *err) {
    TRY(executor_run_rounds(&run->executor, run->plan.looks[0], err));
    return run_write_result(run, err);
}
