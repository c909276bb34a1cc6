// SPDX-License-Identifier: Apache-2.0
//
// Reads a file named in a document. It must be below the document's folder and have the right length. The
// path is opened folder by folder without following links, so that no other file is read even if folders
// change meanwhile.
#include "format/float_file.h"

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

static int check_name(const struct float_file *file, struct err *err) {
    size_t length = strlen(file->name);
    if (!file->folder) return refuse(file, "cannot be looked for: the document lies in no folder", err);
    if (length > NAME_BYTES_MAX) return refuse(file, "has too long a name", err);
    if (file->name[0] == '/')
        return refuse(file, "is refused: its path is absolute, and it must lie below the document's folder",
                      err);
    for (const char *part = file->name;; ++part) {
        const size_t part_length = strcspn(part, "/");
        const bool is_dots = part_length <= 2 && strspn(part, ".") == part_length; // "", ".", ".."
        if (is_dots)
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
        return refuse(file, "is missing: it is looked for next to the document; were the two moved apart?",
                      err);
    errno = cause;
    return err_set_errno(err, ERR_DATA, "%s: cannot open the sample file '%s'", file->where,
                         str_shown(file->name).text);
}

// Walks to the file; closes folder_fd.
static int open_below(const struct float_file *file, int folder_fd, int *ret_fd, struct err *err) {
    char parts[NAME_BYTES_MAX + 1];
    memcpy(parts, file->name, strlen(file->name) + 1);
    for (char *part = parts;;) {
        char *slash = strchr(part, '/');
        if (slash) *slash = 0;
        // O_NONBLOCK: a pipe must not block; the kind of file is checked before it is read.
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

int float_file_read(const struct float_file *file, float **ret_values, struct err *err) {
    int fd = -1;
    TRY(check_name(file, err));
    int folder_fd = open(*file->folder ? file->folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder_fd < 0)
        return refuse(file, "cannot be looked for: the document's folder cannot be opened", err);
    TRY(open_below(file, folder_fd, &fd, err));
    struct stat info;
    float *values = NULL;
    int code = 0;
    if (fstat(fd, &info) < 0 || !S_ISREG(info.st_mode))
        code = refuse(file, "is no regular file", err);
    else if (info.st_size % 4 != 0 || (uint64_t)info.st_size / 4 != file->count) // 4 x count might wrap
        code =
            err_set(err, ERR_DATA,
                    "%s: the sample file '%s' has %lld bytes, but %zu samples take %llu: was it cut short, "
                    "or written by another run?",
                    file->where, str_shown(file->name).text, (long long)info.st_size, file->count,
                    4 * (unsigned long long)file->count);
    else if (!(values = mem_try_array(file->count + 1, sizeof *values)))
        code = err_set(err, ERR_INTERNAL, "not enough memory for %zu samples", file->count);
    else
        code = read_all(file, fd, (unsigned char *)values, 4 * file->count, err);
    close(fd);
    if (code < 0 || !values) {
        free(values);
        return code;
    }
    for (size_t i = 0; i < file->count; ++i) { // from the file's byte order to the host's
        unsigned char bytes[4];
        memcpy(bytes, &values[i], sizeof bytes);
        const uint32_t bits = (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
                              (uint32_t)bytes[3] << 24;
        memcpy(&values[i], &bits, sizeof bits);
    }
    *ret_values = values;
    return 0;
}
