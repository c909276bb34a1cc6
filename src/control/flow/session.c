// SPDX-License-Identifier: Apache-2.0
//
// See session.h: manifest -> sides -> built modules -> their declarations.
#include "control/flow/session.h"

#include <stdlib.h>
#include <string.h>

#include "base/comma.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "control/exec/python_declare.h"
#include "control/exec/python_program.h"
#include "control/flow/clock_lock.h"
#include "control/flow/device_choice.h"
#include "control/flow/operator_source.h"
#include "control/flow/worker_query.h"
#include "control/plan/call.h"
#include "control/plan/peer.h"
#include "control/plan/sim_shipped.h"
#include "op/declared/declared.h"

#define CLASS_NAME "ModelNew" // of a candidate, as KernelBench has it

// The kernel that a command is about, as far as the manifest or the shipped kernels know it.
static const struct manifest_kernel *asked_kernel(const struct session *session) {
    const struct session_options *options = &session->options;
    const char *name = str_or(options->kernel, options->candidate);
    return name && !session->sim ? session_kernel_named(session, name) : NULL;
}

int session_check_operator(const struct session *session, const struct suite *suite, struct err *err) {
    const struct manifest_kernel *kernel = asked_kernel(session);
    if (!kernel || !suite->item_count) return 0;
    for (size_t i = 0; i < suite->item_count; ++i)
        if (str_equal(suite->items[i].problem.op->name, kernel->op)) return 0;
    const struct problem *first = &suite->items[0].problem;
    return err_set(err, ERR_USAGE,
                   "kernel '%s' is for %s, and %s is a problem of %s: name another kernel, suite or problem",
                   kernel->name, kernel->op, first->name, first->op->name);
}

// "rows=17,eps=0.5" becomes the name of that problem of the operator that is meant, if the user declares it.
static int name_asked_problem(struct session *session, struct err *err) {
    struct session_options *options = &session->options;
    const char *asked = options->problem;
    struct comma_item item;
    if (!asked || !strchr(asked, '=')) return 0;
    options->problem = NULL; // it says nothing of the operator
    const struct operator_def *op = session_operator(session, &session->manifest);
    if (!declared_of(op))
        return err_set(
            err, ERR_USAGE,
            "--problem %s: NAME=VALUE is for operators that you declare, and the one that is meant "
            "here is %s; write a whole name, such as %s",
            asked, op->name, op->example);
    struct strbuf name = {0};
    strbuf_add(&name, op->name);
    for (const char *at = asked; comma_next(&at, &item);) {
        const char *sign = memchr(item.text, '=', item.length);
        const size_t before = sign ? (size_t)(sign - item.text) : item.length;
        strbuf_addf(&name, "/%.*s%.*s", (int)before, item.text, sign ? (int)(item.length - before - 1) : 0,
                    sign ? sign + 1 : "");
    }
    options->problem = arena_strdup(&session->arena, strbuf_text(&name));
    strbuf_fini(&name);
    return 0;
}

// Before anything is built. What does not resolve is reported where it is used.
static int check_asked_problems(struct session *session, struct err *err) {
    const struct session_options *options = &session->options;
    struct suite suite;
    struct err unread = {0};
    if (!options->problem && !options->suite) return 0;
    if (session_suite(session, NULL, &suite, &unread) < 0) return 0;
    return session_check_operator(session, &suite, err);
}

