// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as what a host sends to the judge: a packet that is not an answer is refused, and of an answer
// every figure and text that is left is one that the judge's code may use without asking again.
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "worker/host/host_answer.h"
#include "worker/module/kernel_load.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static void require(bool is_right) {
    if (!is_right) abort();
}

static bool is_printable(const char *text) {
    for (; *text; ++text)
        if (*text < ' ' || *text == 0x7f) return false;
    return true;
}

static void hold_figures(const struct host_answer *answer) {
    const struct batch_time *time = &answer->time;
    require(memchr(answer->text, 0, sizeof answer->text) != NULL);
    require(memchr(answer->fault.label, 0, sizeof answer->fault.label) != NULL);
    require(answer->callback < KERNEL_CALLBACK_COUNT);
    require(time->start_ns <= INT64_MAX && time->duration_ns > 0 && time->duration_ns <= INT64_MAX);
    require(time->wait_ns <= INT64_MAX && time->steal_ns <= INT64_MAX && time->late_ns <= INT64_MAX);
    require(isfinite(time->tail_ns));
    require(isnan(time->kernel_clock_hz) || (isfinite(time->kernel_clock_hz) && time->kernel_clock_hz > 0));
    require(time->judge_ns == 0 && time->judge_error_ns == 0 && !time->is_wait_known);
    require(isfinite(time->cost.nominal_ns) && isfinite(time->cost.stamp_ratio));
}

// The first four bytes: the number of the request. The rest: the answer.
static void take_as_answer(const uint8_t *bytes, size_t count) {
    struct host_answer answer;
    uint32_t number = 0;
    memset(&answer, 0, sizeof answer);
    memcpy(&number, bytes, count < sizeof number ? count : sizeof number);
    if (count > sizeof number) {
        const size_t left = count - sizeof number;
        memcpy(&answer, bytes + sizeof number, left < sizeof answer ? left : sizeof answer);
    }
    const bool is_accepted = host_answer_accept(&answer, number);
    hold_figures(&answer);
    if (!is_accepted) return;
    require(
        answer.kind == HOST_ANSWER_FAULT ||
        ((answer.kind == HOST_ANSWER_DONE || answer.kind == HOST_ANSWER_ERROR) && answer.number == number));
    char text[200];
    require(host_answer_format_fault(&answer, text, sizeof text) == (answer.fault.place == BUFFER_INSIDE));
    require(*text && strlen(text) < sizeof text && is_printable(text));
}

static void take_as_packet(const uint8_t *bytes, size_t count) {
    int ends[2];
    static struct host_answer answer;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0) return;
    const bool is_sent = count < 100000 && host_channel_send(ends[1], bytes, count, NULL) == 0;
    close(ends[1]);
    const int got = host_channel_receive(ends[0], &answer, sizeof answer, NULL, 0);
    if (is_sent && count > 0) require(count == sizeof answer ? got == 1 : got == -1 && errno == EBADMSG);
    if (!is_sent || count == 0) require(got == 0);
    close(ends[0]);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    take_as_answer(bytes, count);
    take_as_packet(bytes, count);
    return 0;
}
