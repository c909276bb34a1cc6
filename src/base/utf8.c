// SPDX-License-Identifier: Apache-2.0
//
// See utf8.h.
#include "base/utf8.h"

struct range {
    uint32_t first, last;
};

// Ranges are ascending, so that the first ones decide on ASCII.
static bool is_in(uint32_t c, const struct range *ranges, size_t count) {
    for (size_t i = 0; i < count; ++i)
        if (c <= ranges[i].last) return c >= ranges[i].first;
    return false;
}

uint32_t utf8_decode(const char *text, size_t *ret_length) {
    const unsigned char *at = (const unsigned char *)text, lead = at[0];
    *ret_length = 1;
    if (lead < 0x80) return lead;
    if (lead < 0xc2 || lead > 0xf4) return UTF8_INVALID;
    const size_t length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    uint32_t c = lead & (0xffu >> (length + 1));
    for (size_t i = 1; i < length; ++i) {
        if ((at[i] & 0xc0) != 0x80) return UTF8_INVALID; // also stops at the terminating zero
        c = c << 6 | (at[i] & 0x3fu);
    }
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    if (c < smallest[length] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff)) return UTF8_INVALID;
    *ret_length = length;
    return c;
}

bool utf8_is_hidden(uint32_t c) {
    static const struct range ranges[] = {
        {0, 0x1f},        {0x7f, 0x9f},       {0xad, 0xad}, // controls, DEL and C1, soft hyphen
        {0x61c, 0x61c},   {0x180e, 0x180e},                 // Arabic letter mark, Mongolian separator
        {0x200b, 0x200f}, {0x2028, 0x202e},                 // zero width, separators, direction
        {0x2060, 0x206f}, {0xfeff, 0xfeff},                 // word joiner, isolates, byte order mark
        {0xfff9, 0xfffb}, {0xe0000, 0xe0fff},               // annotations, tags
    };
    return is_in(c, ranges, sizeof ranges / sizeof *ranges);
}

bool utf8_is_blank(uint32_t c) {
    static const struct range ranges[] = {
        {'\t', '\r'},     {' ', ' '},       {0x85, 0x85},     {0xa0, 0xa0},     {0x1680, 0x1680},
        {0x2000, 0x200a}, {0x2028, 0x2029}, {0x202f, 0x202f}, {0x205f, 0x205f}, {0x3000, 0x3000},
    };
    return is_in(c, ranges, sizeof ranges / sizeof *ranges);
}
