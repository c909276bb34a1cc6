// SPDX-License-Identifier: Apache-2.0
//
// `assay init`: writes a commented starter manifest; never overwrites one.
#include <string.h>

#include "base/file.h"
#include "control/cmd/command.h"
#include "control/plan/manifest/manifest.h"

static int run_init(const struct command *command, int argc, char **argv) {
    struct cmd_options options = cmd_options_default();
    struct option_line line = {.argc = argc, .argv = argv};
    struct err err = {0};
    int code = cmd_parse(command, NULL, &options, &line, &err);
    if (code == CMD_HELP_PRINTED) return 0;
    const char *path = options.output ? options.output : MANIFEST_FILE_NAME;
    const char *text = manifest_starter();
    if (code == 0 && file_exists(path))
        code = err_set(&err, ERR_CREATE,
                       "'%s' exists and is left as it is; remove it, or name another with --output", path);
    if (code == 0) code = file_write_atomic(path, text, strlen(text), &err);
    if (code < 0) return cmd_fail(&options, &err);
    if (options.is_quiet || str_equal(path, "-")) return 0;
    struct strbuf out = {0};
    strbuf_add_linef(&out, "wrote %s: name your kernel in it, then try 'assay fuzz --kernel NAME'", path);
    return cmd_print_free(&out);
}

const struct command command_init = {
    .name = "init",
    .summary = "write a starter manifest for a repository",
    .usage = "assay init [--output F]",
    .details = "Writes a commented assay.yaml. An existing one is an error (73) and stays as it "
               "is.\n\nexample\n  assay init",
    .run = run_init,
    .option_groups = CMD_OPTIONS_OUTPUT,
};
