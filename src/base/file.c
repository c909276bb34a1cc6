// SPDX-License-Identifier: Apache-2.0
//
// Writes files: a reader never sees half a file, and a full disk is noticed. Reading is in file_input.c,
// paths are in file_path.c, folders and locks in file_tree.c.
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"

// Returns 0, or -1 with errno.
static int write_all(int fd, const void *bytes, size_t count) {
    const char *next = bytes;
    while (count > 0) {
        ssize_t written = write(fd, next, count);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return -1;
        next += written;
        count -= (size_t)written;
    }
    return 0;
}

// A pipe must have a reader already: to wait for one might be to wait for ever.
static int write_direct(const char *path, const void *bytes, size_t count, struct err *err) {
    int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd < 0 && errno == ENXIO)
        return err_set(err, ERR_CREATE, "cannot open '%s' for writing: nobody reads it", path);
    if (fd < 0 || fcntl(fd, F_SETFL, 0) < 0) {
        int code = err_set_errno(err, ERR_CREATE, "cannot open '%s' for writing", path);
        if (fd >= 0) close(fd);
        return code;
    }
    int result = 0;
    if (write_all(fd, bytes, count) < 0) result = err_set_errno(err, ERR_IO, "cannot write '%s'", path);
    if (close(fd) < 0 && result == 0) result = err_set_errno(err, ERR_IO, "cannot write '%s'", path);
    return result;
}

// A disk that is already full at creation is ERR_IO too, not ERR_CREATE.
static enum err_code create_code(void) {
    return errno == ENOSPC || errno == EDQUOT ? ERR_IO : ERR_CREATE;
}

// A temporary file in the folder of its target, until it is committed.
struct pending_file {
    char *target; // links resolved, so that a link stays a link
    char *temporary;
    int fd;
};

static int pending_open(struct pending_file *pending, const char *path, mode_t mode, struct err *err) {
    static atomic_uint counter;
    char *resolved = realpath(path, NULL); // NULL when the file is new
    pending->target = resolved ? resolved : mem_strdup(path);
    char *dir = path_dir(pending->target);
    char *name = mem_format(".assay-%ld-%u.tmp", (long)getpid(), atomic_fetch_add(&counter, 1));
    pending->temporary = path_join(dir, name);
    free(dir);
    free(name);
    pending->fd = open(pending->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (pending->fd < 0) return err_set_errno(err, create_code(), "cannot create '%s'", path);
    return 0;
}

static void sync_dir_of(const char *path) {
    char *dir = path_dir(path);
    int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    // Some file systems cannot sync a folder; the rename itself has already succeeded, so that is no failure.
    if (fd >= 0) {
        (void)fsync(fd);
        close(fd);
    }
    free(dir);
}

static int pending_commit(struct pending_file *pending, const char *path, struct err *err) {
    if (fsync(pending->fd) < 0 && errno != EINVAL && errno != EROFS) {
        return err_set_errno(err, ERR_IO, "cannot write '%s'", path);
    }
    int closed = close(pending->fd);
    pending->fd = -1;
    if (closed < 0) return err_set_errno(err, ERR_IO, "cannot write '%s'", path);
    if (rename(pending->temporary, pending->target) < 0) {
        return err_set_errno(err, create_code(), "cannot create '%s'", path);
    }
    free(pending->temporary);
    pending->temporary = NULL;
    sync_dir_of(pending->target);
    return 0;
}

// Removes the temporary file unless it was committed.
static void pending_fini(struct pending_file *pending) {
    if (pending->fd >= 0) {
        close(pending->fd);
        unlink(pending->temporary);
    } else if (pending->temporary) {
        unlink(pending->temporary);
    }
    free(pending->temporary);
    free(pending->target);
}

int file_write_atomic(const char *path, const void *bytes, size_t count, struct err *err) {
    if (str_equal(path, "-")) {
        if (fflush(stdout) != 0 || write_all(STDOUT_FILENO, bytes, count) < 0) {
            return err_set_errno(err, ERR_IO, "cannot write to standard output");
        }
        return 0;
    }
    struct stat info;
    mode_t mode = 0666;
    if (stat(path, &info) == 0) {
        if (S_ISDIR(info.st_mode))
            return err_set(err, ERR_CREATE, "cannot create '%s': it is a folder", path);
        if (!S_ISREG(info.st_mode)) return write_direct(path, bytes, count, err);
        mode = info.st_mode & 0777;
    }
    struct pending_file pending = {.fd = -1};
    int result = pending_open(&pending, path, mode, err);
    if (result < 0) goto out;
    if (write_all(pending.fd, bytes, count) < 0) {
        result = err_set_errno(err, ERR_IO, "cannot write '%s'", path);
        goto out;
    }
    result = pending_commit(&pending, path, err);
out:
    pending_fini(&pending);
    return result;
}

int file_check_target(const char *path, struct err *err) {
    struct stat info;
    if (!*path) return err_set(err, ERR_CREATE, "cannot create '': a file needs a name");
    const bool is_there = stat(path, &info) == 0;
    if (str_equal(path, "-")) return 0;
    if (is_there && S_ISDIR(info.st_mode))
        return err_set(err, ERR_CREATE, "cannot create '%s': it is a folder", path);
    if (is_there && !S_ISREG(info.st_mode)) return 0; // to open a pipe is to begin
    struct pending_file pending = {.fd = -1};
    const int result = pending_open(&pending, path, 0600, err);
    pending_fini(&pending);
    return result;
}

static int copy_bytes(struct file_input *from, int to_fd, const char *to, struct err *err) {
    char *chunk = mem_alloc(FILE_CHUNK_BYTES);
    size_t count = 1;
    int result = 0;
    while (result == 0 && count > 0) {
        result = file_next(from, chunk, FILE_CHUNK_BYTES, &count, err);
        if (result == 0 && write_all(to_fd, chunk, count) < 0)
            result = err_set_errno(err, ERR_IO, "cannot write '%s'", to);
    }
    free(chunk);
    return result;
}

int file_copy(const char *from, const char *to, struct err *err) {
    struct pending_file pending = {.fd = -1};
    struct file_input input;
    TRY(file_open(from, SIZE_MAX, &input, err));
    int result = pending_open(&pending, to, input.mode, err);
    if (result == 0) result = copy_bytes(&input, pending.fd, to, err);
    if (result == 0 && fchmod(pending.fd, input.mode) < 0) // a copy keeps its mode, whatever the umask
        result = err_set_errno(err, ERR_IO, "cannot set the mode of '%s'", to);
    if (result == 0) result = pending_commit(&pending, to, err);
    file_close(&input);
    pending_fini(&pending);
    return result;
}
