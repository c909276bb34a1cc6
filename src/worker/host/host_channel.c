// SPDX-License-Identifier: Apache-2.0
//
// Packets and descriptors over a socket of kind SOCK_SEQPACKET.
#include "worker/host/host_channel.h"

#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"

#define NS_A_MS         UINT64_C(1000000)
#define SPIN_PROCESSORS 4

union control_room { // aligned as a control message has to be
    struct cmsghdr header;
    char bytes[CMSG_SPACE(HOST_FDS_MAX * sizeof(int))];
};

int host_channel_send(int fd, const void *packet, size_t bytes, const struct host_fds *fds) {
    struct iovec part = {.iov_base = (void *)(uintptr_t)packet, .iov_len = bytes};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    union control_room room;
    const size_t fd_bytes = fds ? fds->count * sizeof *fds->items : 0;
    if (fd_bytes) {
        memset(&room, 0, sizeof room);
        message.msg_control = room.bytes;
        message.msg_controllen = CMSG_SPACE(fd_bytes);
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(fd_bytes);
        memcpy(CMSG_DATA(header), fds->items, fd_bytes);
    }
    ssize_t sent;
    do sent = sendmsg(fd, &message, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    return sent == (ssize_t)bytes ? 0 : -1;
}

// Waits until there is something to receive. False with errno.
static bool wait_readable(int fd, uint64_t deadline_ns) {
    for (;;) {
        int wait_ms = -1;
        if (deadline_ns) {
            const uint64_t now_ns = clock_ns();
            if (now_ns >= deadline_ns) {
                errno = ETIMEDOUT;
                return false;
            }
            const uint64_t left_ms = (deadline_ns - now_ns) / NS_A_MS + 1;
            wait_ms = left_ms < 1000000 ? (int)left_ms : 1000000;
        }
        struct pollfd item = {.fd = fd, .events = POLLIN};
        const int ready = poll(&item, 1, wait_ms);
        if (ready > 0) return true;
        if (ready < 0 && errno != EINTR) return false;
    }
}

void host_channel_spin(int fd, uint64_t limit_ns) {
    static long processors;
    if (!processors) processors = sysconf(_SC_NPROCESSORS_ONLN);
    const uint64_t begin_ns = clock_ns();
    char byte;
    while (processors >= SPIN_PROCESSORS && clock_ns() - begin_ns < limit_ns)
        if (recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) >= 0 || (errno != EAGAIN && errno != EINTR)) return;
}

// Takes the descriptors of a message; closes those that do not fit.
static void take_descriptors(struct msghdr *message, struct host_fds *ret) {
    const size_t capacity = sizeof ret->items / sizeof *ret->items;
    for (struct cmsghdr *header = CMSG_FIRSTHDR(message); header; header = CMSG_NXTHDR(message, header)) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
        const size_t here = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t i = 0; i < here; ++i) {
            int fd;
            memcpy(&fd, CMSG_DATA(header) + i * sizeof fd, sizeof fd);
            if (ret->count < capacity)
                ret->items[ret->count++] = fd;
            else
                close(fd);
        }
    }
}

void host_fds_close(struct host_fds *fds) {
    while (fds->count) {
        const int fd = fds->items[--fds->count];
        if (fd >= 0) close(fd);
    }
}

// Bytes of a packet with the descriptors that came with it, whatever its size; 0: the other end is closed; -1
// with errno.
static ssize_t receive(int fd, void *packet, size_t room_bytes, struct host_fds *ret_fds,
                       uint64_t deadline_ns) {
    *ret_fds = (struct host_fds){0};
    if (deadline_ns && !wait_readable(fd, deadline_ns)) return -1;
    struct iovec part = {.iov_base = packet, .iov_len = room_bytes};
    union control_room room;
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = room.bytes, .msg_controllen = sizeof room.bytes};
    ssize_t got;
    do got = recvmsg(fd, &message, MSG_CMSG_CLOEXEC);
    while (got < 0 && errno == EINTR);
    if (got < 0) return errno == ECONNRESET ? 0 : -1;
    take_descriptors(&message, ret_fds);
    if (!(message.msg_flags & (MSG_TRUNC | MSG_CTRUNC))) return got;
    host_fds_close(ret_fds);
    errno = EBADMSG;
    return -1;
}

// What host_channel_receive returns where the packet has to have that size.
static int accept_packet(ssize_t got, size_t wanted_bytes, struct host_fds *fds) {
    if (got <= 0) return (int)got;
    if ((size_t)got == wanted_bytes) return 1;
    host_fds_close(fds);
    errno = EBADMSG;
    return -1;
}

int host_channel_receive(int fd, void *packet, size_t bytes, struct host_fds *ret_fds, uint64_t deadline_ns) {
    struct host_fds fds;
    const int got = accept_packet(receive(fd, packet, bytes, &fds, deadline_ns), bytes, &fds);
    if (ret_fds)
        *ret_fds = fds;
    else
        host_fds_close(&fds);
    return got;
}

static size_t request_bytes(const struct host_request *request) {
    return offsetof(struct host_request, windows) + request->window_count * sizeof *request->windows;
}

int host_request_send(int fd, const struct host_request *request, const struct host_fds *fds) {
    return host_channel_send(fd, request, request_bytes(request), fds);
}

int host_request_receive(int fd, struct host_request *ret, struct host_fds *ret_fds) {
    ret->window_count = 0;
    const ssize_t got = receive(fd, ret, sizeof *ret, ret_fds, 0);
    return accept_packet(got, request_bytes(ret), ret_fds);
}
