// SPDX-License-Identifier: Apache-2.0
//
// gate.ratchet: by how much a figure of the compiler may grow from baseline to candidate. Written as a plain
// number in the figure's own unit ("0", "4096"), or with "%" of the baseline's figure ("5 %").
#ifndef RECORD_RATCHET_H
#define RECORD_RATCHET_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/json.h"
#include "base/json_writer.h"
#include "record/compiler_figure.h"

struct ratchet {
    bool is_given; // false: the figure is not judged
    bool is_pct;
    double amount; // 0 or more
};

struct ratchets {
    struct ratchet of[COMPILER_FIGURE_COUNT];
};

bool ratchet_parse(const char *text, struct ratchet *ret);                    // false: no allowance
const char *ratchet_text(const struct ratchet *ratchet, struct arena *arena); // "5 %"; NULL: not given
// The most that the figure may be.
double ratchet_limit(const struct ratchet *ratchet, double baseline);
// Whether a allows less than b for every baseline; one that is not given allows everything, and allowances of
// different units cannot be told apart (false both ways).
bool ratchet_is_stricter(const struct ratchet *a, const struct ratchet *b);
bool ratchets_are_given(const struct ratchets *ratchets); // any of them

// As an object by the figures' keys; nothing where none is given. ERR_DATA: the place, and what is wrong.
void ratchets_write(struct json_writer *w, const char *key, const struct ratchets *ratchets);
int ratchets_find(const struct json_at *at, const char *key, struct ratchets *ret, struct err *err);
#define RATCHETS_SCHEMA                                                                                      \
    "{\"type\": \"object\", \"additionalProperties\": {\"type\": \"string\", \"pattern\": "                  \
    "\"^[0-9.e+-]+( %)?$\"}}"

#endif
