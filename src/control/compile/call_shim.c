// SPDX-License-Identifier: Apache-2.0
//
// Writes the tables of a shim, the declaration of its function, and the launch that calls it.
#include "control/compile/call_shim.h"

#include <inttypes.h>

#include "base/embed.h"
#include "base/strbuf.h"
#include "control/compile/build_cache_internal.h"
#include "control/plan/call.h"

extern const char call_body[];
EMBED("call_body", ASSAY_CALL_BODY);

static bool is_number(const struct call_argument *argument) {
    return argument->kind == CALL_NUMBER || argument->kind == CALL_STRIDE;
}

static bool has_strides(const struct call *call, const char *tensor) {
    for (size_t i = 0; i < call->argument_count; ++i)
        if (call->arguments[i].kind == CALL_STRIDE && (!tensor || str_equal(call->arguments[i].name, tensor)))
            return true;
    return false;
}

static void write_tables(const struct call *call, struct strbuf *out) {
    strbuf_add(out, "\nstatic const struct assay_call_tensor assay_call_tensors[] = {\n");
    for (size_t i = 0; i < call->argument_count; ++i) {
        const struct call_argument *argument = &call->arguments[i];
        if (argument->kind == CALL_TENSOR)
            strbuf_addf(out, "    {\"%s\", %d, %d},\n", argument->name, argument->dtype,
                        !has_strides(call, argument->name));
    }
    strbuf_add(out, "    {NULL, 0, 0}};\n"
                    "static const struct assay_call_number assay_call_numbers[] = {\n");
    for (size_t i = 0; i < call->argument_count; ++i) {
        const struct call_argument *argument = &call->arguments[i];
        if (is_number(argument))
            strbuf_addf(out, "    {\"%s\", \"%s\", %.17g, %.17g, %d},\n", argument->name,
                        argument->type->c_type, argument->type->least, argument->type->most,
                        argument->kind == CALL_STRIDE ? argument->dim : -1);
    }
    strbuf_add(out, "    {NULL, NULL, 0, 0, 0}};\n"
                    "static const struct assay_call assay_call = {assay_call_tensors, assay_call_numbers};\n"
                    "static int assay_call_takes(const struct assay_problem *problem, "
                    "struct assay_message *message) {\n"
                    "    return assay_call_supports(&assay_call, problem, message);\n}\n");
}

// The types only: a pointer of any type is passed in the same way.
static void write_parameters(const struct call *call, struct strbuf *out) {
    for (size_t i = 0; i < call->argument_count; ++i)
        strbuf_addf(out, "%s%s", i ? ", " : "",
                    call->arguments[i].type ? call->arguments[i].type->c_type : "void *");
}

// What is called: the function, or a pointer to that of a library, which prepare fills.
static const char *write_function(const struct call *call, bool is_in_library, struct strbuf *out) {
    const char *result = call->has_status ? "int" : "void";
    if (is_in_library)
        strbuf_addf(out, "static %s (*assay_call_function)(", result);
    else
        strbuf_addf(out, "#ifdef __cplusplus\nextern \"C\"\n#endif\n%s %s(", result, call->function);
    write_parameters(call, out);
    strbuf_add(out, ");\nstatic int assay_call_ready(ASSAY_PREPARE_ARGS) {\n");
    if (is_in_library)
        strbuf_addf(out,
                    "    if (!assay_call_function) *(void **)&assay_call_function = assay_call_find(\"%s\", "
                    "message);\n    if (!assay_call_function) return ASSAY_FAILED;\n",
                    call->function);
    strbuf_add(out, "    return assay_call_prepare(&assay_call, problem, state, message);\n}\n");
    return is_in_library ? "assay_call_function" : call->function;
}

