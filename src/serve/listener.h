// SPDX-License-Identifier: Apache-2.0
//
// The socket on which the server listens.
#ifndef SERVE_LISTENER_H
#define SERVE_LISTENER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct listener {
    int fd;
    uint16_t port; // the one that the system chose, if 0 was asked for
    bool is_loopback, is_ipv6;
};

// address: of IPv4 or IPv6, or "localhost". ERR_USAGE: it is none. ERR_UNAVAILABLE: taken, or not allowed.
int listener_open(const char *address, uint32_t port, struct listener *ret, struct err *err);

#endif
