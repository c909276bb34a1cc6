// SPDX-License-Identifier: Apache-2.0
//
// The files that make a repository's pull requests gated: `assay init --github` and `--gitlab`.
#ifndef CONTROL_FLOW_INIT_CI_FILES_H
#define CONTROL_FLOW_INIT_CI_FILES_H

#include "base/arena.h"
#include "control/plan/manifest/manifest.h"

#define CI_FILES_MAX 4

struct ci_file {
    const char *path; // below the repository's root
    const char *text;
};

struct ci_files {
    struct arena arena; // owns the texts
    size_t count;
    struct ci_file files[CI_FILES_MAX];
};

// The files for "github" or "gitlab", with the manifest's kernels, suites and sources filled in.
void ci_files_make(const struct manifest *manifest, const char *host, struct ci_files *ret);
// All or none: ERR_CREATE when one exists, and when one cannot be written.
int ci_files_write(const struct ci_files *files, struct err *err);
// What this version would write otherwise: each file that differs, as a unified diff by git. Writes nothing.
int ci_files_show(const struct ci_files *files, struct strbuf *out, struct err *err);
void ci_files_fini(struct ci_files *files);

#endif
