// SPDX-License-Identifier: Apache-2.0
//
// Whether files exist, creating and removing whole folders, and file locks that end with their holder.
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/interrupt.h"
#include "base/mem.h"

bool file_exists(const char *path) {
    struct stat info;
    return stat(path, &info) == 0;
}

bool file_is_private_dir(const struct stat *info) {
    return S_ISDIR(info->st_mode) && info->st_uid == geteuid() && !(info->st_mode & (S_IWGRP | S_IWOTH));
}

int file_check_cache(struct err *err) {
    struct stat info;
    if (!path_cache_is_temporary()) return 0;
    char *path = path_cache_dir();
    int code = 0;
    if (mkdir(path, 0700) < 0 && errno != EEXIST)
        code = err_set_errno(err, ERR_CREATE,
                             "cannot create the cache '%s' (HOME is not set); set XDG_CACHE_HOME", path);
    else if (lstat(path, &info) < 0 || !file_is_private_dir(&info)) // lstat: a link may lead anywhere
        code = err_set(err, ERR_UNAVAILABLE,
                       "the cache '%s' is not yours alone, so somebody else may have put modules there; set "
                       "XDG_CACHE_HOME to a folder of yours (HOME is not set)",
                       path);
    free(path);
    return code;
}

bool file_is_dir(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

int64_t file_size_bytes(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 ? (int64_t)info.st_size : -1;
}

int file_make_dirs(const char *path, struct err *err) {
    char *partial = mem_strdup(path);
    int result = 0;
    for (char *p = partial; *p; ++p) {
        bool is_end = p[1] == 0;
        if (!is_end && (p[1] != '/' || p[0] == '/')) continue; // only at the end of a name
        char kept = p[1];
        p[1] = 0;
        const int made = mkdir(partial, 0777), why = errno;
        if (made < 0 && !file_is_dir(partial)) {
            errno = why;
            result = err_set_errno(err, why == ENOSPC || why == EDQUOT ? ERR_IO : ERR_CREATE,
                                   "cannot create the folder '%s'", partial);
            break;
        }
        p[1] = kept;
    }
    free(partial);
    return result;
}

static int remove_entry(const char *path, const struct stat *info, int kind, struct FTW *place) {
    (void)info;
    (void)place;
    int removed = kind == FTW_DP || kind == FTW_D || kind == FTW_DNR ? rmdir(path) : unlink(path);
    return removed < 0 && errno != ENOENT ? -1 : 0;
}

int file_remove_tree(const char *path, struct err *err) {
    enum { OPEN_DIRS_MAX = 16 };
    if (nftw(path, remove_entry, OPEN_DIRS_MAX, FTW_DEPTH | FTW_PHYS) < 0 && errno != ENOENT) {
        return err_set_errno(err, ERR_IO, "cannot remove '%s'", path);
    }
    return 0;
}

// Whether path still names the open file: another holder may have removed it while we waited.
static bool is_same_file(const char *path, int fd) {
    struct stat named, opened;
    return stat(path, &named) == 0 && fstat(fd, &opened) == 0 && named.st_dev == opened.st_dev &&
           named.st_ino == opened.st_ino;
}

int file_lock_open(const char *path, bool wait, int *ret_fd, struct err *err) {
    for (;;) {
        int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
        if (fd < 0) return err_set_errno(err, ERR_CREATE, "cannot create the lock file '%s'", path);
        int locked;
        do {
            locked = flock(fd, LOCK_EX | (wait ? 0 : LOCK_NB));
        } while (locked < 0 && errno == EINTR && !interrupt_is_set());
        if (locked == 0 && is_same_file(path, fd)) {
            *ret_fd = fd;
            return 0;
        }
        const int lock_errno = errno;
        close(fd);
        if (locked == 0) continue;
        if (lock_errno == EINTR)
            return err_set(err, ERR_CANCELLED, "interrupted while waiting for '%s'", path);
        if (lock_errno == EWOULDBLOCK) {
            return err_set(err, ERR_UNAVAILABLE, "'%s' is in use by another process; wait for it or end it",
                           path);
        }
        errno = lock_errno;
        return err_set_errno(err, ERR_IO, "cannot lock '%s'", path);
    }
}

void file_lock_close(int fd) {
    if (fd >= 0) close(fd);
}
