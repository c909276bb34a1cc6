// SPDX-License-Identifier: Apache-2.0
//
// Looking peers up in the operators' tables.
#include "control/plan/peer.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/comma.h"
#include "base/mem.h"
#include "base/strbuf.h"

static bool is_name_of(const struct op_peer *peer, const char *name) {
    const size_t length = strlen(peer->name);
    return strncmp(peer->name, name, length) == 0 &&
           (!name[length] || (name[length] == '@' && name[length + 1]));
}

const struct op_peer *peer_find(const struct operator_def *op, const char *name) {
    const struct operator_def *of;
    const struct op_peer *peer;
    for (size_t i = 0; name && (peer = operator_peer_at(&operators_compiled, i, &of)); ++i)
        if ((!op || op == of) && is_name_of(peer, name)) return peer;
    return NULL;
}

const char *peer_with_version(struct arena *arena, const char *name, const char *version) {
    return version ? arena_format(arena, "%s@%s", name, version) : name;
}

const char *peer_wanted_version(const char *name) {
    const char *at = peer_find(NULL, name) ? strchr(name, '@') : NULL;
    return at ? at + 1 : NULL;
}

bool peer_runs_on(const struct op_peer *peer, const char *backend) {
    const size_t length = strlen(backend);
    for (const char *at = peer->backends; *at;) {
        const size_t word = strcspn(at, " ");
        if (word == length && memcmp(at, backend, length) == 0) return true;
        at += word + (at[word] == ' ');
    }
    return false;
}

bool shipped_is_name(const char *name) {
    return name && str_starts(name, SHIPPED_PREFIX);
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

bool peer_is_reference(const char *name) {
    return str_equal(name, REFERENCE_NAME) || str_equal(name, REFERENCE_NAME ":compiled");
}

bool peer_is_function_name(const char *spec) {
    const char *colon = strchr(spec, ':');
    if (!colon || !is_dotted_name(spec, (size_t)(colon - spec))) return false;
    const size_t length = strcspn(++colon, "(");
    const char *order = colon + length, *end = *order ? order + strcspn(order, ")") : NULL;
    return is_dotted_name(colon, length) && (!end || (*end && !end[1] && end > order + 1));
}

bool peer_is_callable(const char *spec) {
    const char *colon = spec ? strchr(spec, ':') : NULL;
    if (!colon || strncmp(spec, "git:", 4) == 0 || strncmp(spec, "torch:", 6) == 0 || shipped_is_name(spec) ||
        peer_find(NULL, spec))
        return false;
    return peer_is_function_name(spec);
}

void peer_format_names(const struct operator_def *op, const char *backend, char *ret_text, size_t capacity) {
    struct strbuf list = {0};
    const struct operator_def *of;
    const struct op_peer *peer;
    for (size_t i = 0; (peer = operator_peer_at(&operators_compiled, i, &of)); ++i) {
        const bool is_first = peer == peer_find(op, peer->name);
        if (is_first && (!backend || peer_runs_on(peer, backend))) comma_add(&list, peer->name);
    }
    snprintf(ret_text, capacity, "%s", strbuf_text(&list));
    strbuf_fini(&list);
}

const char *peer_nearest(const char *name) {
    const char **known = NULL;
    size_t count = 0, capacity = 0;
    const struct operator_def *of;
    for (const struct op_peer *peer; (peer = operator_peer_at(&operators_compiled, count, &of)); ++count) {
        MEM_GROW(known, capacity, count + 1);
        known[count] = peer->name;
    }
    const char *ret = str_nearest(name, known, count);
    free(known);
    return ret;
}
