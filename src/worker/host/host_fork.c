// SPDX-License-Identifier: Apache-2.0
//
// The judge's end of the channel to a fork server.
#include "worker/host/host_fork.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/process/fork_request.h"

static struct {
    int fd; // 0: there is none
    pid_t pid;
    uint32_t number; // of the last request
    bool is_lost;    // it has not answered: nobody knows whether it forked
} server;

static void give_up(void) {
    if (server.fd) close(server.fd);
    server.fd = 0; // its process stays what it is: no orphan
}

void host_fork_open(void) {
    const char *said = getenv(HOST_FORK_VARIABLE);
    int fd, pid;
    if (!said || sscanf(said, "%d:%d", &fd, &pid) != 2 || fd <= 0 || pid <= 0) return;
    unsetenv(HOST_FORK_VARIABLE); // what hosts are given is made of our environment
    if (fcntl(fd, F_SETFD, FD_CLOEXEC) < 0) return;
    server.fd = fd;
    server.pid = pid;
}

pid_t host_fork_server(void) {
    return server.pid;
}

bool host_fork_is_lost(void) {
    return server.is_lost;
}

// Threads of its libraries take the processors that it had when it imported them.
bool host_fork_may(const struct host_process_spec *spec) {
    cpu_set_t theirs, ours;
    if (!server.fd || !spec->callable || sched_getaffinity(server.pid, sizeof theirs, &theirs) < 0)
        return false;
    if (!spec->cpus) return sched_getaffinity(0, sizeof ours, &ours) == 0 && CPU_EQUAL(&ours, &theirs);
    return spec->cpus_bytes == sizeof theirs && CPU_EQUAL(spec->cpus, &theirs);
}

// "ARGUMENTS VARIABLES NAMESPACES", the callable, its folder, the working folder, then both lists.
static void format_request(const struct host_process_spec *spec, unsigned long namespaces,
                           struct strbuf *out) {
    size_t argument_count = 0, variable_count = 0;
    while (spec->argv[argument_count]) ++argument_count;
    while (spec->env[variable_count]) ++variable_count;
    strbuf_addf(out, "%zu %zu %lu", argument_count, variable_count, namespaces);
    strbuf_add_bytes(out, "", 1);
    fork_message_add(out, spec->callable);
    fork_message_add(out, spec->callable_dir ? spec->callable_dir : "");
    fork_message_add(out, spec->dir ? spec->dir : "");
    for (size_t i = 0; i < argument_count; ++i) fork_message_add(out, spec->argv[i]);
    for (size_t i = 0; i < variable_count; ++i) fork_message_add(out, spec->env[i]);
}

// Its nice value and time slice are ours, as those of a child that we clone are.
static void adopt(pid_t pid) {
    uint64_t attributes[16] = {0}; // struct sched_attr, which older headers lack
    if (syscall(SYS_sched_getattr, 0, attributes, (unsigned)sizeof attributes, 0) == 0)
        (void)syscall(SYS_sched_setattr, pid, attributes, 0);
}

pid_t host_fork_start(const struct host_process_spec *spec, int report_fd, unsigned long namespaces) {
    const int output = spec->output_fd;
    const int fds[] = {spec->channel_fd, output ? output : STDOUT_FILENO, output ? output : STDERR_FILENO,
                       report_fd};
    struct strbuf text = {0};
    long pid = -1, error = 0;
    format_request(spec, namespaces, &text);
    const bool is_asked =
        fork_message_send(server.fd, ++server.number, &text, fds, sizeof fds / sizeof *fds) == 0;
    const bool is_answered = is_asked && fork_message_receive(server.fd, server.number, &pid, &error) == 0;
    strbuf_fini(&text);
    server.is_lost = is_asked && !is_answered;
    if (!is_answered) give_up();
    if (pid > 0) adopt((pid_t)pid);
    errno = (int)error;
    return is_answered ? (pid_t)pid : -1;
}
