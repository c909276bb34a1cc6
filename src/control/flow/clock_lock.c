// SPDX-License-Identifier: Apache-2.0
//
// See clock_lock.h. The clock holder is a worker that outlives this process: it gets one order and replies
// with one record.
#include "control/flow/clock_lock.h"

#include <stdlib.h>

#include "base/file.h"
#include "base/interrupt.h"
#include "base/process/clock_holder.h"
#include "base/strbuf.h"
#include "record/clock_request.h"
#include "record/record.h"
#include "record/work_order.h"

#define REPLY_LIMIT_NS UINT64_C(60000000000) // the driver may have to wake the GPU
#define END_LIMIT_NS   UINT64_C(10000000000)

int clock_lock_check(const char *wanted, const char *device, const struct device_kind *kind, bool is_resumed,
                     struct err *err) {
    struct clock_request request;
    if (!wanted) return 0;
    TRY(clock_request_parse(wanted, &request, err));
    if (is_resumed)
        return err_set(
            err, ERR_USAGE,
            "--lock-clocks does not go with --resume: the run goes on at the clocks that it began with");
    if (kind->has_clock_lock) return 0;
    return err_set(
        err, ERR_USAGE,
        "--lock-clocks is for GPUs: the clock of device '%s' is measured and cannot be locked by assay",
        device);
}

// The clock holder's only record: whether it locked the clocks, and at which value.
static int read_reply(struct clock_holder *clock_holder, uint32_t *ret_mhz, struct err *err) {
    struct strbuf line = {0};
    struct arena arena = {0};
    struct record record;
    if (!clock_holder_read_line(clock_holder, REPLY_LIMIT_NS, &line)) {
        strbuf_fini(&line);
        if (interrupt_is_set()) return err_set(err, ERR_CANCELLED, "interrupted");
        return err_set(err, ERR_UNAVAILABLE, "the process that locks clocks ended without an answer");
    }
    int code = record_parse(strbuf_text(&line), line.length, &arena, &record, err);
    if (code == 0 && record.kind != RECORD_LOCK)
        code = err_set(err, ERR_INTERNAL, "the process that locks clocks answered with a record '%s'",
                       record_kind_name(record.kind));
    else if (code == 0 && !record.is_valid)
        code = err_set(err, ERR_UNAVAILABLE, "%s; nothing was measured",
                       str_or(record.text, "the clocks cannot be locked"));
    else if (code == 0)
        *ret_mhz = record.locked_clock_mhz;
    arena_fini(&arena);
    strbuf_fini(&line);
    return code;
}

int clock_lock_close(struct clock_holder *lock, struct err *err) {
    struct proc_status status = {.end = PROC_EXITED};
    clock_holder_close(lock, END_LIMIT_NS, &status);
    if (status.end == PROC_EXITED && status.exit_code == 0) return 0;
    struct strbuf how = {0};
    proc_status_format(&status, &how);
    const int code = err_set(err, ERR_UNAVAILABLE,
                             "the process that held the GPU's clocks ended badly (%s), and they may still be "
                             "held; run 'nvidia-smi -rgc' as root",
                             strbuf_text(&how));
    strbuf_fini(&how);
    return code;
}

int clock_lock_open(const char *device, const char *wanted, struct clock_holder **ret, uint32_t *ret_mhz,
                    struct err *err) {
    const struct work_order order = {.kind = WORK_LOCK, .device = device, .lock_clocks = wanted};
    struct strbuf text = {0};
    work_order_write(&order, &text);
    char *self = path_self();
    const char *const argv[] = {self, "worker", NULL};
    const struct proc_spec spec = {.argv = argv, .stdin_text = text.text, .stdin_length = text.length};
    struct clock_holder *clock_holder = NULL;
    int code = clock_holder_open(&spec, &clock_holder, err);
    if (code == 0) code = read_reply(clock_holder, ret_mhz, err);
    free(self);
    strbuf_fini(&text);
    if (code < 0) {
        struct err held = {0};
        if (clock_lock_close(clock_holder, &held) == 0 || !err) return code;
        const struct err why = *err;
        return err_set(err, why.code, "%s; %s", why.text, held.text);
    }
    *ret = clock_holder;
    return 0;
}

int clock_lock_verify(const struct clock_holder *lock, struct err *err) {
    if (!lock || clock_holder_is_there(lock)) return 0;
    return err_set(
        err, ERR_UNAVAILABLE,
        "the process that held the GPU's clocks was ended while the run lasted, so they were not locked all "
        "the time; begin a new run ('sudo nvidia-smi -rgc' unlocks them if it was killed)");
}
