// SPDX-License-Identifier: Apache-2.0
//
// What a host is started with: its program, its environment, a folder that it may write to, and its order.
#ifndef WORKER_HOST_HOST_LAUNCH_H
#define WORKER_HOST_HOST_LAUNCH_H

#include "record/work_order.h"
#include "worker/host/host_process.h"

struct host_launch {
    struct host_process *process;
    int fd;               // the judge's end of the channel
    char *scratch_dir;    // of this host alone; NULL: none. host_launch_forget removes it
    const char *keep_dir; // where its compilers' cache is kept when it has ended; NULL: nowhere
};

// Starts the process of a side: our own program, or the side's interpreter. cpus: where it may run, NULL: as
// the judge.
int host_launch(const struct work_order *order, uint32_t side, const cpu_set_t *cpus, struct host_launch *ret,
                struct err *err);
// After the process has ended: its folder goes. Accepts a zeroed one.
void host_launch_forget(struct host_launch *launch);

// A memory file with the order for a host: one side, and nothing that the inputs or the drawn places could be
// computed from. Returns its descriptor, or a negative error.
int host_launch_order(const struct work_order *order, uint32_t side, const char *scratch_dir,
                      struct err *err);

#endif
