// SPDX-License-Identifier: Apache-2.0
//
// The section `kernels:` of a manifest: one kernel a key, from source, library, own build, Python or a
// script. Whether the files exist is checked when they are built.
#include <string.h>

#include "base/comma.h"
#include "base/file.h"
#include "base/strbuf.h"
#include "control/plan/call.h"
#include "control/plan/device_kind.h"
#include "control/plan/manifest/manifest_internal.h"
#include "control/plan/peer.h"
#include "op/example.h"
#include "op/operator.h"

static int bind_config(const struct schema_reader *reader, yaml_node_t *node, const char *key, void *target) {
    struct manifest_kernel *kernel = target;
    TRY(schema_expect_mapping(reader, node, key, "config: {BLOCK_M: 64}"));
    return manifest_bind_settings(reader, node, key, &kernel->config, &kernel->config_count);
}

// It needs the operator and the backend: call_check reads it.
static int bind_call_later(const struct schema_reader *reader, yaml_node_t *node, const char *key,
                           void *target) {
    const char *text;
    (void)target;
    return node->type == YAML_SEQUENCE_NODE ? 0 : schema_text(reader, node, key, &text);
}

// Adds what `call` names, a list or "function(x, y)", to the callable: "module:function(x, y)".
static int add_arguments(const struct schema_reader *reader, const yaml_node_t *value, const char *whole,
                         struct manifest_kernel *kernel) {
    const char *colon = strchr(kernel->python, ':'), *dot = strrchr(kernel->python, '.');
    const char *function = (dot && dot > colon ? dot : colon) + 1; // forward of "kern.fa:Attention.forward"
    const struct operator_def *op = operator_find(reader->operators, kernel->op);
    const bool is_list = value->type == YAML_SEQUENCE_NODE;
    const size_t count = is_list ? schema_item_count(value) : 1, length = strlen(function);
    const char *arguments = "", *text;
    struct err why = {0};
    if (!count) return schema_fail(reader, value, whole, "names nothing; remove the key");
    for (size_t i = 0; i < count; ++i) {
        const yaml_node_t *item = is_list ? schema_item(reader, value, i) : value;
        TRY(schema_text(reader, item, whole, &text));
        if (is_list) text = arena_format(reader->arena, "%s(%s)", function, text);
        if (strncmp(text, function, length) != 0 || text[length] != '(')
            return schema_fail(reader, item, whole, "must be '%s(x, y)' or a list '[x, y]', not '%s'",
                               function, text);
        if (call_check_python(text, op, reader->arena, &why) < 0)
            return schema_fail(reader, item, whole, "%s", why.text);
        text += length + 1;
        arguments =
            arena_format(reader->arena, "%s%s%.*s", arguments, i ? ", " : "", (int)strcspn(text, ")"), text);
    }
    kernel->python = arena_format(reader->arena, "%s(%s)", kernel->python, arguments);
    return 0;
}

static int call_check(const struct schema_reader *reader, const yaml_node_t *node, const char *key,
                      struct manifest_kernel *kernel) {
    const yaml_node_t *value = schema_find(reader, node, "call");
    const char *text;
    struct err why = {0};
    if (!value) return 0;
    const char *whole = schema_join(reader, key, "call");
    if (kernel->python) return add_arguments(reader, value, whole, kernel);
    TRY(schema_text(reader, value, whole, &text));
    struct call *call = arena_alloc(reader->arena, sizeof *call);
    kernel->call = call;
    const struct operator_def *op = operator_find(reader->operators, kernel->op);
    if (call_parse(text, op, kernel->backend, reader->arena, call, &why) == 0) return 0;
    return schema_fail(reader, value, whole, "%s", why.text);
}

static const struct schema_field build_fields[] = {
    {.key = "run",
     .kind = SCHEMA_TEXT,
     .is_required = true,
     .offset = offsetof(struct manifest_kernel, build_run),
     .example = "run: make fa.so",
     .meaning = "The command; `sh -c` runs it in the manifest's folder (of the revision that is built)."},
    {.key = "output",
     .kind = SCHEMA_TEXT,
     .is_required = true,
     .offset = offsetof(struct manifest_kernel, build_output),
     .type = "path",
     .example = "output: fa.so",
     .meaning = "The shared library that the command makes."},
    SCHEMA_LIST("inputs", struct manifest_kernel, build_inputs, build_input_count, "[\"csrc/**\"]",
                .type = "list of patterns", .fallback = "none",
                .meaning = "Files that decide the result. `*` and `?` stay within a folder, `**` crosses "
                           "folders. Without inputs assay runs the command every time."),
};
static const struct schema_table build_table = SCHEMA_TABLE(build_fields, "build");

