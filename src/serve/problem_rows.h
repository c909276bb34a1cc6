// SPDX-License-Identifier: Apache-2.0
//
// The rows of the list of problems: what each has beside its newest result, and their order. It is the
// server's alone: a page shows rows as they come.
#ifndef SERVE_PROBLEM_ROWS_H
#define SERVE_PROBLEM_ROWS_H

#include "serve/serve_call.h"
#include "store/store_changes.h"

struct problem_row {
    const struct stored_result *newest;
    const struct stored_change *change; // its newest one on this device, of this metric; NULL: none
    size_t change_count;
    // What it is ordered by: a number or a text, and then its names. NAN and NULL: not known, last in
    // either order.
    double value;
    const char *text;
    const struct problem_order *order;
};

enum problem_sort {
    PROBLEM_SORT_NAME, // in natural order
    PROBLEM_SORT_TREND,
    PROBLEM_SORT_MEDIAN,
    PROBLEM_SORT_CHANGE,
    PROBLEM_SORT_VERDICT, // ascending: the best first
    PROBLEM_SORT_RUN,     // by its time
    PROBLEM_SORT_COUNT,
};
struct problem_order {
    enum problem_sort sort;
    bool is_descending;
};

// ERR_USAGE: the parameters `sort` and `order` have other words.
int problem_order_read(const struct serve_call *call, struct problem_order *ret, struct err *err);
struct problem_row problem_row_make(const struct stored_result *newest, const struct store_changes *changes,
                                    const struct problem_order *order);
void problem_rows_sort(struct problem_row *rows, size_t count);
// Names of problems and sides in natural order.
void problem_sides_sort(struct stored_side *sides, size_t count);

#endif
