// SPDX-License-Identifier: Apache-2.0
//
// A message as an e-mail.
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "control/code_host/curl_run.h"
#include "control/flow/notify/notify.h"
#include "control/flow/notify/notify_send.h"

// A header is one line of ASCII, whatever a name holds.
static void add_header(struct strbuf *mail, const char *name, const char *value) {
    strbuf_addf(mail, "%s: ", name);
    strbuf_add_plain(mail, value, false);
    strbuf_add(mail, "\r\n");
}

static void write_mail(const struct manifest *manifest, const struct notification *message,
                       struct strbuf *mail) {
    char date[64];
    struct strbuf message_id = {0};
    struct tm utc;
    const time_t now = time(NULL);
    gmtime_r(&now, &utc);
    strftime(date, sizeof date, "%a, %d %b %Y %H:%M:%S +0000", &utc);
    add_header(mail, "From", manifest->notify.email_from);
    add_header(mail, "To", manifest->notify.email_to);
    add_header(mail, "Subject", message->subject);
    add_header(mail, "Date", date);
    strbuf_addf(&message_id, "<%s.%s>", message->id, manifest->notify.email_from);
    add_header(mail, "Message-ID", message_id.text);
    strbuf_fini(&message_id);
    strbuf_add(mail, "MIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\n"
                     "Content-Transfer-Encoding: 8bit\r\n\r\n");
    for (const char *c = message->text; *c; ++c) strbuf_addf(mail, *c == '\n' ? "\r\n" : "%c", *c);
}

static int send_file(const struct manifest *manifest, const char *path, unsigned timeout_ms,
                     struct err *err) {
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
    const int code = curl_run(&config, "=smtp,smtps", timeout_ms, manifest->notify.smtp, &answer, err);
    strbuf_fini(&config);
    strbuf_fini(&login);
    strbuf_fini(&answer);
    return code;
}

int notify_send_email(const struct manifest *manifest, const struct notification *message,
                      unsigned timeout_ms, struct err *err) {
    char path[] = "/tmp/assay-mail-XXXXXX";
    struct strbuf mail = {0};
    const int file = mkstemp(path);
    if (file < 0) return err_set_errno(err, ERR_CREATE, "cannot make a file in /tmp");
    close(file);
    write_mail(manifest, message, &mail);
    int code = file_write_atomic(path, mail.text, mail.length, err);
    if (code == 0) code = send_file(manifest, path, timeout_ms, err);
    unlink(path);
    strbuf_fini(&mail);
    return code;
}
