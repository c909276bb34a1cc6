// SPDX-License-Identifier: Apache-2.0
//
// The texts that `assay init --github` and `--gitlab` write, embedded in this program.
#ifndef CONTROL_FLOW_INIT_CI_TEMPLATES_H
#define CONTROL_FLOW_INIT_CI_TEMPLATES_H

extern const char ci_github_workflow[], ci_github_comment[], ci_github_action[]; // end with a zero
extern const char ci_gitlab[], ci_pull_request[];

#endif
