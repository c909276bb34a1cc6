// SPDX-License-Identifier: Apache-2.0
//
// References of declared operators, built for the sides of a session.
#include "control/compile/reference_build.h"
#include "control/flow/session.h"

static bool has_side_of(const struct session *session, const char *op) {
    for (size_t i = 0; i < session->side_count; ++i)
        if (str_equal(session->sides[i].spec.op, op)) return true;
    return false;
}

int session_build_references(struct session *session, struct err *err) {
    const struct manifest *manifest = &session->manifest;
    for (size_t i = 0; i < manifest->operators.declared_count; ++i) {
        struct declared *declared = manifest->declared[i];
        if (!has_side_of(session, declared->name) || declared->reference.module_path) continue;
        TRY(reference_build(declared, &session->builds, &session->arena, err));
    }
    return 0;
}
