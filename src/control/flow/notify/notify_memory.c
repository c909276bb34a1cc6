// SPDX-License-Identifier: Apache-2.0
//
// See notify_memory.h.
#include "control/flow/notify/notify_memory.h"

#include "base/file.h"
#include "record/field.h"

#define SCHEMA_VERSION 1
#define TOLD_MAX       100000
#define KEPT_MAX       1000
#define PROBLEMS_MAX   10000

// ---- the members, a row each ----

#define NEEDED          (MEMBER_REQUIRED | MEMBER_WRITTEN)
#define PROBLEM(m, ...) MEMBER(struct notified_problem, #m, m, __VA_ARGS__)
static const struct member problem_list[] = {
    PROBLEM(name, "The problem.", NEEDED),
    PROBLEM(change_pct, "Positive is slower."),
};
static const struct member_table problem_members =
    MEMBER_TABLE(struct notified_problem, "notified_problem", problem_list, );

#define MESSAGE(m, ...) MEMBER(struct notification, #m, m, __VA_ARGS__)
static const struct member message_list[] = {
    MESSAGE(id, "The same whenever it is sent.", NEEDED),
    MESSAGE(branch, "Where the regression is.", NEEDED),
    MESSAGE(run_id, "Run that found it."),
    MESSAGE(device, "Name of the device."),
    MESSAGE(url, "Page of the job."),
    MESSAGE(subject, "First line.", NEEDED),
    MESSAGE(text, "The message.", NEEDED),
    MEMBER_LIST(struct notification, "problems", problems, problem_count, &problem_members, PROBLEMS_MAX,
                "That are slower.", NEEDED),
    MEMBER(struct notification, "is_email_due", is_due[NOTIFY_EMAIL], "It is still to be mailed."),
    MEMBER(struct notification, "is_webhook_due", is_due[NOTIFY_WEBHOOK], "It is still to be posted."),
    MEMBER(struct notification, "is_email_unanswered", is_unanswered[NOTIFY_EMAIL],
           "It was mailed whole, and no answer came in time."),
    MEMBER(struct notification, "is_webhook_unanswered", is_unanswered[NOTIFY_WEBHOOK],
           "It was posted whole, and no answer came in time."),
    MESSAGE(failed_commands, "Commands that could not send it."),
};
static const struct member_table message_members =
    MEMBER_TABLE(struct notification, "notification", message_list, );

#define TOLD(m, ...) MEMBER(struct told_problem, #m, m, __VA_ARGS__)
static const struct member told_list[] = {
    TOLD(branch, "Where.", NEEDED),
    TOLD(device, "Its identity.", NEEDED),
    TOLD(problem, "The problem.", NEEDED),
};
static const struct member_table told_members =
    MEMBER_TABLE(struct told_problem, "told_problem", told_list, );

static const struct member memory_list[] = {
    MEMBER_LIST(struct notify_memory, "told", told, told_count, &told_members, TOLD_MAX,
                "Regressions that were noticed.", NEEDED),
    MEMBER_LIST(struct notify_memory, "kept", kept, kept_count, &message_members, KEPT_MAX,
                "Messages to be sent, oldest first.", NEEDED),
};
static const struct member_table memory_members =
    MEMBER_TABLE(struct notify_memory, "notify_memory", memory_list, );

// ---- the document ----

void notify_memory_fini(struct notify_memory *memory) {
    arena_fini(&memory->arena);
    *memory = (struct notify_memory){0};
}

void notify_memory_write(const struct notify_memory *memory, struct strbuf *out) {
    struct json_writer w = json_writer_make(out, 1);
    json_object_begin(&w, NULL);
    json_write_u64(&w, "schema_version", SCHEMA_VERSION);
    members_write(&w, &memory_members, memory, NULL);
    json_object_end(&w);
    strbuf_add_char(out, '\n');
}

int notify_memory_write_file(const struct notify_memory *memory, const char *path, struct err *err) {
    struct strbuf text = {0};
    notify_memory_write(memory, &text);
    const int code = file_write_atomic(path, strbuf_text(&text), text.length, err);
    strbuf_fini(&text);
    return code;
}

static int document_parse(const struct json_at *at, struct notify_memory *ret, struct err *err) {
    TRY(field_check_version(at, "schema_version", SCHEMA_VERSION, err));
    members_forget(&memory_members, ret);
    return members_read(at, &memory_members, &ret->arena, ret, NULL, err);
}

int notify_memory_parse(const json_t *root, const char *where, struct notify_memory *ret, struct err *err) {
    struct notify_memory memory = {0};
    const struct json_at at = {.value = root, .where = where};
    const int code = document_parse(&at, &memory, err);
    if (code < 0)
        notify_memory_fini(&memory);
    else
        *ret = memory;
    return code;
}

int notify_memory_read_file(const char *path, struct notify_memory *ret, struct err *err) {
    json_t *root = NULL;
    *ret = (struct notify_memory){0};
    if (!file_exists(path)) return 0;
    TRY(json_read_file(path, &root, err));
    const int code = notify_memory_parse(root, path, ret, err);
    json_decref(root);
    return code;
}
