// SPDX-License-Identifier: Apache-2.0
//
// Reading files that somebody else named. Such a name may lead to a device without end, to a pipe that
// nobody writes, or to a file of /proc that makes up its contents: opening never waits, only ordinary files
// are read, and reading ends.
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/interrupt.h"
#include "base/mem.h"
#include "base/strbuf.h"

// What a file may have more than its size said when it was opened. Files of /proc say 0.
#define GROWTH_BYTES_MAX ((size_t)64 << 20)

static int refuse_kind(const char *path, mode_t mode, struct err *err) {
    if (S_ISDIR(mode))
        return err_set(err, ERR_NO_INPUT, "cannot read '%s': it is a folder, not a file", path);
    if (S_ISFIFO(mode))
        return err_set(
            err, ERR_NO_INPUT,
            "cannot read '%s': it is a pipe, not a file; write what comes out of it into a file first", path);
    return err_set(err, ERR_NO_INPUT, "cannot read '%s': it is a %s, not a file", path,
                   S_ISSOCK(mode)  ? "socket"
                   : S_ISLNK(mode) ? "symbolic link"
                                   : "device");
}

// no_follow: O_NOFOLLOW refuses a symbolic link; 0 follows it.
static int open_input(const char *path, int no_follow, size_t limit_bytes, struct file_input *ret,
                      struct err *err) {
    struct stat info;
    // Before it is opened too: to open a device may do something to it.
    if (fstatat(AT_FDCWD, path, &info, no_follow ? AT_SYMLINK_NOFOLLOW : 0) == 0 && !S_ISREG(info.st_mode))
        return refuse_kind(path, info.st_mode, err);
    const int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | no_follow);
    if (fd < 0) return err_set_errno(err, ERR_NO_INPUT, "cannot open '%s'", path);
    int code = 0;
    if (fstat(fd, &info) < 0)
        code = err_set_errno(err, ERR_IO, "cannot read '%s'", path);
    else if (!S_ISREG(info.st_mode))
        code = refuse_kind(path, info.st_mode, err);
    else if ((uint64_t)info.st_size > limit_bytes)
        code = err_set(err, ERR_DATA, "'%s' is larger than the limit of %zu bytes", path, limit_bytes);
    if (code < 0) {
        close(fd);
        return code;
    }
    *ret = (struct file_input){.fd = fd,
                               .path = path,
                               .limit_bytes = limit_bytes,
                               .growth_limit_bytes = (size_t)info.st_size + GROWTH_BYTES_MAX,
                               .mode = info.st_mode & 0777};
    return 0;
}

int file_open(const char *path, size_t limit_bytes, struct file_input *ret, struct err *err) {
    return open_input(path, 0, limit_bytes, ret, err);
}

int file_next(struct file_input *file, char *buffer, size_t capacity, size_t *ret_count, struct err *err) {
    ssize_t got;
    do {
        got = read(file->fd, buffer, capacity);
    } while (got < 0 && errno == EINTR);
    if (got < 0 && errno == EAGAIN) // as /proc/kmsg
        return err_set(err, ERR_NO_INPUT,
                       "cannot read '%s': it has nothing to read yet; it is no ordinary file", file->path);
    if (got < 0) return err_set_errno(err, ERR_IO, "cannot read '%s'", file->path);
    file->read_bytes += (size_t)got;
    if (file->read_bytes > file->limit_bytes)
        return err_set(err, ERR_DATA, "'%s' is larger than the limit of %zu bytes", file->path,
                       file->limit_bytes);
    if (file->read_bytes > file->growth_limit_bytes)
        return err_set(err, ERR_DATA,
                       "'%s' has far more bytes than its size says: it grows while it is read, or has no end",
                       file->path);
    // Not for small files: what is cleaned up after an interrupt reads some.
    if (file->read_bytes > GROWTH_BYTES_MAX && interrupt_is_set())
        return err_set(err, ERR_CANCELLED, "interrupted while '%s' was read", file->path);
    *ret_count = (size_t)got;
    return 0;
}

void file_close(struct file_input *file) {
    if (file->fd >= 0) close(file->fd);
    file->fd = -1;
}

static int feed(const char *path, int no_follow, size_t limit_bytes, file_feed_fn add, void *arg,
                struct err *err) {
    struct file_input file;
    TRY(open_input(path, no_follow, limit_bytes, &file, err));
    char *chunk = mem_alloc(FILE_CHUNK_BYTES);
    size_t count = 1;
    int result = 0;
    while (result == 0 && count > 0) {
        result = file_next(&file, chunk, FILE_CHUNK_BYTES, &count, err);
        if (result == 0) add(arg, chunk, count);
    }
    file_close(&file);
    free(chunk);
    return result;
}

int file_feed(const char *path, file_feed_fn add, void *arg, struct err *err) {
    return feed(path, 0, SIZE_MAX, add, arg, err);
}

static void add_text(void *text, const char *bytes, size_t count) {
    strbuf_add_bytes(text, bytes, count);
}

static int read_whole(const char *path, int no_follow, size_t limit_bytes, char **ret_text,
                      size_t *ret_length, struct err *err) {
    struct strbuf text = {0};
    const int result = feed(path, no_follow, limit_bytes, add_text, &text, err);
    if (result == 0) {
        if (ret_length) *ret_length = text.length;
        *ret_text = strbuf_take(&text);
    }
    strbuf_fini(&text);
    return result;
}

int file_read(const char *path, size_t limit_bytes, char **ret_text, size_t *ret_length, struct err *err) {
    return read_whole(path, 0, limit_bytes, ret_text, ret_length, err);
}

int file_read_no_link(const char *path, size_t limit_bytes, char **ret_text, size_t *ret_length,
                      struct err *err) {
    return read_whole(path, O_NOFOLLOW, limit_bytes, ret_text, ret_length, err);
}
