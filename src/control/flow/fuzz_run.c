// SPDX-License-Identifier: Apache-2.0
//
// See fuzz_run.h.
#include "control/flow/fuzz_run.h"

#include <stdio.h>

#include "base/comma.h"
#include "base/strbuf.h"
#include "control/flow/run_plan.h"
#include "control/plan/peer.h"

#define ORACLE_FLOAT64 "float64"

static int refuse_timed_only(const struct session *session, struct err *err) {
    const struct operator_def *op = session_operator(session, &session->manifest);
    if (!declared_is_timed_only(declared_of(op))) return 0;
    return err_set(err, ERR_USAGE,
                   "%s gives times only, so that nothing can be checked: 'assay bench' and 'assay gate' "
                   "measure it",
                   op->name);
}

// Adds the plain kernel of the checked operator (operator_def.same_precision), and runs it on the processor.
static int add_plain_kernel(struct session *session, struct err *err) {
    const struct operator_def *op = session_operator(session, &session->manifest);
    if (!op->same_precision)
        return err_set(err, ERR_USAGE,
                       "operator %s has no plain kernel to check; name a kernel with --kernel", op->name);
    session->options.device = "cpu";
    session->kind = device_kind_of(session->options.device);
    return session_add_side(session, SIDE_CANDIDATE, op->same_precision, NULL, err);
}

// The operator's peer of that rank as an oracle; NULL: none.
static const struct op_peer *library_oracle(const struct operator_def *op, int rank) {
    for (const struct op_peer *peer = op->peers; peer && peer->name; ++peer)
        if (peer->oracle_rank == rank) return peer;
    return NULL;
}

// For neither a kernel nor an oracle named: adds a library if the device has one, else the plain kernel.
static int add_some_oracle(struct session *session, struct err *err) {
    const struct operator_def *op = session_operator(session, &session->manifest);
    const struct op_peer *peer;
    for (int rank = 1; (peer = library_oracle(op, rank)); ++rank) {
        struct err missing = {0};
        if (str_equal(session->kind->backend, "cpu") || !peer_runs_on(peer, session->kind->backend)) continue;
        int code = session_add_side(session, SIDE_CANDIDATE, peer->name, NULL, &missing);
        if (code == 0) code = session_build(session, NULL, &missing);
        if (code == 0) return 0;
        if (code == -ERR_CANCELLED) return err_set(err, missing.code, "%s", missing.text);
        session->side_count = 0; // the library is not installed
    }
    return add_plain_kernel(session, err);
}

static int unknown_oracle(const struct session *session, const char *oracle, struct err *err) {
    const struct operator_def *op = session_operator(session, &session->manifest);
    struct strbuf known = {0};
    comma_add(&known, ORACLE_FLOAT64);
    const struct op_peer *peer;
    for (int rank = 1; (peer = library_oracle(op, rank)); ++rank) comma_add(&known, peer->name);
    const int code = err_set(err, ERR_USAGE, "'%s' is no oracle; for %s --oracle takes %s", oracle, op->name,
                             strbuf_text(&known));
    strbuf_fini(&known);
    return code;
}

int fuzz_add_sides(struct session *session, const struct fuzz_request *request, struct err *err) {
    const struct session_options *options = &session->options;
    const char *oracle = request->oracle;
    const struct op_peer *library = peer_find(session_operator(session, &session->manifest), oracle);
    const bool is_library = library && library->oracle_rank;
    if (oracle && !is_library && !str_equal(oracle, ORACLE_FLOAT64))
        return unknown_oracle(session, oracle, err);
    const bool has_kernel = options->module || options->kernel || session->sim;
    if (options->module)
        TRY(session_add_side(session, SIDE_CANDIDATE, NULL, NULL, err));
    else if (has_kernel)
        TRY(session_add_side(session, SIDE_CANDIDATE, session_default_kernel(session), NULL, err));
    if (is_library)
        TRY(session_add_side(session, has_kernel ? SIDE_PEER : SIDE_CANDIDATE, oracle, NULL, err));
    else if (!has_kernel)
        TRY(oracle ? add_plain_kernel(session, err) : add_some_oracle(session, err));
    return session->side_count && session->sides[0].spec.reproduce ? 0 : session_build(session, NULL, err);
}

int fuzz_set_inputs(struct suite *suite, const struct fuzz_request *request, struct err *err) {
    const char *wanted = request->memory_layout, *distribution = request->distribution;
    const enum memory_layout given = wanted ? memory_layout_parse(wanted) : MEMORY_LAYOUT_DENSE;
    if (given == MEMORY_LAYOUT_INVALID)
        return err_set(err, ERR_USAGE,
                       "'%s' is no memory layout; --memory-layout takes dense, padded, offset, packed or far",
                       wanted);
    for (size_t i = 0; i < suite->item_count; ++i) {
        if (wanted) suite->items[i].memory_layout = given;
        if (!distribution) continue;
        if (problem_check_distribution(&suite->items[i].problem, distribution, err) < 0)
            return err_prefix(err, "--distribution");
        suite->items[i].distribution = distribution;
    }
    return 0;
}

// --boundary: the suite of that name, too; in the suite's dtype, unless the kernel decides that one.
static int add_boundary(struct session *session, struct suite *suite, struct err *err) {
    if (!suite->item_count) return 0;
    const struct suite_item *first = &suite->items[0];
    const char *dtype =
        first->matrix == OP_MATRIX_NONE ? problem_dtype_field(&first->problem) : session->options.dtype;
    struct suite boundary;
    TRY(suite_boundary(first->problem.op, dtype, &session->arena, &boundary, err));
    *suite = suite_union(suite, &boundary, &session->arena);
    return 0;
}

int fuzz_plan(struct session *session, const struct fuzz_request *request, struct plan *ret,
              struct err *err) {
    struct suite suite;
    TRY(refuse_timed_only(session, err));
    TRY(session_suite(session, session_default_check(session), &suite, err));
    const bool is_measurable = !request->is_boundary && suite_check_measurable(&suite, NULL) == 0;
    TRY(fuzz_set_inputs(&suite, request, err));
    if (request->is_boundary) TRY(add_boundary(session, &suite, err));
    if (session->side_count) {
        TRY(session_draw_checks(session, &suite, err));
        session_follow_kernel(session, 0, &suite, &session->arena);
    } else {
        suite_take(&suite, NULL, false, &session->arena); // what every kernel is asked for
    }
    run_plan_init(ret, session, "fuzz");
    ret->repeat_count = request->repeat_count;
    ret->look_count = 0;
    ret->is_oracle_only =
        session->side_count && !session->sim && !session->options.kernel && !session->options.module;
    if (ret->is_oracle_only && !is_measurable)
        return err_set(
            err, ERR_USAGE,
            "a matrix with inputs of its own, as the boundary matrix is, needs a kernel: the plain "
            "kernel rounds as its precision does, and is no oracle there");
    run_plan_add_checks(ret, &suite);
    return 0;
}
