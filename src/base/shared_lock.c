// SPDX-License-Identifier: Apache-2.0
//
// See shared_lock.h. The file has one line: "PID COMMAND UNIX_SECONDS".
#include "base/shared_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define SINCE_MAX_S (INT64_C(1) << 40)

enum { LINE_BYTES = 128, OPEN_TRIES = 5, PID_MAX = 1 << 22 };

// Not blocking: a pipe would wait for its other end.
static const int OPEN_FLAGS = O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;

// Another user's file may be readable only, which is enough for a lock.
static int open_existing(const char *path) {
    const int fd = open(path, O_RDWR | OPEN_FLAGS);
    if (fd >= 0 || (errno != EACCES && errno != EROFS && errno != EPERM)) return fd;
    return open(path, O_RDONLY | OPEN_FLAGS);
}

// Without O_CREAT first: in a sticky folder the system refuses O_CREAT on a file of another user
// (fs.protected_regular), even where it could be opened.
static int open_or_create(const char *path) {
    for (int i = 0; i < OPEN_TRIES; ++i) {
        int fd = open_existing(path);
        if (fd >= 0 || errno != ENOENT) return fd;
        fd = open(path, O_RDWR | O_CREAT | O_EXCL | OPEN_FLAGS, 0666);
        if (fd >= 0) {
            (void)fchmod(fd, 0666); // whatever the umask: other users sign it, too
            return fd;
        }
        if (errno != EEXIST) return -1;
    }
    return -1;
}

// One name alone: behind a second one there may be a file that matters to somebody.
static bool is_lock_file(int fd) {
    struct stat info;
    return fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_nlink <= 1;
}

// False: somebody has removed or replaced the file since it was opened.
static bool is_still_named(const char *path, int fd) {
    struct stat named, opened;
    return lstat(path, &named) == 0 && fstat(fd, &opened) == 0 && named.st_dev == opened.st_dev &&
           named.st_ino == opened.st_ino;
}

// Reads a number and what follows it. False: there is none, or it is out of range.
static bool read_number(const char **at, int64_t limit, char end, int64_t *ret) {
    char *behind;
    if (**at < '0' || **at > '9') return false;
    errno = 0;
    const long long value = strtoll(*at, &behind, 10);
    if (errno || value > limit || *behind != end) return false;
    *ret = value;
    *at = behind + 1;
    return true;
}

// Anybody may have written it: a line of another form says nothing.
static struct lock_holder read_holder(int fd) {
    const struct lock_holder unknown = {.pid = 0};
    struct lock_holder holder = unknown;
    char line[LINE_BYTES];
    int64_t pid;
    const ssize_t got = pread(fd, line, sizeof line - 1, 0);
    if (got <= 0) return unknown;
    line[got] = 0;
    const char *at = line;
    if (!read_number(&at, PID_MAX, ' ', &pid)) return unknown;
    const size_t length = strspn(at, "abcdefghijklmnopqrstuvwxyz");
    if (!length || length >= sizeof holder.command || at[length] != ' ') return unknown;
    memcpy(holder.command, at, length);
    at += length + 1;
    if (!read_number(&at, SINCE_MAX_S, '\n', &holder.since_s)) return unknown;
    holder.pid = (long)pid;
    return holder;
}

// 0: taken; 1: held; -1: errno says why there can be no lock.
static int lock_opened(int fd, struct lock_holder *ret_holder) {
    int code;
    do {
        code = flock(fd, LOCK_EX | LOCK_NB);
    } while (code < 0 && errno == EINTR);
    if (code == 0) return SHARED_LOCK_TAKEN;
    if (errno != EWOULDBLOCK) return -1;
    *ret_holder = read_holder(fd);
    return SHARED_LOCK_HELD;
}

static int try_once(const char *path, int fd, struct lock_holder *ret_holder, struct err *err) {
    if (fd < 0) return err_set_errno(err, ERR_CREATE, "cannot open the lock '%s'", path);
    if (!is_lock_file(fd))
        return err_set(err, ERR_CREATE, "cannot use the lock '%s': it is no ordinary file of one name", path);
    const int code = lock_opened(fd, ret_holder);
    return code < 0 ? err_set_errno(err, ERR_CREATE, "cannot lock '%s'", path) : code;
}

int shared_lock_try(const char *path, int *ret_fd, struct lock_holder *ret_holder, struct err *err) {
    *ret_holder = (struct lock_holder){.pid = 0};
    for (int i = 0; i < OPEN_TRIES; ++i) {
        const int fd = open_or_create(path);
        const int code = try_once(path, fd, ret_holder, err);
        if (code == SHARED_LOCK_TAKEN && is_still_named(path, fd)) {
            *ret_fd = fd;
            return SHARED_LOCK_TAKEN;
        }
        if (fd >= 0) close(fd);
        if (code != SHARED_LOCK_TAKEN) return code;
    }
    return err_set(err, ERR_CREATE, "cannot use the lock '%s': somebody keeps replacing it", path);
}

void shared_lock_sign(int fd, const struct lock_holder *holder) {
    char line[LINE_BYTES];
    const int length =
        snprintf(line, sizeof line, "%ld %s %" PRId64 "\n", holder->pid, holder->command, holder->since_s);
    if (length <= 0 || length >= (int)sizeof line) return;
    if (pwrite(fd, line, (size_t)length, 0) == length) (void)!ftruncate(fd, length);
}
