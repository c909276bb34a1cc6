// SPDX-License-Identifier: Apache-2.0
#include "base/comma.h"

#include <stdarg.h>
#include <string.h>

#include "base/strbuf.h"

// Where the item ends: at a comma outside of parentheses.
static size_t item_length(const char *text) {
    size_t length = 0;
    for (int depth = 0; text[length] && (text[length] != ',' || depth > 0); ++length)
        depth += (text[length] == '(') - (text[length] == ')');
    return length;
}

bool comma_next(const char **at, struct comma_item *ret) {
    if (!*at) return false;
    const char *text = *at;
    const size_t whole = item_length(text);
    *at = text[whole] ? text + whole + 1 : NULL;
    size_t length = whole;
    for (; length && (*text == ' ' || *text == '\t'); --length) ++text;
    while (length && (text[length - 1] == ' ' || text[length - 1] == '\t')) --length;
    *ret = (struct comma_item){.text = text, .length = length};
    return true;
}

bool comma_item_is(struct comma_item item, const char *name) {
    return strlen(name) == item.length && memcmp(item.text, name, item.length) == 0;
}

size_t comma_count(const char *list) {
    struct comma_item item;
    size_t count = 0;
    while (comma_next(&list, &item)) ++count;
    return count;
}

void comma_add(struct strbuf *list, const char *item) {
    if (list->length) strbuf_add(list, ", ");
    strbuf_add(list, item);
}

void comma_addf(struct strbuf *list, const char *format, ...) {
    va_list args;
    va_start(args, format);
    if (list->length) strbuf_add(list, ", ");
    strbuf_addv(list, format, args);
    va_end(args);
}
