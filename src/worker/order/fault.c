// SPDX-License-Identifier: Apache-2.0
//
// The record of a memory fault. It is formatted beforehand, because the handler may not allocate: only the
// place of the fault is inserted.
#include "worker/order/fault.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/strbuf.h"
#include "worker/backend/fault_signal.h"
#include "worker/order/work.h"

#define FAULT_MARK "(the place)"

struct fault_line {
    char before[8192], after[1024]; // around the message
};

static struct {
    int fd;
    _Atomic size_t slot;
    struct fault_line lines[FAULT_SLOTS];
} fault;

static void write_record(const struct buffer_fault *place, enum fault_access access) {
    char message[512];
    const size_t message_length = fault_format(place, access, message, sizeof message);
    const struct fault_line *around = &fault.lines[atomic_load(&fault.slot)];
    char line[sizeof *around + sizeof message];
    size_t length = strlen(around->before); // one write: the parent must not see half a line
    memcpy(line, around->before, length);
    memcpy(line + length, message, message_length);
    length += message_length;
    memcpy(line + length, around->after, strlen(around->after));
    length += strlen(around->after);
    for (size_t done = 0; done < length;) {
        const ssize_t written = write(fault.fd, line + done, length - done);
        if (written <= 0) break;
        done += (size_t)written;
    }
    _exit(WORK_FAULT_EXIT);
}

void fault_arm(size_t slot, const struct backend *backend, int fd, const struct record *record) {
    fault_disarm();
    struct record copy = *record;
    copy.check.outcome = OUTCOME_FAIL;
    copy.check.finding = FINDING_OUT_OF_BOUNDS;
    snprintf(copy.check.message, sizeof copy.check.message, "%s", FAULT_MARK);
    struct strbuf line = {0};
    record_write(&copy, &line);
    const char *mark = strstr(line.text, FAULT_MARK);
    size_t before = mark ? (size_t)(mark - line.text) : 0;
    struct fault_line *around = &fault.lines[slot];
    if (mark && before < sizeof around->before && strlen(mark) < sizeof around->after) {
        memcpy(around->before, line.text, before);
        around->before[before] = 0;
        snprintf(around->after, sizeof around->after, "%s", mark + strlen(FAULT_MARK));
        atomic_store(&fault.slot, slot);
        fault.fd = fd;
        fault_signal_arm(backend, write_record);
    }
    strbuf_fini(&line);
}

void fault_select(size_t slot) {
    atomic_store(&fault.slot, slot);
}

void fault_disarm(void) {
    fault_signal_disarm();
}
