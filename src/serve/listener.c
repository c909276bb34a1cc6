// SPDX-License-Identifier: Apache-2.0
//
// See listener.h.
#include "serve/listener.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/strbuf.h"

enum { BACKLOG = 128 };

union address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
};

static int parse(const char *text, uint32_t port, union address *ret, struct err *err) {
    if (port > UINT16_MAX) return err_set(err, ERR_USAGE, "--port takes 0 to 65535");
    memset(ret, 0, sizeof *ret);
    if (inet_pton(AF_INET, str_equal(text, "localhost") ? "127.0.0.1" : text, &ret->v4.sin_addr) == 1) {
        ret->v4.sin_family = AF_INET;
        ret->v4.sin_port = htons((uint16_t)port);
        return 0;
    }
    if (inet_pton(AF_INET6, text, &ret->v6.sin6_addr) == 1) {
        ret->v6.sin6_family = AF_INET6;
        ret->v6.sin6_port = htons((uint16_t)port);
        return 0;
    }
    return err_set(err, ERR_USAGE, "'%s' is no address: --address takes one such as 127.0.0.1 or ::1",
                   str_shown(text).text);
}

static bool is_loopback(const union address *address) {
    if (address->any.sa_family == AF_INET6) return IN6_IS_ADDR_LOOPBACK(&address->v6.sin6_addr);
    return ntohl(address->v4.sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
}

static int listen_at(int fd, union address *address, struct listener *ret) {
    const int yes = 1;
    socklen_t length = address->any.sa_family == AF_INET6 ? sizeof address->v6 : sizeof address->v4;
    if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) < 0) return -1;
    if (bind(fd, &address->any, length) < 0 || listen(fd, BACKLOG) < 0) return -1;
    if (getsockname(fd, &address->any, &length) < 0) return -1;
    ret->is_ipv6 = address->any.sa_family == AF_INET6;
    ret->port = ntohs(ret->is_ipv6 ? address->v6.sin6_port : address->v4.sin_port);
    return 0;
}

int listener_open(const char *address, uint32_t port, struct listener *ret, struct err *err) {
    union address parsed;
    TRY(parse(address, port, &parsed, err));
    ret->is_loopback = is_loopback(&parsed);
    ret->fd = socket(parsed.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (ret->fd >= 0 && listen_at(ret->fd, &parsed, ret) == 0) return 0;
    const char *remedy = errno == EADDRINUSE
                             ? "another server has it; choose one with --port, 0 takes any free one"
                             : "choose another with --address and --port";
    const int number = errno;
    if (ret->fd >= 0) close(ret->fd);
    return err_set(err, ERR_UNAVAILABLE, "cannot listen at %s, port %u: %s; %s", address, (unsigned)port,
                   strerror(number), remedy);
}
