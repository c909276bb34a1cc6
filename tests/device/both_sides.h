// SPDX-License-Identifier: Apache-2.0
//
// The device that device_check.c works on, what it says, and memory on both sides.
#ifndef TESTS_DEVICE_BOTH_SIDES_H
#define TESTS_DEVICE_BOTH_SIDES_H

#include <stdio.h>
#include <stdlib.h>

#include "base/rng.h"
#include "device/kernel_launch.h"
#include "worker/backend/backend.h"

static struct device *device;
static int failures;

static void fatal(const struct err *err) {
    fprintf(stderr, "device_check: %s\n", err->text);
    exit(1);
}

static void say(bool is_right, const char *what, const char *detail) {
    printf("%-5s %-22s %s\n", is_right ? "ok" : "FAIL", what, detail);
    fflush(stdout);
    failures += !is_right;
}

// ---- memory on both sides ----

static void *on_device(size_t bytes) {
    struct err err = {0};
    void *data;
    if (device->backend->work->scratch_alloc(device, bytes, &data, &err) < 0) fatal(&err);
    return data;
}

static void give_back(void *data) {
    device->backend->work->scratch_free(device, data);
}

static void to_device(void *data, const void *host, size_t bytes) {
    struct err err = {0};
    if (bytes && device->backend->work->copy_in(device, data, host, bytes, &err) < 0) fatal(&err);
}

static void to_host(void *host, const void *data, size_t bytes) {
    struct err err = {0};
    if (bytes && device->backend->work->copy_out(device, host, data, bytes, &err) < 0) fatal(&err);
}

static void *some_bytes(size_t bytes, uint64_t stream) {
    uint8_t *data = malloc(bytes);
    for (size_t i = 0; i < bytes; ++i) data[i] = (uint8_t)rng_u64(1, stream, i);
    return data;
}

static void launch_program(const struct kernel_launch *program) {
    struct err err = {0};
    if (device->backend->work->run_program(device, program, &err) < 0) fatal(&err);
}

static void launch(const char *entry, uint32_t blocks, uint32_t threads, const void *args, size_t bytes) {
    const struct kernel_launch program = kernel_launch_make(entry, blocks, threads, args, bytes);
    launch_program(&program);
}

#endif
