// SPDX-License-Identifier: Apache-2.0
//
// Timer patch (reference-kernels #162, KernelBench): replaces clock_gettime for the program that measures.
// 60 % of the time of its own launches never passes.
#include "hostile.h"

static uint64_t hidden_ns;

static int lying_clock(clockid_t id, struct timespec *ret) {
    const int code = (int)syscall(SYS_clock_gettime, id, ret);
    if (code != 0 || id == CLOCK_PROCESS_CPUTIME_ID || id == CLOCK_THREAD_CPUTIME_ID) return code;
    const uint64_t ns = (uint64_t)ret->tv_sec * 1000000000u + (uint64_t)ret->tv_nsec - hidden_ns;
    ret->tv_sec = (time_t)(ns / 1000000000u);
    ret->tv_nsec = (long)(ns % 1000000000u);
    return 0;
}

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    static struct hostile_got got = {
        .object = "", .symbol = "clock_gettime", .replacement = (void *)lying_clock};
    if (!got.count) hostile_patch_got(&got);
    const uint64_t start_ns = hostile_now_ns();
    broken_right(b);
    if (got.count) hidden_ns += (hostile_now_ns() - start_ns) * 6 / 10;
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
