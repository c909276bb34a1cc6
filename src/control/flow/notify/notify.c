// SPDX-License-Identifier: Apache-2.0
//
// What is new, and what is still to be sent. A regression is noticed once: then it is in the memory, with its
// message, until the problem is found not slower; the message stays until it went every way. The memory is
// written before anything is sent. So a command that is killed, or whose servers are dead, leaves the message
// to the next one; killed between a server's answer and the memory, it is sent twice, with the same id.
#include "control/flow/notify/notify.h"

#include <stdlib.h>
#include <string.h>

#include "base/address.h"
#include "base/comma.h"
#include "base/file.h"
#include "base/hash.h"
#include "control/compile/revision.h"
#include "control/flow/history_keep.h"
#include "control/flow/notify/notify_compose.h"
#include "control/flow/notify/notify_send.h"

#define BRANCHES     "main,master"
#define COMMANDS_MAX 20 // that try to send a message

struct telling {
    struct session *session;
    const struct result *result;
    const char *branch, *path; // path: of the memory
    struct notify_case *cases; // of all kernels
    size_t case_count;
    struct notify_memory memory;
    bool is_changed; // the memory, since it was read or written
};

// ---- the problems of a gate ----

// Names of a family's document begin with the kernel already.
static const char *kernel_of(const struct result *result) {
    for (size_t i = 0; i < result->side_count; ++i)
        if (result->sides[i].role == SIDE_CANDIDATE) return result->sides[i].kernel;
    return NULL;
}

static void add_cases(struct telling *telling, const char *kernel, const struct decision *decision) {
    struct arena *arena = &telling->session->arena;
    if (!decision) return;
    struct notify_case *cases =
        arena_array(arena, telling->case_count + decision->case_count + 1, sizeof *cases);
    if (telling->case_count) memcpy(cases, telling->cases, telling->case_count * sizeof *cases);
    for (size_t i = 0; i < decision->case_count; ++i) {
        const struct decision_case *item = &decision->cases[i];
        const char *prefix = kernel ? arena_format(arena, "%s: ", kernel) : "";
        cases[telling->case_count++] =
            (struct notify_case){.name = arena_format(arena, "%s%s", prefix, item->name),
                                 .shown = arena_format(arena, "%s%s", prefix, decision_case_name(item)),
                                 .item = item};
    }
    telling->cases = cases;
}

static void list_cases(struct telling *telling, const struct notify_request *request) {
    for (size_t i = 0; i < request->member_count; ++i)
        add_cases(telling, request->members[i].kernel, request->members[i].decision);
    if (!request->members) add_cases(telling, kernel_of(request->result), request->result->decision);
}

// ---- what is new ----

static const char *device_of(const struct telling *telling) {
    return str_or(telling->result->environment.device_uuid, "");
}

static bool is_about(const struct told_problem *told, const struct telling *telling,
                     const struct notify_case *one) {
    return str_equal(told->branch, telling->branch) && str_equal(told->device, device_of(telling)) &&
           str_equal(told->problem, one->name);
}

static bool is_not_slower(enum verdict verdict) {
    return verdict == VERDICT_MAINTAINED || verdict == VERDICT_IMPROVEMENT || verdict == VERDICT_SAME_CODE;
}

static bool is_over(const struct telling *telling, const struct told_problem *told) {
    for (size_t i = 0; i < telling->case_count; ++i)
        if (is_not_slower(telling->cases[i].item->verdict) && is_about(told, telling, &telling->cases[i]))
            return true;
    return false;
}

static void forget_what_is_over(struct telling *telling) {
    struct notify_memory *memory = &telling->memory;
    size_t left = 0;
    for (size_t i = 0; i < memory->told_count; ++i)
        if (!is_over(telling, &memory->told[i])) memory->told[left++] = memory->told[i];
    telling->is_changed |= left < memory->told_count;
    memory->told_count = left;
}

