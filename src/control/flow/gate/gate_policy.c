// SPDX-License-Identifier: Apache-2.0
//
// See gate_policy.h: reads what both manifests say, and puts the outcome in the place of the candidate's
// before anything is built.
#include "control/flow/gate/gate_policy.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/strbuf.h"
#include "control/flow/device_choice.h"
#include "control/plan/sim_shipped.h"
#include "op/declared/declared.h"

#define FROM_BASELINE  "baseline"
#define FROM_CANDIDATE "candidate"

struct deciding {
    struct session *session;
    const struct session_side *side; // the baseline's
    const struct gate_policy_request *request;
};

int gate_policy_check(const char *whose, struct err *err) {
    if (!whose || str_equal(whose, FROM_BASELINE) || str_equal(whose, FROM_CANDIDATE)) return 0;
    return err_set(err, ERR_USAGE, "--policy takes " FROM_BASELINE " or " FROM_CANDIDATE ", not '%s'",
                   str_shown(whose).text);
}

// ---- what the manifests say ----

// A person's --candidate, --kernel and --module name the kernel for any policy.
static bool is_kernel_named(const struct deciding *all) {
    const struct session_options *options = &all->session->options;
    return all->request->candidate || options->kernel || options->module;
}

// Of the kernel on trial: the one that a person names, else the manifest's.
static const struct own_tolerance *manifest_tolerance(const struct deciding *all,
                                                      const struct manifest *manifest) {
    const struct session *session = all->session;
    const struct manifest_kernel *kernel;
    const char *named = str_or(all->request->candidate, session->options.kernel);
    const char *name = named ? named : session_manifest_kernel(session, manifest);
    return name && manifest_get_kernel(manifest, name, &kernel, NULL) == 0 ? kernel->tolerance : NULL;
}

// metric: the one that decides. A threshold that a manifest leaves out is the default of that one.
static struct gate_policy manifest_policy(const struct deciding *all, const struct manifest *manifest,
                                          enum metric metric) {
    const struct session *session = all->session;
    struct gate_policy ret = {
        .candidate = is_kernel_named(all) ? NULL : session_manifest_kernel(session, manifest),
        .baseline = all->request->baseline ? NULL : manifest->gate.baseline,
        .tolerance = manifest_tolerance(all, manifest),
        .metric = metric_name(manifest->gate.metric),
        .spec = manifest->gate.spec,
        .limits = manifest->limits,
        .python_interpreter = manifest->python_interpreter,
    };
    if (!manifest->gate.is_regression_given) ret.spec.regression_pct = metric_regression_pct(metric);
    // By name: --problem finds the working tree's operator for both.
    const char *op = session_operator(session, manifest)->name;
    const struct declared *declared = declared_of(operator_find(&manifest->operators, op));
    if (declared) ret.declared = manifest_operator_digest(declared, &all->session->arena);
    // An unknown device: this manifest says nothing of it.
    if (session->sim) (void)sim_shipped_device_get(manifest, session->options.device, &ret.sim, NULL);
    return ret;
}

// "sub/assay.yaml": a path in the revision's work tree as it is in the repository.
static const char *path_in_repository(const struct deciding *all, const char *path) {
    const char *tree = all->side->revision.tree;
    if (str_starts(path, tree)) path += strlen(tree);
    while (*path == '/') ++path;
    return arena_strdup(&all->session->arena, path);
}

// The suites of one name in the baseline's manifest and of another in the candidate's. Without items: that
// manifest has no such suite, which is an error where the candidate's alone would be used.
struct suite_pair {
    const char *baseline_name, *candidate_name, *dtype;
    bool is_candidate_needed;
};

static int find_pair(const struct deciding *all, const struct suite_pair *pair, struct suite *ret_baseline,
                     struct suite *ret_candidate, struct err *err) {
    struct session *session = all->session;
    const struct manifest *before = &all->side->revision_manifest;
    struct err why = {0}, why_before = {0};
    struct suite baseline = {0}, candidate = {0};
    const int code = suite_resolve(&session->manifest, pair->candidate_name, pair->dtype, &session->arena,
                                   &candidate, &why);
    const int code_before =
        suite_resolve(before, pair->baseline_name, pair->dtype, &session->arena, &baseline, &why_before);
    if (code_before < 0 && why_before.code != ERR_USAGE)
        return err_set(err, why_before.code, "%s", why_before.text);
    if (code < 0 && (code_before < 0 || pair->is_candidate_needed || why.code != ERR_USAGE))
        return err_set(err, why.code, "%s", why.text);
    *ret_baseline = baseline;
    *ret_candidate = candidate;
    return 0;
}