int session_open(struct session *session, const struct session_options *options, struct err *err) {
    *session = (struct session){.options = *options};
    session->shipped = arena_alloc(&session->arena, sizeof *session->shipped);
    char *found = options->manifest ? mem_strdup(options->manifest) : manifest_find(".");
    int code = 0;
    if (found) {
        code = manifest_read(found, PYTHON_ASKER(NULL), &session->manifest, err);
        session->has_manifest = code == 0;
    }
    if (!session->has_manifest) manifest_empty(&session->manifest);
    free(found);
    if (code == 0)
        code = operator_source_add(options, &session->manifest, &session->options.operator_name, err);
    session->has_manifest |= operator_source_is_given(options); // as if there was one that names it
    if (code == 0 && options->is_device_default && !options->resume)
        code = device_choose(&(struct device_wish){options, &session->manifest, session->shipped},
                             &session->arena, &session->options.device, err);
    if (code < 0) return code;
    const char *device = session->options.device;
    session->kind = device_kind_of(device);
    if (!session->kind)
        return err_set(err, ERR_USAGE, "unknown device '%s'; 'assay devices' lists what there is", device);
    if (session->kind->takes_scripts)
        TRY(sim_shipped_device_get(&session->manifest, device, &session->sim, err));
    TRY(name_asked_problem(session, err));
    TRY(check_asked_problems(session, err));
    return clock_lock_check(options->lock_clocks, device, session->kind, options->resume != NULL, err);
}

void session_close(struct session *session) {
    for (size_t i = 0; i < session->side_count; ++i) {
        manifest_fini(&session->sides[i].revision_manifest);
        revision_close(&session->sides[i].revision);
    }
    manifest_fini(&session->manifest);
    if (session->shipped) manifest_fini(&session->shipped->manifest);
    arena_fini(&session->arena);
    *session = (struct session){0};
}

// What a lookup of a kernel by name returns. Negative: error.
enum kernel_lookup { KERNEL_FOUND = 0, KERNEL_UNKNOWN = 1 };

// A script needs no build and no query; the hash of the script stands for its machine code.
static void use_script(struct session *session, const struct sim_kernel *script, struct session_side *side) {
    char hash[HASH_HEX_BYTES];
    sim_kernel_hash(script, hash);
    side->spec.sim = script;
    side->spec.kernel_name = script->name;
    side->spec.backend = session->kind->backend;
    side->spec.build = build_report_unknown();
    side->spec.build.code_hash = arena_strdup(&session->arena, hash);
    side->is_built = true;
}

// A Python callable needs no build: the interpreter found here imports it from its folder.
static int use_python(struct session *session, const char *callable, const char *folder,
                      struct session_side *side, struct err *err) {
    char *interpreter = NULL;
    TRY(python_program_find(session->manifest.python_interpreter, session->manifest.dir, &interpreter, err));
    side->spec.python = arena_strdup(&session->arena, callable);
    side->spec.python_path = arena_strdup(&session->arena, folder);
    side->spec.python_interpreter = arena_strdup(&session->arena, interpreter);
    side->spec.backend = session->kind->backend;
    free(interpreter);
    return 0;
}

// One that no manifest names: its source is hashed as that of one that a manifest names.
static int use_callable(struct session *session, const char *callable, const char *folder,
                        struct session_side *side, struct err *err) {
    char hex[SHA256_HEX_BYTES];
    const int is_found = variant_python_hash(callable, folder, hex, err);
    TRY(is_found);
    if (is_found) side->spec.build = variant_python_report(arena_strdup(&session->arena, hex));
    return use_python(session, callable, folder, side, err);
}

// The reference of a declared operator, which is a function in Python; or a provider of a file that measures.
static int use_reference(struct session *session, const struct manifest *manifest,
                         const struct operator_def *op, const char *name, struct session_side *side,
                         struct err *err) {
    const struct declared *declared = declared_of(op);
    const char *folder;
    if (!declared)
        return err_set(err, ERR_USAGE,
                       "'%s' is that of an operator that you declare, and the one that is meant here is %s; "
                       "name a problem, a suite or a Python file of yours",
                       name, op->name);
    if (!declared->reference.function)
        return err_set(err, ERR_USAGE,
                       "the reference of operator '%s' is no function in Python, and only such a one is a "
                       "kernel too; write for example 'reference: ops/%s.py:reference'",
                       op->name, op->name);
    struct declared_reference file = declared->reference;
    const char *suffix;
    if (declared_is_timed_only(declared)) { // a provider, of the side's own file, whichever one declares
        char *path = path_join(manifest->dir, file.source);
        if (file_exists(path)) file.dir = manifest->dir;
        free(path);
        suffix = arena_format(&session->arena, ":%s", name);
    } else {
        suffix = name + strlen(REFERENCE_NAME); // ":compiled"
    }
    const char *callable = session_reference_callable(session, &file, &folder);
    side->spec.op = op->name;
    side->spec.build = build_report_unknown();
    side->is_built = true;
    callable = arena_format(&session->arena, "%s%s", callable, suffix);
    return use_callable(session, callable, folder, side, err);
}