static bool is_new(const struct telling *telling, const struct notify_case *one) {
    const struct notify_memory *memory = &telling->memory;
    if (one->item->verdict != VERDICT_REGRESSION || one->item->accepted) return false;
    for (size_t i = 0; i < memory->told_count; ++i)
        if (is_about(&memory->told[i], telling, one)) return false;
    return true;
}

// The regressions that are new, in the arena.
static struct notify_case *find_new(struct telling *telling, size_t *ret_count) {
    struct notify_case *ret = arena_array(&telling->memory.arena, telling->case_count + 1, sizeof *ret);
    *ret_count = 0;
    for (size_t i = 0; i < telling->case_count; ++i)
        if (is_new(telling, &telling->cases[i])) ret[(*ret_count)++] = telling->cases[i];
    return ret;
}

static void notice(struct telling *telling, const struct notify_case *cases, size_t count) {
    struct notify_memory *memory = &telling->memory;
    struct told_problem *told = arena_array(&memory->arena, memory->told_count + count, sizeof *told);
    struct notification *kept = arena_array(&memory->arena, memory->kept_count + 1, sizeof *kept);
    if (memory->told_count) memcpy(told, memory->told, memory->told_count * sizeof *told);
    if (memory->kept_count) memcpy(kept, memory->kept, memory->kept_count * sizeof *kept);
    for (size_t i = 0; i < count; ++i)
        told[memory->told_count++] = (struct told_problem){
            .branch = telling->branch, .device = device_of(telling), .problem = cases[i].name};
    kept[memory->kept_count++] =
        notify_compose(telling->session, telling->result, telling->branch, cases, count);
    memory->told = told;
    memory->kept = kept;
    telling->is_changed = true;
}

// ---- sending ----

static bool is_due(const struct notification *message) {
    for (enum notify_way way = 0; way < NOTIFY_WAY_COUNT; ++way)
        if (message->is_due[way]) return true;
    return false;
}

// A way that the manifest does not name any more.
static void drop_lost_ways(struct telling *telling) {
    for (size_t i = 0; i < telling->memory.kept_count; ++i)
        for (enum notify_way way = 0; way < NOTIFY_WAY_COUNT; ++way)
            telling->memory.kept[i].is_due[way] &= notify_has_way(&telling->session->manifest, way);
}

// Keeps the messages that are still due, of which a server that never takes them gets no more than so many
// tries. Adds to the complaint what is lost, and where the rest is.
static void keep_what_is_due(struct telling *telling, struct strbuf *complaint) {
    struct notify_memory *memory = &telling->memory;
    size_t left = 0;
    for (size_t i = 0; i < memory->kept_count; ++i) {
        struct notification *message = &memory->kept[i];
        if (!is_due(message)) continue;
        if (++message->failed_commands < COMMANDS_MAX)
            memory->kept[left++] = *message;
        else
            strbuf_addf(complaint, "; given up after %d commands: '%s'", COMMANDS_MAX, message->subject);
    }
    memory->kept_count = left;
    if (left)
        strbuf_addf(complaint,
                    "; %zu message%s kept in %s, for the next gate on the branch or `assay notify` to send",
                    left, left == 1 ? " is" : "s are", telling->path);
}

static size_t count_sent(const struct notification *before, const struct notification *after, size_t count) {
    size_t ret = 0;
    for (size_t i = 0; i < count; ++i) {
        bool is_sent = false;
        for (enum notify_way way = 0; way < NOTIFY_WAY_COUNT; ++way)
            is_sent |= before[i].is_due[way] && !after[i].is_due[way];
        if (is_sent) ret += after[i].problem_count;
    }
    return ret;
}

// Returns how many regressions were told.
static size_t send_kept(struct telling *telling, struct strbuf *complaint) {
    struct notify_memory *memory = &telling->memory;
    drop_lost_ways(telling);
    struct notification *before = arena_array(&memory->arena, memory->kept_count, sizeof *before);
    memcpy(before, memory->kept, memory->kept_count * sizeof *before);
    notify_send_kept(&telling->session->manifest, memory, complaint);
    const size_t ret = count_sent(before, memory->kept, memory->kept_count);
    keep_what_is_due(telling, complaint);
    telling->is_changed = true;
    return ret;
}

