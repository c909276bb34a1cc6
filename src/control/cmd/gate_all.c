// SPDX-License-Identifier: Apache-2.0
//
// See gate_all.h. Each kernel's gate has a run of its own, which can be resumed by itself; the decision over
// all is in a folder behind the last one's name, so that it is the last of them.
#include "control/cmd/gate_all.h"

#include <stdlib.h>

#include "base/file.h"
#include "base/mem.h"
#include "code_host/code_host.h"
#include "control/compile/revision.h"
#include "control/flow/device_lock.h"
#include "control/flow/gate/gate_broken.h"
#include "control/flow/run_plan.h"
#include "verdict/gate_family.h"
#include "verdict/summary.h"

struct all {
    const struct gate_one *one;
    struct session session;  // of the working tree, and the revision as its side: which kernels there are
    size_t count, own_count; // of both; of the working tree, which come first
    const char **kernels;
    struct family_member *members;
    struct result *results; // [count]; of kernels that were decided, else zeroed
    const char *run_id;     // of the last kernel that was decided, and "-all"; NULL: none was
    const char *suite;      // of a kernel that was not decided; NULL: all were
    int exit_code;          // of a file that could not be written; with --dry-run, of a side that is broken
};

static int check_request(const struct gate_request *request, struct err *err) {
    if (!request->baseline || !revision_is_spec(request->baseline))
        return err_set(err, ERR_USAGE,
                       "--all holds each kernel against its namesake at a revision: give --baseline git:REV");
    if (request->candidate || request->session.module || request->session.kernel)
        return err_set(err, ERR_USAGE, "--all takes every kernel of the manifest: name none");
    if (request->expect)
        return err_set(err, ERR_USAGE, "--expect is a claim about one kernel: gate it by itself");
    if (request->session.resume)
        return err_set(err, ERR_USAGE, "each gate of --all is a run of its own: resume that one");
    return 0;
}

static bool has_kernel(const struct all *all, const char *name) {
    for (size_t i = 0; i < all->count; ++i)
        if (str_equal(all->kernels[i], name)) return true;
    return false;
}

// Adds those that run on the device and are not there yet.
static void add_kernels(struct all *all, const struct manifest *manifest) {
    const char **kernels =
        arena_array(&all->session.arena, all->count + manifest->kernel_count + 1, sizeof *kernels);
    for (size_t i = 0; i < all->count; ++i) kernels[i] = all->kernels[i];
    all->kernels = kernels;
    for (size_t i = 0; i < manifest->kernel_count; ++i) {
        const struct manifest_kernel *kernel = &manifest->kernels[i];
        if (session_kernel_fits(&all->session, kernel) && !has_kernel(all, kernel->name))
            kernels[all->count++] = kernel->name;
    }
}

// Those of the revision too: a kernel that a change removes or renames passes no gate. A manifest there that
// cannot be used is what each kernel's own gate then says.
static int find_kernels(struct all *all, struct err *err) {
    struct session *session = &all->session;
    TRY(session_open(session, &all->one->request->session, err));
    const int code = session_add_revision(session, SIDE_BASELINE, all->one->request->baseline, err);
    if (code < 0 && !session->sides[0].revision.dir) return code;
    add_kernels(all, &session->manifest);
    all->own_count = all->count;
    if (code == 0 && session->sides[0].has_manifest) add_kernels(all, &session->sides[0].revision_manifest);
    if (!all->count)
        return err_set(err, ERR_USAGE, "the manifest has no kernel for device '%s'", session->options.device);
    all->members = arena_array(&session->arena, all->count, sizeof *all->members);
    all->results = arena_array(&session->arena, all->count, sizeof *all->results);
    return 0;
}

// The revision's manifest has no kernel of this name: there is nothing to hold it against.
static bool is_new(const struct gate *gate, const char *kernel) {
    const struct session_side *base = &gate->session.sides[gate->base_side];
    if (gate->stage != GATE_STAGE_BASELINE_BROKEN || !base->has_manifest) return false;
    for (size_t i = 0; i < base->revision_manifest.kernel_count; ++i)
        if (str_equal(base->revision_manifest.kernels[i].name, kernel)) return false;
    return true;
}

static void say_progress(const struct all *all, size_t at) {
    struct strbuf line = {0};
    if (!cmd_wants_progress(all->one->options)) return;
    strbuf_add_linef(&line, "kernel %zu of %zu: %s", at + 1, all->own_count, all->kernels[at]);
    cmd_note_free(&line);
}

// --dry-run: why a kernel has no plan, which no decision over all will say.
static void say_plan(struct all *all, const struct family_member *member) {
    struct strbuf line = {0};
    if (!member->sentence) return;
    strbuf_add_linef(&line, "%s: %s", member->kernel, member->sentence);
    cmd_note_free(&line);
    if (!all->exit_code) all->exit_code = member->exit_code;
}

// A kernel of the revision alone.
static void add_removed(struct all *all, size_t at) {
    const bool is_allowed = all->one->request->spec.allows_removed;
    struct family_member *member = &all->members[at];
    *member = (struct family_member){.kernel = all->kernels[at], .is_removed = true};
    member->exit_code = is_allowed ? 0 : 3;
    member->sentence = arena_format(
        &all->session.arena,
        "removed: the working tree's manifest has no kernel of this name for device %s%s",
        all->session.options.device,
        is_allowed ? "; --allow-removed lets it through" : "; if that is meant: --allow-removed");
    if (all->one->options->is_dry_run) say_plan(all, member);
}

