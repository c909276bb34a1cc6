// SPDX-License-Identifier: Apache-2.0
//
// The handler of SIGSEGV and SIGBUS, and its sentence. Several threads of a kernel may fault together: the
// first hands the fault on and ends the process, the others wait for that.
#include "worker/backend/fault_signal.h"

#include <signal.h>
#include <stdatomic.h>
#include <ucontext.h>
#include <unistd.h>

enum fault_state { FAULT_DISARMED = 0, FAULT_ARMED, FAULT_WRITING };

static struct {
    atomic_int state; // enum fault_state
    const struct backend *backend;
    fault_fn on_fault;
} fault;

static enum fault_access access_of(const void *context) {
#if defined(__x86_64__) && defined(REG_ERR)
    const ucontext_t *at = context;
    return at->uc_mcontext.gregs[REG_ERR] & 2 ? FAULT_WROTE
                                              : FAULT_READ; // bit 1 of the page fault's error code
#else
    (void)context;
    return FAULT_TOUCHED;
#endif
}

static void on_signal(int number, siginfo_t *info, void *context) {
    struct buffer_fault place;
    int armed = FAULT_ARMED;
    const bool is_ours = fault.backend->find_fault && fault.backend->find_fault(info->si_addr, &place);
    if (is_ours && atomic_compare_exchange_strong(&fault.state, &armed, FAULT_WRITING))
        fault.on_fault(&place, access_of(context));
    while (atomic_load(&fault.state) == FAULT_WRITING) pause();
    signal(number, SIG_DFL); // the instruction runs again, with the default action
}

void fault_signal_arm(const struct backend *backend, fault_fn on_fault) {
    fault.backend = backend;
    fault.on_fault = on_fault;
    struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO};
    sigemptyset(&action.sa_mask);
    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGBUS, &action, NULL);
    atomic_store(&fault.state, FAULT_ARMED);
}

void fault_signal_disarm(void) {
    atomic_store(&fault.state, FAULT_DISARMED);
}

// ---- the sentence: what snprintf would do, async-signal-safe ----

struct cut_text {
    char *text;
    size_t capacity, length;
};

static void add(struct cut_text *out, const char *text) {
    while (*text && out->length + 1 < out->capacity) out->text[out->length++] = *text++;
    if (out->capacity) out->text[out->length] = 0;
}

static void add_number(struct cut_text *out, uint64_t value) {
    char digits[24], *at = digits + sizeof digits - 1;
    *at = 0;
    do *--at = (char)('0' + value % 10);
    while (value /= 10);
    add(out, at);
}

size_t fault_format(const struct buffer_fault *place, enum fault_access access, char *ret_text,
                    size_t capacity) {
    struct cut_text out = {ret_text, capacity, 0};
    add(&out, "the kernel ");
    add(&out, access == FAULT_WROTE ? "wrote" : access == FAULT_READ ? "read" : "touched");
    if (place->place == BUFFER_BETWEEN_ROWS) {
        add(&out, " memory between the rows of '");
        add(&out, place->label);
        add(&out, "', ");
        add_number(&out, place->distance_bytes);
        add(&out, " bytes behind its start");
        return out.length;
    }
    if (place->place == BUFFER_INSIDE) {
        add(&out, " '");
        add(&out, place->label);
        add(&out, "', an input, at its byte ");
        add_number(&out, place->distance_bytes);
        return out.length;
    }
    const bool is_past_end = place->place == BUFFER_PAST_END;
    add(&out, " memory ");
    if (place->distance_bytes) add_number(&out, place->distance_bytes);
    add(&out, !place->distance_bytes ? "right behind the end of '"
              : is_past_end          ? " bytes past the end of '"
                                     : " bytes before the start of '");
    add(&out, place->label);
    add(&out, "'");
    return out.length;
}
