// SPDX-License-Identifier: Apache-2.0
//
// What a session means where nothing is named: kernel, operator, suites.
#include "control/flow/session.h"

#include "control/plan/sim_shipped.h"

bool session_kernel_fits(const struct session *session, const struct manifest_kernel *kernel) {
    return str_equal(session->kind->backend, kernel->backend);
}

static const struct manifest_kernel *kernel_named(const struct session *session,
                                                  const struct manifest *manifest, const char *name) {
    const struct manifest_kernel *kernel = NULL; // an unknown one is reported where it is used
    if (shipped_is_name(name))
        (void)shipped_get_kernel(session->shipped, name, &kernel, NULL);
    else if (name)
        (void)manifest_get_kernel(manifest, name, &kernel, NULL);
    return kernel;
}

const struct manifest_kernel *session_kernel_named(const struct session *session, const char *name) {
    return kernel_named(session, &session->manifest, name);
}

// The operator that --problem, --suite or a file asks for; NULL: none does. What does not resolve is reported
// where it is used.
static const struct operator_def *asked_operator(const struct session *session) {
    const struct session_options *options = &session->options;
    if (!options->problem && (!options->suite || suite_is_any_boundary(&session->manifest, options->suite)))
        return options->operator_name ? operator_find(&session->manifest.operators, options->operator_name)
                                      : NULL;
    struct arena arena = {0};
    struct suite suite;
    const struct operator_def *op = NULL;
    const int code =
        options->problem
            ? suite_of_problems(&session->manifest.operators, options->problem, &arena, &suite, NULL)
            : suite_resolve(&session->manifest, options->suite, NULL, &arena, &suite, NULL);
    if (code == 0 && suite.item_count) op = suite.items[0].problem.op;
    arena_fini(&arena);
    return op;
}

// An operator's kernel for this device: the gate's candidate, else the only one of its operator, or of all
// with op NULL. NULL: none, or several.
static const struct manifest_kernel *kernel_of_manifest(const struct session *session,
                                                        const struct manifest *manifest,
                                                        const struct operator_def *op) {
    const struct manifest_kernel *only = NULL;
    size_t count = 0;
    for (size_t i = 0; i < manifest->kernel_count; ++i) {
        const struct manifest_kernel *kernel = &manifest->kernels[i];
        if (!session_kernel_fits(session, kernel) || (op && !str_equal(kernel->op, op->name))) continue;
        if (str_equal(kernel->name, manifest->gate.candidate)) return kernel;
        only = kernel;
        ++count;
    }
    return count == 1 ? only : NULL;
}

const struct operator_def *session_operator(const struct session *session, const struct manifest *manifest) {
    const struct operator_set *set = &manifest->operators;
    const struct operator_def *op = asked_operator(session);
    for (size_t i = 0; i < session->side_count && !op; ++i)
        if (session->sides[i].spec.op) op = operator_find(set, session->sides[i].spec.op);
    const struct manifest_kernel *named =
        op ? NULL
           : kernel_named(session, manifest, str_or(session->options.kernel, session->options.candidate));
    if (named) op = operator_find(set, named->op); // before the sides are known
    const struct manifest_kernel *first = NULL;
    for (size_t i = 0; i < manifest->kernel_count && !op; ++i) {
        const struct manifest_kernel *kernel = &manifest->kernels[i];
        if (!session_kernel_fits(session, kernel)) continue;
        if (str_equal(kernel->name, manifest->gate.candidate)) op = operator_find(set, kernel->op);
        if (!first) first = kernel;
    }
    if (!op && first) op = operator_find(set, first->op);
    return op ? op : operator_at(set, 0);
}

const char *session_default_suite(const struct session *session) {
    if (session->kind->suite) return session->kind->suite;
    const struct operator_def *op = session_operator(session, &session->manifest);
    return session->kind->is_accelerator ? op->gpu_suite : op->cpu_suite;
}

