// SPDX-License-Identifier: Apache-2.0
//
// The two ways to people. Each is tried three times, within half a minute in all.
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json_writer.h"
#include "control/code_host/curl_run.h"
#include "control/code_host/http_request.h"
#include "control/flow/notify/notify.h"

#define TRIES     3
#define TIMEOUT_S 8 // of a try; with the waits between them (1 s, 2 s) below half a minute

// ---- webhooks ----

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

static void write_slack(struct json_writer *w, const struct notification *notification) {
    struct strbuf text = {0};
    json_write_string(w, "text", slack_text(notification->text, &text));
    strbuf_fini(&text);
}

// An adaptive card, as Teams' workflows take it.
static void write_teams(struct json_writer *w, const struct notification *notification) {
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
    json_write_string(w, "text", notification->text);
    json_object_end(w);
    json_array_end(w);
    json_object_end(w);
    json_array_end(w);
    json_object_end(w);
    json_object_end(w);
    json_array_end(w);
}

static void write_plain(struct json_writer *w, const struct notification *notification) {
    json_write_string(w, "subject", notification->subject);
    json_write_string(w, "text", notification->text);
    json_write_string(w, "branch", notification->branch);
    json_maybe_string(w, "run_id", notification->run_id);
    json_maybe_string(w, "device", notification->device);
    json_array_begin(w, "regressions");
    for (size_t i = 0; i < notification->count; ++i) {
        json_object_begin(w, NULL);
        json_write_string(w, "problem", notification->cases[i]->name);
        json_maybe_double(w, "change_pct", notification->cases[i]->change_pct);
        json_object_end(w);
    }
    json_array_end(w);
}

static const struct form {
    const char *name;
    void (*write)(struct json_writer *w, const struct notification *notification);
} forms[] = {{"slack", write_slack}, {"teams", write_teams}, {"json", write_plain}};

// The manifest has checked the form.
static void write_body(const char *form, const struct notification *notification, struct strbuf *out) {
    struct json_writer w = json_writer_make(out, 0);
    json_object_begin(&w, NULL);
    for (size_t i = 0; i < sizeof forms / sizeof *forms; ++i)
        if (str_equal(forms[i].name, form)) forms[i].write(&w, notification);
    json_object_end(&w);
}

static int post(const char *url, const char *body, struct err *err) {
    const struct http_request request = {.method = "POST",
                                         .url = url,
                                         .headers = {"Content-Type: application/json"},
                                         .body = body,
                                         .timeout_s = TIMEOUT_S,
                                         .shown = "the webhook"}; // its address is a secret
    struct strbuf answer = {0};
    int status = 0;
    int code = http_request(&request, &status, &answer, err);
    if (code == 0 && status / 100 != 2)
        code =
            err_set(err, ERR_UNAVAILABLE, "it answers %d: %s", status, str_shown(strbuf_text(&answer)).text);
    strbuf_fini(&answer);
    return code;
}

// ---- e-mail ----

// A header is one line of ASCII, whatever a name holds.
static void add_header(struct strbuf *mail, const char *name, const char *value) {
    strbuf_addf(mail, "%s: ", name);
    strbuf_add_plain(mail, value, false);
    strbuf_add(mail, "\r\n");
}

static void write_mail(const struct manifest *manifest, const struct notification *notification,
                       struct strbuf *mail) {
    char date[64];
    struct tm utc;
    const time_t now = time(NULL);
    gmtime_r(&now, &utc);
    strftime(date, sizeof date, "%a, %d %b %Y %H:%M:%S +0000", &utc);
    add_header(mail, "From", manifest->notify.email_from);
    add_header(mail, "To", manifest->notify.email_to);
    add_header(mail, "Subject", notification->subject);
    add_header(mail, "Date", date);
    strbuf_add(mail, "MIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n");
    for (const char *c = notification->text; *c; ++c) strbuf_addf(mail, *c == '\n' ? "\r\n" : "%c", *c);
}

static int mail_once(const struct manifest *manifest, const char *path, struct err *err) {
    const char *user = getenv(NOTIFY_USER_ENV), *password = getenv(NOTIFY_PASSWORD_ENV);
    struct strbuf config = {0}, login = {0}, answer = {0};
    curl_add_option(&config, "url", manifest->notify.smtp);
    curl_add_option(&config, "mail-from", manifest->notify.email_from);
    curl_add_option(&config, "mail-rcpt", manifest->notify.email_to);
    curl_add_option(&config, "upload-file", path);
    if (user && *user) {
        strbuf_addf(&login, "%s:%s", user, str_or(password, ""));
        curl_add_option(&config, "user", login.text);
    }
    const int code = curl_run(&config, "=smtp,smtps", TIMEOUT_S, manifest->notify.smtp, &answer, err);
    strbuf_fini(&config);
    strbuf_fini(&login);
    strbuf_fini(&answer);
    return code;
}

// ---- both ----

static void wait_before(int try) {
    const struct timespec pause = {.tv_sec = try};
    if (try) nanosleep(&pause, NULL);
}

int notify_send_webhook(const char *form, const struct notification *notification, struct err *err) {
    const char *url = getenv(NOTIFY_WEBHOOK_ENV);
    struct strbuf body = {0};
    int code = -ERR_UNAVAILABLE;
    if (!url || !*url) return err_set(err, ERR_UNAVAILABLE, NOTIFY_WEBHOOK_ENV " has no address");
    write_body(form, notification, &body);
    for (int try = 0; try < TRIES && code < 0; ++try) {
        wait_before(try);
        code = post(url, body.text, err);
    }
    strbuf_fini(&body);
    return code;
}

int notify_send_email(const struct manifest *manifest, const struct notification *notification,
                      struct err *err) {
    char path[] = "/tmp/assay-mail-XXXXXX";
    struct strbuf mail = {0};
    const int file = mkstemp(path);
    if (file < 0) return err_set_errno(err, ERR_CREATE, "cannot make a file in /tmp");
    write_mail(manifest, notification, &mail);
    close(file);
    int code = file_write_atomic(path, mail.text, mail.length, err), sent = -ERR_UNAVAILABLE;
    for (int try = 0; try < TRIES && code == 0 && sent < 0; ++try) {
        wait_before(try);
        sent = mail_once(manifest, path, err);
    }
    unlink(path);
    strbuf_fini(&mail);
    return code < 0 ? code : sent;
}
