// SPDX-License-Identifier: Apache-2.0
//
// What a referee that listens is asked to be.
#ifndef CONTROL_FLOW_REFEREE_REFEREE_SERVER_H
#define CONTROL_FLOW_REFEREE_REFEREE_SERVER_H

#include <stddef.h>
#include <stdint.h>

#define REFEREE_CLIENTS_MAX 64

struct referee_server {
    const char *socket, *program;
    const char *const *options; // of each candidate's assay: those of this one
    size_t option_count;
    const char *operator_or_file; // NULL: options name a definition of a set
    const char *operator_shown;
    uint64_t limit_ns;                                     // for one candidate, whatever it waits for
    uint32_t client_most;                                  // connections at once; at most REFEREE_CLIENTS_MAX
    void (*on_ready)(const struct referee_server *server); // it listens
};

#endif
