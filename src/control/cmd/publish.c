// SPDX-License-Identifier: Apache-2.0
//
// `assay publish`: puts a stored gate where its pull request is. For a workflow that has a token and follows
// one that has none, because the code was a stranger's. Codes: 0 published; 69 the host did not take it.
#include <stdlib.h>

#include "code_host/publication.h"
#include "control/cmd/print_result.h"
#include "control/flow/run_folder.h"
#include "verdict/summary.h"

static int publish(const char *path, const struct publish_request *request, struct err *err) {
    struct result result = {0};
    struct published published = {0};
    int code = result_read_file(path, &result, err);
    if (code == 0 && !result.decision)
        code = err_set(err, ERR_DATA, "%s holds no decision: assay gate makes one", str_shown(path).text);
    if (code == 0 && summary_set_all(&result) < 0)
        code = err_set(err, ERR_INTERNAL, "no memory for the summaries");
    if (code == 0) code = code_host_publish(request, &result, &result.arena, &published, err);
    if (code == 0 && published.warning) code = err_set(err, ERR_UNAVAILABLE, "%s", published.warning);
    cmd_command_runner_free(&published.commands);
    result_fini(&result);
    return code;
}

static int check_number(const char *pull_request, struct err *err) {
    if (!pull_request || code_host_is_number(pull_request)) return 0;
    return err_set(err, ERR_USAGE, "--pull-request takes the number of a pull request, not '%s'",
                   str_shown(pull_request).text);
}

static int choose_host(bool is_github, bool is_gitlab, const struct code_host **ret, struct err *err) {
    if (is_github == is_gitlab)
        return err_set(err, ERR_USAGE, "publish where? One of --github and --gitlab says it");
    *ret = code_host_find(is_github ? "github" : "gitlab");
    return 0;
}

static int run_publish_command(const struct command *command, int argc, char **argv) {
    struct cmd_options options = cmd_options_default();
    struct option_line line = {.argc = argc, .argv = argv, .word_max = 1};
    struct publish_request request = {0};
    struct err err = {0};
    bool is_github = false, is_gitlab = false;
    char *path = NULL;
    const struct option own[] = {
        {"github", NULL, "to GitHub, with GITHUB_TOKEN", OPTION_FLAG, &is_github},
        {"gitlab", NULL, "to GitLab, with ASSAY_GITLAB_TOKEN", OPTION_FLAG, &is_gitlab},
        {"pull-request", "N", "its number (default: the job's)", OPTION_TEXT, &request.pull_request},
        {"manifest", "F", "beside which the runs lie (default: assay.yaml here or above)", OPTION_TEXT,
         &options.session.manifest},
        {"output-dir", "D", "folder of all runs (default runs, beside the manifest)", OPTION_TEXT,
         &options.session.output_dir},
        {0},
    };
    int code = cmd_parse(command, own, &options, &line, &err);
    if (code == CMD_HELP_PRINTED) return 0;
    if (code == 0) code = check_number(request.pull_request, &err);
    if (code == 0) code = choose_host(is_github, is_gitlab, &request.host, &err);
    if (code == 0)
        code = run_find_result(line.word_count ? line.words[0] : "last", options.session.output_dir, &path,
                               &err);
    if (code == 0) code = publish(path, &request, &err);
    free(path);
    return code < 0 ? cmd_fail(&options, &err) : 0;
}

const struct command command_publish = {
    .name = "publish",
    .summary = "put a stored gate where its pull request is",
    .usage = "assay publish [FILE|RUN|last] --github|--gitlab [--pull-request N]",
    .details =
        "Writes or updates the comment of the pull request, one for each suite, device and runner of the\n"
        "gate; on GitHub also annotations, outputs and the summary of the job. `assay gate --github` does\n"
        "the same at once.\n"
        "Codes: 0 published, 65 no gate's result, 69 the host did not take it.\n"
        "\n"
        "example\n"
        "  assay publish last --github --pull-request 12",
    .run = run_publish_command,
};
