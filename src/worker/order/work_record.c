// SPDX-License-Identifier: Apache-2.0
//
// Writing records: one at a time to the parent, the last one when a kernel has broken the device.
#include <errno.h>
#include <unistd.h>

#include "worker/order/work.h"
#include "worker/order/work_internal.h"

struct record work_record(const struct work *work, enum record_kind kind) {
    struct record record = {.kind = kind,
                            .phase = work->phase,
                            .round = work->order->round,
                            .attempt = work->order->attempt,
                            .time_ns = device_now_ns(work->device),
                            .state = device_state_unknown(),
                            .environment = environment_unknown()};
    return record;
}

int work_write(struct work *work, const struct record *record, struct err *err) {
    strbuf_clear(&work->line);
    record_write(record, &work->line);
    size_t done = 0;
    while (done < work->line.length) { // a pipe takes long lines in pieces
        ssize_t written = write(work->fd, work->line.text + done, work->line.length - done);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0)
            return err_set_errno(err, ERR_IO, "the worker cannot write records to descriptor %d", work->fd);
        done += (size_t)written;
    }
    return 0;
}

int work_write_case(struct work *work, uint32_t case_index, uint32_t side, struct err *err) {
    struct record begin = work_record(work, RECORD_CASE);
    begin.case_index = case_index;
    begin.side = side;
    return work_write(work, &begin, err);
}

int work_warn(struct work *work, const char *text, struct err *err) {
    struct record record = work_record(work, RECORD_WARNING);
    record.text = text;
    return work_write(work, &record, err);
}

void work_end_if_lost(struct work *work, struct record *record) {
    const enum device_loss loss = work->device->loss;
    if (loss == DEVICE_LOSS_NONE) return;
    if (record && loss == DEVICE_LOSS_ADDRESS) {
        record->check.outcome = OUTCOME_FAIL;
        record->check.finding = FINDING_OUT_OF_BOUNDS;
    }
    // If the write fails, control still sees the process end.
    if (record) (void)work_write(work, record, NULL);
    _exit(WORK_FAULT_EXIT); // no code of the kernel runs any more, not even its destructors
}
