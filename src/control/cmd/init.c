// SPDX-License-Identifier: Apache-2.0
//
// `assay init`: writes a commented manifest and a kernel to start from, or what gates pull requests; never
// overwrites a file.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "control/cmd/command.h"
#include "control/compile/revision.h"
#include "control/exec/python_declare.h"
#include "control/flow/init/ci_files.h"
#include "control/flow/init/starter_files.h"

#define GIT_SAYS_NONE "not a git repository" // unlike "detected dubious ownership in repository at ..."

// --output: the manifest alone, under another name or on standard output.
static int write_manifest(const char *path, struct strbuf *out, struct err *err) {
    struct strbuf text = {0};
    if (file_exists(path))
        return err_set(err, ERR_CREATE, "'%s' exists and is left as it is; name another with --output", path);
    starter_manifest_add(&text);
    const int code = file_write_atomic(path, strbuf_text(&text), text.length, err);
    strbuf_fini(&text);
    if (code == 0 && !str_equal(path, "-"))
        strbuf_add_linef(out, "wrote %s: name your kernel in it, then try 'assay fuzz --kernel NAME'", path);
    return code;
}

// Code hosts read these files in the root alone.
static int check_is_root(struct err *err) {
    char *prefix = NULL;
    int code = revision_find_prefix(".", &prefix, err);
    if (code < 0 && strstr(err->text, GIT_SAYS_NONE))
        code = err_set(err, ERR_USAGE, "this is no git repository; run 'git init' first");
    else if (code == 0 && *prefix)
        code =
            err_set(err, ERR_USAGE,
                    "this is the folder %s of a repository; run it in the root, where the manifest lies, too",
                    str_shown(prefix).text);
    free(prefix);
    return code;
}

// All files, or none.
static int write_new(const struct ci_files *files, const char *host, bool has_manifest, struct strbuf *out,
                     struct err *err) {
    int code = ci_files_write(files, err);
    const bool is_written = code == 0;
    for (size_t i = 0; code == 0 && i < files->count; ++i)
        strbuf_add_linef(out, "wrote %s", files->files[i].path);
    if (code == 0 && !has_manifest) code = starter_files_write(out, err);
    for (size_t i = 0; code < 0 && is_written && i < files->count; ++i) unlink(files->files[i].path);
    if (code < 0) return code;
    if (str_equal(host, "gitlab"))
        strbuf_add_linef(out, "add to .gitlab-ci.yml: include: {local: .gitlab/assay.yml}");
    strbuf_add_linef(out,
                     "next: the labels of your runner in these files, then commit and push (docs/ci.md)");
    return 0;
}

// is_shown: the difference to what is there, and nothing is written.
static int write_ci(const char *host, bool is_shown, struct strbuf *out, struct err *err) {
    const bool has_manifest = file_exists(MANIFEST_FILE_NAME);
    struct manifest manifest = {0};
    struct ci_files files = {0};
    const char *text = manifest_starter();
    TRY(check_is_root(err));
    int code = has_manifest ? manifest_read(MANIFEST_FILE_NAME, python_declare, &manifest, err)
                            : manifest_parse(&(struct manifest_text){text, strlen(text), MANIFEST_FILE_NAME},
                                             NULL, &manifest, err);
    if (code < 0) return code;
    ci_files_make(&manifest, host, &files);
    code = is_shown ? ci_files_show(&files, out, err) : write_new(&files, host, has_manifest, out, err);
    ci_files_fini(&files);
    manifest_fini(&manifest);
    return code;
}

static int run_init(const struct command *command, int argc, char **argv) {
    struct cmd_options options = cmd_options_default();
    struct option_line line = {.argc = argc, .argv = argv};
    struct strbuf out = {0};
    struct err err = {0};
    bool is_github = false, is_gitlab = false, is_update = false;
    const struct option own[] = {
        {"github", NULL, "workflow, action and template of pull requests for GitHub", OPTION_FLAG,
         &is_github},
        {"gitlab", NULL, "the same for GitLab", OPTION_FLAG, &is_gitlab},
        {"update", NULL, "of those files: what this version writes otherwise; nothing is written",
         OPTION_FLAG, &is_update},
        {0},
    };
    int code = cmd_parse(command, own, &options, &line, &err);
    if (code == CMD_HELP_PRINTED) return 0;
    if (code == 0 && (is_github || is_gitlab) && options.output)
        code = err_set(&err, ERR_USAGE,
                       "--output names a manifest; --github and --gitlab have names of their own");
    if (code == 0 && is_update && !is_github && !is_gitlab)
        code = err_set(&err, ERR_USAGE, "--update is of the files of --github or --gitlab: name one of them");
    if (code == 0 && is_github) code = write_ci("github", is_update, &out, &err);
    if (code == 0 && is_gitlab) code = write_ci("gitlab", is_update, &out, &err);
    if (code == 0 && !is_github && !is_gitlab)
        code = options.output ? write_manifest(options.output, &out, &err) : starter_files_write(&out, &err);
    if (options.is_quiet) strbuf_fini(&out);
    return cmd_end(&options, code, &out, &err);
}

const struct command command_init = {
    .name = "init",
    .summary = "write a manifest and a kernel to start from, or the workflow of pull requests",
    .usage = "assay init [--output F]\n"
             "       assay init --github|--gitlab [--update]",
    .details =
        "Writes a commented assay.yaml, kernels/mine.c (a kernel that is right, unless there is one)\n"
        "and a line of .gitignore; --output writes the manifest alone. Then 'assay fuzz' and 'assay gate' "
        "work.\n"
        "--github and --gitlab write what gates pull requests, with the\n"
        "manifest's kernels, suites and sources filled in, and the same three where there is no manifest.\n"
        "An existing file is an error (73): it stays as it is, and nothing is written.\n"
        "\n"
        "example\n"
        "  assay init\n"
        "  assay init --github",
    .run = run_init,
    .option_groups = CMD_OPTIONS_OUTPUT,
};
