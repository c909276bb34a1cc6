// SPDX-License-Identifier: Apache-2.0
//
// The sides of a referee's run. A candidate takes the place of a kernel of the manifest: that one says how it
// is called and with which options it is compiled. A function in Python needs no such kernel.
#include <stdlib.h>
#include <string.h>

#include "base/comma.h"
#include "base/file.h"
#include "control/flow/referee/referee_run.h"
#include "control/plan/peer.h"
#include "op/declared/declared.h"

#define BUILD_BYTES_MAX (UINT64_C(4) << 30)
#define PYTHON_ENDING   ".py"
#define REFERENCE_NAME  "reference"

// FILE.py or FILE.py:FUNCTION; NULL: it is none. *ret_function: behind the colon, or NULL.
static const char *python_file(const char *candidate, struct arena *arena, const char **ret_function) {
    const char *colon = strrchr(candidate, ':');
    const char *path = colon ? arena_strndup(arena, candidate, (size_t)(colon - candidate)) : candidate;
    *ret_function = colon ? colon + 1 : NULL;
    return str_ends(path, PYTHON_ENDING) ? path : NULL;
}

static bool is_python(const char *candidate, struct arena *arena) {
    const char *function;
    return python_file(candidate, arena, &function) ||
           (peer_is_callable(candidate) && !file_exists(candidate));
}

// The kernel whose place the candidate takes: --kernel, else the gate's candidate or the only one, else the
// first of the operator that is compiled for the device. NULL: none.
static const struct manifest_kernel *find_place(const struct session *session) {
    const struct manifest *manifest = &session->manifest;
    const char *name = session_default_kernel(session);
    const char *op = session_operator(session, manifest)->name;
    if (name) return session_kernel_named(session, name);
    for (size_t i = 0; i < manifest->kernel_count; ++i) {
        const struct manifest_kernel *kernel = &manifest->kernels[i];
        if (str_equal(kernel->op, op) && session_kernel_fits(session, kernel) && !kernel->python &&
            !kernel->sim)
            return kernel;
    }
    return NULL;
}

static int add_python(struct referee *referee, struct err *err) {
    struct session *session = &referee->session;
    struct arena *arena = &session->arena;
    const char *function, *folder = NULL, *callable = referee->request.candidate;
    const char *path = python_file(callable, arena, &function);
    if (path) {
        if (!file_exists(path)) return err_set(err, ERR_NO_INPUT, "there is no file '%s'", path);
        char *whole = path_absolute(path);
        const struct operator_def *op = session_operator(session, &session->manifest);
        // The functions of a set all have one name, that of its references.
        const struct declared *of_set = session->options.dataset ? declared_of(op) : NULL;
        if (!function) function = of_set ? of_set->reference.function : op->name;
        callable = declared_callable(arena, arena_strdup(arena, whole), function, &folder);
        free(whole);
    }
    TRY(session_add_side(session, SIDE_CANDIDATE, callable, NULL, err));
    if (!folder) return 0;
    struct result_side *side = &session->sides[0].spec;
    char hex[SHA256_HEX_BYTES];
    side->python_path = folder;
    TRY(variant_python_hash(callable, folder, hex, err));
    side->build = variant_python_report(arena_strdup(arena, hex));
    return 0;
}

static int add_compiled(struct referee *referee, const struct manifest_kernel *place, struct err *err) {
    struct session *session = &referee->session;
    const char *candidate = referee->request.candidate;
    struct session_variant variant = {.label = referee->record.name};
    if (!file_exists(candidate) && (session->sim || session_kernel_named(session, candidate)))
        return session_add_side(session, SIDE_CANDIDATE, candidate, NULL, err);
    if (!file_exists(candidate)) return err_set(err, ERR_NO_INPUT, "there is no file '%s'", candidate);
    if (!place && str_ends(candidate, ".so")) { // a module of <assay/kernel.h>, which says what it is
        session->options.module = candidate;
        return session_add_side(session, SIDE_CANDIDATE, NULL, NULL, err);
    }
    if (!place)
        return err_set(
            err, ERR_CONFIG,
            "how is '%s' called? No compiled kernel of operator '%s' in the manifest says so, whose "
            "place it could take: add one with a 'call', or name one with --kernel",
            candidate, session_operator(session, &session->manifest)->name);
    char *whole = path_absolute(candidate);
    const char *path = arena_strdup(&session->arena, whole);
    free(whole);
    if (file_is_dir(path) && referee->request.leaves_nothing && !place->source)
        return err_set(err, ERR_USAGE,
                       "kernel '%s' is built by a command of the manifest, which runs as you and not in the "
                       "sandbox: a referee that listens takes no folder for it",
                       place->name);
    variant.limits = place->source ? &referee->limits : NULL;
    if (file_is_dir(path))
        variant.folder = path;
    else if (str_ends(path, ".so"))
        variant.library = path;
    else
        variant.source = path, variant.limits = &referee->limits;
    return session_add_variant(session, SIDE_CANDIDATE, place->name, &variant, err);
}

// Who takes part twice, or the candidate's own place in Python, is no error: it is asked for.
static int add_others(struct referee *referee, const char *list, const char *place, struct err *err) {
    struct session *session = &referee->session;
    struct comma_item item;
    for (const char *at = list; comma_next(&at, &item);) {
        const char *spec = arena_strndup(&session->arena, item.text, item.length);
        TRY(session_add_side(session, SIDE_PEER, spec, place, err));
    }
    return 0;
}

static void set_limits(struct referee *referee) {
    struct run_limits *limits = &referee->session.manifest.limits;
    if (referee->request.memory_gb > 0) limits->memory_gb = referee->request.memory_gb;
    const uint64_t memory_bytes = run_limits_memory_bytes(limits);
    referee->limits = (struct build_limits){.memory_bytes = memory_bytes ? memory_bytes : BUILD_BYTES_MAX,
                                            .limit_ns = referee->request.limit_ns,
                                            .own_dir = referee->scratch.path};
}

int referee_add_sides(struct referee *referee, struct err *err) {
    struct session *session = &referee->session;
    const struct operator_def *op = session_operator(session, &session->manifest);
    const struct manifest_kernel *place = find_place(session);
    const bool has_python = is_python(referee->request.candidate, &session->arena);
    const char *others = referee->request.baseline;
    set_limits(referee);
    if (has_python)
        TRY(add_python(referee, err));
    else
        TRY(add_compiled(referee, place, err));
    session->sides[0].spec.label = referee->record.name;
    if (!others && place) others = place->name;
    if (!others && declared_of(op) && declared_of(op)->reference.function) others = REFERENCE_NAME;
    if (!referee->request.round_count) others = NULL;
    return others ? add_others(referee, others, place ? place->name : NULL, err) : 0;
}
