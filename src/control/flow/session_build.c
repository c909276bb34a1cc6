// SPDX-License-Identifier: Apache-2.0
//
// The part of a session that builds its sides, and the references of their operators, and asks a worker what
// the modules declare.
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/strbuf.h"
#include "control/compile/reference_build.h"
#include "control/compile/variant.h"
#include "control/exec/python_imports.h"
#include "control/exec/python_program.h"
#include "control/flow/device_choice.h"
#include "control/flow/operator_source.h"
#include "control/flow/session.h"
#include "control/flow/worker_query.h"
#include "control/plan/device_kind.h"
#include "control/plan/peer.h"

// Builds one side at a time, so that an error names its side; each build is parallel.
static int build_side(struct session *session, struct session_side *side, const char *config,
                      struct err *err) {
    const struct device_kind *kind = device_kind_find(side->kernel->backend);
    const char *target = session->options.arch;
    if (!target && side->kernel->source && kind->has_targets && kind == session->kind) {
        if (!session->has_asked_target) {
            const char *device = session->options.device;
            struct err why = {0};
            int code = device_target(device, &session->arena, &session->device_target, &why);
            if (code < 0 && !(session->is_build_only && why.code == ERR_UNAVAILABLE))
                return err_set(err, why.code, "%s", why.text);
            session->has_asked_target = true;
        }
        target = session->device_target; // NULL: the build chooses (docs/building.md)
    }
    struct variant_request request = {
        .kernel = side->kernel,
        .dir = side->dir,
        .source_dir = side->source_dir,
        .config = config,
        .arch = target,
        .limits = side->limits,
        .is_verbose = session->options.is_verbose,
        .progress = &session->builds,
    };
    struct variant variant = {0};
    TRY(variant_build(&request, 1, &session->arena, &variant, err));
    side->spec.module_path = variant.module_path;
    side->spec.kernel_name = variant.kernel_name;
    side->spec.config = variant.config;
    side->spec.build = variant.report;
    side->spec.is_plain_call = side->kernel && side->kernel->call && str_equal(side->kernel->backend, "cpu");
    side->has_unique_symbols = variant.has_unique_symbols;
    side->is_built = true;
    return 0;
}

static void add_option(struct strbuf *text, const char *name, const char *value) {
    strbuf_addf(text, "%s ", name);
    strbuf_add_shell_word(text, value);
}

// --config is the candidate's; baselines and peers keep their manifest's configuration.
static const char *config_of(const struct session *session, const struct session_side *side) {
    if (side->config) return side->config;
    return side->spec.role == SIDE_CANDIDATE ? session->options.config : NULL;
}

// The options that name this side, for commands that repeat a case. A side from a revision gets its kernel's
// name.
static const char *reproduce_options(struct session *session, const struct session_side *side) {
    const struct session_options *options = &session->options;
    const char *library = side->kernel && !side->kernel->source ? side->kernel->library : NULL;
    struct strbuf text = {0};
    operator_source_add_words(options, &text);
    if (options->module && library && str_equal(side->spec.kernel, path_base(options->module))) {
        add_option(&text, "--module", library);
        if (options->kernel) add_option(&text, " --kernel", options->kernel);
    } else {
        add_option(&text, "--kernel",
                   peer_with_version(&session->arena, side->spec.kernel, side->spec.version));
        const char *config = config_of(session, side);
        if (config) add_option(&text, " --config", config);
    }
    if (!str_equal(options->device, "cpu")) add_option(&text, " --device", options->device);
    const char *ret = arena_strdup(&session->arena, strbuf_text(&text));
    strbuf_fini(&text);
    return ret;
}

// A peer that assay knows by name and that is written in Python.
static bool is_known_peer(const struct session_side *side) {
    return side->spec.python && !side->spec.python_path;
}

static bool has_known_peer(const struct session *session, size_t side_count) {
    for (size_t i = 0; i < side_count; ++i)
        if (is_known_peer(&session->sides[i])) return true;
    return false;
}

// PyTorch loads its own libraries into the process, and a linked-in peer in that process can use them: a
// library that the peer lacks in a process of its own may be there. If it is not, prepare reports it.
static bool comes_with_python(const struct session *session, struct session_side *side) {
    const struct operator_def *op = session_operator(session, &session->manifest);
    if (side->spec.module_path || !peer_find(op, side->spec.kernel_name)) return false;
    if (!has_known_peer(session, session->side_count)) return false;
    side->spec.op = op->name;
    side->spec.backend = session->kind->backend;
    return true;
}

