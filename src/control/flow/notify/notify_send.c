// SPDX-License-Identifier: Apache-2.0
//
// See notify_send.h. A thread for each way; they share nothing but messages, of which each way has a member
// of its own.
#include "control/flow/notify/notify_send.h"

#include <pthread.h>

#include "base/clock.h"
#include "base/interrupt.h"

#define DEADLINE_NS UINT64_C(5000000000)
#define LEAST_NS    UINT64_C(100000000) // a shorter try could not end well
#define PAUSE_NS    UINT64_C(500000000) // before the second try; twice as long before the third
#define TRIES       3

static const struct way {
    const char *complaint;
    int (*send)(const struct manifest *manifest, const struct notification *message, unsigned timeout_ms,
                struct err *err);
} ways[NOTIFY_WAY_COUNT] = {
    [NOTIFY_EMAIL] = {"no e-mail was sent", notify_send_email},
    [NOTIFY_WEBHOOK] = {"the webhook was not told", notify_send_webhook},
};

struct sending { // of one way
    enum notify_way way;
    const struct manifest *manifest;
    struct notify_memory *memory;
    uint64_t deadline_ns;
    pthread_t thread;
    bool is_started;
    int code;
    struct err err;
};

bool notify_has_way(const struct manifest *manifest, enum notify_way way) {
    return way == NOTIFY_EMAIL ? manifest->notify.email_to != NULL : manifest->notify.webhook != NULL;
}

static int send_in_time(struct sending *sending, const struct notification *message) {
    int code = err_set(&sending->err, ERR_UNAVAILABLE, "there was no time left");
    for (unsigned try = 0; try < TRIES && code == -ERR_UNAVAILABLE && !interrupt_is_set(); ++try) {
        clock_sleep_ns(try * PAUSE_NS);
        const uint64_t now_ns = clock_ns();
        if (now_ns + LEAST_NS > sending->deadline_ns) break;
        code = ways[sending->way].send(sending->manifest, message,
                                       (unsigned)((sending->deadline_ns - now_ns) / 1000000), &sending->err);
    }
    return code;
}

// After the first message that cannot be sent the server is not asked again.
static void *send_one_way(void *arg) {
    struct sending *sending = arg;
    for (size_t i = 0; i < sending->memory->kept_count && sending->code == 0; ++i) {
        struct notification *message = &sending->memory->kept[i];
        if (!message->is_due[sending->way]) continue;
        sending->code = send_in_time(sending, message);
        message->is_due[sending->way] = sending->code < 0;
    }
    return NULL;
}

static void start(struct sending *sending, bool has_thread) {
    sending->is_started = has_thread && pthread_create(&sending->thread, NULL, send_one_way, sending) == 0;
    if (!sending->is_started) send_one_way(sending);
}

void notify_send_kept(const struct manifest *manifest, struct notify_memory *memory,
                      struct strbuf *complaint) {
    struct sending sendings[NOTIFY_WAY_COUNT] = {0};
    const uint64_t deadline_ns = clock_ns() + DEADLINE_NS;
    for (enum notify_way way = NOTIFY_WAY_COUNT; way-- > 0;) {
        sendings[way] =
            (struct sending){.way = way, .manifest = manifest, .memory = memory, .deadline_ns = deadline_ns};
        start(&sendings[way], way > 0); // the last one here
    }
    for (enum notify_way way = 0; way < NOTIFY_WAY_COUNT; ++way) {
        if (sendings[way].is_started) pthread_join(sendings[way].thread, NULL);
        if (sendings[way].code < 0)
            strbuf_addf(complaint, "%s%s: %s", complaint->length ? "; " : "", ways[way].complaint,
                        sendings[way].err.text);
    }
}
