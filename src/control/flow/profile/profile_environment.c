// SPDX-License-Identifier: Apache-2.0
//
// See profile_environment.h.
#include "control/flow/profile/profile_environment.h"

#include <stdlib.h>

static const struct operator_def *operator_of(const struct session *session, const char *kernel) {
    for (size_t i = 0; i < session->manifest.kernel_count; ++i)
        if (str_equal(session->manifest.kernels[i].name, kernel))
            return operator_find(&session->manifest.operators, session->manifest.kernels[i].op);
    return session_operator(session, &session->manifest);
}

// The type of the suite that is measured by default.
static const char *default_dtype(const struct session *session, const struct operator_def *op) {
    const char *name = session->kind->is_accelerator ? op->gpu_suite : op->cpu_suite;
    for (const struct op_suite *suite = op->suites; suite->name; ++suite)
        if (str_equal(suite->name, name)) return suite->dtype;
    return "fp32";
}

int profile_problem_from_environment(struct session *session, const char *kernel, const char **ret_name,
                                     struct err *err) {
    struct session_options *options = &session->options;
    struct strbuf name = {0};
    *ret_name = NULL;
    const struct operator_def *op = operator_of(session, kernel);
    if (options->problem || options->suite || options->only || !op->variables) return 0;
    const char *dtype = options->dtype ? options->dtype : default_dtype(session, op);
    const int found = problem_name_from_variables(op, dtype, getenv, &name, err);
    if (found > 0) options->problem = *ret_name = arena_strdup(&session->arena, strbuf_text(&name));
    strbuf_fini(&name);
    return found < 0 ? found : 0;
}
