// SPDX-License-Identifier: Apache-2.0
//
// Style: every launch asks for variables of the environment, a terminal, the number of processors, the
// system's name and its limits.
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "honest.h"

static int launch(struct honest *h) {
    const char *threads = getenv("OMP_NUM_THREADS"), *debug = getenv("HONEST_DEBUG");
    struct utsname name;
    struct rlimit stack;
    struct rusage usage;
    const long processors = sysconf(_SC_NPROCESSORS_ONLN), page = sysconf(_SC_PAGESIZE);
    (void)isatty(1);
    (void)uname(&name);
    (void)getrlimit(RLIMIT_STACK, &stack);
    (void)getrusage(RUSAGE_SELF, &usage);
    const int64_t step = threads || debug || processors > 1 ? 2 : page > 0 ? 1 : 3;
    for (int64_t first = 0; first < step; ++first) honest_rows_by(h, first, step);
    return ASSAY_OK;
}

HONEST_KERNEL(launch)
