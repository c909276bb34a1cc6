// SPDX-License-Identifier: Apache-2.0
//
// The program of a host is assay itself, or for Python an interpreter that runs the bridge. An interpreter's
// host has a folder of its own: compilers that kernels call write there, and nothing that one host leaves is
// found by another.
#include "worker/host/host_launch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/process/clean_environment.h"
#include "base/str.h"
#include "base/strbuf.h"
#include "worker/host/host_cache.h"

enum { ARGUMENTS_MAX = 8, ADDED_MAX = 12 };

int host_launch_order(const struct work_order *order, uint32_t side, const char *scratch_dir,
                      struct err *err) {
    struct work_order one = *order;
    one.side_count = 1;
    one.sides[0] = order->sides[side];
    one.sides[0].output_fd = 0;
    one.seed = 0;
    one.scratch_dir = scratch_dir;
    one.sides[0].cache_dir = NULL; // it has its copy
    one.cases = mem_alloc((order->case_count + 1) * sizeof *one.cases);
    for (size_t i = 0; i < order->case_count; ++i) {
        one.cases[i] = order->cases[i];
        one.cases[i].seed = 0;
        one.cases[i].side_mask = 1;
        one.cases[i].distribution = OP_DISTRIBUTION_DEFAULT;
    }
    struct strbuf text = {0};
    work_order_write(&one, &text);
    free(one.cases);
    const int fd = memfd_create("assay order", MFD_CLOEXEC);
    const bool is_written = fd >= 0 && write(fd, text.text, text.length) == (ssize_t)text.length;
    strbuf_fini(&text);
    if (is_written) return fd;
    const int code = err_set_errno(err, ERR_UNAVAILABLE, "cannot give a host its order");
    if (fd >= 0) close(fd);
    return code;
}

static int make_scratch(const char *parent, char **ret, struct err *err) {
    char *path = mem_format("%s/host-XXXXXX", parent);
    if (mkdtemp(path)) {
        *ret = path;
        return 0;
    }
    const int code = err_set_errno(err, ERR_CREATE, "no scratch folder '%s' for a kernel's process", path);
    free(path);
    return code;
}

// Threads of OpenMP that wait have to sleep soon: 5 ms after a launch they count as work that is still going
// on. They must not sleep at once, since waking them costs tens of microseconds, and the next launch of a
// batch follows soon. GNU: 20000 spins are 0.3 to 1 ms (default: 300000). LLVM, Intel: ms.
static const char *const openmp_settings[] = {"OMP_WAIT_POLICY=passive", "GOMP_SPINCOUNT=20000",
                                              "KMP_BLOCKTIME=1"};

// Those that the user has not set. Returns how many.
static size_t add_openmp_settings(const char **ret) {
    size_t count = 0;
    for (size_t i = 0; i < sizeof openmp_settings / sizeof *openmp_settings; ++i) {
        char name[32];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(openmp_settings[i], "="), openmp_settings[i]);
        if (!getenv(name)) ret[count++] = openmp_settings[i];
    }
    return count;
}

// A fixed seed for the hashes of strings makes processes alike; what compilers keep goes into the scratch
// folder. Returns the environment, for clean_environment_free.
static char **environment_of(const struct work_side *side, const char *scratch_dir) {
    static const char *const caches[] = {"TRITON_CACHE_DIR", "CUDA_CACHE_PATH", "TORCHINDUCTOR_CACHE_DIR",
                                         "XDG_CACHE_HOME"};
    char *made[ADDED_MAX] = {0};
    const char *add[ADDED_MAX] = {0};
    size_t count = add_openmp_settings(add);
    if (side->python) add[count++] = "PYTHONHASHSEED=0";
    if (side->python_tree)
        add[count++] = made[ADDED_MAX - 1] = mem_format("%s=%s", WORK_REVISION_TREES, side->python_tree);
    for (size_t i = 0; scratch_dir && i < sizeof caches / sizeof *caches; ++i) {
        made[i] = mem_format("%s=%s/" HOST_CACHE_NAME, caches[i], scratch_dir);
        add[count++] = made[i];
    }
    char **env = clean_environment_new(scratch_dir, add, false);
    for (size_t i = 0; i < ADDED_MAX; ++i) free(made[i]);
    return env;
}

static int start(const struct work_side *side, const char *program, const cpu_set_t *cpus,
                 struct host_launch *launch, int channel_fd, struct err *err) {
    char *self = path_self();
    const char *argv[ARGUMENTS_MAX] = {str_or(program, self), "host", NULL};
    const char *const python[ARGUMENTS_MAX] = {side->python_interpreter, "-u",   side->python_bridge,
                                               side->python_library,     "host", side->python_mode,
                                               side->python_device};
    if (side->python) memcpy(argv, python, sizeof argv);
    char **env = environment_of(side, launch->scratch_dir);
    const struct host_process_spec spec = {.argv = argv,
                                           .env = (const char *const *)env,
                                           .channel_fd = channel_fd,
                                           .output_fd = (int)side->output_fd,
                                           .cpus = cpus,
                                           .cpus_bytes = sizeof *cpus,
                                           .callable = side->python,
                                           .callable_dir = side->python_path};
    const int code = host_process_start(&spec, &launch->process, err);
    clean_environment_free(env);
    free(self);
    return code;
}

int host_launch(const struct work_order *order, uint32_t side, const cpu_set_t *cpus, struct host_launch *ret,
                struct err *err) {
    const struct work_side *started = &order->sides[side];
    int ends[2];
    *ret = (struct host_launch){.fd = -1};
    if (started->python &&
        (!started->python_interpreter || !started->python_bridge || !started->python_library))
        return err_set(err, ERR_DATA,
                       "the order for Python callable '%s' names no interpreter, bridge and library",
                       started->python);
    if (started->python && order->scratch_dir) TRY(make_scratch(order->scratch_dir, &ret->scratch_dir, err));
    // Asked what it supports it is prepared for problems, on tensors that hold no data, and no more.
    if (order->kind == WORK_SUPPORTS)
        ret->keep_dir = started->cache_dir;
    else if (started->cache_dir && ret->scratch_dir)
        host_cache_thaw(started->cache_dir, ret->scratch_dir);
    int code = 0;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
        code = err_set_errno(err, ERR_UNAVAILABLE, "no channel to a host");
    if (code == 0) {
        code = start(started, order->program, cpus, ret, ends[1], err);
        close(ends[1]);
        if (code < 0) close(ends[0]);
    }
    if (code < 0) {
        host_launch_forget(ret);
        return code;
    }
    ret->fd = ends[0];
    return 0;
}

void host_launch_forget(struct host_launch *launch) {
    if (!launch->scratch_dir) return;
    if (launch->keep_dir) host_cache_freeze(launch->scratch_dir, launch->keep_dir);
    (void)file_remove_tree(launch->scratch_dir, NULL); // what is left goes with the worker's folder
    free(launch->scratch_dir);
    launch->scratch_dir = NULL;
}
