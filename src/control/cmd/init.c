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

struct request {
    struct starter starter;
    const char *output;
    bool is_github, is_gitlab, is_update;
};

// The manifest that would be written. It is read as it will be, so that a Python file tells its mistakes now.
static int read_starter(const struct starter *starter, struct manifest *ret, struct err *err) {
    const char *operator_file = starter->operator_file;
    struct strbuf text = {0};
    if (operator_file && (!str_ends(operator_file, ".py") || path_leads_out(operator_file)))
        return err_set(err, ERR_USAGE, "--operator names a Python file below this folder, not '%s'",
                       operator_file);
    starter_manifest_add(starter, false, &text);
    const struct manifest_text written = {strbuf_text(&text), text.length, MANIFEST_FILE_NAME};
    const int code = manifest_parse(&written, PYTHON_ASKER(NULL), ret, err);
    strbuf_fini(&text);
    return code;
}

// --output: the manifest alone, under another name or on standard output.
static int write_manifest(const struct request *request, struct strbuf *out, struct err *err) {
    const char *path = request->output;
    struct strbuf text = {0};
    if (file_exists(path))
        return err_set(err, ERR_CREATE, "'%s' exists and is left as it is; name another with --output", path);
    starter_manifest_add(&request->starter, false, &text);
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
static int write_new(const struct request *request, const char *host, const struct ci_files *files,
                     struct strbuf *out, struct err *err) {
    const bool has_manifest = file_exists(MANIFEST_FILE_NAME);
    int code = ci_files_write(files, err);
    const bool is_written = code == 0;
    for (size_t i = 0; code == 0 && i < files->count; ++i)
        strbuf_add_linef(out, "wrote %s", files->files[i].path);
    if (code == 0 && !has_manifest) code = starter_files_write(&request->starter, out, err);
    for (size_t i = 0; code < 0 && is_written && i < files->count; ++i) unlink(files->files[i].path);
    if (code < 0) return code;
    if (str_equal(host, "gitlab"))
        strbuf_add_linef(out, "add to .gitlab-ci.yml: include: {local: .gitlab/assay.yml}");
    strbuf_add_linef(out,
                     "next: the labels of your runner in these files, then commit and push (docs/ci.md)");
    return 0;
}

static int write_ci(const struct request *request, const char *host, struct strbuf *out, struct err *err) {
    struct manifest manifest = {0};
    struct ci_files files = {0};
    TRY(check_is_root(err));
    int code = file_exists(MANIFEST_FILE_NAME)
                   ? manifest_read(MANIFEST_FILE_NAME, PYTHON_ASKER(NULL), &manifest, err)
                   : read_starter(&request->starter, &manifest, err);
    if (code < 0) return code;
    ci_files_make(&manifest, host, &files);
    code = request->is_update ? ci_files_show(&files, out, err) : write_new(request, host, &files, out, err);
    ci_files_fini(&files);
    manifest_fini(&manifest);
    return code;
}

// The manifest and what goes with it.
static int write_starter(const struct request *request, struct strbuf *out, struct err *err) {
    struct manifest manifest = {0};
    if (!request->starter.is_triton) TRY(read_starter(&request->starter, &manifest, err));
    manifest_fini(&manifest);
    return request->output ? write_manifest(request, out, err)
                           : starter_files_write(&request->starter, out, err);
}

static int run_init(const struct command *command, int argc, char **argv) {
    struct cmd_options options = cmd_options_default();
    struct option_line line = {.argc = argc, .argv = argv};
    struct strbuf out = {0};
    struct err err = {0};
    struct request request = {0};
    const struct option own[] = {
        {"github", NULL, "workflow, action and template of pull requests for GitHub", OPTION_FLAG,
         &request.is_github},
        {"gitlab", NULL, "the same for GitLab", OPTION_FLAG, &request.is_gitlab},
        {"update", NULL, "of those files: what this version writes otherwise; nothing is written",
         OPTION_FLAG, &request.is_update},
        {"operator", "FILE.py", "the manifest is for the operator that this Python file declares",
         OPTION_TEXT, &request.starter.operator_file},
        {"triton", NULL, "an operator in Python, and a Triton kernel of it, to start from", OPTION_FLAG,
         &request.starter.is_triton},
        {0},
    };
    int code = cmd_parse(command, own, &options, &line, &err);
    const bool is_ci = request.is_github || request.is_gitlab;
    if (code == CMD_HELP_PRINTED) return 0;
    request.output = options.output;
    if (code == 0 && is_ci && options.output)
        code = err_set(&err, ERR_USAGE,
                       "--output names a manifest; --github and --gitlab have names of their own");
    if (code == 0 && request.is_update && !is_ci)
        code = err_set(&err, ERR_USAGE, "--update is of the files of --github or --gitlab: name one of them");
    if (code == 0 && request.starter.is_triton && (is_ci || options.output || request.starter.operator_file))
        code = err_set(&err, ERR_USAGE,
                       "--triton writes an operator, a kernel and the manifest of both: leave out %s",
                       request.starter.operator_file ? "--operator"
                       : is_ci ? "--github and --gitlab, which follow when the files are there"
                               : "--output");
    if (code == 0 && request.is_github) code = write_ci(&request, "github", &out, &err);
    if (code == 0 && request.is_gitlab) code = write_ci(&request, "gitlab", &out, &err);
    if (code == 0 && !is_ci) code = write_starter(&request, &out, &err);
    if (options.is_quiet) strbuf_fini(&out);
    return cmd_end(&options, code, &out, &err);
}

const struct command command_init = {
    .name = "init",
    .summary = "write a manifest and a kernel to start from, or the workflow of pull requests",
    .usage = "assay init [--triton | --operator FILE.py] [--output F]\n"
             "       assay init --github|--gitlab [--operator FILE.py] [--update]",
    .details =
        "Writes a commented assay.yaml, its schema for editors, kernels/mine.c (a kernel that is right, "
        "unless\n"
        "there is one) and a line of .gitignore; --output writes the manifest alone. Then 'assay fuzz' and\n"
        "'assay gate' work.\n"
        "--operator: the manifest is for the operator of a Python file; its reference is the first kernel.\n"
        "--triton: an RMSNorm instead: ops/rmsnorm.py declares it, rmsnorm_triton.py has the kernel.\n"
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
