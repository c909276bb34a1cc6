// SPDX-License-Identifier: Apache-2.0
//
// The table of peers: one entry each.
#include "control/plan/peer.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/comma.h"
#include "base/strbuf.h"

static const struct peer peers[] = {
    {"torch", "torch_sdpa:own", "attention", "cuda cpu",
     "PyTorch's scaled_dot_product_attention, its own choice of backend"},
    {"torch:flash", "torch_sdpa:flash", "attention", "cuda cpu", "the same, FlashAttention pinned"},
    {"torch:cudnn", "torch_sdpa:cudnn", "attention", "cuda", "the same, cuDNN pinned"},
    {"torch:efficient", "torch_sdpa:efficient", "attention", "cuda",
     "the same, memory-efficient attention pinned"},
    {"torch:math", "torch_sdpa:math", "attention", "cuda cpu", "the same, plain matrix products pinned"},
    {"cudnn", NULL, "attention", "cuda", "cuDNN's attention from C, without PyTorch"},
};
enum { PEER_COUNT = sizeof peers / sizeof *peers };

const struct peer *peer_at(size_t index) {
    return index < PEER_COUNT ? &peers[index] : NULL;
}

const struct peer *peer_find(const char *name) {
    for (size_t i = 0; name && i < PEER_COUNT; ++i)
        if (strcmp(peers[i].name, name) == 0) return &peers[i];
    return NULL;
}

bool peer_runs_on(const struct peer *peer, const char *backend) {
    const size_t length = strlen(backend);
    for (const char *at = peer->backends; *at;) {
        const size_t word = strcspn(at, " ");
        if (word == length && memcmp(at, backend, length) == 0) return true;
        at += word + (at[word] == ' ');
    }
    return false;
}

// Letters, digits and underscores, with dots between; as Python names modules and attributes.
static bool is_dotted_name(const char *text, size_t length) {
    bool is_start = true;
    for (size_t i = 0; i < length; ++i) {
        const unsigned char c = (unsigned char)text[i];
        if (c == '.' && !is_start)
            is_start = true;
        else if (c == '_' || isalpha(c) || c >= 0x80 || (isdigit(c) && !is_start))
            is_start = false;
        else
            return false;
    }
    return length > 0 && !is_start;
}

bool peer_is_function_name(const char *spec) {
    const char *colon = strchr(spec, ':');
    return colon && is_dotted_name(spec, (size_t)(colon - spec)) &&
           is_dotted_name(colon + 1, strlen(colon + 1));
}

bool peer_is_callable(const char *spec) {
    const char *colon = spec ? strchr(spec, ':') : NULL;
    if (!colon || strncmp(spec, "git:", 4) == 0 || strncmp(spec, "torch:", 6) == 0 || peer_find(spec))
        return false;
    return peer_is_function_name(spec);
}

void peer_format_names(const char *backend, char *ret_text, size_t capacity) {
    struct strbuf list = {0};
    for (size_t i = 0; i < PEER_COUNT; ++i)
        if (!backend || peer_runs_on(&peers[i], backend)) comma_add(&list, peers[i].name);
    snprintf(ret_text, capacity, "%s", strbuf_text(&list));
    strbuf_fini(&list);
}
