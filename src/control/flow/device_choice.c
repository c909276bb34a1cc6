// SPDX-License-Identifier: Apache-2.0
//
// See device_choice.h.
#include "control/flow/device_choice.h"

#include <stdlib.h>
#include <string.h>

#include "base/comma.h"
#include "base/strbuf.h"
#include "control/flow/worker_query.h"
#include "control/plan/peer.h"

#define PROCESSOR "cpu"
#define GPU       "cuda"
#define FIRST_GPU "cuda:0"

// From sm_90 on, some instructions exist only in code for one architecture ("sm_90a").
#define ARCH_SPECIFIC_FROM 90

struct choice {
    const struct device_wish *wish;
    const char *gpu_only, *cpu_only; // the first name of that kind; NULL: none
};

// Unknown names, scripts and revisions do not decide the device; the session looks them up later.
static void add_name(struct choice *choice, const char *name) {
    const struct manifest *manifest = choice->wish->manifest;
    const struct manifest_kernel *kernel = NULL;
    for (size_t i = 0; i < manifest->kernel_count && !kernel; ++i)
        if (str_equal(manifest->kernels[i].name, name)) kernel = &manifest->kernels[i];
    if (shipped_is_name(name)) (void)shipped_get_kernel(choice->wish->shipped, name, &kernel, NULL);
    const struct op_peer *peer = kernel ? NULL : peer_find(NULL, name);
    bool is_gpu = kernel && str_equal(kernel->backend, GPU),
         is_cpu = kernel && str_equal(kernel->backend, PROCESSOR);
    if (peer) {
        is_gpu = !peer_runs_on(peer, PROCESSOR);
        is_cpu = !peer_runs_on(peer, GPU);
    }
    if (is_gpu && !choice->gpu_only) choice->gpu_only = name;
    if (is_cpu && !choice->cpu_only) choice->cpu_only = name;
}

static void add_list(struct choice *choice, const char *list, struct arena *arena) {
    struct comma_item item;
    for (const char *at = list; comma_next(&at, &item);)
        add_name(choice, arena_strndup(arena, item.text, item.length));
}

int device_choose(const struct device_wish *wish, struct arena *arena, const char **ret_device,
                  struct err *err) {
    const struct session_options *options = wish->options;
    const struct manifest *manifest = wish->manifest;
    struct choice choice = {.wish = wish};
    if (!options->module) add_list(&choice, options->kernel, arena);
    if (!options->module && !options->kernel && !options->candidate) {
        // Without a name: the gate's candidate, or all kernels; a run uses those that fit the device.
        if (options->unnamed == SESSION_UNNAMED_CANDIDATE && manifest->gate.candidate)
            add_name(&choice, manifest->gate.candidate);
        else if (options->unnamed != SESSION_UNNAMED_NONE)
            for (size_t i = 0; i < manifest->kernel_count; ++i) add_name(&choice, manifest->kernels[i].name);
        if (choice.cpu_only) choice.gpu_only = NULL;
    }
    add_list(&choice, options->candidate, arena);
    add_list(&choice, options->others, arena);
    *ret_device = choice.gpu_only ? FIRST_GPU : PROCESSOR;
    if (choice.gpu_only && choice.cpu_only)
        return err_set(err, ERR_USAGE,
                       "'%s' is for " GPU ", '%s' for " PROCESSOR
                       ": no device runs both; name kernels of one, or say "
                       "which with --device",
                       choice.gpu_only, choice.cpu_only);
    return 0;
}

struct target_reply {
    struct arena *arena;
    const char *target;
};

static int on_device(void *arg, const struct device_description *device, struct err *err) {
    (void)err;
    struct target_reply *reply = arg;
    if (!device->isa || !str_starts(device->isa, "sm_")) return 0;
    char *end;
    const long number = strtol(device->isa + strlen("sm_"), &end, 10);
    const bool is_specific = !*end && number >= ARCH_SPECIFIC_FROM;
    reply->target = arena_format(reply->arena, "%s%s", device->isa, is_specific ? "a" : "");
    return 0;
}

int device_target(const char *device, struct arena *arena, const char **ret, struct err *err) {
    struct target_reply reply = {.arena = arena};
    TRY(query_devices(device, on_device, &reply, err));
    *ret = reply.target;
    return 0;
}
