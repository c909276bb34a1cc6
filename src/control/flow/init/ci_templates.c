// SPDX-License-Identifier: Apache-2.0
#include "control/flow/init/ci_templates.h"

#include "base/embed.h"

EMBED("ci_github_workflow", ASSAY_CI_FOLDER "/github_workflow.yml");
EMBED("ci_github_comment", ASSAY_CI_FOLDER "/github_comment.yml");
EMBED("ci_github_action", ASSAY_CI_FOLDER "/github_action.yml");
EMBED("ci_gitlab", ASSAY_CI_FOLDER "/gitlab_ci.yml");
EMBED("ci_pull_request", ASSAY_CI_FOLDER "/pull_request.md");
