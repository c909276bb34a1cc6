// SPDX-License-Identifier: Apache-2.0
//
// A message as a webhook takes it: Slack, Teams, or JSON for receivers of one's own.
#include <stdlib.h>

#include "base/json_writer.h"
#include "control/code_host/http_request.h"
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

int notify_send_webhook(const struct manifest *manifest, const struct notification *message,
                        unsigned timeout_ms, struct err *err) {
    const char *url = getenv(NOTIFY_WEBHOOK_ENV);
    struct strbuf body = {0}, answer = {0};
    int status = 0;
    if (!url || !*url) return err_set(err, ERR_CONFIG, NOTIFY_WEBHOOK_ENV " has no address");
    write_body(manifest->notify.webhook, message, &body);
    const struct http_request request = {.method = "POST",
                                         .url = url,
                                         .headers = {"Content-Type: application/json"},
                                         .body = body.text,
                                         .timeout_ms = timeout_ms,
                                         .shown = "the webhook"}; // its address is a secret
    int code = http_request(&request, &status, &answer, err);
    if (code == 0 && status / 100 != 2)
        code = err_set(err, ERR_UNAVAILABLE, "it answers %d%s%s", status, answer.length ? ": " : "",
                       str_shown(strbuf_text(&answer)).text);
    strbuf_fini(&body);
    strbuf_fini(&answer);
    return code;
}
