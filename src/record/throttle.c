// SPDX-License-Identifier: Apache-2.0
//
// Reasons of throttling as words and as bits. The header says which make a measurement unusable; worker/
// applies that.
#include "record/throttle.h"

#include <stdio.h>
#include <string.h>

static const char *const words[] = {
    "sw_power_cap",
    "hw_slowdown",
    "sw_thermal_slowdown",
    "hw_thermal_slowdown",
    "hw_power_brake_slowdown",
    "sync_boost",
    "application_clocks",
    "display_clocks",
};
enum { WORD_COUNT = sizeof words / sizeof words[0] };
_Static_assert(THROTTLE_ALL == (1 << WORD_COUNT) - 1, "a word for every bit");

void throttle_format(uint32_t bits, char ret_text[THROTTLE_TEXT_BYTES]) {
    size_t length = 0;
    snprintf(ret_text, THROTTLE_TEXT_BYTES, "none");
    for (size_t i = 0; i < WORD_COUNT; ++i) {
        if (!(bits & 1u << i)) continue;
        const int added =
            snprintf(ret_text + length, THROTTLE_TEXT_BYTES - length, "%s%s", length ? "," : "", words[i]);
        length += (size_t)added;
    }
}

static uint32_t find_bit(const char *word, size_t length) {
    for (size_t i = 0; i < WORD_COUNT; ++i)
        if (strlen(words[i]) == length && memcmp(words[i], word, length) == 0) return 1u << i;
    return THROTTLE_NONE;
}

int throttle_parse(const char *text, uint32_t *ret_bits) {
    uint32_t bits = THROTTLE_NONE;
    int code = 0;
    if (*text && strcmp(text, "none") != 0) {
        for (const char *word = text;; ++word) {
            const size_t length = strcspn(word, ",");
            const uint32_t bit = find_bit(word, length);
            if (!bit) code = -1;
            bits |= bit;
            word += length;
            if (!*word) break;
        }
    }
    *ret_bits = bits;
    return code;
}