// Builds a side where needed and queries what its module declares.
static int prepare_side(struct session *session, struct session_side *side, struct err *err) {
    const char *config = config_of(session, side);
    const bool is_source = side->kernel && side->kernel->source;
    if (side->is_built && is_source && side->spec.op) return 0; // by an earlier call
    if (side->is_built && config)
        return err_set(err, ERR_USAGE,
                       "--config: kernel '%s' is %s and cannot be built another way; a kernel of a manifest "
                       "with a source can",
                       side->spec.kernel,
                       side->spec.sim      ? "a script"
                       : side->spec.python ? "written in Python"
                                           : "linked in");
    const struct query_side query = {&side->spec, session->options.sampling.isolation,
                                     &session->manifest.operators};
    if (!side->is_built) {
        if (config && !side->kernel->source)
            return err_set(err, ERR_USAGE,
                           "--config: kernel '%s' is not built from source by assay, so nothing can be set",
                           side->spec.kernel);
        TRY(build_side(session, side, NULL, err));
        // The default build's module declares which settings there are.
        if (config) TRY(query_check_config(&query, config, &session->arena, err));
        if (config) TRY(build_side(session, side, config, err));
    }
    side->spec.reproduce = reproduce_options(session, side);
    if (side->spec.sim) return 0;
    // Starting PyTorch takes seconds: if one known peer can be imported, so can the others.
    if (is_known_peer(side) && has_known_peer(session, (size_t)(side - session->sides))) {
        side->spec.kernel_name = side->spec.python;
        return 0;
    }
    struct kernel_description description;
    int code = query_kernel(&query, &session->arena, &description, err);
    if (code == -ERR_UNAVAILABLE && comes_with_python(session, side)) return 0;
    if (code < 0) return code;
    side->spec.kernel_name = description.name;
    if (side->spec.python && side->spec.op) return 0; // the manifest, or the table of peers, knows better
    side->spec.op = description.op;
    side->spec.backend = description.backend;
    return 0;
}

static const char *kept(struct arena *arena, char *text) {
    const char *ret = arena_strdup(arena, text);
    free(text);
    return ret;
}

const char *session_reference_callable(struct session *session, const struct declared_reference *reference,
                                       const char **ret_folder) {
    const char *path = kept(&session->arena, path_join(reference->dir, reference->source));
    return declared_callable(&session->arena, path, reference->function, ret_folder);
}

// A function in Python needs no build: its file is its module, and what a process of its own needs is found.
static int find_python_reference(struct session *session, struct declared_reference *reference,
                                 struct err *err) {
    struct arena *arena = &session->arena;
    const char *path = kept(arena, path_join(reference->dir, reference->source));
    const char *folder;
    char hash[SHA256_HEX_BYTES], *interpreter, *peers;
    struct python_argv argv;
    if (!file_exists(path))
        return err_set(err, ERR_NO_INPUT, "no file '%s' in '%s'; correct its name in the manifest",
                       reference->source, reference->dir);
    (void)session_reference_callable(session, reference, &folder);
    TRY(python_program_find(session->manifest.python_interpreter, session->manifest.dir, &interpreter, err));
    reference->python_interpreter = kept(arena, interpreter);
    TRY(python_argv_make(reference->python_interpreter, &argv, err));
    reference->python_library = arena_strdup(arena, argv.library);
    python_argv_free(&argv);
    TRY(python_program_peers(&peers, err));
    reference->python_bridge = arena_format(arena, "%s/assay_reference.py", kept(arena, peers));
    reference->python_tree = kept(arena, revision_tree_of(folder));
    reference->module_path = reference->single_module_path = path;
    TRY(python_imports_hash(reference, hash, err));
    reference->module_hash = reference->single_module_hash = arena_strdup(arena, hash);
    return 0;
}

int session_build_reference(struct session *session, const char *op, struct err *err) {
    const struct manifest *manifest = &session->manifest;
    for (size_t i = 0; i < manifest->operators.declared_count; ++i) {
        struct declared *declared = manifest->declared[i];
        if (!str_equal(declared->name, op) || declared->reference.module_path) continue;
        if (declared_is_timed_only(declared)) continue;
        if (!declared->reference.source)
            return err_set(err, ERR_CONFIG,
                           "operator '%s' has no reference, and nothing else says what is right; name its "
                           "source in C or Python: 'reference: reference/%s.c'",
                           declared->name, declared->name);
        if (!declared->reference.function)
            TRY(reference_build(declared, &session->builds, &session->arena, err));
        else if (find_python_reference(session, &declared->reference, err) < 0)
            return err_prefix(err, "the reference of '%s'", declared->name);
    }
    return 0;
}

int session_build(struct session *session, size_t *ret_side, struct err *err) {
    if (ret_side) *ret_side = 0;
    bool has_targets = false;
    for (size_t i = 0; i < session->side_count; ++i) {
        const struct manifest_kernel *kernel = session->sides[i].kernel;
        has_targets |= kernel && kernel->source && device_kind_find(kernel->backend)->has_targets;
    }
    if (session->options.arch && !has_targets)
        return err_set(err, ERR_USAGE,
                       "--arch has no effect here: only a CUDA source (.cu) of a manifest is built for "
                       "targets; leave it out");
    int code = 0;
    progress_init(&session->builds, 0, session->options.wants_progress);
    for (size_t i = 0; i < session->side_count && code == 0; ++i) {
        if (ret_side) *ret_side = i;
        code = prepare_side(session, &session->sides[i], err);
    }
    for (size_t i = 0; i < session->side_count && code == 0; ++i)
        code = session_build_reference(session, session->sides[i].spec.op, err);
    progress_fini(&session->builds);
    return code;
}
