// SPDX-License-Identifier: Apache-2.0
//
// `assay init`: writes a commented starter manifest, and never over an existing one.
#include <string.h>

#include "base/file.h"
#include "control/cmd/commands.h"

static int write_starter(const char *path, struct err *err) {
    if (file_exists(path))
        return err_set(err, ERR_CREATE,
                       "'%s' exists and is left as it is; remove it, or name another with --output", path);
    const char *text = manifest_starter();
    return file_write_atomic(path, text, strlen(text), err);
}

static int run_init(const struct command *command, int argc, char **argv) {
    struct cmd_options options = cmd_options_default();
    struct option_table table = {.command = command->name};
    cmd_options_add(&table, &options, CMD_OPTIONS_OUTPUT);
    struct option_line line = {.argc = argc, .argv = argv};
    struct err err = {0};
    int code = cmd_parse(command, &table, &options, &line, &err);
    if (code == 1) return 0;
    const char *path = options.output ? options.output : MANIFEST_FILE_NAME;
    if (code == 0) code = write_starter(path, &err);
    if (code < 0) return cmd_fail(&options, &err);
    struct strbuf out = {0};
    strbuf_addf(&out, "wrote %s: name your kernel in it, then try 'assay fuzz --kernel NAME'\n", path);
    int exit_code = options.is_quiet || str_equal(path, "-") ? 0 : cmd_print(strbuf_text(&out));
    strbuf_fini(&out);
    return exit_code;
}

const struct command command_init = {
    .name = "init",
    .summary = "write a starter manifest for a repository",
    .usage = "assay init [--output F]",
    .details = "Writes a commented assay.yaml and refuses to overwrite one (73).\n\nexample\n  assay init",
    .run = run_init,
};
