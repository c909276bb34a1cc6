// SPDX-License-Identifier: Apache-2.0
//
// Does the file that a document names lie below the document's folder, and is it as long as it should be? The
// name is walked folder by folder and no link is followed, so that nothing outside can be read, whatever
// changes meanwhile.
#include "control/format/float_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/strbuf.h"

#define NAME_BYTES_MAX 1024

_Static_assert(sizeof(float) == 4, "float must be IEEE binary32");

static int refuse(const struct float_file *file, const char *why, struct err *err) {
    return err_set(err, ERR_DATA, "%s: the sample file '%s' %s", file->where, str_shown(file->name).text,
                   why);
}

static bool is_plain_part(const char *part, size_t length) {
    bool is_dots = (length == 1 && part[0] == '.') || (length == 2 && part[0] == '.' && part[1] == '.');
    return length > 0 && !is_dots;
}

static int check_name(const struct float_file *file, struct err *err) {
    size_t length = strlen(file->name);
    if (!file->folder) return refuse(file, "cannot be looked for: the document lies in no folder", err);
    if (length > NAME_BYTES_MAX) return refuse(file, "has too long a name", err);
    if (file->name[0] == '/')
        return refuse(file, "is refused: its path is absolute, and it must lie below the document's folder",
                      err);
    for (const char *part = file->name;; ++part) {
        size_t part_length = strcspn(part, "/");
        if (!is_plain_part(part, part_length))
            return refuse(file, "is refused: it must lie below the document's folder, without '.' or '..'",
                          err);
        part += part_length;
        if (!*part) return 0;
    }
}

static int refuse_open(const struct float_file *file, int folder_fd, const char *part, struct err *err) {
    struct stat info;
    const int cause = errno;
    if (fstatat(folder_fd, part, &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(info.st_mode))
        return refuse(file, "is refused: there is a symbolic link on its way", err);
    if (cause == ENOENT)
        return refuse(file, "is missing: it is looked for beside the document; were the two moved apart?",
                      err);
    errno = cause;
    return err_set_errno(err, ERR_DATA, "%s: cannot open the sample file '%s'", file->where,
                         str_shown(file->name).text);
}

// Walks to the file. Takes folder_fd over.
static int open_below(const struct float_file *file, int folder_fd, int *ret_fd, struct err *err) {
    char parts[NAME_BYTES_MAX + 1];
    memcpy(parts, file->name, strlen(file->name) + 1);
    for (char *part = parts;;) {
        char *slash = strchr(part, '/');
        if (slash) *slash = 0;
        // Not blocked by a pipe: what it is, is asked before it is read.
        int flags = O_RDONLY | O_NOFOLLOW | O_CLOEXEC | (slash ? O_DIRECTORY : O_NONBLOCK);
        int fd = openat(folder_fd, part, flags);
        int code = fd < 0 ? refuse_open(file, folder_fd, part, err) : 0;
        close(folder_fd);
        TRY(code);
        folder_fd = fd;
        if (!slash) break;
        part = slash + 1;
    }
    *ret_fd = folder_fd;
    return 0;
}

static int check_size(const struct float_file *file, int fd, struct err *err) {
    struct stat info;
    if (fstat(fd, &info) < 0 || !S_ISREG(info.st_mode)) return refuse(file, "is no regular file", err);
    if (info.st_size % 4 == 0 && (uint64_t)info.st_size / 4 == file->count) return 0; // 4 x count might wrap
    return err_set(err, ERR_DATA,
                   "%s: the sample file '%s' has %lld bytes, but %zu samples take %llu: was it cut short, or "
                   "written by another run?",
                   file->where, str_shown(file->name).text, (long long)info.st_size, file->count,
                   4 * (unsigned long long)file->count);
}

static int read_all(const struct float_file *file, int fd, unsigned char *bytes, size_t count,
                    struct err *err) {
    for (size_t done = 0; done < count;) {
        ssize_t got = read(fd, bytes + done, count - done);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0)
            return err_set_errno(err, ERR_IO, "%s: cannot read the sample file '%s'", file->where,
                                 str_shown(file->name).text);
        if (got == 0) return refuse(file, "became shorter while it was read", err);
        done += (size_t)got;
    }
    return 0;
}

// From the file's byte order to the host's, in place.
static void decode(float *values, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        unsigned char bytes[4];
        memcpy(bytes, &values[i], sizeof bytes);
        uint32_t bits = (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
                        (uint32_t)bytes[3] << 24;
        memcpy(&values[i], &bits, sizeof bits);
    }
}

int float_file_read(const struct float_file *file, float **ret_values, struct err *err) {
    int fd = -1;
    TRY(check_name(file, err));
    int folder_fd = open(*file->folder ? file->folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder_fd < 0)
        return refuse(file, "cannot be looked for: the document's folder cannot be opened", err);
    TRY(open_below(file, folder_fd, &fd, err));
    float *values = NULL;
    int code = check_size(file, fd, err);
    if (code == 0 && !(values = mem_try_array(file->count + 1, sizeof *values)))
        code = err_set(err, ERR_INTERNAL, "not enough memory for %zu samples", file->count);
    if (code == 0) code = read_all(file, fd, (unsigned char *)values, 4 * file->count, err);
    close(fd);
    if (code < 0 || !values) {
        free(values);
        return code;
    }
    decode(values, file->count);
    *ret_values = values;
    return 0;
}
