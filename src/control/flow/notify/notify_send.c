// SPDX-License-Identifier: Apache-2.0
//
// See notify_send.h. A thread for each way; they share nothing but messages, of which each way has a member
// of its own.
#include "control/flow/notify/notify_send.h"

#include <pthread.h>

#include "base/clock.h"
#include "base/interrupt.h"

#define DEADLINE_NS UINT64_C(10000000000) // postfix alone lets a client wait for six seconds
#define LEAST_NS    UINT64_C(1000000000)  // a shorter try would not wait for an answer
#define PAUSE_NS    UINT64_C(500000000)   // before the second try; twice as long before the third
#define TRIES       3

static const struct way {
    const char *complaint;
    enum notify_answer (*send)(const struct manifest *manifest, const struct notification *message,
                               unsigned timeout_ms, struct err *err);
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
    bool is_started, has_failed;
    struct err err; // why, of the last message that failed
};

bool notify_has_way(const struct manifest *manifest, enum notify_way way) {
    return way == NOTIFY_EMAIL ? manifest->notify.email_to != NULL : manifest->notify.webhook != NULL;
}

// Exit codes of curl(1) that the network or the server's state explains; the others come back whenever the
// same is asked: an address that is none, a certificate, a login.
static bool is_passing(int exit_code) {
    static const int passing[] = {-1, 5, 6, 7, 8, 16, 18, CURL_TIMED_OUT, 35, 52, 55, 56, 92, 95, 96};
    for (size_t i = 0; i < sizeof passing / sizeof *passing; ++i)
        if (passing[i] == exit_code) return true;
    return false;
}

enum notify_answer notify_answer_by_end(const struct curl_end *end, size_t byte_count) {
    if (end->exit_code == CURL_TIMED_OUT && end->sent_bytes >= byte_count) return NOTIFY_UNANSWERED;
    return is_passing(end->exit_code) ? NOTIFY_AGAIN : NOTIFY_REFUSED;
}

static enum notify_answer send_in_time(const struct sending *sending, const struct notification *message,
                                       struct err *err) {
    enum notify_answer answer = NOTIFY_AGAIN;
    err_set(err, ERR_UNAVAILABLE, "there was no time left");
    for (unsigned try = 0; try < TRIES && answer == NOTIFY_AGAIN && !interrupt_is_set(); ++try) {
        clock_sleep_ns(try * PAUSE_NS);
        const uint64_t now_ns = clock_ns();
        if (now_ns + LEAST_NS > sending->deadline_ns) break;
        answer = ways[sending->way].send(sending->manifest, message,
                                         (unsigned)((sending->deadline_ns - now_ns) / 1000000), err);
    }
    return answer;
}

static enum notify_answer send_message(struct sending *sending, struct notification *message) {
    struct err err = {0};
    bool *is_due = &message->is_due[sending->way], *is_unanswered = &message->is_unanswered[sending->way];
    const enum notify_answer answer = send_in_time(sending, message, &err);
    *is_due = answer != NOTIFY_TAKEN && !(answer == NOTIFY_UNANSWERED && *is_unanswered);
    if (answer == NOTIFY_TAKEN) return answer;
    if (answer == NOTIFY_UNANSWERED) {
        *is_unanswered = true;
        err_set(&err, ERR_UNAVAILABLE, "%s; the message was sent whole, %s", err.text,
                *is_due ? "and goes out once more" : "for the second time, which counts as told");
    }
    sending->has_failed = true;
    sending->err = err;
    return answer;
}

// A server that cannot take a message now is not asked again; one that refuses it gets the next one.
static void *send_one_way(void *arg) {
    struct sending *sending = arg;
    enum notify_answer answer = NOTIFY_TAKEN;
    for (size_t i = 0; i < sending->memory->kept_count; ++i) {
        struct notification *message = &sending->memory->kept[i];
        if (message->is_due[sending->way]) answer = send_message(sending, message);
        if (answer == NOTIFY_AGAIN || answer == NOTIFY_UNANSWERED) break;
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
        if (sendings[way].has_failed)
            strbuf_addf(complaint, "%s%s: %s", complaint->length ? "; " : "", ways[way].complaint,
                        sendings[way].err.text);
    }
}
