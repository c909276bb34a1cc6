// SPDX-License-Identifier: Apache-2.0
//
// Peers that assay knows by name: libraries that a kernel is measured against. A peer is a kernel like any
// other; this is the table of their names. Any other Python callable can be named as "module:function".
#ifndef CONTROL_PLAN_PEER_H
#define CONTROL_PLAN_PEER_H

#include <stdbool.h>
#include <stddef.h>

struct peer {
    const char *name;     // "torch:flash"
    const char *python;   // callable in peers/: "torch_sdpa:flash"; NULL: a linked-in kernel of that name
    const char *op;       // "attention"
    const char *backends; // where it runs: "cuda cpu"
    const char *summary;  // one line
};

const struct peer *peer_at(size_t index);       // NULL past the end
const struct peer *peer_find(const char *name); // NULL: none of that name
bool peer_runs_on(const struct peer *peer, const char *backend);

// Whether it has the form "module:function", dots allowed in both.
bool peer_is_function_name(const char *spec);

// Whether it is "module:function" and neither a known peer nor git:REV.
bool peer_is_callable(const char *spec);

// "torch, torch:flash, ..." of a backend; NULL: of all.
void peer_format_names(const char *backend, char *ret_text, size_t capacity);

#endif
