// SPDX-License-Identifier: Apache-2.0
//
// Where the kernel's process answers to another one over a socket, these hooks see each request and each
// answer, and may change or replace the answer. They know little of the packets: a request begins with its
// command and its number, an answer has the number second, and somewhere the start and the duration of the
// batch, side by side.
#ifndef CHANNEL_HOOKS_H
#define CHANNEL_HOOKS_H

#include "hostile.h"

#include <sys/socket.h>

#define CHANNEL_FD    3
#define CHANNEL_BYTES 4096

static struct {
    uint32_t command, number; // of the last request
    uint32_t run_command;     // by which launches are made; 0: none yet
    int launches;             // since that request
    uint64_t begin_ns;        // of the first of them
    int is_answered;          // by us: the real answer is not sent
    char answer[CHANNEL_BYTES];
    size_t answer_bytes; // of the last answer about launches
} channel;

// What the kernel does with its own answer before it is sent. NULL: nothing.
static void (*channel_change)(char *answer, size_t bytes);

// Where start and duration of the last batch stand in an answer; NULL: not found.
static UNUSED uint64_t *channel_times(char *answer, size_t bytes) {
    const uint64_t now_ns = hostile_now_ns();
    for (size_t at = 0; at + 16 <= bytes; at += 8) {
        uint64_t *pair = (uint64_t *)(void *)(answer + at);
        if (pair[0] + 10000000000u > now_ns && pair[0] < now_ns && pair[1] > 100 &&
            pair[1] < now_ns - pair[0] + 1000)
            return pair;
    }
    return NULL;
}

static ssize_t channel_receive(int fd, struct msghdr *message, int flags) {
    const ssize_t got = syscall(SYS_recvmsg, fd, message, flags);
    if (fd != CHANNEL_FD || got < 16 || message->msg_iovlen != 1) return got;
    memcpy(&channel.command, message->msg_iov[0].iov_base, sizeof channel.command);
    memcpy(&channel.number, (char *)message->msg_iov[0].iov_base + 4, sizeof channel.number);
    channel.launches = channel.is_answered = 0;
    return got;
}

static ssize_t channel_send(int fd, const struct msghdr *message, int flags) {
    if (fd == CHANNEL_FD && message->msg_iovlen == 1 && message->msg_iov[0].iov_len <= CHANNEL_BYTES) {
        const size_t bytes = message->msg_iov[0].iov_len;
        if (channel.is_answered) return (ssize_t)bytes;
        if (channel.run_command && channel.command == channel.run_command) {
            if (channel_change) channel_change(message->msg_iov[0].iov_base, bytes);
            if (channel.launches) {
                memcpy(channel.answer, message->msg_iov[0].iov_base, bytes);
                channel.answer_bytes = bytes;
            }
        }
    }
    return syscall(SYS_sendmsg, fd, message, flags);
}

// At the beginning of every launch.
static UNUSED void channel_launch(void) {
    static struct hostile_got receive = {
        .object = "", .symbol = "recvmsg", .replacement = (void *)channel_receive};
    static struct hostile_got send = {.object = "", .symbol = "sendmsg", .replacement = (void *)channel_send};
    if (!receive.count) {
        hostile_patch_got(&receive);
        hostile_patch_got(&send);
        receive.count = 1;
    }
    if (!channel.command) return;
    channel.run_command = channel.command;
    if (!channel.launches++) channel.begin_ns = hostile_now_ns();
}

// Answers now, as if the launches of this request had been made.
static UNUSED void channel_answer_now(void) {
    if (!channel.answer_bytes || channel.is_answered) return;
    uint64_t *times = channel_times(channel.answer, channel.answer_bytes);
    if (times) {
        times[0] = channel.begin_ns;
        times[1] = hostile_now_ns() - channel.begin_ns;
    }
    memcpy(channel.answer + 4, &channel.number, sizeof channel.number);
    struct iovec part = {channel.answer, channel.answer_bytes};
    const struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (syscall(SYS_sendmsg, CHANNEL_FD, &message, 0) > 0) channel.is_answered = 1;
}

#endif
