// SPDX-License-Identifier: Apache-2.0
//
// `assay build`: compiles variants and prints the compiler's report. Codes: 0 built, 1 the compiler failed.
#include <stdlib.h>
#include <string.h>

#include "base/json_writer.h"
#include "base/mem.h"
#include "control/cmd/command.h"
#include "control/flow/session.h"

static void add_row(struct term_table *table, const struct result_side *side) {
    const struct build_report *build = &side->build;
    char *size = build->code_bytes >= 0 ? mem_format("%lld", (long long)build->code_bytes) : NULL;
    char *stack = build->stack_bytes_max >= 0 ? mem_format("%lld", (long long)build->stack_bytes_max) : NULL;
    char *seconds = build->build_s >= 0 ? mem_format("%.2f s", build->build_s) : NULL;
    const char *module = side->sim           ? "a script"
                         : side->python      ? "Python source"
                         : side->module_path ? side->module_path
                                             : "linked in";
    const char *cells[] = {side->label,
                           side->config,
                           size,
                           stack,
                           build->is_cached ? "cached" : seconds,
                           build_report_version(build),
                           module};
    term_table_add(table, cells);
    free(size);
    free(stack);
    free(seconds);
}

// GPU code, below the table: it does not fit in a row.
static void print_device_code(const struct result_side *side, struct strbuf *out) {
    const struct build_report *build = &side->build;
    if (!build->targets && !build->entries && !build->matrix) return;
    strbuf_add_char(out, '\n');
    strbuf_add_linef(out, "%s%s%s:", side->label, build->targets ? " for " : "", str_or(build->targets, ""));
    strbuf_add_plain_lines(out, "  ", str_or(build->entries, ""));
    if (build->matrix) strbuf_add_linef(out, "  matrix instructions (PTX): %s", build->matrix);
}

static int print_text(struct session *session, const struct cmd_options *options) {
    struct strbuf out = {0};
    struct term_table *table = term_table_new(7, "llrrrll");
    const char *head[] = {"kernel", "config", "code bytes", "stack", "build", "code hash", "module"};
    term_table_add(table, head);
    term_table_rule(table);
    for (size_t i = 0; i < session->side_count; ++i) add_row(table, &session->sides[i].spec);
    term_table_print(table, cmd_wants_color(options), &out);
    term_table_free(table);
    for (size_t i = 0; i < session->side_count; ++i) print_device_code(&session->sides[i].spec, &out);
    const struct build_counts counts = variant_build_counts();
    if (counts.compiled_count || counts.ccache_count) {
        struct ccache_totals totals;
        strbuf_addf(&out, "\n%lld compiled, %lld from ccache", (long long)counts.compiled_count,
                    (long long)counts.ccache_count);
        if (!variant_ccache_totals(&session->arena, &totals))
            strbuf_add(&out, ", which is not installed");
        else if (totals.call_count)
            strbuf_addf(&out, " (since its statistics began: %lld of %lld, %.0f %%)",
                        (long long)totals.hit_count, (long long)totals.call_count,
                        100.0 * (double)totals.hit_count / (double)totals.call_count);
        strbuf_add_char(&out, '\n');
    }
    for (size_t i = 0; options->session.is_verbose && i < session->side_count; ++i) {
        const struct result_side *side = &session->sides[i].spec;
        if (!side->build.log_tail) continue;
        strbuf_add_char(&out, '\n');
        strbuf_add_linef(&out, "%s:", side->label);
        strbuf_add_plain_lines(&out, "", side->build.log_tail);
    }
    return cmd_print_free(&out);
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
    json_maybe_string(w, "source_hash", build->source_hash);
    if (build->code_bytes >= 0) json_write_i64(w, "code_bytes", build->code_bytes);
    if (build->stack_bytes_max >= 0) json_write_i64(w, "stack_bytes_max", build->stack_bytes_max);
    cmd_write_parts(w, "targets", build->targets, ",");
    if (build->registers >= 0) json_write_i64(w, "registers", build->registers);
    if (build->spill_bytes >= 0) json_write_i64(w, "spill_bytes", build->spill_bytes);
    if (build->shared_bytes >= 0) json_write_i64(w, "shared_bytes", build->shared_bytes);
    if (build->matrix_instructions >= 0) json_write_i64(w, "matrix_instructions", build->matrix_instructions);
    json_maybe_string(w, "matrix", build->matrix);
    cmd_write_parts(w, "entries", build->entries, "\n");
    if (build->binary_bytes >= 0) json_write_i64(w, "binary_bytes", build->binary_bytes);
    if (build->build_s >= 0) json_write_double(w, "build_s", build->build_s);
    json_write_bool(w, "is_cached", build->is_cached);
    json_write_bool(w, "is_from_ccache", build->is_from_ccache);
    json_object_end(w);
}

static int print_json(struct session *session) {
    const struct build_counts counts = variant_build_counts(); // of this call; the totals: since ccache began
    struct ccache_totals totals;
    struct strbuf out = {0};
    struct json_writer w = json_writer_make(&out, 2);
    json_object_begin(&w, NULL);
    json_array_begin(&w, "built");
    for (size_t i = 0; i < session->side_count; ++i) write_side(&w, &session->sides[i].spec);
    json_array_end(&w);
    json_object_begin(&w, "ccache");
    json_write_i64(&w, "compiled", counts.compiled_count);
    json_write_i64(&w, "from_ccache", counts.ccache_count);
    if (variant_ccache_totals(&session->arena, &totals)) {
        json_write_i64(&w, "total_hits", totals.hit_count);
        json_write_i64(&w, "total_calls", totals.call_count);
    }
    json_object_end(&w);
    json_object_end(&w);
    strbuf_add_char(&out, '\n');
    return cmd_print_free(&out);
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

static int run_build(const struct command *command, int argc, char **argv) {
    struct cmd_options options = cmd_options_default();
    struct option_line line = {.argc = argc, .argv = argv};
    struct err err = {0};
    struct session session = {0};
    int code = cmd_parse(command, NULL, &options, &line, &err);
    if (code == CMD_HELP_PRINTED) return 0;
    if (code == 0) code = session_open(&session, &options.session, &err);
    session.is_build_only = options.session.is_device_default; // if --device is given, the device must exist
    if (code == 0) code = add_sides(&session, &err);
    if (code == 0) code = session_build(&session, NULL, &err);
    int exit_code = code < 0          ? cmd_fail(&options, &err)
                    : options.is_json ? print_json(&session)
                                      : print_text(&session, &options);
    session_close(&session);
    return exit_code;
}

const struct command command_build = {
    .name = "build",
    .summary = "compile kernels and their configurations",
    .usage = "assay build [--kernel K] [--config \"A=1,B=2\"] [OPTIONS]",
    .details =
        "Compiles a kernel of the manifest (all of this device's without --kernel) into the cache and "
        "prints\n"
        "what the compiler reported. A configuration becomes preprocessor macros; if the kernel does not\n"
        "declare it, or its values exclude each other, the error lists what the kernel declares.\n"
        "Codes: 0 built, 1 the compiler failed.\n"
        "\n"
        "example\n"
        "  assay build --kernel tiled --config \"BLOCK_M=64,BLOCK_N=64\"",
    .run = run_build,
    .option_groups = CMD_OPTIONS_SESSION | CMD_OPTIONS_KERNEL,
};