// A compiled operator, or one that the manifest declares.
static int bind_operator(const struct schema_reader *reader, yaml_node_t *node, const char *key,
                         void *target) {
    size_t count = 0;
    while (operator_at(reader->operators, count)) ++count;
    const char **names = arena_array(reader->arena, count + 1, sizeof *names);
    for (size_t i = 0; i < count; ++i) names[i] = operator_at(reader->operators, i)->name;
    const struct schema_words words = {names, "the section 'operators' declares others"};
    return schema_choose(reader, node, key, &words, target);
}

static const char *backend_word(size_t index) {
    const struct device_kind *kind = device_kind_at(index);
    return kind ? kind->backend : NULL;
}

#define TARGET_JSON "{\"type\": \"string\", \"pattern\": \"^sm_[0-9]{2,3}[af]?$\"}"
// "sm_80", "sm_90a", "sm_120f"; whether there is such a target, only nvcc can say.
static bool is_target(const char *text) {
    if (!str_starts(text, "sm_")) return false;
    const size_t digits = strspn(text + 3, "0123456789");
    const char *suffix = text + 3 + digits;
    return digits >= 2 && digits <= 3 && (!*suffix || ((*suffix == 'a' || *suffix == 'f') && !suffix[1]));
}

static int arch_check(const struct schema_reader *reader, yaml_node_t *node, const char *key,
                      const struct manifest_kernel *kernel) {
    if (!kernel->arch_count)
        return schema_fail(reader, node, key, "names no target; write 'arch: [sm_80]', or remove the key");
    const bool is_list = node->type == YAML_SEQUENCE_NODE;
    for (size_t i = 0; i < kernel->arch_count; ++i) {
        if (is_target(kernel->archs[i])) continue;
        return schema_fail(
            reader, is_list ? schema_item(reader, node, i) : node, key,
            "a target is sm_ and two or three digits, with an a or f behind them or not, such as "
            "sm_80 or sm_90a; not '%s'",
            str_shown(kernel->archs[i]).text);
    }
    return 0;
}

