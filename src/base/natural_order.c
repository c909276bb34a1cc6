// SPDX-License-Identifier: Apache-2.0
//
// See natural_order.h.
#include "base/natural_order.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

// The digits at *text without leading zeros; *text ends behind them.
static const char *take_number(const char **text, size_t *ret_length) {
    while (**text == '0' && is_digit((*text)[1])) ++*text;
    const char *begin = *text;
    while (is_digit(**text)) ++*text;
    *ret_length = (size_t)(*text - begin);
    return begin;
}

static int compare_numbers(const char **a, const char **b) {
    size_t a_length, b_length;
    const char *a_digits = take_number(a, &a_length), *b_digits = take_number(b, &b_length);
    if (a_length != b_length) return a_length < b_length ? -1 : 1;
    return memcmp(a_digits, b_digits, a_length);
}

int natural_compare(const char *a, const char *b) {
    if (!a || !b) return (a != NULL) - (b != NULL);
    const char *const whole_a = a, *const whole_b = b;
    while (*a && *b) {
        if (is_digit(*a) && is_digit(*b)) {
            const int order = compare_numbers(&a, &b);
            if (order) return order;
        } else if (*a == *b) {
            ++a, ++b;
        } else {
            break;
        }
    }
    return *a == *b ? strcmp(whole_a, whole_b) : (unsigned char)*a < (unsigned char)*b ? -1 : 1;
}
