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
#include "base/clock.h"
#include "base/comma.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/interrupt.h"
#include "control/compile/revision.h"
#include "control/flow/history_keep.h"
#include "control/flow/notify/notify_compose.h"
#include "control/flow/notify/notify_send.h"
#include "store/store_folder.h"

#define BRANCHES     "main,master"
#define COMMANDS_MAX 20 // that try to send a message
#define LOCK_NS      UINT64_C(3000000000)
#define LOOK_NS      UINT64_C(50000000) // from one look at a lock to the next

struct telling {
    struct session *session;
    const struct result *result;
    const char *branch, *path; // path: of the memory
    struct notify_case *cases; // of all kernels
    size_t case_count;
    struct notify_memory memory;
    bool is_changed; // the memory, since it was read
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

static bool is_named_alike(const struct told_problem *told, const struct telling *telling,
                           const struct notify_case *one) {
    return str_equal(told->branch, telling->branch) && str_equal(told->problem, one->name);
}

static bool is_about(const struct told_problem *told, const struct telling *telling,
                     const struct notify_case *one) {
    return is_named_alike(told, telling, one) && str_equal(told->device, device_of(telling));
}

static bool is_not_slower(enum verdict verdict) {
    return verdict == VERDICT_MAINTAINED || verdict == VERDICT_IMPROVEMENT || verdict == VERDICT_SAME_CODE;
}

// The baseline's machine code is not slower on any device. A gate that finds it opens none, so it
// knows no uuid.
static bool is_over_by(const struct told_problem *told, const struct telling *telling,
                       const struct notify_case *one) {
    if (one->item->verdict == VERDICT_SAME_CODE) return is_named_alike(told, telling, one);
    return is_not_slower(one->item->verdict) && is_about(told, telling, one);
}

static bool is_over(const struct telling *telling, const struct told_problem *told) {
    for (size_t i = 0; i < telling->case_count; ++i)
        if (is_over_by(told, telling, &telling->cases[i])) return true;
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

// Takes what became of the messages that were to be sent into the memory as it is now: behind them others may
// have added more, and nobody else takes one away. A server that never takes a message gets no more than so
// many tries. Adds to the complaint what is lost.
static void keep_what_is_due(struct notify_memory *now, const struct notify_memory *sent,
                             struct strbuf *complaint) {
    size_t left = 0;
    for (size_t i = 0; i < now->kept_count; ++i) {
        struct notification message = now->kept[i];
        const bool was_tried = i < sent->kept_count && str_equal(message.id, sent->kept[i].id);
        if (was_tried) message = sent->kept[i];
        if (!is_due(&message)) continue;
        if (!was_tried || ++message.failed_commands < COMMANDS_MAX)
            now->kept[left++] = message;
        else
            strbuf_addf(complaint, "; given up after %d commands: '%s'", COMMANDS_MAX, message.subject);
    }
    now->kept_count = left;
}

static void say_what_is_kept(const struct notify_memory *memory, const char *path, struct strbuf *complaint) {
    const size_t count = memory->kept_count;
    if (count && complaint->length)
        strbuf_addf(complaint,
                    "; %zu message%s kept in %s, for the next gate on the branch or `assay notify` to send",
                    count, count == 1 ? " is" : "s are", path);
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

// ---- all of it ----

// *ret_fd: to be closed. ERR_UNAVAILABLE: another command had it all the time.
static int lock_in_time(const struct telling *telling, const char *what, int *ret_fd, struct err *err) {
    const char *lock = arena_format(&telling->session->arena, "%s.%s", telling->path, what);
    const uint64_t deadline_ns = clock_ns() + LOCK_NS;
    int code = file_lock_open(lock, false, ret_fd, err);
    while (code == -ERR_UNAVAILABLE && clock_ns() < deadline_ns && !interrupt_is_set()) {
        clock_sleep_ns(LOOK_NS);
        code = file_lock_open(lock, false, ret_fd, err);
    }
    return code;
}

static int read_memory(const char *path, struct notify_memory *ret, struct err *err) {
    struct err cause = {0};
    if (notify_memory_read_file(path, ret, &cause) == 0) return 0;
    return err_set(err, cause.code, "%s; remove the file to begin a new one", cause.text);
}

static int notice_what_is_new(struct telling *telling, struct strbuf *complaint, struct err *err) {
    size_t count = 0;
    (void)complaint;
    TRY(read_memory(telling->path, &telling->memory, err));
    forget_what_is_over(telling);
    const struct notify_case *cases = find_new(telling, &count);
    if (count) notice(telling, cases, count);
    return telling->is_changed ? notify_memory_write_file(&telling->memory, telling->path, err) : 0;
}

static int write_what_is_due(struct telling *telling, struct strbuf *complaint, struct err *err) {
    struct notify_memory now;
    TRY(read_memory(telling->path, &now, err));
    keep_what_is_due(&now, &telling->memory, complaint);
    say_what_is_kept(&now, telling->path, complaint);
    const int code = notify_memory_write_file(&now, telling->path, err);
    notify_memory_fini(&now);
    return code;
}

// The memory is locked while it is read and written, never while a server is asked.
typedef int (*memory_step)(struct telling *telling, struct strbuf *complaint, struct err *err);
static int with_memory_locked(memory_step step, struct telling *telling, struct strbuf *complaint,
                              struct err *err) {
    int fd = -1, code = lock_in_time(telling, "lock", &fd, err);
    if (code == 0) code = step(telling, complaint, err);
    file_lock_close(fd);
    return code;
}

// *ret_count: how many regressions were told.
static int send_kept(struct telling *telling, size_t *ret_count, struct strbuf *complaint, struct err *err) {
    struct notify_memory *memory = &telling->memory;
    notify_memory_fini(memory);
    TRY(read_memory(telling->path, memory, err)); // the command before us has sent some of it
    if (!memory->kept_count) return 0;
    drop_lost_ways(telling);
    struct notification *before = arena_array(&memory->arena, memory->kept_count, sizeof *before);
    memcpy(before, memory->kept, memory->kept_count * sizeof *before);
    notify_send_kept(&telling->session->manifest, memory, complaint);
    *ret_count = count_sent(before, memory->kept, memory->kept_count);
    return with_memory_locked(write_what_is_due, telling, complaint, err);
}

// One command sends at a time; another waits a few seconds at most, and then leaves its messages.
static int send_alone(struct telling *telling, size_t *ret_count, struct strbuf *complaint, struct err *err) {
    int fd = -1, code = lock_in_time(telling, "sending.lock", &fd, err);
    const bool is_busy = code == -ERR_UNAVAILABLE;
    if (code == 0) code = send_kept(telling, ret_count, complaint, err);
    file_lock_close(fd);
    if (!is_busy) return code;
    strbuf_add(complaint, "another command is sending messages");
    say_what_is_kept(&telling->memory, telling->path, complaint);
    return 0;
}

static int tell(struct telling *telling, size_t *ret_count, struct strbuf *complaint, struct err *err) {
    int code = store_folder_make(telling->path, err);
    if (code == 0) code = with_memory_locked(notice_what_is_new, telling, complaint, err);
    if (code == 0 && telling->memory.kept_count) code = send_alone(telling, ret_count, complaint, err);
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

// Why nobody is told anything of the branch; NULL: somebody is.
static const char *why_unwanted(struct session *session, const char *branch) {
    const struct manifest *manifest = &session->manifest;
    const char *branches = str_or(manifest->notify.branches, BRANCHES);
    bool has_way = false;
    for (enum notify_way way = 0; way < NOTIFY_WAY_COUNT; ++way) has_way |= notify_has_way(manifest, way);
    if (!session->has_manifest) return "there is no manifest, whose 'notify' says whom to tell";
    if (!has_way)
        return arena_format(&session->arena,
                            "%s tells nobody: its 'notify' has neither 'email_to' nor 'webhook'",
                            manifest->path);
    if (!branch) return "no branch is checked out; --branch says which one the result is of";
    if (is_named(branches, branch)) return NULL;
    return arena_format(&session->arena, "nobody is told of branch '%s': 'branches' of 'notify' are %s",
                        branch, branches);
}

// Of a result that had nothing new, where nothing was kept either.
static const char *why_nothing_new(const struct telling *telling) {
    size_t count = 0, accepted_count = 0;
    for (size_t i = 0; i < telling->case_count; ++i) {
        const struct decision_case *item = telling->cases[i].item;
        if (item->verdict != VERDICT_REGRESSION) continue;
        ++count;
        accepted_count += item->accepted != NULL;
    }
    if (!telling->case_count) return "the result has no decision; assay gate makes one";
    if (!count) return "no problem is a regression";
    if (accepted_count == count) return "every regression is accepted";
    return arena_format(&telling->session->arena,
                        "what is slower was told before, on branch %s and this device", telling->branch);
}

struct notify_told notify_result(struct session *session, const struct notify_request *request) {
    struct err err = {0};
    struct strbuf complaint = {0};
    struct notify_told ret = {.nothing_due = why_unwanted(session, request->branch)};
    if (ret.nothing_due) return ret;
    struct telling telling = {.session = session,
                              .result = request->result,
                              .branch = request->branch,
                              .path = memory_path(session)};
    list_cases(&telling, request);
    if (tell(&telling, &ret.count, &complaint, &err) < 0)
        strbuf_addf(&complaint, "%snotify: %s", complaint.length ? "; " : "", err.text);
    if (complaint.length) ret.warning = arena_strdup(&session->arena, complaint.text);
    if (!ret.count && !ret.warning) ret.nothing_due = why_nothing_new(&telling);
    notify_memory_fini(&telling.memory);
    strbuf_fini(&complaint);
    return ret;
}