// "out/relu.py" is the class of modules there, from the manifest's folder or else from its own. NULL: none.
static const char *file_class(struct session *session, const char *dir, const char *name,
                              const char **ret_folder) {
    if (!str_ends(name, ".py")) return NULL;
    struct arena *arena = &session->arena;
    char *path = path_absolute(name);
    const size_t length = strlen(session->manifest.dir);
    const bool is_below = str_starts(path, session->manifest.dir) && path[length] == '/';
    char *folder = is_below ? mem_strdup(dir) : path_dir(path);
    const char *inner = is_below ? path + length + 1 : path_base(path);
    char *module = arena_strndup(arena, inner, strlen(inner) - strlen(".py"));
    for (char *at = module; *at; ++at)
        if (*at == '/') *at = '.';
    *ret_folder = arena_strdup(arena, folder);
    free(folder);
    free(path);
    return arena_format(arena, "%s:" CLASS_NAME, module);
}

// A peer that assay knows by name, or any Python callable ("module:function").
static int find_peer(struct session *session, const struct manifest *manifest, const char *name,
                     struct session_side *side, struct err *err) {
    const char *backend = session->kind->backend, *device = session->options.device;
    const struct operator_def *op = session_operator(session, manifest);
    if (peer_is_reference(name) || declared_is_timed_only(declared_of(op)))
        return use_reference(session, manifest, op, name, side, err);
    const char *folder, *class_name = file_class(session, manifest->dir, name, &folder);
    if (class_name) {
        if (!declared_of(op) || !declared_of(op)->module)
            return err_set(err, ERR_USAGE,
                           "'%s' stands for its class " CLASS_NAME ", a candidate for a file with Model and "
                           "get_inputs, and %s is none; name a function, 'module:function'",
                           name, op->name);
        side->spec.op = op->name;
        side->spec.build = build_report_unknown();
        side->is_built = true;
        return use_callable(session, class_name, folder, side, err);
    }
    const struct op_peer *peer = peer_find(op, name);
    const bool is_known = peer || peer_find(NULL, name), is_callable = !is_known && peer_is_callable(name);
    if (!is_known && !is_callable && !strchr(name, ':')) return KERNEL_UNKNOWN;
    if (peer ? !peer_runs_on(peer, backend) : !is_callable) {
        char known[256];
        const char *near = is_known ? NULL : peer_nearest(name);
        peer_format_names(op, backend, known, sizeof known);
        return err_set(
            err, ERR_USAGE,
            "%s '%s'%s%s%s%s%s %s on device '%s' there are %s, and any 'module:function' of Python",
            is_known ? "peer" : "unknown kernel or peer", name,
            peer       ? " is not for device "
            : is_known ? " is not for operator "
                       : "",
            peer       ? device
            : is_known ? op->name
                       : "",
            near ? ", did you mean '" : "", str_or(near, ""), near ? "'? For" : "; for", op->name, device,
            *known ? known : "none of assay's");
    }
    if (peer && !peer->python) return KERNEL_UNKNOWN; // linked in
    side->spec.build = build_report_unknown();
    side->is_built = true;
    if (!peer) {
        struct err why = {0};
        if (call_check_python(name, op, &session->arena, &why) < 0)
            return err_set(err, ERR_USAGE, "%s", why.text);
        if (declared_of(op)) side->spec.op = op->name; // its reference is built
        return use_callable(session, name, manifest->dir, side, err);
    }
    side->spec.op = op->name;
    return use_python(session, peer->python, NULL, side, err);
}

