// SPDX-License-Identifier: Apache-2.0
//
// A message as an e-mail.
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/comma.h"
#include "base/file.h"
#include "base/mem.h"
#include "code_host/curl_run.h"
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

static enum notify_answer answer_of(const struct curl_end *end, size_t byte_count) {
    if (end->exit_code == 0) return NOTIFY_TAKEN;
    if (end->status / 100 == 4) return NOTIFY_AGAIN;
    return end->status / 100 == 5 ? NOTIFY_REFUSED : notify_answer_by_end(end, byte_count);
}

#define CURL_NO_TLS 64 // the server does not offer it

// curl asks for no TLS by itself where the address is smtp://. A password goes through TLS or nowhere.
static void add_login(const struct manifest *manifest, struct strbuf *config) {
    const char *user = getenv(NOTIFY_USER_ENV), *password = getenv(NOTIFY_PASSWORD_ENV);
    const bool has_login = user && *user;
    struct strbuf login = {0};
    if (!manifest->notify.smtp_tls) strbuf_add(config, has_login ? "ssl-reqd\n" : "ssl\n");
    if (!has_login) return;
    strbuf_addf(&login, "%s:%s", user, str_or(password, ""));
    curl_add_option(config, "user", login.text);
    strbuf_fini(&login);
}

static void add_recipients(const char *list, struct strbuf *config) {
    struct comma_item item;
    for (const char *at = list; comma_next(&at, &item);) {
        char *address = mem_format("%.*s", (int)item.length, item.text);
        curl_add_option(config, "mail-rcpt", address);
        free(address);
    }
}

static struct curl_end send_file(const struct manifest *manifest, const char *path, unsigned timeout_ms,
                                 struct err *err) {
    struct strbuf config = {0}, said = {0};
    struct curl_end ret = {0};
    curl_add_option(&config, "url", manifest->notify.smtp);
    curl_add_option(&config, "mail-from", manifest->notify.email_from);
    add_recipients(manifest->notify.email_to, &config);
    curl_add_option(&config, "upload-file", path);
    add_login(manifest, &config);
    const struct curl_task task = {.config = &config,
                                   .protocols = "=smtp,smtps",
                                   .timeout_ms = timeout_ms,
                                   .what = manifest->notify.smtp};
    curl_run(&task, &ret, &said, err);
    if (ret.exit_code == CURL_NO_TLS)
        err_set(err, ERR_UNAVAILABLE,
                "%s offers no TLS, without which no password is sent: try smtps:// or another port, or for a "
                "server on this machine 'smtp_tls: none' in 'notify'",
                str_shown(manifest->notify.smtp).text);
    strbuf_fini(&config);
    strbuf_fini(&said);
    return ret;
}

enum notify_answer notify_send_email(const struct manifest *manifest, const struct notification *message,
                                     unsigned timeout_ms, struct err *err) {
    char path[] = "/tmp/assay-mail-XXXXXX";
    enum notify_answer ret = NOTIFY_REFUSED;
    struct strbuf mail = {0};
    const int file = mkstemp(path);
    if (file < 0) {
        err_set_errno(err, ERR_CREATE, "cannot make a file in /tmp");
        return ret;
    }
    close(file);
    write_mail(manifest, message, &mail);
    if (file_write_atomic(path, mail.text, mail.length, err) == 0) {
        const struct curl_end end = send_file(manifest, path, timeout_ms, err);
        ret = answer_of(&end, mail.length);
    }
    unlink(path);
    strbuf_fini(&mail);
    return ret;
}