const char *session_default_check(const struct session *session) {
    return session->kind->suite ? session->kind->suite
                                : session_operator(session, &session->manifest)->check_suite;
}

const char *session_suite_meant(const struct session *session, const struct manifest *manifest,
                                const char *name) {
    return suite_is_any_boundary(manifest, name) ? session_operator(session, manifest)->gate_check_suite
                                                 : name;
}

static const char *default_gate_check(const struct session *session) {
    return session->kind->suite ? session->kind->suite
                                : session_operator(session, &session->manifest)->gate_check_suite;
}

// A manifest's gate is for device and operator of its candidate: its suites may be far too large for another
// device, and have no problem of another operator.
static bool is_gate_meant(const struct session *session, const struct manifest *manifest) {
    for (size_t i = 0; i < manifest->kernel_count; ++i) {
        const struct manifest_kernel *kernel = &manifest->kernels[i];
        if (str_equal(kernel->name, manifest->gate.candidate))
            return session_kernel_fits(session, kernel) &&
                   str_equal(kernel->op, session_operator(session, manifest)->name);
    }
    return true;
}

const char *session_gate_suite(const struct session *session, const struct manifest *manifest) {
    const char *suite = manifest->gate.suite;
    return suite && is_gate_meant(session, manifest) ? suite : session_default_suite(session);
}

const char *session_gate_check(const struct session *session, const struct manifest *manifest,
                               const char *asked) {
    const char *check = asked || !is_gate_meant(session, manifest) ? asked : manifest->gate.check;
    return check ? session_suite_meant(session, manifest, check) : default_gate_check(session);
}

const char *session_manifest_kernel(const struct session *session, const struct manifest *manifest) {
    const char *candidate = manifest->gate.candidate;
    if (session->sim && candidate && sim_shipped_kernel_find(candidate)) return candidate;
    const struct manifest_kernel *kernel = kernel_of_manifest(session, manifest, asked_operator(session));
    if (kernel) return kernel->name;
    return session->sim ? SIM_KERNEL_DEFAULT : NULL;
}

const char *session_default_kernel(const struct session *session) {
    return session->options.kernel ? session->options.kernel
                                   : session_manifest_kernel(session, &session->manifest);
}

// gate.candidate is there, and is not for the device or the problems that are asked for. A simulated device
// always has a default kernel.
static int fail_unfit(const struct session *session, const char *question, const char *option,
                      struct err *err) {
    const char *name = session->manifest.gate.candidate, *path = session->manifest.path;
    const struct manifest_kernel *kernel = kernel_named(session, &session->manifest, name);
    const struct operator_def *op = asked_operator(session);
    if (!kernel || kernel->sim)
        return err_set(err, ERR_USAGE,
                       "%s gate.candidate in %s is '%s', a simulated kernel, and device '%s' is a real one: "
                       "add for example --device sim:steady, or name another kernel with %s",
                       question, path, name, session->options.device, option);
    if (!op || !session_kernel_fits(session, kernel))
        return err_set(err, ERR_USAGE,
                       "%s gate.candidate in %s is '%s', for %s, not for device '%s': name another kernel "
                       "with %s, or choose another --device",
                       question, path, name, kernel->backend, session->options.device, option);
    return err_set(err, ERR_USAGE,
                   "%s gate.candidate in %s is '%s', of operator %s, and %s '%s' is of %s: name a kernel of "
                   "that operator with %s, or other problems",
                   question, path, name, kernel->op, session->options.problem ? "problem" : "suite",
                   str_or(session->options.problem, session->options.suite), op->name, option);
}

int session_fail_unnamed(const struct session *session, const char *question, const char *option,
                         struct err *err) {
    if (session->manifest.gate.candidate) return fail_unfit(session, question, option, err);
    return err_set(err, ERR_USAGE, "%s Name it with %s, or as gate.candidate in %s", question, option,
                   session->has_manifest ? session->manifest.path : "a manifest ('assay init' writes one)");
}