// A kernel that comes with assay: linked in, or a script on a simulated device.
static int find_shipped_kernel(struct session *session, const struct manifest *manifest, const char *name,
                               struct session_side *side, struct err *err) {
    if (session->sim) {
        const struct sim_kernel *script;
        TRY(sim_shipped_kernel_get(manifest, name, &script, err));
        use_script(session, script, side);
        return 0;
    }
    if (sim_shipped_kernel_find(name))
        return err_set(err, ERR_USAGE,
                       "kernel '%s' is a simulated one, not for device '%s'; add for example --device "
                       "sim:steady",
                       name, session->options.device);
    if (!peer_find(NULL, name) && !query_is_linked_in(name)) return KERNEL_UNKNOWN;
    side->spec.kernel_name = arena_strdup(&session->arena, name); // its module is this program
    side->spec.backend = "cpu";
    side->spec.build = build_report_unknown();
    side->is_built = true;
    return 0;
}

// side->kernel is of that manifest.
static int use_kernel(struct session *session, const struct manifest *manifest, const char *name,
                      struct session_side *side, struct err *err) {
    side->dir = str_or(side->kernel->dir, manifest->dir);
    side->spec.op = side->kernel->op;
    side->spec.backend = side->kernel->backend;
    side->spec.tolerance = side->kernel->tolerance;
    if (!session_kernel_fits(session, side->kernel))
        return err_set(err, ERR_USAGE,
                       "kernel '%s' is for %s, not for device '%s'; choose another --device or kernel", name,
                       side->kernel->backend, session->options.device);
    if (side->kernel->sim) use_script(session, side->kernel->sim, side);
    if (side->kernel->python) return use_python(session, side->kernel->python, side->dir, side, err);
    return 0;
}

// "assay:NAME", built from the sources that came with assay.
static int find_own_kernel(struct session *session, const struct manifest *manifest, const char *name,
                           struct session_side *side, struct err *err) {
    if (manifest != &session->manifest) return shipped_refuse(name, err);
    TRY(shipped_get_kernel(session->shipped, name, &side->kernel, err));
    return use_kernel(session, &session->shipped->manifest, name, side, err);
}

// "cudnn@9.19": what ran is compared with the version (record/result.c). Returns the name without it.
static const char *take_wanted_version(struct session *session, const char *name, struct session_side *side) {
    side->spec.version = arena_strdup(&session->arena, peer_wanted_version(name));
    if (!side->spec.version) return name;
    side->spec.kernel = arena_strdup(&session->arena, peer_find(NULL, name)->name);
    return side->spec.kernel;
}

// A kernel of the manifest, or one that comes with assay when the manifest has none of that name.
static int find_kernel(struct session *session, const struct manifest *manifest, const char *name,
                       struct session_side *side, struct err *err) {
    struct err unknown = {0};
    if (manifest_get_kernel(manifest, name, &side->kernel, &unknown) == 0)
        return use_kernel(session, manifest, name, side, err);
    if (session->sim &&
        (peer_find(NULL, name) || peer_is_callable(name) || shipped_is_name(name) || peer_is_reference(name)))
        return err_set(err, ERR_USAGE,
                       "'%s' runs on real devices; device '%s' is simulated and plays scripts: name another "
                       "--device, or a simulated kernel",
                       name, session->options.device);
    if (shipped_is_name(name)) return find_own_kernel(session, manifest, name, side, err);
    name = take_wanted_version(session, name, side);
    int code = session->sim ? KERNEL_UNKNOWN : find_peer(session, manifest, name, side, err);
    if (code == KERNEL_UNKNOWN) code = find_shipped_kernel(session, manifest, name, side, err);
    if (code != KERNEL_UNKNOWN) return code;
    const char *peer = manifest_nearest_kernel(manifest, name) ? NULL : peer_nearest(name);
    if (!session->has_manifest)
        return err_set(err, ERR_USAGE,
                       "kernel '%s' is not linked in and there is no assay.yaml here or above; 'assay "
                       "init' writes one%s%s%s",
                       name, peer ? "; or did you mean the peer '" : "", str_or(peer, ""), peer ? "'?" : "");
    if (peer) return err_set(err, unknown.code, "%s; or did you mean the peer '%s'?", unknown.text, peer);
    *err = unknown;
    return -(int)unknown.code;
}

