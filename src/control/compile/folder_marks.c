// SPDX-License-Identifier: Apache-2.0
//
// Which digits stand for a folder? "_GLOBAL__N__35561dbb_4_a_cu_ed8c8245": behind one of two words eight of
// them, then the file's name behind its length, then the name of a function or eight more.
#include "control/compile/folder_marks.h"

#include <stdbool.h>
#include <string.h>

#define DIGITS 8

static bool has_digits(const char *at, const char *end) {
    if (end - at < DIGITS) return false;
    for (int i = 0; i < DIGITS; ++i)
        if (!((at[i] >= '0' && at[i] <= '9') || (at[i] >= 'a' && at[i] <= 'f'))) return false;
    return true;
}

static const char *digits_leave_out(struct hash_state *hash, const char *from, const char *digits) {
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

// The place behind the next such word, at or after `at`; end: none.
static const char *word_find(const char *at, const char *end, const char *word) {
    const size_t length = strlen(word);
    const char *found = at < end ? memmem(at, (size_t)(end - at), word, length) : NULL;
    return found ? found + length : end;
}

void folder_marks_hash_add(struct hash_state *hash, const void *bytes, size_t count) {
    static const char *const words[] = {"_GLOBAL__N__", "_INTERNAL_"};
    const char *from = bytes, *end = from + count, *next[2] = {NULL, NULL};
    const char *at = from; // everything before `from` is hashed, everything before `at` is looked at
    if (!count) return;
    for (;;) {
        for (int i = 0; i < 2; ++i)
            if (!next[i] || (next[i] < at && next[i] != end)) next[i] = word_find(at, end, words[i]);
        at = next[0] < next[1] ? next[0] : next[1];
        if (at == end) break;
        if (has_digits(at, end)) {
            from = at = digits_leave_out(hash, from, at);
            const char *second = second_digits(at, end);
            if (second && has_digits(second, end)) from = at = digits_leave_out(hash, from, second);
        } else {
            ++at; // past this word
        }
    }
    hash_add(hash, from, (size_t)(end - from));
}

void folder_marks_hash_add_text(struct hash_state *hash, const char *text) {
    folder_marks_hash_add(hash, text, strlen(text) + 1);
}
