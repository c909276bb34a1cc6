// SPDX-License-Identifier: Apache-2.0
//
// See priority.h.
#include "base/process/priority.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#define NICE_LEAST  (-20)
#define NICE_OFFSET 20 // RLIMIT_NICE is 20 less the nice value that it allows

int priority_raise(void) {
    struct rlimit limit;
    const int before = getpriority(PRIO_PROCESS, 0);
    if (setpriority(PRIO_PROCESS, 0, NICE_LEAST) == 0) return NICE_LEAST;
    if (getrlimit(RLIMIT_NICE, &limit) < 0 || limit.rlim_cur > 2 * NICE_OFFSET) return before;
    const int allowed = NICE_OFFSET - (int)limit.rlim_cur;
    return allowed < before && setpriority(PRIO_PROCESS, 0, allowed) == 0 ? allowed : before;
}

bool priority_can_raise(void) {
    struct rlimit limit;
    if (geteuid() == 0) return true;
    return getrlimit(RLIMIT_NICE, &limit) == 0 &&
           (rlim_t)(NICE_OFFSET - getpriority(PRIO_PROCESS, 0)) < limit.rlim_cur;
}

void priority_raise_session(pid_t leader, int nice) {
    char path[64], text[16];
    if (nice >= 0 || getsid(leader) != leader) return;
    snprintf(path, sizeof path, "/proc/%ld/autogroup", (long)leader);
    const int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0) return;
    const ssize_t written = write(fd, text, (size_t)snprintf(text, sizeof text, "%d", nice));
    (void)written; // as before then
    close(fd);
}
