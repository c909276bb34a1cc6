// SPDX-License-Identifier: Apache-2.0
//
// See base64.h.
#include "report/html/base64.h"

void base64_add(struct strbuf *out, const void *bytes, size_t count) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *at = bytes;
    for (size_t i = 0; i < count; i += 3) {
        const size_t left = count - i;
        const unsigned second = left > 1 ? at[i + 1] : 0, third = left > 2 ? at[i + 2] : 0;
        const unsigned group = (unsigned)at[i] << 16 | second << 8 | third;
        strbuf_add_char(out, digits[group >> 18]);
        strbuf_add_char(out, digits[group >> 12 & 63]);
        strbuf_add_char(out, left > 1 ? digits[group >> 6 & 63] : '=');
        strbuf_add_char(out, left > 2 ? digits[group & 63] : '=');
    }
}