int session_check_kernel(struct session *session, const char *kernel, struct err *err) {
    struct session_side unused = {0};
    return find_kernel(session, &session->manifest, kernel, &unused, err);
}

// The manifest that the same command would have found in the revision: a manifest that --manifest names has
// the same path there; else it is searched from the same folder upwards, so that a new manifest in another
// folder does not hide the one that there was. NULL: none.
static char *find_revision_manifest(const struct session *session, const struct revision *revision) {
    char *dir = session->options.manifest ? NULL : revision_path(revision, ".");
    while (dir && strlen(dir) >= strlen(revision->tree)) {
        char *path = path_join(dir, MANIFEST_FILE_NAME), *up = path_dir(dir);
        free(dir);
        dir = up;
        if (file_exists(path)) {
            free(dir);
            return path;
        }
        free(path);
    }
    free(dir);
    char *path = path_join(revision->dir, path_base(session->manifest.path));
    if (file_exists(path)) return path;
    free(path);
    return NULL;
}

// path: NULL where a file on the command line stands for a manifest; kernels are the working tree's then.
static int read_revision_manifest(struct session *session, struct session_side *side, const char *path,
                                  struct err *err) {
    const struct manifest_asker *asker = PYTHON_ASKER(session->manifest.dir);
    struct manifest *manifest = &side->revision_manifest;
    if (path) {
        TRY(manifest_read(path, asker, manifest, err));
        if (manifest->is_extended) return err_set(err, ERR_CONFIG, "it extends another manifest");
    } else {
        manifest_empty(manifest);
        manifest->kernels = session->manifest.kernels;
        manifest->kernel_count = session->manifest.kernel_count;
        manifest->python_interpreter = session->manifest.python_interpreter;
        manifest->dir = side->revision.dir;
        manifest->path = arena_format(&session->arena, "%s/" MANIFEST_FILE_NAME, side->revision.dir);
    }
    side->has_manifest = true;
    return operator_source_add_revision(&session->options, manifest, session->manifest.dir,
                                        side->revision.dir, err);
}

int session_add_revision(struct session *session, enum side_role role, const char *spec, struct err *err) {
    if (session->side_count >= WORK_SIDES_MAX)
        return err_set(err, ERR_USAGE, "more than %d kernels at once; name fewer", WORK_SIDES_MAX);
    if (!session->has_manifest)
        return err_set(err, ERR_USAGE,
                       "%s needs a manifest: there is no assay.yaml here or above; 'assay init' writes one",
                       spec);
    // No revision has what a build wrote, and a committed file could lead to another repository.
    if (session->manifest.is_extended)
        return err_set(err, ERR_USAGE,
                       "%s needs a manifest that extends no other: both sides are built by that of their "
                       "revision; give 'build' to the kernel in %s, and name no other manifest",
                       spec, session->manifest.path);
    struct session_side *side = &session->sides[session->side_count++];
    *side = (struct session_side){.spec = {.role = role}};
    side->revision_spec = arena_strdup(&session->arena, spec);
    TRY(revision_open(spec, session->manifest.dir, &side->revision, err));
    side->spec.revision = arena_strdup(&session->arena, side->revision.commit);
    char *path = find_revision_manifest(session, &side->revision);
    if (!path && !operator_source_is_given(&session->options)) {
        side->revision_manifest = session->manifest; // borrowed: without the arena, which owns the memory
        side->revision_manifest.arena = (struct arena){0};
        side->revision_manifest.dir = side->revision.dir;
        return 0;
    }
    struct err why = {0};
    const int code = read_revision_manifest(session, side, path, &why);
    free(path);
    if (code == 0) return 0;
    // The tree is gone when this is read: places in it are named as in the repository.
    const bool is_in_tree = str_starts(why.text, side->revision.tree);
    return err_set(err, why.code, "the manifest of %s cannot be used (%s); name another revision", spec,
                   is_in_tree ? why.text + strlen(side->revision.tree) + 1 : why.text);
}