#define KERNEL(member_, ...) SCHEMA_FIELD(struct manifest_kernel, member_, SCHEMA_TEXT, 0, 0, __VA_ARGS__)
static const struct schema_field kernel_fields[] = {
    {.key = "operator",
     .kind = SCHEMA_BOUND,
     .is_required = true,
     .offset = offsetof(struct manifest_kernel, op),
     .bind = bind_operator,
     .type = "operator",
     .example = "operator: " OP_EXAMPLE,
     .meaning =
         "What it computes: an operator of assay ([operators.md](operators.md)), or one of `operators`."},
    {.key = "backend",
     .kind = SCHEMA_WORD,
     .offset = offsetof(struct manifest_kernel, backend),
     .word_at = backend_word,
     .example = "backend: cpu",
     .fallback = "`cuda` for a `.cu` source, `sim` for a script, else `cpu`",
     .meaning = "Where it runs."},
    KERNEL(summary, "\"online softmax, AVX-512\"", .fallback = "none",
           .meaning = "One line for `assay list kernels`."),
    KERNEL(source, "kernels/mine.c", .type = "path",
           .meaning = "C (`.c`), C++ (`.cc`, `.cpp`, `.cxx`) or CUDA C++ (`.cu`) that implements "
                      "`include/assay/kernel.h`; assay compiles it ([building.md](building.md)). It must lie "
                      "below the manifest's folder, also after symbolic links, so that every revision has "
                      "its own."),
    KERNEL(library, "build/mine.so", .type = "path", .meaning = "An existing shared library."),
    {.key = "build",
     .kind = SCHEMA_STRUCT,
     .table = &build_table,
     .example = "build: {run: make fa.so, output: fa.so}",
     .meaning = "Your own build: `run`, `output`, `inputs`, see below."},
    {.key = "call",
     .kind = SCHEMA_BOUND,
     .json = "{\"type\": [\"string\", \"array\"], \"minItems\": 1, \"items\": {\"type\": \"string\"}}",
     .bind = bind_call_later,
     .type = "signature, or list of names",
     .example = "call: \"" CALL_EXAMPLE "\"",
     .fallback = "the module's own kernels; of `python` the function's parameters",
     .meaning =
         "The function that is the kernel, of a `source`, `library` or `build` that knows nothing of assay: "
         "[kernel-abi.md](kernel-abi.md#a-function-that-exists). Of `python` what the function is given, in "
         "order, `[y, x, eps]`: [python-kernels.md](python-kernels.md#called-by-names)."},
    KERNEL(python, "\"kern.fa:forward\"", .type = "`module:function`",
           .meaning = "A Python callable, imported from the manifest's folder: "
                      "[python-kernels.md](python-kernels.md)."),
    {.key = "sim",
     .kind = SCHEMA_BOUND,
     .bind = manifest_bind_sim_kernel,
     .table = &manifest_script_table,
     .example = "sim: {base_us: 100}",
     .meaning = "A script: a kernel of simulated devices, see below."},
    KERNEL(entry, "mine", .fallback = "the only kernel in the module",
           .meaning = "Name of the kernel inside a module that holds several."),
    {.key = "config",
     .kind = SCHEMA_BOUND,
     .bind = bind_config,
     .json = MANIFEST_SETTINGS_JSON,
     .type = "mapping NAME: whole number",
     .example = "config: {BLOCK_M: 64}",
     .fallback = "none",
     .meaning = "Build parameters: `-DNAME=VALUE` for sources, `ASSAY_CONFIG` and `ASSAY_DEFINES` for own "
                "builds; `--config` overrides single ones."},
    SCHEMA_LIST("flags", struct manifest_kernel, flags, flag_count, "[-mavx2]", .fallback = "none",
                .meaning = "More compiler flags, one word an item: `flags: [-mavx2, -mfma]`. Own builds get "
                           "them in `ASSAY_FLAGS`."),
    SCHEMA_LIST("arch", struct manifest_kernel, archs, arch_count, "[sm_90a]",
                .type = "list of GPU targets, or one", .fallback = "any",
                .json = "{\"anyOf\": [" TARGET_JSON ", {\"type\": \"array\", \"minItems\": 1, "
                        "\"items\": " TARGET_JSON "}]}",
                .meaning = "The targets of a `.cu` source: `arch: [sm_90a]`. assay refuses another target; "
                           "without a device it builds these."),
    MANIFEST_TOLERANCE_FIELD(struct manifest_kernel, "The tolerance for this kernel, see below."),
    SCHEMA_FIELD_AS("fast_math", struct manifest_kernel, is_fast_math, SCHEMA_BOOL, 0, 0, "false",
                    .fallback = "`false`",
                    .meaning = "`-ffast-math` (nvcc: `--use_fast_math`); every result records it."),
    {.key = "tune",
     .kind = SCHEMA_BOUND,
     .bind = manifest_bind_tune,
     .table = &manifest_tune_table,
     .example = "tune: {values: {BLOCK_M: [32, 64]}}",
     .fallback = "all values that the kernel declares",
     .meaning = "What `assay tune` may try, see below."},
};
const struct schema_table manifest_kernel_table = SCHEMA_TABLE(
    kernel_fields, "kernel",
    .rule = "{\"oneOf\": [{\"required\": [\"source\"]}, {\"required\": [\"library\"]}, {\"required\": "
            "[\"build\"]}, {\"required\": [\"python\"]}, {\"required\": [\"sim\"]}]}");

// Checks that `python` is a module as Python imports it, not a path or a file name.
static int python_check(const struct schema_reader *reader, const yaml_node_t *node, const char *key,
                        const struct manifest_kernel *kernel) {
    if (!kernel->python) return 0;
    const char *colon = strchr(kernel->python, ':');
    const bool is_file = colon && colon - kernel->python > 3 && memcmp(colon - 3, ".py", 3) == 0;
    if (peer_is_function_name(kernel->python) && !is_file && !strchr(kernel->python, '(')) return 0;
    return schema_fail(
        reader, schema_find(reader, node, "python"), schema_join(reader, key, "python"),
        "must be 'module:function', not '%s'; 'kern.fa:forward' is forward of kern/fa.py below the "
        "manifest's folder, and 'call' names its arguments",
        kernel->python);
}

int manifest_check_source(const struct schema_reader *reader, const yaml_node_t *node, const char *key,
                          const char *path) {
    return path && path_leads_out(path) ? schema_fail(reader, node, key, MANIFEST_SOURCE_RULE) : 0;
}

