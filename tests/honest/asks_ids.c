// SPDX-License-Identifier: Apache-2.0
//
// Style: every launch asks which process and which thread it is, and names its thread for a while.
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "honest.h"

static int launch(struct honest *h) {
    char before[16] = "";
    if (getpid() < 1 || syscall(SYS_gettid) < 1 || getppid() < 0) return honest_failed(h, "no process");
    (void)pthread_getname_np(pthread_self(), before, sizeof before);
    (void)pthread_setname_np(pthread_self(), "honest");
    honest_all(h);
    (void)pthread_setname_np(pthread_self(), before);
    return ASSAY_OK;
}

HONEST_KERNEL(launch)