int session_set_revision_kernel(struct session *session, size_t index, const char *kernel, struct err *err) {
    struct session_side *side = &session->sides[index];
    side->spec.kernel = arena_strdup(&session->arena, kernel);
    side->spec.label = arena_format(&session->arena, "%s @ %s", kernel, side->revision_spec);
    if (find_kernel(session, &side->revision_manifest, kernel, side, err) == 0) return 0;
    return err_prefix(err, "in %s", side->revision_spec);
}

static int add_module(struct session *session, struct session_side *side, struct err *err) {
    const char *path = session->options.module;
    if (session->sim)
        return err_set(err, ERR_USAGE,
                       "--module: device '%s' is simulated and plays scripts; name a simulated kernel with "
                       "--kernel",
                       session->options.device);
    struct manifest_kernel *kernel = arena_alloc(&session->arena, sizeof *kernel);
    kernel->name = arena_strdup(&session->arena, path_base(path));
    kernel->backend = session->kind->backend;
    char *absolute = path_absolute(path);
    kernel->library = arena_strdup(&session->arena, absolute);
    free(absolute);
    kernel->entry = session->options.kernel;
    side->kernel = kernel;
    side->dir = ".";
    side->spec.kernel = kernel->name;
    side->spec.label = kernel->name;
    side->spec.backend = session->kind->backend;
    return 0;
}

int session_add_side(struct session *session, enum side_role role, const char *spec, const char *kernel,
                     struct err *err) {
    if (spec && revision_is_spec(spec)) {
        if (!kernel)
            return err_set(err, ERR_USAGE, "%s: which kernel of it? Name one with --kernel or --candidate",
                           spec);
        const size_t index = session->side_count;
        TRY(session_add_revision(session, role, spec, err));
        return session_set_revision_kernel(session, index, kernel, err);
    }
    if (session->side_count >= WORK_SIDES_MAX)
        return err_set(err, ERR_USAGE, "more than %d kernels at once; name fewer", WORK_SIDES_MAX);
    struct session_side *side = &session->sides[session->side_count++];
    *side = (struct session_side){.spec = {.role = role}};
    if (!spec) return add_module(session, side, err);
    side->spec.kernel = arena_strdup(&session->arena, spec);
    side->spec.label = side->spec.kernel;
    TRY(find_kernel(session, &session->manifest, spec, side, err));
    char *revision = revision_describe(session->manifest.dir ? session->manifest.dir : ".");
    side->spec.revision = arena_strdup(&session->arena, revision);
    free(revision);
    return 0;
}

// What the manifest's source includes is found from its folder, wherever this one lies.
static void use_source(struct session *session, const char *path, struct session_side *side) {
    struct arena *arena = &session->arena;
    struct manifest_kernel *kernel = arena_alloc(arena, sizeof *kernel);
    char *source_dir = path_dir(path), *include_dir = path_dir(side->kernel->source);
    *kernel = *side->kernel;
    kernel->source = arena_strdup(arena, path);
    kernel->flags = arena_array(arena, side->kernel->flag_count + 1, sizeof *kernel->flags);
    for (size_t i = 0; i < side->kernel->flag_count; ++i) kernel->flags[i] = side->kernel->flags[i];
    kernel->flags[kernel->flag_count++] = arena_format(arena, "-I%s", include_dir);
    side->kernel = kernel;
    side->source_dir = arena_strdup(arena, source_dir);
    free(source_dir);
    free(include_dir);
}

static void use_library(struct session *session, const char *path, struct session_side *side) {
    struct manifest_kernel *kernel = arena_alloc(&session->arena, sizeof *kernel);
    *kernel = *side->kernel;
    kernel->source = kernel->build_run = kernel->build_output = NULL;
    kernel->library = path;
    side->kernel = kernel;
}