static int origin_check(const struct schema_reader *reader, const yaml_node_t *node, const char *key,
                        const struct manifest_kernel *kernel) {
    int origin_count = (kernel->source != NULL) + (kernel->library != NULL) + (kernel->build_run != NULL) +
                       (kernel->python != NULL) + (kernel->sim != NULL);
    if (origin_count != 1) {
        return schema_fail(reader, node, key,
                           "needs exactly one of source, library, build, python or sim, not %s",
                           origin_count ? "several" : "none");
    }
    TRY(manifest_check_source(reader, schema_find(reader, node, "source"), schema_join(reader, key, "source"),
                              kernel->source));
    TRY(python_check(reader, node, key, kernel));
    const bool is_compiled = kernel->source != NULL, is_built = is_compiled || kernel->build_run;
    const struct {
        const char *key;
        bool has_effect;
    } keys[] = {{"config", is_built},
                {"flags", is_built},
                {"fast_math", is_compiled},
                {"call", !kernel->sim},
                {"entry", !kernel->sim && !kernel->python && !schema_find(reader, node, "call")}};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; ++i) {
        const yaml_node_t *value = schema_find(reader, node, keys[i].key);
        if (!value || keys[i].has_effect) continue;
        return schema_fail(reader, value, schema_join(reader, key, keys[i].key),
                           "has no effect here: %s; remove the key",
                           kernel->sim      ? "a script is no module"
                           : kernel->python ? "'python' names the function, and nothing is compiled"
                           : str_equal(keys[i].key, "entry") ? "'call' names the function"
                                                             : "assay does not compile this kernel");
    }
    return 0;
}

static int backend_check(const struct schema_reader *reader, const yaml_node_t *node, const char *key,
                         struct manifest_kernel *kernel) {
    bool is_cuda_source = kernel->source && str_ends(kernel->source, ".cu");
    if (!kernel->backend) kernel->backend = kernel->sim ? "sim" : is_cuda_source ? "cuda" : "cpu";
    if (device_kind_find(kernel->backend)->takes_scripts != (kernel->sim != NULL)) {
        return schema_fail(reader, schema_find(reader, node, "backend"), schema_join(reader, key, "backend"),
                           "is '%s', but %s; a kernel of backend sim has a script: 'sim: {base_us: 100}'",
                           kernel->backend, kernel->sim ? "'sim' is given" : "there is no 'sim'");
    }
    yaml_node_t *arch = schema_find(reader, node, "arch");
    if (arch && !is_cuda_source) {
        return schema_fail(
            reader, arch, schema_join(reader, key, "arch"),
            "has no effect here: only a CUDA source (.cu) is built for targets; remove the key");
    }
    if (arch) TRY(arch_check(reader, arch, schema_join(reader, key, "arch"), kernel));
    if (is_cuda_source && !str_equal(kernel->backend, "cuda")) {
        return schema_fail(reader, schema_find(reader, node, "backend"), schema_join(reader, key, "backend"),
                           "is '%s', but '%s' is CUDA C; write 'backend: cuda'", kernel->backend,
                           kernel->source);
    }
    return 0;
}

// Kernels of the manifest that this one extends: those that it has not itself.
static void add_extended(struct manifest *manifest, const struct manifest_kernel *kernels, size_t count) {
    const size_t own_count = manifest->kernel_count;
    for (size_t i = 0; i < count; ++i) {
        size_t own = 0;
        while (own < own_count && !str_equal(manifest->kernels[own].name, kernels[i].name)) ++own;
        if (own == own_count) manifest->kernels[manifest->kernel_count++] = kernels[i];
    }
}

int manifest_bind_kernels(const struct schema_reader *reader, yaml_node_t *node, const char *key,
                          void *target) {
    struct manifest *manifest = target;
    const struct manifest_kernel *extended = manifest->kernels;
    const size_t extended_count = manifest->kernel_count;
    TRY(schema_expect_mapping(reader, node, key,
                              "kernels: {mine: {operator: " OP_EXAMPLE ", source: kernels/mine.c}}"));
    size_t count = schema_pair_count(node);
    manifest->kernels = arena_array(reader->arena, count + extended_count + 1, sizeof *manifest->kernels);
    for (size_t i = 0; i < count; ++i) {
        struct manifest_kernel *kernel = &manifest->kernels[i];
        if (!str_equal(reader->dir, manifest->dir))
            kernel->dir = reader->dir; // it extends a manifest elsewhere
        yaml_node_t *value, *key_node = schema_pair(reader, node, i, &kernel->name, &value);
        const char *whole = schema_join(reader, key, kernel->name);
        if (!schema_is_name(kernel->name)) {
            return schema_fail(reader, key_node, whole,
                               "a kernel's name is made of letters, digits, '_', '.' and '-', at most 64");
        }
        TRY(schema_bind(reader, value, whole, &manifest_kernel_table, kernel));
        TRY(origin_check(reader, value, whole, kernel));
        TRY(backend_check(reader, value, whole, kernel));
        TRY(call_check(reader, value, whole, kernel));
        TRY(manifest_check_tune(reader, value, whole, kernel));
    }
    manifest->kernel_count = count;
    add_extended(manifest, extended, extended_count);
    return 0;
}
