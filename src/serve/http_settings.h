// SPDX-License-Identifier: Apache-2.0
//
// What a server is started with.
#ifndef SERVE_HTTP_SETTINGS_H
#define SERVE_HTTP_SETTINGS_H

#include <stddef.h>
#include <stdint.h>

struct http_settings {
    const char *address;     // where to listen
    uint32_t port;           // 0: any free one
    const char *host;        // a name in requests that is allowed besides those of loopback; NULL: none
    const char *store;       // its address
    const char *runs_folder; // of runs that go on; NULL: none
    size_t upload_bytes_max;
    uint32_t request_s;          // in which a body must come, and an answer be taken; a head has 10 s at most
    uint32_t client_connections; // of one address; 0: 64, and this machine's own have as many as all
    void (*on_log)(void *arg, const char *text); // one line that quotes foreign text, not plain yet
    void *arg;
};

#endif
