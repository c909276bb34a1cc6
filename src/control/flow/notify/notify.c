// SPDX-License-Identifier: Apache-2.0
//
// What is new, and what was told. The memory is a file of lines, "BRANCH<tab>DEVICE<tab>PROBLEM": a
// regression that was told, until the problem is found not slower.
#include "control/flow/notify/notify.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/comma.h"
#include "base/file.h"
#include "base/plain_text.h"
#include "base/strbuf.h"
#include "control/report/result/figure_text.h"

#define TOLD_FILE     ".assay/notified.txt"
#define TOLD_BYTES    ((size_t)4 << 20)
#define BRANCHES      "main,master"
#define CASES_IN_TEXT 20

struct telling {
    struct session *session;
    const struct result *result;
    const char *branch;
    struct arena *arena;
    const char *path;   // of the memory
    struct strbuf kept; // lines that stay
};

static bool is_named(const char *list, const char *branch) {
    struct comma_item item;
    for (const char *at = list; comma_next(&at, &item);)
        if (comma_item_is(item, branch)) return true;
    return false;
}

static const char *key_of(const struct telling *telling, const struct decision_case *item) {
    struct strbuf key = {0};
    strbuf_add_plain(&key, telling->branch, true);
    strbuf_add_char(&key, '\t');
    strbuf_add_plain(&key, str_or(telling->result->environment.device_uuid, ""), true);
    strbuf_add_char(&key, '\t');
    strbuf_add_plain(&key, item->name, true);
    const char *ret = arena_strdup(telling->arena, key.text);
    strbuf_fini(&key);
    return ret;
}

// The lines of the memory; "" where there is none.
static const char *read_told(struct telling *telling, struct err *err) {
    char *text = NULL;
    size_t length = 0;
    if (!file_exists(telling->path)) return "";
    if (file_read(telling->path, TOLD_BYTES, &text, &length, err) < 0) return NULL;
    const char *ret = arena_strndup(telling->arena, text, length);
    free(text);
    return ret;
}

static bool has_line(const char *lines, const char *key) {
    const size_t length = strlen(key);
    for (const char *at = lines; *at; at += strcspn(at, "\n") + (at[strcspn(at, "\n")] == '\n'))
        if (strcspn(at, "\n") == length && strncmp(at, key, length) == 0) return true;
    return false;
}

static bool is_not_slower(enum verdict verdict) {
    return verdict == VERDICT_MAINTAINED || verdict == VERDICT_IMPROVEMENT || verdict == VERDICT_SAME_CODE;
}

// Keeps what was told of other problems, and of those that are slower still.
static void keep_lines(struct telling *telling, const char *lines) {
    const struct decision *decision = telling->result->decision;
    for (const char *at = lines; *at;) {
        const size_t length = strcspn(at, "\n");
        const char *line = arena_strndup(telling->arena, at, length);
        bool is_over = false;
        for (size_t i = 0; i < decision->case_count && !is_over; ++i)
            is_over = is_not_slower(decision->cases[i].verdict) &&
                      str_equal(key_of(telling, &decision->cases[i]), line);
        if (!is_over && length) strbuf_addf(&telling->kept, "%s\n", line);
        at += length + (at[length] == '\n');
    }
}

static void compose(const struct telling *telling, struct notification *ret) {
    struct arena *arena = telling->arena;
    struct strbuf text = {0};
    ret->subject = arena_format(arena, "assay: %zu regression%s on %s", ret->count,
                                ret->count == 1 ? "" : "s", telling->branch);
    strbuf_add_linef(&text, "%s, %s", ret->subject, str_or(ret->device, "a device"));
    for (size_t i = 0; i < ret->count && i < CASES_IN_TEXT; ++i)
        strbuf_add_linef(&text, "- %s: %s", decision_case_name(ret->cases[i]),
                         figure_change(ret->cases[i], arena));
    if (ret->count > CASES_IN_TEXT) strbuf_addf(&text, "- and %zu more\n", ret->count - CASES_IN_TEXT);
    strbuf_add_linef(&text, "%s", str_or(telling->result->decision->sentence, ""));
    if (ret->url) strbuf_add_linef(&text, "%s", ret->url);
    strbuf_add_linef(&text, "assay report %s", str_or(ret->run_id, "RUN"));
    ret->text = arena_strdup(arena, text.text);
    strbuf_fini(&text);
}

static struct notification find_new(struct telling *telling, const char *told) {
    const struct decision *decision = telling->result->decision;
    struct arena *arena = telling->arena;
    const struct decision_case **cases = arena_array(arena, decision->case_count + 1, sizeof *cases);
    struct notification ret = {.branch = telling->branch,
                               .run_id = telling->result->run_id,
                               .device = telling->result->environment.device_name,
                               .cases = cases};
    for (size_t i = 0; i < decision->case_count; ++i) {
        const struct decision_case *item = &decision->cases[i];
        if (item->verdict != VERDICT_REGRESSION || item->accepted || has_line(told, key_of(telling, item)))
            continue;
        cases[ret.count++] = item;
        strbuf_addf(&telling->kept, "%s\n", key_of(telling, item));
    }
    if (ret.count) compose(telling, &ret);
    return ret;
}

// By every way that the manifest names. False: none of them worked.
static bool send_all(struct telling *telling, const struct notification *notification,
                     const char **ret_warning) {
    const struct manifest *manifest = &telling->session->manifest;
    struct err err = {0};
    bool has_arrived = false;
    if (manifest->notify.email_to) {
        if (notify_send_email(manifest, notification, &err) == 0)
            has_arrived = true;
        else
            *ret_warning = arena_format(telling->arena, "no e-mail was sent: %s", err.text);
    }
    if (manifest->notify.webhook) {
        if (notify_send_webhook(manifest->notify.webhook, notification, &err) == 0)
            has_arrived = true;
        else
            *ret_warning = arena_format(telling->arena, "the webhook was not told: %s", err.text);
    }
    return has_arrived;
}

static int tell(struct telling *telling, size_t *ret_count, const char **ret_warning, struct err *err) {
    const char *told = read_told(telling, err);
    if (!told) return -(int)err->code;
    keep_lines(telling, told);
    const struct notification notification = find_new(telling, told);
    if (notification.count && !send_all(telling, &notification, ret_warning))
        return 0; // told by the next run
    *ret_count = notification.count;
    if (str_equal(strbuf_text(&telling->kept), told)) return 0;
    char *folder = path_dir(telling->path);
    int code = file_make_dirs(folder, err);
    free(folder);
    if (code == 0)
        code = file_write_atomic(telling->path, strbuf_text(&telling->kept), telling->kept.length, err);
    return code;
}

void notify_result(struct session *session, const struct result *result, const char *branch,
                   size_t *ret_count, const char **ret_warning) {
    const struct manifest *manifest = &session->manifest;
    struct err err = {0};
    *ret_count = 0;
    *ret_warning = NULL;
    if (!session->has_manifest || !result->decision || !branch) return;
    if (!manifest->notify.email_to && !manifest->notify.webhook) return;
    if (!is_named(str_or(manifest->notify.branches, BRANCHES), branch)) return;
    struct telling telling = {.session = session,
                              .result = result,
                              .branch = branch,
                              .arena = &session->arena,
                              .path = arena_format(&session->arena, "%s/" TOLD_FILE, manifest->dir)};
    if (tell(&telling, ret_count, ret_warning, &err) < 0)
        *ret_warning = arena_format(&session->arena, "notify: %s", err.text);
    strbuf_fini(&telling.kept);
}
