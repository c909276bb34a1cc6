// SPDX-License-Identifier: Apache-2.0
//
// Finds nvcc's module ids, such as "_GLOBAL__N__35561dbb_4_a_cu_ed8c8245": one of two words, eight digits,
// the length of the file's name and the name, then the name of a function or eight more digits.
#include "control/compile/cuda/module_id.h"

#include <stdbool.h>
#include <string.h>

#define DIGITS 8

static bool has_digits(const char *at, const char *end) {
    if (end - at < DIGITS) return false;
    for (int i = 0; i < DIGITS; ++i)
        if (!((at[i] >= '0' && at[i] <= '9') || (at[i] >= 'a' && at[i] <= 'f'))) return false;
    return true;
}

// Hashes the text before the digits, and zeros in place of the digits. Returns the place after them.
static const char *digits_mask(struct hash_state *hash, const char *from, const char *digits) {
    static const char zeros[DIGITS] = "00000000";
    hash_add(hash, from, (size_t)(digits - from));
    hash_add(hash, zeros, DIGITS);
    return digits + DIGITS;
}

// Where the second eight digits would be: behind "_4_a_cu_". NULL: nowhere.
static const char *second_digits(const char *at, const char *end) {
    size_t name_length = 0;
    if (at == end || *at++ != '_') return NULL;
    for (; at < end && *at >= '0' && *at <= '9' && name_length < 4096; ++at)
        name_length = name_length * 10 + (size_t)(*at - '0');
    if ((size_t)(end - at) < name_length + 2 || *at != '_' || at[name_length + 1] != '_') return NULL;
    return at + name_length + 2;
}

void module_id_masked_add(struct hash_state *hash, const void *bytes, size_t count) {
    static const char *const words[] = {"_GLOBAL__N__", "_INTERNAL_"};
    const char *from = bytes, *end = from + count;
    const char *next[2] = {NULL, NULL}; // behind the next of each word; end: none
    const char *at = from;              // everything before `from` is hashed, everything before `at` searched
    if (!count) return;
    for (;;) {
        for (int i = 0; i < 2; ++i) {
            if (next[i] && (next[i] >= at || next[i] == end)) continue;
            const char *word = at < end ? memmem(at, (size_t)(end - at), words[i], strlen(words[i])) : NULL;
            next[i] = word ? word + strlen(words[i]) : end;
        }
        at = next[0] < next[1] ? next[0] : next[1];
        if (at == end) break;
        if (has_digits(at, end)) {
            from = at = digits_mask(hash, from, at);
            const char *second = second_digits(at, end);
            if (second && has_digits(second, end)) from = at = digits_mask(hash, from, second);
        } else {
            ++at; // past this word
        }
    }
    hash_add(hash, from, (size_t)(end - from));
}

void module_id_masked_add_text(struct hash_state *hash, const char *text) {
    module_id_masked_add(hash, text, strlen(text) + 1);
}
