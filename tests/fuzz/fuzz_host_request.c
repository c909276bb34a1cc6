// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as commands to a host, with a simulated device and kernel: each is carried out or refused with a
// sentence, and no descriptor or memory is left. 16 bytes are a command.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/strbuf.h"
#include "record/work_order.h"
#include "worker/host/host_main_internal.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

enum { COMMAND_BYTES = 16, COMMANDS_MAX = 64, PAGE_BYTES = 4096, FILE_PAGES = 2 };

static int memory_file(const char *bytes, size_t count) {
    const int fd = memfd_create("fuzz", MFD_CLOEXEC);
    if (fd < 0 || write(fd, bytes, count) != (ssize_t)count) abort();
    return fd;
}

static void load(struct host_state *host) {
    struct sim_device device = sim_device_quiet("sim:fuzz");
    const struct sim_kernel kernel = sim_kernel_plain("fuzzed");
    struct work_case cases[2] = {
        {.side_mask = 1, .distribution = "normal", .memory_layout = MEMORY_LAYOUT_DENSE},
        {.index = 1, .side_mask = 1, .distribution = "normal", .memory_layout = MEMORY_LAYOUT_DENSE}};
    struct work_order order = {.kind = WORK_CHECK, .device = "sim:fuzz", .sim = &device, .side_count = 1};
    order.sides[0] = (struct work_side){.label = "fuzzed", .sim = &kernel};
    order.cases = cases;
    order.case_count = 2;
    if (problem_parse(&operators_compiled, "scale/fp32/n64", &cases[0].problem, NULL) < 0) abort();
    if (problem_parse(&operators_compiled, "attention/fp32/b1/h1/s4/d4", &cases[1].problem, NULL) < 0)
        abort();
    struct strbuf text = {0};
    struct err err = {0};
    work_order_write(&order, &text);
    const int fd = memory_file(text.text, text.length);
    strbuf_fini(&text);
    if (host_state_read(host, fd, &err) < 0 || host_state_load(host, 0, &err) < 0) {
        fprintf(stderr, "%s\n", err.text);
        abort();
    }
    close(fd);
}

// A window that is right, or off by a little, or by anything. Inputs are not marked read-only: the kernel
// would fault on an output that is.
static struct buffer_window window_of(const uint8_t *bytes, uint32_t i) {
    struct buffer_window window = {.bytes = PAGE_BYTES, .back_bytes = PAGE_BYTES};
    uint64_t odd;
    memcpy(&odd, bytes + 8, sizeof odd);
    switch (bytes[6] >> (i & 3) & 7) {
    case 0: window.bytes = odd; break;
    case 1: window.front_bytes = odd; break;
    case 2: window.back_bytes = odd; break;
    case 3: window.bytes = odd & 0xfff; break;
    default: break;
    }
    return window;
}

// Without those that concern the process: loading, and the filter of system calls.
static const uint32_t commands[] = {HOST_INVALID,       HOST_HELLO,         HOST_PREPARE,     HOST_MAP_SET,
                                    HOST_MAP_WORKSPACE, HOST_RUN,           HOST_CALLS_BEGIN, HOST_CALLS_END,
                                    HOST_RELEASE,       HOST_COMMAND_COUNT, HOST_KEEP_INPUTS};

static void command(struct host_state *host, const uint8_t *bytes) {
    static const char zeros[FILE_PAGES * PAGE_BYTES];
    struct host_answer answer;
    struct host_request request = {.command = commands[bytes[0] % (sizeof commands / sizeof *commands)],
                                   .number = bytes[1],
                                   .item = bytes[2] & 0x80 ? bytes[2] * 1000u : bytes[2],
                                   .window_count = bytes[3]};
    struct host_fds fds = {.count = bytes[4] % (HOST_FDS_MAX + 1)};
    if (bytes[5] & 1) request.window_count = (uint32_t)fds.count;
    for (uint32_t i = 0; i < fds.count; ++i) fds.items[i] = memory_file(zeros, sizeof zeros);
    for (uint32_t i = 0; i < HOST_FDS_MAX; ++i) request.windows[i] = window_of(bytes, i);
    memcpy(&request.run, bytes + 8, 8); // first_index, set_count
    if (bytes[5] & 2) request.run = (struct host_run){.set_count = 1};
    request.run.first_set = bytes[6];
    request.run.launches = bytes[7];
    request.run.has_late = bytes[2] & 1;
    host_serve(host, &request, &fds, &answer);
    if (answer.number != request.number) abort();
    if (answer.kind != HOST_ANSWER_DONE && answer.kind != HOST_ANSWER_ERROR) abort();
    if (answer.kind == HOST_ANSWER_ERROR && (!answer.text[0] || answer.status <= 0)) abort();
    if (!memchr(answer.text, 0, sizeof answer.text)) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    struct host_state *host = host_state_new();
    load(host);
    for (size_t i = 0; i < COMMANDS_MAX && (i + 1) * COMMAND_BYTES <= count; ++i)
        command(host, bytes + i * COMMAND_BYTES);
    host_state_free(host);
    const int next = dup(0); // the lowest descriptor that is free: none was left open
    if (next > 16) abort();
    close(next);
    return 0;
}
