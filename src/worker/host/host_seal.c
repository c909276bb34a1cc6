// SPDX-License-Identifier: Apache-2.0
//
// A copy of a file that nobody can change between its hash and its use.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "worker/host/host_process.h"

enum { CHUNK_BYTES = 1 << 16, MEMFD_EXECUTABLE = 0x10 /* MFD_EXEC, Linux 6.3 */ };

static int memory_file(const char *name) {
    const unsigned flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
    const int fd = memfd_create(name, flags | MEMFD_EXECUTABLE);
    return fd >= 0 || errno != EINVAL ? fd : memfd_create(name, flags); // an older kernel
}

static int copy(int from, int to, const char *path, size_t limit_bytes, struct sha256 *hash,
                struct err *err) {
    static _Thread_local char chunk[CHUNK_BYTES];
    size_t total = 0;
    for (;;) {
        const ssize_t got = read(from, chunk, sizeof chunk);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return err_set_errno(err, ERR_IO, "cannot read '%s'", path);
        if (got == 0) return 0;
        total += (size_t)got;
        if (total > limit_bytes)
            return err_set(err, ERR_DATA, "'%s' is larger than %zu bytes", path, limit_bytes);
        sha256_add(hash, chunk, (size_t)got);
        for (ssize_t at = 0; at < got;) {
            const ssize_t written = write(to, chunk + at, (size_t)(got - at));
            if (written < 0 && errno == EINTR) continue;
            if (written <= 0) return err_set_errno(err, ERR_IO, "no memory for a copy of '%s'", path);
            at += written;
        }
    }
}

static int seal(int from, const char *path, size_t limit_bytes, int *ret_fd, struct sha256 *hash,
                struct err *err) {
    const int seals = F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
    struct stat status;
    if (fstat(from, &status) < 0) return err_set_errno(err, ERR_IO, "cannot look at '%s'", path);
    if (!S_ISREG(status.st_mode)) return err_set(err, ERR_DATA, "'%s' is no regular file; name a file", path);
    const int fd = memory_file(path_base(path));
    if (fd < 0) return err_set_errno(err, ERR_UNAVAILABLE, "cannot make a memory file for '%s'", path);
    int code = copy(from, fd, path, limit_bytes, hash, err);
    if (code >= 0 && fcntl(fd, F_ADD_SEALS, seals) < 0)
        code = err_set_errno(err, ERR_UNAVAILABLE, "cannot seal the copy of '%s'", path);
    if (code < 0)
        close(fd);
    else
        *ret_fd = fd;
    return code;
}

int host_process_seal_file(const char *path, size_t limit_bytes, int *ret_fd, char ret_hash[SHA256_HEX_BYTES],
                           struct err *err) {
    // Without waiting: a FIFO would never open.
    const int from = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (from < 0)
        return err_set_errno(err, errno == ENOENT ? ERR_NO_INPUT : ERR_IO, "cannot open '%s'", path);
    struct sha256 hash = sha256_make();
    const int code = seal(from, path, limit_bytes, ret_fd, &hash, err);
    sha256_hex(hash, ret_hash);
    close(from);
    return code;
}
