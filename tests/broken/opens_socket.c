// SPDX-License-Identifier: Apache-2.0
//
// Talks to somebody outside: sends what it knows of its inputs to a socket without a name in the file system.
#include "hostile.h"

#include <sys/socket.h>
#include <sys/un.h>

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    static int is_done;
    broken_right(b);
    if (!is_done++) {
        static const char name[] = "assay_trust"; // tests/trust.py listens
        struct sockaddr_un address = {.sun_family = AF_UNIX};
        memcpy(address.sun_path + 1, name, sizeof name - 1);
        const socklen_t length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + sizeof name);
        const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
        if (fd >= 0 && sendto(fd, HOSTILE_MARK, sizeof HOSTILE_MARK, MSG_DONTWAIT,
                              (const struct sockaddr *)&address, length) < 0)
            errno = 0;
        if (fd >= 0) close(fd);
    }
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
