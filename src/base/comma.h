// SPDX-License-Identifier: Apache-2.0
//
// Comma-separated lists: reads "s512,small" item by item, and joins items with ", " for messages.
#ifndef BASE_COMMA_H
#define BASE_COMMA_H

#include <stdbool.h>
#include <stddef.h>

struct strbuf;

// An item of a comma list, without the spaces around it. Points into the list; not zero-terminated.
struct comma_item {
    const char *text;
    size_t length;
};

// Moves to the next item: for (const char *at = list; comma_next(&at, &item);).
// "a,,b" has an empty item, "" is one empty item, NULL has none. What parentheses hold is
// one item: "f(x, y),b" has two.
bool comma_next(const char **at, struct comma_item *ret);
bool comma_item_is(struct comma_item item, const char *name);
size_t comma_count(const char *list);

// Adds ", " to a list that is not empty, and then the item.
void comma_add(struct strbuf *list, const char *item);
void comma_addf(struct strbuf *list, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
