// SPDX-License-Identifier: Apache-2.0
//
// Looks at the parent's state in /proc. Where /proc does not tell, the parent is taken to work.
#include "base/process/parent_watch.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/clock.h"

#define LOOK_NS UINT64_C(1000000000)

static struct {
    pid_t parent;                         // 0: nothing is watched
    uint64_t looked_ns, stopped_since_ns; // 0: it works
    enum parent_state state;
} watch;

void parent_watch_begin(void) {
    watch.parent = getppid();
    watch.looked_ns = clock_ns();
    watch.stopped_since_ns = 0;
    watch.state = PARENT_WORKS;
}

// "PID (NAME) STATE ...", where the name may hold anything.
static bool is_stopped(pid_t pid) {
    char path[32], text[256];
    snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return false;
    const ssize_t length = read(fd, text, sizeof text - 1);
    close(fd);
    if (length <= 0) return false;
    text[length] = 0;
    const char *name_end = strrchr(text, ')');
    return name_end && strncmp(name_end, ") T", 3) == 0;
}

enum parent_state parent_watch_look(void) {
    const uint64_t now_ns = clock_ns();
    if (!watch.parent || now_ns - watch.looked_ns < LOOK_NS) return watch.state;
    watch.looked_ns = now_ns;
    if (getppid() != watch.parent) return watch.state = PARENT_GONE;
    if (!is_stopped(watch.parent))
        watch.stopped_since_ns = 0;
    else if (!watch.stopped_since_ns)
        watch.stopped_since_ns = now_ns;
    const bool is_long = watch.stopped_since_ns && now_ns - watch.stopped_since_ns >= PARENT_STOPPED_NS;
    return watch.state = is_long ? PARENT_STOPPED : PARENT_WORKS;
}
