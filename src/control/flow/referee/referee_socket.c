// SPDX-License-Identifier: Apache-2.0
//
// See referee_socket.h.
#include "control/flow/referee/referee_socket.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define ANSWER_BYTES ((size_t)64 << 20)
// What a socket's name may grow by until it takes requests: '.' and a process's number.
#define PART_BYTES 12

static int make_address(const char *path, struct sockaddr_un *ret, struct err *err) {
    *ret = (struct sockaddr_un){.sun_family = AF_UNIX};
    const size_t most = sizeof ret->sun_path - 1 - PART_BYTES;
    if (!*path || strlen(path) > most)
        return err_set(err, ERR_USAGE, "the path of a socket has 1 to %zu bytes, not %zu: '%.80s'", most,
                       strlen(path), path);
    snprintf(ret->sun_path, sizeof ret->sun_path, "%s", path);
    return 0;
}

static int connect_to(const char *path, int *ret_fd, struct err *err) {
    struct sockaddr_un address;
    TRY(make_address(path, &address, err));
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return err_set_errno(err, ERR_UNAVAILABLE, "cannot make a socket");
    if (connect(fd, (const struct sockaddr *)&address, sizeof address) == 0) {
        *ret_fd = fd;
        return 0;
    }
    const int code = err_set_errno(err, ERR_UNAVAILABLE, "no referee listens at '%s'", path);
    close(fd);
    return code;
}

// The socket gets its name once it takes requests: whoever waits for the name may ask at once.
static bool bind_listening(int fd, const struct sockaddr_un *address) {
    struct sockaddr_un part = *address;
    snprintf(part.sun_path + strlen(part.sun_path), PART_BYTES, ".%d", (int)getpid());
    const mode_t mask = umask(S_IXUSR | S_IRWXG | S_IRWXO);
    const bool is_bound = bind(fd, (const struct sockaddr *)&part, sizeof part) == 0;
    umask(mask);
    if (is_bound && listen(fd, SOMAXCONN) == 0 && rename(part.sun_path, address->sun_path) == 0) return true;
    if (is_bound) unlink(part.sun_path);
    return false;
}

int referee_socket_listen(const char *path, int *ret_fd, struct err *err) {
    struct sockaddr_un address;
    struct err ignored = {0};
    struct stat info;
    int other = -1;
    TRY(make_address(path, &address, err));
    if (lstat(path, &info) == 0) {
        if (!S_ISSOCK(info.st_mode)) return err_set(err, ERR_USAGE, "'%s' is there, and no socket", path);
        if (connect_to(path, &other, &ignored) == 0) {
            close(other);
            return err_set(err, ERR_UNAVAILABLE, "another referee listens at '%s'", path);
        }
    }
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) return err_set_errno(err, ERR_UNAVAILABLE, "cannot make a socket");
    if (bind_listening(fd, &address)) {
        *ret_fd = fd;
        return 0;
    }
    const int code = err_set_errno(err, ERR_UNAVAILABLE, "cannot listen at '%s'", path);
    close(fd);
    return code;
}

static int exchange(int fd, const struct strbuf *request, struct strbuf *ret, struct err *err) {
    char buffer[65536];
    for (size_t sent = 0; sent < request->length;) {
        const ssize_t count = send(fd, strbuf_text(request) + sent, request->length - sent, MSG_NOSIGNAL);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return err_set_errno(err, ERR_UNAVAILABLE, "the referee takes no request");
        sent += (size_t)count;
    }
    while (!memchr(strbuf_text(ret), '\n', ret->length)) {
        const ssize_t count = read(fd, buffer, sizeof buffer);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0 || ret->length > ANSWER_BYTES)
            return err_set(err, ERR_UNAVAILABLE, "the referee ended without an answer");
        strbuf_add_bytes(ret, buffer, (size_t)count);
    }
    return 0;
}

int referee_ask(const char *socket, const struct referee_line *line, struct strbuf *ret, struct err *err) {
    struct strbuf request = {0};
    int fd = -1;
    TRY(connect_to(socket, &fd, err));
    referee_line_write(line, &request);
    const int code = exchange(fd, &request, ret, err);
    strbuf_fini(&request);
    close(fd);
    return code;
}