// Keeps what --only names of the problems that would be measured.
static int select_only(const struct deciding *all, bool is_candidate_alone, struct policy_question *question,
                       struct err *err) {
    struct suite *baseline = &question->baseline.suite, *candidate = &question->candidate.suite;
    const struct suite none = {0};
    struct suite chosen = suite_union(is_candidate_alone ? &none : baseline, candidate, &all->session->arena);
    TRY(suite_filter(&chosen, all->session->options.only, err));
    suite_keep_common(baseline, &chosen);
    suite_keep_common(candidate, &chosen);
    return 0;
}

// Resolves what is measured, after --only, and the correctness matrix. With --problem and --no-check they
// stay empty.
static int find_suites(const struct deciding *all, struct policy_question *question, struct err *err) {
    const struct session *session = all->session;
    const struct session_options *options = &session->options;
    const struct gate_policy_request *request = all->request;
    const struct manifest *before = &all->side->revision_manifest;
    const bool is_candidate_alone = question->source != POLICY_BASELINE || request->given.allows_removed;
    const struct suite_pair measured = {
        .baseline_name = str_or(options->suite, session_gate_suite(session, before)),
        .candidate_name = str_or(options->suite, session_gate_suite(session, &session->manifest)),
        .dtype = options->dtype,
        .is_candidate_needed = is_candidate_alone,
    };
    const struct suite_pair checked = {
        .baseline_name = session_gate_check(session, before, request->check_suite),
        .candidate_name = session_gate_check(session, &session->manifest, request->check_suite),
        .is_candidate_needed = question->source != POLICY_BASELINE,
    };
    struct gate_policy *baseline = &question->baseline, *candidate = &question->candidate;
    if (!options->problem) TRY(find_pair(all, &measured, &baseline->suite, &candidate->suite, err));
    if (options->only) TRY(select_only(all, is_candidate_alone, question, err));
    if (request->is_check_skipped) return 0;
    return find_pair(all, &checked, &baseline->check, &candidate->check, err);
}

// ---- what follows ----

// Without --device a device is chosen by the kernel on trial: another backend for it in the candidate's
// manifest must not choose another kernel in the baseline's.
static int check_device(const struct deciding *all, struct err *err) {
    struct session *session = all->session;
    const char *device = NULL;
    if (!session->options.is_device_default || is_kernel_named(all)) return 0;
    const struct device_wish wish = {&session->options, &all->side->revision_manifest, session->shipped};
    TRY(device_choose(&wish, &session->arena, &device, err));
    if (str_equal(device, session->options.device)) return 0;
    return err_set(
        err, ERR_USAGE,
        "the manifest of %s is for device %s, the working tree's for %s; say which with --device, or "
        "name the kernel on trial with --candidate",
        all->side->revision_spec, device, session->options.device);
}

// own: the kernel on trial by the candidate's manifest.
static int check_kernel(const struct deciding *all, const char *kernel, const char *own, bool *ret_is_removed,
                        struct err *err) {
    const struct manifest *manifest = &all->session->manifest;
    const struct manifest_kernel *found;
    if (!kernel || str_equal(kernel, own) || manifest_get_kernel(manifest, kernel, &found, NULL) == 0 ||
        sim_shipped_kernel_find(kernel))
        return 0;
    *ret_is_removed = true;
    return err_set(
        err, ERR_USAGE,
        "%s puts kernel '%s' on trial, which the working tree's %s does not have; keep it there%s%s, "
        "or use --policy " FROM_CANDIDATE,
        all->side->revision_spec, kernel, path_base(manifest->path),
        own ? ", name another with --candidate " : "", str_or(own, ""));
}

// A check by another operator is none of what the baseline's kernel computes.
static int check_operator(const struct deciding *all, const struct operator_def *op, struct err *err) {
    const struct session *session = all->session;
    const struct manifest *before = &all->side->revision_manifest;
    const char *named = str_or(all->request->candidate, session->options.kernel);
    const char *name = named ? named : session_manifest_kernel(session, &session->manifest);
    const struct manifest_kernel *kernel;
    if (!name || manifest_get_kernel(before, name, &kernel, NULL) < 0 || !kernel->op ||
        str_equal(kernel->op, op->name))
        return 0;
    return err_set(err, ERR_USAGE,
                   "kernel '%s' is of operator %s in %s and of %s here, so the two compute different things; "
                   "give the new one a name of its own, or use --policy " FROM_CANDIDATE,
                   name, kernel->op, all->side->revision_spec, op->name);
}

