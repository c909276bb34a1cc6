// SPDX-License-Identifier: Apache-2.0
//
// See own_process.h.
#include "base/process/own_process.h"

#include <sys/prctl.h>
#include <sys/resource.h>

#define STACK_BYTES_USUAL ((rlim_t)8 << 20) // what a system gives that limits nothing

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define HAS_SANITIZER 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HAS_SANITIZER 1
#endif

int own_process_need_stack(struct err *err) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_STACK, &limit) < 0 || limit.rlim_cur >= OWN_STACK_BYTES_MIN) return 0;
    const rlim_t before = limit.rlim_cur;
    limit.rlim_cur = limit.rlim_max < STACK_BYTES_USUAL ? limit.rlim_max : STACK_BYTES_USUAL;
    if (limit.rlim_cur >= OWN_STACK_BYTES_MIN && setrlimit(RLIMIT_STACK, &limit) == 0) return 0;
    return err_set(
        err, ERR_UNAVAILABLE,
        "the stack is limited to %llu KiB; assay, its build tools and the kernels that it runs need %llu KiB "
        "at least: raise the limit, for example with 'ulimit -s 8192'",
        (unsigned long long)before >> 10, OWN_STACK_BYTES_MIN >> 10);
}

void own_process_hide(void) {
#ifndef HAS_SANITIZER // the leak sanitizer traces its own process, which it could not do any more
    prctl(PR_SET_DUMPABLE, 0);
#endif
}
