// SPDX-License-Identifier: Apache-2.0
//
// A session: turns a manifest and options into sides that are built, described and ready to be measured.
// Every command makes its sides here.
#ifndef CONTROL_FLOW_SESSION_H
#define CONTROL_FLOW_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/progress.h"
#include "control/compile/revision.h"
#include "control/compile/variant.h"
#include "control/flow/session_options.h"
#include "control/plan/device_kind.h"
#include "control/plan/manifest/manifest.h"
#include "control/plan/manifest/shipped_kernel.h"
#include "control/plan/suite.h"
#include "record/result.h"

struct session_side {
    struct result_side spec;              // what plan and result say of it
    const struct manifest_kernel *kernel; // NULL: linked in, or a shipped simulated one
    const char *dir;                      // folder its paths are relative to
    const char *source_dir;               // of a source that is not in dir; NULL: it is
    const struct build_limits *limits;    // of a source that a stranger wrote; NULL: the user's own
    const char *config;                   // its own, over the manifest's; NULL: none
    struct revision revision;             // zeroed: the working tree
    const char *revision_spec;            // "git:HEAD"; NULL: the working tree
    struct manifest revision_manifest;
    bool has_manifest; // the revision has one; false too for the working tree
    bool is_built, has_unique_symbols;
};

struct session {
    struct arena arena;
    struct session_options options;
    struct manifest manifest;
    bool has_manifest;
    struct shipped_kernels *shipped; // those of "assay:NAME"; in the arena
    const struct device_kind *kind;  // of the device; NULL in a session that is not open
    // Script of a simulated device, of the manifest or shipped; NULL: a real device.
    const struct sim_device *sim;
    struct progress builds; // drawn while compilers run
    bool is_build_only;     // nothing is run, and --device is not given: the device may be missing
    // Default target of sources: the device's own, queried once; NULL: not known.
    const char *device_target;
    bool has_asked_target;
    size_t side_count;
    struct session_side sides[WORK_SIDES_MAX];
};

// Reads the manifest, which may be missing with --module, linked-in and shipped simulated kernels, and checks
// the device.
int session_open(struct session *session, const struct session_options *options, struct err *err);
void session_close(struct session *session); // removes work trees; accepts a zeroed session

// Adds a side. spec: a kernel of the manifest, "assay:NAME", else a linked-in one (on a simulated device: a
// shipped simulated one), "git:REV" (kernel names the kernel), or NULL for --module. Nothing is built yet.
// ERR_USAGE for unknown names.
int session_add_side(struct session *session, enum side_role role, const char *spec, const char *kernel,
                     struct err *err);
// Adds a kernel of the manifest as it would be with other settings, or with another script.
struct session_variant {
    const char *label;                 // in reports
    const char *config;                // over the manifest's; NULL: as it is
    const struct sim_kernel *script;   // of a simulated kernel, in place of the manifest's; NULL: a real one
    const char *source;                // a file in place of the manifest's source; NULL: that one
    const char *library;               // a built one in place of what builds it; NULL: none
    const char *folder;                // in place of the manifest's folder; NULL: that one
    const struct build_limits *limits; // of that file: a stranger wrote it; NULL: the user's own
};
int session_add_variant(struct session *session, enum side_role role, const char *kernel,
                        const struct session_variant *variant, struct err *err);
void session_remove_side(struct session *session,
                         size_t side); // of the working tree; those behind it move up
// Adds a side from a revision in two steps, so that the revision's manifest can be read before a kernel is
// chosen. The first checks the revision out and reads the manifest that the same command would have found
// there; there may be none. The second then takes the working tree's definition of the kernel.
int session_add_revision(struct session *session, enum side_role role, const char *spec, struct err *err);
int session_set_revision_kernel(struct session *session, size_t side, const char *kernel, struct err *err);
// Whether a side of that kernel of the working tree could be added: else the error that would be.
int session_check_kernel(struct session *session, const char *kernel, struct err *err);
// Builds what is not built yet, queries a worker for what each module declares, and checks --config against
// it. ERR_BUILD: *ret_side (may be NULL) is the side that did not build.
int session_build(struct session *session, size_t *ret_side, struct err *err);
// "rmsnorm:reference", to be imported from that folder: the function of a reference in Python.
struct declared_reference; // op/declared/declared.h
const char *session_reference_callable(struct session *session, const struct declared_reference *reference,
                                       const char **ret_folder);
// Builds the reference of a declared operator, unless it is built; session_build does it for its sides.
// ERR_CONFIG: it names none.
int session_build_reference(struct session *session, const char *op, struct err *err);
// True if both sides are the same machine code.
bool session_is_same_code(const struct session *session, size_t a, size_t b);

// The suite the options select: --problem, or --suite (fallback_suite without it), then --only.
int session_suite(struct session *session, const char *fallback_suite, struct suite *ret, struct err *err);
// ERR_USAGE: the kernel that is asked for is for another operator than every problem of the suite.
int session_check_operator(const struct session *session, const struct suite *suite, struct err *err);
// Its name, which lives as long as the session. NULL: it does not resolve.
const char *session_suite_name(struct session *session, const char *fallback_suite);

// The operator that is meant where none is named: of --problem or --suite, else of the first side, else of
// the manifest's candidate, or its first kernel, for this device, else the first of all.
const struct operator_def *session_operator(const struct session *session, const struct manifest *manifest);
// The suites that are measured and checked by default: the operator's, or the simulated device's.
const char *session_default_suite(const struct session *session);
const char *session_default_check(const struct session *session);
// The suite that a name means: "boundary" is that of the operator, unless the manifest has one.
const char *session_suite_meant(const struct session *session, const struct manifest *manifest,
                                const char *name);
// Adds problems to a boundary matrix that nobody can know before: they are drawn from a secret, or from
// --seed. Before the matrix follows a kernel. ERR_UNAVAILABLE: the system gives no random numbers.
int session_draw_checks(struct session *session, struct suite *suite, struct err *err);
// Lets a matrix follow the kernel of that side, built: its dtypes are those that the kernel supports, and of
// the problems that not every kernel takes it keeps those that this one does. Where a kernel does not answer,
// the others stay as they are: its check will tell.
void session_follow_kernel(const struct session *session, size_t side, struct suite *suite,
                           struct arena *arena);
// The suites of the gate: the manifest's, unless its gate is for kernels of another device or operator; else
// the default ones. The manifest is the session's or a revision's.
const char *session_gate_suite(const struct session *session, const struct manifest *manifest);
const char *session_gate_check(const struct session *session, const struct manifest *manifest,
                               const char *asked); // of the command; NULL: nothing

// ERR_USAGE where there is no default kernel: the question, and either why gate.candidate is not it, or the
// option that names one.
int session_fail_unnamed(const struct session *session, const char *question, const char *option,
                         struct err *err);
// Default kernel: --kernel, else the manifest's gate candidate, else its only kernel of this backend, else on
// a simulated device the plain shipped one; NULL when none.
const char *session_default_kernel(const struct session *session);
// The same without --kernel, by any manifest.
const char *session_manifest_kernel(const struct session *session, const struct manifest *manifest);
// A kernel of the manifest, or one that comes with assay ("assay:NAME"); NULL: neither.
const struct manifest_kernel *session_kernel_named(const struct session *session, const char *name);
// Is this manifest kernel for the session's device?
bool session_kernel_fits(const struct session *session, const struct manifest_kernel *kernel);

#endif
