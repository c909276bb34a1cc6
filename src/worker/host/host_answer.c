// SPDX-License-Identifier: Apache-2.0
//
// Answers are bytes of a hostile process until they have been through here.
#include "worker/host/host_answer.h"

#include <math.h>
#include <string.h>

#include "worker/backend/fault_signal.h"
#include "worker/module/kernel_load.h"

#define TIME_MOST_NS  UINT64_C(86400000000000) // a day: no batch takes that long
#define CLOCK_MOST_HZ 1e12

static uint64_t at_most(uint64_t value, uint64_t most) {
    return value < most ? value : most;
}

static double finite_or(double value, double low, double high, double otherwise) {
    return value >= low && value <= high ? value : otherwise;
}

// Times beyond any limit, or none at all, would break the documents that they are written to. The judge's own
// members are never the host's to fill.
static void put_times_right(struct batch_time *time) {
    const double most_ns = (double)TIME_MOST_NS;
    time->start_ns = at_most(time->start_ns, INT64_MAX);
    time->duration_ns = at_most(time->duration_ns, TIME_MOST_NS);
    if (!time->duration_ns) time->duration_ns = 1;
    time->wait_ns = at_most(time->wait_ns, TIME_MOST_NS);
    time->steal_ns = at_most(time->steal_ns, TIME_MOST_NS);
    time->late_ns = at_most(time->late_ns, TIME_MOST_NS);
    time->tail_ns = finite_or(time->tail_ns, -most_ns, most_ns, 0);
    time->kernel_clock_hz = finite_or(time->kernel_clock_hz, 1, CLOCK_MOST_HZ, NAN);
    time->judge_ns = 0;
    time->judge_error_ns = 0;
    time->ahead_ns = 0;
    time->is_wait_known = false;
    struct batch_cost *cost = &time->cost;
    cost->nominal_ns = finite_or(cost->nominal_ns, 0, most_ns, 0);
    cost->cv_pct = finite_or(cost->cv_pct, 0, 100, NAN);
    cost->stamp_ratio = finite_or(cost->stamp_ratio, 0, 10, 0);
}

// A label is one of ours: small letters. Anything else would be text of the kernel's in a sentence of ours.
static void put_fault_right(struct host_fault *fault) {
    fault->label[sizeof fault->label - 1] = 0;
    for (char *at = fault->label; *at; ++at)
        if (!((*at >= 'a' && *at <= 'z') || *at == '_')) *at = '?';
    if (fault->place > BUFFER_PAST_END) fault->place = BUFFER_PAST_END;
    if (fault->access > FAULT_WROTE) fault->access = FAULT_TOUCHED;
}

bool host_answer_accept(struct host_answer *answer, uint32_t number) {
    answer->text[sizeof answer->text - 1] = 0;
    if (answer->callback >= KERNEL_CALLBACK_COUNT) answer->callback = KERNEL_PREPARE;
    answer->workspace_bytes = at_most(answer->workspace_bytes, SIZE_MAX);
    put_times_right(&answer->time);
    put_fault_right(&answer->fault);
    if (answer->kind == HOST_ANSWER_FAULT) return true;
    return (answer->kind == HOST_ANSWER_DONE || answer->kind == HOST_ANSWER_ERROR) &&
           answer->number == number;
}

bool host_answer_format_fault(const struct host_answer *answer, char *ret_text, size_t capacity) {
    const struct host_fault *fault = &answer->fault;
    const struct buffer_fault place = {.label = fault->label,
                                       .place = (enum buffer_place)fault->place,
                                       .distance_bytes = fault->distance_bytes};
    fault_format(&place, (enum fault_access)fault->access, ret_text, capacity);
    return place.place == BUFFER_INSIDE;
}
