// SPDX-License-Identifier: Apache-2.0
//
// See outside_kill.h. The killer counts in /proc/vmstat also where a memory cgroup has struck.
#include "base/process/outside_kill.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

#define VMSTAT_BYTES_MAX ((size_t)1 << 20)

bool outside_kill_is_likely(const struct proc_status *status) {
    return status->end == PROC_SIGNALED &&
           (status->signal == SIGKILL || status->signal == SIGTERM || status->signal == SIGXCPU);
}

uint64_t outside_kill_count_oom(void) {
    static const char key[] = "\noom_kill ";
    char *text = NULL;
    size_t length;
    uint64_t count = 0;
    if (file_read("/proc/vmstat", VMSTAT_BYTES_MAX, &text, &length, NULL) < 0) return 0;
    const char *at = strstr(text, key);
    if (at && sscanf(at + sizeof key - 1, "%" SCNu64, &count) != 1) count = 0;
    free(text);
    return count;
}

void outside_kill_add_oom(const struct proc_status *status, uint64_t before, struct strbuf *out) {
    if (status->end != PROC_SIGNALED || status->signal != SIGKILL) return;
    const uint64_t now = outside_kill_count_oom(), count = now > before ? now - before : 0;
    if (!count) return;
    strbuf_add(out, "; out of memory? the system's out-of-memory killer has struck ");
    if (count == 1)
        strbuf_add(out, "once meanwhile");
    else
        strbuf_addf(out, "%" PRIu64 " times meanwhile", count);
}
