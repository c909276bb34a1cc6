// SPDX-License-Identifier: Apache-2.0
//
// Lists of names in one text: "s512,small" is read item by item; ", " joins what messages list.
#ifndef BASE_LIST_H
#define BASE_LIST_H

#include <stdbool.h>
#include <stddef.h>

struct strbuf;

// An item of a comma list, without the spaces around it. Points into the list; not zero-terminated.
struct list_item {
    const char *text;
    size_t length;
};

// Moves to the next item: for (const char *at = list; list_next(&at, &item);).
// "a,,b" has an empty item, "" is one empty item, NULL has none.
bool list_next(const char **at, struct list_item *ret);
bool list_item_is(struct list_item item, const char *name);
size_t list_count(const char *list);

// Adds ", " to a list that is not empty, and then the item.
void list_add(struct strbuf *list, const char *item);
void list_addf(struct strbuf *list, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
