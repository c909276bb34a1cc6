// SPDX-License-Identifier: Apache-2.0
//
// The handler of memory faults. It runs on whatever thread faulted, with the heap in any state: the record
// is formatted beforehand, and the handler only inserts the place of the fault.
#include "worker/order/fault.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#include "base/strbuf.h"
#include "worker/order/work.h"

#define FAULT_MARK "(the place)"

struct fault_line {
    char before[8192], after[1024]; // around the message
};

enum fault_state { FAULT_DISARMED = 0, FAULT_ARMED, FAULT_WRITING };

static struct {
    atomic_int state; // enum fault_state
    const struct backend *backend;
    int fd;
    _Atomic size_t slot;
    struct fault_line lines[FAULT_SLOTS];
} fault;

struct cut_text { // what snprintf would do, async-signal-safe
    char text[512];
    size_t length;
};

static void add(struct cut_text *out, const char *text) {
    while (*text && out->length < sizeof out->text) out->text[out->length++] = *text++;
}

static void add_number(struct cut_text *out, uint64_t value) {
    char digits[24], *at = digits + sizeof digits - 1;
    *at = 0;
    do *--at = (char)('0' + value % 10);
    while (value /= 10);
    add(out, at);
}

static const char *access_text(const void *context) {
#if defined(__x86_64__) && defined(REG_ERR)
    const ucontext_t *at = context;
    return at->uc_mcontext.gregs[REG_ERR] & 2 ? "wrote" : "read"; // bit 1 of the page fault's error code
#else
    (void)context;
    return "touched";
#endif
}

static void write_record(const struct buffer_fault *place, const void *context) {
    struct cut_text message = {.length = 0};
    add(&message, "the kernel ");
    add(&message, access_text(context));
    add(&message, " memory ");
    add_number(&message, place->distance_bytes);
    add(&message, place->is_past_end ? " bytes past the end of '" : " bytes before the start of '");
    add(&message, place->label);
    add(&message, "'");
    const struct fault_line *around = &fault.lines[atomic_load(&fault.slot)];
    char line[sizeof *around + sizeof message.text];
    size_t length = strlen(around->before); // one write: the parent must not see half a line
    memcpy(line, around->before, length);
    memcpy(line + length, message.text, message.length);
    length += message.length;
    memcpy(line + length, around->after, strlen(around->after));
    length += strlen(around->after);
    for (size_t done = 0; done < length;) {
        const ssize_t written = write(fault.fd, line + done, length - done);
        if (written <= 0) return;
        done += (size_t)written;
    }
}

// Several threads of a kernel may fault together: the first writes the record and ends the process, the
// others wait for that.
static void on_fault(int number, siginfo_t *info, void *context) {
    struct buffer_fault place;
    int armed = FAULT_ARMED;
    const bool is_ours = fault.backend->find_fault && fault.backend->find_fault(info->si_addr, &place);
    if (is_ours && atomic_compare_exchange_strong(&fault.state, &armed, FAULT_WRITING)) {
        write_record(&place, context);
        _exit(WORK_FAULT_EXIT);
    }
    while (atomic_load(&fault.state) == FAULT_WRITING) pause();
    signal(number, SIG_DFL); // the instruction runs again, with the default action
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
        fault.backend = backend;
        fault.fd = fd;
        struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
        sigemptyset(&action.sa_mask);
        sigaction(SIGSEGV, &action, NULL);
        sigaction(SIGBUS, &action, NULL);
        atomic_store(&fault.state, FAULT_ARMED);
    }
    strbuf_fini(&line);
}

void fault_select(size_t slot) {
    atomic_store(&fault.slot, slot);
}

void fault_disarm(void) {
    atomic_store(&fault.state, FAULT_DISARMED);
}
