// SPDX-License-Identifier: Apache-2.0
//
// See python_fill.h.
#include "worker/host/python_fill.h"

#include <string.h>

#include "op/declared/declared_fills.h"
#include "op/random_normal.h"
#include "worker/backend/backend.h"

// Opened by the first fill, and the process's until it ends.
static struct device *device;
static void *table; // of random_normal.h, there

static int open_device(const char *name, struct err *err) {
    const struct device_request request = {.device = name, .is_host = true, .is_for_fills = true};
    size_t bytes;
    const void *normals = normal_table_shared(&bytes);
    if (!device) TRY(device_open(&request, &device, err));
    if (table) return 0;
    void *memory;
    TRY(device->backend->work->scratch_alloc(device, bytes, &memory, err));
    TRY(device->backend->work->copy_in(device, memory, normals, bytes, err));
    table = memory;
    return 0;
}

// Waits by reading what lies there for certain.
static int fill(const char *name, const void *record, void *data, struct err *err) {
    struct declared_fill_record filled;
    unsigned char first;
    memcpy(&filled, record, sizeof filled);
    TRY(open_device(name, err));
    filled.fill.data = data;
    filled.fill.table = table;
    const struct kernel_launch launch = declared_fill_launch(&filled.fill);
    TRY(device->backend->work->run_program(device, &launch, err));
    return device->backend->work->copy_out(device, &first, table, 1, err);
}

int assay_python_fill(const char *name, const void *record, void *data, struct assay_message *message) {
    struct err err = {0};
    const int code = fill(name, record, data, &err);
    if (code < 0) (void)assay_say(message, ASSAY_FAILED, err.text);
    return code;
}
