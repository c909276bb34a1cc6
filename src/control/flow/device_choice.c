// SPDX-License-Identifier: Apache-2.0
//
// See device_choice.h: every name says where it can run; what they have in common decides.
#include "control/flow/device_choice.h"

#include <string.h>

#include "base/strbuf.h"
#include "control/plan/peer.h"

#define PROCESSOR "cpu"
#define GPU       "cuda"
#define FIRST_GPU "cuda:0"

struct choice {
    const struct manifest *manifest;
    const char *gpu_only, *cpu_only; // the first name of that kind; NULL: none
};

static const struct manifest_kernel *find_kernel(const struct manifest *manifest, const char *name) {
    for (size_t i = 0; i < manifest->kernel_count; ++i)
        if (str_equal(manifest->kernels[i].name, name)) return &manifest->kernels[i];
    return NULL;
}

// A name that nobody knows, a script and a revision say nothing of the device here; they are looked up where
// sides are made.
static void take_name(struct choice *choice, const char *name) {
    const struct manifest_kernel *kernel = find_kernel(choice->manifest, name);
    const struct peer *peer = kernel ? NULL : peer_find(name);
    bool is_gpu = kernel && str_equal(kernel->backend, GPU),
         is_cpu = kernel && str_equal(kernel->backend, PROCESSOR);
    if (peer) {
        is_gpu = !peer_runs_on(peer, PROCESSOR);
        is_cpu = !peer_runs_on(peer, GPU);
    }
    if (is_gpu && !choice->gpu_only) choice->gpu_only = name;
    if (is_cpu && !choice->cpu_only) choice->cpu_only = name;
}

static void take_list(struct choice *choice, const char *list, struct arena *arena) {
    for (const char *at = list; at && *at;) {
        const size_t length = strcspn(at, ",");
        take_name(choice, arena_strndup(arena, at, length));
        at += length + (at[length] == ',');
    }
}

// Without a name: the manifest's gate, or whatever it holds, of which a run takes those that fit the device.
static void take_unnamed(struct choice *choice, enum session_unnamed unnamed) {
    const struct manifest *manifest = choice->manifest;
    if (unnamed == SESSION_UNNAMED_CANDIDATE && manifest->gate.candidate)
        take_name(choice, manifest->gate.candidate);
    else if (unnamed != SESSION_UNNAMED_NONE)
        for (size_t i = 0; i < manifest->kernel_count; ++i) take_name(choice, manifest->kernels[i].name);
    if (choice->cpu_only) choice->gpu_only = NULL;
}

int device_choose(const struct session_options *options, const struct manifest *manifest, struct arena *arena,
                  const char **ret_device, struct err *err) {
    struct choice choice = {.manifest = manifest};
    if (!options->module) take_list(&choice, options->kernel, arena);
    if (!options->module && !options->kernel && !options->candidate) take_unnamed(&choice, options->unnamed);
    take_list(&choice, options->candidate, arena);
    take_list(&choice, options->others, arena);
    *ret_device = choice.gpu_only ? FIRST_GPU : PROCESSOR;
    if (choice.gpu_only && choice.cpu_only)
        return err_set(err, ERR_USAGE,
                       "'%s' is for " GPU ", '%s' for " PROCESSOR
                       ": no device runs both; name kernels of one, or say "
                       "which with --device",
                       choice.gpu_only, choice.cpu_only);
    return 0;
}
