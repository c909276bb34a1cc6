// SPDX-License-Identifier: Apache-2.0
//
// See device_lock.h. The lock is a file of a folder that all users of the machine share.
#include "control/flow/device_lock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/comma.h"
#include "base/file.h"
#include "base/interrupt.h"
#include "base/mem.h"
#include "base/shared_lock.h"
#include "base/str.h"
#include "control/flow/worker_query.h"
#include "control/plan/device_kind.h"

#define LOCKS_ENV "ASSAY_LOCKS"
#define NO_LOCKS  "none"
// Locks that a process which started this one holds. It waits for us, so we must not wait for it: a profiler
// runs `assay bench`, and a proposer may measure.
#define HELD_ENV "ASSAY_LOCK_HELD"

// Tries again after this time. A wait inside of flock could not be interrupted without a race, and this costs
// who measures nothing: three system calls, four times a second.
#define POLL_NS UINT64_C(250000000)

enum { NAME_BYTES = 80, PATH_BYTES = 4096, HOLDER_BYTES = 128, DAY_S = 86400 };

// ---- names ----

// A GPU's number depends on CUDA_VISIBLE_DEVICES, its UUID does not. A device that cannot be asked is not
// there, which the run will say in better words.
static void name_device(const struct device_lock_user *user, char ret_name[NAME_BYTES]) {
    struct arena arena = {0};
    struct device_identity identity = {0};
    const struct plan plan = {.device = user->device, .thread_count = user->thread_count};
    const struct device_kind *kind = device_kind_of(user->device);
    struct err unread = {0};
    const char *name = user->device;
    if (kind && !kind->is_single && query_device_identity(&plan, &arena, &identity, &unread) == 0)
        name = identity.uuid;
    snprintf(ret_name, NAME_BYTES, "%s", name);
    for (char *c = ret_name; *c; ++c) {
        const bool is_plain =
            (*c >= '0' && *c <= '9') || (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z');
        if (!is_plain && *c != '-') *c = '_';
    }
    arena_fini(&arena);
}

static bool is_held_above(const char *name) {
    struct comma_item item;
    for (const char *at = getenv(HELD_ENV); comma_next(&at, &item);)
        if (comma_item_is(item, name)) return true;
    return false;
}

// The same for all users: one that only some may write to would give each group a lock of its own. NULL:
// there are no more.
static const char *folder_at(size_t index) {
    static const char *const shared[] = {"/run/lock", "/tmp"};
    const char *asked = getenv(LOCKS_ENV);
    struct stat info;
    if (asked && *asked) return index == 0 ? asked : NULL;
    const bool has_run_lock =
        stat(shared[0], &info) == 0 && S_ISDIR(info.st_mode) && (info.st_mode & S_IWOTH) != 0;
    index += !has_run_lock;
    return index < sizeof shared / sizeof *shared ? shared[index] : NULL;
}

// ---- words ----

static void say(const struct device_lock_user *user, const char *text) {
    if (user->on_notice) user->on_notice(user->arg, text);
}

// "another assay measures on cpu (gate, pid 1234, since 12:03)"
static char *holder_text(const struct device_lock_user *user, const struct lock_holder *holder) {
    char since[32] = "";
    struct tm local;
    const time_t at = (time_t)holder->since_s;
    const bool is_old = llabs((long long)(clock_unix_s() - holder->since_s)) >= DAY_S;
    if (!holder->pid || !localtime_r(&at, &local) ||
        strftime(since, sizeof since, is_old ? "%Y-%m-%d %H:%M" : "%H:%M", &local) == 0)
        return mem_format("another assay measures on %s", user->device);
    return mem_format("another assay measures on %s (%s, pid %ld, since %s)", user->device, holder->command,
                      holder->pid, since);
}

static void say_waiting(const struct device_lock_user *user, const struct lock_holder *holder) {
    char *who = holder_text(user, holder), *text = mem_format("%s: waiting", who);
    say(user, text);
    free(text);
    free(who);
}

static int refuse_waiting(const struct device_lock_user *user, const struct lock_holder *holder,
                          struct err *err) {
    char *who = holder_text(user, holder);
    const int code =
        err_set(err, ERR_BUSY, "%s: try again later, or leave --no-wait out to wait for it", who);
    free(who);
    return code;
}

// A lock that cannot be made is no reason not to measure.
static void say_no_lock(const struct device_lock_user *user, const char *why) {
    char *text = mem_format("%s; another assay may measure on %s at the same time (" LOCKS_ENV
                            "=DIR names another folder for locks)",
                            why, user->device);
    say(user, text);
    free(text);
}

// ---- taking it ----

static void hold(struct device_lock *lock, const struct device_lock_user *user, const char *name, int fd) {
    const char *outer = getenv(HELD_ENV);
    struct lock_holder holder = {.pid = (long)getpid(), .since_s = clock_unix_s()};
    snprintf(holder.command, sizeof holder.command, "%s", user->command ? user->command : "assay");
    shared_lock_sign(fd, &holder);
    lock->fd = fd;
    lock->is_held = true;
    snprintf(lock->outer, sizeof lock->outer, "%s", outer ? outer : "");
    char *held = mem_format("%s%s%s", lock->outer, *lock->outer ? "," : "", name);
    setenv(HELD_ENV, held, 1);
    free(held);
}

// SHARED_LOCK_TAKEN: lock->fd is open. Negative: there can be no lock of that path (ERR_CREATE), or nobody
// waits for it.
static int wait_for(struct device_lock *lock, const struct device_lock_user *user, const char *path,
                    int *ret_fd, struct err *err) {
    const uint64_t start_ns = clock_ns();
    bool is_said = false;
    for (;;) {
        struct lock_holder holder;
        const int code = shared_lock_try(path, ret_fd, &holder, err);
        if (is_said && code != SHARED_LOCK_HELD) lock->waited_ns += clock_ns() - start_ns;
        if (code != SHARED_LOCK_HELD) return code;
        if (lock->is_impatient) return refuse_waiting(user, &holder, err);
        if (!is_said) say_waiting(user, &holder);
        is_said = true;
        clock_sleep_ns(POLL_NS);
        if (interrupt_is_set())
            return err_set(err, ERR_CANCELLED, "interrupted while waiting for %s; nothing was measured",
                           user->device);
    }
}

int device_lock_take(struct device_lock *lock, const struct device_lock_user *user, struct err *err) {
    char name[NAME_BYTES], path[PATH_BYTES];
    struct err why = {0};
    const char *folder;
    if (!lock || lock->is_settled || str_equal(getenv(LOCKS_ENV), NO_LOCKS)) return 0;
    name_device(user, name);
    lock->is_settled = is_held_above(name);
    for (size_t i = 0; !lock->is_settled && (folder = folder_at(i)); ++i) {
        int fd = -1;
        snprintf(path, sizeof path, "%s/assay-%s.lock", folder, name);
        const int code = wait_for(lock, user, path, &fd, &why);
        if (code == -ERR_BUSY || code == -ERR_CANCELLED) return err_set(err, why.code, "%s", why.text);
        lock->is_settled = code == SHARED_LOCK_TAKEN;
        if (lock->is_settled) hold(lock, user, name, fd);
    }
    if (!lock->is_settled) say_no_lock(user, why.text);
    lock->is_settled = true;
    return 0;
}

void device_lock_release(struct device_lock *lock) {
    if (!lock) return;
    lock->is_settled = false;
    if (!lock->is_held) return;
    lock->is_held = false;
    close(lock->fd);
    if (*lock->outer)
        setenv(HELD_ENV, lock->outer, 1);
    else
        unsetenv(HELD_ENV);
}

uint64_t device_lock_waited_ns(const struct device_lock *lock) {
    return lock ? lock->waited_ns : 0;
}