static void write_launch(const struct call *call, const char *callee, struct strbuf *out) {
    size_t tensor = 0, number = 0;
    strbuf_addf(
        out,
        "static int " SHIM_LAUNCH "(ASSAY_LAUNCH_ARGS) {\n"
        "    const struct assay_call_state *call = (const struct assay_call_state *)state;\n    %s%s(",
        call->has_status ? "const int status = " : "", callee);
    for (size_t i = 0; i < call->argument_count; ++i) {
        const struct call_argument *argument = &call->arguments[i];
        strbuf_add(out, i ? ",\n        " : "\n        ");
        if (argument->kind == CALL_TENSOR)
            strbuf_addf(out, "assay_call_data(tensors, call, %zu)", tensor++);
        else if (is_number(argument))
            strbuf_addf(out, "(%s)call->numbers[%zu]", argument->type->c_type, number++);
        else
            strbuf_add(out, argument->kind == CALL_STREAM ? "stream" : "(int)assay_thread_count(stream)");
    }
    strbuf_addf(out, ");\n    return assay_call_end(\"%s\", %s, message);\n}\n", call->function,
                call->has_status ? "status" : "0");
}

static const struct manifest_knob *knob_find(const struct manifest_kernel *kernel, const char *name) {
    for (size_t i = 0; kernel->tune && i < kernel->tune->knob_count; ++i)
        if (str_equal(kernel->tune->knobs[i].name, name)) return &kernel->tune->knobs[i];
    return NULL;
}

// The settings, with the values of `tune` where there are any.
static void write_params(const struct manifest_kernel *kernel, const struct manifest_setting *settings,
                         size_t count, struct strbuf *out) {
    struct strbuf params = {0};
    for (size_t i = 0; i < count; ++i) {
        const struct manifest_knob *knob = knob_find(kernel, settings[i].name);
        strbuf_addf(&params, "    {\"%s\", NULL, %" PRId64, settings[i].name, settings[i].value);
        if (!knob) {
            strbuf_add(&params, ", NULL, 0, 0},\n");
            continue;
        }
        strbuf_addf(&params, ", assay_call_values_%zu, %zu, 0},\n", i, knob->value_count);
        strbuf_addf(out, "static const int64_t assay_call_values_%zu[] = {", i);
        for (size_t k = 0; k < knob->value_count; ++k)
            strbuf_addf(out, "%s%" PRId64, k ? ", " : "", knob->values[k]);
        strbuf_add(out, "};\n");
    }
    strbuf_addf(out, "static const struct assay_param assay_call_params[] = {\n%s};\n", strbuf_text(&params));
    strbuf_fini(&params);
}

const char *call_shim_text(const struct manifest_kernel *kernel, const struct manifest_setting *settings,
                           size_t setting_count, struct arena *arena) {
    const struct call *call = kernel->call;
    struct strbuf text = {0}, *out = &text;
    if (!kernel->source) strbuf_add(out, "#define ASSAY_CALL_LIBRARY \"" BUILD_MODULE_NAME "\"\n");
    strbuf_add(out, call_body);
    write_tables(call, out);
    write_launch(call, write_function(call, !kernel->source, out), out);
    if (setting_count) write_params(kernel, settings, setting_count, out);
    strbuf_addf(
        out,
        "ASSAY_KERNEL(.name = \"%s\", .op = \"%s\", .backend = \"%s\", .supports = assay_call_takes,\n"
        "             .launch = " SHIM_LAUNCH ", .prepare = assay_call_ready, .release = free",
        kernel->name, kernel->op, kernel->backend);
    if (setting_count)
        strbuf_addf(out,
                    ", .params = assay_call_params, .param_count = %zu,\n"
                    "             .param_bytes = sizeof(struct assay_param)",
                    setting_count);
    strbuf_addf(out, ",\n             .layouts = %s)\n",
                has_strides(call, NULL) ? "ASSAY_LAYOUT_STRIDED" : "ASSAY_LAYOUT_DENSE");
    const char *ret = arena_strdup(arena, strbuf_text(out));
    strbuf_fini(out);
    return ret;
}
