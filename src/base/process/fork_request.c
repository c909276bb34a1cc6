// SPDX-License-Identifier: Apache-2.0
//
// See fork_request.h. A request is a memory file and descriptors beside it; its number comes back with the
// answer.
#include "base/process/fork_request.h"

#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

enum { ANSWER_BYTES = 64, ANSWER_LIMIT_MS = 60000 };

void fork_request_add(struct fork_request *request, int fd, int target) {
    if (request->fd_count == FORK_REQUEST_FDS_MAX) return; // the child then finds none there
    request->fds[request->fd_count] = fd;
    request->targets[request->fd_count++] = target;
}

void fork_message_add(struct strbuf *out, const char *item) {
    strbuf_add_bytes(out, item, strlen(item) + 1);
}

static size_t count_of(char *const *list) {
    size_t count = 0;
    while (list[count]) ++count;
    return count;
}

// "PARENT SESSION EXECUTED ARGUMENTS VARIABLES", program, folder, targets, then both lists.
static void format_request(const struct fork_request *request, struct strbuf *out) {
    const size_t argument_count = count_of(request->argv), variable_count = count_of(request->env);
    strbuf_addf(out, "%ld %d %d %zu %zu", (long)request->parent, request->leads_session, request->is_executed,
                argument_count, variable_count);
    strbuf_add_bytes(out, "", 1);
    fork_message_add(out, request->program);
    fork_message_add(out, request->dir ? request->dir : "");
    for (size_t i = 0; i < request->fd_count; ++i) strbuf_addf(out, "%d ", request->targets[i]);
    strbuf_add_bytes(out, "", 1);
    for (size_t i = 0; i < argument_count; ++i) fork_message_add(out, request->argv[i]);
    for (size_t i = 0; i < variable_count; ++i) fork_message_add(out, request->env[i]);
}

// The text in a memory file, and the descriptors behind it.
int fork_message_send(int server_fd, uint32_t number, const struct strbuf *text, const int *fds,
                      size_t count) {
    char word[ANSWER_BYTES];
    int sent[FORK_REQUEST_FDS_MAX + 1];
    union {
        char bytes[CMSG_SPACE(sizeof sent)];
        struct cmsghdr aligned;
    } control = {{0}};
    sent[0] = memfd_create("assay fork", MFD_CLOEXEC);
    if (sent[0] < 0) return -1;
    if (count) memcpy(sent + 1, fds, count * sizeof *fds);
    const size_t bytes = (count + 1) * sizeof *sent;
    const int length = snprintf(word, sizeof word, "%u", number);
    struct iovec part = {.iov_base = word, .iov_len = (size_t)length};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = CMSG_SPACE(bytes)};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(bytes);
    memcpy(CMSG_DATA(header), sent, bytes);
    const bool is_sent = write(sent[0], text->text, text->length) == (ssize_t)text->length &&
                         sendmsg(server_fd, &message, MSG_NOSIGNAL) == length;
    const int error = errno;
    close(sent[0]);
    errno = error;
    return is_sent ? 0 : -1;
}

// One answer within the limit: its length, or -1 with errno.
static ssize_t receive(int server_fd, char word[ANSWER_BYTES]) {
    struct pollfd polled = {.fd = server_fd, .events = POLLIN};
    int ready;
    do {
        ready = poll(&polled, 1, ANSWER_LIMIT_MS);
    } while (ready < 0 && errno == EINTR);
    if (ready == 0) errno = ETIMEDOUT;
    const ssize_t got = ready > 0 ? recv(server_fd, word, ANSWER_BYTES - 1, MSG_DONTWAIT) : -1;
    if (got == 0) errno = EPIPE;
    if (got > 0) word[got] = 0;
    return got > 0 ? got : -1;
}

int fork_message_receive(int server_fd, uint32_t number, long *ret_pid, long *ret_value) {
    char word[ANSWER_BYTES];
    unsigned answered;
    do { // an earlier request may have been given up
        if (receive(server_fd, word) < 0) return -1;
        errno = EPROTO;
        if (sscanf(word, "%u %ld %ld", &answered, ret_pid, ret_value) != 3) return -1;
    } while (answered != number);
    return 0;
}

pid_t fork_request_send(const struct fork_request *request, int server_fd, pid_t *ret_helper) {
    static uint32_t number;
    struct strbuf text = {0};
    long pid = -1, helper = 0;
    format_request(request, &text);
    int code = fork_message_send(server_fd, ++number, &text, request->fds, request->fd_count);
    if (code == 0) code = fork_message_receive(server_fd, number, &pid, &helper);
    strbuf_fini(&text);
    if (code == 0) errno = ECHILD; // it could not fork
    if (code < 0 || pid <= 0) return -1;
    *ret_helper = (pid_t)helper;
    return (pid_t)pid;
}
