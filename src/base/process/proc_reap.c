// SPDX-License-Identifier: Apache-2.0
//
// Ends a child with everything it started. Its group is killed while the dead leader still holds the
// group's number. The group's memory is counted as one sum. Descendants that left the group come to us as
// orphans (PR_SET_CHILD_SUBREAPER) and are recognised by a mark in their environment.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/process/proc_internal.h"

void proc_group_kill(const struct proc_child *child) {
    if (kill(-child->pid, SIGKILL) < 0) kill(child->pid, SIGKILL); // before setpgid there is no group yet
}

bool proc_child_has_ended(const struct proc_child *child, struct proc_status *ret_status) {
    siginfo_t info = {0};
    int waited;
    do {
        waited = waitid(P_PID, (id_t)child->pid, &info, WEXITED | WNOHANG | WNOWAIT);
    } while (waited < 0 && errno == EINTR);
    if (waited == 0 && info.si_pid == 0) return false;
    if (waited < 0) { // already reaped elsewhere (SIGCHLD ignored): status unknown
        *ret_status = (struct proc_status){.end = PROC_SIGNALED, .signal = SIGKILL};
    } else if (info.si_code == CLD_EXITED) {
        *ret_status = (struct proc_status){.end = PROC_EXITED, .exit_code = info.si_status};
    } else {
        *ret_status = (struct proc_status){.end = PROC_SIGNALED, .signal = info.si_status};
    }
    return true;
}

static uint64_t resident_bytes(long pid) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/statm", pid);
    FILE *file = fopen(path, "re");
    if (!file) return 0; // the process has just ended
    unsigned long long pages = 0;
    if (fscanf(file, "%*u %llu", &pages) != 1) pages = 0;
    fclose(file);
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

// getpgid is one short call per process; a file in /proc is opened only for members of the group.
uint64_t proc_group_memory_bytes(const struct proc_child *child) {
    DIR *processes = opendir("/proc");
    if (!processes) return resident_bytes(child->pid);
    uint64_t sum_bytes = 0;
    const struct dirent *entry;
    while ((entry = readdir(processes))) {
        char *end;
        const long pid = strtol(entry->d_name, &end, 10);
        if (*end || pid <= 0 || getpgid((pid_t)pid) != child->pid) continue;
        sum_bytes += resident_bytes(pid);
    }
    closedir(processes);
    return sum_bytes;
}

// Reaps one process or one group (as waitpid names them) that has been killed.
static void reap(pid_t which) {
    const uint64_t start_ns = clock_ns();
    uint64_t pause_ns = 100000;
    while (clock_ns() - start_ns < PROC_REAP_LIMIT_NS) {
        pid_t reaped = waitpid(which, NULL, WNOHANG);
        if (reaped < 0 && errno != EINTR) return; // ECHILD: nothing is left
        if (reaped > 0 && which > 0) return;
        if (reaped != 0) continue;
        const struct timespec pause = {.tv_nsec = (long)pause_ns};
        nanosleep(&pause, NULL);
        if (pause_ns < 10000000) pause_ns *= 2;
    }
}

// Whether the process's environment at its start held the mark.
static bool is_marked(pid_t pid, const char *mark) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/environ", (long)pid);
    char *environment = NULL;
    size_t length = 0;
    if (file_read(path, (size_t)8 << 20, &environment, &length, NULL) < 0) return false;
    size_t mark_bytes = strlen(mark) + 1; // including the terminating zero
    bool found = memmem(environment, length, mark, mark_bytes) != NULL;
    free(environment);
    return found;
}

static pid_t parent_of(pid_t pid) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
    char *text = NULL;
    if (file_read(path, 4096, &text, NULL, NULL) < 0) return -1;
    const char *after_name = strrchr(text, ')'); // the name may hold anything
    long parent = -1;
    if (!after_name || sscanf(after_name, ") %*c %ld", &parent) != 1) parent = -1;
    free(text);
    return (pid_t)parent;
}

// Kills and reaps orphans that carry the mark and are now our children. Returns how many.
static int reap_escaped(const char *mark) {
    siginfo_t info = {0};
    if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) < 0 && errno == ECHILD)
        return 0; // the usual case
    DIR *processes = opendir("/proc");
    if (!processes) return 0;
    int count = 0;
    const struct dirent *entry;
    while ((entry = readdir(processes))) {
        char *end;
        long pid = strtol(entry->d_name, &end, 10);
        if (*end || pid <= 0 || parent_of((pid_t)pid) != getpid() || !is_marked((pid_t)pid, mark)) continue;
        kill((pid_t)pid, SIGKILL);
        reap((pid_t)pid);
        ++count;
    }
    closedir(processes);
    return count;
}

void proc_reap_all(const struct proc_child *child) {
    proc_group_kill(child);
    reap(child->pid);
    reap(-child->pid);
    if (child->helper_pid > 0) { // it dies with the child, and comes to us
        kill(child->helper_pid, SIGKILL);
        reap(child->helper_pid);
    }
    // Killing an escaped process may hand its children to us, so repeat until none is left.
    for (int pass = 0; pass < 100 && reap_escaped(child->mark) > 0; ++pass) continue;
}