// Gates one kernel. Negative: an error that is no decision.
static int gate_kernel(struct all *all, size_t at, struct err *err) {
    struct gate_request request = *all->one->request;
    struct gate_one one = *all->one;
    struct gate gate = {0};
    struct family_member *member = &all->members[at];
    struct arena *arena = &all->session.arena;
    request.candidate = request.session.candidate = all->kernels[at];
    one.request = &request;
    one.is_part = true;
    *member = (struct family_member){.kernel = all->kernels[at]};
    say_progress(all, at);
    int code = gate_one_run(&one, &gate, err);
    const int broken = code < 0 ? gate_one_broken_code(&gate) : 0;
    if (code >= 0 && gate.run.result.decision) { // else --dry-run
        struct err late = {0};
        const int reports = gate_write_reports(&gate.run.result, gate.run.dir, &late);
        all->exit_code = cmd_close(reports, &late, all->exit_code);
        all->run_id = arena_format(arena, "%s-all", gate.run.plan.run_id);
        all->results[at] = gate.run.result; // moved: it outlives the gate
        gate.run.result = (struct result){0};
        member->decision = all->results[at].decision;
        member->exit_code = code;
    } else if (is_new(&gate, all->kernels[at])) {
        member->sentence = "new: the baseline's revision has no kernel of this name";
        code = 0;
    } else if (broken) {
        member->sentence = arena_strdup(arena, err->text);
        member->exit_code = broken;
        code = 0;
    }
    if (!member->decision && !all->suite) all->suite = arena_strdup(arena, gate_suite_name(&gate));
    if (one.options->is_dry_run) say_plan(all, member);
    const int closed = gate_close(&gate, err);
    return code < 0 ? code : closed < 0 ? closed : 0;
}

// The first that was measured, whose worker told its device; else the first that was decided. NULL: none was.
static const struct result *first_result(const struct all *all) {
    const struct result *ret = NULL;
    for (size_t i = 0; i < all->own_count; ++i) {
        if (!all->members[i].decision) continue;
        if (all->results[i].environment.device_uuid) return &all->results[i];
        if (!ret) ret = &all->results[i];
    }
    return ret;
}

// Where nothing was decided: of a gate that was tried, else of the revision's. NULL: it does not resolve.
static const char *suite_of(struct all *all) {
    struct session *session = &all->session;
    const struct session_side *base = &session->sides[0];
    if (all->suite) return all->suite;
    if (base->has_manifest && !session->options.problem)
        return str_or(session->options.suite, session_gate_suite(session, &base->revision_manifest));
    return session_suite_name(session, session_gate_suite(session, &session->manifest));
}

// A document that has the decision and no measurements of its own: they are in the kernels' runs.
static int decide(struct all *all, struct result *ret, struct err *err) {
    const struct result *first = first_result(all);
    struct decision *decision = arena_alloc(&ret->arena, sizeof *decision);
    TRY(gate_family_decide(all->members, all->count, &ret->arena, decision, err));
    ret->decision = decision;
    ret->command = all->session.options.command_line;
    ret->side_count = 2;
    ret->sides[0] =
        (struct result_side){.role = SIDE_BASELINE,
                             .label = all->one->request->baseline,
                             .revision = arena_strdup(&ret->arena, all->session.sides[0].spec.revision),
                             .build = build_report_unknown()};
    ret->sides[1] = (struct result_side){
        .role = SIDE_CANDIDATE,
        .label = arena_format(&ret->arena, "%zu kernel%s", all->count, all->count == 1 ? "" : "s"),
        .build = build_report_unknown()};
    ret->run_id = all->run_id;
    ret->environment.device = all->session.options.device;
    ret->seed = all->session.options.seed;
    ret->suite = first ? first->suite : arena_strdup(&ret->arena, suite_of(all));
    ret->created_utc = run_created_utc(&ret->arena);
    code_host_state_job(ret);
    if (!first) return 0;
    ret->environment = first->environment;
    ret->sampling = first->sampling;
    ret->seed = first->seed;
    ret->created_utc = first->created_utc;
    for (size_t i = 0; i < all->count; ++i) ret->device_s += all->results[i].device_s;
    return 0;
}

static int finish(struct all *all, struct err *err) {
    struct arena *arena = &all->session.arena;
    struct result family;
    device_lock_release(all->one->options->session.device_lock);
    result_init(&family);
    if (!all->run_id) // no run gives it a name
        all->run_id = arena_format(arena, "%s-all", run_id_make(arena, run_created_utc(arena), "gate"));
    const char *dir = arena_format(arena, "%s/%s", all->session.options.output_dir, all->run_id);
    int code = decide(all, &family, err);
    struct err late = {0}; // the decision is given whatever becomes of its document
    const int written = code == 0 ? result_write_in(&family, dir, &late) : 0;
    const struct notify_request request = {.members = all->members, .member_count = all->count};
    if (code == 0) code = gate_put(all->one, &all->session, &family, request, dir, err);
    if (code >= 0) code = cmd_close(written, &late, code);
    result_fini(&family);
    return code ? code : all->exit_code;
}

int gate_all_run(const struct gate_one *one) {
    struct all all = {.one = one};
    struct err err = {0};
    int code = check_request(one->request, &err);
    if (code == 0) code = find_kernels(&all, &err);
    for (size_t i = 0; i < all.own_count && code == 0; ++i) code = gate_kernel(&all, i, &err);
    for (size_t i = all.own_count; i < all.count && code == 0; ++i) add_removed(&all, i);
    if (code == 0) code = one->options->is_dry_run ? all.exit_code : finish(&all, &err);
    for (size_t i = 0; i < all.count; ++i)
        if (all.results) result_fini(&all.results[i]);
    session_close(&all.session);
    return code < 0 ? cmd_fail(one->options, &err) : code;
}
