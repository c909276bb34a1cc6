// SPDX-License-Identifier: Apache-2.0
//
// `assay build`: compiles variants and says what the compiler said. Codes: 0 built, 1 the compiler refused.
#include "cmd/commands.h"

#include "base/json_writer.h"
#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>

static void add_row(struct term_table *table, const struct result_side *side) {
    const struct build_report *build = &side->build;
    char *size = build->code_bytes >= 0 ? mem_format("%lld", (long long)build->code_bytes) : NULL;
    char *stack = build->stack_bytes_max >= 0 ? mem_format("%lld", (long long)build->stack_bytes_max) : NULL;
    char *seconds = build->build_s >= 0 ? mem_format("%.2f s", build->build_s) : NULL;
    const char *module = side->sim ? "a script" : side->module_path ? side->module_path : "linked in";
    const char *cells[] = {side->label,      side->config, size, stack, build->is_cached ? "cached" : seconds,
                           build->code_hash, module};
    term_table_add(table, cells);
    free(size);
    free(stack);
    free(seconds);
}

static void count_write(struct json_writer *w, const char *key, int64_t value) {
    if (value >= 0) json_write_i64(w, key, value);
}

static void write_side(struct json_writer *w, const struct result_side *side) {
    const struct build_report *build = &side->build;
    json_object_begin(w, NULL);
    json_write_string(w, "kernel", side->label);
    json_maybe_string(w, "config", side->config);
    json_maybe_string(w, "module", side->module_path);
    json_maybe_string(w, "compiler", build->compiler);
    json_maybe_string(w, "flags", build->flags);
    json_maybe_string(w, "code_hash", build->code_hash);
    count_write(w, "code_bytes", build->code_bytes);
    count_write(w, "stack_bytes_max", build->stack_bytes_max);
    json_maybe_string(w, "targets", build->targets);
    count_write(w, "registers", build->registers);
    count_write(w, "spill_bytes", build->spill_bytes);
    count_write(w, "shared_bytes", build->shared_bytes);
    count_write(w, "matrix_instructions", build->matrix_instructions);
    json_maybe_string(w, "matrix", build->matrix);
    json_maybe_string(w, "entries", build->entries);
    if (build->build_s >= 0) json_write_double(w, "build_s", build->build_s);
    json_write_bool(w, "is_cached", build->is_cached);
    json_object_end(w);
}

// What is known of GPU code, below the table: it has no place in one row.
static void print_device_code(const struct result_side *side, struct strbuf *out) {
    const struct build_report *build = &side->build;
    if (!build->targets && !build->entries && !build->matrix) return;
    strbuf_addf(out, "\n%s", side->label);
    if (build->targets) strbuf_addf(out, " for %s", build->targets);
    strbuf_add(out, ":\n");
    for (const char *line = build->entries; line && *line;) {
        const size_t length = strcspn(line, "\n");
        strbuf_add(out, "  ");
        strbuf_add_bytes(out, line, length);
        strbuf_add_char(out, '\n');
        line += length + (line[length] != 0);
    }
    if (build->matrix) strbuf_addf(out, "  matrix instructions (PTX): %s\n", build->matrix);
}

// Nothing is run: a kernel for a GPU is built without naming one, also where there is none.
static void take_backend_of_kernel(struct session *session, const char *default_device) {
    const struct manifest_kernel *kernel;
    const char *name = session->options.kernel;
    if (session->options.device != default_device || session->options.module || !name) return;
    if (manifest_get_kernel(&session->manifest, name, &kernel, NULL) < 0) return;
    const struct device_kind *kind = device_kind_find(kernel->backend);
    if (kind->takes_scripts || kind == session->kind) return;
    session->kind = kind;
    session->options.device = kind->backend;
}

static int add_sides(struct session *session, struct err *err) {
    if (session->options.module) return session_add_side(session, SIDE_CANDIDATE, NULL, NULL, err);
    if (session->options.kernel)
        return session_add_side(session, SIDE_CANDIDATE, session->options.kernel, NULL, err);
    for (size_t i = 0; i < session->manifest.kernel_count; ++i)
        if (session_kernel_fits(session, &session->manifest.kernels[i]))
            TRY(session_add_side(session, SIDE_CANDIDATE, session->manifest.kernels[i].name, NULL, err));
    if (!session->side_count)
        return err_set(err, ERR_USAGE,
                       "no kernel to build: name one with --kernel, or add one to assay.yaml");
    return 0;
}

static int print_built(struct session *session, const struct cmd_options *options) {
    struct strbuf out = {0};
    struct json_writer w = json_writer_make(&out, 2);
    struct term_table *table = term_table_new(7, "llrrrll");
    const char *head[] = {"kernel", "config", "code bytes", "stack", "build", "code hash", "module"};
    term_table_add(table, head);
    term_table_rule(table);
    const char *ccache = variant_ccache_summary(&session->arena);
    if (options->is_json) {
        json_object_begin(&w, NULL);
        json_array_begin(&w, "built");
    }
    for (size_t i = 0; i < session->side_count; ++i) {
        if (options->is_json)
            write_side(&w, &session->sides[i].side);
        else
            add_row(table, &session->sides[i].side);
    }
    if (options->is_json) {
        json_array_end(&w);
        json_maybe_string(&w, "ccache", ccache);
        json_object_end(&w);
        strbuf_add_char(&out, '\n');
    } else {
        term_table_print(table, cmd_wants_color(options), &out);
        for (size_t i = 0; i < session->side_count; ++i) print_device_code(&session->sides[i].side, &out);
        if (ccache) strbuf_addf(&out, "\n%s\n", ccache);
        for (size_t i = 0; options->session.is_verbose && i < session->side_count; ++i)
            if (session->sides[i].side.build.log_tail)
                strbuf_addf(&out, "\n%s:\n%s\n", session->sides[i].side.label,
                            session->sides[i].side.build.log_tail);
    }
    int code = cmd_print(strbuf_text(&out));
    term_table_free(table);
    strbuf_fini(&out);
    return code;
}

static int run_build(const struct command *command, int argc, char **argv) {
    struct cmd_options options = cmd_options_default();
    const char *default_device = options.session.device;
    struct option_table table = {.command = command->name};
    cmd_options_add(&table, &options, CMD_OPTIONS_SESSION | CMD_OPTIONS_KERNEL);
    struct option_line line = {.argc = argc, .argv = argv};
    struct err err = {0};
    struct session session = {0};
    int exit_code = 0;
    int code = cmd_parse(command, &table, &options, &line, &err);
    if (code == 1) return 0;
    if (code == 0) code = session_open(&session, &options.session, &err);
    session.is_build_only = true;
    if (code == 0) take_backend_of_kernel(&session, default_device);
    if (code == 0) code = add_sides(&session, &err);
    if (code == 0) code = session_build(&session, NULL, &err);
    exit_code = code < 0 ? cmd_fail(&options, &err) : print_built(&session, &options);
    session_close(&session);
    return exit_code;
}

const struct command command_build = {
    .name = "build",
    .summary = "compile kernels and their configurations",
    .usage = "assay build [--kernel K] [--config \"A=1,B=2\"] [OPTIONS]",
    .details = "Compiles a kernel of the manifest (all of this device's without --kernel) into the cache and "
               "prints what\n"
               "the compiler said. A configuration becomes preprocessor macros; one that the kernel does not "
               "declare, or\n"
               "that does not go together, is refused with what it declares.\n"
               "Codes: 0 built, 1 the compiler refused.\n\n"
               "example\n  assay build --kernel tiled --config \"BLOCK_M=64,BLOCK_N=64\"",
    .run = run_build,
};
