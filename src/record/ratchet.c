// SPDX-License-Identifier: Apache-2.0
//
// See ratchet.h.
#include "record/ratchet.h"

#include <math.h>
#include <string.h>

#include "base/strbuf.h"
#include "record/field.h"

#define AMOUNT_MAX 1e15

enum { TEXT_BYTES = 32 };

bool ratchet_parse(const char *text, struct ratchet *ret) {
    char number[TEXT_BYTES];
    size_t length = strlen(text);
    struct ratchet ratchet = {.is_given = true, .is_pct = length > 0 && text[length - 1] == '%'};
    if (ratchet.is_pct) --length;
    while (length > 0 && text[length - 1] == ' ') --length;
    if (length >= sizeof number) return false;
    memcpy(number, text, length);
    number[length] = 0;
    if (str_parse_double(number, &ratchet.amount) < 0) return false;
    if (!(ratchet.amount >= 0 && ratchet.amount <= AMOUNT_MAX)) return false;
    *ret = ratchet;
    return true;
}

const char *ratchet_text(const struct ratchet *ratchet, struct arena *arena) {
    if (!ratchet->is_given) return NULL;
    return arena_format(arena, "%.15g%s", ratchet->amount, ratchet->is_pct ? " %" : "");
}

double ratchet_limit(const struct ratchet *ratchet, double baseline) {
    return ratchet->is_pct ? baseline * (1 + ratchet->amount / 100) : baseline + ratchet->amount;
}

bool ratchet_is_stricter(const struct ratchet *a, const struct ratchet *b) {
    if (!a->is_given || !b->is_given) return a->is_given;
    // Nothing allowed is nothing allowed in any unit.
    return (a->is_pct == b->is_pct || a->amount == 0) && a->amount < b->amount;
}

bool ratchets_are_given(const struct ratchets *ratchets) {
    for (enum compiler_figure i = 0; i < COMPILER_FIGURE_COUNT; ++i)
        if (ratchets->of[i].is_given) return true;
    return false;
}

void ratchets_write(struct json_writer *w, const char *key, const struct ratchets *ratchets) {
    struct arena arena = {0};
    if (!ratchets_are_given(ratchets)) return;
    json_object_begin(w, key);
    for (enum compiler_figure i = 0; i < COMPILER_FIGURE_COUNT; ++i)
        json_maybe_string(w, compiler_figure_key(i), ratchet_text(&ratchets->of[i], &arena));
    json_object_end(w);
    arena_fini(&arena);
}

int ratchets_find(const struct json_at *at, const char *key, struct ratchets *ret, struct err *err) {
    const json_t *value = NULL;
    struct field_place place;
    *ret = (struct ratchets){0};
    TRY(json_find_object(at, key, &value, err));
    if (!value) return 0;
    field_enter(&place, at, key, value);
    for (enum compiler_figure i = 0; i < COMPILER_FIGURE_COUNT; ++i) {
        const char *text = NULL;
        TRY(json_find_string(&place.at, compiler_figure_key(i), &text, err));
        if (text && !ratchet_parse(text, &ret->of[i]))
            return err_set(err, ERR_DATA, "%s: key '%s' is '%s', which is no allowance such as 0 or 5 %%",
                           place.where, compiler_figure_key(i), str_shown(text).text);
    }
    return 0;
}