int session_add_variant(struct session *session, enum side_role role, const char *kernel,
                        const struct session_variant *variant, struct err *err) {
    const size_t index = session->side_count;
    TRY(session_add_side(session, role, kernel, NULL, err));
    struct session_side *side = &session->sides[index];
    side->spec.label = arena_strdup(&session->arena, variant->label);
    side->config = arena_strdup(&session->arena, variant->config);
    side->limits = variant->limits;
    if (variant->source) use_source(session, variant->source, side);
    if (variant->library) use_library(session, variant->library, side);
    if (variant->folder) side->dir = variant->folder;
    if (variant->script) use_script(session, variant->script, side);
    return 0;
}

void session_remove_side(struct session *session, size_t index) {
    --session->side_count;
    for (size_t i = index; i < session->side_count; ++i) session->sides[i] = session->sides[i + 1];
}

bool session_is_same_code(const struct session *session, size_t a, size_t b) {
    const struct result_side *left = &session->sides[a].spec, *right = &session->sides[b].spec;
    if (left->sim || right->sim)
        return left->sim && right->sim && str_equal(left->build.code_hash, right->build.code_hash);
    if (!str_equal(left->kernel_name, right->kernel_name)) return false;
    // The imports of a Python module are unknown, so code is the same only if the files are.
    if (left->python || right->python)
        return str_equal(left->python, right->python) && str_equal(left->python_path, right->python_path);
    if (!left->module_path || !right->module_path) return !left->module_path && !right->module_path;
    return left->build.code_hash && str_equal(left->build.code_hash, right->build.code_hash);
}

int session_suite(struct session *session, const char *fallback_suite, struct suite *ret, struct err *err) {
    const struct session_options *options = &session->options;
    if (options->problem)
        return suite_of_problems(&session->manifest.operators, options->problem, &session->arena, ret, err);
    const char *name = options->suite ? options->suite : fallback_suite;
    name = session_suite_meant(session, &session->manifest, name);
    TRY(suite_resolve(&session->manifest, name, options->dtype, &session->arena, ret, err));
    if (options->only) return suite_filter(ret, options->only, err);
    return 0;
}

const char *session_suite_name(struct session *session, const char *fallback_suite) {
    struct suite suite = {0};
    struct err unread = {0};
    return session_suite(session, fallback_suite, &suite, &unread) < 0 ? NULL : suite.name;
}

int session_draw_checks(struct session *session, struct suite *suite, struct err *err) {
    struct dice dice = dice_of_seed(session->options.seed);
    if (!session->options.is_seed_given && !session->sim) TRY(dice_make_secret(&dice, err));
    dice = dice_child(&dice, "problems of the check", 0);
    suite_add_drawn(suite, &dice, &session->arena);
    return 0;
}

void session_follow_kernel(const struct session *session, size_t side, struct suite *suite,
                           struct arena *arena) {
    const struct result_side *kernel = &session->sides[side].spec;
    struct query_support query = {.side = kernel,
                                  .isolation = session->options.sampling.isolation,
                                  .device = session->options.device,
                                  .thread_count = session->options.thread_count};
    struct suite_question question;
    struct err ignored = {0};
    for (size_t i = 0; i < suite->item_count; ++i)
        declared_add(arena, &query.operators, suite->items[i].problem.op);
    suite_ask(suite, arena, &question);
    query.cases = question.cases;
    query.case_count = question.case_count;
    enum outcome *outcomes = arena_array(arena, question.index_count, sizeof *outcomes);
    bool *is_supported = arena_array(arena, question.index_count, sizeof *is_supported);
    if (question.case_count && !session->sim)
        query_supported(&query, outcomes, question.index_count, &ignored);
    for (size_t i = 0; i < question.index_count; ++i)
        is_supported[i] = outcomes[i] != OUTCOME_NONE && outcomes[i] != OUTCOME_UNSUPPORTED;
    // A function in Python that says nothing of what it supports supports everything, by its own account.
    suite_take(suite, is_supported, kernel->python != NULL, arena);
    // Nor could a function that gets addresses alone take rows with gaps, of which it learns no strides.
    const struct manifest_kernel *own = session->sides[side].kernel;
    if (own && own->call) suite->left_out = NULL;
}