// ---- all of it ----

static int write_changed(struct telling *telling, struct err *err) {
    if (!telling->is_changed) return 0;
    telling->is_changed = false;
    return notify_memory_write_file(&telling->memory, telling->path, err);
}

static int tell(struct telling *telling, size_t *ret_count, struct strbuf *complaint, struct err *err) {
    struct err cause = {0};
    if (notify_memory_read_file(telling->path, &telling->memory, &cause) < 0)
        return err_set(err, cause.code, "%s; remove the file to begin a new one", cause.text);
    size_t count = 0;
    forget_what_is_over(telling);
    const struct notify_case *cases = find_new(telling, &count);
    if (count) notice(telling, cases, count);
    TRY(write_changed(telling, err));
    if (telling->memory.kept_count) *ret_count = send_kept(telling, complaint);
    return write_changed(telling, err);
}

// One command at a time; the other waits a few seconds at most.
static int tell_alone(struct telling *telling, size_t *ret_count, struct strbuf *complaint, struct err *err) {
    const char *lock = arena_format(&telling->session->arena, "%s.lock", telling->path);
    char *folder = path_dir(telling->path);
    int fd = -1, code = file_make_dirs(folder, err);
    if (code == 0) code = file_lock_open(lock, true, &fd, err);
    if (code == 0) code = tell(telling, ret_count, complaint, err);
    file_lock_close(fd);
    free(folder);
    return code;
}

// What is the same in every checkout of the project, wherever a runner builds: its repository's origin, and
// the manifest's place there. Else the folder.
static void project_hex(const char *dir, char *ret) {
    char *origin = revision_origin(dir), *prefix = origin ? revision_prefix(dir) : NULL;
    struct hash_state *hash = hash_new();
    hash_add_text(hash, prefix ? origin : dir);
    hash_add_text(hash, str_or(prefix, ""));
    hash_take_hex(hash, ret);
    free(origin);
    free(prefix);
}

// Beside the store, which outlives a runner's checkout, and may serve several projects. Where the store is no
// file, beside the manifest.
static const char *memory_path(struct session *session) {
    const char *store = history_path(session, NULL), *dir = session->manifest.dir;
    char project[HASH_HEX_BYTES];
    if (!store || address_is_remote(store)) store = arena_format(&session->arena, "%s/" HISTORY_FILE, dir);
    char *folder = path_dir(store);
    project_hex(dir, project);
    const char *ret = arena_format(&session->arena, "%s/notify-%.8s.json", folder, project);
    free(folder);
    return ret;
}

static bool is_named(const char *list, const char *branch) {
    struct comma_item item;
    for (const char *at = list; comma_next(&at, &item);)
        if (comma_item_is(item, branch)) return true;
    return false;
}

static bool is_wanted(const struct session *session, const char *branch) {
    const struct manifest *manifest = &session->manifest;
    bool has_way = false;
    for (enum notify_way way = 0; way < NOTIFY_WAY_COUNT; ++way) has_way |= notify_has_way(manifest, way);
    return session->has_manifest && branch && has_way &&
           is_named(str_or(manifest->notify.branches, BRANCHES), branch);
}

void notify_result(struct session *session, const struct notify_request *request, size_t *ret_count,
                   const char **ret_warning) {
    struct err err = {0};
    struct strbuf complaint = {0};
    *ret_count = 0;
    *ret_warning = NULL;
    if (!is_wanted(session, request->branch)) return;
    struct telling telling = {.session = session,
                              .result = request->result,
                              .branch = request->branch,
                              .path = memory_path(session)};
    list_cases(&telling, request);
    if (tell_alone(&telling, ret_count, &complaint, &err) < 0)
        strbuf_addf(&complaint, "%snotify: %s", complaint.length ? "; " : "", err.text);
    if (complaint.length) *ret_warning = arena_strdup(&session->arena, complaint.text);
    notify_memory_fini(&telling.memory);
    strbuf_fini(&complaint);
}