static void set_session(struct session *session, const struct gate_policy *decides) {
    struct manifest *manifest = &session->manifest;
    manifest->gate.metric = metric_parse(decides->metric);
    manifest->gate.spec = decides->spec;
    manifest->gate.is_regression_given = true;
    manifest->limits = decides->limits;
    manifest->python_interpreter = decides->python_interpreter;
    if (session->sim) session->sim = decides->sim;
}

int gate_policy_decide(struct session *session, size_t base_side, const struct gate_policy_request *request,
                       struct gate_policy_outcome *ret, struct err *err) {
    const struct session_side *side = &session->sides[base_side];
    const struct deciding all = {session, side, request};
    struct policy_question question = {
        .source = !side->has_manifest                         ? POLICY_FIRST
                  : str_equal(request->whose, FROM_CANDIDATE) ? POLICY_REQUESTED
                                                              : POLICY_BASELINE,
        .revision = side->revision_spec,
        .default_limits.memory_gb = (double)work_default_memory_bytes() / 1e9,
        .given = request->given,
        .given_metric = request->metric,
    };
    if (question.source == POLICY_BASELINE) TRY(check_device(&all, err));
    const enum metric metric = request->metric                      ? metric_parse(request->metric)
                               : question.source == POLICY_BASELINE ? side->revision_manifest.gate.metric
                                                                    : session->manifest.gate.metric;
    question.baseline = manifest_policy(&all, &side->revision_manifest, metric);
    question.baseline.manifest = path_in_repository(&all, side->revision_manifest.path);
    question.candidate = manifest_policy(&all, &session->manifest, metric);
    char *path = path_join(side->revision.dir, path_base(session->manifest.path)); // where ours would lie
    question.candidate.manifest = path_in_repository(&all, path);
    free(path);
    const struct operator_def *op = session_operator(session, &session->manifest);
    if (declared_of(op)) question.operator_name = arena_format(&session->arena, "operators.%s", op->name);
    if (question.source == POLICY_BASELINE) {
        TRY(check_operator(&all, op, err));
        manifest_adopt_operators(&session->manifest, &side->revision_manifest);
    }
    TRY(find_suites(&all, &question, err));
    struct policy *record = arena_alloc(&session->arena, sizeof *record);
    *ret = (struct gate_policy_outcome){.record = record, .baseline_suite = question.baseline.suite};
    ret->decides = policy_merge(&question, &session->arena, record);
    set_session(session, &ret->decides);
    return check_kernel(&all, ret->decides.candidate, question.candidate.candidate, &ret->is_kernel_removed,
                        err);
}

// Comma-separated names in the arena; NULL: none.
static const char *joined(const struct policy_names *names, struct arena *arena) {
    struct strbuf text = {0};
    for (size_t i = 0; i < names->count; ++i) strbuf_addf(&text, "%s%s", i ? "," : "", names->items[i]);
    const char *ret = names->count ? arena_strdup(arena, strbuf_text(&text)) : NULL;
    strbuf_fini(&text);
    return ret;
}

void gate_policy_plan(const struct gate_policy_outcome *outcome, struct plan *plan) {
    const struct suite *before = &outcome->baseline_suite, *measured = &outcome->decides.suite;
    plan->gate.policy = policy_copy(&plan->arena, outcome->record);
    if (!before->item_count || !measured->item_count) return;
    const struct policy_names removed = suite_missing(before, measured, &plan->arena);
    const struct policy_names added = suite_missing(measured, before, &plan->arena);
    plan->gate.removed_problems = joined(&removed, &plan->arena);
    plan->gate.added_problems = joined(&added, &plan->arena);
}

int gate_policy_check_resumed(const char *whose, const struct plan *plan, struct err *err) {
    const enum policy_source source = plan->gate.policy ? plan->gate.policy->source : POLICY_NONE;
    if (!whose || source == (str_equal(whose, FROM_CANDIDATE) ? POLICY_REQUESTED : POLICY_BASELINE)) return 0;
    return err_set(
        err, ERR_USAGE,
        "--policy %s: run %s was begun with another policy, which its plan keeps; leave --policy out, "
        "or begin a new run",
        whose, plan->run_id);
}
