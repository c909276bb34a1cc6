// SPDX-License-Identifier: Apache-2.0
//
// A message as a webhook takes it: Slack, Teams, or JSON for receivers of one's own.
#include <stdlib.h>

#include "base/json_writer.h"
#include "code_host/http_request.h"
#include "control/flow/notify/notify.h"
#include "control/flow/notify/notify_send.h"

// Slack reads these three as markup.
static const char *slack_text(const char *text, struct strbuf *out) {
    for (; *text; ++text)
        strbuf_addf(out,
                    *text == '&'   ? "&amp;"
                    : *text == '<' ? "&lt;"
                    : *text == '>' ? "&gt;"
                                   : "%c",
                    *text);
    return strbuf_text(out);
}

static void write_slack(struct json_writer *w, const struct notification *message) {
    struct strbuf text = {0};
    json_write_string(w, "text", slack_text(message->text, &text));
    strbuf_fini(&text);
}

// An adaptive card, as Teams' workflows take it.
static void write_teams(struct json_writer *w, const struct notification *message) {
    json_write_string(w, "type", "message");
    json_array_begin(w, "attachments");
    json_object_begin(w, NULL);
    json_write_string(w, "contentType", "application/vnd.microsoft.card.adaptive");
    json_object_begin(w, "content");
    json_write_string(w, "type", "AdaptiveCard");
    json_write_string(w, "version", "1.4");
    json_array_begin(w, "body");
    json_object_begin(w, NULL);
    json_write_string(w, "type", "RichTextBlock"); // whose runs are text, not Markdown
    json_array_begin(w, "inlines");
    json_object_begin(w, NULL);
    json_write_string(w, "type", "TextRun");
    json_write_string(w, "text", message->text);
    json_object_end(w);
    json_array_end(w);
    json_object_end(w);
    json_array_end(w);
    json_object_end(w);
    json_object_end(w);
    json_array_end(w);
}

static void write_plain(struct json_writer *w, const struct notification *message) {
    json_write_string(w, "id", message->id);
    json_write_string(w, "subject", message->subject);
    json_write_string(w, "text", message->text);
    json_write_string(w, "branch", message->branch);
    json_maybe_string(w, "run_id", message->run_id);
    json_maybe_string(w, "device", message->device);
    json_maybe_string(w, "url", message->url);
    json_array_begin(w, "regressions");
    for (size_t i = 0; i < message->problem_count; ++i) {
        json_object_begin(w, NULL);
        json_write_string(w, "problem", message->problems[i].name);
        json_maybe_double(w, "change_pct", message->problems[i].change_pct);
        json_object_end(w);
    }
    json_array_end(w);
}

static const struct form {
    const char *name;
    void (*write)(struct json_writer *w, const struct notification *message);
} forms[] = {{"slack", write_slack}, {"teams", write_teams}, {"json", write_plain}};

// The manifest has checked the form.
static void write_body(const char *form, const struct notification *message, struct strbuf *out) {
    struct json_writer w = json_writer_make(out, 0);
    json_object_begin(&w, NULL);
    for (size_t i = 0; i < sizeof forms / sizeof *forms; ++i)
        if (str_equal(forms[i].name, form)) forms[i].write(&w, message);
    json_object_end(&w);
}

static enum notify_answer answer_of(const struct curl_end *end, size_t byte_count) {
    const int status = end->status;
    if (status / 100 == 2) return NOTIFY_TAKEN;
    if (status == 408 || status == 425 || status == 429 || status / 100 == 5) return NOTIFY_AGAIN;
    return status >= 300 ? NOTIFY_REFUSED : notify_answer_by_end(end, byte_count);
}

enum notify_answer notify_send_webhook(const struct manifest *manifest, const struct notification *message,
                                       unsigned timeout_ms, struct err *err) {
    const char *url = getenv(NOTIFY_WEBHOOK_ENV);
    struct strbuf body = {0}, said = {0};
    struct curl_end end = {0};
    if (!url || !*url) {
        err_set(err, ERR_CONFIG, NOTIFY_WEBHOOK_ENV " has no address");
        return NOTIFY_REFUSED;
    }
    write_body(manifest->notify.webhook, message, &body);
    const struct http_request request = {.method = "POST",
                                         .url = url,
                                         .headers = {"Content-Type: application/json"},
                                         .body = body.text,
                                         .timeout_ms = timeout_ms,
                                         .shown = "the webhook"}; // its address is a secret
    const int code = http_request(&request, &end, &said, err);
    const enum notify_answer answer = answer_of(&end, body.length);
    // What the server says beside the status is not shown: many repeat the address.
    if (code == 0 && answer != NOTIFY_TAKEN) err_set(err, ERR_UNAVAILABLE, "it answers %d", end.status);
    strbuf_fini(&body);
    strbuf_fini(&said);
    return answer;
}
